/* A loop as the simulation wants it: one small struct an instruction. Not for other modules. */
#ifndef ACCP_MODEL_PROGRAM_H
#define ACCP_MODEL_PROGRAM_H

#include "model/model.h"
#include "model/parameters.h"

#include <stdint.h>

/* Where an instruction goes. */
enum accp_unit {
    ACCP_UNIT_NONE, /* the front end alone */
    ACCP_UNIT_ALU,
    ACCP_UNIT_FMA,   /* any FMA pipe */
    ACCP_UNIT_HEAVY, /* the one FMA pipe that multiplies integers */
    ACCP_UNIT_WIDE,  /* the same, for a 64-bit or high product */
    ACCP_UNIT_HALF,  /* all FMA pipes at once */
    ACCP_UNIT_UNIFORM,
    ACCP_UNIT_FP64,
    /* from here on behind a queue, with a latency that a scoreboard announces */
    ACCP_UNIT_CONSTANT,
    ACCP_UNIT_SPECIAL,
    ACCP_UNIT_SPECIAL_UNIFORM, /* S2UR */
    ACCP_UNIT_STORE,           /* STS */
    ACCP_UNIT_SFU,
    ACCP_UNIT_COUNT
};

enum {
    ACCP_MODEL_READS = 6,
    ACCP_MODEL_WRITES = 2,
    ACCP_MODEL_REGISTERS = 256,
    ACCP_MODEL_BANKS = 2, /* of the register file: even and odd */
    ACCP_MODEL_SLOTS = 3, /* operands A, B, C */
    ACCP_MODEL_PIPE_LATCHES = ACCP_MODEL_SLOTS * ACCP_MODEL_BANKS,
    ACCP_MODEL_LATCHES = 2 * ACCP_MODEL_PIPE_LATCHES /* those of the FP64 pipe are its own */
};

/* A register that an instruction reads, once however many operand slots name it. */
struct accp_model_read {
    uint8_t reg;      /* never RZ */
    uint16_t latches; /* that it goes to: bit slot * ACCP_MODEL_BANKS + bank, for the FP64 pipe from
                         ACCP_MODEL_PIPE_LATCHES on */
};

struct accp_model_instruction {
    uint8_t unit;
    uint8_t wait_cycles; /* from its issue to the next of its warp, after the stall count */
    bool yields;
    bool pauses; /* its warp issues nothing in the cycle after it */
    uint8_t write_barrier, read_barrier, wait_mask;
    uint16_t latches; /* that it reads to */
    uint16_t kept;    /* those of them whose registers stay for reuse */
    uint8_t read_count, write_count;
    uint8_t last_reads;  /* bit k: reads[k] is read in the last stage only */
    uint8_t held_cycles; /* it stays so much longer there than its reads need */
    struct accp_model_read reads[ACCP_MODEL_READS];
    uint8_t writes[ACCP_MODEL_WRITES];
    uint8_t
        write_cycles; /* from its first reading stage until they are in their banks; 0: a scoreboard's */
    bool executed; /* in every iteration */
    bool jumps;    /* is a branch that every iteration takes, if only to the next one */
    bool
        strays; /* the way it leaves asks for a line when its target does, which comes later then */
    int16_t next;  /* that the warp issues after it; `count` of the program: the first one */
    bool from_fma; /* an FMA pipe writes them */
};

struct accp_model_program {
    int count;
    int line_position; /* of the first instruction in its line, in instructions */
    int lines;         /* that it touches */
    bool has_bounds;   /* false: what an iteration executes is not known, not even a part of it */
    bool has_stores;   /* to shared memory, which are timed as if no two lanes met in a bank */
    bool has_shared;   /* something goes to the queue that the schedulers share */
    struct accp_model_instruction *instructions; /* owned; the last one is the branch back */
};

/* Translates a loop. `unknown` (ACCP_MODEL_TEXT_BYTES) gets "" or the first thing that the model
 * does not time. An iteration is one that another follows: it takes no branch out of the loop. A
 * branch within it is taken if nothing guards it; one that a predicate decides is unknown, and what it
 * may skip counts as not executed. On success the caller frees with accp_model_program_fini. INPUT, MEMORY. */
enum accp_status accp_model_program_init(const struct accp_code *code, const struct accp_loop *loop,
                                         const struct accp_model_parameters *parameters,
                                         uint32_t without, struct accp_model_program *program,
                                         char *unknown, struct accp_error *error);
void accp_model_program_fini(struct accp_model_program *program);

#endif
