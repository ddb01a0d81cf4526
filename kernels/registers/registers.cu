/* What does a register less cost? The 16-accumulator roles and two neighbours of the optimal probe,
 * with no launch bounds of their own, so that a compiler's register limit decides:
 *
 *     nvcc -arch=sm_90 -cubin -Imatrix -maxrregcount=32 -o registers.cubin kernels/registers/registers.cu
 *
 * and with their operands in three places. A value of the constant bank needs no register of its
 * own outside the loop; whether it is loaded once, before the loop, or again in every iteration is
 * the register allocator's choice, and no spill shows it. */
#include "../loop.cuh"

enum operands {
    OPERANDS_IN_REGISTERS, /* as the optimal probe has them */
    COEFFICIENTS_IN_BANK,  /* multiplier and addend are constants, start values are registers */
    ALL_IN_BANK            /* the start values are constants too */
};

/* The host could set it, so no compiler may fold it. With these values the sink converges. */
extern "C" {
__constant__ float registers_bank[2 + ACCP_ACCUMULATORS] = {
    -0.03125f, 0.25f, 0.5f,  0.53f, 0.56f, 0.59f, 0.62f, 0.65f, 0.68f,
    0.71f,     0.74f, 0.77f, 0.8f,  0.83f, 0.86f, 0.89f, 0.92f, 0.95f};
}

template <enum operands where, int chain, int effective>
static __device__ __forceinline__ void round_robin_full_sink(struct accp_lane &lane)
{
    const float multiplier =
        where == OPERANDS_IN_REGISTERS ? lane.multiplier : registers_bank[ACCP_INPUT_MULTIPLIER];
    const float addend =
        where == OPERANDS_IN_REGISTERS ? lane.addend : registers_bank[ACCP_INPUT_ADDEND];
    float accumulator[ACCP_ACCUMULATORS];
#pragma unroll
    for (int link = 0; link < chain; ++link) {
        const int k = link % effective;
        const float start = where == ALL_IN_BANK ? registers_bank[2 + k] : lane.start[k];
        accumulator[k] = link < effective ? __fmaf_rn(multiplier, lane.sink, start)
                                          : __fmaf_rn(multiplier, accumulator[k], addend);
    }
#pragma unroll
    for (int k = 0; k < effective; ++k)
        lane.sink = __fadd_rn(lane.sink, accumulator[k]);
}

#define KERNEL(name, where, chain, effective) \
    extern "C" __global__ void registers_##name##_chain##chain##_acc##effective( \
        const __grid_constant__ struct accp_parameters parameters) \
    { \
        accp_loop(parameters, effective, round_robin_full_sink<where, chain, effective>, \
                  accp_no_finish); \
    }
#define KERNELS(chain, effective) \
    KERNEL(register, OPERANDS_IN_REGISTERS, chain, effective) \
    KERNEL(coefficient, COEFFICIENTS_IN_BANK, chain, effective) \
    KERNEL(bank, ALL_IN_BANK, chain, effective)
KERNELS(13, 13)
KERNELS(29, 8)
KERNELS(29, 16)
KERNELS(61, 16)
