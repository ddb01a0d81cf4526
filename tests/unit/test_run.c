#include "run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_round_trip(void **state)
{
    (void)state;
    struct accp_run run, again;
    struct accp_error error;
    accp_run_init(&run);
    run.source = ACCP_SOURCE_MEASURED;
    strcpy(run.device.name, "a \"GPU\"");
    run.device.sm_count = 132;
    strcpy(run.protocol.name, "gate");
    run.protocol.seed = 0x7fffffffffffffff;
    run.reference_first = run.reference_second = 59;
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        struct accp_run_role *role;
        assert_int_equal(accp_run_append(&run, &role, &error), ACCP_STATUS_OK);
        strcpy(role->role, accp_roles[i].name);
        strcpy(role->kernel, accp_roles[i].kernel);
        role->chain = accp_roles[i].chain;
        role->acc = accp_roles[i].acc;
        role->effective = accp_roles[i].effective;
        role->warps = 8;
        strcpy(role->sass, "0123456789abcdef");
        strcpy(role->sass_exact, "fedcba9876543210");
        role->cycles = (struct accp_cycles){.mean = 129.123456789,
                                            .min = 124,
                                            .max = 136.5,
                                            .n = 4224,
                                            .mode_count = 1,
                                            .modes = {{128, 0.41}}};
        role->progress = 77459.3;
    }
    const struct accp_run_mix mix = {.role = "mixed.chain29.acc2",
                                     .warps = 8,
                                     .by_warp_count = 2,
                                     .by_warp = {{0, 4000, 130.5}, {7, 224, 124.25}},
                                     .beside_count = 2,
                                     .beside = {{3, 4223, 129}, {16, 1, 136.5}}};
    assert_int_equal(accp_run_append_mix(&run, &mix, &error), ACCP_STATUS_OK);
    char *text, *text_again;
    size_t bytes, bytes_again;
    assert_int_equal(accp_run_format(&run, &text, &bytes, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_run_parse("x", text, bytes, &again, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_run_format(&again, &text_again, &bytes_again, &error), ACCP_STATUS_OK);
    assert_string_equal(text, text_again);
    assert_int_equal(again.protocol.seed, run.protocol.seed);
    const struct accp_run_role *found = accp_run_find(&again, "optimal.chain29.acc2", 8);
    assert_non_null(found);
    assert_int_equal(found->cycles.n, 4224);
    assert_string_equal(found->sass, "0123456789abcdef");
    assert_string_equal(found->sass_exact, "fedcba9876543210");
    assert_null(accp_run_find(&again, "optimal.chain29.acc2", 4));
    const struct accp_run_mix *kept = accp_run_find_mix(&again, mix.role, 8);
    assert_true(kept && again.mix_count == 1 && kept->by_warp_count == 2 &&
                kept->beside_count == 2);
    assert_true(kept->by_warp[1].key == 7 && kept->by_warp[1].n == 224 &&
                kept->by_warp[1].mean == 124.25 && kept->beside[1].key == 16);
    assert_null(accp_run_find_mix(&again, mix.role, 4));
    free(text);
    free(text_again);
    accp_run_fini(&run);
    accp_run_fini(&again);
}

#define RUN_WITH(roles) \
    "{\"format\": \"accprobe-run/1\", \"source\": \"measured\", \"device\": {}, \"compiler\": " \
    "{}, " \
    "\"protocol\": {}, \"roles\": [" roles "]}"
#define ROLE_WITH(name, cycles) \
    "{\"role\": \"" name "\", \"kernel\": \"k\", \"warps\": 8, \"cycles\": {" cycles \
    "}, \"progress\": 1}"
#define MIXED(by_warp, beside) \
    "{\"role\": \"a\", \"kernel\": \"k\", \"warps\": 8, \"cycles\": {\"mean\": 2, \"min\": 1, " \
    "\"max\": 3, \"n\": 3}, \"progress\": 1, \"by_warp\": " by_warp ", \"beside\": " beside "}"
#define GOOD "\"mean\": 2, \"min\": 1, \"max\": 3, \"n\": 1"

#define DEVICE(facts) \
    "{\"format\": \"accprobe-run/1\", \"source\": \"measured\", \"device\": {" facts "}, " \
    "\"compiler\": {}, \"protocol\": {}, \"roles\": [" ROLE_WITH("a", GOOD) "]}"

static const struct {
    const char *text, *message;
} refused[] = {
    {"", "not valid JSON"},
    {"\xef\xbb\xbf{\"format\": \"accprobe-run/1\"}",
     "byte order mark: write it as UTF-8 without one"},
    {"\xff\xfe{", "is UTF-16"},
    {"\xfe\xff", "is UTF-16"},
    {"\x7f\x45LF", "is an ELF file"},
    {"\x1f\x8b\x08", "gunzip it"},
    {"{\"format\": \"accprobe-run/9\"}", "format version 9"},
    {"{\"format\": \"accprobe-golden/1\"}", "where \"accprobe-run/1\" is needed"},
    {RUN_WITH(""), "roles: is empty"},
    {RUN_WITH(ROLE_WITH("a", GOOD) ", " ROLE_WITH("a", GOOD)), "stands there twice"},
    {RUN_WITH(ROLE_WITH("a", "\"mean\": 9, \"min\": 1, \"max\": 3, \"n\": 1")),
     "min <= mean <= max, and a mean above 0"},
    {RUN_WITH(ROLE_WITH("a", "\"mean\": 0, \"min\": 0, \"max\": 0, \"n\": 1")),
     "min <= mean <= max, and a mean above 0"},
    {RUN_WITH(ROLE_WITH("a", "\"mean\": NaN, \"min\": 1, \"max\": 3, \"n\": 1")), "not valid JSON"},
    {RUN_WITH(ROLE_WITH("a", "\"mean\": 2, \"min\": 1, \"max\": 3, \"n\": -1")), "outside 0"},
    {RUN_WITH(ROLE_WITH("a", GOOD ", \"modes\": [[1, 2, 3]]")), "must be [cycles, weight]"},
    {RUN_WITH(ROLE_WITH("a", GOOD ", \"modes\": [[1, 1.5]]")), "weight outside 0 to 1"},
    {RUN_WITH(ROLE_WITH("optimal.chain7.acc6", GOOD)), "is not in the table of probe optimal"},
    {RUN_WITH(ROLE_WITH("optimal.chain7.acc1", GOOD)), "differs from the table"},
    {RUN_WITH("{\"role\": \"a\"}"), "roles[0].kernel: is missing"},
    {DEVICE("\"pci_device\": \"../../x\""),
     "pci_device: is not a vendor and device like 10de:2335"},
    {DEVICE("\"pci_device\": \"10DE:2335\""), "pci_device: is not a vendor and device"},
    {DEVICE("\"pci_device\": \"10de:23355\""), "pci_device: is not a vendor and device"},
    {DEVICE("\"pci_device\": \"\""), "leave it out where it is unknown"},
    {DEVICE("\"pci_id\": \"10de:2335\""), "pci_id: is not a domain, bus, device and function"},
    {DEVICE("\"pci_id\": \"0000:19:00\""), "pci_id: is not a domain"},
    {DEVICE("\"pci_id\": \"00000:19:00.0\""), "pci_id: is not a domain"},
    {DEVICE("\"mig\": \"no\""), "mig: is not on or off"},
    {DEVICE("\"ecc\": \"ON\""), "ecc: is not on or off"},
    {RUN_WITH(MIXED("[[0, 2, 2]]", "[]")), "by_warp holds 2 samples, cycles 3"},
    {RUN_WITH(MIXED("[[0, 2, 2], [0, 2, 1]]", "[]")), "by_warp[1]: has a key outside 1 to 7"},
    {RUN_WITH(MIXED("[[8, 2, 3]]", "[]")), "has a key outside 0 to 7"},
    {RUN_WITH(MIXED("[[-1, 2, 3]]", "[]")), "has a key outside 0 to 7"},
    {RUN_WITH(MIXED("[[0, 3.5, 3]]", "[]")), "mean outside of the role's min and max"},
    {RUN_WITH(MIXED("[[0, 2]]", "[]")), "must be [key, mean, n]"},
    {RUN_WITH(MIXED("[[0, 2, 3]]", "[[0, 2, 3]]")), "beside[0]: has a key outside 1 to 255"},
    {RUN_WITH(MIXED("[[0, 2, 3]]", "[[2, 2, 0]]")), "samples that the role does not have"},
    {RUN_WITH(MIXED("[[0, 2, 3]]", "[[2, 2, 32]]")), "samples that the role does not have"},
    {RUN_WITH(MIXED("[[0, 2, 3]]", "[2]")), "beside[0]"},
    {RUN_WITH(MIXED("[[0, 2, 3]]", "3")), "beside"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        struct accp_run run;
        struct accp_error error;
        assert_int_equal(
            accp_run_parse("f", refused[i].text, strlen(refused[i].text), &run, &error),
            ACCP_STATUS_INPUT);
        if (!strstr(error.text, refused[i].message))
            fail_msg("%s\nlacks: %s", error.text, refused[i].message);
        assert_null(run.roles);
    }
}

static void test_devices(void **state)
{
    (void)state;
    static const char *const good[] = {
        DEVICE(""),
        DEVICE("\"pci_device\": \"10de:2335\", \"pci_id\": \"0000:19:00.0\", \"mig\": \"off\", "
               "\"ecc\": \"on\""),
        DEVICE("\"pci_id\": \"00000000:CA:1f.7\""),
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        struct accp_run run;
        assert_int_equal(accp_run_parse("f", good[i], strlen(good[i]), &run, NULL), ACCP_STATUS_OK);
        accp_run_fini(&run);
    }
}

/* Zero samples are a run that says so: ENVIRONMENT for the verdict, not bad input. */
static void test_zero_samples_are_read(void **state)
{
    (void)state;
    struct accp_run run;
    struct accp_error error;
    const char text[] = RUN_WITH(ROLE_WITH("a", "\"n\": 0"));
    assert_int_equal(accp_run_parse("f", text, sizeof text - 1, &run, &error), ACCP_STATUS_OK);
    assert_int_equal(run.roles[0].cycles.n, 0);
    accp_run_fini(&run);
}

static void test_deep_and_long_input(void **state)
{
    (void)state;
    size_t bytes = 10u << 20;
    char *text = malloc(bytes + 1);
    assert_non_null(text);
    struct accp_run run;
    struct accp_error error;
    memset(text, '[', 10000);
    assert_int_equal(accp_run_parse("f", text, 10000, &run, &error), ACCP_STATUS_INPUT);
    memset(text, 'x', bytes);
    memcpy(text, "{\"format\": \"", 12);
    memcpy(text + bytes - 2, "\"}", 2);
    assert_int_equal(accp_run_parse("f", text, bytes, &run, &error), ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "format: has 10485746 bytes"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_zero_samples_are_read),
        cmocka_unit_test(test_deep_and_long_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
