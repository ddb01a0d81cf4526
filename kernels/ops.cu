/* The ops probe: operators that people run, each with several numbers of accumulators. What a lane
 * reads, and where it writes: operator_parameters.h. */
#include "operators.cuh"

/* Adds up single floats. */
template <int accumulators> struct accp_sums {
    enum { ahead = ACCP_OPERATOR_TURN };
    float sum[accumulators];
    const struct accp_operator_parameters &parameters;
    const struct accp_place place;

    __device__ __forceinline__ accp_sums(const struct accp_operator_parameters &given)
        : parameters(given), place(accp_place_of())
    {
#pragma unroll
        for (int k = 0; k < accumulators; ++k)
            sum[k] = 0;
    }
    __device__ __forceinline__ void merge(int left, int right)
    {
        sum[left] += sum[right];
    }
};

template <int accumulators> struct accp_dot : accp_sums<accumulators> {
    struct element {
        float left, right;
    };
    using accp_sums<accumulators>::accp_sums;
    __device__ __forceinline__ void read(element *elements, int base, bool whole)
    {
        const int first = this->place.thread * ACCP_OPERATOR_DOT_ROW + base;
#pragma unroll
        for (int i = 0; i < ACCP_OPERATOR_TURN; i += 4) {
            if (!whole && base + i >= this->parameters.length) break;
            float left[4], right[4]; /* the rows are as long as whole vectors */
            accp_read_vector(this->parameters.left + first + i, left);
            accp_read_vector(this->parameters.right + first + i, right);
#pragma unroll
            for (int k = 0; k < 4; ++k)
                elements[i + k] = {left[k], right[k]};
        }
    }
    __device__ __forceinline__ void add(int k, const element &x)
    {
        this->sum[k] = __fmaf_rn(x.left, x.right, this->sum[k]);
    }
    __device__ __forceinline__ void finish(void)
    {
        this->parameters.results[this->place.thread] = this->sum[0];
    }
};

template <int accumulators> struct accp_bias : accp_sums<accumulators> {
    typedef float element;
    using accp_sums<accumulators>::accp_sums;
    __device__ __forceinline__ void read(element *elements, int base, bool whole)
    {
        const float *from = this->parameters.left + this->place.thread;
#pragma unroll
        for (int i = 0; i < ACCP_OPERATOR_TURN; ++i)
            if (whole || base + i < this->parameters.length)
                elements[i] = from[(long long)(base + i) * this->place.threads];
    }
    __device__ __forceinline__ void add(int k, element x)
    {
        this->sum[k] += x;
    }
    __device__ __forceinline__ void finish(void)
    {
        this->parameters.results[this->place.thread] = this->sum[0];
    }
};

template <int accumulators> struct accp_stream : accp_bias<accumulators> {
    typedef float element;
    using accp_bias<accumulators>::accp_bias;
    __device__ __forceinline__ void read(element *elements, int base, bool whole)
    {
        const float *from = this->parameters.left;
        const long long threads = this->place.threads, thread = this->place.thread;
#pragma unroll
        for (int i = 0; i < ACCP_OPERATOR_TURN; i += 4) {
            if (whole || base + i + 4 <= this->parameters.length) {
                accp_read_vector(from + (base + i) * threads + 4 * thread, elements + i);
                continue;
            }
#pragma unroll
            for (int k = 0; k < 4; ++k)
                if (base + i + k < this->parameters.length)
                    elements[i + k] = from[(base + i + k) * threads + thread];
        }
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

template <int accumulators> struct accp_gemm {
    struct element {
        float row[ACCP_OPERATOR_TILE], column[ACCP_OPERATOR_TILE];
    };
    enum { ahead = 3 }; /* more, and the compiler spills at 2 accumulators of 16 sums */
    float sum[accumulators][ACCP_OPERATOR_TILE][ACCP_OPERATOR_TILE];
    const struct accp_operator_parameters &parameters;
    const struct accp_place place;

    __device__ __forceinline__ accp_gemm(const struct accp_operator_parameters &given)
        : parameters(given), place(accp_place_of())
    {
#pragma unroll
        for (int k = 0; k < accumulators; ++k)
#pragma unroll
            for (int i = 0; i < ACCP_OPERATOR_TILE * ACCP_OPERATOR_TILE; ++i)
                sum[k][i / ACCP_OPERATOR_TILE][i % ACCP_OPERATOR_TILE] = 0;
    }
    __device__ __forceinline__ void read(element *elements, int base, bool whole)
    {
        const int rows = ACCP_OPERATOR_WARP_ROWS * parameters.tiles;
        const float *left = parameters.left + base * rows +
                            place.warp % parameters.tiles * ACCP_OPERATOR_WARP_ROWS +
                            place.lane % 8 * ACCP_OPERATOR_TILE;
        const float *right = parameters.right + base * parameters.columns +
                             place.warp / parameters.tiles * ACCP_OPERATOR_WARP_COLUMNS +
                             place.lane / 8 * ACCP_OPERATOR_TILE;
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            if (!whole && base + i >= parameters.length) break;
            accp_read_vector(left + i * rows, elements[i].row);
            accp_read_vector(right + i * parameters.columns, elements[i].column);
        }
    }
    __device__ __forceinline__ void add(int k, const element &x)
    {
#pragma unroll
        for (int row = 0; row < ACCP_OPERATOR_TILE; ++row)
#pragma unroll
            for (int column = 0; column < ACCP_OPERATOR_TILE; ++column)
                sum[k][row][column] = __fmaf_rn(x.row[row], x.column[column], sum[k][row][column]);
    }
    __device__ __forceinline__ void merge(int left, int right)
    {
#pragma unroll
        for (int row = 0; row < ACCP_OPERATOR_TILE; ++row)
#pragma unroll
            for (int column = 0; column < ACCP_OPERATOR_TILE; ++column)
                sum[left][row][column] += sum[right][row][column];
    }
    __device__ __forceinline__ void finish(void)
    {
        float4 *to =
            reinterpret_cast<float4 *>(parameters.results) + place.thread * ACCP_OPERATOR_TILE;
#pragma unroll
        for (int row = 0; row < ACCP_OPERATOR_TILE; ++row)
            to[row] = make_float4(sum[0][row][0], sum[0][row][1], sum[0][row][2], sum[0][row][3]);
    }
};

/* A row a warp, its elements dealt to the lanes in turn. */
template <int accumulators> struct accp_row {
    typedef float element;
    enum { ahead = ACCP_OPERATOR_TURN };
    const struct accp_operator_parameters &parameters;
    const struct accp_place place;
    const float *row;

    __device__ __forceinline__ accp_row(const struct accp_operator_parameters &given)
        : parameters(given), place(accp_place_of()),
          row(given.left + (long long)place.warp * ACCP_OPERATOR_LANES * given.length)
    {
    }
    __device__ __forceinline__ void read(element *elements, int base, bool whole)
    {
#pragma unroll
        for (int i = 0; i < ACCP_OPERATOR_TURN; ++i)
            if (whole || base + i < parameters.length)
                elements[i] = row[(base + i) * ACCP_OPERATOR_LANES + place.lane];
    }
};

/* Less than any element, and a difference of two of them is no NaN. */
#define ACCP_SOFTMAX_LEAST (-1e30f)

template <int accumulators> struct accp_softmax : accp_row<accumulators> {
    float maximum[accumulators], sum[accumulators];

    __device__ __forceinline__ accp_softmax(const struct accp_operator_parameters &given)
        : accp_row<accumulators>(given)
    {
#pragma unroll
        for (int k = 0; k < accumulators; ++k) {
            maximum[k] = ACCP_SOFTMAX_LEAST;
            sum[k] = 0;
        }
    }
    __device__ __forceinline__ void add(int k, float x)
    {
        const float scaled = x * 1.4426950408889634f; /* log2 e */
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
        if (this->place.lane != 0) return;
        this->parameters.results[2 * this->place.warp] = maximum[0];
        this->parameters.results[2 * this->place.warp + 1] = sum[0];
    }
};

/* Elements are taken less the first of their row: a mean that is large beside the deviation then
 * costs no digits. Merging after Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing
 * sample variances", 1979. */
template <int accumulators> struct accp_welford : accp_row<accumulators> {
    float count[accumulators], mean[accumulators], squares[accumulators];
    float shift;

    __device__ __forceinline__ accp_welford(const struct accp_operator_parameters &given)
        : accp_row<accumulators>(given), shift(this->row[0])
    {
#pragma unroll
        for (int k = 0; k < accumulators; ++k)
            count[k] = mean[k] = squares[k] = 0;
    }
    __device__ __forceinline__ void add(int k, float x)
    {
        const float shifted = x - shift, deviation = shifted - mean[k];
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
        if (this->place.lane != 0) return;
        this->parameters.results[2 * this->place.warp] = mean[0];
        this->parameters.results[2 * this->place.warp + 1] = squares[0];
    }
};

template <int accumulators, class Operator>
static __device__ __forceinline__ void accp_operate(const struct accp_operator_parameters &given)
{
    const long long begin_cycles = accp_clock();
    Operator op(given);
    accp_walk<accumulators>(op, given.length);
    op.finish();
    if (op.place.lane == 0) accp_record_write(&given.records[op.place.warp], begin_cycles);
}

#define OPERATOR_KERNEL(operation, acc) \
    extern "C" __global__ void __launch_bounds__(256) \
        ops_##operation##_acc##acc(const __grid_constant__ struct accp_operator_parameters given) \
    { \
        accp_operate<acc, accp_##operation<acc>>(given); \
    }
#include "operator_kernels.def"
