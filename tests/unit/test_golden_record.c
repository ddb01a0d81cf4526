#include "golden/derive.h"
#include "golden_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char place[] = "measured/sm_90-132sm-140gib-10de.2335/optimal.json";

static struct accp_record_outcome record(const struct accp_run *runs, size_t count,
                                         const char *folder)
{
    struct accp_record_request request = fixture_request(runs, count, folder);
    struct accp_record_outcome outcome;
    struct accp_error error;
    if (accp_golden_record(&request, &outcome, &error) != ACCP_STATUS_OK)
        fail_msg("%s", error.text);
    return outcome;
}

static struct accp_bytes content(const char *folder)
{
    char path[PATH_MAX];
    struct accp_bytes bytes;
    snprintf(path, sizeof path, "%s/%s", folder, place);
    assert_int_equal(accp_file_read(path, 1 << 20, &bytes, NULL), ACCP_STATUS_OK);
    return bytes;
}

static struct accp_golden golden_in(const char *folder)
{
    char path[PATH_MAX];
    struct accp_golden golden;
    struct accp_error error;
    snprintf(path, sizeof path, "%s/%s", folder, place);
    if (accp_golden_read(path, &golden, &error) != ACCP_STATUS_OK) fail_msg("%s", error.text);
    return golden;
}

static void test_sessions_become_a_golden(void **state)
{
    (void)state;
    char folder[64], text[128];
    fixture_folder(folder);
    struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 1);
    struct accp_record_outcome outcome = record(runs, FIXTURE_SESSIONS, folder);
    assert_true(outcome.written);
    assert_int_equal(outcome.rows_changed, 48 + 6 + 2);
    struct accp_golden golden = golden_in(folder);
    assert_int_equal(golden.level_count, 48);
    assert_int_equal(golden.comparisons, 48);
    assert_int_equal(golden.record_count, 1);
    assert_string_equal(golden.records[0].reason, "first baseline");
    const struct accp_golden_level *exact =
        accp_golden_level_find(&golden, "optimal.chain29.acc2", 4);
    assert_true(exact->mean == 97 && exact->tolerance == 0.25 && exact->sd < 1e-4 && exact->sd > 0);
    const struct accp_golden_level *level =
        accp_golden_level_find(&golden, "optimal.chain29.acc2", 8);
    assert_int_equal(level->sessions, FIXTURE_SESSIONS);
    assert_true(fabs(level->mean / 129.1 - 1) < 4 * FIXTURE_NOISE / sqrt(FIXTURE_SESSIONS));
    assert_true(level->sd > 0.5 * FIXTURE_NOISE * 129.1 && level->sd < 2 * FIXTURE_NOISE * 129.1);
    struct accp_confidence confidence = accp_confidence_of(ACCP_FALSE_ALARM_RATE, 48);
    double half = accp_level_half_width(level->sd, FIXTURE_SESSIONS, &confidence);
    assert_true(level->tolerance >= 2 * half && level->tolerance >= 0.005 * level->mean);
    const struct accp_golden_order *order = accp_golden_order_find(&golden, "optimal.chain29", 8);
    accp_golden_order_text(order, text, sizeof text);
    if (!accp_golden_tied(order, 3, 4) || order->tie_count != 1 || order->peak_count != 2)
        fail_msg("%s", text);
    order = accp_golden_order_find(&golden, "optimal.chain7", 8);
    accp_golden_order_text(order, text, sizeof text);
    assert_string_equal(text, "acc2 > acc3 > acc4 > acc1 > acc5 > acc7 > acc8 > acc16");
    assert_int_equal(order->peaks[0], 2);
    assert_int_equal(order->peak_count, 1);
    assert_non_null(accp_golden_growth_find(&golden, "optimal", 4));
    assert_non_null(accp_golden_growth_find(&golden, "optimal", 8));
    accp_golden_fini(&golden);
    fixture_sessions_free(runs, FIXTURE_SESSIONS);
    fixture_remove(folder);
}

/* The last digit of a mean is worth half its standard error or less, but not less than a twentieth.
 */
static void test_digits_follow_the_noise(void **state)
{
    (void)state;
    char folder[64];
    fixture_folder(folder);
    struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 2);
    record(runs, FIXTURE_SESSIONS, folder);
    struct accp_golden golden = golden_in(folder);
    for (size_t i = 0; i < golden.level_count; ++i) {
        const struct accp_golden_level *level = &golden.levels[i];
        double error = level->sd / sqrt(level->sessions);
        double unit = pow(10, floor(log10(error / 2)));
        double scaled = level->mean / unit;
        if (level->warps == 8) assert_true(fabs(scaled - round(scaled)) < 1e-6);
        assert_true(level->sd * 10 >= level->mean * 1e-6);
    }
    assert_true(fabs(accp_derive_round_up(0.06123, 2) - 0.062) < 1e-12);
    assert_true(fabs(accp_derive_round_up(0.25, 2) - 0.25) < 1e-12);
    assert_true(fabs(accp_derive_round_up(9.91, 1) - 10) < 1e-9);
    accp_golden_fini(&golden);
    fixture_sessions_free(runs, FIXTURE_SESSIONS);
    fixture_remove(folder);
}

/* A role that varies more than the least tolerance allows for gets the tolerance that its noise
 * needs. */
static void test_a_noisy_role_gets_a_wide_tolerance(void **state)
{
    (void)state;
    char folder[64];
    fixture_folder(folder);
    struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 17);
    struct accp_random random = {18};
    for (size_t i = 0; i < FIXTURE_SESSIONS; ++i)
        fixture_scale(&runs[i], 1, "optimal.chain29.acc16", 8,
                      1 + 0.01 * (fixture_uniform(&random) - 0.5));
    record(runs, FIXTURE_SESSIONS, folder);
    struct accp_golden golden = golden_in(folder);
    const struct accp_golden_level *level =
        accp_golden_level_find(&golden, "optimal.chain29.acc16", 8);
    struct accp_confidence confidence = accp_confidence_of(ACCP_FALSE_ALARM_RATE, 48);
    double needed = 2 * accp_level_half_width(level->sd, FIXTURE_SESSIONS, &confidence);
    assert_true(needed > 2 * ACCP_LEVEL_TOLERANCE_LEAST * level->mean);
    assert_true(level->tolerance >= needed && level->tolerance < 1.1 * needed);
    accp_golden_fini(&golden);
    fixture_sessions_free(runs, FIXTURE_SESSIONS);
    fixture_remove(folder);
}

static size_t lines_that_differ(const struct accp_bytes *left, const struct accp_bytes *right)
{
    size_t differ = 0;
    const char *a = (const char *)left->data, *b = (const char *)right->data;
    while (*a || *b) {
        size_t a_length = strcspn(a, "\n"), b_length = strcspn(b, "\n");
        differ += a_length != b_length || memcmp(a, b, a_length) != 0;
        a += a_length + (a[a_length] != 0);
        b += b_length + (b[b_length] != 0);
    }
    return differ;
}

static void test_only_what_changed_is_rewritten(void **state)
{
    (void)state;
    char folder[64];
    fixture_folder(folder);
    struct accp_run *first = fixture_sessions(FIXTURE_SESSIONS, 3);
    struct accp_run *second = fixture_sessions(FIXTURE_SESSIONS, 4);
    record(first, FIXTURE_SESSIONS, folder);
    struct accp_bytes before = content(folder);
    struct accp_record_outcome outcome = record(second, FIXTURE_SESSIONS, folder);
    assert_false(outcome.written);
    assert_int_equal(outcome.rows_kept, 48 + 6 + 2);
    struct accp_bytes same = content(folder);
    assert_int_equal(lines_that_differ(&before, &same), 0);
    fixture_scale(second, FIXTURE_SESSIONS, "optimal.chain13.acc16", 8, 1.02);
    outcome = record(second, FIXTURE_SESSIONS, folder);
    assert_true(outcome.written);
    assert_int_equal(outcome.rows_changed, 1);
    struct accp_golden golden = golden_in(folder);
    assert_int_equal(golden.record_count, 2);
    assert_int_equal(accp_golden_level_find(&golden, "optimal.chain13.acc16", 8)->record, 1);
    assert_int_equal(accp_golden_level_find(&golden, "optimal.chain13.acc16", 4)->record, 0);
    accp_golden_fini(&golden);
    /* Another change: the recording that no row points to any more goes. */
    fixture_scale(second, FIXTURE_SESSIONS, "optimal.chain13.acc16", 8, 1.02);
    record(second, FIXTURE_SESSIONS, folder);
    golden = golden_in(folder);
    assert_int_equal(golden.record_count, 2);
    accp_golden_fini(&golden);
    accp_bytes_fini(&before);
    accp_bytes_fini(&same);
    fixture_sessions_free(first, FIXTURE_SESSIONS);
    fixture_sessions_free(second, FIXTURE_SESSIONS);
    fixture_remove(folder);
}

static void keep_chain(struct accp_run *runs, size_t count, int chain)
{
    for (size_t i = 0; i < count; ++i) {
        size_t kept = 0;
        for (size_t j = 0; j < runs[i].role_count; ++j)
            if (runs[i].roles[j].chain == chain) runs[i].roles[kept++] = runs[i].roles[j];
        runs[i].role_count = kept;
    }
}

/* A part of the roles is merged into the rest; a gap that cannot be computed stays as it was. */
static void test_a_part_is_merged(void **state)
{
    (void)state;
    char folder[64];
    fixture_folder(folder);
    struct accp_run *all = fixture_sessions(FIXTURE_SESSIONS, 5);
    struct accp_run *part = fixture_sessions(FIXTURE_SESSIONS, 6);
    record(all, FIXTURE_SESSIONS, folder);
    keep_chain(part, FIXTURE_SESSIONS, 29);
    for (size_t i = 0; i < FIXTURE_ROLES; ++i)
        if (accp_roles[i].chain == 29)
            fixture_scale(part, FIXTURE_SESSIONS, accp_roles[i].name, 0, 1.05);
    struct accp_record_outcome outcome = record(part, FIXTURE_SESSIONS, folder);
    assert_int_equal(outcome.rows_changed, 16);
    struct accp_golden golden = golden_in(folder);
    assert_int_equal(golden.level_count, 48);
    assert_int_equal(golden.order_count, 6);
    assert_int_equal(golden.growth_count, 2);
    assert_int_equal(golden.comparisons, 48);
    accp_golden_fini(&golden);
    fixture_sessions_free(all, FIXTURE_SESSIONS);
    fixture_sessions_free(part, FIXTURE_SESSIONS);
    fixture_remove(folder);
}

/* A gap that no longer grows is no claim any more: its row goes. */
static void test_a_lost_growth_is_dropped(void **state)
{
    (void)state;
    char folder[64];
    fixture_folder(folder);
    struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 7);
    record(runs, FIXTURE_SESSIONS, folder);
    fixture_scale(runs, FIXTURE_SESSIONS, "optimal.chain7.acc1", 8, 1.25);
    record(runs, FIXTURE_SESSIONS, folder);
    struct accp_golden golden = golden_in(folder);
    assert_null(accp_golden_growth_find(&golden, "optimal", 8));
    assert_non_null(accp_golden_growth_find(&golden, "optimal", 4));
    accp_golden_fini(&golden);
    fixture_sessions_free(runs, FIXTURE_SESSIONS);
    fixture_remove(folder);
}

/* Refusals: how the sessions or the request are spoilt, and what the one line says. */
#define SPOIL(name, change) \
    static void spoil_##name(struct accp_run *runs, struct accp_record_request *request) \
    { \
        (void)runs, (void)request; \
        change; \
    }
#define IN_EVERY_RUN for (size_t i = 0; i < FIXTURE_SESSIONS; ++i)
#define CYCLES(run)  fixture_role(run, "optimal.chain29.acc3", 8)->cycles
SPOIL(throttled, strcpy(runs[3].device.throttle, "sw-thermal"))
SPOIL(busy, runs[3].device.other_processes = 2)
SPOIL(utilized, runs[3].device.utilization_percent = 90)
SPOIL(mig, strcpy(runs[3].device.mig, "on"))
SPOIL(reference, runs[3].reference_second = 60)
SPOIL(few, request->run_count = 9)
SPOIL(missing_role, request->run_count = 10; --runs[3].role_count)
SPOIL(seed, runs[3].protocol.seed = runs[7].protocol.seed)
SPOIL(dirty, request->dirty = true)
SPOIL(commit, request->commit = "")
SPOIL(reason, request->reason = "  ")
SPOIL(reason_lines, request->reason = "two\nlines")
SPOIL(static_law, request->broken_law = "chain7.acc1 has 6 FFMAs")
SPOIL(spills, fixture_role(&runs[3], "optimal.chain29.acc3", 8)->spills = 21)
SPOIL(issue_limit, IN_EVERY_RUN CYCLES(&runs[i]).mean = 57)
SPOIL(monotone, IN_EVERY_RUN CYCLES(&runs[i]).mean = 80)
SPOIL(device, strcpy(runs[3].device.pci_device, "10de:2330"))
SPOIL(arch, strcpy(runs[3].device.arch, "sm_80"))
SPOIL(cubin, IN_EVERY_RUN strcpy(runs[i].compiler.flags, "-O3 -arch sm_80 -m 64"))
SPOIL(cubin_of_one, IN_EVERY_RUN strcpy(runs[i].compiler.flags, "-arch sm_100a"))
SPOIL(cubin_of_later, IN_EVERY_RUN strcpy(runs[i].compiler.flags, "-arch sm_91"))
SPOIL(driver, strcpy(runs[3].device.driver, "999"))
SPOIL(fake, strcpy(runs[3].device.driver, "580.159.04-fake"))
SPOIL(compiler, strcpy(runs[3].compiler.version, "12.9"))
SPOIL(protocol, runs[3].protocol.budget_cycles = 10000)
SPOIL(other_protocol, IN_EVERY_RUN strcpy(runs[i].protocol.name, "occupancy"))
SPOIL(source, runs[3].source = ACCP_SOURCE_PREDICTED)
SPOIL(document, IN_EVERY_RUN runs[i].source = ACCP_SOURCE_DOCUMENT)
SPOIL(sku, IN_EVERY_RUN runs[i].device.pci_device[0] = 0)
SPOIL(samples, CYCLES(&runs[3]).n = 0)
SPOIL(stranger, IN_EVERY_RUN strcpy(runs[i].roles[0].role, "my_kernel"))

static const struct {
    void (*spoil)(struct accp_run *runs, struct accp_record_request *request);
    const char *message;
} refusals[] = {
    {spoil_throttled, "run 4: the GPU was slowed (sw-thermal)"},
    {spoil_busy, "run 4: other processes were computing on the GPU (2 others)"},
    {spoil_utilized, "run 4: the GPU was busy"},
    {spoil_mig, "run 4: the GPU is split"},
    {spoil_reference, "run 4: the reference role changed"},
    {spoil_few, "has 9 sessions, and a golden needs 10"},
    {spoil_missing_role, "has 9 sessions, and a golden needs 10"},
    {spoil_seed, "run 4 and run 8 are one session"},
    {spoil_dirty, "changes that are in no commit"},
    {spoil_commit, "commit that was built is not known"},
    {spoil_reason, "no reason"},
    {spoil_reason_lines, "must be one line"},
    {spoil_static_law, "a law is broken: chain7.acc1 has 6 FFMAs"},
    {spoil_spills, "run 4: a law is broken: optimal.chain29.acc3 has 21 LDL and STL"},
    {spoil_issue_limit, "a law is broken: no role beats the FFMA issue limit"},
    {spoil_monotone,
     "a law is broken: at one acc, a chain that is longer and no less deep does not"},
    {spoil_device, "run 1 and run 4 are of different GPU models or drivers"},
    {spoil_arch, "run 1 and run 4 are of different GPU models or drivers"},
    {spoil_cubin, "run 1: says arch sm_90, and its cubin was compiled for sm_80"},
    {spoil_cubin_of_one, "run 1: says arch sm_90, and its cubin was compiled for sm_100a"},
    {spoil_cubin_of_later, "run 1: says arch sm_90, and its cubin was compiled for sm_91"},
    {spoil_driver, "run 1 and run 4 are of different GPU models or drivers"},
    {spoil_fake, "run 4 was made with the fake driver of the tests (580.159.04-fake)"},
    {spoil_compiler, "run 1 and run 4 have different compilers"},
    {spoil_protocol, "run 1 and run 4 have different protocols"},
    {spoil_other_protocol, "run 1 was measured with protocol occupancy"},
    {spoil_source, "run 1 is measured and run 4 is predicted"},
    {spoil_document, "run 1 is from a document"},
    {spoil_sku, "a golden is keyed by them"},
    {spoil_samples, "has no sample in 1 of the runs"},
    {spoil_stranger, "my_kernel is no role of a probe"},
};

static void test_refusals_write_nothing(void **state)
{
    (void)state;
    char folder[64];
    fixture_folder(folder);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
        struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 8);
        struct accp_record_request request = fixture_request(runs, FIXTURE_SESSIONS, folder);
        struct accp_record_outcome outcome;
        struct accp_error error;
        refusals[i].spoil(runs, &request);
        enum accp_status status = accp_golden_record(&request, &outcome, &error);
        if (status != ACCP_STATUS_REFUSED || !strstr(error.text, refusals[i].message))
            fail_msg("status %s, %s\nlacks: %s", accp_status_text(status),
                     status == ACCP_STATUS_OK ? "" : error.text, refusals[i].message);
        assert_int_equal(error.code, ACCP_STATUS_REFUSED);
        assert_int_equal(rmdir(folder), 0); /* it is empty */
        assert_int_equal(mkdir(folder, 0777), 0);
        fixture_sessions_free(runs, FIXTURE_SESSIONS);
    }
    fixture_remove(folder);
}

/* A GPU that is on record has its arch from there, whatever its runs were made to say. */
static void test_an_edited_arch_is_refused(void **state)
{
    (void)state;
    char folder[64];
    fixture_folder(folder);
    struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 8);
    struct accp_record_request request = fixture_request(runs, FIXTURE_SESSIONS, folder);
    struct accp_record_outcome outcome;
    struct accp_error error;
    static const char *const compiled[] = {"-arch sm_90 -m 64", "-arch sm_90a", "-arch compute_90",
                                           ""};
    for (size_t k = 0; k < sizeof compiled / sizeof *compiled; ++k) {
        for (size_t i = 0; i < FIXTURE_SESSIONS; ++i)
            strcpy(runs[i].compiler.flags, compiled[k]);
        record(runs, FIXTURE_SESSIONS, folder);
    }
    for (size_t i = 0; i < FIXTURE_SESSIONS; ++i) {
        strcpy(runs[i].device.arch, "sm_121");
        strcpy(runs[i].compiler.flags, "-arch sm_120a");
    }
    assert_int_equal(accp_golden_record(&request, &outcome, &error), ACCP_STATUS_REFUSED);
    assert_non_null(strstr(error.text, "its cubin was compiled for sm_120a"));
    for (size_t i = 0; i < FIXTURE_SESSIONS; ++i)
        strcpy(runs[i].compiler.flags, "-arch sm_120 -m 64");
    assert_int_equal(accp_golden_record(&request, &outcome, &error), ACCP_STATUS_REFUSED);
    assert_non_null(strstr(error.text, "run 1: says arch sm_121, and its GPU is on record as "
                                       "sm_90-132sm-140gib-10de.2335"));
    fixture_sessions_free(runs, FIXTURE_SESSIONS);
    fixture_remove(folder);
}

/* A predicted run is computed, so one is enough; it lies apart from what was measured, and is
 * exact. */
static void test_predicted_goldens_lie_apart(void **state)
{
    (void)state;
    char folder[64], path[PATH_MAX];
    fixture_folder(folder);
    struct accp_run *runs = fixture_sessions(1, 9);
    struct accp_golden golden;
    runs[0].source = ACCP_SOURCE_PREDICTED;
    record(runs, 1, folder);
    snprintf(path, sizeof path, "%s/predicted/sm_90/optimal.json", folder);
    assert_int_equal(accp_golden_read(path, &golden, NULL), ACCP_STATUS_OK);
    assert_int_equal(golden.source, ACCP_SOURCE_PREDICTED);
    for (size_t i = 0; i < golden.level_count; ++i)
        assert_true(golden.levels[i].tolerance == 0.25 && golden.levels[i].sessions == 1);
    accp_golden_fini(&golden);
    fixture_sessions_free(runs, 1);
    fixture_remove(folder);
}

static void test_a_bad_golden_is_not_overwritten(void **state)
{
    (void)state;
    char folder[64], path[PATH_MAX];
    fixture_folder(folder);
    struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 10);
    struct accp_record_request request = fixture_request(runs, FIXTURE_SESSIONS, folder);
    struct accp_record_outcome outcome;
    struct accp_error error;
    record(runs, FIXTURE_SESSIONS, folder);
    snprintf(path, sizeof path, "%s/%s", folder, place);
    assert_int_equal(accp_file_write_atomic(path, "{}", 2, NULL), ACCP_STATUS_OK);
    assert_int_equal(accp_golden_record(&request, &outcome, &error), ACCP_STATUS_INPUT);
    struct accp_bytes bytes = content(folder);
    assert_string_equal((char *)bytes.data, "{}");
    accp_bytes_fini(&bytes);
    fixture_sessions_free(runs, FIXTURE_SESSIONS);
    fixture_remove(folder);
}

/* Records changed sessions over a golden while every file is limited to 1000 bytes, as a disk that
 * fills up would. */
static int record_without_room(const char *folder)
{
    struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 12);
    fixture_scale(runs, FIXTURE_SESSIONS, "optimal.chain7.acc1", 8, 1.03);
    struct accp_record_request request = fixture_request(runs, FIXTURE_SESSIONS, folder);
    struct accp_record_outcome outcome;
    const struct rlimit limit = {1000, 1000};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 100;
    int status = (int)accp_golden_record(&request, &outcome, NULL);
    fixture_sessions_free(runs, FIXTURE_SESSIONS);
    return status;
}

static void test_without_room_the_old_golden_stays(void **state)
{
    (void)state;
    char folder[64], command[160];
    fixture_folder(folder);
    struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 11);
    record(runs, FIXTURE_SESSIONS, folder);
    struct accp_bytes before = content(folder);
    int status;
    pid_t child = fork();
    if (child == 0) _exit(record_without_room(folder));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), ACCP_STATUS_IO);
    struct accp_bytes after = content(folder);
    assert_int_equal(lines_that_differ(&before, &after), 0);
    snprintf(command, sizeof command, "test $(find %s -type f | wc -l) = 1", folder);
    assert_int_equal(system(command), 0); /* no temporary file is left */
    accp_bytes_fini(&before);
    accp_bytes_fini(&after);
    fixture_sessions_free(runs, FIXTURE_SESSIONS);
    fixture_remove(folder);
}

/* The same on a file system that is really full; needs to mount one. 0: passed; 77: no permission
 * to. */
static int record_on_a_full_disk(const char *folder)
{
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", folder, "tmpfs", 0, "size=32k") != 0)
        return 77;
    struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 13);
    struct accp_record_request request = fixture_request(runs, FIXTURE_SESSIONS, folder);
    struct accp_record_outcome outcome;
    if (accp_golden_record(&request, &outcome, NULL) != ACCP_STATUS_OK) return 1;
    struct accp_bytes before = content(folder);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/filler", folder);
    FILE *filler = fopen(path, "w");
    while (filler && fputc('x', filler) != EOF && fflush(filler) == 0)
        continue;
    if (!filler || errno != ENOSPC) return 2;
    fixture_scale(runs, FIXTURE_SESSIONS, "optimal.chain7.acc1", 8, 1.03);
    if (accp_golden_record(&request, &outcome, NULL) != ACCP_STATUS_IO) return 3;
    struct accp_bytes after = content(folder);
    return lines_that_differ(&before, &after) == 0 ? 0 : 4;
}

static void test_on_a_full_disk_the_old_golden_stays(void **state)
{
    (void)state;
    char folder[64];
    fixture_folder(folder);
    int status;
    pid_t child = fork();
    if (child == 0) _exit(record_on_a_full_disk(folder));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    fixture_remove(folder);
    if (WEXITSTATUS(status) == 77) {
        printf("no permission to mount a small file system\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void record_for_ever(const char *folder)
{
    struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 14);
    for (double factor = 1.03;; factor = 1 / factor) {
        struct accp_record_request request = fixture_request(runs, FIXTURE_SESSIONS, folder);
        struct accp_record_outcome outcome;
        if (accp_golden_record(&request, &outcome, NULL) != ACCP_STATUS_OK) _exit(1);
        fixture_scale(runs, FIXTURE_SESSIONS, "optimal.chain7.acc1", 8, factor);
    }
}

/* Killed at any moment, the golden that is there is whole. */
static void test_killed_it_leaves_a_whole_golden(void **state)
{
    (void)state;
    char folder[64];
    fixture_folder(folder);
    struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 14);
    record(runs, FIXTURE_SESSIONS, folder);
    struct accp_random random = {15};
    for (int i = 0; i < 25; ++i) {
        int status;
        pid_t child = fork();
        if (child == 0) record_for_ever(folder);
        usleep(2000 + accp_random_below(&random, 30000));
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        struct accp_golden golden = golden_in(folder);
        assert_int_equal(golden.level_count, 48);
        accp_golden_fini(&golden);
    }
    fixture_sessions_free(runs, FIXTURE_SESSIONS);
    fixture_remove(folder);
}

static void test_pending_counts_to_ten(void **state)
{
    (void)state;
    char folder[64], text[512];
    fixture_folder(folder);
    struct accp_run *runs = fixture_sessions(ACCP_GOLDEN_SESSIONS_MIN, 16);
    struct accp_error error;
    for (size_t i = 0; i < ACCP_GOLDEN_SESSIONS_MIN; ++i) {
        assert_int_equal(accp_golden_pending(folder, &runs[i], text, sizeof text, &error),
                         ACCP_STATUS_OK);
        if (i == 0) assert_non_null(strstr(text, "1 of 10 sessions"));
    }
    assert_non_null(strstr(text, "accprobe record "));
    assert_null(strstr(text, "run the gate again"));
    /* A date out of a run file names no other place. */
    strcpy(runs[0].date, "../../../x");
    assert_int_equal(accp_golden_pending(folder, &runs[0], text, sizeof text, &error),
                     ACCP_STATUS_OK);
    assert_non_null(strstr(text, "11 sessions"));
    fixture_sessions_free(runs, ACCP_GOLDEN_SESSIONS_MIN);
    fixture_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sessions_become_a_golden),
        cmocka_unit_test(test_digits_follow_the_noise),
        cmocka_unit_test(test_a_noisy_role_gets_a_wide_tolerance),
        cmocka_unit_test(test_only_what_changed_is_rewritten),
        cmocka_unit_test(test_a_part_is_merged),
        cmocka_unit_test(test_a_lost_growth_is_dropped),
        cmocka_unit_test(test_refusals_write_nothing),
        cmocka_unit_test(test_an_edited_arch_is_refused),
        cmocka_unit_test(test_predicted_goldens_lie_apart),
        cmocka_unit_test(test_a_bad_golden_is_not_overwritten),
        cmocka_unit_test(test_without_room_the_old_golden_stays),
        cmocka_unit_test(test_on_a_full_disk_the_old_golden_stays),
        cmocka_unit_test(test_killed_it_leaves_a_whole_golden),
        cmocka_unit_test(test_pending_counts_to_ten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
