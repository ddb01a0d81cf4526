#include "sass/selected.h"

#include <stdlib.h>

enum { PREDICATES = ACCP_PREDICATE_TRUE, NO_REGISTER = -1 };

/* What a predicate is known to be. */
enum truth { TRUTH_UNKNOWN, TRUTH_FALSE, TRUTH_TRUE };

/* What is known before an instruction, on all ways to it that have been followed. */
struct known {
    bool is_reached;
    int16_t selector; /* the register that holds it */
    uint8_t predicates[PREDICATES];
};

struct walk {
    const struct accp_code *code;
    int selector;
    size_t load;         /* index of the instruction that loads it; SIZE_MAX: there is no one */
    struct known *known; /* of each instruction */
    size_t *stack;       /* of those whose state became another */
    bool *is_waiting;    /* on the stack */
    size_t depth;
};

static bool is_byte_load(const struct accp_instruction *instruction)
{
    return instruction->opcode == ACCP_OPCODE_LDG && (instruction->high >> 9 & 7) == 0;
}

static size_t find_load(const struct accp_code *code)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < code->count; ++i) {
        if (!is_byte_load(&code->instructions[i])) continue;
        if (found != SIZE_MAX) return SIZE_MAX;
        found = i;
    }
    return found;
}

static enum truth truth_of(const struct known *known, const struct accp_operand *operand)
{
    enum truth truth = TRUTH_UNKNOWN;
    if (operand->kind != ACCP_OPERAND_PREDICATE) return TRUTH_UNKNOWN;
    truth =
        operand->index < PREDICATES ? (enum truth)known->predicates[operand->index] : TRUTH_TRUE;
    if (truth == TRUTH_UNKNOWN || !operand->negated) return truth;
    return truth == TRUTH_TRUE ? TRUTH_FALSE : TRUTH_TRUE;
}

/* Whether the instruction executes. */
static enum truth guard_of(const struct known *known, const struct accp_instruction *instruction)
{
    const struct accp_operand guard = {.kind = instruction->guard_uniform
                                                   ? ACCP_OPERAND_UNIFORM_PREDICATE
                                                   : ACCP_OPERAND_PREDICATE,
                                       .index = instruction->guard,
                                       .negated = instruction->guard_negated};
    if (instruction->guard == ACCP_PREDICATE_TRUE && !guard.negated) return TRUTH_TRUE;
    return truth_of(known, &guard);
}

/* ISETP's compare, bits 78 to 76 (opcodes.def). */
static enum truth compare(const struct accp_instruction *instruction, int64_t left, int64_t right)
{
    static const bool holds[8][3] = {
        /* less, equal, more */
        {false, false, false}, {true, false, false}, {false, true, false}, {true, true, false},
        {false, false, true},  {true, false, true},  {false, true, true},  {true, true, true}};
    const int side = left < right ? 0 : left == right ? 1 : 2;
    return holds[instruction->high >> 12 & 7][side] ? TRUTH_TRUE : TRUTH_FALSE;
}

/* Of ISETP.CMP.AND Pn, PT, SELECTOR, CONSTANT, PT: what Pn becomes; else not known. */
static enum truth compared(const struct walk *walk, const struct known *known,
                           const struct accp_instruction *instruction)
{
    const struct accp_operand *operand = instruction->operands;
    const bool is_extended = (instruction->high >> 8 & 1) != 0; /* .EX */
    const bool is_and = (instruction->high >> 10 & 3) == 0;
    if (instruction->opcode != ACCP_OPCODE_ISETP || is_extended || !is_and ||
        instruction->operand_count < 5)
        return TRUTH_UNKNOWN;
    if (operand[2].kind != ACCP_OPERAND_REGISTER || operand[2].count != 1 ||
        operand[2].index != known->selector || operand[3].kind != ACCP_OPERAND_IMMEDIATE)
        return TRUTH_UNKNOWN;
    if (truth_of(known, &operand[4]) != TRUTH_TRUE) return TRUTH_UNKNOWN;
    return compare(instruction, walk->selector, (int32_t)operand[3].value);
}

/* What is known behind instruction `index`. */
static struct known behind(const struct walk *walk, size_t index)
{
    const struct accp_instruction *instruction = &walk->code->instructions[index];
    const struct known *before = &walk->known[index];
    struct known after = *before;
    const enum truth guard = guard_of(before, instruction);
    if (guard == TRUTH_FALSE) return after;
    for (int i = 0; i < instruction->operand_count; ++i) {
        const struct accp_operand *operand = &instruction->operands[i];
        if (!operand->written) continue;
        if (operand->kind == ACCP_OPERAND_PREDICATE && operand->index < PREDICATES)
            after.predicates[operand->index] = i == 0 && guard == TRUTH_TRUE
                                                   ? (uint8_t)compared(walk, before, instruction)
                                                   : TRUTH_UNKNOWN;
        if (operand->kind == ACCP_OPERAND_REGISTER && after.selector >= operand->index &&
            after.selector < operand->index + operand->count)
            after.selector = NO_REGISTER;
        if (operand->kind == ACCP_OPERAND_REGISTER && index == walk->load && guard == TRUTH_TRUE)
            after.selector = operand->index == ACCP_REGISTER_ZERO ? NO_REGISTER : operand->index;
    }
    return after;
}

/* Follows a way to instruction `index`: what only some of the ways know is not known. */
static void reach(struct walk *walk, size_t index, const struct known *found)
{
    struct known *known = &walk->known[index];
    bool is_changed = !known->is_reached;
    if (is_changed) *known = *found;
    for (int i = 0; i < PREDICATES; ++i) {
        if (known->predicates[i] == found->predicates[i]) continue;
        is_changed |= known->predicates[i] != TRUTH_UNKNOWN;
        known->predicates[i] = TRUTH_UNKNOWN;
    }
    if (known->selector != found->selector) {
        is_changed |= known->selector != NO_REGISTER;
        known->selector = NO_REGISTER;
    }
    if (!is_changed || walk->is_waiting[index]) return;
    walk->is_waiting[index] = true;
    walk->stack[walk->depth++] = index;
}

/* Whether the guard alone decides on a branch or an end: no other predicate does. */
static bool is_decided_by_guard(const struct accp_instruction *instruction)
{
    for (int i = 0; i < instruction->operand_count; ++i)
        if (instruction->operands[i].kind != ACCP_OPERAND_PREDICATE ||
            instruction->operands[i].index != ACCP_PREDICATE_TRUE ||
            instruction->operands[i].negated)
            return false;
    return true;
}

/* A branch whose guard is known goes one way. */
static void follow(struct walk *walk, size_t index)
{
    const struct accp_instruction *instruction = &walk->code->instructions[index];
    const struct known after = behind(walk, index);
    const enum truth guard = guard_of(&walk->known[index], instruction);
    const bool jumps = instruction->opcode == ACCP_OPCODE_BRA;
    const bool ends = jumps || instruction->opcode == ACCP_OPCODE_EXIT;
    size_t next[2];
    const int count = accp_code_successors(walk->code, index, next);
    for (int i = 0; i < count; ++i) {
        const bool is_jump = jumps && next[i] == accp_code_target(walk->code, index);
        if (is_jump && guard == TRUTH_FALSE) continue;
        if (ends && !is_jump && guard == TRUTH_TRUE && is_decided_by_guard(instruction)) continue;
        reach(walk, next[i], &after);
    }
}

static enum accp_status walk_init(struct walk *walk, struct accp_error *error)
{
    const size_t count = walk->code->count;
    walk->known = calloc(count + 1, sizeof *walk->known);
    walk->stack = malloc((count + 1) * sizeof *walk->stack);
    walk->is_waiting = calloc(count + 1, sizeof *walk->is_waiting);
    if (walk->known && walk->stack && walk->is_waiting) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_MEMORY, walk->code->kernel->name, -1, "out of memory");
}

static void walk_through(struct walk *walk)
{
    const struct known start = {.is_reached = true, .selector = NO_REGISTER};
    reach(walk, 0, &start);
    while (walk->depth > 0) {
        const size_t index = walk->stack[--walk->depth];
        walk->is_waiting[index] = false;
        follow(walk, index);
    }
}

enum accp_status accp_selected_loop(const struct accp_code *code, int selector,
                                    const struct accp_loop **loop, struct accp_error *error)
{
    struct walk walk = {.code = code, .selector = selector, .load = find_load(code)};
    size_t found = 0;
    *loop = NULL;
    if (walk.load == SIZE_MAX) return ACCP_STATUS_OK;
    enum accp_status status = walk_init(&walk, error);
    if (status == ACCP_STATUS_OK) walk_through(&walk);
    for (size_t i = 0; i < code->loop_count && status == ACCP_STATUS_OK; ++i) {
        if (code->loops[i].floating_point == 0 || !walk.known[code->loops[i].head].is_reached)
            continue;
        *loop = &code->loops[i];
        ++found;
    }
    if (found != 1) *loop = NULL;
    free(walk.known);
    free(walk.stack);
    free(walk.is_waiting);
    return status;
}
