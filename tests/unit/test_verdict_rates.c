/* The gate's own rates of false alarm and detection, by simulation: sessions are drawn from a
 * normal, a golden is derived from them as `record` does, and fresh processes are judged by it. */
#include "golden/derive.h"
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

enum { LINES = 48, GOLDENS = 500, GATES_A_GOLDEN = 200 };

static double normal(struct accp_random *random)
{
    return accp_statistics_normal_quantile(fixture_uniform(random));
}

/* A golden row from `sessions` draws, with the least tolerance that `record` would ever give: so
 * that the noise and not ACCP_LEVEL_TOLERANCE_LEAST decides. */
static struct accp_level draw_golden(struct accp_random *random, size_t sessions, double mean,
                                     double sd, struct accp_confidence *confidence)
{
    double values[64];
    assert_true(sessions <= 64);
    for (size_t i = 0; i < sessions; ++i)
        values[i] = mean + sd * normal(random);
    struct accp_spread spread = accp_statistics_spread(values, sessions);
    struct accp_level level = {
        .mean = spread.mean, .sd = spread.sd, .sessions = sessions, .processes = 1};
    level.tolerance = 2 * accp_level_half_width(level.sd, sessions, confidence);
    return level;
}

/* How many of the gates of LINES lines have a line that is not `wanted`, when every line moved by
 * `shift` tolerances and `half_widths` half widths. */
static size_t gates_that_differ(size_t sessions, double shift, double half_widths,
                                bool unwanted_only, uint64_t seed)
{
    struct accp_random random = {seed};
    struct accp_confidence confidence = accp_confidence_of(ACCP_FALSE_ALARM_RATE, LINES);
    size_t differ = 0;
    for (int i = 0; i < GOLDENS; ++i) {
        struct accp_level lines[LINES];
        for (int j = 0; j < LINES; ++j)
            lines[j] = draw_golden(&random, sessions, 100, 0.05, &confidence);
        for (int gate = 0; gate < GATES_A_GOLDEN; ++gate) {
            bool differs = false;
            for (int j = 0; j < LINES; ++j) {
                double half = lines[j].tolerance / 2;
                lines[j].run_mean =
                    100 + shift * lines[j].tolerance + half_widths * half + 0.05 * normal(&random);
                enum accp_level_result result = accp_level_judge(&lines[j], &confidence).result;
                differs |= unwanted_only
                               ? result == ACCP_LEVEL_SLOWER || result == ACCP_LEVEL_FASTER
                               : result != ACCP_LEVEL_INSIDE;
            }
            differ += differs;
        }
    }
    return differ;
}

/* Three standard errors of a rate that is `rate`, over all gates. The gates of one golden depend on
 * each other, so the goldens count, not the gates: sqrt(rate / GOLDENS) is an upper bound of the
 * standard error. */
static double allowed(double rate)
{
    return rate + 3 * sqrt(rate / GOLDENS);
}

/* 100,000 gates of 48 lines with no change: the stated rate bounds everything that is no PASS. */
static void test_false_alarms_stay_under_the_stated_rate(void **state)
{
    (void)state;
    static const size_t sessions[] = {10, 30};
    for (size_t i = 0; i < 2; ++i) {
        size_t alarms = gates_that_differ(sessions[i], 0, 0, false, 2026 + i);
        double rate = (double)alarms / (GOLDENS * GATES_A_GOLDEN);
        printf("%zu sessions: %zu of %d unchanged gates did not pass: %.3f %%, stated %.1f %%\n",
               sessions[i], alarms, GOLDENS * GATES_A_GOLDEN, 100 * rate,
               100 * ACCP_FALSE_ALARM_RATE);
        assert_true(rate <= allowed(ACCP_FALSE_ALARM_RATE));
        assert_true(rate > ACCP_FALSE_ALARM_RATE / 5); /* not bought by a gate that sees nothing */
    }
}

/* Changes of up to the tolerance are no regressions: FAIL and WIN stay rare even at its very edge.
 */
static void test_accusations_stay_rare_at_the_edge(void **state)
{
    (void)state;
    size_t accusations = gates_that_differ(30, 1, 0, true, 3026);
    double rate = (double)accusations / (GOLDENS * GATES_A_GOLDEN);
    printf("at the edge of the tolerance %.3f %% of the gates accuse\n", 100 * rate);
    assert_true(rate <= allowed(ACCP_FALSE_ALARM_RATE / 2));
}

/* Share of `count` gates of one line, moved by `shift` cycles, that are FAIL. */
static double power(size_t sessions, double tolerances, double half_widths, int count,
                    uint64_t seed)
{
    struct accp_random random = {seed};
    struct accp_confidence confidence = accp_confidence_of(ACCP_FALSE_ALARM_RATE, LINES);
    int found = 0;
    for (int i = 0; i < count; ++i) {
        struct accp_level line = draw_golden(&random, sessions, 100, 0.05, &confidence);
        double half = line.tolerance / 2;
        line.run_mean =
            100 + tolerances * line.tolerance + half_widths * half + 0.05 * normal(&random);
        found += accp_level_judge(&line, &confidence).result == ACCP_LEVEL_SLOWER;
    }
    return (double)found / count;
}

/* statistics.h: a change of tolerance + 2h is found with a probability above 1 - a/2; of tolerance
 * + h, in half of all cases, as symmetry demands. */
static void test_detection_has_the_stated_power(void **state)
{
    (void)state;
    double rate = ACCP_FALSE_ALARM_RATE / LINES / 2;
    double sure = power(30, 1, 2, 100000, 4026), even = power(30, 1, 1, 100000, 5026);
    printf("tolerance + 2h: %.4f %% found; tolerance + h: %.2f %%\n", 100 * sure, 100 * even);
    assert_true(1 - sure <= rate + 3 * sqrt(rate / 100000));
    assert_true(fabs(even - 0.5) < 0.01);
}

/* At one warp a scheduler a whole cycle is always found, and nothing less than a quarter ever
 * accused. */
static void test_whole_cycles_are_always_found(void **state)
{
    (void)state;
    struct accp_confidence confidence = accp_confidence_of(ACCP_FALSE_ALARM_RATE, LINES);
    for (int cycles = 20; cycles < 2000; ++cycles) {
        struct accp_level line = {.mean = cycles,
                                  .sd = accp_statistics_floor(0, accp_statistics_quantum(cycles)),
                                  .sessions = 10,
                                  .tolerance = ACCP_EXACT_TOLERANCE_CYCLES,
                                  .processes = 1};
        static const double shifts[] = {0, 0.2, -0.2, 1, -1};
        static const enum accp_level_result wanted[] = {ACCP_LEVEL_INSIDE, ACCP_LEVEL_INSIDE,
                                                        ACCP_LEVEL_INSIDE, ACCP_LEVEL_SLOWER,
                                                        ACCP_LEVEL_FASTER};
        for (int i = 0; i < 5; ++i) {
            line.run_mean = cycles + shifts[i];
            assert_int_equal(accp_level_judge(&line, &confidence).result, wanted[i]);
        }
    }
}

/* The whole judgement, with its orders, peaks, gaps and laws: unchanged processes against recorded
 * goldens. */
static void test_whole_judgements_stay_under_the_stated_rate(void **state)
{
    (void)state;
    enum { WHOLE_GOLDENS = 40, WHOLE_GATES = 50 };
    size_t alarms = 0;
    for (uint64_t i = 0; i < WHOLE_GOLDENS; ++i) {
        char folder[64];
        fixture_folder(folder);
        struct accp_run *runs = fixture_sessions(FIXTURE_SESSIONS, 6026 + i);
        struct accp_record_request request = fixture_request(runs, FIXTURE_SESSIONS, folder);
        struct accp_record_outcome outcome;
        struct accp_golden_found found;
        assert_int_equal(accp_golden_record(&request, &outcome, NULL), ACCP_STATUS_OK);
        assert_int_equal(accp_golden_find(folder, "optimal", runs, &found, NULL), ACCP_STATUS_OK);
        struct accp_random random = {7026 + i};
        for (int gate = 0; gate < WHOLE_GATES; ++gate) {
            struct accp_run run;
            struct accp_judgement judgement;
            fixture_run(&run, &random);
            const struct accp_verdict_input input = {
                .runs = &run, .run_count = 1, .found = &found, .today = "2026-01-02"};
            assert_int_equal(accp_verdict_judge(&input, &judgement, NULL), ACCP_STATUS_OK);
            alarms += judgement.verdict != ACCP_VERDICT_PASS;
            accp_judgement_fini(&judgement);
            accp_run_fini(&run);
        }
        accp_golden_fini(&found.golden);
        fixture_sessions_free(runs, FIXTURE_SESSIONS);
        fixture_remove(folder);
    }
    double rate = (double)alarms / (WHOLE_GOLDENS * WHOLE_GATES);
    printf("%zu of %d whole gates did not pass\n", alarms, WHOLE_GOLDENS * WHOLE_GATES);
    assert_true(rate <= ACCP_FALSE_ALARM_RATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_false_alarms_stay_under_the_stated_rate),
        cmocka_unit_test(test_accusations_stay_rare_at_the_edge),
        cmocka_unit_test(test_detection_has_the_stated_power),
        cmocka_unit_test(test_whole_cycles_are_always_found),
        cmocka_unit_test(test_whole_judgements_stay_under_the_stated_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
