#include "ops/reference.h"

#include "operator_parameters.h"

#include <math.h>

static const double unit_roundoff = 0x1p-24, second_order = 1.01, log2_e = 1.4426950408889634;

void accp_operator_grid_init(size_t warps, int length, struct accp_operator_grid *grid)
{
    *grid = (struct accp_operator_grid){
        .threads = warps * ACCP_OPERATOR_LANES, .warps = warps, .length = length, .tiles = 1};
    while ((size_t)grid->tiles * (size_t)grid->tiles * 2 <= warps && grid->tiles < 64)
        grid->tiles *= 2;
    const size_t tiles = (size_t)grid->tiles;
    grid->columns = (int)((warps + tiles - 1) / tiles) * ACCP_OPERATOR_WARP_COLUMNS;
}

size_t accp_operator_left_floats(enum accp_operator_id op, const struct accp_operator_grid *grid)
{
    if (op == ACCP_OPERATOR_dot) return grid->threads * ACCP_OPERATOR_DOT_ROW;
    if (op == ACCP_OPERATOR_gemm)
        return (size_t)grid->length * ACCP_OPERATOR_WARP_ROWS * (size_t)grid->tiles;
    return grid->threads * (size_t)grid->length;
}

size_t accp_operator_right_floats(enum accp_operator_id op, const struct accp_operator_grid *grid)
{
    if (op == ACCP_OPERATOR_dot) return grid->threads * ACCP_OPERATOR_DOT_ROW;
    if (op == ACCP_OPERATOR_gemm) return (size_t)grid->length * (size_t)grid->columns;
    return 0;
}

size_t accp_operator_result_floats(enum accp_operator_id op, const struct accp_operator_grid *grid)
{
    const struct accp_operator *row = &accp_operators[op];
    return (size_t)row->outputs *
           (row->owner == ACCP_OPERATOR_OWNER_THREAD ? grid->threads : grid->warps);
}

static double left(const struct accp_operator_data *data, size_t index)
{
    return (double)data->pattern[index % data->count];
}

static double right(const struct accp_operator_data *data, size_t index)
{
    return left(data, index + data->right_shift);
}

static int depth_of(enum accp_operator_id op, int acc, int length)
{
    int depth = (length + acc - 1) / acc;
    for (int merged = 1; merged < acc; merged *= 2)
        ++depth;
    return accp_operators[op].owner == ACCP_OPERATOR_OWNER_WARP ? depth + 5 : depth;
}

struct sum {
    double terms, magnitude;
};

static void add(struct sum *sum, double term)
{
    sum->terms += term;
    sum->magnitude += fabs(term);
}

static struct accp_operator_bound bound_of(const struct sum *sum, int depth)
{
    return (struct accp_operator_bound){sum->terms,
                                        second_order * depth * unit_roundoff * sum->magnitude};
}

static void expect_dot(const struct accp_operator_grid *grid, const struct accp_operator_data *data,
                       size_t thread, int depth, struct accp_operator_bound *bounds)
{
    struct sum sum = {0, 0};
    for (int i = 0; i < grid->length; ++i) {
        const size_t at = thread * ACCP_OPERATOR_DOT_ROW + (size_t)i;
        add(&sum, left(data, at) * right(data, at));
    }
    bounds[0] = bound_of(&sum, depth);
}

static void expect_gemm(const struct accp_operator_grid *grid,
                        const struct accp_operator_data *data, size_t thread, int depth,
                        struct accp_operator_bound *bounds)
{
    const size_t warp = thread / ACCP_OPERATOR_LANES, lane = thread % ACCP_OPERATOR_LANES;
    const size_t tiles = (size_t)grid->tiles, columns = (size_t)grid->columns;
    const size_t row = warp % tiles * ACCP_OPERATOR_WARP_ROWS + lane % 8 * ACCP_OPERATOR_TILE;
    const size_t column = warp / tiles * ACCP_OPERATOR_WARP_COLUMNS + lane / 8 * ACCP_OPERATOR_TILE;
    for (size_t r = 0; r < ACCP_OPERATOR_TILE; ++r)
        for (size_t c = 0; c < ACCP_OPERATOR_TILE; ++c) {
            struct sum sum = {0, 0};
            for (size_t i = 0; i < (size_t)grid->length; ++i)
                add(&sum, left(data, i * ACCP_OPERATOR_WARP_ROWS * tiles + row + r) *
                              right(data, i * columns + column + c));
            bounds[r * ACCP_OPERATOR_TILE + c] = bound_of(&sum, depth);
        }
}

static void expect_bias(const struct accp_operator_grid *grid,
                        const struct accp_operator_data *data, size_t thread, int depth,
                        struct accp_operator_bound *bounds)
{
    struct sum sum = {0, 0};
    for (size_t i = 0; i < (size_t)grid->length; ++i)
        add(&sum, left(data, i * grid->threads + thread));
    bounds[0] = bound_of(&sum, depth);
}

static void expect_stream(const struct accp_operator_grid *grid,
                          const struct accp_operator_data *data, size_t warp, int depth,
                          struct accp_operator_bound *bounds)
{
    struct sum sum = {0, 0};
    const size_t length = (size_t)grid->length, whole = length / 4 * 4;
    const size_t first = warp * ACCP_OPERATOR_LANES;
    for (size_t thread = first; thread < first + ACCP_OPERATOR_LANES; ++thread)
        for (size_t i = 0; i < length; ++i)
            add(&sum, left(data, i < whole ? (i - i % 4) * grid->threads + 4 * thread + i % 4
                                           : i * grid->threads + thread));
    bounds[0] = bound_of(&sum, depth);
}

static void expect_softmax(const struct accp_operator_grid *grid,
                           const struct accp_operator_data *data, size_t warp, int depth,
                           struct accp_operator_bound *bounds)
{
    const size_t row = (size_t)grid->length * ACCP_OPERATOR_LANES, first = warp * row;
    double maximum = left(data, first), largest = 0, sum = 0;
    for (size_t i = first; i < first + row; ++i) {
        maximum = fmax(maximum, left(data, i));
        largest = fmax(largest, fabs(left(data, i) * log2_e));
    }
    for (size_t i = first; i < first + row; ++i)
        sum += exp(left(data, i) - maximum);
    bounds[0] = (struct accp_operator_bound){maximum * log2_e, 2 * unit_roundoff * largest};
    bounds[1] = (struct accp_operator_bound){sum, second_order * (5 * (depth + 1) + 3 * largest) *
                                                      unit_roundoff * sum};
}

static void expect_welford(const struct accp_operator_grid *grid,
                           const struct accp_operator_data *data, size_t warp, int depth,
                           struct accp_operator_bound *bounds)
{
    const size_t row = (size_t)grid->length * ACCP_OPERATOR_LANES, first = warp * row;
    const double shift = left(data, first);
    double mean = 0, largest = 0, squares = 0, deviations = 0;
    for (size_t i = first; i < first + row; ++i) {
        mean += (left(data, i) - shift) / (double)row;
        largest = fmax(largest, fabs(left(data, i) - shift));
    }
    for (size_t i = first; i < first + row; ++i) {
        const double deviation = left(data, i) - shift - mean;
        squares += deviation * deviation;
        deviations += fabs(deviation);
    }
    const double mean_error = (2 * depth + 10) * unit_roundoff * largest;
    bounds[0] = (struct accp_operator_bound){mean, second_order * mean_error};
    bounds[1] = (struct accp_operator_bound){
        squares,
        second_order * (2 * (depth + 8) * unit_roundoff * squares + 2 * mean_error * deviations)};
}

void accp_operator_expect(enum accp_operator_id op, int acc, const struct accp_operator_grid *grid,
                          const struct accp_operator_data *data, size_t owner,
                          struct accp_operator_bound *bounds)
{
    static void (*const expect[ACCP_OPERATOR_COUNT])(const struct accp_operator_grid *,
                                                     const struct accp_operator_data *, size_t, int,
                                                     struct accp_operator_bound *) = {
#define OPERATOR(id, owner, outputs, blocks, short_length, long_length, what) \
    [ACCP_OPERATOR_##id] = expect_##id,
#include "operators.def"
    };
    expect[op](grid, data, owner, depth_of(op, acc, grid->length), bounds);
}
