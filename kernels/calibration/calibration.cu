/* The template of the calibration loops (ci/calibrate --measure, docs/model.md). Where the FFMAs of
 * accp_calibration stand between two clock reads, a loop of tests/data/calibration/loops.tsv is
 * written over them, instruction by instruction; its counter comes and goes in the register that they
 * all add to. Outside the matrix: no role runs it.
 *
 * A warp runs the loop in phases: a long one to warm up, a single iteration, the one that counts, and
 * one that keeps the others company until they have measured. Each begins after a skew of its own: else
 * what a warp does between them would decide where in the others' iterations it comes back. */
#include "calibration_parameters.h"

static __device__ __forceinline__ unsigned accp_now(void)
{
    return (unsigned)clock();
}

/* Never called, but ptxas cannot know: it makes the kernel own as many registers as a loop may name,
 * and shared memory to store to. */
static __device__ __forceinline__ void accp_own(const volatile float *from, volatile float *to)
{
    __shared__ volatile float stage[ACCP_CALIBRATION_SHARED_FLOATS];
    float values[ACCP_CALIBRATION_REGISTERS - 8];
    stage[threadIdx.x] = from[threadIdx.x];
    to[threadIdx.x] = stage[blockDim.x - threadIdx.x];
#pragma unroll
    for (int i = 0; i < ACCP_CALIBRATION_REGISTERS - 8; ++i)
        values[i] = from[i * ACCP_CALIBRATION_REGISTERS + threadIdx.x];
#pragma unroll
    for (int i = 0; i < ACCP_CALIBRATION_REGISTERS - 8; ++i)
        to[i * ACCP_CALIBRATION_REGISTERS + threadIdx.x] = values[i];
}

extern "C" __global__ void __launch_bounds__(1024)
    accp_calibration(const __grid_constant__ struct accp_calibration_parameters parameters)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (parameters.phases < 0) {
        accp_own((const float *)parameters.starts, (float *)parameters.records);
        return;
    }
    const struct accp_calibration_start *next = parameters.starts + warp * parameters.phases;
    struct accp_calibration_record *record = parameters.records + warp * parameters.phases;
    const float multiplier = __int_as_float((int)warp), addend = __int_as_float(parameters.phases);
#pragma unroll 1
    for (int phase = 0; phase < parameters.phases; ++phase) {
        const struct accp_calibration_start given = *next++;
        if (given.iterations < 1) break; /* so that the clock is read when they have come */
        float counter = __int_as_float(given.iterations);
        const unsigned begin = accp_now();
        while (accp_now() - begin < given.skew_cycles) {
        }
        const unsigned start = accp_now();
#pragma unroll
        for (int i = 0; i < ACCP_CALIBRATION_SLOTS; ++i)
            asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                         : "+f"(counter)
                         : "f"(multiplier), "f"(addend));
        record->end_cycle = accp_now();
        record->start_cycle = start; /* late: nothing else may stand before the FFMAs */
        record->counter = __float_as_int(counter); /* all lanes write the same */
        ++record;
    }
}
