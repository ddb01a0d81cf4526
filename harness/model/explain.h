/* Where the cycles of a predicted loop go: instruction by instruction, cause by cause, and what the
 * units of a scheduler need at the least. All of it comes from the same simulation as the
 * prediction (model.h). */
#ifndef ACCP_MODEL_EXPLAIN_H
#define ACCP_MODEL_EXPLAIN_H

#include "model/model.h"

/* BOUND(id, name, what must have that much time). A scheduler's, in cycles of an iteration of all of
 * its warps. */
#define ACCP_BOUND_TABLE(BOUND) \
    BOUND(ISSUE, "issue slots", "one instruction is issued in a cycle") \
    BOUND(FMA, "FMA pipes", "f32 arithmetic and integer products, on all of them") \
    BOUND(HEAVY, "second FMA pipe", "integer products, which only it takes") \
    BOUND(ALU, "integer pipe", "integers, logic, compares, moves") \
    BOUND(UNIFORM, "uniform pipe", "the uniform datapath") \
    BOUND(FP64, "FP64 pipe", "f64 arithmetic") \
    BOUND(SFU, "SFU", "special functions and conversions") \
    BOUND(SHARED, "SM queue", "constant loads and special registers, of all schedulers") \
    BOUND(EVEN, "even registers", "a bank gives one register in a cycle, if all reuse succeeds") \
    BOUND(ODD, "odd registers", "a bank gives one register in a cycle, if all reuse succeeds") \
    BOUND(STALLS, "a warp's waits", \
          "its stall counts as an SM takes them (shape adds them up as written); other warps do " \
          "not " \
          "add to it")

enum accp_bound {
#define BOUND(id, name, meaning) ACCP_BOUND_##id,
    ACCP_BOUND_TABLE(BOUND)
#undef BOUND
        ACCP_BOUND_COUNT
};

enum { ACCP_TIMELINE_CYCLES = 1024 };

/* One instruction of the loop. */
struct accp_explained_instruction {
    bool
        executed; /* false: a branch skips it, in every iteration or, if the prediction is unknown for
                      that, in some */
    /* Of an iteration of one warp, on average: [ACCP_CAUSE_NONE] is the cycle in which it issues.
     * A stall count is charged to the instruction that carries it, the fetch of a branch target to
     * the branch, everything else to the instruction that had to wait. */
    double cycles[ACCP_CAUSE_COUNT];
    int producer; /* the instruction that releases a scoreboard that this one waits for, nearest
                     before it in the order of the loop; -1: it waits for none */
};

/* What one warp of scheduler 0 did in a cycle of the timeline. */
struct accp_timeline_cell {
    int16_t instruction; /* that it issued or waited for, from the loop's first on */
    uint8_t cause;       /* enum accp_cause; ACCP_CAUSE_NONE: it issued */
};

struct accp_explanation {
    struct accp_prediction prediction;
    int scheduler_warps; /* of scheduler 0, which has the most */
    /* Cycles of an iteration as the instructions below add up to: those of scheduler 0. The mean of
     * the prediction where every scheduler has as many warps. */
    double cycles;
    double causes[ACCP_CAUSE_COUNT]; /* sums over the instructions */
    bool has_bounds;                 /* false: nobody knows where a branch inside the loop goes */
    /* Cycles, of the instructions that every iteration executes; 0: nothing of it is used. */
    double bounds[ACCP_BOUND_COUNT];
    int count;                                       /* instructions */
    struct accp_explained_instruction *instructions; /* owned */
    /* Of the first start: from a branch of warp 0 on until every warp has been through an iteration,
     * or ACCP_TIMELINE_CYCLES. [cycle * scheduler_warps + warp] */
    int timeline_cycles;
    struct accp_timeline_cell *timeline; /* owned */
};

/* Explains the prediction of `loop`; the trace of `options` is taken, `without` and `phases` count.
 * On success the caller frees with accp_explanation_fini; on failure it is cleared. Errors: as
 * accp_model_predict, MEMORY. */
enum accp_status accp_explain(const struct accp_code *code, const struct accp_loop *loop,
                              const struct accp_model_options *options,
                              struct accp_explanation *explanation, struct accp_error *error);
void accp_explanation_fini(struct accp_explanation *explanation);

/* Predicts the loop as if the instructions i with dropped[i] (from the loop's head on, never its last
 * one) were not in it, nor their stall counts: what an instruction costs. Nothing is said of whether
 * the rest would still compute anything. Errors: as accp_model_predict, MEMORY. */
enum accp_status accp_explain_dropped(const struct accp_code *code, const struct accp_loop *loop,
                                      const struct accp_model_options *options, const bool *dropped,
                                      struct accp_prediction *prediction, struct accp_error *error);

/* Fills bounds[ACCP_BOUND_COUNT] for `warps` on the SM without simulating anything; false: a branch inside the loop may
 * skip instructions, so they need not hold. Errors: as accp_model_predict, but for more warps than registers. */
enum accp_status accp_explain_bounds(const struct accp_code *code, const struct accp_loop *loop,
                                     int warps, double bounds[ACCP_BOUND_COUNT], bool *hold,
                                     struct accp_error *error);

/* Index of the largest bound. */
enum accp_bound accp_explanation_bound(const struct accp_explanation *explanation);

const char *accp_bound_name(enum accp_bound bound);
const char *accp_bound_meaning(enum accp_bound bound);

#endif
