#include "operator_parameters.h"
#include "operators.h"
#include "ops/ops.h"
#include "ops/reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

enum { ROW = 509, ACCS_MAX = 8, OUTPUTS = 2 };

static void test_tables_are_whole(void **state)
{
    int singles[ACCP_OPERATOR_COUNT] = {0}, accs[ACCP_OPERATOR_COUNT] = {0};
    (void)state;
    for (int i = 0; i < ACCP_OPERATOR_KERNEL_COUNT; ++i) {
        const struct accp_operator_kernel *kernel = &accp_operator_kernels[i];
        assert_int_equal(ACCP_OPERATOR_TURN % kernel->acc, 0);
        assert_ptr_equal(accp_operator_kernel_find(kernel->symbol), kernel);
        singles[kernel->op] += kernel->acc == 1;
        ++accs[kernel->op];
    }
    for (int op = 0; op < ACCP_OPERATOR_COUNT; ++op) {
        assert_int_equal(singles[op], 1);
        assert_true(accs[op] >= 5);
        assert_true(accp_operators[op].lengths[0] % 2 && accp_operators[op].lengths[0] % 3);
    }
    assert_null(accp_operator_kernel_find("ops_dot_acc5"));
}

static void test_a_role_is_named_after_its_cell(void **state)
{
    char name[ACCP_NAME_BYTES];
    (void)state;
    accp_ops_name(accp_operator_kernel_find("ops_gemm_acc3"),
                  &accp_operator_sizes[ACCP_OPERATOR_SIZE_gpu16], 509, name);
    assert_string_equal(name, "ops.gemm.gpu16.n509.acc3");
}

/* Every element 1: each result can be said beforehand. */
static void test_ones_add_up(void **state)
{
    static const float one = 1;
    const struct accp_operator_data ones = {&one, 1, 0};
    struct accp_operator_bound bounds[ACCP_OPERATOR_TILE * ACCP_OPERATOR_TILE];
    struct accp_operator_grid grid;
    (void)state;
    accp_operator_grid_init(4, 61, &grid);
    for (int op = 0; op < ACCP_OPERATOR_COUNT; ++op) {
        const double wanted[ACCP_OPERATOR_COUNT][OUTPUTS] = {
            [ACCP_OPERATOR_dot] = {61},
            [ACCP_OPERATOR_gemm] = {61, 61},
            [ACCP_OPERATOR_bias] = {61},
            [ACCP_OPERATOR_stream] = {61 * 32},
            [ACCP_OPERATOR_softmax] = {1.4426950408889634, 61 * 32},
            [ACCP_OPERATOR_welford] = {0, 0},
        };
        accp_operator_expect((enum accp_operator_id)op, 4, &grid, &ones, 3, bounds);
        for (int i = 0; i < accp_operators[op].outputs && i < OUTPUTS; ++i)
            assert_true(fabs(bounds[i].expected - wanted[op][i]) < 1e-9);
    }
    /* 16 links, 2 levels of the tree, 5 of the warp: 23 roundings of 61 x 32 terms. */
    accp_operator_expect(ACCP_OPERATOR_stream, 4, &grid, &ones, 0, bounds);
    assert_true(fabs(bounds[0].error / (1.01 * 23 * 61 * 32 * 0x1p-24) - 1) < 1e-9);
}

/* Where every element lies: one that is not 1 is found by the owner it belongs to, and by no
 * other. */
static void test_elements_lie_where_the_kernels_read(void **state)
{
    enum { FLOATS = 1 << 16 };
    static float pattern[FLOATS];
    const struct accp_operator_data data = {pattern, FLOATS, 0};
    struct accp_operator_bound bounds[ACCP_OPERATOR_TILE * ACCP_OPERATOR_TILE];
    struct accp_operator_grid grid;
    (void)state;
    accp_operator_grid_init(4, 61, &grid);
    assert_int_equal(grid.tiles, 2);
    assert_int_equal(grid.columns, 2 * ACCP_OPERATOR_WARP_COLUMNS);
    memset(pattern, 0, sizeof pattern);
    pattern[60 * 128 + 37] = 5; /* the last, odd element of thread 37 in bias and stream */
    for (size_t thread = 0; thread < grid.threads; ++thread) {
        accp_operator_expect(ACCP_OPERATOR_bias, 1, &grid, &data, thread, bounds);
        assert_true((bounds[0].expected != 0) == (thread == 37));
    }
    for (size_t warp = 0; warp < grid.warps; ++warp) {
        accp_operator_expect(ACCP_OPERATOR_stream, 1, &grid, &data, warp, bounds);
        assert_true((bounds[0].expected != 0) == (warp == 1));
    }
}

/* Layer norm's data: around a million, where a float has steps of 1/16. */
static void draw_row(float *row)
{
    unsigned state = 12345;
    for (int i = 0; i < ROW * ACCP_OPERATOR_LANES; ++i) {
        state = state * 1664525u + 1013904223u;
        row[i] = 1e6f + (float)(state >> 8) * 0x1p-24f * 8 - 4;
    }
}

struct moments {
    float count, mean, squares;
};

static struct moments merge(struct moments a, struct moments b)
{
    const float both = a.count + b.count, deviation = b.mean - a.mean;
    const float share = both > 0 ? b.count / both : 0;
    return (struct moments){both, a.mean + deviation * share,
                            a.squares + b.squares + deviation * deviation * a.count * share};
}

static struct moments welford(const float *row, int acc, float shift)
{
    struct moments whole = {0};
    for (int lane = 0; lane < ACCP_OPERATOR_LANES; ++lane) {
        struct moments parts[ACCS_MAX] = {0};
        for (int i = 0; i < ROW; ++i) {
            struct moments *part = &parts[i % acc];
            const float x = row[i * ACCP_OPERATOR_LANES + lane] - shift;
            const float deviation = x - part->mean;
            part->count += 1;
            part->mean += deviation / part->count;
            part->squares += deviation * (x - part->mean);
        }
        for (int k = 0; k < acc; ++k)
            whole = merge(whole, parts[k]);
    }
    return whole;
}

/* The bound lets Welford's way pass with every number of accumulators, and neither the sum of
 * squares nor Welford without the shift. */
static void test_a_mean_of_a_million_is_seen(void **state)
{
    static float row[ROW * ACCP_OPERATOR_LANES];
    struct accp_operator_bound bounds[OUTPUTS];
    struct accp_operator_grid grid;
    const struct accp_operator_data data = {row, ROW * ACCP_OPERATOR_LANES, 0};
    (void)state;
    draw_row(row);
    accp_operator_grid_init(1, ROW, &grid);
    for (int acc = 1; acc <= ACCS_MAX; ++acc) {
        const struct moments found = welford(row, acc, row[0]), lost = welford(row, acc, 0);
        accp_operator_expect(ACCP_OPERATOR_welford, acc, &grid, &data, 0, bounds);
        assert_true(fabs((double)found.mean - bounds[0].expected) <= bounds[0].error);
        assert_true(fabs((double)found.squares - bounds[1].expected) <= bounds[1].error);
        assert_true(bounds[1].error < 1e-3 * bounds[1].expected);
        assert_false(fabs((double)lost.squares - bounds[1].expected) <= bounds[1].error);
    }
    float sum = 0, squares = 0;
    for (int i = 0; i < ROW * ACCP_OPERATOR_LANES; ++i) {
        sum += row[i];
        squares += row[i] * row[i];
    }
    const float naive = squares - sum * sum / (ROW * ACCP_OPERATOR_LANES);
    assert_false(fabs((double)naive - bounds[1].expected) <= bounds[1].error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_are_whole),
        cmocka_unit_test(test_a_role_is_named_after_its_cell),
        cmocka_unit_test(test_ones_add_up),
        cmocka_unit_test(test_elements_lie_where_the_kernels_read),
        cmocka_unit_test(test_a_mean_of_a_million_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
