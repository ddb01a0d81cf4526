// A probe outside of accprobe's tree: the same question as `optimal`, asked of a chain in hand-written PTX.
#include "links.h"
#include "loop.cuh"

static __device__ __forceinline__ float fma_ptx(float a, float b, float c)
{
    float d;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));
    return d;
}

// What one iteration does: `chain` FMAs dealt to `effective` accumulators in turn, all of them added to the sink. The
// harness holds the result against the same steps in double precision, and the SASS against the row.
template <int chain, int effective>
static __device__ __forceinline__ void my_iteration(struct accp_lane &lane)
{
#pragma unroll
    for (int i = 0; i < chain; ++i) {
        const int k = i % effective;
        if (i < effective)
            lane.accumulator[k] = fma_ptx(lane.multiplier, lane.sink, lane.start[k]);
        else
            lane.accumulator[k] = fma_ptx(lane.multiplier, lane.accumulator[k], lane.addend);
    }
#pragma unroll
    for (int k = 0; k < effective; ++k)
        lane.sink += lane.accumulator[k];
}

#define ROLE(id, chain, acc, effective, sink, placement) \
    extern "C" __global__ void __launch_bounds__(1024) mine_##id##_effective##effective( \
        const __grid_constant__ struct accp_parameters parameters) \
    { \
        accp_loop(parameters, effective, my_iteration<chain, effective>, accp_no_finish); \
    }
#include "mine.def"
