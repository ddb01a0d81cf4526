#include "subject.h"

#include <stdlib.h>
#include <string.h>

/* Of the high word; sass/decode.h names what stands there. */
static const uint64_t control_mask = UINT64_C(0x1fffff) << 41;

void accp_subject_get(const struct accp_subject *subject, size_t index, uint64_t words[2])
{
    memcpy(words, subject->code + index * ACCP_INSTRUCTION_BYTES, ACCP_INSTRUCTION_BYTES);
}

void accp_subject_put(const struct accp_subject *subject, size_t index, const uint64_t words[2])
{
    memcpy(subject->code + index * ACCP_INSTRUCTION_BYTES, words, ACCP_INSTRUCTION_BYTES);
}

void accp_subject_replace(const struct accp_subject *subject, size_t index, uint64_t low,
                          uint64_t high)
{
    uint64_t words[2];
    accp_subject_get(subject, index, words);
    const uint64_t changed[2] = {low, (high & ~control_mask) | (words[1] & control_mask)};
    accp_subject_put(subject, index, changed);
}

/* What is written there is dropped, and what is read there never changes. */
static bool is_nothing(const struct accp_operand *operand)
{
    const bool is_register =
        operand->kind == ACCP_OPERAND_REGISTER || operand->kind == ACCP_OPERAND_UNIFORM;
    return operand->index == (is_register ? ACCP_REGISTER_ZERO : ACCP_PREDICATE_TRUE);
}

static bool overlap(const struct accp_operand *left, const struct accp_operand *right)
{
    if (left->kind != right->kind || left->kind >= ACCP_OPERAND_CONSTANT || is_nothing(left))
        return false;
    return left->index < right->index + right->count && right->index < left->index + left->count;
}

static bool guards(const struct accp_instruction *guarded, const struct accp_operand *operand)
{
    return !is_nothing(operand) &&
           operand->kind ==
               (guarded->guard_uniform ? ACCP_OPERAND_UNIFORM_PREDICATE : ACCP_OPERAND_PREDICATE) &&
           operand->index == guarded->guard;
}

/* Whether what `left` writes matters to `right`. */
static bool matters(const struct accp_instruction *left, const struct accp_instruction *right)
{
    for (int i = 0; i < left->operand_count; ++i) {
        const struct accp_operand *written = &left->operands[i];
        if (!written->written) continue;
        if (guards(right, written)) return true;
        for (int j = 0; j < right->operand_count; ++j)
            if (overlap(written, &right->operands[j])) return true;
    }
    return false;
}

static bool stays(const struct accp_instruction *instruction)
{
    return instruction->has_target || instruction->opcode == ACCP_OPCODE_UNKNOWN ||
           accp_instruction_reads_clock(instruction);
}

bool accp_subject_independent(const struct accp_subject *subject, size_t left, size_t right)
{
    const struct accp_instruction *one = &subject->decoded->instructions[left],
                                  *other = &subject->decoded->instructions[right];
    return !stays(one) && !stays(other) && !matters(one, other) && !matters(other, one);
}

/* Gives operand `which` another register: the byte that does it is found by decoding. */
static bool rename_operand(int sm, uint64_t words[2], int which, uint8_t to)
{
    static const unsigned places[] = {16, 24, 32, 64};
    struct accp_instruction before, after;
    uint8_t code[ACCP_INSTRUCTION_BYTES];
    memcpy(code, words, sizeof code);
    if (accp_sass_decode(sm, code, &before, NULL) != ACCP_STATUS_OK) return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        const size_t byte = places[i] / 8;
        const uint8_t kept = code[byte];
        if (kept != before.operands[which].index) continue;
        code[byte] = to;
        bool is_it = accp_sass_decode(sm, code, &after, NULL) == ACCP_STATUS_OK &&
                     after.operands[which].index == to;
        for (int k = 0; k < before.operand_count && is_it; ++k)
            is_it = k == which || after.operands[k].index == before.operands[k].index;
        if (is_it) {
            memcpy(words, code, sizeof code);
            return true;
        }
        code[byte] = kept;
    }
    return false;
}

static bool exchange_in(const struct accp_subject *subject, size_t index, int one, int other)
{
    const struct accp_instruction *here = &subject->decoded->instructions[index];
    uint64_t words[2];
    accp_subject_get(subject, index, words);
    if (here->opcode == ACCP_OPCODE_UNKNOWN) return false;
    for (int i = 0; i < here->operand_count; ++i) {
        const struct accp_operand *operand = &here->operands[i];
        const int first = operand->index, end = first + operand->count;
        const bool has_one = first <= one && one < end, has_other = first <= other && other < end;
        if (operand->kind != ACCP_OPERAND_REGISTER || first == ACCP_REGISTER_ZERO) continue;
        if (!has_one && !has_other) continue;
        if (operand->count != 1 || operand->address) return false;
        if (!rename_operand(subject->decoded->sm, words, i, (uint8_t)(has_one ? other : one)))
            return false;
    }
    accp_subject_put(subject, index, words);
    return true;
}

bool accp_subject_exchange(const struct accp_subject *subject, int one, int other)
{
    const size_t bytes = subject->decoded->count * ACCP_INSTRUCTION_BYTES;
    uint8_t *kept = malloc(bytes);
    bool done = kept != NULL;
    if (kept) memcpy(kept, subject->code, bytes);
    for (size_t i = 0; i < subject->decoded->count && done; ++i)
        done = exchange_in(subject, i, one, other);
    if (kept && !done) memcpy(subject->code, kept, bytes);
    free(kept);
    return done;
}

/* Where a target stands: 30 bits of the low word, with 18 of the high one above or 8 of the low one below them. */
struct target_layout {
    unsigned below, above;
};

static bool retarget(const struct accp_subject *subject, size_t index, int64_t wanted_bytes,
                     struct target_layout layout)
{
    const struct accp_instruction *here = &subject->decoded->instructions[index];
    const uint64_t units = (uint64_t)((wanted_bytes - ACCP_INSTRUCTION_BYTES) / 4);
    const uint64_t upper = units >> layout.below, above = (UINT64_C(1) << layout.above) - 1;
    const uint64_t below = ((UINT64_C(1) << layout.below) - 1) << 16;
    uint64_t words[2] = {here->low, here->high};
    words[0] =
        (words[0] & ((UINT64_C(1) << 34) - 1) & ~below) | upper << 34 | (units << 16 & below);
    words[1] = (words[1] & ~above) | (upper >> 30 & above);
    struct accp_instruction after;
    uint8_t code[ACCP_INSTRUCTION_BYTES];
    memcpy(code, words, sizeof code);
    if (accp_sass_decode(subject->decoded->sm, code, &after, NULL) != ACCP_STATUS_OK ||
        after.target_bytes != wanted_bytes || after.code != here->code)
        return false;
    accp_subject_put(subject, index, words);
    return true;
}

/* Which layout a jump has depends on the instruction and the arch: the decoder says which one hit. */
static bool stretch(const struct accp_subject *subject, size_t index, int64_t by_instructions)
{
    static const struct target_layout layouts[] = {{8, 18}, {0, 18}, {0, 0}};
    const int64_t wanted_bytes = subject->decoded->instructions[index].target_bytes +
                                 by_instructions * ACCP_INSTRUCTION_BYTES;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; ++i)
        if (retarget(subject, index, wanted_bytes, layouts[i])) return true;
    return false;
}

static bool stretch_jumps(const struct accp_subject *subject, size_t index)
{
    const int64_t there = (int64_t)index;
    for (size_t i = 0; i < subject->decoded->count; ++i) {
        const struct accp_instruction *here = &subject->decoded->instructions[i];
        if (!here->has_target) continue;
        const int64_t from = (int64_t)i, to = from + here->target_bytes / ACCP_INSTRUCTION_BYTES;
        const int64_t by = (to > there) - (from >= there);
        if (by != 0 && !stretch(subject, i, by)) return false;
    }
    return true;
}

bool accp_subject_insert(const struct accp_subject *subject, size_t index, const uint64_t words[2])
{
    const size_t count = subject->decoded->count, bytes = count * ACCP_INSTRUCTION_BYTES;
    char mnemonic[ACCP_INSTRUCTION_TEXT_BYTES];
    accp_instruction_mnemonic(&subject->decoded->instructions[count - 1], mnemonic,
                              sizeof mnemonic);
    uint8_t *kept = malloc(bytes);
    if (!kept || strcmp(mnemonic, "NOP") != 0) {
        free(kept);
        return false;
    }
    memcpy(kept, subject->code, bytes);
    const bool done = stretch_jumps(subject, index);
    if (done) {
        uint8_t *at = subject->code + index * ACCP_INSTRUCTION_BYTES;
        memmove(at + ACCP_INSTRUCTION_BYTES, at, (count - 1 - index) * ACCP_INSTRUCTION_BYTES);
        accp_subject_put(subject, index, words);
    } else {
        memcpy(subject->code, kept, bytes);
    }
    free(kept);
    return done;
}
