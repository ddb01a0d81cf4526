#include "fake_operators.h"

#include "gpu.h"
#include "operator_parameters.h"
#include "ops/reference.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, ILLEGAL_ADDRESS = 700, OUTPUTS = 16 };

/* `left` and `right` side by side, as the reference takes them. */
static float *join(const struct accp_operator_parameters *parameters, size_t left_floats,
                   size_t right_floats)
{
    const float *left =
        accp_fake_gpu_memory((uint64_t)(uintptr_t)parameters->left, left_floats * sizeof(float));
    const float *right =
        accp_fake_gpu_memory((uint64_t)(uintptr_t)parameters->right, right_floats * sizeof(float));
    float *joined = malloc((left_floats + right_floats) * sizeof *joined);
    if (joined && left) memcpy(joined, left, left_floats * sizeof *joined);
    if (joined && right && right_floats)
        memcpy(joined + left_floats, right, right_floats * sizeof *joined);
    return joined;
}

static bool pointers_fit(const struct accp_operator_parameters *parameters,
                         enum accp_operator_id op, const struct accp_operator_grid *grid)
{
    const size_t left = accp_operator_left_floats(op, grid),
                 right = accp_operator_right_floats(op, grid),
                 results = accp_operator_result_floats(op, grid);
    return accp_fake_gpu_memory((uint64_t)(uintptr_t)parameters->left, left * sizeof(float)) &&
           (right == 0 ||
            accp_fake_gpu_memory((uint64_t)(uintptr_t)parameters->right, right * sizeof(float))) &&
           accp_fake_gpu_memory((uint64_t)(uintptr_t)parameters->results,
                                results * sizeof(float)) &&
           accp_fake_gpu_memory((uint64_t)(uintptr_t)parameters->records,
                                grid->warps * sizeof(struct accp_operator_record));
}

static void compute(const struct accp_fake_scenario *scenario,
                    const struct accp_operator_kernel *kernel, struct accp_operator_grid grid,
                    const struct accp_operator_data *data, float *results)
{
    const size_t outputs = (size_t)accp_operators[kernel->op].outputs;
    const size_t floats = accp_operator_result_floats(kernel->op, &grid);
    /* The least fault that a result has to show: one element of each lane is lost. */
    if (scenario->on[ACCP_FAKE_wrong_results] && grid.length > 1) --grid.length;
    for (size_t owner = 0; owner * outputs < floats; ++owner) {
        struct accp_operator_bound bounds[OUTPUTS];
        accp_operator_expect(kernel->op, kernel->acc, &grid, data, owner, bounds);
        for (size_t i = 0; i < outputs; ++i)
            results[owner * outputs + i] = (float)bounds[i].expected;
    }
}

int accp_fake_operators_launch(const struct accp_fake_scenario *scenario,
                               const struct accp_operator_kernel *kernel, unsigned blocks,
                               unsigned threads, const void *parameters, size_t parameters_bytes)
{
    struct accp_operator_parameters copy;
    struct accp_operator_grid grid;
    if (parameters_bytes != sizeof copy || threads % ACCP_OPERATOR_LANES != 0) return INVALID_VALUE;
    memcpy(&copy, parameters, sizeof copy);
    const size_t warps_per_block = threads / ACCP_OPERATOR_LANES;
    accp_operator_grid_init(blocks * warps_per_block, copy.length, &grid);
    if (!pointers_fit(&copy, kernel->op, &grid)) return ILLEGAL_ADDRESS;
    const size_t left = accp_operator_left_floats(kernel->op, &grid),
                 right = accp_operator_right_floats(kernel->op, &grid);
    float *joined = join(&copy, left, right);
    if (!joined) return OUT_OF_MEMORY;
    const struct accp_operator_data data = {joined, left + right, left};
    compute(scenario, kernel, grid, &data, copy.results);
    free(joined);
    for (size_t warp = 0; warp < grid.warps; ++warp)
        copy.records[warp] = (struct accp_operator_record){
            .begin_cycles = 1000,
            .end_cycles = 1500 + 10 * copy.length / kernel->acc,
            .sm = (unsigned)(warp / warps_per_block) % (unsigned)scenario->sku->sm_count};
    return OK;
}
