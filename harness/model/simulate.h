/* Runs a translated loop on the schedulers of one SM. Not for other modules. */
#ifndef ACCP_MODEL_SIMULATE_H
#define ACCP_MODEL_SIMULATE_H

#include "model/parameters.h"
#include "model/program.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    ACCP_MODEL_SCHEDULERS = 4,
    ACCP_MODEL_STAGES = 3, /* in which an instruction reads its registers */
    ACCP_MODEL_AHEAD = 2,  /* stages between its issue and these */
    ACCP_MODEL_PIPELINE = ACCP_MODEL_AHEAD + ACCP_MODEL_STAGES,
    ACCP_MODEL_QUEUED = 3, /* the stage behind which an instruction for a queue gets there */
    ACCP_MODEL_RESULTS =
        16, /* of queues, under way to a scheduler's registers, that are told apart */
    ACCP_MODEL_UNCOUNTED = 4,   /* cycles after an issue before it counts among the warp's */
    ACCP_MODEL_QUEUE = 4,       /* instructions of a warp that are read ahead */
    ACCP_MODEL_FETCH_BANKS = 2, /* that they are read from: even and odd */
    ACCP_MODEL_LINES = 2,       /* on their way to a warp at the same time, at most */
    ACCP_MODEL_BRANCHES = 256   /* that are listed at a time */
};

/* Holds until `clear_cycle` what has its queue behind it, and from `set_cycle` on what is still to come
 * to it. */
struct accp_model_scoreboard {
    int64_t set_cycle, clear_cycle;
    int64_t
        pending; /* instructions that are still to come to their queue, or results to the banks */
};

struct accp_model_line {
    int end; /* arrives up to, not with, this instruction; 0: there is none */
    int64_t arrival_cycle;
};

struct accp_model_warp {
    const struct accp_model_program *program;
    int next;     /* instruction to issue */
    int buffered; /* the lines of the instructions before this one have come */
    int read;     /* of which those before this one are read, or being read */
    int64_t there_cycle[ACCP_MODEL_QUEUE];          /* each of the last of these may be issued */
    int target;                                     /* of its last branch */
    struct accp_model_line lines[ACCP_MODEL_LINES]; /* under way, the first to arrive first */
    int64_t request_cycle;                          /* before which none is asked for */
    bool met;                                       /* the target's comes late, see meet */
    bool yielded;                                   /* its last instruction did */
    int served;                                     /* issues that count, see count_issue */
    int64_t ready_cycle;                            /* may issue again, by its scheduler's clock */
    int64_t pause_cycle, issue_cycle;               /* the same, by the SM's; issued last */
    struct accp_model_scoreboard scoreboards[ACCP_SCOREBOARDS];
    int32_t
        written_cycle[ACCP_MODEL_REGISTERS]; /* its last value is in its bank, by the SM's clock */
    bool from_fma[ACCP_MODEL_REGISTERS];     /* which comes from an FMA pipe */
};

/* A warp began an iteration. */
struct accp_model_branch {
    uint8_t scheduler, warp;
    int32_t cycle;
};

/* An instruction on its way to and through the stages in which registers are read. */
struct accp_model_reader {
    const struct accp_model_instruction *instruction; /* NULL: nothing that reads */
    uint8_t warp;
    uint8_t held_cycles;                     /* still to stay in the last stage */
    uint8_t pending;                         /* bit k: reads[k] is still to come */
    uint16_t latches[ACCP_MODEL_READS];      /* that reads[k] goes to */
    uint8_t from_fma;                        /* bit k: an FMA pipe made reads[k] */
    uint8_t late;                            /* bit k: a younger result was read in its stead */
    int32_t written_cycle[ACCP_MODEL_READS]; /* reads[k] is in its bank, by the SM's clock */
};

/* What comes out of a queue. */
struct accp_model_result {
    int64_t cycle;            /* is written, if nothing else is then */
    uint8_t warp, scoreboard; /* which is released */
    uint8_t release_cycles;   /* so much later */
    uint8_t banks;            /* bit b: it is written to bank b; 0: in a time of its own */
    uint32_t unused;
};

/* A scheduler has a clock of its own, which stands still in cycles in which the last of the reading
 * stages cannot let its instruction go. What has left that stage goes on. */
struct accp_model_scheduler {
    int warp_count;
    int owner;                               /* the warp that goes on if it can; -1: none */
    int last_warp;                           /* that issued */
    uint8_t uncounted[ACCP_MODEL_UNCOUNTED]; /* 1 + the warp that issued in each of the last cycles
                                                of the SM, the latest first; 0: none did */
    bool frozen;
    int meet_warp;                       /* that branched last */
    int64_t cycle;                       /* by its own clock, as are these: */
    int64_t meet_cycle;                  /* no other's branch meets that one any more */
    int64_t unit_cycle[ACCP_UNIT_COUNT]; /* the unit is free */
    int64_t fma_cycle[2];                /* each FMA pipe is; the second one multiplies integers */
    struct accp_model_reader readers[ACCP_MODEL_PIPELINE]; /* the last to issue first */
    struct {
        int warp, reg; /* of the entry; -1: none */
    } reuse[ACCP_MODEL_LATCHES];
    uint64_t queue_reads
        [ACCP_MODEL_BANKS]; /* bit k: in k cycles of the SM one for a queue reads there */
    uint64_t writes[ACCP_MODEL_BANKS]; /* bit k: in k cycles a result of a pipe is written there */
    int64_t queue_port_cycle;          /* of the SM: the queues' port to the registers is free */
    int64_t store_order_cycle;         /* a store without a register may follow the last one */
    int64_t special_cycle;             /* S2R may follow the last store */
    int64_t result_count;
    struct accp_model_result results[ACCP_MODEL_RESULTS];
    struct accp_model_warp warps[ACCP_MODEL_SCHEDULER_WARPS];
};

struct accp_simulation {
    const struct accp_model_parameters *parameters;
    uint32_t without;
    int scheduler_count;
    int sm_warps;               /* on all its schedulers, simulated or not */
    int64_t cycle, warm_cycles; /* the trace begins then */
    int64_t shared_cycle;       /* the queue that the schedulers share is free */
    int64_t special_cycle;      /* the unit of S2R is */
    int64_t store_cycle;        /* that of their stores to shared memory is */
    int branch_count;           /* in the last run, in their order */
    struct accp_model_branch branches[ACCP_MODEL_BRANCHES];
    int start; /* which of them this is, for the trace */
    accp_model_trace *trace;
    void *trace_context;
    struct accp_model_scheduler schedulers[ACCP_MODEL_SCHEDULERS];
};

/* Whether the mechanism is simulated; an ablation leaves one out. */
static inline bool accp_simulation_has(const struct accp_simulation *simulation,
                                       enum accp_mechanism mechanism)
{
    return !(simulation->without >> mechanism & 1u);
}

/* Whether warp `w` comes before `chosen` of those that may issue: one that did not yield before one
 * that did; then the one that was served less, or has the higher number. */
bool accp_simulation_is_before(const struct accp_simulation *simulation,
                               const struct accp_model_scheduler *scheduler, int w, int chosen);

/* An empty SM with `warps` warps on each of `schedulers` schedulers, all about to start `program` at
 * 0; a warp may be given another one before it runs. */
void accp_simulation_init(struct accp_simulation *simulation,
                          const struct accp_model_program *program,
                          const struct accp_model_parameters *parameters, uint32_t without,
                          int schedulers, int warps);

/* Simulates up to `end`, or until the first warp has begun another iteration, or as many branches as can
 * be listed have been issued. True: the first warp has. */
bool accp_simulation_run(struct accp_simulation *simulation, int64_t end);

#endif
