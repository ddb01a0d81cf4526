/* What the harness and the kernels agree on: the one parameter of every kernel of the matrix, and
 * what a warp writes. Compiles as C11, C++ and under NVRTC, so it includes nothing; all pointers
 * are device pointers. */
#ifndef ACCP_PARAMETERS_H
#define ACCP_PARAMETERS_H

enum {
    ACCP_LANES = 32,
    /* Rows of `input`, one float a lane each, the same for every warp. */
    ACCP_INPUT_MULTIPLIER = 0,
    ACCP_INPUT_ADDEND = 1,
    ACCP_INPUT_SINK = 2,
    ACCP_INPUT_START = 3, /* and one more for each further accumulator */
    ACCP_ACCUMULATORS = 64,
    ACCP_INPUT_ROWS = ACCP_INPUT_START + ACCP_ACCUMULATORS,
    ACCP_PHASES = 3
};

/* Written by lane 0 of each warp. */
struct accp_record {
    unsigned elapsed_cycles, iterations;     /* of the last phase */
    unsigned short_cycles, short_iterations; /* of the phase before it; 0 where there is none */
};

struct accp_parameters {
    /* A phase runs the loop at least once and until its budget is spent. Three phases warm up, run
     * briefly and measure: the difference of the last two is free of what entering the loop and its
     * first turns cost. The budgets stand first so that all share one 64-byte line of the constant
     * bank: a miss on the last alone would count as 52 cycles of its phase. */
    long long budget_cycles[ACCP_PHASES];
    const float *input;          /* ACCP_INPUT_ROWS x ACCP_LANES */
    const unsigned *skew_cycles; /* one for each warp of the grid */
    struct accp_record *records; /* one for each warp of the grid */
    float *sinks; /* one for each thread of the grid: the sink after the last phase */
    int phases;
    const unsigned char *selectors; /* one for each warp of the grid: the acc of the role that it
                                       runs; read by kernels that several roles share */
};

#endif
