/* What one iteration of a role computes, on the CPU: the oracle for the kernels' results, bit for
 * bit in float and as a yardstick for rounding in double.
 *
 * The recurrence, for chain >= 1 links dealt round-robin to 1 <= effective <= chain accumulators:
 *   link i of accumulator k = i mod effective:
 *     first link     acc_k = fma(multiplier, sink, start_k)
 *     further links  acc_k = fma(multiplier, acc_k, addend)
 *   then             sink  = sink + acc_0, sink + acc_1, ... in this order, each rounded */
#ifndef ACCP_MEASURE_REFERENCE_H
#define ACCP_MEASURE_REFERENCE_H

#include "parameters.h"

/* What one lane starts from. */
struct accp_reference_lane {
    float multiplier, addend, sink;
    float start[ACCP_ACCUMULATORS];
};

/* Picks lane 0 .. ACCP_LANES - 1 out of ACCP_INPUT_ROWS x ACCP_LANES floats. */
void accp_reference_lane_load(struct accp_reference_lane *lane, const float *input, int index);

/* The sink after one more iteration. effective is in 1 .. min(chain, ACCP_ACCUMULATORS). */
float accp_reference_iteration(const struct accp_reference_lane *lane, int chain, int effective,
                               float sink);
double accp_reference_iteration_double(const struct accp_reference_lane *lane, int chain,
                                       int effective, double sink);

#endif
