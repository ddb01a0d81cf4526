#include "measure/reference.h"

#include <math.h>

void accp_reference_work_init(struct accp_reference_work *work, const struct accp_role *role)
{
    work->chain = role->chain;
    work->effective = role->effective;
    work->sink = role->sink;
    work->links = accp_links_of(role->placement, role->chain, role->effective);
}

int accp_reference_operations(const struct accp_reference_work *work, int iterations)
{
    return iterations * (work->chain + work->effective) + work->effective;
}

void accp_reference_lane_load(struct accp_reference_lane *lane, const float *input, int index)
{
    const float *row = input + index;
    lane->multiplier = row[ACCP_INPUT_MULTIPLIER * ACCP_LANES];
    lane->addend = row[ACCP_INPUT_ADDEND * ACCP_LANES];
    lane->sink = row[ACCP_INPUT_SINK * ACCP_LANES];
    for (int k = 0; k < ACCP_ACCUMULATORS; ++k)
        lane->start[k] = row[(ACCP_INPUT_START + k) * ACCP_LANES];
}

#define REAL       float
#define FMA        fmaf
#define STATE      accp_reference_float
#define NAME(verb) accp_reference_float_##verb
#include "measure/reference_body.h"
#undef REAL
#undef FMA
#undef STATE
#undef NAME

#define REAL       double
#define FMA        fma
#define STATE      accp_reference_double
#define NAME(verb) accp_reference_double_##verb
#include "measure/reference_body.h"
