/* Straight codes that warps of one scheduler ran together, and when each read the clock, as
 * tests/data/calibration/codes.tsv tells, whose head describes the format. */
#ifndef CODES_H
#define CODES_H

#include "base/status.h"
#include "codes_parameters.h"
#include "sass/cubin.h"

#include <stddef.h>
#include <stdint.h>

enum {
    CODES_QUIET =
        8, /* reads of the clock before each code, from the begin of a line; NOPs behind it */
    CODES_QUIET_CYCLES = 15,              /* the stall count of both, which yield */
    CODES_INSTRUCTIONS = 112,             /* of a code, without these */
    CODES_READS = ACCP_CODES_RECORDS - 1, /* of the clock, those before a code among them */
    CODES_TIMELINES = 24,                 /* of a set that are kept */
    CODES_NAME_BYTES = 24
};

struct codes_code {
    size_t count;
    uint8_t bytes[CODES_INSTRUCTIONS][ACCP_INSTRUCTION_BYTES]; /* its reads go to no register yet */
    int reads;
    uint8_t read_at[CODES_READS]; /* the instructions that read, those before the code counted */
};

/* The cycle of each read of each warp, counted from the first of warp 0, and how often this came. */
struct codes_timeline {
    int times;
    int cycles[ACCP_CODES_WARPS][CODES_READS];
};

/* The codes that the warps of a scheduler ran, one each. */
struct codes_set {
    char group[CODES_NAME_BYTES];
    int number; /* within its group */
    int starts,
        distinct; /* measured, and how many different timelines they gave; 0: not measured */
    int warps;    /* 2 or more */
    struct codes_code codes[ACCP_CODES_WARPS];
    size_t timeline_count; /* of `distinct` */
    struct codes_timeline timelines[CODES_TIMELINES];
};

struct codes {
    struct codes_set *sets; /* owned */
    size_t count;
};

/* Reads the sets at `path`; codes_fini frees them, and is due only after a success. Errors: those of
 * calibration_read_text; INPUT (with the line at fault), MEMORY. */
enum accp_status codes_read(const char *path, struct codes *codes, struct accp_error *error);
void codes_fini(struct codes *codes);

/* Writes the sets at `path` anew to `out`, with the timelines of `codes`, which was read from it, and the line
 * `measured` in place of the one that says how it was measured. Errors: those of accp_file_read and
 * accp_file_write_atomic; MEMORY. */
enum accp_status codes_write(const char *path, const struct codes *codes, const char *measured,
                             const char *out, struct accp_error *error);

/* What stands before a code, a clock read into register `reg`, or behind it, a NOP (-1). */
void codes_quiet(int reg, uint64_t words[2]);

#endif
