#include "model/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_without(uint32_t without, enum accp_mechanism mechanism)
{
    return without >> mechanism & 1u;
}

/* Opcodes whose unit is not that of their row in opcodes.def. UNIT(opcode, unit), from streams of
 * each on an H200. */
#define UNIT_TABLE(UNIT) \
    UNIT(VIADD, HEAVY) \
    UNIT(CS2R, ALU) \
    UNIT(R2UR, ALU) \
    UNIT(UMOV, NONE) \
    UNIT(ULDC, NONE) \
    UNIT(LDC, CONSTANT) \
    UNIT(S2R, SPECIAL) \
    UNIT(S2UR, SPECIAL_UNIFORM) \
    UNIT(STS, STORE)

static int unit_of_opcode(enum accp_opcode opcode)
{
    switch (opcode) {
#define UNIT(opcode_id, unit_id) \
    case ACCP_OPCODE_##opcode_id: \
        return ACCP_UNIT_##unit_id;
        UNIT_TABLE(UNIT)
#undef UNIT
    default:
        return -1;
    }
}

static bool is_wide_product(const struct accp_instruction *instruction)
{
    const int family = instruction->code & 0x1ff; /* 0x25: IMAD.WIDE, 0x27: IMAD.HI */
    return family == 0x25 || family == 0x27;
}

/* More than 32 bits a lane: bits 73 to 75 hold 5 for 64 and 6 for 128. */
static bool is_wide_store(const struct accp_instruction *instruction)
{
    return instruction->opcode == ACCP_OPCODE_STS && (instruction->high >> 9 & 7) > 4;
}

/* The unit, or -1 when the model does not time the instruction. */
static int unit_of(const struct accp_instruction *instruction)
{
    const struct accp_opcode_row *row = &accp_opcodes[instruction->opcode];
    const int own = is_wide_store(instruction) ? -1 : unit_of_opcode(instruction->opcode);
    if (own >= 0) return own;
    if (row->class == ACCP_CLASS_MULTIPLY)
        return is_wide_product(instruction) ? ACCP_UNIT_WIDE : ACCP_UNIT_HEAVY;
    switch (row->pipe) {
    case ACCP_PIPE_FMA:
        return ACCP_UNIT_FMA;
    case ACCP_PIPE_ALU:
        return ACCP_UNIT_ALU;
    case ACCP_PIPE_HALF:
        return ACCP_UNIT_HALF;
    case ACCP_PIPE_FP64:
        return ACCP_UNIT_FP64;
    case ACCP_PIPE_SFU:
        return ACCP_UNIT_SFU;
    case ACCP_PIPE_UNIFORM:
        return ACCP_UNIT_UNIFORM;
    case ACCP_PIPE_BRANCH:
        return ACCP_UNIT_NONE;
    case ACCP_PIPE_NONE:
        return row->class == ACCP_CLASS_CONTROL || row->class == ACCP_CLASS_CLOCK ? ACCP_UNIT_NONE
                                                                                  : -1;
    default:
        return -1;
    }
}

/* Stall counts above 11 without a yield are no encoding that a compiler emits; the H200 takes them
 * for one or two cycles. */
static uint8_t wait_cycles_of(const struct accp_control *control,
                              const struct accp_model_parameters *parameters, uint32_t without)
{
    if (is_without(without, ACCP_MECHANISM_STALLS)) return 1;
    const bool yields = control->yield && !is_without(without, ACCP_MECHANISM_YIELD);
    if (control->stall_cycles == 0) return yields ? (uint8_t)parameters->drain_cycles : 1;
    if (!control->yield && control->stall_cycles > 11) return control->stall_cycles > 13 ? 2 : 1;
    return control->stall_cycles;
}

static void add_read(struct accp_model_instruction *out, int reg, enum accp_slot slot, bool reuse)
{
    uint16_t latch = 0;
    if (slot != ACCP_SLOT_NONE) {
        const unsigned number = (unsigned)(slot - ACCP_SLOT_A);
        const unsigned first = out->unit == ACCP_UNIT_FP64 ? ACCP_MODEL_PIPE_LATCHES : 0;
        latch = (uint16_t)(1u << (first + number * ACCP_MODEL_BANKS +
                                  (unsigned)reg % ACCP_MODEL_BANKS));
    }
    out->latches |= latch;
    if (reuse) out->kept |= latch;
    /* The addend of a wide product is read by itself, and its odd half last. */
    const bool is_addend = out->unit == ACCP_UNIT_WIDE && slot == ACCP_SLOT_C;
    for (int k = 0; k < out->read_count && !is_addend; ++k)
        if (out->reads[k].reg == reg) {
            out->reads[k].latches |= latch;
            return;
        }
    if (out->read_count == ACCP_MODEL_READS) return;
    if (is_addend && reg % 2) out->last_reads |= (uint8_t)(1u << out->read_count);
    out->reads[out->read_count++] = (struct accp_model_read){(uint8_t)reg, latch};
}

static bool is_fma(int unit)
{
    return unit == ACCP_UNIT_FMA || unit == ACCP_UNIT_HEAVY || unit == ACCP_UNIT_WIDE ||
           unit == ACCP_UNIT_HALF;
}

static void add_operand(struct accp_model_instruction *out, const struct accp_operand *operand,
                        uint8_t reuse, enum accp_slot second)
{
    if (operand->kind != ACCP_OPERAND_REGISTER || operand->index == ACCP_REGISTER_ZERO) return;
    for (int r = 0; r < operand->count; ++r) {
        if (!operand->written)
            add_read(out, operand->index + r, operand->slot == ACCP_SLOT_B ? second : operand->slot,
                     operand->slot != ACCP_SLOT_NONE && reuse >> (operand->slot - ACCP_SLOT_A) & 1);
        else if (out->write_count < ACCP_MODEL_WRITES)
            out->writes[out->write_count++] = (uint8_t)(operand->index + r);
    }
}

static void translate(const struct accp_instruction *in,
                      const struct accp_model_parameters *parameters, uint32_t without,
                      struct accp_model_instruction *out)
{
    const int unit = unit_of(in);
    const bool yields = in->control.yield && !is_without(without, ACCP_MECHANISM_YIELD);
    *out = (struct accp_model_instruction){
        .unit = (uint8_t)(unit < 0 ? ACCP_UNIT_NONE : unit),
        .wait_cycles = wait_cycles_of(&in->control, parameters, without),
        .yields = yields,
        .pauses =
            yields && in->control.stall_cycles == 1 && !is_without(without, ACCP_MECHANISM_STALLS),
        .write_barrier = in->control.write_barrier,
        .read_barrier = in->control.read_barrier,
        .wait_mask = in->control.wait_mask,
    };
    if (out->unit == ACCP_UNIT_WIDE && is_without(without, ACCP_MECHANISM_WIDE))
        out->unit = ACCP_UNIT_HEAVY;
    if (out->unit == ACCP_UNIT_WIDE) out->held_cycles = (uint8_t)parameters->wide_held_cycles;
    if (out->unit == ACCP_UNIT_UNIFORM && is_without(without, ACCP_MECHANISM_UNIFORM))
        out->unit = ACCP_UNIT_NONE;
    out->from_fma = is_fma(out->unit);
    if (!is_without(without, ACCP_MECHANISM_RESULTS) &&
        (out->from_fma || out->unit == ACCP_UNIT_ALU))
        out->write_cycles = (uint8_t)parameters->write_cycles;
    const uint8_t reuse = is_without(without, ACCP_MECHANISM_REUSE) ? 0 : in->control.reuse;
    /* The second operand of an addition is the addend of a multiply-add: pairs on the H200. */
    const enum accp_slot second = in->opcode == ACCP_OPCODE_FADD ? ACCP_SLOT_C : ACCP_SLOT_B;
    for (int k = 0; k < in->operand_count; ++k)
        add_operand(out, &in->operands[k], reuse, second);
}

/* The first thing that is not timed stays. */
static void say_unknown(const struct accp_code *code, size_t at, const char *why, char *unknown)
{
    char name[ACCP_INSTRUCTION_TEXT_BYTES];
    if (unknown[0]) return;
    accp_instruction_mnemonic(&code->instructions[at], name, sizeof name);
    snprintf(unknown, ACCP_MODEL_TEXT_BYTES, "%.40s at 0x%zx%s", name, at * ACCP_INSTRUCTION_BYTES,
             why);
}

enum decision { ALWAYS, NEVER, SOMETIMES };

/* Whether an instruction under its guard, or a branch under the predicate that it names besides, is
 * executed. */
static enum decision decide(const struct accp_instruction *instruction)
{
    enum decision decision = ALWAYS;
    if (instruction->guard != ACCP_PREDICATE_TRUE)
        decision = SOMETIMES;
    else if (instruction->guard_negated)
        return NEVER;
    for (int i = 0; i < instruction->operand_count; ++i) {
        const struct accp_operand *operand = &instruction->operands[i];
        if (operand->kind != ACCP_OPERAND_PREDICATE &&
            operand->kind != ACCP_OPERAND_UNIFORM_PREDICATE)
            continue;
        if (operand->index != ACCP_PREDICATE_TRUE)
            decision = SOMETIMES;
        else if (operand->negated)
            return NEVER;
    }
    return decision;
}

/* Where an iteration that another one follows goes from instruction `at` of the loop. */
static size_t follow(const struct accp_code *code, const struct accp_loop *loop, size_t at,
                     struct accp_model_program *program, char *unknown)
{
    struct accp_model_instruction *out = &program->instructions[at - loop->head];
    const struct accp_instruction *instruction = &code->instructions[at];
    const bool branches = accp_instruction_class(instruction) == ACCP_CLASS_BRANCH;
    const enum decision decision = decide(instruction);
    if (instruction->opcode == ACCP_OPCODE_EXIT && decision == ALWAYS)
        say_unknown(code, at, " ends the warp", unknown);
    if (!branches || decision == NEVER) return at + 1;
    const size_t target = accp_code_target(code, at);
    const bool is_plain = instruction->opcode == ACCP_OPCODE_BRA;
    if (is_plain && (target < loop->head || target > loop->latch)) { /* or out of the kernel */
        if (decision == ALWAYS) say_unknown(code, at, " leaves the loop", unknown);
        return at + 1;
    }
    if (!is_plain || target <= at) {
        program->has_bounds &= is_plain && target > loop->head;
        say_unknown(code, at, ", a branch inside the loop", unknown);
        return at + 1;
    }
    if (decision == SOMETIMES)
        say_unknown(code, at, ", a branch inside the loop that a predicate decides", unknown);
    out->jumps = true;
    return target;
}

/* A taken branch with a short stall count lets its warp issue for a few cycles more on the way that it
 * leaves. What it issues there comes to nothing, but the last stall count goes on, and a line that is
 * asked for in the cycle in which the target is comes first. Compilers give a branch 5 cycles. */
static void go_astray(const struct accp_code *code, size_t at,
                      const struct accp_model_parameters *parameters, uint32_t without,
                      struct accp_model_instruction *branch)
{
    const size_t line = (size_t)parameters->line_instructions;
    struct accp_model_instruction astray = *branch;
    int cycle = astray.wait_cycles + astray.pauses;
    for (size_t next = at + 1; cycle <= parameters->stray_cycles && next < code->count; ++next) {
        branch->strays |= cycle == parameters->stray_cycles - 1 && (next + 1) % line == 0;
        translate(&code->instructions[next], parameters, without, &astray);
        cycle += astray.wait_cycles + astray.pauses;
    }
    branch->wait_cycles = (uint8_t)cycle;
}

/* Marks what every iteration executes, and says the first thing on that way that is not timed. */
static void find_way(const struct accp_code *code, const struct accp_loop *loop,
                     struct accp_model_program *program, char *unknown)
{
    unknown[0] = '\0';
    program->has_bounds = true;
    for (size_t at = loop->head; at <= loop->latch;) {
        struct accp_model_instruction *out = &program->instructions[at - loop->head];
        const size_t next =
            at < loop->latch ? follow(code, loop, at, program, unknown) : loop->latch + 1;
        if (unit_of(&code->instructions[at]) < 0) say_unknown(code, at, "", unknown);
        out->executed = true;
        out->next = (int16_t)(next - loop->head);
        at = next;
    }
}

enum accp_status accp_model_program_init(const struct accp_code *code, const struct accp_loop *loop,
                                         const struct accp_model_parameters *parameters,
                                         uint32_t without, struct accp_model_program *program,
                                         char *unknown, struct accp_error *error)
{
    memset(program, 0, sizeof *program);
    const size_t count = loop->latch - loop->head + 1;
    if (loop->latch < loop->head || count > ACCP_MODEL_INSTRUCTIONS)
        return accp_fail(error, ACCP_STATUS_INPUT, code->kernel->name,
                         (int64_t)loop->head * ACCP_INSTRUCTION_BYTES,
                         "the loop has more than %d instructions; choose another with --loop",
                         ACCP_MODEL_INSTRUCTIONS);
    program->instructions = calloc(count, sizeof *program->instructions);
    if (!program->instructions)
        return accp_fail(error, ACCP_STATUS_MEMORY, code->kernel->name, -1, "no memory for a loop");
    program->count = (int)count;
    program->line_position = (int)(loop->head % (size_t)parameters->line_instructions);
    program->lines = (program->line_position + program->count + parameters->line_instructions - 1) /
                     parameters->line_instructions;
    for (size_t i = 0; i < count; ++i) {
        struct accp_model_instruction *out = &program->instructions[i];
        translate(&code->instructions[loop->head + i], parameters, without, out);
    }
    find_way(code, loop, program, unknown);
    for (size_t i = 0; i < count; ++i) {
        struct accp_model_instruction *out = &program->instructions[i];
        if (out->executed && (out->jumps || i + 1 == count) &&
            !is_without(without, ACCP_MECHANISM_BRANCH))
            go_astray(code, loop->head + i, parameters, without, out);
        program->has_shared |=
            out->executed && out->unit >= ACCP_UNIT_CONSTANT && out->unit < ACCP_UNIT_SFU;
        program->has_stores |= out->executed && out->unit == ACCP_UNIT_STORE;
    }
    return ACCP_STATUS_OK;
}

void accp_model_program_fini(struct accp_model_program *program)
{
    free(program->instructions);
    memset(program, 0, sizeof *program);
}
