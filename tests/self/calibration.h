/* Recorded calibration loops: what an iteration of each took on a GPU, as
 * tests/data/calibration/loops.tsv tells, whose head describes the format. */
#ifndef CALIBRATION_H
#define CALIBRATION_H

#include "base/status.h"
#include "sass/cubin.h"

#include <stddef.h>
#include <stdint.h>

/* LOAD(warps of a block, of which there is one on each SM) */
#define CALIBRATION_LOAD_TABLE(LOAD) LOAD(4) LOAD(8) LOAD(12) LOAD(16) LOAD(32)

enum {
#define LOAD(warps) +1
    CALIBRATION_LOADS = 0 CALIBRATION_LOAD_TABLE(LOAD),
#undef LOAD
    CALIBRATION_INSTRUCTIONS = 1000, /* of a loop, the branch back among them */
    CALIBRATION_COUNTER = 3,         /* the register that every loop counts down */
    CALIBRATION_LINE = 8,            /* instructions in a line of 128 bytes */
    CALIBRATION_NAME_BYTES = 24
};

struct calibration_loop {
    char group[CALIBRATION_NAME_BYTES];
    int number;                       /* within its group */
    int position;                     /* of the first instruction in its line */
    double cycles[CALIBRATION_LOADS]; /* of an iteration, as measured; 0: not at this load */
    size_t count;
    uint8_t code[CALIBRATION_INSTRUCTIONS][ACCP_INSTRUCTION_BYTES];
};

struct calibration {
    struct calibration_loop *loops; /* owned */
    size_t count;
};

/* The warps of a block at each load. */
extern const int calibration_warps[CALIBRATION_LOADS];

/* Reads the loops at `path`; calibration_fini frees them, and is due only after a success. Errors:
 * those of accp_file_read; INPUT (with the line at fault), MEMORY. */
enum accp_status calibration_read(const char *path, struct calibration *calibration,
                                  struct accp_error *error);
void calibration_fini(struct calibration *calibration);

/* Writes the recording at `path` anew to `out`, with the cycles of `calibration`, which was read from
 * it, and the line `measured` in place of the one that says how it was measured. Errors: those of
 * accp_file_read and accp_file_write_atomic; MEMORY. */
enum accp_status calibration_write(const char *path, const struct calibration *calibration,
                                   const char *measured, const char *out, struct accp_error *error);

#endif
