/* Orders of kernels of their own, and what warps beside others make of them; costs are made up. */
#include "report/beside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void append(struct accp_run *run, const char *probe, int acc, double mean)
{
    struct accp_run_role *row;
    assert_int_equal(accp_run_append(run, &row, NULL), ACCP_STATUS_OK);
    snprintf(row->role, sizeof row->role, "%s.chain7.acc%d", probe, acc);
    const struct accp_role *role = accp_role_find(row->role);
    assert_non_null(role);
    row->chain = role->chain;
    row->acc = role->acc;
    row->warps = 8;
    row->cycles = (struct accp_cycles){.mean = mean, .min = mean / 2, .max = 2 * mean, .n = 2};
}

/* acc, its own kernel, mixed, beside acc1, 2 and 3, and by warp 0 and 7 */
static const struct {
    int acc;
    double own, mixed, beside[3], by_warp[2];
} roles[] = {
    {1, 100, 110, {0, 110, 110}, {110, 121}},
    {2, 90, 95, {120, 0, 95}, {95, 95}},
    {3, 90.1, 96, {80, 96, 0}, {96, 96}},
    {4, 80, 97, {100, 90, 90}, {97, 97}},
};

static void run_of(struct accp_run *run, double factor)
{
    accp_run_init(run);
    run->source = ACCP_SOURCE_MEASURED;
    strcpy(run->device.arch, "sm_90");
    for (size_t i = 0; i < sizeof roles / sizeof *roles; ++i) {
        struct accp_run_mix mix = {.warps = 8, .by_warp_count = 2};
        append(run, "optimal", roles[i].acc, roles[i].own);
        append(run, "mixed", roles[i].acc, roles[i].mixed);
        snprintf(mix.role, sizeof mix.role, "mixed.chain7.acc%d", roles[i].acc);
        for (int j = 0; j < 2; ++j)
            mix.by_warp[j] = (struct accp_run_part){j ? 7 : 0, 1, roles[i].by_warp[j] * factor};
        for (int j = 0; j < 3; ++j)
            if (roles[i].beside[j] > 0)
                mix.beside[mix.beside_count++] =
                    (struct accp_run_part){j + 1, 1, roles[i].beside[j] * factor};
        assert_int_equal(accp_run_append_mix(run, &mix, NULL), ACCP_STATUS_OK);
    }
}

static void test_orders(void **state)
{
    (void)state;
    struct accp_run runs[2];
    struct accp_summary summary;
    struct accp_beside_map map;
    struct accp_beside_orders orders;
    run_of(&runs[0], 1);
    run_of(&runs[1], 3);
    assert_int_equal(accp_summary_init(&summary, runs, 2, NULL), ACCP_STATUS_OK);
    assert_int_equal(accp_beside_init(&summary, &map, NULL), ACCP_STATUS_OK);
    assert_int_equal(map.cell_count, 4);
    assert_true(map.acc_count == 3 && map.accs[0] == 1 && map.accs[2] == 3);
    assert_true(fabs(map.cells[0].place - 0.1) < 1e-9 && map.cells[1].place == 0);
    assert_true(map.cells[1].own == 90 && map.cells[1].uniform == 0);
    assert_true(map.cells[1].beside[0] == 240); /* of both processes */
    /* Ordered: 2, 3 and 4 before 1; 4 before 2 and 3; 2 and 3 tie. Mixed turns 4 and 2, and 4 and 3. */
    accp_beside_count(&map, 7, 8, &orders);
    assert_int_equal(orders.pairs, 5);
    assert_int_equal(orders.reversed, 2);
    /* Beside 1: 4 and 2, 4 and 3. Beside 2: 3 and 1, 4 and 1, 4 and 3. Beside 3: 2 and 1, 4 and 1, 4 and 2. Of
     * them, beside 1 acc4 (100) is behind acc3 (80) by a fourth. */
    assert_int_equal(orders.compared, 8);
    assert_int_equal(orders.turned, 1);
    assert_true(orders.fast == 4 && orders.slow == 3 && orders.acc == 1 &&
                fabs(orders.most - 0.25) < 1e-9);
    accp_beside_count(&map, 7, 4, &orders);
    assert_int_equal(orders.pairs, 0);
    accp_beside_fini(&map);
    accp_summary_fini(&summary);
    accp_run_fini(&runs[0]);
    accp_run_fini(&runs[1]);
}

static void test_runs_without_warps(void **state)
{
    (void)state;
    struct accp_run run;
    struct accp_summary summary;
    struct accp_beside_map map;
    struct accp_error error;
    run_of(&run, 1);
    run.mix_count = 0;
    assert_int_equal(accp_summary_init(&summary, &run, 1, NULL), ACCP_STATUS_OK);
    assert_int_equal(accp_beside_init(&summary, &map, &error), ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "--probe mixed"));
    accp_summary_fini(&summary);
    accp_run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_runs_without_warps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
