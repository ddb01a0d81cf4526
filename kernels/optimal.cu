/* The optimal probe: one chain of FFMAs dealt round-robin to its accumulators, all of them summed
 * into the sink. */
#include "loop.cuh"

static __device__ __forceinline__ void accp_round_robin_full_sink(struct accp_lane &lane, int chain,
                                                                  int effective)
{
    float accumulator[ACCP_ACCUMULATORS];
#pragma unroll
    for (int link = 0; link < chain; ++link) {
        const int k = link % effective;
        accumulator[k] = link < effective ? __fmaf_rn(lane.multiplier, lane.sink, lane.start[k])
                                          : __fmaf_rn(lane.multiplier, accumulator[k], lane.addend);
    }
#pragma unroll
    for (int k = 0; k < effective; ++k)
        lane.sink = __fadd_rn(lane.sink, accumulator[k]);
}

#define ROLE(id, chain, acc, effective, sink, placement) \
    extern "C" __global__ void __launch_bounds__(1024) optimal_##id##_effective##effective( \
        const __grid_constant__ struct accp_parameters parameters) \
    { \
        accp_loop(parameters, chain, effective, accp_round_robin_full_sink); \
    }
#include "optimal.def"
