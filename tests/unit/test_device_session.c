#include "device_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The role's recurrence, written another way than the reference: an accumulator at a time. */
static float independent_sink(const float *input, int lane, unsigned iterations)
{
    const float a = input[ACCP_INPUT_MULTIPLIER * ACCP_LANES + lane];
    const float b = input[ACCP_INPUT_ADDEND * ACCP_LANES + lane];
    float sink = input[ACCP_INPUT_SINK * ACCP_LANES + lane];
    for (unsigned i = 0; i < iterations; ++i) {
        float before = sink;
        for (int k = 0; k < EFFECTIVE; ++k) {
            float accumulator = fmaf(a, before, input[(ACCP_INPUT_START + k) * ACCP_LANES + lane]);
            for (int link = k + EFFECTIVE; link < CHAIN; link += EFFECTIVE)
                accumulator = fmaf(a, accumulator, b);
            sink = sink + accumulator;
        }
    }
    return sink;
}

static void write_run(const char *path, const char *cycles)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "{\"format\": \"accprobe-run/1\", \"source\": \"measured\", \"device\": {}, "
            "\"compiler\": {}, \"protocol\": {}, \"roles\": [{\"role\": \"optimal.chain7.acc3\", "
            "\"kernel\": \"%s\", \"chain\": 7, \"acc\": 3, \"effective\": 3, \"warps\": %d, "
            "\"cycles\": %s, \"progress\": 1}, {\"role\": \"stranger\", \"kernel\": \"stranger\", "
            "\"warps\": %d, \"cycles\": {\"mean\": 70, \"min\": 70, \"max\": 70, \"n\": 1}, "
            "\"progress\": 1}]}",
            kernel_name, WARPS, cycles, WARPS);
    fclose(file);
}

static double cycles_of(const struct accp_record *record)
{
    return (double)(record->elapsed_cycles - record->short_cycles) /
           (record->iterations - record->short_iterations);
}

static void test_launch_computes_and_times(void **state)
{
    (void)state;
    char path[] = "/tmp/accp_run_XXXXXX";
    close(mkstemp(path));
    write_run(path, "{\"mean\": 72, \"min\": 70, \"max\": 74, \"n\": 8, \"modes\": [[70, 0.5], "
                    "[74, 0.5]]}");
    struct work work;
    struct accp_error error;
    use_fake("ok");
    setenv("ACCP_FAKE_RUN", path, 1);
    assert_int_equal(open_and_work(kernel_name, &work, &error), ACCP_STATUS_OK);
    int slow = 0;
    for (int warp = 0; warp < BLOCKS * WARPS; ++warp) {
        double cycles = cycles_of(&work.records[warp]);
        assert_true(cycles == 70 || cycles == 74);
        slow += cycles == 74;
        assert_true(work.records[warp].elapsed_cycles >= 50000);
    }
    assert_true(slow > 0 && slow < BLOCKS * WARPS);
    assert_true(work.elapsed_ms > 0.02 && work.elapsed_ms < 0.03); /* 50,000 cycles at 1980 MHz */
    setenv("ACCP_FAKE_SCALE", "optimal_chain7_acc3_effective3@8=2,stranger=9,*=+1", 1);
    assert_int_equal(open_and_work(kernel_name, &work, &error), ACCP_STATUS_OK);
    assert_true(cycles_of(&work.records[0]) == 71 || cycles_of(&work.records[0]) == 75);
    setenv("ACCP_FAKE_SCALE", "optimal_chain7_acc3_effective3=1.5", 1);
    assert_int_equal(open_and_work(kernel_name, &work, &error), ACCP_STATUS_OK);
    assert_true(cycles_of(&work.records[0]) == 105 || cycles_of(&work.records[0]) == 111);
    assert_int_equal(open_and_work("stranger", &work, &error), ACCP_STATUS_OK);
    assert_int_equal(open_and_work("nobody", &work, &error), ACCP_STATUS_INPUT);
    assert_int_equal(accp_absence_of(&error), ACCP_ABSENCE_KERNEL_NOT_FOUND);
    assert_non_null(strstr(error.text, "nobody"));
    write_run(path, "{\"n\": 0}");
    static const char *const meaningless[] = {
        "other=9", "optimal.chain7.acc3=2", "stranger",   "*=", "*=1.03x",
        "*@8=2",   "stranger@0=2",          "stranger@=2"};
    for (size_t i = 0; i < sizeof meaningless / sizeof *meaningless; ++i) {
        setenv("ACCP_FAKE_SCALE", meaningless[i], 1);
        assert_int_not_equal(open_and_work(kernel_name, &work, &error), ACCP_STATUS_OK);
    }
    unsetenv("ACCP_FAKE_SCALE");
    assert_int_equal(open_and_work(kernel_name, &work, &error), ACCP_STATUS_OK);
    assert_int_equal(work.records[0].iterations, 0);
    unlink(path);
}

static void test_sinks_are_the_recurrence(void **state)
{
    (void)state;
    struct work work;
    struct accp_error error;
    use_fake("ok");
    assert_int_equal(open_and_work(kernel_name, &work, &error), ACCP_STATUS_OK);
    /* made up: 64 cycles, 87 for the first iteration; warm-up of 500 takes 8, then 1 */
    unsigned iterations = 8 + 1 + work.records[0].iterations;
    assert_int_equal(work.records[0].short_cycles, 87);
    assert_int_equal(work.records[0].short_iterations, 1);
    for (int thread = 0; thread < BLOCKS * THREADS; ++thread) {
        float expected = independent_sink(work.input, thread % ACCP_LANES, iterations);
        assert_memory_equal(&expected, &work.sinks[thread], sizeof expected);
    }
}

/* Far above what anything takes here on a busy machine, and below the tool's own time-out. */
static const double patience_s = 30;

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Faults in the middle of work: DEVICE, every further call as well, and closing does not hang. */
static void test_faults_end_the_device(void **state)
{
    (void)state;
    static const char *const fakes[] = {
        "fault",         "launch_failed", "launch_timeout", "ecc_later",
        "address_space", "device_lost",   "hang",           "fail=cuMemcpyDtoH_v2:1:12345"};
    for (size_t i = 0; i < sizeof fakes / sizeof *fakes; ++i) {
        struct accp_device *device;
        struct accp_error error;
        struct work work;
        uint64_t address;
        use_fake(fakes[i]);
        assert_int_equal(accp_device_open(0, &device, &error), ACCP_STATUS_OK);
        assert_int_equal(do_work(device, kernel_name, &work, &error), ACCP_STATUS_DEVICE);
        print_message("%-15s %s: %s\n", fakes[i], error.where, error.text);
        assert_int_equal(accp_device_allocate(device, 4, &address, &error), ACCP_STATUS_DEVICE);
        assert_non_null(strstr(error.text, "was lost earlier"));
        const double begin_s = now_s();
        accp_device_close(device);
        assert_true(now_s() - begin_s < patience_s);
    }
}

static void test_launch_that_never_ends_is_given_up(void **state)
{
    (void)state;
    struct accp_error error;
    struct work work;
    use_fake("hang");
    double begin_s = now_s();
    assert_int_equal(open_and_work(kernel_name, &work, &error), ACCP_STATUS_DEVICE);
    double waited_s = now_s() - begin_s;
    assert_non_null(strstr(error.text, "did not end within 0.2 s"));
    assert_true(waited_s > 0.2 && waited_s < patience_s);
    use_fake("fail=cuStreamQuery:1:600,fail=cuStreamQuery:2:600"); /* one that takes a while */
    assert_int_equal(open_and_work(kernel_name, &work, &error), ACCP_STATUS_OK);
    /* The time is over when it is first asked again, as after a stop of the process: it has ended. */
    use_fake("fail=cuStreamQuery:1:600");
    launch_timeout_s = 0;
    assert_int_equal(open_and_work(kernel_name, &work, &error), ACCP_STATUS_OK);
}

static void test_wrong_pointer_is_a_fault(void **state)
{
    (void)state;
    struct accp_device *device;
    struct accp_error error;
    struct accp_module *module;
    struct accp_device_kernel kernel;
    struct cubin cubin = cubin_for_hopper();
    struct accp_parameters parameters;
    struct work work = {0};
    use_fake("ok");
    assert_int_equal(accp_device_open(0, &device, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_device_load(device, &cubin, sizeof cubin, &module, &error),
                     ACCP_STATUS_OK);
    assert_int_equal(accp_device_kernel(device, module, kernel_name, &kernel, &error),
                     ACCP_STATUS_OK);
    assert_int_equal(kernel.registers, 32);
    assert_int_equal(kernel.threads_max, 1024);
    assert_int_equal(allocate_parameters(device, &work, &parameters, &error), ACCP_STATUS_OK);
    assert_int_equal(
        accp_device_launch(device, &kernel, 1, 2048, &parameters, sizeof parameters, &error),
        ACCP_STATUS_USAGE);
    assert_int_equal(
        accp_device_launch(device, &kernel, 0, 32, &parameters, sizeof parameters, &error),
        ACCP_STATUS_USAGE);
    assert_int_equal(accp_device_launch(device, &kernel, 1, 32, &parameters, 8, &error),
                     ACCP_STATUS_DEVICE);
    /* one block more than the records and sinks have room for */
    assert_int_equal(accp_device_launch(device, &kernel, BLOCKS + 1, THREADS, &parameters,
                                        sizeof parameters, &error),
                     ACCP_STATUS_OK);
    assert_int_equal(accp_device_synchronise(device, 1, &error), ACCP_STATUS_DEVICE);
    assert_non_null(strstr(error.text, "700 CUDA_ERROR_ILLEGAL_ADDRESS"));
    accp_device_close(device);
}

static bool gives_back(const char *symbol)
{
    static const char *const symbols[] = {"cuMemFree_v2", "cuModuleUnload", "cuEventDestroy_v2",
                                          "cuDevicePrimaryCtxRelease_v2", "cuCtxSetCurrent"};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i)
        if (strcmp(symbols[i], symbol) == 0) return true;
    return false;
}

static void test_each_call_may_fail_in_turn(void **state)
{
    (void)state;
    static const char *const symbols[] = {
#define DRIVER(symbol, arguments) #symbol,
#include "device/driver.def"
#define NVML(symbol, arguments) #symbol,
#include "device/nvml.def"
    };
    static const int codes[] = {2, 719};
    int failures = 0, runs = 0;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i)
        for (int call = 1; call <= 12; ++call)
            for (size_t c = 0; c < sizeof codes / sizeof *codes; ++c) {
                struct work work;
                struct accp_error error = {0};
                char words[96];
                int before = live();
                snprintf(words, sizeof words, "fail=%s:%d:%d", symbols[i], call, codes[c]);
                use_fake(words);
                enum accp_status status = open_and_work(kernel_name, &work, &error);
                ++runs;
                failures += status != ACCP_STATUS_OK;
                assert_int_equal(status, error.code);
                if (status != ACCP_STATUS_OK) assert_true(error.text[0] != 0);
                if (codes[c] == 2 && status != ACCP_STATUS_OK &&
                    strcmp(symbols[i], "cuInit") != 0 && strncmp(symbols[i], "cuDevice", 8) != 0 &&
                    strncmp(symbols[i], "nvml", 4) != 0)
                    assert_int_equal(accp_absence_of(&error), ACCP_ABSENCE_OUT_OF_MEMORY);
                if (codes[c] == 2 && !gives_back(symbols[i])) assert_int_equal(live(), before);
            }
    print_message("%d of %d sessions with one failing call failed\n", failures, runs);
    assert_true(failures > 60 && failures < runs);
}

static void test_two_devices_at_once(void **state)
{
    (void)state;
    struct accp_device *first, *second, *third;
    struct accp_error error;
    struct accp_run_device facts[2] = {0};
    struct work work[2];
    int count;
    use_fake("two_devices");
    assert_int_equal(accp_device_count(&count, &error), ACCP_STATUS_OK);
    assert_int_equal(count, 2);
    int before = live();
    assert_int_equal(accp_device_open(2, &third, &error), ACCP_STATUS_USAGE);
    assert_null(third);
    assert_non_null(strstr(error.text, "GPUs 0 to 1"));
    assert_int_equal(accp_device_open(-1, &third, &error), ACCP_STATUS_USAGE);
    assert_int_equal(accp_device_open(0, &first, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_device_open(1, &second, &error), ACCP_STATUS_OK);
    accp_device_facts(first, &facts[0]);
    accp_device_facts(second, &facts[1]);
    assert_string_not_equal(facts[0].pci_id, facts[1].pci_id);
    assert_string_not_equal(facts[0].uuid_hash, facts[1].uuid_hash);
    assert_int_equal(do_work(first, kernel_name, &work[0], &error), ACCP_STATUS_OK);
    assert_int_equal(do_work(second, kernel_name, &work[1], &error), ACCP_STATUS_OK);
    assert_memory_equal(work[0].sinks, work[1].sinks, sizeof work[0].sinks);
    accp_device_close(first);
    assert_int_equal(do_work(second, kernel_name, &work[1], &error), ACCP_STATUS_OK);
    accp_device_close(second);
    assert_int_equal(live(), before);
    accp_device_close(NULL);
}

static enum accp_absence load_bytes(struct accp_device *device, const void *data, size_t bytes)
{
    struct accp_module *module;
    struct accp_error error = {0};
    uint8_t *copy = malloc(bytes + (bytes == 0)); /* so that a sanitizer sees a read past the end */
    assert_non_null(copy);
    memcpy(copy, data, bytes);
    enum accp_status status = accp_device_load(device, copy, bytes, &module, &error);
    free(copy);
    if (status != ACCP_STATUS_OK) assert_null(module);
    return status == ACCP_STATUS_OK ? ACCP_ABSENCE_COUNT : accp_absence_of(&error);
}

static void test_bad_cubins(void **state)
{
    (void)state;
    struct accp_device *device;
    struct accp_error error;
    use_fake("ok");
    int before = live();
    assert_int_equal(accp_device_open(0, &device, &error), ACCP_STATUS_OK);
    struct cubin good = cubin_for_hopper(), bad;
    for (size_t bytes = 0; bytes < sizeof good; ++bytes)
        assert_int_equal(load_bytes(device, &good, bytes), ACCP_ABSENCE_CUBIN_INVALID);
    assert_int_equal(load_bytes(device, &good, sizeof good), ACCP_ABSENCE_COUNT);
    bad = make_cubin(90, 7); /* as toolkits before 13 write it */
    assert_int_equal(load_bytes(device, &bad, sizeof bad), ACCP_ABSENCE_COUNT);
    bad = make_cubin(80, 7);
    assert_int_equal(load_bytes(device, &bad, sizeof bad), ACCP_ABSENCE_CUBIN_OTHER_ARCH);
#define BREAK(member, value) \
    do { \
        bad = good; \
        bad.member = value; \
        assert_int_equal(load_bytes(device, &bad, sizeof bad), ACCP_ABSENCE_CUBIN_INVALID); \
    } while (0)
    BREAK(header.e_ident[0], 'M');
    BREAK(header.e_ident[EI_CLASS], ELFCLASS32);
    BREAK(header.e_machine, EM_X86_64);
    BREAK(header.e_shoff, UINT64_MAX - 8);
    BREAK(header.e_shnum, 0);
    BREAK(header.e_shnum, 2);
    BREAK(header.e_shentsize, 8);
    BREAK(section.sh_offset, sizeof bad + 1);
    BREAK(section.sh_size, (Elf64_Xword)2 << 30);
    bad = good;
    bad.header.e_phnum = 1;
    bad.header.e_phentsize = sizeof(Elf64_Phdr);
    bad.header.e_phoff = sizeof bad - 8;
    assert_int_equal(load_bytes(device, &bad, sizeof bad), ACCP_ABSENCE_CUBIN_INVALID);
    accp_device_close(device);
    assert_int_equal(live(), before);
}

static void test_timer_wants_its_order(void **state)
{
    (void)state;
    struct accp_device *device;
    struct accp_error error;
    double ms;
    use_fake("ok");
    assert_int_equal(accp_device_open(0, &device, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_device_timer_read(device, &ms, &error), ACCP_STATUS_USAGE);
    assert_int_equal(accp_device_timer_begin(device, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_device_timer_end(device, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_device_timer_read(device, &ms, &error), ACCP_STATUS_USAGE);
    assert_int_equal(accp_device_synchronise(device, 1, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_device_timer_read(device, &ms, &error), ACCP_STATUS_OK);
    accp_device_close(device);
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch_computes_and_times),
        cmocka_unit_test(test_sinks_are_the_recurrence),
        cmocka_unit_test(test_faults_end_the_device),
        cmocka_unit_test(test_launch_that_never_ends_is_given_up),
        cmocka_unit_test(test_wrong_pointer_is_a_fault),
        cmocka_unit_test(test_each_call_may_fail_in_turn),
        cmocka_unit_test(test_two_devices_at_once),
        cmocka_unit_test(test_bad_cubins),
        cmocka_unit_test(test_timer_wants_its_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
