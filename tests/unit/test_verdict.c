#include "golden/laws.h"
#include "golden_fixture.h"
#include "verdict/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One case: a fresh process of the recorded GPU, the golden that was recorded from 30 others, and
 * all else that a verdict reads. A scenario changes what it likes. */
struct scene {
    struct accp_run run;
    struct accp_golden_found found;
    struct accp_static statics[ACCP_ROLE_COUNT];
    size_t static_count;
    struct accp_expected_failure failure;
    size_t failure_count;
    bool selected[ACCP_ROLE_COUNT];
    bool has_selection;
    const char *reference_role;
};

static char golden_folder[64];

static int record_golden(void **state)
{
    (void)state;
    fixture_folder(golden_folder);
    struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 1);
    struct accp_record_request request = fixture_request(runs, FIXTURE_SESSIONS, golden_folder);
    struct accp_record_outcome outcome;
    enum accp_status status = accp_golden_record(&request, &outcome, NULL);
    fixture_sessions_free(runs, FIXTURE_SESSIONS);
    return status != ACCP_STATUS_OK;
}

static int remove_golden(void **state)
{
    (void)state;
    fixture_remove(golden_folder);
    return 0;
}

static void open_scene(struct scene *scene)
{
    struct accp_random random = {77};
    memset(scene, 0, sizeof *scene);
    fixture_run(&scene->run, &random);
    assert_int_equal(accp_golden_find(golden_folder, "optimal", &scene->run, &scene->found, NULL),
                     ACCP_STATUS_OK);
    assert_int_equal(scene->found.answer, ACCP_ANSWER_SKU);
    scene->reference_role = "optimal.chain7.acc1";
}

static void close_scene(struct scene *scene)
{
    accp_run_fini(&scene->run);
    accp_golden_fini(&scene->found.golden);
}

static struct accp_judgement judge(const struct scene *scene)
{
    struct accp_expected expected = {(struct accp_expected_failure *)&scene->failure,
                                     scene->failure_count};
    struct accp_verdict_input input = {
        .runs = &scene->run,
        .run_count = 1,
        .found = &scene->found,
        .expected = &expected,
        .statics = scene->statics,
        .static_count = scene->static_count,
        .today = "2027-01-15",
        .reference_role = scene->reference_role,
        .selected = scene->has_selection ? scene->selected : NULL,
    };
    struct accp_judgement judgement;
    struct accp_error error;
    if (accp_verdict_judge(&input, &judgement, &error) != ACCP_STATUS_OK)
        fail_msg("%s", error.text);
    return judgement;
}

static const struct accp_line *line_of(const struct accp_judgement *judgement, const char *claim)
{
    for (size_t i = 0; i < judgement->line_count; ++i)
        if (strcmp(judgement->lines[i].claim, claim) == 0) return &judgement->lines[i];
    return NULL;
}

static void set_static(struct scene *scene, const char *role, enum accp_static_state state)
{
    struct accp_static *entry = &scene->statics[scene->static_count++];
    strcpy(entry->role, role);
    entry->state = state;
    strcpy(entry->text, "FFMA R16 at 0x1a0");
}

static void all_same(struct scene *scene)
{
    for (size_t i = 0; i < FIXTURE_ROLES; ++i)
        set_static(scene, accp_roles[i].name, ACCP_STATIC_SAME);
}

static void slow(struct scene *scene, const char *role, int warps, double factor)
{
    fixture_scale(&scene->run, 1, role, warps, factor);
}

static void expect_failure(struct scene *scene, const char *claim, const char *expires)
{
    strcpy(scene->failure.claim, claim);
    strcpy(scene->failure.reason, "known");
    strcpy(scene->failure.expires, expires);
    scene->failure_count = 1;
}

/* SCENARIO(name, what it changes) */
#define SCENARIO(name, change) \
    static void name(struct scene *scene) \
    { \
        (void)scene; \
        change; \
    }
#define CYCLES(role, warps) fixture_role(&scene->run, role, warps)->cycles
SCENARIO(nothing, (void)0)
SCENARIO(same_sass, all_same(scene))
SCENARIO(slower, slow(scene, "optimal.chain29.acc16", 8, 1.03))
SCENARIO(slower_by_one_cycle, CYCLES("optimal.chain29.acc16", 4).mean += 1)
SCENARIO(faster_by_one_cycle, CYCLES("optimal.chain29.acc16", 4).mean -= 1)
SCENARIO(slower_same, all_same(scene); slower(scene))
SCENARIO(slower_other, set_static(scene, "optimal.chain29.acc16", ACCP_STATIC_CHANGED);
         slower(scene))
SCENARIO(faster_other, set_static(scene, "optimal.chain29.acc16", ACCP_STATIC_CHANGED);
         slow(scene, "optimal.chain29.acc16", 8, 0.97))
SCENARIO(other_sass, set_static(scene, "optimal.chain29.acc16", ACCP_STATIC_CHANGED))
SCENARIO(renamed, set_static(scene, "optimal.chain29.acc16", ACCP_STATIC_RENAMED))
SCENARIO(renamed_slower, renamed(scene); slower(scene))
static void at_the_edge(struct scene *scene)
{
    const struct accp_golden_level *level =
        accp_golden_level_find(&scene->found.golden, "optimal.chain29.acc16", 8);
    CYCLES("optimal.chain29.acc16", 8).mean = level->mean + level->tolerance;
}
/* The half width just fits into the tolerance, and the least visible effect does not. */
static void blind(struct scene *scene)
{
    for (size_t i = 0; i < scene->found.golden.level_count; ++i) {
        struct accp_golden_level *level = &scene->found.golden.levels[i];
        if (level->warps != 8 || strcmp(level->role, "optimal.chain29.acc16") != 0) continue;
        level->sd = level->tolerance / 4.7;
        CYCLES("optimal.chain29.acc16", 8).mean = level->mean;
    }
}
SCENARIO(structure_lost, set_static(scene, "optimal.chain29.acc16", ACCP_STATIC_LAW_BROKEN))
SCENARIO(structure_lost_and_throttled, structure_lost(scene);
         strcpy(scene->run.device.throttle, "hw-thermal"))
SCENARIO(order_broken, slow(scene, "optimal.chain7.acc3", 8, 1.06))
SCENARIO(peak_lost, slow(scene, "optimal.chain7.acc2", 8, 1.04))
/* The order of chain 29 records acc3 and acc4 as tied, both as peaks: no exchange of them breaks
 * it. */
SCENARIO(tie_exchanged, slow(scene, "optimal.chain29.acc4", 8, 118.4 / 118.6);
         slow(scene, "optimal.chain29.acc3", 8, 118.7 / 118.5))
SCENARIO(tie_opened, slow(scene, "optimal.chain29.acc3", 8, 1.02))
/* Reversed by a tenth of a percent: the level tells, the order cannot. */
SCENARIO(order_within_margin,
         CYCLES("optimal.chain7.acc2", 8).mean = 1.001 * CYCLES("optimal.chain7.acc3", 8).mean)
SCENARIO(growth_broken, slow(scene, "optimal.chain7.acc1", 8, 1.25))
SCENARIO(growth_not_claimed, scene->found.golden.growth_count = 0)
SCENARIO(growth_not_known, scene->found.golden.growth_count = 0; --scene->found.golden.level_count)
/* It breaks the order of chain 13, not the growth. */
SCENARIO(growth_within_margin, slow(scene, "optimal.chain13.acc1", 8, 0.924))
SCENARIO(issue_limit, CYCLES("optimal.chain29.acc3", 8).mean = 57.5)
SCENARIO(at_the_issue_limit, CYCLES("optimal.chain29.acc3", 8).mean = 58)
SCENARIO(not_monotone, CYCLES("optimal.chain29.acc3", 8).mean = 80)
SCENARIO(throttled, strcpy(scene->run.device.throttle, "idle,hw-thermal"))
SCENARIO(throttled_and_slower, throttled(scene); slower(scene))
SCENARIO(busy_and_slower, scene->run.device.other_processes = 1; slower(scene))
SCENARIO(utilized_and_edge, scene->run.device.utilization_percent = 80; at_the_edge(scene))
SCENARIO(drifted_and_faster, scene->run.reference_second = 60;
         slow(scene, "optimal.chain29.acc16", 8, 0.97))
SCENARIO(busy_and_law, scene->run.device.other_processes = 1; not_monotone(scene))
SCENARIO(reference_moved, all_same(scene); slow(scene, "optimal.chain7.acc1", 4, 60.0 / 59);
         slower(scene))
/* With other SASS the reference role is no null control: it is accused like any other. */
SCENARIO(reference_moved_other_sass, set_static(scene, "optimal.chain7.acc1", ACCP_STATIC_CHANGED);
         slow(scene, "optimal.chain7.acc1", 4, 60.0 / 59))
SCENARIO(no_samples, CYCLES("optimal.chain29.acc16", 8) = (struct accp_cycles){0})
static void no_samples_at_all(struct scene *scene)
{
    for (size_t i = 0; i < scene->run.role_count; ++i)
        scene->run.roles[i].cycles = (struct accp_cycles){0};
}
/* The last two rows: chain29.acc16 at 4 and at 8 warps. */
SCENARIO(role_missing, scene->run.role_count -= 2)
SCENARIO(one_warp_count_missing, --scene->run.role_count)
static void only_selected(struct scene *scene)
{
    size_t kept = 0;
    for (size_t i = 0; i < scene->run.role_count; ++i)
        if (strcmp(scene->run.roles[i].role, "optimal.chain29.acc2") == 0)
            scene->run.roles[kept++] = scene->run.roles[i];
    scene->run.role_count = kept;
    scene->has_selection = true;
    scene->selected[ACCP_ROLE_optimal_chain29_acc2] = true;
}
SCENARIO(arch_answers, scene->found.answer = ACCP_ANSWER_ARCH)
SCENARIO(arch_answers_slower, arch_answers(scene); slower(scene))
SCENARIO(arch_answers_peak_lost, arch_answers(scene); peak_lost(scene))
SCENARIO(laws_answer, scene->found.answer = ACCP_ANSWER_LAWS)
SCENARIO(arch_unsaid, laws_answer(scene); scene->run.device.arch[0] = 0)
SCENARIO(laws_answer_broken, laws_answer(scene); issue_limit(scene))
SCENARIO(laws_answer_other_sass, laws_answer(scene); other_sass(scene))
SCENARIO(other_protocol, scene->run.protocol.budget_cycles = 10000)
SCENARIO(row_missing, --scene->found.golden.level_count)
SCENARIO(expected_and_fails, expect_failure(scene, "optimal.chain29.acc16.level@8", "2027-01-15");
         slower(scene))
SCENARIO(expected_and_passes, expect_failure(scene, "optimal.chain29.acc16.level@8", "2027-03-31"))
SCENARIO(expected_and_expired, expect_failure(scene, "optimal.chain29.acc16.level@8", "2027-01-14");
         slower(scene))
SCENARIO(expected_elsewhere, expect_failure(scene, "optimal.chain29.acc16.level@4", "2027-03-31");
         slower(scene); slow(scene, "optimal.chain29.acc16", 4, 1.02))
SCENARIO(expected_and_busy, expect_failure(scene, "optimal.chain29.acc16.level@8", "2027-03-31");
         busy_and_slower(scene))

#define LEVEL "optimal.chain29.acc16.level@8"
#define EXACT "optimal.chain29.acc16.level@4"

static const struct {
    const char *name;
    void (*change)(struct scene *scene);
    enum accp_verdict verdict;
    const char *claim;
    enum accp_verdict line_verdict;
    enum accp_reason reason;
} cases[] = {
#define CASE(change, verdict, claim, line_verdict, reason) \
    {#change, \
     change, \
     ACCP_VERDICT_##verdict, \
     claim, \
     ACCP_VERDICT_##line_verdict, \
     ACCP_REASON_##reason},
#include "verdict_cases.def"
};

static void test_cases(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct scene scene;
        open_scene(&scene);
        cases[i].change(&scene);
        struct accp_judgement judgement = judge(&scene);
        const struct accp_line *line = line_of(&judgement, cases[i].claim);
        if (!line || line->verdict != cases[i].line_verdict || line->reason != cases[i].reason ||
            judgement.verdict != cases[i].verdict) {
            ++wrong;
            print_error("%s: %s in all; %s: %s %s: %s\n", cases[i].name,
                        accp_verdict_name(judgement.verdict), cases[i].claim,
                        line ? accp_verdict_name(line->verdict) : "no line",
                        line ? accp_reason_name(line->reason) : "", line ? line->text : "");
            for (size_t j = 0; j < judgement.line_count; ++j)
                if (judgement.lines[j].verdict == judgement.verdict &&
                    judgement.verdict > ACCP_VERDICT_PASS)
                    print_error("    %s: %s\n", judgement.lines[j].claim, judgement.lines[j].text);
        }
        accp_judgement_fini(&judgement);
        close_scene(&scene);
    }
    assert_int_equal(wrong, 0);
}

static void test_exit_statuses(void **state)
{
    (void)state;
    assert_int_equal(accp_verdict_exit(ACCP_VERDICT_PASS), 0);
    assert_int_equal(accp_verdict_exit(ACCP_VERDICT_FAIL), 1);
    assert_int_equal(accp_verdict_exit(ACCP_VERDICT_WIN), 2);
    assert_int_equal(accp_verdict_exit(ACCP_VERDICT_DRIFT), 2);
    assert_int_equal(accp_verdict_exit(ACCP_VERDICT_INCONCLUSIVE), 3);
    assert_int_equal(accp_verdict_exit(ACCP_VERDICT_ENVIRONMENT), 3);
    assert_int_equal(accp_verdict_exit(ACCP_VERDICT_SKIP), 77);
    struct accp_judgement judgement = {0};
    accp_judgement_conclude(&judgement);
    assert_int_equal(judgement.verdict, ACCP_VERDICT_SKIP);
}

/* Every role of the table is judged at both numbers of warps, and a line says all that a person
 * needs to act on it. */
static void test_lines_are_complete(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    set_static(&scene, "optimal.chain29.acc16", ACCP_STATIC_CHANGED);
    slower(&scene);
    struct accp_judgement judgement = judge(&scene);
    assert_int_equal(judgement.roles_judged, 2 * FIXTURE_ROLES);
    for (size_t i = 0; i < judgement.line_count; ++i) {
        const struct accp_line *line = &judgement.lines[i];
        for (size_t j = 0; j < i; ++j)
            assert_string_not_equal(line->claim, judgement.lines[j].claim);
        assert_true(line->text[0] && line->repeat[0] && line->golden[0] && line->unit);
        assert_null(strchr(line->text, '\n'));
        assert_true(line->processes == 1 || strstr(line->claim, "coverage") ||
                    strstr(line->claim, "structure"));
    }
    const struct accp_line *line = line_of(&judgement, LEVEL);
    assert_true(fabs(line->change - 0.03) < 0.002);
    assert_true(line->change_low < line->change && line->change < line->change_high);
    assert_true(line->least_visible > 0 && line->least_visible < 0.005);
    assert_true(line->low < line->high && line->value > line->high);
    assert_int_equal(line->samples, 1056);
    assert_int_equal(line->answer, ACCP_ANSWER_SKU);
    assert_string_equal(line->golden, "sm_90-132sm-140gib-10de.2335");
    assert_string_equal(line->repeat, "accprobe gate --filter '^optimal\\.chain29\\.acc16$'");
    assert_non_null(strstr(line->text, "first difference: FFMA R16 at 0x1a0"));
    assert_string_equal(line_of(&judgement, "optimal.chain29.peak@8")->repeat,
                        "accprobe gate --filter '^optimal\\.chain29\\.'");
    accp_judgement_fini(&judgement);
    close_scene(&scene);
}

/* The claims of a part are those that the part can answer. */
static void test_a_selection_claims_only_itself(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    only_selected(&scene);
    struct accp_judgement judgement = judge(&scene);
    assert_null(line_of(&judgement, "optimal.chain29.order@8"));
    assert_null(line_of(&judgement, "optimal.gap_growth@8"));
    assert_non_null(line_of(&judgement, "optimal.chain29.acc2.level@8"));
    assert_int_equal(judgement.roles_judged, 2);
    accp_judgement_fini(&judgement);
    close_scene(&scene);
}

/* Processes that each measured one chain are judged together; of several processes of one role the
 * mean counts. */
static void test_processes_are_brought_together(void **state)
{
    (void)state;
    struct accp_run *runs = fixture_sessions(3, 5);
    static const int chains[] = {7, 13, 29};
    for (size_t i = 0; i < 3; ++i) {
        size_t kept = 0;
        for (size_t j = 0; j < runs[i].role_count; ++j)
            if (runs[i].roles[j].chain == chains[i]) runs[i].roles[kept++] = runs[i].roles[j];
        runs[i].role_count = kept;
    }
    struct scene scene;
    open_scene(&scene);
    struct accp_verdict_input input = {
        .runs = runs, .run_count = 3, .found = &scene.found, .today = "2027-01-15"};
    struct accp_judgement judgement;
    assert_int_equal(accp_verdict_judge(&input, &judgement, NULL), ACCP_STATUS_OK);
    assert_int_equal(judgement.verdict, ACCP_VERDICT_PASS);
    assert_int_equal(judgement.roles_judged, 2 * FIXTURE_ROLES);
    assert_non_null(line_of(&judgement, "optimal.gap_growth@8"));
    accp_judgement_fini(&judgement);
    struct accp_error error;
    strcpy(runs[1].device.arch, "sm_100");
    assert_int_equal(accp_verdict_judge(&input, &judgement, &error), ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "different arches"));
    assert_null(judgement.lines);
    input.run_count = 0;
    assert_int_equal(accp_verdict_judge(&input, &judgement, &error), ACCP_STATUS_USAGE);
    close_scene(&scene);
    fixture_sessions_free(runs, 3);
}

static void test_more_processes_see_more(void **state)
{
    (void)state;
    struct accp_run *runs = fixture_sessions(8, 6);
    struct scene scene;
    open_scene(&scene);
    struct accp_verdict_input input = {.runs = runs, .found = &scene.found, .today = "2027-01-15"};
    double before = INFINITY;
    for (size_t count = 1; count <= 8; count *= 2) {
        struct accp_judgement judgement;
        input.run_count = count;
        assert_int_equal(accp_verdict_judge(&input, &judgement, NULL), ACCP_STATUS_OK);
        const struct accp_line *line = line_of(&judgement, LEVEL);
        assert_int_equal(line->processes, count);
        assert_true(line->least_visible < before);
        before = line->least_visible;
        accp_judgement_fini(&judgement);
    }
    close_scene(&scene);
    fixture_sessions_free(runs, 8);
}

static void test_issue_limit(void **state)
{
    (void)state;
    assert_true(accp_law_issue_limit("sm_90", 29, 8) == 58);
    assert_true(accp_law_issue_limit("sm_90", 29, 4) == 29);
    assert_true(accp_law_issue_limit("sm_90", 29, 1) == 29);
    assert_true(accp_law_issue_limit("sm_80", 29, 8) == 116);
    assert_true(accp_law_issue_limit("sm_90", 29, 16) == 116);
    assert_true(accp_law_issue_limit("", 29, 8) == 0);
    assert_true(accp_law_issue_limit("sm_90", 0, 8) == 0);
}

/* Of chains whose whole tail goes to one accumulator the one of 13 is deeper than the one of 29 over
 * 7 accumulators (7 links and 5), and less deep over 3 (5 and 11): the law speaks of the second. */
static const struct {
    const char *shorter, *longer;
    bool spoken_of;
} depths[] = {
    {"tail.chain13.acc7.front", "tail.chain29.acc7.front", false},
    {"tail.chain13.acc3.front", "tail.chain29.acc3.front", true},
    {"tail.chain13.acc7", "tail.chain29.acc7", true},
};

static void test_a_deeper_chain_may_cost_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof depths / sizeof *depths; ++i) {
        const char *const names[] = {depths[i].shorter, depths[i].longer};
        struct accp_run run;
        struct accp_summary summary;
        struct accp_law_finding finding;
        accp_run_init(&run);
        for (int j = 0; j < 2; ++j) {
            struct accp_run_role *role;
            assert_int_equal(accp_run_append(&run, &role, NULL), ACCP_STATUS_OK);
            const struct accp_role *known = accp_role_find(names[j]);
            strcpy(role->role, known->name);
            role->chain = known->chain;
            role->acc = known->acc;
            role->warps = 4;
            role->cycles = (struct accp_cycles){.mean = 93 - 3 * j, .min = 90, .max = 93, .n = 1};
        }
        assert_int_equal(accp_summary_init(&summary, &run, 1, NULL), ACCP_STATUS_OK);
        bool applies = accp_law_apply(ACCP_LAW_CHAIN_MONOTONE, &summary,
                                      accp_summary_find(&summary, names[1], 4), &finding);
        assert_int_equal(applies, depths[i].spoken_of);
        if (applies) assert_true(finding.broken && finding.other->chain == 13);
        accp_summary_fini(&summary);
        accp_run_fini(&run);
    }
}

/* A stranger's kernel has a level line and no claims; it needs no golden and breaks no law. */
static void test_a_strangers_kernel(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    scene.run.role_count = 1;
    strcpy(scene.run.roles[0].role, "my_kernel");
    strcpy(scene.run.roles[0].kernel, "my_kernel");
    scene.run.roles[0].chain = scene.run.roles[0].acc = scene.run.roles[0].effective = 0;
    struct accp_judgement judgement = judge(&scene);
    assert_int_equal(judgement.line_count, 1);
    assert_int_equal(judgement.lines[0].reason, ACCP_REASON_NO_ROW);
    assert_int_equal(judgement.verdict, ACCP_VERDICT_NO_GOLDEN);
    accp_judgement_fini(&judgement);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_exit_statuses),
        cmocka_unit_test(test_lines_are_complete),
        cmocka_unit_test(test_a_selection_claims_only_itself),
        cmocka_unit_test(test_processes_are_brought_together),
        cmocka_unit_test(test_more_processes_see_more),
        cmocka_unit_test(test_issue_limit),
        cmocka_unit_test(test_a_deeper_chain_may_cost_more),
        cmocka_unit_test(test_a_strangers_kernel),
    };
    return cmocka_run_group_tests(tests, record_golden, remove_golden) ? 1 : 0;
}
