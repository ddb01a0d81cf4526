/* Predicts how many cycles an iteration of a loop takes, from the control bits and registers of its
 * SASS alone: no GPU is asked. An SM is simulated cycle by cycle, with its warps on their
 * schedulers; docs/model.md says what each mechanism rests on, what it is worth, and how far off
 * the prediction is.
 *
 * Every mechanism can be switched off, which is how its worth is measured. */
#ifndef ACCP_MODEL_MODEL_H
#define ACCP_MODEL_MODEL_H

#include "base/status.h"
#include "run/run.h"
#include "sass/code.h"

#include <stdbool.h>
#include <stdint.h>

/* MECHANISM(id, name, what it does) */
#define ACCP_MECHANISM_TABLE(MECHANISM) \
    MECHANISM(STALLS, "stalls", "a warp waits for as long as its last stall count says") \
    MECHANISM(YIELD, "yield", "a yield gives the slot away, and costs one when nobody takes it") \
    MECHANISM(SCOREBOARDS, "scoreboards", "wait masks hold a warp until a scoreboard is released") \
    MECHANISM(GREEDY, "greedy", "the warp that issued last goes on as long as it can") \
    MECHANISM(SHARES, "shares", \
              "else the one that issued least of late, or waits longest without") \
    MECHANISM(PIPES, "pipes", "16 lanes hold their pipe for two cycles") \
    MECHANISM(WIDE, "wide", "IMAD.WIDE and IMAD.HI keep the last reading stage for two more") \
    MECHANISM(UNIFORM, "uniform", "the uniform pipe is held for two cycles") \
    MECHANISM(QUEUES, "queues", "LDC, S2R and those of the SFU stand in a queue") \
    MECHANISM(PORTS, "ports", "a register bank gives one register in a cycle") \
    MECHANISM(REUSE, "reuse", "the reuse cache spares reads of a bank") \
    MECHANISM(WRITES, "writes", "results that come to a bank in one cycle wait for each other") \
    MECHANISM(RESULTS, "results", "a result can be read from the bank some cycles later") \
    MECHANISM(BRANCH, "branch", "a taken branch empties the instruction buffer") \
    MECHANISM(LINES, "lines", "the line after that of a branch target comes later") \
    MECHANISM(FETCH, "fetch", "the warps of a scheduler ask for one line a cycle") \
    MECHANISM(CACHE, "cache", "a loop that a scheduler cannot keep fetches its beginning anew") \
    MECHANISM(SHARED, "shared", "the schedulers share the queue of LDC and S2R")

enum accp_mechanism {
#define MECHANISM(id, name, meaning) ACCP_MECHANISM_##id,
    ACCP_MECHANISM_TABLE(MECHANISM)
#undef MECHANISM
        ACCP_MECHANISM_COUNT
};

/* CAUSE(id, name, why a warp did not issue in a cycle) */
#define ACCP_CAUSE_TABLE(CAUSE) \
    CAUSE(NONE, "none", "it issued") \
    CAUSE(ANOTHER, "another", "it could have, but another warp of its scheduler was served") \
    CAUSE(STALL, "stall", "the stall count or yield of its last instruction") \
    CAUSE(SCOREBOARD, "scoreboard", "it waits for a scoreboard") \
    CAUSE(PIPE, "pipe", "the pipe of its instruction is busy") \
    CAUSE(PORTS, "ports", "the scheduler stands still until registers have been read") \
    CAUSE(BRANCH, "branch", "the instruction at the target of its branch is being fetched") \
    CAUSE(LINE, "line", "the next line of instructions is being fetched")

enum accp_cause {
#define CAUSE(id, name, meaning) ACCP_CAUSE_##id,
    ACCP_CAUSE_TABLE(CAUSE)
#undef CAUSE
        ACCP_CAUSE_COUNT
};

enum {
    ACCP_MODEL_WARPS = 64,          /* of an SM */
    ACCP_MODEL_INSTRUCTIONS = 4096, /* of a loop */
    ACCP_MODEL_PHASES = 256,
    ACCP_MODEL_OTHERS = 15,
    ACCP_MODEL_CYCLES = 1 << 25, /* of schedulers, that one prediction simulates at the most: 6
                                    seconds where all are full and share a queue */
    ACCP_MODEL_TEXT_BYTES = 96
};

enum { ACCP_MODEL_SCHEDULER_WARPS = 16 };

/* One cycle of one scheduler, the warps in the order of their numbers. */
struct accp_model_cycle {
    int start;     /* of the starts that are averaged over: 0, 1, ... */
    int64_t cycle; /* from the end of that start's warm-up on */
    int scheduler, warps;
    int issued;                                   /* the warp that did; -1: none */
    int instructions[ACCP_MODEL_SCHEDULER_WARPS]; /* that it issues or waits for, from the loop's
                                                     first on */
    enum accp_cause causes[ACCP_MODEL_SCHEDULER_WARPS];
};

/* Called for every cycle of the timed part of the first start, or of all of them, and for every
 * scheduler that is simulated: scheduler 0, which has the most warps, and the others only where
 * they share a queue that the loop uses. Nothing of `cycle` is valid after the call. */
typedef void accp_model_trace(const struct accp_model_cycle *cycle, void *context);

struct accp_model_options {
    int warps;               /* of the one block on the SM: 1 to ACCP_MODEL_WARPS */
    int phases;              /* random starts to average over: 1 to ACCP_MODEL_PHASES; 0: 32, and
                                16 if a scheduler has more than two warps */
    uint64_t seed;           /* of the starts; the same seed gives the same prediction everywhere */
    uint32_t without;        /* bit ACCP_MECHANISM_x: leave it out */
    accp_model_trace *trace; /* NULL: not wanted */
    void *trace_context;
    bool traces_every_start; /* else only the first */
    /* Other loops of the code, if the warps of the block run different ones: those beside a warp of
     * the loop that is predicted, each as often as another. */
    const struct accp_loop *const *others;
    int other_count; /* up to ACCP_MODEL_OTHERS; with any, the starts are as many times as many */
};

struct accp_prediction {
    struct accp_cycles cycles; /* an iteration's, over all warps and starts; n counts them */
    /* False: the loop holds what the model does not time, or is too long to simulate. It is not
     * simulated then, and has no cycles. */
    bool known;
    char unknown[ACCP_MODEL_TEXT_BYTES]; /* which, and where; "" when known */
    bool
        has_stores; /* to shared memory, timed as if no two lanes met in a bank: SASS does not say */
    bool validated; /* the parameters of this arch were calibrated on hardware */
    int most_warps; /* that the kernel's registers allow on an SM */
};

/* Predicts `loop` of `code` (both stay the caller's). Allocates 5 megabytes, and nothing while it simulates;
 * what has come after a state of the SM once is not simulated again when it comes back, unless a trace is wanted. Errors: USAGE (options out of range); INPUT (a loop that is too long; more warps
 * than the kernel's registers allow); UNSUPPORTED (an arch without parameters); MEMORY. */
enum accp_status accp_model_predict(const struct accp_code *code, const struct accp_loop *loop,
                                    const struct accp_model_options *options,
                                    struct accp_prediction *prediction, struct accp_error *error);

/* The static name and meaning of a mechanism; and the mechanism of that name, or -1. */
const char *accp_mechanism_name(enum accp_mechanism mechanism);
const char *accp_mechanism_meaning(enum accp_mechanism mechanism);
int accp_mechanism_find(const char *name);
const char *accp_cause_name(enum accp_cause cause);
const char *accp_cause_meaning(enum accp_cause cause);

#endif
