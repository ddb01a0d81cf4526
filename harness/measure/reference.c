#include "measure/reference.h"

#include <math.h>

void accp_reference_lane_load(struct accp_reference_lane *lane, const float *input, int index)
{
    const float *row = input + index;
    lane->multiplier = row[ACCP_INPUT_MULTIPLIER * ACCP_LANES];
    lane->addend = row[ACCP_INPUT_ADDEND * ACCP_LANES];
    lane->sink = row[ACCP_INPUT_SINK * ACCP_LANES];
    for (int k = 0; k < ACCP_ACCUMULATORS; ++k)
        lane->start[k] = row[(ACCP_INPUT_START + k) * ACCP_LANES];
}

/* fmaf rounds once whatever the compiler makes of it; a written a * b + c might be contracted or
 * not. */
float accp_reference_iteration(const struct accp_reference_lane *lane, int chain, int effective,
                               float sink)
{
    float accumulator[ACCP_ACCUMULATORS];
    for (int link = 0; link < chain; ++link) {
        int k = link % effective;
        accumulator[k] = link < effective ? fmaf(lane->multiplier, sink, lane->start[k])
                                          : fmaf(lane->multiplier, accumulator[k], lane->addend);
    }
    for (int k = 0; k < effective; ++k)
        sink += accumulator[k];
    return sink;
}

double accp_reference_iteration_double(const struct accp_reference_lane *lane, int chain,
                                       int effective, double sink)
{
    const double multiplier = (double)lane->multiplier, addend = (double)lane->addend;
    double accumulator[ACCP_ACCUMULATORS];
    for (int link = 0; link < chain; ++link) {
        int k = link % effective;
        accumulator[k] = link < effective ? fma(multiplier, sink, (double)lane->start[k])
                                          : fma(multiplier, accumulator[k], addend);
    }
    for (int k = 0; k < effective; ++k)
        sink += accumulator[k];
    return sink;
}
