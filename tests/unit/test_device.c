#include "device/driver.h"
#include "device_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each way in which there is no GPU: the words that make it, and the reason that it has to give. */
static const struct {
    const char *fake;
    enum accp_absence absence;
} absence_cases[] = {
    {"stub", ACCP_ABSENCE_STUB_DRIVER},
    {"no_device", ACCP_ABSENCE_NO_DEVICE},
    {"zero_devices", ACCP_ABSENCE_NO_DEVICE},
    {"unknown_error", ACCP_ABSENCE_DRIVER_FAILURE},
    {"operating_system", ACCP_ABSENCE_DRIVER_FAILURE},
    {"not_permitted", ACCP_ABSENCE_NO_PERMISSION},
    {"not_ready", ACCP_ABSENCE_SYSTEM_NOT_READY},
    {"mismatch", ACCP_ABSENCE_DRIVER_MISMATCH},
    {"no_compat", ACCP_ABSENCE_DRIVER_MISMATCH},
    {"mps_down", ACCP_ABSENCE_MPS_UNAVAILABLE},
    {"not_licensed", ACCP_ABSENCE_NOT_LICENSED},
    {"unavailable", ACCP_ABSENCE_DEVICE_UNAVAILABLE},
    {"prohibited", ACCP_ABSENCE_DEVICE_PROHIBITED},
    {"exclusive", ACCP_ABSENCE_DEVICE_EXCLUSIVE},
    {"context_memory", ACCP_ABSENCE_OUT_OF_MEMORY},
    {"ecc_error", ACCP_ABSENCE_ECC_UNCORRECTABLE},
    {"old_driver", ACCP_ABSENCE_DRIVER_TOO_OLD},
    {"old_driver_ptx", ACCP_ABSENCE_DRIVER_TOO_OLD},
    {"invalid_ptx", ACCP_ABSENCE_DRIVER_TOO_OLD},
    {"no_jit", ACCP_ABSENCE_DRIVER_INCOMPLETE},
    {"invalid_image", ACCP_ABSENCE_CUBIN_INVALID},
    {"out_of_memory", ACCP_ABSENCE_OUT_OF_MEMORY},
    {"sku=t4", ACCP_ABSENCE_CUBIN_OTHER_ARCH},
    {"sku=b200", ACCP_ABSENCE_CUBIN_OTHER_ARCH},
};

static void test_every_absence_has_its_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof absence_cases / sizeof *absence_cases; ++i) {
        struct work work;
        struct accp_error error;
        use_fake(absence_cases[i].fake);
        enum accp_status status = open_and_work(kernel_name, &work, &error);
        print_message("%-18s %s: %s\n", absence_cases[i].fake, error.where, error.text);
        assert_string_equal(error.where, accp_absence_code(absence_cases[i].absence));
        assert_int_equal(accp_absence_of(&error), absence_cases[i].absence);
        assert_int_equal(status, error.code);
        assert_non_null(strstr(error.text, accp_absence_what(absence_cases[i].absence)));
        assert_non_null(strstr(error.text, accp_absence_remedy(absence_cases[i].absence)));
        assert_int_equal(live(), 0);
    }
}

static enum accp_absence absence_of_library(const char *path)
{
    struct accp_error error = {0};
    int count;
    use_fake("ok");
    setenv("ACCPROBE_LIBCUDA", path, 1);
    assert_int_not_equal(accp_device_count(&count, &error), ACCP_STATUS_OK);
    print_message("%s: %s\n", error.where, error.text);
    return accp_absence_of(&error);
}

static void test_libraries_that_are_no_driver(void **state)
{
    (void)state;
    assert_int_equal(absence_of_library("/nonexistent/libcuda.so.1"), ACCP_ABSENCE_NO_DRIVER);
    assert_int_equal(absence_of_library("libnonexistent-cuda.so.1"), ACCP_ABSENCE_NO_DRIVER);
    assert_int_equal(absence_of_library(ACCP_SOURCE_DIR "/LICENSE"),
                     ACCP_ABSENCE_DRIVER_UNLOADABLE);
    assert_int_equal(absence_of_library(ACCP_FAKE_LIBNVML), ACCP_ABSENCE_DRIVER_INCOMPLETE);
}

static void test_toolkit_stub(void **state)
{
    (void)state;
    static const char *const stubs[] = {"/usr/local/cuda/lib64/stubs/libcuda.so",
                                        "/usr/lib/x86_64-linux-gnu/stubs/libcuda.so"};
    for (size_t i = 0; i < sizeof stubs / sizeof *stubs; ++i) {
        if (access(stubs[i], R_OK) != 0) continue;
        assert_int_equal(absence_of_library(stubs[i]), ACCP_ABSENCE_STUB_DRIVER);
        return;
    }
    print_message("skipped: no CUDA toolkit with its stub of libcuda stands on this machine\n");
    skip();
}

/* root may open everything, so the question is asked by a child that is nobody. */
static void test_closed_device_node_is_no_permission(void **state)
{
    (void)state;
    char node[] = "/tmp/accp_node_XXXXXX";
    int file = mkstemp(node);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(chmod(node, 0), 0);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(9);
        _exit(accp_absence_refine(ACCP_ABSENCE_NO_DEVICE, node) == ACCP_ABSENCE_NO_PERMISSION ? 0
                                                                                              : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(chmod(node, 0600), 0);
    assert_int_equal(accp_absence_refine(ACCP_ABSENCE_NO_DEVICE, node), ACCP_ABSENCE_NO_DEVICE);
    unlink(node);
    assert_int_equal(accp_absence_refine(ACCP_ABSENCE_NO_DEVICE, node), ACCP_ABSENCE_NO_DEVICE);
}

/* What NVML may fail to tell, none of which stops a measurement. */
static const struct {
    const char *fake, *nvml;
    enum accp_absence absence;
} management_cases[] = {
    {"ok", "/nonexistent/libnvidia-ml.so.1", ACCP_ABSENCE_NVML_ABSENT},
    {"ok", ACCP_SOURCE_DIR "/LICENSE", ACCP_ABSENCE_NVML_FAILURE},
    {"ok", ACCP_FAKE_LIBCUDA, ACCP_ABSENCE_NVML_FAILURE},
    {"nvml_missing_libs", ACCP_FAKE_LIBNVML, ACCP_ABSENCE_NVML_ABSENT},
    {"nvml_no_driver", ACCP_FAKE_LIBNVML, ACCP_ABSENCE_NVML_NO_DRIVER},
    {"nvml_mismatch", ACCP_FAKE_LIBNVML, ACCP_ABSENCE_NVML_MISMATCH},
    {"nvml_no_permission", ACCP_FAKE_LIBNVML, ACCP_ABSENCE_NVML_NO_PERMISSION},
    {"nvml_blocked", ACCP_FAKE_LIBNVML, ACCP_ABSENCE_NVML_NO_PERMISSION},
    {"nvml_unknown", ACCP_FAKE_LIBNVML, ACCP_ABSENCE_NVML_FAILURE},
    {"nvml_no_device", ACCP_FAKE_LIBNVML, ACCP_ABSENCE_NVML_NO_DEVICE},
    {"nvml_lost", ACCP_FAKE_LIBNVML, ACCP_ABSENCE_NVML_DEVICE_LOST},
    {"nvml_na", ACCP_FAKE_LIBNVML, ACCP_ABSENCE_NVML_NOT_SUPPORTED},
    {"nvml_private", ACCP_FAKE_LIBNVML, ACCP_ABSENCE_NVML_NO_PERMISSION},
    /* "N/A" for one fact must not hide that another was refused */
    {"nvml_private,mig", ACCP_FAKE_LIBNVML, ACCP_ABSENCE_NVML_NO_PERMISSION},
    {"fail=nvmlDeviceGetClockInfo:1:77", ACCP_FAKE_LIBNVML, ACCP_ABSENCE_NVML_FAILURE},
};

static void test_nvml_that_does_not_answer_is_only_a_note(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof management_cases / sizeof *management_cases; ++i) {
        struct accp_device *device;
        struct accp_error error, note;
        struct accp_run_device facts = {0};
        use_fake(management_cases[i].fake);
        setenv("ACCPROBE_LIBNVML", management_cases[i].nvml, 1);
        assert_int_equal(accp_device_open(0, &device, &error), ACCP_STATUS_OK);
        accp_device_facts(device, &facts);
        assert_false(accp_device_managed(device, &note));
        print_message("%-18s %s: %s\n", management_cases[i].fake, note.where, note.text);
        assert_int_equal(note.code, ACCP_STATUS_UNSUPPORTED);
        assert_string_equal(note.where, accp_absence_code(management_cases[i].absence));
        assert_string_equal(facts.name, "NVIDIA H200");
        assert_int_equal(facts.sm_count, 132);
        assert_true(facts.memory_clock_mhz > 0);
        accp_device_close(device);
        assert_int_equal(live(), 0);
    }
}

static void read_facts(const char *fake, struct accp_run_device *facts)
{
    struct accp_device *device;
    struct accp_error error;
    use_fake(fake);
    memset(facts, 0, sizeof *facts);
    facts->achieved_mhz_before = 1234;
    assert_int_equal(accp_device_open(0, &device, &error), ACCP_STATUS_OK);
    accp_device_facts(device, facts);
    assert_true(facts->achieved_mhz_before == 1234);
    accp_device_close(device);
}

static void test_facts(void **state)
{
    (void)state;
    struct accp_run_device facts;
    read_facts("ok", &facts);
    assert_string_equal(facts.name, "NVIDIA H200");
    assert_string_equal(facts.arch, "sm_90");
    assert_string_equal(facts.pci_id, "0000:19:00.0");
    assert_string_equal(facts.pci_device, "10de:2335");
    assert_string_equal(facts.driver, "580.159.04-fake");
    assert_int_equal(strlen(facts.uuid_hash), 16);
    assert_null(strstr(facts.uuid_hash, "0011")); /* the fake's UUID starts 00 11 22 33 */
    assert_int_equal(facts.memory_bytes, (int64_t)143771 << 20);
    assert_true(facts.sm_clock_mhz == 1980 && facts.sm_clock_max_mhz == 1980);
    assert_true(facts.memory_clock_mhz == 3201);
    assert_string_equal(facts.mig, "off");
    assert_string_equal(facts.ecc, "on");
    assert_string_equal(facts.throttle, "none");
    assert_int_equal(facts.other_processes, 0);
    assert_int_equal(facts.utilization_percent, 0);

    read_facts("nvml_unknown", &facts);
    assert_string_equal(facts.driver, "CUDA 13.0");
    assert_string_equal(facts.mig, "");
    assert_string_equal(facts.throttle, "");
    assert_true(facts.sm_clock_mhz == -1 && facts.sm_clock_max_mhz == 1980);
    assert_int_equal(facts.other_processes, -1);
    assert_int_equal(facts.utilization_percent, -1);

    read_facts("nvml_na", &facts);
    assert_string_equal(facts.throttle, "");
    assert_int_equal(facts.other_processes, -1);
    read_facts("old_nvml,power_capped", &facts);
    assert_string_equal(facts.throttle, "sw-power-cap");
    read_facts("mig,ecc_off,sku=h200_mig", &facts);
    assert_string_equal(facts.mig, "on");
    assert_string_equal(facts.ecc, "off");
    assert_int_equal(facts.sm_count, 16);
    assert_int_equal(facts.utilization_percent, -1);
}

static void test_facts_of_other_gpus(void **state)
{
    (void)state;
    static const struct {
        const char *fake, *name, *arch, *pci_device;
        int sm_count;
    } cases[] = {
        {"sku=h100_pcie", "NVIDIA H100 PCIe", "sm_90", "10de:2331", 114},
        {"sku=h20", "NVIDIA H20", "sm_90", "10de:2329", 78},
        {"sku=h200_oem", "Fabrikam Compute Card X1", "sm_90", "10de:2335", 132},
        {"sku=t4", "Tesla T4", "sm_75", "10de:1eb8", 40},
        {"sku=b200", "NVIDIA B200", "sm_100", "10de:2901", 148},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct accp_run_device facts;
        read_facts(cases[i].fake, &facts);
        assert_string_equal(facts.name, cases[i].name);
        assert_string_equal(facts.arch, cases[i].arch);
        assert_string_equal(facts.pci_device, cases[i].pci_device);
        assert_int_equal(facts.sm_count, cases[i].sm_count);
    }
}

static void test_busy_gpu(void **state)
{
    (void)state;
    static const struct {
        const char *fake;
        int others;
    } cases[] = {{"ok", 0},
                 {"busy", 2},
                 {"container", 0},
                 {"busy,container", 2},
                 {"hidden_processes", 0},
                 {"nvml_private", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct accp_run_device facts;
        read_facts(cases[i].fake, &facts);
        assert_int_equal(facts.other_processes, cases[i].others);
    }
    struct accp_run_device facts;
    read_facts("busy", &facts);
    assert_int_equal(facts.utilization_percent, 97);
    read_facts("fail=nvmlDeviceGetComputeRunningProcesses_v3:1:7", &facts); /* too many to list */
    assert_int_equal(facts.other_processes, ACCP_NVML_PROCESSES);
}

static void test_throttle_reasons(void **state)
{
    (void)state;
    struct accp_run_device facts;
    read_facts("throttled", &facts);
    assert_string_equal(facts.throttle, "hw-slowdown,hw-thermal");
    read_facts("idle_clocks", &facts);
    assert_string_equal(facts.throttle, "idle,applications-clocks");
}

static void test_observe_adds_to_what_was_seen(void **state)
{
    (void)state;
    struct accp_device *device;
    struct accp_error error;
    struct accp_run_device facts = {0};
    use_fake("idle_clocks");
    assert_int_equal(accp_device_open(0, &device, &error), ACCP_STATUS_OK);
    accp_device_facts(device, &facts);
    void *library = dlopen(ACCP_FAKE_LIBNVML, RTLD_NOW | RTLD_LOCAL);
    int (*init)(void);
    void *found = dlsym(library, "nvmlInit_v2");
    memcpy(&init, &found, sizeof init);
    setenv("ACCP_FAKE", "throttled,busy", 1);
    assert_int_equal(init(), 0);
    accp_device_observe(device, &facts);
    assert_string_equal(facts.throttle, "idle,applications-clocks,hw-slowdown,hw-thermal");
    assert_int_equal(facts.other_processes, 2);
    assert_true(facts.sm_clock_mhz == 990);
    setenv("ACCP_FAKE", "ok", 1);
    assert_int_equal(init(), 0);
    accp_device_observe(device, &facts);
    assert_string_equal(facts.throttle, "idle,applications-clocks,hw-slowdown,hw-thermal");
    assert_int_equal(facts.other_processes, 2);
    dlclose(library);
    accp_device_close(device);
}
static void test_reasons_are_one_sentence_each(void **state)
{
    (void)state;
    for (int i = 0; i < ACCP_ABSENCE_COUNT; ++i)
        for (int j = 0; j < i; ++j)
            assert_string_not_equal(accp_absence_what((enum accp_absence)i),
                                    accp_absence_what((enum accp_absence)j));
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_absence_has_its_reason),
        cmocka_unit_test(test_libraries_that_are_no_driver),
        cmocka_unit_test(test_toolkit_stub),
        cmocka_unit_test(test_closed_device_node_is_no_permission),
        cmocka_unit_test(test_nvml_that_does_not_answer_is_only_a_note),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_facts_of_other_gpus),
        cmocka_unit_test(test_busy_gpu),
        cmocka_unit_test(test_throttle_reasons),
        cmocka_unit_test(test_observe_adds_to_what_was_seen),
        cmocka_unit_test(test_reasons_are_one_sentence_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
