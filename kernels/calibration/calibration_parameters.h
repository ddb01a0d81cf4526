/* What the calibration kernel and the program that runs it agree on. Compiles as C11 and CUDA C, so
 * it includes nothing; all pointers are device pointers. */
#ifndef ACCP_CALIBRATION_PARAMETERS_H
#define ACCP_CALIBRATION_PARAMETERS_H

enum {
    ACCP_CALIBRATION_REGISTERS = 64, /* of a thread; a loop may name all but the last two */
    ACCP_CALIBRATION_SHARED_FLOATS = 1024,
    ACCP_CALIBRATION_SLOTS = 1024, /* instructions that are written over */
    ACCP_CALIBRATION_PHASES = 4
};

/* Written by each warp, one for each phase. */
struct accp_calibration_record {
    unsigned start_cycle, end_cycle; /* the clock's low word */
    int counter;                     /* what the loop left of it: 0 */
};

/* How a warp begins a phase. */
struct accp_calibration_start {
    unsigned skew_cycles;
    int iterations; /* 1 or more */
};

struct accp_calibration_parameters {
    const struct accp_calibration_start *starts; /* phases for each warp of the grid */
    struct accp_calibration_record *records;     /* phases for each warp of the grid */
    int phases;                                  /* 0 or more */
};

#endif
