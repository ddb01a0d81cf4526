/* Little's law beside made-up costs of the optimal probe. */
#include "report/occupancy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

/* Links cost `latency` each behind one another, and an accumulator costs 2 more, until the pipe is
 * full; `shift` moves the best split by so many accumulators. */
static double cost(const struct accp_role *role, int warps, double latency, int shift)
{
    const double of_scheduler = warps > 4 ? warps / 4.0 : 1;
    const double needed = fmax(latency / of_scheduler, 1) + shift;
    const double depth = role->chain / fmin(role->acc, needed);
    return 40 + latency * depth + 2 * fmax(role->acc - needed, 0);
}

static void run_of(struct accp_run *run, const char *arch, double latency, int shift)
{
    static const int loads[] = {2, 4, 8, 16};
    accp_run_init(run);
    run->source = ACCP_SOURCE_MEASURED;
    strcpy(run->device.arch, arch);
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i)
        for (size_t j = 0; j < sizeof loads / sizeof *loads; ++j) {
            struct accp_run_role *row;
            if (accp_roles[i].probe != ACCP_PROBE_optimal) continue;
            assert_int_equal(accp_run_append(run, &row, NULL), ACCP_STATUS_OK);
            strcpy(row->role, accp_roles[i].name);
            row->chain = accp_roles[i].chain;
            row->acc = accp_roles[i].acc;
            row->warps = loads[j];
            const double cycles = cost(&accp_roles[i], loads[j], latency, shift);
            row->cycles =
                (struct accp_cycles){.mean = cycles, .min = cycles, .max = cycles, .n = 1};
        }
}

/* arch, latency, shift, and at 4, 8 and 16 warps: what is needed, best and picked. */
static const struct {
    const char *arch;
    double latency;
    int shift;
    double needed[3];
    int best[3], pick[3];
} cases[] = {
    {"sm_90", 4, 0, {4, 2, 1}, {4, 2, 1}, {4, 2, 1}},
    {"sm_90", 4, 1, {4, 2, 1}, {5, 3, 2}, {4, 2, 1}},
    {"sm_80", 4, 0, {2, 1, 1}, {4, 2, 1}, {2, 1, 1}}, /* 16 lanes take a link every other cycle */
    {"sm_90", 4.01, 0, {4.01, 2.005, 1.0025}, {4, 2, 1}, {4, 2, 1}},
    {"sm_90", 30, 0, {30, 15, 7.5}, {16, 16, 8}, {16, 16, 8}}, /* more than there are */
};

static void test_littles_law(void **state)
{
    (void)state;
    static const int loads[] = {4, 8, 16};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct accp_run run;
        struct accp_summary summary;
        struct accp_occupancy_cell cells[96];
        size_t count;
        run_of(&run, cases[i].arch, cases[i].latency, cases[i].shift);
        assert_int_equal(accp_summary_init(&summary, &run, 1, NULL), ACCP_STATUS_OK);
        assert_int_equal(accp_occupancy_map(&summary, cells, &count, NULL), ACCP_STATUS_OK);
        assert_int_equal(count, 3 * 4);
        for (size_t j = 0; j < count; ++j)
            for (int k = 0; k < 3; ++k) {
                if (cells[j].warps != loads[k]) continue;
                if (fabs(cells[j].needed - cases[i].needed[k]) > 1e-9 ||
                    (cells[j].chain == 29 && cells[j].best != cases[i].best[k]) ||
                    cells[j].pick != cases[i].pick[k])
                    fail_msg("case %zu, chain %d, %d warps: needed %g, best %d, pick %d", i,
                             cells[j].chain, cells[j].warps, cells[j].needed, cells[j].best,
                             cells[j].pick);
                assert_true((cells[j].pick == cells[j].best) == (cells[j].pick_loss == 0));
            }
        accp_summary_fini(&summary);
        accp_run_fini(&run);
    }
}

static void test_the_latency_is_measured(void **state)
{
    (void)state;
    struct accp_run run;
    struct accp_summary summary;
    struct accp_error error;
    double latency;
    run_of(&run, "sm_90", 6.5, 0);
    assert_int_equal(accp_summary_init(&summary, &run, 1, NULL), ACCP_STATUS_OK);
    assert_int_equal(accp_occupancy_latency(&summary, &latency, NULL), ACCP_STATUS_OK);
    assert_true(fabs(latency - 6.5) < 1e-9);
    for (size_t i = 0; i < summary.point_count; ++i)
        if (summary.points[i].warps <= 4 && summary.points[i].chain != 13)
            summary.points[i].processes = 0;
    assert_int_equal(accp_occupancy_latency(&summary, &latency, &error), ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "--protocol occupancy"));
    accp_summary_fini(&summary);
    accp_run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_littles_law),
        cmocka_unit_test(test_the_latency_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
