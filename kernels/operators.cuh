/* What surrounds every operator: who a lane is, the walk over its elements, the merging of its
 * accumulators, and the record of when its warp began and ended. */
#ifndef ACCP_OPERATORS_CUH
#define ACCP_OPERATORS_CUH

#include "operator_parameters.h"

struct accp_place {
    int thread, warp, lane, threads;
};

static __device__ __forceinline__ struct accp_place accp_place_of(void)
{
    struct accp_place place;
    place.thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    place.warp = place.thread / ACCP_OPERATOR_LANES;
    place.lane = place.thread % ACCP_OPERATOR_LANES;
    place.threads = (int)(gridDim.x * blockDim.x);
    return place;
}

/* "memory": no read of the operator's may be moved before the clock, and no result after it. */
static __device__ __forceinline__ long long accp_clock(void)
{
    long long now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}

/* Warps that start together may stay in step, and whether they do would decide the time. */
static __device__ __forceinline__ void accp_skew(const struct accp_operator_parameters &given,
                                                 int warp)
{
    const long long begin = accp_clock();
    unsigned drawn = given.skew_seed + 0x9e3779b9u * ((unsigned)warp + 1);
    drawn = (drawn ^ drawn >> 16) * 0x85ebca6bu; /* the finaliser of MurmurHash3 */
    drawn = (drawn ^ drawn >> 13) * 0xc2b2ae35u;
    drawn ^= drawn >> 16;
    const unsigned skew_cycles = __umulhi(drawn, given.skew_cycles);
    while (accp_clock() - begin < skew_cycles)
        ;
}

/* A warp ends when the GPU can see its results. Without the release, the clock is read before the stores of results have
 * left or behind them, as the compiler reuses their registers or not, which depends on the accumulators: 300 cycles for four
 * warps of gemm. A release invalidates no cache, a fence would. */
static __device__ __forceinline__ void accp_record_write(struct accp_operator_record *record,
                                                         long long begin_cycles)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    __syncwarp();
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(&record->sm), "r"(sm) : "memory");
    record->end_cycles = accp_clock();
    record->begin_cycles = begin_cycles;
}

static __device__ __forceinline__ float accp_exp2(float x)
{
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

static __device__ __forceinline__ float accp_reciprocal(float x)
{
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

/* Copies `bytes` (4 or 16, aligned to as many) to shared memory, past the registers: a read through
 * registers is put behind uses by the compiler, how many of them depends on the accumulators, and
 * waiting for memory would then be told apart by acc. sm_75 has no such copy. */
template <int bytes> static __device__ __forceinline__ void accp_copy(float *to, const float *from)
{
#if __CUDA_ARCH__ >= 800
    const unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(bytes)
                 : "memory");
#else
#pragma unroll
    for (int i = 0; i < bytes / 4; ++i)
        to[i] = from[i];
#endif
}

/* Waits for the copies of this lane. */
static __device__ __forceinline__ void accp_copies_end(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* A warp's own part of its block's shared memory. */
template <int floats> static __device__ __forceinline__ float *accp_stage(void)
{
    static __shared__ __align__(16) float stages[ACCP_OPERATOR_BLOCK_WARPS][floats];
    return stages[threadIdx.x / ACCP_OPERATOR_LANES];
}

/* A lane's way over `length` elements in turns. An operator is a struct with
 *   copy(base, length)         begins to copy the elements of the turn at `base` that are below length
 *   copied()                   waits until this lane may take all of them
 *   add(accumulator, i)        adds element i of the turn to accumulator 0 .. accumulators - 1
 *   merge(left, right)         adds accumulator `right` to accumulator `left`
 * The accumulator of an element is its index mod accumulators, since a turn is a multiple of these. */
template <int accumulators, class Operator>
static __device__ __forceinline__ void accp_turn(Operator &op, int base, int length, bool whole)
{
    op.copy(base, whole ? base + ACCP_OPERATOR_TURN : length);
    op.copied();
#pragma unroll
    for (int i = 0; i < ACCP_OPERATOR_TURN; ++i)
        if (whole || base + i < length) op.add(i % accumulators, i);
}

template <int accumulators, class Operator>
static __device__ __forceinline__ void accp_walk(Operator &op, int length)
{
    int base = 0;
#pragma unroll 1
    for (; base + ACCP_OPERATOR_TURN <= length; base += ACCP_OPERATOR_TURN)
        accp_turn<accumulators>(op, base, length, true);
    if (base < length) accp_turn<accumulators>(op, base, length, false);
#pragma unroll
    for (int stride = 1; stride < accumulators; stride *= 2)
#pragma unroll
        for (int left = 0; left + stride < accumulators; left += 2 * stride)
            op.merge(left, left + stride);
}

#endif
