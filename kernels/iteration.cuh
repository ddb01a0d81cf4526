/* What an iteration of a role does: its chain of links (matrix/links.h), then its sink.
 *
 * Nothing may be hoisted or folded: each first link reads the sink and either its accumulator's own
 * start value, where the sink changes in every iteration, or what that accumulator held before. Both
 * are live registers: to set an accumulator, or to keep it alive, costs no instruction. */
#ifndef ACCP_ITERATION_CUH
#define ACCP_ITERATION_CUH

#include "links.h"
#include "loop.cuh"

enum { ACCP_BLOCK_THREADS = 1024 };

/* Slots that no two threads share, side by side: a warp's store is one access without conflicts, and
 * leaves the SM alone. volatile: every store is made. */
template <int effective> static __device__ __forceinline__ volatile float *accp_slot(int k)
{
    static __shared__ volatile float slots[effective][ACCP_BLOCK_THREADS];
    return &slots[k][threadIdx.x];
}

template <int chain, int effective, enum accp_sink sink, enum accp_placement placement>
static __device__ __forceinline__ void accp_iterate(struct accp_lane &lane)
{
    constexpr struct accp_links links = accp_links_of(placement, chain, effective);
    float *const accumulator = lane.accumulator;
#pragma unroll
    for (int i = 0; i < chain; ++i) {
        const int k = links.links[i].accumulator, joined = links.links[i].joined;
        if (links.links[i].is_first)
            accumulator[k] = __fmaf_rn(lane.multiplier, lane.sink,
                                       accp_is_carried(sink, k) ? accumulator[k] : lane.start[k]);
        else
            accumulator[k] = __fmaf_rn(lane.multiplier, accumulator[k],
                                       joined < 0 ? lane.addend : accumulator[joined]);
    }
#pragma unroll
    for (int k = 0; k < effective; ++k) {
        if (links.is_end[k] && !accp_is_carried(sink, k))
            lane.sink = __fadd_rn(lane.sink, accumulator[k]);
        if (sink == ACCP_SINK_STORE) *accp_slot<effective>(k) = accumulator[k];
    }
}

/* What was stored is read again, so that a store left out shows in the result. */
template <int effective, enum accp_sink sink>
static __device__ __forceinline__ void accp_finish(struct accp_lane &lane)
{
#pragma unroll
    for (int k = 0; k < effective; ++k)
        if (accp_is_carried(sink, k))
            lane.sink =
                __fadd_rn(lane.sink, sink == ACCP_SINK_STORE ? (float)*accp_slot<effective>(k)
                                                             : lane.accumulator[k]);
}

template <int chain, int effective, enum accp_sink sink, enum accp_placement placement>
static __device__ __forceinline__ void accp_run(const struct accp_parameters &parameters)
{
    accp_loop(parameters, effective, accp_iterate<chain, effective, sink, placement>,
              accp_finish<effective, sink>);
}

/* A kernel for a role of its own; a table expands it as ROLE. */
#define ACCP_KERNEL(probe, id, chain, acc, effective, sink, placement) \
    extern "C" __global__ void __launch_bounds__(ACCP_BLOCK_THREADS) \
        probe##_##id##_effective##effective( \
            const __grid_constant__ struct accp_parameters parameters) \
    { \
        accp_run<chain, effective, ACCP_SINK_##sink, ACCP_PLACEMENT_##placement>(parameters); \
    }

#endif
