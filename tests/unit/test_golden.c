#include "golden/environment.h"
#include "golden/expected.h"
#include "golden/golden.h"
#include "golden_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char valid[] =
    "{\"format\": \"accprobe-golden/1\", \"probe\": \"optimal\", \"source\": \"measured\",\n"
    " \"sku\": {\"arch\": \"sm_90\", \"sm_count\": 132, \"pci_device\": \"10de:2335\", "
    "\"memory_bytes\": 150754820096},\n"
    " \"false_alarm_rate\": 0.01, \"comparisons\": 48,\n"
    " \"records\": [\n"
    "  {\"date\": \"2026-01-02\", \"reason\": \"first\",\n"
    "   \"commit\": \"0123\", \"tool\": \"0.1.0\", \"device\": \"A GPU\", \"driver\": \"580\",\n"
    "   \"compiler\": {\"name\": \"ptxas\", \"version\": \"13.0.88\", \"flags\": \"\"},\n"
    "   \"protocol\": {\"name\": \"gate\", \"blocks\": 132, \"launches\": 16, \"budget_cycles\": "
    "50000, "
    "\"skew_cycles\": 4096, \"warmup_cycles\": 2048}}],\n"
    " \"levels\": [\n"
    "  {\"role\": \"optimal.chain7.acc1\", \"kernel\": \"optimal_chain7_acc1_effective1\", "
    "\"warps\": 4, "
    "\"sessions\": 30, \"mean\": 59, \"sd\": 2.9e-05, \"tolerance\": 0.25, \"record\": 0},\n"
    "  {\"role\": \"optimal.chain7.acc1\", \"kernel\": \"optimal_chain7_acc1_effective1\", "
    "\"warps\": 8, "
    "\"sessions\": 30, \"mean\": 78.4, \"sd\": 0.04, \"tolerance\": 0.4, \"record\": 0}],\n"
    " \"orders\": [\n"
    "  {\"series\": \"optimal.chain7\", \"warps\": 8, \"order\": [2, 3, 1], \"ties\": [[2, 3]], "
    "\"peak\": [2, 3], "
    "\"margin\": 0.0025, \"record\": 0}],\n"
    " \"growths\": [\n"
    "  {\"family\": \"optimal\", \"warps\": 8, \"chains\": [7, 13, 29], \"margin\": 0.003, "
    "\"record\": 0}]}\n";

static void test_round_trip(void **state)
{
    (void)state;
    struct accp_golden golden;
    struct accp_error error;
    char *text, order[64];
    size_t bytes;
    assert_int_equal(accp_golden_parse("f", valid, strlen(valid), &golden, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_golden_format(&golden, &text, &bytes, &error), ACCP_STATUS_OK);
    assert_string_equal(text, valid);
    free(text);
    assert_non_null(accp_golden_level_find(&golden, "optimal.chain7.acc1", 8));
    assert_null(accp_golden_level_find(&golden, "optimal.chain7.acc1", 16));
    const struct accp_golden_order *row = accp_golden_order_find(&golden, "optimal.chain7", 8);
    assert_non_null(row);
    accp_golden_order_text(row, order, sizeof order);
    assert_string_equal(order, "acc2 ~ acc3 > acc1");
    assert_true(accp_golden_tied(row, 3, 2));
    assert_false(accp_golden_tied(row, 2, 1));
    assert_non_null(accp_golden_growth_find(&golden, "optimal", 8));
    accp_golden_fini(&golden);
}

/* What a hostile or damaged file has in place of a part of the valid one, and what the one line
 * must say. */
static const struct {
    const char *part, *instead, *message;
} damages[] = {
    {"golden/1", "golden/2", "format version 2"},
    {"accprobe-golden/1", "accprobe-run/1", "where \"accprobe-golden/1\" is needed"},
    {"\"optimal\"", "\"optimism\"", "probe \"optimism\" is not known"},
    {"\"measured\"", "\"document\"", "not measured or predicted"},
    {"sm_90", "sm_91", "not in the table of arches"},
    {"\"sm_count\": 132", "\"sm_count\": 0", "sku.sm_count"},
    {"\"sm_count\": 132, ", "", "sku.sm_count: is missing"},
    {"0.01", "NaN", "not valid JSON"},
    {"0.01", "0", "false_alarm_rate"},
    {"\"mean\": 59", "\"mean\": 1e999", "not valid JSON"},
    {"\"mean\": 59", "\"mean\": -59", "levels[0].mean"},
    {"\"mean\": 59", "\"mean\": \"59\"", "is a string, where a number is needed"},
    {"2.9e-05", "1e-9", "below the"},
    {", \"mean\": 59, \"sd\": 2.9e-05, \"tolerance\": 0.25", "", "levels[0].mean: is missing"},
    {"0.25", "0", "levels[0].tolerance"},
    {"\"sessions\": 30, \"mean\": 59", "\"sessions\": 9, \"mean\": 59", "levels[0].sessions"},
    {"chain7.acc1\"", "chain7.acc6\"", "not in the table of probe optimal"},
    {"_effective1", "_effective2", "where the table has"},
    {"\"warps\": 8, \"sessions\"", "\"warps\": 4, \"sessions\"", "stands there twice"},
    {"\"warps\": 4, \"sessions\"", "\"warps\": 16, \"sessions\"", "out of order"},
    {"\"record\": 0}],", "\"record\": 1}],", "levels[1].record"},
    {"optimal.chain7\"", "optimal.chain8\"", "series \"optimal.chain8\""},
    {"[2, 3, 1]", "[2, 3, 6]", "has no acc6"},
    {"[2, 3, 1]", "[2, 3, 2]", "2 stands there twice"},
    {"[2, 3, 1]", "[2]", "has 1 entries"},
    {"[[2, 3]]", "[[2, 4]]", "is not in the order"},
    {"[[2, 3]]", "[[2, 3, 1]]", "must be a pair"},
    {"\"peak\": [2, 3]", "\"peak\": [4]", "peak[0]"},
    {"\"peak\": [2, 3]", "\"peak\": []", "peak: has 0 entries"},
    {"[7, 13, 29]", "[7, 29, 13]", "is not above the one before"},
    {"[7, 13, 29]", "[7, 14]", "has no chain14"},
    {"\"family\": \"optimal\"", "\"family\": \"tail\"", "family \"tail\""},
    {"\"levels\"", "\"level\"", "levels: is missing"},
    {"\"comparisons\": 48", "\"comparisons\": 4.8", "where an integer is needed"},
};

static char *replaced(const char *part, const char *instead)
{
    const char *at = strstr(valid, part);
    assert_non_null(at);
    char *text = malloc(strlen(valid) + strlen(instead) + 1);
    assert_non_null(text);
    sprintf(text, "%.*s%s%s", (int)(at - valid), valid, instead, at + strlen(part));
    return text;
}

static void refuse(const char *text, size_t bytes, const char *message)
{
    struct accp_golden golden;
    struct accp_error error;
    assert_int_equal(accp_golden_parse("f", text, bytes, &golden, &error), ACCP_STATUS_INPUT);
    if (!strstr(error.text, message)) fail_msg("%s\nlacks: %s", error.text, message);
    assert_null(strchr(error.text, '\n'));
    assert_null(golden.levels);
    assert_null(golden.records);
}

static void cut(char *text, const char *part)
{
    char *at = strstr(text, part);
    assert_non_null(at);
    memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

/* A prediction may say of a role that the model does not time it; half a row says nothing. */
static void test_untimed_rows_are_predictions(void **state)
{
    struct accp_golden golden;
    struct accp_error error;
    size_t bytes;
    (void)state;
    char *text = replaced("measured", "predicted"), *again;
    cut(text, ", \"sm_count\": 132, \"pci_device\": \"10de:2335\", \"memory_bytes\": 150754820096");
    cut(text, ", \"sd\": 2.9e-05");
    refuse(text, strlen(text), "levels[0].sd: is missing");
    cut(text, ", \"mean\": 59, \"tolerance\": 0.25");
    assert_int_equal(accp_golden_parse("f", text, strlen(text), &golden, &error), ACCP_STATUS_OK);
    assert_true(golden.levels[0].mean == 0 && golden.levels[1].mean == 78.4);
    assert_int_equal(accp_golden_format(&golden, &again, &bytes, &error), ACCP_STATUS_OK);
    assert_string_equal(again, text);
    accp_golden_fini(&golden);
    free(again);
    free(text);
}

static void test_damages_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; ++i) {
        char *text = replaced(damages[i].part, damages[i].instead);
        refuse(text, strlen(text), damages[i].message);
        free(text);
    }
}

/* Cut anywhere, it is refused; the last byte is a newline. */
static void test_every_truncation_is_refused(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes + 1 < strlen(valid); ++bytes)
        refuse(valid, bytes, "");
}

static void test_long_and_deep_input(void **state)
{
    (void)state;
    size_t bytes = 10u << 20;
    char *text = malloc(bytes + 1);
    assert_non_null(text);
    memset(text, 'x', bytes);
    text[bytes] = 0;
    char *golden = replaced("\"first\"", "\"%s\"");
    char *with = malloc(bytes + strlen(golden) + 1);
    assert_non_null(with);
    char *at = strstr(golden, "%s");
    sprintf(with, "%.*s%s%s", (int)(at - golden), golden, text, at + 2);
    refuse(with, strlen(with), "has 10485760 bytes");
    memset(text, '[', 10000);
    text[10000] = 0;
    char *deep = replaced("[7, 13, 29]", text);
    refuse(deep, strlen(deep), "not valid JSON");
    free(deep);
    free(with);
    free(golden);
    free(text);
}

static void write_text(const char *folder, const char *below, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, below);
    *strrchr(path, '/') = 0;
    assert_int_equal(accp_folder_make(path, NULL, NULL), ACCP_STATUS_OK);
    snprintf(path, sizeof path, "%s/%s", folder, below);
    assert_int_equal(accp_file_write_atomic(path, text, strlen(text), NULL), ACCP_STATUS_OK);
}

/* Devices of one arch that are not one another (and two that are), and which golden answers for
 * each when the tree holds the 132-SM, 141-GB one alone. */
static const struct {
    const char *name, *arch, *pci_device, *mig;
    int64_t sm_count;
    double memory_gib;
    enum accp_answer answer;
} devices[] = {
    {"NVIDIA H200", "sm_90", "10de:2335", "off", 132, 140.40, ACCP_ANSWER_SKU},
    {"NVIDIA H200, as the driver's other call counts", "sm_90", "10de:2335", "off", 132, 139.80,
     ACCP_ANSWER_SKU},
    {"an OEM's name for it", "sm_90", "10de:2335", "off", 132, 140.40, ACCP_ANSWER_SKU},
    {"", "sm_90", "10de:2335", "", 132, 140.40, ACCP_ANSWER_SKU},
    {"NVIDIA H200", "sm_90", "10de:2330", "off", 132, 79.65, ACCP_ANSWER_ARCH},
    {"NVIDIA H200", "sm_90", "10de:2335", "off", 132, 79.65, ACCP_ANSWER_ARCH},
    {"NVIDIA H200", "sm_90", "10de:2335", "off", 132, 95.58, ACCP_ANSWER_ARCH},
    {"NVIDIA H200", "sm_90", "10de:2335", "off", 78, 140.40, ACCP_ANSWER_ARCH},
    {"NVIDIA H200", "sm_90", "10de:2342", "off", 132, 140.40, ACCP_ANSWER_ARCH},
    {"NVIDIA H200", "sm_90", "10de:2331", "off", 114, 79.65, ACCP_ANSWER_ARCH},
    {"NVIDIA H200", "sm_90", "10de:2329", "off", 78, 95.58, ACCP_ANSWER_ARCH},
    {"NVIDIA H200 MIG 1g.18gb", "sm_90", "10de:2335", "on", 16, 16.00, ACCP_ANSWER_ARCH},
    {"NVIDIA H200 MIG of all", "sm_90", "10de:2335", "on", 132, 140.40, ACCP_ANSWER_ARCH},
    {"NVIDIA H200", "sm_90", "", "off", 132, 140.40, ACCP_ANSWER_ARCH},
    {"NVIDIA H200", "sm_90", "10de:2335", "off", -1, 140.40, ACCP_ANSWER_ARCH},
    {"NVIDIA H200", "sm_100", "10de:2335", "off", 132, 140.40, ACCP_ANSWER_LAWS},
    {"NVIDIA H200", "", "10de:2335", "off", 132, 140.40, ACCP_ANSWER_LAWS},
};

static void test_which_golden_answers(void **state)
{
    (void)state;
    char folder[64];
    fixture_folder(folder);
    write_text(folder, "measured/sm_90-132sm-140gib-10de.2335/optimal.json", valid);
    write_text(folder, "measured/README", "not a golden");
    for (size_t i = 0; i < sizeof devices / sizeof *devices; ++i) {
        struct accp_random random = {i};
        struct accp_run run;
        struct accp_golden_found found;
        struct accp_error error;
        fixture_run(&run, &random);
        strcpy(run.device.name, devices[i].name);
        strcpy(run.device.arch, devices[i].arch);
        strcpy(run.device.pci_device, devices[i].pci_device);
        strcpy(run.device.mig, devices[i].mig);
        run.device.sm_count = devices[i].sm_count;
        run.device.memory_bytes = (int64_t)(devices[i].memory_gib * (1 << 30));
        assert_int_equal(accp_golden_find(folder, "optimal", &run, &found, &error), ACCP_STATUS_OK);
        if (found.answer != devices[i].answer)
            fail_msg("device %zu is answered by %s", i, accp_answer_text(found.answer));
        assert_string_equal(found.name,
                            found.answer == ACCP_ANSWER_LAWS ? "" : "sm_90-132sm-140gib-10de.2335");
        accp_golden_fini(&found.golden);
        /* A prediction is never held against a measured golden. */
        run.source = ACCP_SOURCE_PREDICTED;
        assert_int_equal(accp_golden_find(folder, "optimal", &run, &found, &error), ACCP_STATUS_OK);
        assert_int_equal(found.answer, ACCP_ANSWER_LAWS);
        accp_run_fini(&run);
    }
    fixture_remove(folder);
}

/* With several goldens of the arch, the one whose SM count is nearest answers. */
static void test_the_nearest_of_the_arch_answers(void **state)
{
    (void)state;
    char folder[64];
    fixture_folder(folder);
    char *other = replaced("\"sm_count\": 132", "\"sm_count\": 114");
    write_text(folder, "measured/sm_90-132sm-140gib-10de.2335/optimal.json", valid);
    write_text(folder, "measured/sm_90-114sm-140gib-10de.2335/optimal.json", other);
    struct accp_random random = {1};
    struct accp_run run;
    struct accp_golden_found found;
    fixture_run(&run, &random);
    run.device.sm_count = 78;
    assert_int_equal(accp_golden_find(folder, "optimal", &run, &found, NULL), ACCP_STATUS_OK);
    assert_int_equal(found.golden.sku.sm_count, 114);
    accp_golden_fini(&found.golden);
    run.device.sm_count = 144;
    assert_int_equal(accp_golden_find(folder, "optimal", &run, &found, NULL), ACCP_STATUS_OK);
    assert_int_equal(found.golden.sku.sm_count, 132);
    accp_golden_fini(&found.golden);
    accp_run_fini(&run);
    free(other);
    fixture_remove(folder);
}

static void find_fails(const char *folder, enum accp_status status, const char *message)
{
    struct accp_random random = {1};
    struct accp_run run;
    struct accp_golden_found found;
    struct accp_error error;
    fixture_run(&run, &random);
    assert_int_equal(accp_golden_find(folder, "optimal", &run, &found, &error), status);
    if (!strstr(error.text, message)) fail_msg("%s\nlacks: %s", error.text, message);
    assert_null(found.golden.levels);
    accp_run_fini(&run);
}

/* A damaged or misplaced golden anywhere in the tree is a broken store, also for a GPU that it does
 * not answer for. */
static void test_a_broken_store_is_no_missing_golden(void **state)
{
    (void)state;
    char folder[64];
    fixture_folder(folder);
    write_text(folder, "measured/sm_90-114sm-80gib-10de.2331/optimal.json", valid);
    find_fails(folder, ACCP_STATUS_INPUT,
               "is the golden of another GPU: it belongs into the folder "
               "sm_90-132sm-140gib-10de.2335");
    write_text(folder, "measured/sm_90-114sm-80gib-10de.2331/optimal.json", "{");
    find_fails(folder, ACCP_STATUS_INPUT, "not valid JSON");
    fixture_remove(folder);
    find_fails(folder, ACCP_STATUS_INPUT, "is no folder of goldens");
}

static const struct {
    const char *entry, *message; /* NULL: taken */
} expectations[] = {
    {"{\"claim\": \"optimal.chain29.acc16.level@8\", \"reason\": \"r\", \"expires\": "
     "\"2028-02-29\"}",
     NULL},
    {"{\"claim\": \"optimal.chain29.peak@8\", \"reason\": \"r\", \"expires\": \"2027-03-31\"}",
     NULL},
    {"{\"claim\": \"optimal.gap_growth@8\", \"reason\": \"r\", \"expires\": \"2027-03-31\"}", NULL},
    {"{\"claim\": \"optimal.chain29.acc2.structure\", \"reason\": \"r\", \"expires\": "
     "\"2027-03-31\"}",
     NULL},
    {"{\"claim\": \"optimal.chain29.acc6.level@8\", \"reason\": \"r\", \"expires\": "
     "\"2027-03-31\"}",
     "none that is ever"},
    {"{\"claim\": \"optimal.chain29.level@8\", \"reason\": \"r\", \"expires\": \"2027-03-31\"}",
     "none that is ever"},
    {"{\"claim\": \"optimal.chain29.acc2.order@8\", \"reason\": \"r\", \"expires\": "
     "\"2027-03-31\"}",
     "none that is ever"},
    {"{\"claim\": \"x\", \"reason\": \"r\", \"expires\": \"2027-03-31\"}", "none that is ever"},
    {"{\"claim\": \"optimal.chain29.peak@8\", \"reason\": \" \", \"expires\": \"2027-03-31\"}",
     "reason is empty"},
    {"{\"claim\": \"optimal.chain29.peak@8\", \"expires\": \"2027-03-31\"}", "reason: is missing"},
    {"{\"claim\": \"optimal.chain29.peak@8\", \"reason\": \"r\", \"expires\": \"2027-02-29\"}",
     "not a day"},
    {"{\"claim\": \"optimal.chain29.peak@8\", \"reason\": \"r\", \"expires\": \"31.03.2027\"}",
     "not a day"},
    {"{\"claim\": \"optimal.chain29.peak@8\", \"reason\": \"r\", \"expires\": \"2027-3-31\"}",
     "not a day"},
    {"{\"claim\": \"optimal.chain29.peak@8\", \"reason\": \"r\", \"expires\": \"never\"}",
     "not a day"},
    {"{\"claim\": \"optimal.chain7.peak@8\", \"reason\": \"r\", \"expires\": \"2027-03-31\"}",
     "stands there twice"},
};

static void test_expected_failures_are_read(void **state)
{
    (void)state;
    char folder[64], path[PATH_MAX], text[1024];
    struct accp_expected expected;
    struct accp_error error;
    fixture_folder(folder);
    snprintf(path, sizeof path, "%s/optimal.json", folder);
    assert_int_equal(accp_expected_beside(path, &expected, &error), ACCP_STATUS_OK);
    assert_int_equal(expected.count, 0);
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; ++i) {
        const char *message = expectations[i].message;
        snprintf(text, sizeof text,
                 "{\"format\": \"accprobe-expected/1\", \"expected\": [{\"claim\": "
                 "\"optimal.chain7.peak@8\", "
                 "\"reason\": \"r\", \"expires\": \"2027-03-31\"}, %s]}",
                 expectations[i].entry);
        write_text(folder, "expected.json", text);
        enum accp_status status = accp_expected_beside(path, &expected, &error);
        if ((status == ACCP_STATUS_OK) != (message == NULL) ||
            (message && !strstr(error.text, message)))
            fail_msg("entry %zu: %s", i, status == ACCP_STATUS_OK ? "was taken" : error.text);
        assert_int_equal(expected.count, message ? 0 : 2);
        accp_expected_fini(&expected);
    }
    const struct accp_expected_failure failure = {.expires = "2027-03-31"};
    assert_false(accp_expected_expired(&failure, "2027-03-31T23:59:59Z"));
    assert_true(accp_expected_expired(&failure, "2027-04-01"));
    fixture_remove(folder);
}

static const struct {
    const char *throttle;
    int64_t others, utilization;
    const char *mig;
    double first, second;
    enum accp_trouble trouble;
} surroundings[] = {
    {"none", 0, 0, "off", 59, 59, ACCP_TROUBLE_NONE},
    {"", -1, -1, "", -1, -1, ACCP_TROUBLE_NONE},
    {"idle, applications-clocks", 0, 20, "off", 78.4, 78.5, ACCP_TROUBLE_NONE},
    {"idle,hw-slowdown", 0, 0, "off", 59, 59, ACCP_TROUBLE_THROTTLED},
    {"hw-thermal", 0, 0, "off", 59, 59, ACCP_TROUBLE_THROTTLED},
    {"hw-power-brake", 0, 0, "off", 59, 59, ACCP_TROUBLE_THROTTLED},
    {"a-reason-of-tomorrow", 0, 0, "off", 59, 59, ACCP_TROUBLE_THROTTLED},
    {"none", 1, 0, "off", 59, 59, ACCP_TROUBLE_OTHER_PROCESSES},
    {"none", 0, 21, "off", 59, 59, ACCP_TROUBLE_UTILIZED},
    {"none", 0, 0, "on", 59, 59, ACCP_TROUBLE_MIG},
    {"none", 0, 0, "off", 59, 60, ACCP_TROUBLE_REFERENCE_DRIFTED},
    {"none", 0, 0, "off", 78.4, 77.9, ACCP_TROUBLE_REFERENCE_DRIFTED},
};

/* Slowest and fastest warp of a role, at so many warps in a block; from H200 runs. */
static const struct {
    int warps;
    double min, max;
    enum accp_trouble trouble;
} spreads[] = {
    {8, 100.1, 178.2, ACCP_TROUBLE_NONE},       {24, 182, 360, ACCP_TROUBLE_NONE},
    {8, 62.98, 3149, ACCP_TROUBLE_INTERRUPTED}, {4, 64, 3300000, ACCP_TROUBLE_INTERRUPTED},
    {32, 300, 28500, ACCP_TROUBLE_NONE}, /* starved, not interrupted */
};

static void test_interruptions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; ++i) {
        struct accp_run run;
        struct accp_run_role *role;
        struct accp_error error;
        char text[128];
        accp_run_init(&run);
        run.source = ACCP_SOURCE_MEASURED;
        assert_int_equal(accp_run_append(&run, &role, &error), ACCP_STATUS_OK);
        strcpy(role->role, "optimal.chain7.acc2");
        role->warps = spreads[i].warps;
        role->cycles.min = spreads[i].min;
        role->cycles.max = spreads[i].max;
        role->cycles.n = 31680;
        assert_int_equal(accp_environment_check(&run, text, sizeof text), spreads[i].trouble);
        role->spills = 1; /* waits for memory, and so bears no witness */
        assert_int_equal(accp_environment_check(&run, text, sizeof text), ACCP_TROUBLE_NONE);
        role->spills = 0;
        role->cycles.n = 0;
        assert_int_equal(accp_environment_check(&run, text, sizeof text), ACCP_TROUBLE_NONE);
        accp_run_fini(&run);
    }
}

static void test_surroundings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof surroundings / sizeof *surroundings; ++i) {
        struct accp_run run;
        char text[64];
        accp_run_init(&run);
        run.source = ACCP_SOURCE_MEASURED;
        strcpy(run.device.throttle, surroundings[i].throttle);
        strcpy(run.device.mig, surroundings[i].mig);
        run.device.other_processes = surroundings[i].others;
        run.device.utilization_percent = surroundings[i].utilization;
        run.reference_first = surroundings[i].first;
        run.reference_second = surroundings[i].second;
        enum accp_trouble trouble = accp_environment_check(&run, text, sizeof text);
        if (trouble != surroundings[i].trouble)
            fail_msg("row %zu: %s", i, accp_trouble_text(trouble));
        assert_int_equal(text[0] == 0, trouble == ACCP_TROUBLE_NONE);
        run.source = ACCP_SOURCE_PREDICTED;
        assert_int_equal(accp_environment_check(&run, text, sizeof text), ACCP_TROUBLE_NONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damages_are_refused),
        cmocka_unit_test(test_untimed_rows_are_predictions),
        cmocka_unit_test(test_every_truncation_is_refused),
        cmocka_unit_test(test_long_and_deep_input),
        cmocka_unit_test(test_which_golden_answers),
        cmocka_unit_test(test_the_nearest_of_the_arch_answers),
        cmocka_unit_test(test_a_broken_store_is_no_missing_golden),
        cmocka_unit_test(test_expected_failures_are_read),
        cmocka_unit_test(test_surroundings),
        cmocka_unit_test(test_interruptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
