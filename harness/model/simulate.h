/* Runs a translated loop on the schedulers of one SM. Not for other modules. */
#ifndef ACCP_MODEL_SIMULATE_H
#define ACCP_MODEL_SIMULATE_H

#include "model/parameters.h"
#include "model/program.h"

#include <stdint.h>

enum {
    ACCP_MODEL_SCHEDULERS = 4,
    ACCP_MODEL_SCHEDULER_WARPS = 16,
    ACCP_MODEL_BANKS = 2, /* of the register file: even and odd */
    ACCP_MODEL_SLOTS = 3
};

struct accp_model_scoreboard {
    int64_t set_cycle, clear_cycle; /* counts between these */
};

struct accp_model_warp {
    int next;     /* instruction to issue */
    int buffered; /* instructions before this one have been fetched */
    int fetching; /* and before this one, once the line under way arrives; 0: none is */
    int64_t arrival_cycle,
        request_cycle;                /* of the line under way; before which none is asked for */
    int64_t ready_cycle, issue_cycle; /* may issue again; issued last */
    int64_t first_cycle, last_cycle;  /* of the branches issued since the warm-up; -1: none */
    int64_t iterations;               /* between these two */
    struct accp_model_scoreboard scoreboards[ACCP_SCOREBOARDS];
};

struct accp_model_scheduler {
    int warp_count;
    int owner;                            /* the warp that goes on if it can; -1: none */
    int64_t port_cycle;                   /* the fetch port is free */
    int64_t bank_cycle[ACCP_MODEL_BANKS]; /* the bank is */
    int64_t unit_cycle[ACCP_UNIT_COUNT];  /* the unit is */
    int64_t fma_cycle[2];                 /* each FMA pipe is; the second one multiplies integers */
    struct {
        int warp, reg; /* of the entry; -1: none */
    } reuse[ACCP_MODEL_SLOTS][ACCP_MODEL_BANKS];
    struct accp_model_warp warps[ACCP_MODEL_SCHEDULER_WARPS];
};

struct accp_simulation {
    const struct accp_model_program *program;
    const struct accp_model_parameters *parameters;
    uint32_t without;
    int scheduler_count;
    int64_t cycle, warm_cycles;
    int64_t shared_cycle; /* the queue that the schedulers share is free */
    struct accp_model_scheduler schedulers[ACCP_MODEL_SCHEDULERS];
};

/* An empty SM with `warps` warps on each of `schedulers` schedulers, all about to start at 0. */
void accp_simulation_init(struct accp_simulation *simulation,
                          const struct accp_model_program *program,
                          const struct accp_model_parameters *parameters, uint32_t without,
                          int schedulers, int warps);

/* Simulates `cycles` cycles; iterations count from `warm_cycles` on. */
void accp_simulation_run(struct accp_simulation *simulation, int64_t cycles);

#endif
