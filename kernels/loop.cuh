/* The loop that every role runs. What an iteration does is each probe's own; what surrounds it is
 * here once: inputs, the skewed start, the phases, the clock and the budget. */
#ifndef ACCP_LOOP_CUH
#define ACCP_LOOP_CUH

#include "parameters.h"

/* What a warp carries through the loop: a lane's coefficients, start values, accumulators and sink.
 */
struct accp_lane {
    float multiplier, addend, sink;
    float start[ACCP_ACCUMULATORS];       /* the first `effective` are read */
    float accumulator[ACCP_ACCUMULATORS]; /* begin as their start values */
};

static __device__ __forceinline__ unsigned accp_global_thread(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ void accp_lane_load(struct accp_lane &lane, const float *input,
                                                      int effective)
{
    const float *row = input + threadIdx.x % ACCP_LANES;
    lane.multiplier = row[ACCP_INPUT_MULTIPLIER * ACCP_LANES];
    lane.addend = row[ACCP_INPUT_ADDEND * ACCP_LANES];
    lane.sink = row[ACCP_INPUT_SINK * ACCP_LANES];
#pragma unroll
    for (int k = 0; k < effective; ++k)
        lane.accumulator[k] = lane.start[k] = row[(ACCP_INPUT_START + k) * ACCP_LANES];
}

/* Warps of one scheduler lock into a phase that depends on how they start: spread the starts. */
static __device__ __forceinline__ long long accp_wait(unsigned skew_cycles)
{
    long long begin = clock64(), now = begin;
    while (now - begin < skew_cycles)
        now = clock64();
    return now;
}

/* One iteration up to the clock read, and what is done with the accumulators once the loop has
 * ended. */
typedef void (*accp_step)(struct accp_lane &lane);

/* Of a loop whose sink holds all that it computed. */
static __device__ __forceinline__ void accp_no_finish(struct accp_lane &)
{
}

static __device__ __forceinline__ void accp_loop(const struct accp_parameters &parameters,
                                                 int effective, accp_step iterate, accp_step finish)
{
    const unsigned thread = accp_global_thread();
    const unsigned warp = thread / ACCP_LANES;
    struct accp_lane lane;
    accp_lane_load(lane, parameters.input, effective);

    struct accp_record record = {0, 0, 0, 0};
    long long now = accp_wait(parameters.skew_cycles[warp]);
#pragma unroll 1
    for (int phase = 0; phase < parameters.phases; ++phase) {
        const long long begin = now, budget = parameters.budget_cycles[phase];
        record.short_cycles = record.elapsed_cycles;
        record.short_iterations = record.iterations;
        record.iterations = 0;
#pragma unroll 1
        do {
            iterate(lane);
            ++record.iterations;
            now = clock64();
        } while (now - begin < budget);
        record.elapsed_cycles = (unsigned)(now - begin);
    }
    finish(lane);
    parameters.sinks[thread] = lane.sink;
    if (thread % ACCP_LANES == 0) parameters.records[warp] = record;
}

#endif
