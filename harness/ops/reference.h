/* What an operator has to compute, in double precision, and how far float may be from it.
 *
 * u = 2^-24 is the unit roundoff of float. A lane's elements are dealt to its accumulators, which a tree merges; the
 * longest way of a sum is depth = ceil(length / acc) + ceil(log2 acc), and 5 more where a warp merges its lanes.
 *   sums (dot, gemm, bias, stream)  depth x u x (sum of |terms|): Higham, "Accuracy and Stability of Numerical
 *                                   Algorithms", 4.2
 *   softmax, maximum                2 u of its size (scaling by log2 e)
 *   softmax, sum                    relative: 5 u a step (ex2.approx: 2^-22, PTX ISA; fma: u), and 3 u for each
 *                                   unit of the largest scaled element (rounding of the exponents)
 *   welford, mean                   (2 depth + 10) u x largest |element - first|
 *   welford, squares                2 (depth + 8) u of its size, and what that error of the mean makes of it
 * First-order bounds; what they leave out is of the order of u^2, and a factor of 1.01 covers it. */
#ifndef ACCP_OPS_REFERENCE_H
#define ACCP_OPS_REFERENCE_H

#include "operators.h"

#include <stddef.h>

/* The data of one launch: its elements repeat a pattern, so that no host has to hold them all. */
struct accp_operator_data {
    const float *pattern; /* left[i] is pattern[i mod count] */
    size_t count;
    size_t right_shift; /* right[i] is pattern[(i + right_shift) mod count] */
};

/* The sizes of one launch. */
struct accp_operator_grid {
    size_t threads, warps; /* of the grid */
    int length;            /* elements of a lane, 1 or more; of dot at most 64 */
    int tiles, columns;    /* of gemm (kernels/operator_parameters.h) */
};

struct accp_operator_bound {
    double expected, error; /* |result - expected| <= error */
};

/* A grid of `warps` warps, with the tiles that gemm takes for it. */
void accp_operator_grid_init(size_t warps, int length, struct accp_operator_grid *grid);

/* Floats that a launch reads from `left` and from `right`, and writes to `results`. */
size_t accp_operator_left_floats(enum accp_operator_id op, const struct accp_operator_grid *grid);
size_t accp_operator_right_floats(enum accp_operator_id op, const struct accp_operator_grid *grid);
size_t accp_operator_result_floats(enum accp_operator_id op, const struct accp_operator_grid *grid);

/* The results of one owner (a thread or a warp, accp_operators[op].owner) with `acc` accumulators:
 * as many bounds as the operator has outputs. */
void accp_operator_expect(enum accp_operator_id op, int acc, const struct accp_operator_grid *grid,
                          const struct accp_operator_data *data, size_t owner,
                          struct accp_operator_bound *bounds);

#endif
