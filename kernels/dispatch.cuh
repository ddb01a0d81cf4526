/* One kernel for all roles of a chain: each warp goes by its selector, an acc, to the loop of one. */
#ifndef ACCP_DISPATCH_CUH
#define ACCP_DISPATCH_CUH

#include "iteration.cuh"

/* The roles of other chains are left out of it: for them, `chain` is no `kernel_chain`. */
template <int kernel_chain>
static __device__ __forceinline__ void accp_dispatch(const struct accp_parameters &parameters)
{
    const int selected = parameters.selectors[accp_global_thread() / ACCP_LANES];
    switch (kernel_chain * 256 + selected) {
#define ROLE(id, chain, acc, effective, sink, placement) \
    case chain * 256 + acc: \
        if (chain == kernel_chain) \
            accp_run<chain, effective, ACCP_SINK_##sink, ACCP_PLACEMENT_##placement>(parameters); \
        break;
#include "optimal.def"
    default:
        break;
    }
}

#define ACCP_DISPATCH_KERNEL(probe, chain) \
    extern "C" __global__ void __launch_bounds__(ACCP_BLOCK_THREADS) \
        probe##_chain##chain(const __grid_constant__ struct accp_parameters parameters) \
    { \
        accp_dispatch<chain>(parameters); \
    }

#endif
