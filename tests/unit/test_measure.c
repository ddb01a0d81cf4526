#include "measure/measure.h"
#include "measure/reference.h"
#include "measure/selectors.h"
#include "measure/summariser.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

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

/* A mode is the nearest whole number, also of samples too far apart to be counted together. */
static void test_modes_are_the_nearest_whole_numbers(void **state)
{
    (void)state;
    double samples[] = {9000, 73.5, 74.49999, 74.5, 0.25, 100000.5}, progress;
    const double wholes[] = {74, 75, 9000, 0};
    for (size_t count = 4; count <= 6; ++count) { /* the sixth is far from all others */
        struct accp_cycles cycles;
        assert_int_equal(accp_measure_summarise(samples + (count == 4), count - (count == 4),
                                                &cycles, &progress, NULL),
                         ACCP_STATUS_OK);
        assert_int_equal(cycles.mode_count, count == 4 ? 2 : count - 1);
        for (size_t i = 0; i < cycles.mode_count && count == 4; ++i)
            assert_true(cycles.modes[i].cycles == wholes[i]);
        assert_true(cycles.modes[0].cycles == 74 &&
                    cycles.modes[0].weight > 1.9 / (double)cycles.n);
        assert_true(cycles.modes[cycles.mode_count - 1].cycles == (count == 4   ? 75
                                                                   : count == 5 ? 9000
                                                                                : 100001));
    }
}

static void fill_job(struct accp_summariser_job *job, size_t number,
                     const struct accp_measure_kernel *kernel, struct accp_summary *summary)
{
    job->count = 100;
    job->phases = 1;
    job->kernels = kernel;
    job->summaries = summary;
    job->kernel_count = 1;
    for (size_t i = 0; i < job->count; ++i)
        job->records[i] =
            (struct accp_record){.elapsed_cycles = (unsigned)(10 * (number + 1)), .iterations = 10};
}

/* More jobs than there are slots, each with its own answer; a failure is the first one's. */
static void test_summariser(void **state)
{
    (void)state;
    enum { JOBS = 300 };
    const struct accp_measure_kernel kernel = {"stranger", NULL};
    static struct accp_summary summaries[JOBS];
    for (int failing = 0; failing < 2; ++failing) {
        struct accp_summariser *summariser;
        struct accp_error error = {.code = ACCP_STATUS_OK};
        assert_int_equal(accp_summariser_create(100, false, failing ? 64 : 2, &summariser, &error),
                         ACCP_STATUS_OK);
        for (size_t i = 0; i < JOBS; ++i) {
            struct accp_summariser_job *job = accp_summariser_begin(summariser);
            fill_job(job, i, &kernel, &summaries[i]);
            if (failing && i >= 40)
                job->records[3].elapsed_cycles = (unsigned)(2000000000 + 10000000 * (i - 40));
            accp_summariser_submit(summariser);
        }
        assert_int_equal(accp_summariser_finish(summariser, &error),
                         failing ? ACCP_STATUS_DEVICE : ACCP_STATUS_OK);
        if (failing) assert_non_null(strstr(error.text, "41 and 2e+08 cycles"));
        for (size_t i = 0; i < (failing ? 40 : JOBS); ++i)
            assert_true(summaries[i].cycles.mean == (double)(i + 1) &&
                        summaries[i].cycles.n == 100);
        accp_summariser_destroy(summariser);
    }
    accp_summariser_destroy(NULL);
}

/* Of a mixed launch's warps, those that ran the role. */
static void test_gathers_the_role_s_own(void **state)
{
    (void)state;
    const struct accp_parameters one = {.phases = 1};
    const struct accp_record records[] = {{20, 2, 0, 0}, {60, 2, 0, 0}, {80, 2, 0, 0}};
    const uint8_t selectors[] = {2, 3, 2};
    double samples[3];
    const struct accp_role *mixed = accp_role_find("mixed.chain13.acc2");
    assert_int_equal(accp_measure_gather(&one, records, selectors, 3, mixed, samples), 2);
    assert_true(samples[0] == 10 && samples[1] == 40);
    assert_int_equal(accp_measure_gather(&one, records, selectors, 3, NULL, samples), 3);
    assert_int_equal(accp_measure_gather(&one, records, NULL, 3, mixed, samples), 3);
}

static struct accp_record taking(unsigned cycles)
{
    return (struct accp_record){.elapsed_cycles = cycles, .iterations = 1};
}

/* Two blocks of nine warps, of which 0, 4 and 8 share a scheduler, and 1 and 5 one. */
static void test_warps_of_mixed_launches(void **state)
{
    (void)state;
    const struct accp_parameters one = {.phases = 1};
    const uint8_t selectors[18] = {2, 3, 4, 5, 7, 2, 8, 16, 3, 3, 2, 4, 5, 7, 8, 2, 16, 2};
    struct accp_record records[18];
    struct accp_run_mix mix = {.warps = 9}, *mixes[ACCP_SELECTORS] = {[2] = &mix};
    for (unsigned i = 0; i < 18; ++i)
        records[i] = taking(100 + i);
    records[15] = taking(0); /* its warp 6 gave no sample */
    assert_int_equal(accp_measure_mix(&one, records, selectors, 18, 9, mixes, NULL),
                     ACCP_STATUS_OK);
    /* It ran on warps 0 and 5 of the first block, and on 1, 6 and 8 of the second. */
    static const struct accp_run_part by_warp[] = {
        {0, 1, 100}, {1, 1, 110}, {5, 1, 105}, {8, 1, 117}};
    /* Warp 0 beside 7 and 3; 5 beside 3; then 1 beside 8; 8 beside 3 and 7. */
    static const struct accp_run_part beside[] = {
        {3, 3, (100 + 105 + 117) / 3.0}, {7, 2, (100 + 117) / 2.0}, {8, 1, 110}};
    assert_int_equal(mix.by_warp_count, 4);
    assert_int_equal(mix.beside_count, 3);
    for (size_t i = 0; i < 4; ++i)
        assert_true(mix.by_warp[i].key == by_warp[i].key && mix.by_warp[i].n == by_warp[i].n &&
                    mix.by_warp[i].mean == by_warp[i].mean);
    for (size_t i = 0; i < 3; ++i)
        assert_true(mix.beside[i].key == beside[i].key && mix.beside[i].n == beside[i].n &&
                    fabs(mix.beside[i].mean - beside[i].mean) < 1e-9);
}

static double reference(enum accp_sink sink, enum accp_placement placement, int chain,
                        int effective, int iterations)
{
    const struct accp_role role = {
        .chain = chain, .effective = effective, .sink = sink, .placement = placement};
    const struct accp_reference_lane lane = {
        .multiplier = 2, .addend = 1, .sink = 3, .start = {10, 20, 30, 40}};
    struct accp_reference_work work;
    struct accp_reference_float single;
    struct accp_reference_double wide;
    accp_reference_work_init(&work, &role);
    accp_reference_float_begin(&lane, &single);
    accp_reference_double_begin(&lane, &wide);
    for (int i = 0; i < iterations; ++i) {
        accp_reference_float_iterate(&work, &lane, &single);
        accp_reference_double_iterate(&work, &lane, &wide);
    }
    const double result = accp_reference_double_result(&work, &wide);
    assert_true((double)accp_reference_float_result(&work, &single) == result);
    return result;
}

/* The oracle itself, against numbers worked out by hand. */
static void test_reference_of_sinks(void **state)
{
    (void)state;
    /* acc0 = 2*3+10 = 16, then 2*16+1 = 33; acc1 = 2*3+20 = 26; sink = 3+33+26 */
    assert_true(reference(ACCP_SINK_FULL, ACCP_PLACEMENT_ROUND_ROBIN, 3, 2, 1) == 62);
    /* then acc0 = 134, 269; acc1 = 144; sink = 62+269+144 */
    assert_true(reference(ACCP_SINK_FULL, ACCP_PLACEMENT_ROUND_ROBIN, 3, 2, 2) == 475);
    /* as the first, sink = 3+33 and acc1 = 26; then acc0 = 2*36+10, 165; acc1 = 2*36+26 = 98;
     * sink = 36+165, and + 98 after the loop */
    assert_true(reference(ACCP_SINK_ONE, ACCP_PLACEMENT_ROUND_ROBIN, 3, 2, 1) == 62);
    assert_true(reference(ACCP_SINK_ONE, ACCP_PLACEMENT_ROUND_ROBIN, 3, 2, 2) == 299);
    /* acc0 = 33, acc1 = 26; then acc0 = 2*3+33 = 39, 79; acc1 = 2*3+26 = 32; 3 + 79 + 32 */
    assert_true(reference(ACCP_SINK_CARRIED, ACCP_PLACEMENT_ROUND_ROBIN, 3, 2, 2) == 114);
    assert_true(reference(ACCP_SINK_STORE, ACCP_PLACEMENT_ROUND_ROBIN, 3, 2, 2) == 114);
}

static void test_reference_of_placements(void **state)
{
    (void)state;
    /* Firsts 16, 26, 36; a further link makes x of it 2x+1. */
    assert_true(reference(ACCP_SINK_FULL, ACCP_PLACEMENT_ROUND_ROBIN, 5, 3, 1) == 3 + 33 + 53 + 36);
    assert_true(reference(ACCP_SINK_FULL, ACCP_PLACEMENT_BLOCKED, 5, 3, 1) == 3 + 33 + 53 + 36);
    assert_true(reference(ACCP_SINK_FULL, ACCP_PLACEMENT_FRONT, 5, 3, 1) == 3 + 67 + 26 + 36);
    assert_true(reference(ACCP_SINK_FULL, ACCP_PLACEMENT_BACK, 5, 3, 1) == 3 + 16 + 26 + 147);
    assert_true(reference(ACCP_SINK_FULL, ACCP_PLACEMENT_HALVES, 7, 3, 1) == 3 + 135 + 53 + 36);
    /* Four leaves 16, 26, 36, 46 and one more link 33; joined: 2*33+26, 2*36+46, 2*92+118. */
    assert_true(reference(ACCP_SINK_FULL, ACCP_PLACEMENT_TREE, 8, 4, 1) == 3 + 302);
    /* Three leaves 16, 26, 36 and a link each more for two of them: 33, 53; 2*33+53, 2*119+36. */
    assert_true(reference(ACCP_SINK_FULL, ACCP_PLACEMENT_TREE, 7, 3, 1) == 3 + 274);
    /* acc0 = 2*16+26 = 58, acc1 = 2*26+36 = 88, acc2 = 2*36+58 */
    assert_true(reference(ACCP_SINK_FULL, ACCP_PLACEMENT_BRAID, 6, 3, 1) == 3 + 58 + 88 + 130);
}

static const struct accp_role *role_named(const char *name)
{
    const struct accp_role *role = accp_role_find(name);
    assert_non_null(role);
    return role;
}

/* Every block of a mixed launch runs each case as often as any other, and not in one order alone. */
static void test_selectors_of_mixed_launch(void **state)
{
    (void)state;
    enum { BLOCKS = 40, WARPS = 16, CASES = 8 };
    const struct accp_role *role = role_named("mixed.chain13.acc2");
    static const uint8_t accs[CASES] = {1, 2, 3, 4, 5, 7, 8, 16};
    uint8_t cases[ACCP_SELECTORS_CASES], selectors[BLOCKS * WARPS];
    struct accp_random random = {7};
    assert_int_equal(accp_selectors_cases(role, cases), CASES);
    assert_memory_equal(cases, accs, CASES);
    accp_selectors_draw(role, BLOCKS, WARPS, &random, selectors);
    int same_order = 0;
    for (int block = 0; block < BLOCKS; ++block) {
        int seen[256] = {0};
        for (int warp = 0; warp < WARPS; ++warp)
            ++seen[selectors[block * WARPS + warp]];
        for (int i = 0; i < CASES; ++i)
            assert_int_equal(seen[accs[i]], WARPS / CASES);
        same_order += memcmp(&selectors[block * WARPS], selectors, WARPS) == 0;
    }
    assert_true(same_order < 3);
    assert_true(accp_selectors_of(role, 2) && !accp_selectors_of(role, 3));
}

static void test_selectors_of_other_launches(void **state)
{
    (void)state;
    uint8_t selectors[8];
    struct accp_random random = {7};
    const struct accp_role *uniform = role_named("dispatch.chain13.acc16");
    accp_selectors_draw(uniform, 2, 4, &random, selectors);
    for (int i = 0; i < 8; ++i)
        assert_int_equal(selectors[i], 16);
    assert_true(accp_selectors_of(uniform, 16));
    accp_selectors_draw(role_named("optimal.chain7.acc3"), 2, 4, &random, selectors);
    for (int i = 0; i < 8; ++i)
        assert_int_equal(selectors[i], 0);
    assert_true(random.state == 7); /* nothing was drawn */
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
        cmocka_unit_test(test_modes_are_the_nearest_whole_numbers),
        cmocka_unit_test(test_summariser),
        cmocka_unit_test(test_gathers_the_role_s_own),
        cmocka_unit_test(test_warps_of_mixed_launches),
        cmocka_unit_test(test_reference_of_sinks),
        cmocka_unit_test(test_reference_of_placements),
        cmocka_unit_test(test_selectors_of_mixed_launch),
        cmocka_unit_test(test_selectors_of_other_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
