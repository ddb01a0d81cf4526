/* Recorded straight codes in the model's own simulation, cycle by cycle. */
#ifndef CODES_REPLAY_H
#define CODES_REPLAY_H

#include "base/random.h"
#include "codes.h"
#include "model/parameters.h"
#include "model/program.h"

#include <stdbool.h>

/* A set's codes as the model takes them. */
struct codes_replay {
    const struct codes_set *set; /* borrowed */
    struct accp_model_parameters parameters;
    struct accp_model_program programs[ACCP_CODES_WARPS]; /* owned */
};

/* The first read that the model has in another cycle. */
struct codes_difference {
    bool exact; /* there is none */
    int warp, read;
    int is_cycle;    /* as measured, in the timeline's count */
    int late_cycles; /* that the model has it later; 0: it never comes */
};

/* Translates a set; codes_replay_fini frees it, and is due only after a success. Errors: those of
 * accp_model_program_init; UNSUPPORTED: the model does not time an instruction. */
enum accp_status codes_replay_init(const struct codes_set *set, struct codes_replay *replay,
                                   struct accp_error *error);
void codes_replay_fini(struct codes_replay *replay);

/* Runs the codes from the first clock read of each warp, up to the cycle in which the first of them is through with the NOPs
 * behind its code. What was served to each warp before is not known: the answer is that of the counts with which the model goes
 * right the longest, of all 256 of two warps, of more warps of those that a search finds, always the same one. */
struct codes_difference codes_replay_run(const struct codes_replay *replay,
                                         const struct codes_timeline *timeline);

/* What the model makes of the codes from drawn starts and counts: what codes_replay_run must find exact. */
void codes_replay_predict(const struct codes_replay *replay, struct accp_random *random,
                          struct codes_timeline *timeline);

#endif
