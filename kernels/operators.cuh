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

static __device__ __forceinline__ void accp_record_write(struct accp_operator_record *record,
                                                         long long begin_cycles)
{
    struct accp_operator_record made = {begin_cycles, 0, 0, 0};
    asm volatile("mov.u32 %0, %%smid;" : "=r"(made.sm));
    __syncwarp();
    made.end_cycles = accp_clock();
    *record = made;
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

/* Reads elements base .. base + 3 of a row that is 16-byte aligned. */
static __device__ __forceinline__ void accp_read_vector(const float *from, float *to)
{
    const float4 vector = *reinterpret_cast<const float4 *>(from);
    to[0] = vector.x;
    to[1] = vector.y;
    to[2] = vector.z;
    to[3] = vector.w;
}

/* A lane's way over `length` elements in turns. An operator is a struct with
 *   element, ahead                    what it reads of one element; how many elements it reads before
 *                                     it uses the first, a divisor of a turn
 *   read(element[], base, whole)      `ahead` elements from `base` on; not whole: those below length
 *   add(accumulator, element)         one element, to accumulator 0 .. accumulators - 1
 *   merge(left, right)                adds accumulator `right` to accumulator `left`
 * The accumulator of element i is i mod accumulators, since a turn is a multiple of these. */
template <int accumulators, class Operator>
static __device__ __forceinline__ void accp_turn(Operator &op, int base, int length, bool whole)
{
    typename Operator::element elements[Operator::ahead];
#pragma unroll
    for (int group = 0; group < ACCP_OPERATOR_TURN; group += Operator::ahead) {
        op.read(elements, base + group, whole);
#pragma unroll
        for (int i = 0; i < Operator::ahead; ++i)
            if (whole || base + group + i < length) op.add((group + i) % accumulators, elements[i]);
    }
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
