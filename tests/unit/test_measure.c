#include "measure/measure.h"
#include "measure/reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

static void test_sample_is_free_of_the_entry(void **state)
{
    (void)state;
    const struct accp_parameters three = {.phases = ACCP_PHASES}, one = {.phases = 1};
    struct accp_record record = {.elapsed_cycles = 53 + 68 * 700,
                                 .iterations = 700,
                                 .short_cycles = 53 + 68 * 30,
                                 .short_iterations = 30};
    assert_true(accp_measure_sample(&three, &record) == 68.0);
    record.short_cycles = record.short_iterations = 0;
    record.elapsed_cycles = 7000;
    assert_true(accp_measure_sample(&one, &record) == 10.0);
}

/* A warp that never ran, or whose measured phase was no longer than the short one, gives no sample.
 */
static void test_no_sample_is_zero(void **state)
{
    (void)state;
    const struct accp_parameters three = {.phases = ACCP_PHASES}, one = {.phases = 1};
    const struct accp_record empty = {0}, equal = {100, 5, 90, 5}, backwards = {80, 9, 90, 5};
    assert_true(accp_measure_sample(&one, &empty) == 0);
    assert_true(accp_measure_sample(&three, &empty) == 0);
    assert_true(accp_measure_sample(&three, &equal) == 0);
    assert_true(accp_measure_sample(&three, &backwards) == 0);
}

static void test_summary(void **state)
{
    (void)state;
    double samples[] = {84, 74, 0, 74.2, 73.8, 0, 84};
    struct accp_cycles cycles;
    double progress;
    assert_int_equal(accp_measure_summarise(samples, 7, &cycles, &progress, NULL), ACCP_STATUS_OK);
    assert_int_equal(cycles.n, 5);
    assert_true(cycles.min == 73.8 && cycles.max == 84);
    assert_true(fabs(cycles.mean - 78) < 1e-12);
    assert_int_equal(cycles.mode_count, 2);
    assert_true(cycles.modes[0].cycles == 74 && fabs(cycles.modes[0].weight - 0.6) < 1e-12);
    assert_true(cycles.modes[1].cycles == 84 && fabs(cycles.modes[1].weight - 0.4) < 1e-12);
    double expected = 1e7 / 5 * (2 / 84.0 + 1 / 74.0 + 1 / 74.2 + 1 / 73.8);
    assert_true(fabs(progress - expected) < 1e-6);
}

static void test_summary_of_nothing(void **state)
{
    (void)state;
    double samples[] = {0, 0};
    struct accp_cycles cycles;
    double progress;
    assert_int_equal(accp_measure_summarise(samples, 2, &cycles, &progress, NULL), ACCP_STATUS_OK);
    assert_int_equal(cycles.n, 0);
    assert_int_equal(cycles.mode_count, 0);
    assert_int_equal(accp_measure_summarise(samples, 0, &cycles, &progress, NULL), ACCP_STATUS_OK);
    assert_int_equal(cycles.n, 0);
}

static void test_samples_no_clock_gave(void **state)
{
    (void)state;
    double samples[] = {1, 4e9};
    struct accp_cycles cycles;
    struct accp_error error;
    double progress;
    assert_int_equal(accp_measure_summarise(samples, 2, &cycles, &progress, &error),
                     ACCP_STATUS_DEVICE);
}

/* More modes than a run keeps: the heaviest stay, in order. */
static void test_heaviest_modes_stay(void **state)
{
    (void)state;
    double samples[ACCP_RUN_MODES * 3];
    size_t count = 0;
    for (int mode = 0; mode < ACCP_RUN_MODES + 4; ++mode)
        for (int i = 0; i < (mode % 2 ? 1 : 3) && count < sizeof samples / sizeof *samples; ++i)
            samples[count++] = 100 + mode;
    struct accp_cycles cycles;
    double progress;
    assert_int_equal(accp_measure_summarise(samples, count, &cycles, &progress, NULL),
                     ACCP_STATUS_OK);
    assert_int_equal(cycles.mode_count, ACCP_RUN_MODES);
    for (size_t i = 1; i < cycles.mode_count; ++i)
        assert_true(cycles.modes[i - 1].weight >= cycles.modes[i].weight);
    assert_true(cycles.modes[0].cycles == 100 && cycles.modes[1].cycles == 102);
}

/* The oracle itself, against numbers worked out by hand: 3 links over 2 accumulators. */
static void test_reference(void **state)
{
    (void)state;
    struct accp_reference_lane lane = {.multiplier = 2, .addend = 1, .sink = 3, .start = {10, 20}};
    /* acc0 = 2*3+10 = 16, then 2*16+1 = 33; acc1 = 2*3+20 = 26; sink = 3+33+26 */
    assert_true(accp_reference_iteration(&lane, 3, 2, lane.sink) == 62.0f);
    assert_true(accp_reference_iteration_double(&lane, 3, 2, 3.0) == 62.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample_is_free_of_the_entry),
        cmocka_unit_test(test_no_sample_is_zero),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_summary_of_nothing),
        cmocka_unit_test(test_samples_no_clock_gave),
        cmocka_unit_test(test_heaviest_modes_stay),
        cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
