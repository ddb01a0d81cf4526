/* One 16-byte SASS instruction of sm_75 to sm_121 as a struct: opcode, guard, operands with their
 * registers, control bits, branch target. Opcodes and encodings are tables (matrix/opcodes.def,
 * matrix/encodings.def); what they do not hold is ACCP_OPCODE_UNKNOWN, with its control bits and
 * guard and no operands. Source of the layout: Mesa's NAK (sm70_encode.rs), CuAssembler
 * (CuControlCode.py), TuringAs, and the output of nvdisasm, against which the tests hold every
 * field. */
#ifndef ACCP_SASS_DECODE_H
#define ACCP_SASS_DECODE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CLASS(id, what its instructions do) */
#define ACCP_CLASS_TABLE(CLASS) \
    CLASS(UNKNOWN, "not in the tables") \
    CLASS(FP32, "f32 arithmetic") \
    CLASS(FP64, "f64 arithmetic") \
    CLASS(HALF, "f16 and bf16 arithmetic, two a lane") \
    CLASS(INTEGER, "integer and logic") \
    CLASS(MULTIPLY, "integer multiply-add: IMAD and its kin") \
    CLASS(COMPARE, "compares and selects") \
    CLASS(MOVE, "register moves") \
    CLASS(CONVERT, "conversions between types") \
    CLASS(SFU, "special functions") \
    CLASS(TENSOR, "matrix multiply-add") \
    CLASS(UNIFORM, "the uniform datapath") \
    CLASS(CONSTANT, "loads from a constant bank: LDC, ULDC, LDCU") \
    CLASS(LOAD, "loads from global, shared or generic memory") \
    CLASS(STORE, "stores to the same") \
    CLASS(LOCAL_LOAD, "LDL: what a spill reads") \
    CLASS(LOCAL_STORE, "STL: what a spill writes") \
    CLASS(ATOMIC, "atomics and reductions in memory") \
    CLASS(TEXTURE, "texture and surface access") \
    CLASS(WARP, "shuffles, votes, matches") \
    CLASS(CLOCK, "reads of a special register by CS2R, S2R and their kin") \
    CLASS(BRANCH, "jumps") \
    CLASS(CONTROL, "convergence barriers, exits, NOP") \
    CLASS(BARRIER, "block barriers, fences, dependency barriers")

enum accp_class {
#define CLASS(id, meaning) ACCP_CLASS_##id,
    ACCP_CLASS_TABLE(CLASS)
#undef CLASS
        ACCP_CLASS_COUNT
};

/* PIPE(id, what it is): where an instruction goes after issue. */
#define ACCP_PIPE_TABLE(PIPE) \
    PIPE(NONE, "front end only, or unknown") \
    PIPE(FMA, "f32 and IMAD") \
    PIPE(ALU, "integer, logic, compares, moves") \
    PIPE(HALF, "f16") \
    PIPE(FP64, "f64") \
    PIPE(SFU, "special functions and conversions") \
    PIPE(TENSOR, "matrix") \
    PIPE(UNIFORM, "uniform datapath") \
    PIPE(MEMORY, "memory and other queues with a variable latency") \
    PIPE(BRANCH, "control flow")

enum accp_pipe {
#define PIPE(id, meaning) ACCP_PIPE_##id,
    ACCP_PIPE_TABLE(PIPE)
#undef PIPE
        ACCP_PIPE_COUNT
};

enum accp_opcode {
    ACCP_OPCODE_UNKNOWN,
#define OPCODE(id, class, pipe, latency, modifiers) ACCP_OPCODE_##id,
#include "opcodes.def"
    ACCP_OPCODE_COUNT
};

/* One row of opcodes.def. */
struct accp_opcode_row {
    const char *name; /* "FFMA"; "unknown" for ACCP_OPCODE_UNKNOWN */
    enum accp_class class;
    enum accp_pipe pipe;
    int latency_cycles; /* issue to a dependent issue in the same pipe; 0: variable, a scoreboard
                           says when */
    const char *modifiers;
};
extern const struct accp_opcode_row accp_opcodes[ACCP_OPCODE_COUNT];

enum {
    ACCP_REGISTER_ZERO = 255, /* RZ, and URZ on every arch */
    ACCP_PREDICATE_TRUE = 7,  /* PT, UPT */
    ACCP_SCOREBOARD_NONE = 7,
    ACCP_SCOREBOARDS = 6,
    ACCP_OPERANDS = 14,
    ACCP_INSTRUCTION_TEXT_BYTES = 192
};

enum accp_operand_kind {
    ACCP_OPERAND_REGISTER,          /* R */
    ACCP_OPERAND_UNIFORM,           /* UR */
    ACCP_OPERAND_PREDICATE,         /* P */
    ACCP_OPERAND_UNIFORM_PREDICATE, /* UP */
    ACCP_OPERAND_CONVERGENCE,       /* B: convergence barrier */
    ACCP_OPERAND_CONSTANT,          /* c[bank][value] */
    ACCP_OPERAND_IMMEDIATE,
    ACCP_OPERAND_SPECIAL /* SR_: its number in `value` */
};

/* The port of the register file that an operand is read through; reuse bits name these. */
enum accp_slot { ACCP_SLOT_NONE, ACCP_SLOT_A, ACCP_SLOT_B, ACCP_SLOT_C };

struct accp_operand {
    enum accp_operand_kind kind : 8;
    enum accp_slot slot : 8;
    bool written; /* else read */
    bool negated; /* -x of a number, ~x or !x of a bit pattern or predicate */
    bool absolute;
    bool reuse;
    bool address;    /* part of a memory address */
    bool descriptor; /* and there not added, but the descriptor of the memory */
    uint8_t index;   /* of the first register; ACCP_REGISTER_ZERO, ACCP_PREDICATE_TRUE */
    uint8_t
        count; /* 32-bit registers from `index` on (1 for predicates; 0 for no registers at all) */
    uint8_t bank;   /* of a constant */
    uint32_t value; /* immediate; byte offset of a constant; number of a special register */
};

/* Bits 105 to 125. */
struct accp_control {
    uint8_t stall_cycles; /* 0..15 before this warp may issue again */
    bool yield;           /* true: the scheduler is asked to take another warp (raw bit 109 is 0) */
    uint8_t
        write_barrier;    /* scoreboard released when the result is written; ACCP_SCOREBOARD_NONE */
    uint8_t read_barrier; /* scoreboard released when the operands are read; ACCP_SCOREBOARD_NONE */
    uint8_t wait_mask;    /* bit k: wait for scoreboard k */
    uint8_t reuse;        /* bit 0, 1, 2: slot A, B, C */
};

struct accp_instruction {
    uint64_t low, high; /* the code as two little-endian words */
    uint16_t code;      /* bits 11:0, and bit 91 as bit 12 */
    enum accp_opcode opcode;
    uint8_t guard; /* predicate that it executes under; ACCP_PREDICATE_TRUE: always */
    bool guard_negated;
    bool guard_uniform; /* the guard is a uniform predicate, as on the uniform datapath */
    struct accp_control control;
    bool has_target;
    int64_t target_bytes;         /* branch target relative to this instruction's own address */
    uint64_t rest_low, rest_high; /* the code without the bits of operands, guard, target and
                                     control: the opcode and its modifiers */
    uint8_t operand_count;
    struct accp_operand operands[ACCP_OPERANDS]; /* in nvdisasm's order; destinations first */
};

/* Decodes one instruction of the arch with that number (90 for sm_90). Fails only with UNSUPPORTED,
 * when the arch is not between sm_75 and sm_121; an opcode that the tables do not hold is a
 * success. */
enum accp_status accp_sass_decode(int sm, const uint8_t code[16],
                                  struct accp_instruction *instruction, struct accp_error *error);

/* Class of the instruction's opcode. */
enum accp_class accp_instruction_class(const struct accp_instruction *instruction);

/* "FFMA", "ISETP.GE.U32.AND": the base name and those of its modifiers that opcodes.def holds, in
 * nvdisasm's order, without those that it does not hold. Always terminated. */
void accp_instruction_mnemonic(const struct accp_instruction *instruction, char *text,
                               size_t text_bytes);

/* "@!P0 FFMA R1, R2.reuse, R3, R4": guard, mnemonic, operands; a target as an address when
 * `address` is that of the instruction. Always terminated. */
void accp_instruction_text(const struct accp_instruction *instruction, uint64_t address, char *text,
                           size_t text_bytes);

/* FMAs on f32 that one execution does: 1 for FFMA, 2 for FFMA2, else 0. */
int accp_instruction_ffmas(const struct accp_instruction *instruction);

/* "reads the clock": CS2R, S2R, CS2UR or S2UR of SR_CLOCKLO (or its high word, or the global
 * timer). */
bool accp_instruction_reads_clock(const struct accp_instruction *instruction);

#endif
