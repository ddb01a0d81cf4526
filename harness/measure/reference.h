/* What a role computes, on the CPU: the oracle for the kernels' results, bit for bit in float and as
 * a yardstick for rounding in double.
 *
 * An iteration, for the links of matrix/links.h in their order, with accumulator k's start_k:
 *   first link of k   acc_k = fma(multiplier, sink, start_k), or of what acc_k held if it is carried
 *   further links     acc_k = fma(multiplier, acc_k, addend), or of another accumulator if joined
 *   then              sink  = sink + acc_0, sink + acc_1, ... of those that are sunk, each rounded
 * and after the last iteration the carried ones are added to the sink in the same way: the result. */
#ifndef ACCP_MEASURE_REFERENCE_H
#define ACCP_MEASURE_REFERENCE_H

#include "matrix.h"
#include "parameters.h"

/* A role, taken apart once. */
struct accp_reference_work {
    int chain, effective;
    enum accp_sink sink;
    struct accp_links links;
};

/* What one lane starts from. */
struct accp_reference_lane {
    float multiplier, addend, sink;
    float start[ACCP_ACCUMULATORS];
};

/* Where a lane stands between two iterations. */
struct accp_reference_float {
    float sink, accumulator[ACCP_ACCUMULATORS];
};
struct accp_reference_double {
    double sink, accumulator[ACCP_ACCUMULATORS];
};

/* For effective in 1 .. min(chain, ACCP_ACCUMULATORS), chain at most ACCP_LINKS. */
void accp_reference_work_init(struct accp_reference_work *work, const struct accp_role *role);

/* Roundings that one lane's result can have met, at the most: every link and addition of all its
 * iterations, and the sum after the loop. */
int accp_reference_operations(const struct accp_reference_work *work, int iterations);

/* Picks lane 0 .. ACCP_LANES - 1 out of ACCP_INPUT_ROWS x ACCP_LANES floats. */
void accp_reference_lane_load(struct accp_reference_lane *lane, const float *input, int index);

/* begin, one iterate for each iteration, and the result at any time; result changes nothing. */
void accp_reference_float_begin(const struct accp_reference_lane *lane,
                                struct accp_reference_float *state);
void accp_reference_float_iterate(const struct accp_reference_work *work,
                                  const struct accp_reference_lane *lane,
                                  struct accp_reference_float *state);
float accp_reference_float_result(const struct accp_reference_work *work,
                                  const struct accp_reference_float *state);
void accp_reference_double_begin(const struct accp_reference_lane *lane,
                                 struct accp_reference_double *state);
void accp_reference_double_iterate(const struct accp_reference_work *work,
                                   const struct accp_reference_lane *lane,
                                   struct accp_reference_double *state);
double accp_reference_double_result(const struct accp_reference_work *work,
                                    const struct accp_reference_double *state);

#endif
