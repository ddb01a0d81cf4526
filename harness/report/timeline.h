/* What the warps of one scheduler do in each cycle of a hot loop, as the issue model has it: a prediction, whatever the
 * cycles of the role were measured to be. */
#ifndef ACCP_REPORT_TIMELINE_H
#define ACCP_REPORT_TIMELINE_H

#include "model/model.h"

enum {
    ACCP_TIMELINE_CYCLES = 400, /* kept, from the end of the warm-up on */
    ACCP_TIMELINE_WARPS = ACCP_MODEL_SCHEDULER_WARPS,
    ACCP_TIMELINE_TEXT_BYTES = 96
};

/* What a warp did in one cycle. */
struct accp_timeline_cell {
    uint8_t cause;        /* enum accp_cause; NONE: it issued */
    uint16_t instruction; /* that it issued or waits for, from the loop's first on */
};

struct accp_timeline {
    char role[ACCP_NAME_BYTES];
    int warps;          /* in the block */
    int lanes;          /* warps of the scheduler that is shown */
    int cycles;         /* kept */
    double mean_cycles; /* predicted, of an iteration over all starts */
    bool validated;     /* the arch's parameters were calibrated on hardware */
    struct accp_timeline_cell cells[ACCP_TIMELINE_WARPS][ACCP_TIMELINE_CYCLES];
    int64_t totals[ACCP_CAUSE_COUNT]; /* warp-cycles of all timed cycles, for the shares */
    int instruction_count;
    char (*instructions)[ACCP_TIMELINE_TEXT_BYTES]; /* owned; opcode and operands */
};

/* Traces `loop` of `code` at a number of warps. *timeline is initialised here; pair with accp_timeline_fini. Errors: as
 * accp_model_predict; UNSUPPORTED: the loop holds what the model does not time (the text says what). */
enum accp_status accp_timeline_make(const struct accp_code *code, const struct accp_loop *loop,
                                    const char *role, int warps, struct accp_timeline *timeline,
                                    struct accp_error *error);
void accp_timeline_fini(struct accp_timeline *timeline);

#endif
