/* A kernel whose registers compilers disagree about: a 3x3 complex matrix times 8 right-hand sides,
 * accumulated over four directions, as lattice codes have it: 24 complex f32 accumulators. The loop
 * over the directions has no unrolling pragma (the compiler's choice), `unroll 1`, or a full one.
 * The kernels run under `accprobe measure --cubin`. */
#include "../loop.cuh"

enum { DIRECTIONS = 4, SIDES = 8, MATRIX_ROWS = 18, VECTOR_ROWS = 6 * SIDES };

struct complex_float {
    float re, im;
};

static __device__ __forceinline__ struct complex_float at(const float *row, int index)
{
    const struct complex_float value = {row[2 * index * ACCP_LANES],
                                        row[(2 * index + 1) * ACCP_LANES]};
    return value;
}

static __device__ __forceinline__ void multiply_add(struct complex_float &sum,
                                                    struct complex_float a, struct complex_float b)
{
    sum.re = __fmaf_rn(a.re, b.re, sum.re);
    sum.im = __fmaf_rn(a.re, b.im, sum.im);
    sum.re = __fmaf_rn(-a.im, b.im, sum.re);
    sum.im = __fmaf_rn(a.im, b.re, sum.im);
}

/* Each direction reads the input from another lane's place, as a neighbouring site would. */
static __device__ __forceinline__ void one_direction(struct complex_float sum[3][SIDES],
                                                     const float *input, int direction)
{
    const float *matrix = input + (threadIdx.x + (unsigned)direction) % ACCP_LANES;
    const float *vectors = matrix + MATRIX_ROWS * ACCP_LANES;
    struct complex_float u[3][3];
#pragma unroll
    for (int i = 0; i < 9; ++i)
        u[i / 3][i % 3] = at(matrix, i);
#pragma unroll
    for (int side = 0; side < SIDES; ++side)
#pragma unroll
        for (int column = 0; column < 3; ++column) {
            const struct complex_float v = at(vectors, 3 * side + column);
#pragma unroll
            for (int row = 0; row < 3; ++row)
                multiply_add(sum[row][side], u[row][column], v);
        }
}

#define PRAGMA(text) _Pragma(#text)
#define UNROLL_absent
#define UNROLL_one  PRAGMA(unroll 1)
#define UNROLL_full PRAGMA(unroll)

/* Not constant, so that no compiler may fold it; zeros cost what other numbers cost. */
extern "C" {
__device__ float complex_matrix_input[(MATRIX_ROWS + VECTOR_ROWS + 1) * ACCP_LANES];
}

/* The sink of the iteration before decides where it reads, so that nothing is hoisted. */
#define KERNEL(name) \
    static __device__ __forceinline__ void iterate_##name(struct accp_lane &lane) \
    { \
        struct complex_float sum[3][SIDES] = {}; \
        const float *input = complex_matrix_input + (lane.sink < 0); \
        UNROLL_##name for (int direction = 0; direction < DIRECTIONS; ++direction) \
            one_direction(sum, input, direction); \
        float total = 0; \
        PRAGMA(unroll) \
        for (int i = 0; i < 3 * SIDES; ++i) \
            total += sum[i / SIDES][i % SIDES].re + sum[i / SIDES][i % SIDES].im; \
        lane.sink = total; \
    } \
    extern "C" __global__ void complex_matrix_unroll_##name( \
        const __grid_constant__ struct accp_parameters parameters) \
    { \
        accp_loop(parameters, 0, iterate_##name, accp_no_finish); \
    }
KERNEL(absent)
KERNEL(one)
KERNEL(full)
