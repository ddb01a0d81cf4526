/* What the kernel of the straight codes and the program that runs it agree on. Compiles as C11 and CUDA C,
 * so it includes nothing; all pointers are device pointers. */
#ifndef ACCP_CODES_PARAMETERS_H
#define ACCP_CODES_PARAMETERS_H

enum {
    ACCP_CODES_SCHEDULERS = 4, /* warps w and w + 4 of a block share one */
    ACCP_CODES_WARPS = 4,      /* of a scheduler, at most */
    ACCP_CODES_SLOTS = 448,    /* instructions that are written over */
    ACCP_CODES_RECORDS = 40, /* registers of a phase: clock reads, and at last which code it ran */
    ACCP_CODES_PHASES = 4,   /* the first fills the instruction caches */
    ACCP_CODES_DELAYS = 7,   /* low bits of `select`, see codes_template.c */
    ACCP_CODES_PHASE_CYCLES = 4000
};

/* How a warp begins a phase. */
struct accp_codes_start {
    unsigned until_cycle; /* since the block began */
    unsigned select;      /* which delays it takes; above them bit k: it runs code k */
};

struct accp_codes_parameters {
    const struct accp_codes_start *starts; /* phases for each warp of the grid */
    unsigned *records; /* ACCP_CODES_RECORDS for each phase of each warp of the grid */
    int phases;        /* 0 or more */
    unsigned zero;     /* 0, which the compiler must not know */
};

#endif
