/* The ops probe: operators that people run, each with several numbers of accumulators. What a lane
 * reads, and where it writes: operator_parameters.h. */
#include "operators.cuh"

/* A turn that each lane copies for itself: element i stands at slot(i) of its warp's stage. */
template <int inputs> struct accp_turns {
    enum { floats = ACCP_OPERATOR_TURN * ACCP_OPERATOR_LANES };
    const struct accp_operator_parameters &parameters;
    const struct accp_place place;
    float *const stage;

    __device__ __forceinline__ accp_turns(const struct accp_operator_parameters &given)
        : parameters(given), place(accp_place_of()), stage(accp_stage<inputs * floats>())
    {
    }
    __device__ __forceinline__ void copied(void)
    {
        accp_copies_end();
    }
    __device__ __forceinline__ float *slot(int i)
    {
        return stage + i * ACCP_OPERATOR_LANES + place.lane;
    }
    /* The four elements from i on, side by side, so that 128 bits are read and copied at a time. */
    __device__ __forceinline__ float *vector(int i)
    {
        return stage + (i * ACCP_OPERATOR_LANES + 4 * place.lane);
    }
};

template <int accumulators, int inputs> struct accp_sums : accp_turns<inputs> {
    float sum[accumulators];

    __device__ __forceinline__ accp_sums(const struct accp_operator_parameters &given)
        : accp_turns<inputs>(given)
    {
#pragma unroll
        for (int k = 0; k < accumulators; ++k)
            sum[k] = 0;
    }
    __device__ __forceinline__ void merge(int left, int right)
    {
        sum[left] += sum[right];
    }
    __device__ __forceinline__ void finish(void)
    {
        this->parameters.results[this->place.thread] = sum[0];
    }
};

template <int accumulators> struct accp_dot : accp_sums<accumulators, 2> {
    using accp_sums<accumulators, 2>::accp_sums;
    /* The rows are as long as whole vectors. */
    __device__ __forceinline__ void copy(int base, int end)
    {
        const int first = this->place.thread * ACCP_OPERATOR_DOT_ROW + base;
#pragma unroll
        for (int i = 0; i < ACCP_OPERATOR_TURN; i += 4) {
            if (base + i >= end) break;
            accp_copy<16>(this->vector(i), this->parameters.left + first + i);
            accp_copy<16>(this->vector(i) + this->floats, this->parameters.right + first + i);
        }
    }
    __device__ __forceinline__ void add(int k, int i)
    {
        const float *at = this->vector(i - i % 4) + i % 4;
        this->sum[k] = __fmaf_rn(at[0], at[this->floats], this->sum[k]);
    }
};

template <int accumulators> struct accp_bias : accp_sums<accumulators, 1> {
    using accp_sums<accumulators, 1>::accp_sums;
    __device__ __forceinline__ void copy(int base, int end)
    {
        const float *from = this->parameters.left + this->place.thread;
#pragma unroll
        for (int i = 0; i < ACCP_OPERATOR_TURN; ++i)
            if (base + i < end)
                accp_copy<4>(this->slot(i), from + (long long)(base + i) * this->place.threads);
    }
    __device__ __forceinline__ void add(int k, int i)
    {
        this->sum[k] += *this->slot(i);
    }
};

template <int accumulators> struct accp_stream : accp_sums<accumulators, 1> {
    using accp_sums<accumulators, 1>::accp_sums;
    __device__ __forceinline__ void copy(int base, int end)
    {
        const float *from = this->parameters.left;
        const long long threads = this->place.threads, thread = this->place.thread;
#pragma unroll
        for (int i = 0; i < ACCP_OPERATOR_TURN; i += 4) {
            if (base + i + 4 <= end) {
                accp_copy<16>(this->vector(i), from + (base + i) * threads + 4 * thread);
                continue;
            }
#pragma unroll
            for (int k = 0; k < 4; ++k)
                if (base + i + k < end)
                    accp_copy<4>(this->vector(i) + k, from + (base + i + k) * threads + thread);
        }
    }
    __device__ __forceinline__ void add(int k, int i)
    {
        this->sum[k] += this->vector(i - i % 4)[i % 4];
    }
    __device__ __forceinline__ void finish(void)
    {
        float sum = this->sum[0];
#pragma unroll
        for (int stride = ACCP_OPERATOR_LANES / 2; stride > 0; stride /= 2)
            sum += __shfl_xor_sync(~0u, sum, stride);
        if (this->place.lane == 0) this->parameters.results[this->place.warp] = sum;
    }
};

/* The lanes of a warp copy its rows and columns together, and each takes what its results need. */
template <int accumulators> struct accp_gemm {
    enum {
        tile = ACCP_OPERATOR_TILE,
        rows = ACCP_OPERATOR_WARP_ROWS,
        columns = ACCP_OPERATOR_WARP_COLUMNS
    };
    float sum[accumulators][tile][tile];
    const struct accp_operator_parameters &parameters;
    const struct accp_place place;
    float *const stage; /* of each element: the warp's rows, then its columns */

    __device__ __forceinline__ accp_gemm(const struct accp_operator_parameters &given)
        : parameters(given), place(accp_place_of()),
          stage(accp_stage<ACCP_OPERATOR_TURN *(rows + columns)>())
    {
#pragma unroll
        for (int k = 0; k < accumulators; ++k)
#pragma unroll
            for (int i = 0; i < tile * tile; ++i)
                sum[k][i / tile][i % tile] = 0;
    }
    __device__ __forceinline__ void copy(int base, int end)
    {
        const int width = rows * parameters.tiles;
        const float *left = parameters.left + place.warp % parameters.tiles * rows;
        const float *right = parameters.right + place.warp / parameters.tiles * columns;
        __syncwarp(); /* the other lanes have taken the turn before */
#pragma unroll
        for (int i = 0; i < ACCP_OPERATOR_TURN; i += ACCP_OPERATOR_LANES * tile / rows) {
            const int row = i + place.lane * tile / rows, at = place.lane * tile % rows;
            if (base + row < end)
                accp_copy<16>(stage + row * (rows + columns) + at,
                              left + (base + row) * width + at);
        }
#pragma unroll
        for (int i = 0; i < ACCP_OPERATOR_TURN; i += ACCP_OPERATOR_LANES * tile / columns) {
            const int row = i + place.lane * tile / columns, at = place.lane * tile % columns;
            if (base + row < end)
                accp_copy<16>(stage + row * (rows + columns) + rows + at,
                              right + (base + row) * parameters.columns + at);
        }
    }
    __device__ __forceinline__ void copied(void)
    {
        accp_copies_end();
        __syncwarp();
    }
    __device__ __forceinline__ void add(int k, int i)
    {
        const float *element = stage + i * (rows + columns);
        const float *row = element + place.lane % 8 * tile;
        const float *column = element + rows + place.lane / 8 * tile;
#pragma unroll
        for (int r = 0; r < tile; ++r)
#pragma unroll
            for (int c = 0; c < tile; ++c)
                sum[k][r][c] = __fmaf_rn(row[r], column[c], sum[k][r][c]);
    }
    __device__ __forceinline__ void merge(int left, int right)
    {
#pragma unroll
        for (int r = 0; r < tile; ++r)
#pragma unroll
            for (int c = 0; c < tile; ++c)
                sum[left][r][c] += sum[right][r][c];
    }
    __device__ __forceinline__ void finish(void)
    {
        float4 *to = reinterpret_cast<float4 *>(parameters.results) + place.thread * tile;
#pragma unroll
        for (int r = 0; r < tile; ++r)
            to[r] = make_float4(sum[0][r][0], sum[0][r][1], sum[0][r][2], sum[0][r][3]);
    }
};

/* A row a warp, its elements dealt to the lanes in turn. */
struct accp_row : accp_turns<1> {
    const float *const row;

    __device__ __forceinline__ accp_row(const struct accp_operator_parameters &given)
        : accp_turns<1>(given),
          row(given.left + (long long)place.warp * ACCP_OPERATOR_LANES * given.length)
    {
    }
    __device__ __forceinline__ void copy(int base, int end)
    {
#pragma unroll
        for (int i = 0; i < ACCP_OPERATOR_TURN; ++i)
            if (base + i < end)
                accp_copy<4>(slot(i), row + (base + i) * ACCP_OPERATOR_LANES + place.lane);
    }
};

/* Less than any element, and a difference of two of them is no NaN. */
#define ACCP_SOFTMAX_LEAST (-1e30f)

template <int accumulators> struct accp_softmax : accp_row {
    float maximum[accumulators], sum[accumulators];

    __device__ __forceinline__ accp_softmax(const struct accp_operator_parameters &given)
        : accp_row(given)
    {
#pragma unroll
        for (int k = 0; k < accumulators; ++k) {
            maximum[k] = ACCP_SOFTMAX_LEAST;
            sum[k] = 0;
        }
    }
    __device__ __forceinline__ void add(int k, int i)
    {
        const float scaled = *slot(i) * 1.4426950408889634f; /* log2 e */
        const float higher = fmaxf(maximum[k], scaled);
        sum[k] = __fmaf_rn(sum[k], accp_exp2(maximum[k] - higher), accp_exp2(scaled - higher));
        maximum[k] = higher;
    }
    __device__ __forceinline__ void join(int k, float other_maximum, float other_sum)
    {
        const float higher = fmaxf(maximum[k], other_maximum);
        sum[k] = __fmaf_rn(sum[k], accp_exp2(maximum[k] - higher),
                           other_sum * accp_exp2(other_maximum - higher));
        maximum[k] = higher;
    }
    __device__ __forceinline__ void merge(int left, int right)
    {
        join(left, maximum[right], sum[right]);
    }
    __device__ __forceinline__ void finish(void)
    {
#pragma unroll
        for (int stride = ACCP_OPERATOR_LANES / 2; stride > 0; stride /= 2)
            join(0, __shfl_xor_sync(~0u, maximum[0], stride), __shfl_xor_sync(~0u, sum[0], stride));
        if (place.lane != 0) return;
        parameters.results[2 * place.warp] = maximum[0];
        parameters.results[2 * place.warp + 1] = sum[0];
    }
};

/* Elements are taken less the first of their row: a mean that is large beside the deviation then
 * costs no digits. Merging after Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing
 * sample variances", 1979. */
template <int accumulators> struct accp_welford : accp_row {
    float count[accumulators], mean[accumulators], squares[accumulators];
    float shift;

    __device__ __forceinline__ accp_welford(const struct accp_operator_parameters &given)
        : accp_row(given), shift(row[0])
    {
#pragma unroll
        for (int k = 0; k < accumulators; ++k)
            count[k] = mean[k] = squares[k] = 0;
    }
    __device__ __forceinline__ void add(int k, int i)
    {
        const float shifted = *slot(i) - shift, deviation = shifted - mean[k];
        count[k] += 1;
        mean[k] = __fmaf_rn(deviation, accp_reciprocal(count[k]), mean[k]);
        squares[k] = __fmaf_rn(deviation, shifted - mean[k], squares[k]);
    }
    __device__ __forceinline__ void join(int k, float other_count, float other_mean,
                                         float other_squares)
    {
        const float both = count[k] + other_count, deviation = other_mean - mean[k];
        const float share = both > 0 ? other_count * accp_reciprocal(both) : 0;
        mean[k] = __fmaf_rn(deviation, share, mean[k]);
        squares[k] += __fmaf_rn(deviation * deviation, count[k] * share, other_squares);
        count[k] = both;
    }
    __device__ __forceinline__ void merge(int left, int right)
    {
        join(left, count[right], mean[right], squares[right]);
    }
    __device__ __forceinline__ void finish(void)
    {
#pragma unroll
        for (int stride = ACCP_OPERATOR_LANES / 2; stride > 0; stride /= 2)
            join(0, __shfl_xor_sync(~0u, count[0], stride), __shfl_xor_sync(~0u, mean[0], stride),
                 __shfl_xor_sync(~0u, squares[0], stride));
        if (place.lane != 0) return;
        parameters.results[2 * place.warp] = mean[0];
        parameters.results[2 * place.warp + 1] = squares[0];
    }
};

template <int accumulators, class Operator>
static __device__ __forceinline__ void accp_operate(const struct accp_operator_parameters &given)
{
    accp_skew(given, accp_place_of().warp);
    const long long begin_cycles = accp_clock();
    Operator op(given);
    accp_walk<accumulators>(op, given.length);
    op.finish();
    if (op.place.lane == 0) accp_record_write(&given.records[op.place.warp], begin_cycles);
}

/* Blocks that are to stay on an SM. Left to itself the compiler aims at an occupancy that depends on the number of
 * accumulators, and reads less far ahead with some than with others; where one block is asked for, a thread may have all
 * the registers there are, and is scheduled for latency. */
enum {
#define OPERATOR(id, owner, outputs, blocks, short_length, long_length, what) \
    ACCP_BLOCKS_##id = blocks,
#include "operators.def"
};

#define OPERATOR_KERNEL(operation, acc) \
    extern "C" __global__ void __launch_bounds__(ACCP_OPERATOR_BLOCK_WARPS *ACCP_OPERATOR_LANES, \
                                                 ACCP_BLOCKS_##operation) \
        ops_##operation##_acc##acc(const __grid_constant__ struct accp_operator_parameters given) \
    { \
        accp_operate<acc, accp_##operation<acc>>(given); \
    }
#include "operator_kernels.def"
