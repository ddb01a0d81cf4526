#include "sass/normal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline)) /* the hashes stay in registers */

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

static inline uint64_t hash_byte(uint64_t hash, uint8_t byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}

/* A line and both its hashes at once: a step of a hash waits for the one before, and what makes the text of the next byte
 * takes no longer than that. printf, memcpy and a second pass are what the hash of a whole probe would spend its time on. */
struct text {
    char *at, *end; /* where the NUL has to stand at the latest */
    uint64_t plain, with_control;
};

INLINE void put(struct text *text, char byte)
{
    if (text->at == text->end) return;
    *text->at++ = byte;
    text->plain = hash_byte(text->plain, (uint8_t)byte);
    text->with_control = hash_byte(text->with_control, (uint8_t)byte);
}

INLINE void put_text(struct text *text, const char *bytes)
{
    for (; *bytes; ++bytes)
        put(text, *bytes);
}

INLINE void put_decimal(struct text *text, uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    if (value < 10) { /* most registers and predicates */
        put(text, (char)('0' + value));
        return;
    }
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    for (; at < sizeof digits; ++at)
        put(text, digits[at]);
}

INLINE void put_hexadecimal(struct text *text, uint64_t value)
{
    int shift = value > 0 ? (63 - __builtin_clzll(value)) & ~3 : 0;
    for (; shift >= 0; shift -= 4)
        put(text, "0123456789abcdef"[value >> shift & 15]);
}

INLINE void put_signed(struct text *text, int64_t value)
{
    if (value < 0) put(text, '-');
    put_decimal(text, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void accp_renaming_init(struct accp_renaming *renaming)
{
    memset(renaming, 0, sizeof *renaming);
    memset(renaming->general, 0xff, sizeof renaming->general);
    memset(renaming->uniform, 0xff, sizeof renaming->uniform);
    memset(renaming->predicate, 0xff, sizeof renaming->predicate);
    memset(renaming->uniform_predicate, 0xff, sizeof renaming->uniform_predicate);
    memset(renaming->convergence, 0xff, sizeof renaming->convergence);
}

/* The new number of `index`; `count` numbers in a row get theirs with it. */
INLINE int rename_index(int16_t *names, int *next, unsigned index, unsigned count, unsigned limit)
{
    for (unsigned i = index; i < index + count && i < limit; ++i)
        if (names[i] < 0) names[i] = (int16_t)(*next)++;
    return names[index];
}

INLINE void put_register(struct text *text, const struct accp_operand *operand,
                         struct accp_renaming *renaming)
{
    bool is_uniform = operand->kind == ACCP_OPERAND_UNIFORM;
    put_text(text, is_uniform ? "ur" : "r");
    if (operand->index == ACCP_REGISTER_ZERO) {
        put(text, 'z');
        return;
    }
    if (!renaming) return;
    int name = rename_index(is_uniform ? renaming->uniform : renaming->general,
                            is_uniform ? &renaming->next_uniform : &renaming->next_general,
                            operand->index, operand->count, ACCP_REGISTER_ZERO);
    put_decimal(text, (uint64_t)name);
}

INLINE void put_predicate(struct text *text, bool is_uniform, unsigned index,
                          struct accp_renaming *renaming)
{
    put_text(text, is_uniform ? "up" : "p");
    if (index == ACCP_PREDICATE_TRUE) {
        put(text, 't');
        return;
    }
    if (!renaming) return;
    int name =
        rename_index(is_uniform ? renaming->uniform_predicate : renaming->predicate,
                     is_uniform ? &renaming->next_uniform_predicate : &renaming->next_predicate,
                     index, 1, ACCP_PREDICATE_TRUE);
    put_decimal(text, (uint64_t)name);
}

/* A parameter by its distance from the first one: their place in the bank depends on arch and
 * release. */
INLINE void put_constant(struct text *text, const struct accp_operand *operand,
                         const struct accp_kernel *kernel)
{
    int64_t offset = operand->value, start = kernel->parameter_offset;
    bool is_parameter = operand->bank == 0 && start >= 0 && offset >= start &&
                        offset < start + kernel->parameter_bytes;
    if (is_parameter) {
        put_text(text, "parameter[");
    } else {
        put_text(text, "c[");
        put_decimal(text, operand->bank);
        put_text(text, "][");
    }
    put_decimal(text, (uint64_t)(is_parameter ? offset - start : offset));
    put(text, ']');
}

INLINE void put_operand(struct text *text, const struct accp_operand *operand,
                        const struct accp_kernel *kernel, struct accp_renaming *renaming)
{
    if (operand->negated) put(text, '-');
    if (operand->absolute) put(text, '|');
    switch (operand->kind) {
    case ACCP_OPERAND_REGISTER:
    case ACCP_OPERAND_UNIFORM:
        put_register(text, operand, renaming);
        break;
    case ACCP_OPERAND_PREDICATE:
    case ACCP_OPERAND_UNIFORM_PREDICATE:
        put_predicate(text, operand->kind == ACCP_OPERAND_UNIFORM_PREDICATE, operand->index,
                      renaming);
        break;
    case ACCP_OPERAND_CONVERGENCE:
        put(text, 'b');
        if (!renaming) break;
        put_decimal(text, (uint64_t)rename_index(renaming->convergence, &renaming->next_convergence,
                                                 operand->index & 15u, 1, 16));
        break;
    case ACCP_OPERAND_CONSTANT:
        put_constant(text, operand, kernel);
        break;
    case ACCP_OPERAND_IMMEDIATE:
    case ACCP_OPERAND_SPECIAL:
        put_text(text, operand->kind == ACCP_OPERAND_SPECIAL ? "sr" : "0x");
        put_hexadecimal(text, operand->value);
        break;
    }
}

INLINE void put_rest(struct text *text, const struct accp_instruction *instruction)
{
    put_text(text, " {");
    put_hexadecimal(text, instruction->rest_high);
    put(text, ':');
    put_hexadecimal(text, instruction->rest_low);
    put(text, '}');
}

/* Where a branch leads, in instructions; of a part of a kernel, in those of the part. */
INLINE void put_target(struct text *text, const struct accp_code *code, size_t index,
                       const bool *is_member)
{
    const int64_t distance = code->instructions[index].target_bytes / ACCP_INSTRUCTION_BYTES;
    put_text(text, " target ");
    if (!is_member) {
        put_signed(text, distance);
        return;
    }
    const size_t target = accp_code_target(code, index);
    if (target == SIZE_MAX || !is_member[target]) {
        put_text(text, "elsewhere");
        return;
    }
    int64_t between = 0;
    for (size_t i = target < index ? target : index; i < (target < index ? index : target); ++i)
        between += is_member[i];
    put_signed(text, target < index ? -between : between);
}

INLINE void put_line(const struct accp_code *code, size_t index, const bool *is_member,
                     struct accp_renaming *renaming, struct text *text)
{
    const struct accp_instruction *instruction = &code->instructions[index];
    if (instruction->guard != ACCP_PREDICATE_TRUE || instruction->guard_negated) {
        put_text(text, instruction->guard_negated ? "@!" : "@");
        put_predicate(text, instruction->guard_uniform, instruction->guard, renaming);
        put(text, ' ');
    }
    put_text(text, accp_opcodes[instruction->opcode].name);
    for (int i = 0; i < instruction->operand_count; ++i) {
        put_text(text, i == 0 ? " " : ", ");
        put_operand(text, &instruction->operands[i], code->kernel, renaming);
    }
    if (instruction->has_target) put_target(text, code, index, is_member);
    put_rest(text, instruction);
    *text->at = 0;
}

void accp_normal_line(const struct accp_code *code, size_t index, struct accp_renaming *renaming,
                      char *line, size_t line_bytes)
{
    struct text text = {.at = line, .end = line + line_bytes - 1};
    put_line(code, index, NULL, renaming, &text);
}

size_t accp_normal_count(const struct accp_code *code)
{
    size_t count = code->count;
    while (count > 0 && code->instructions[count - 1].opcode == ACCP_OPCODE_NOP)
        --count;
    if (count > 0 && code->instructions[count - 1].opcode == ACCP_OPCODE_BRA &&
        code->instructions[count - 1].target_bytes == 0)
        --count;
    return count;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < count; ++i)
        hash = hash_byte(hash, at[i]);
    return hash;
}

static uint64_t hash_control(uint64_t hash, const struct accp_control *control)
{
    const uint8_t fields[] = {control->stall_cycles, control->yield,     control->write_barrier,
                              control->read_barrier, control->wait_mask, control->reuse};
    return hash_bytes(hash, fields, sizeof fields);
}

void accp_normal_digest_init(struct accp_normal_digest *digest)
{
    *digest = (struct accp_normal_digest){hash_start, hash_start};
}

void accp_normal_digest_add(struct accp_normal_digest *digest, const char *line,
                            const struct accp_control *control)
{
    uint64_t plain = digest->plain, with_control = digest->with_control;
    const char *at = line;
    do { /* each step waits for the one before: two hashes at once take the time of one */
        plain = hash_byte(plain, (uint8_t)*at);
        with_control = hash_byte(with_control, (uint8_t)*at);
    } while (*at++);
    *digest = (struct accp_normal_digest){plain, hash_control(with_control, control)};
}

void accp_normal_digest_text(uint64_t hash, char text[ACCP_HASH_BYTES])
{
    snprintf(text, ACCP_HASH_BYTES, "%016" PRIx64, hash);
}

/* Of the first `count` instructions those in `chosen` (NULL: all); `part`: as is_member of put_line. */
static void hash_lines(const struct accp_code *code, size_t count, const bool *chosen,
                       const bool *part, char hash[ACCP_HASH_BYTES],
                       char control_hash[ACCP_HASH_BYTES])
{
    struct accp_renaming renaming;
    struct accp_normal_digest digest;
    accp_renaming_init(&renaming);
    accp_normal_digest_init(&digest);
    for (size_t i = 0; i < count; ++i) {
        char line[ACCP_NORMAL_TEXT_BYTES];
        if (chosen && !chosen[i]) continue;
        struct text text = {line, line + sizeof line - 1, digest.plain, digest.with_control};
        put_line(code, i, part, &renaming, &text);
        digest.plain = hash_byte(text.plain, 0); /* as accp_normal_digest_add does */
        digest.with_control =
            hash_control(hash_byte(text.with_control, 0), &code->instructions[i].control);
    }
    accp_normal_digest_text(digest.plain, hash);
    accp_normal_digest_text(digest.with_control, control_hash);
}

void accp_normal_hash(const struct accp_code *code, const struct accp_loop *loop,
                      char hash[ACCP_HASH_BYTES], char control_hash[ACCP_HASH_BYTES])
{
    hash_lines(code, loop ? code->count : accp_normal_count(code), loop ? loop->is_member : NULL,
               NULL, hash, control_hash);
}

void accp_normal_part_hash(const struct accp_code *code, const bool *is_member,
                           char hash[ACCP_HASH_BYTES], char control_hash[ACCP_HASH_BYTES])
{
    hash_lines(code, accp_normal_count(code), is_member, is_member, hash, control_hash);
}

void accp_exact_hash(const struct accp_code *code, const struct accp_loop *loop,
                     char hash[ACCP_HASH_BYTES])
{
    uint64_t value = hash_start;
    uint8_t place = (uint8_t)(loop->head * ACCP_INSTRUCTION_BYTES % ACCP_LINE_BYTES);
    value = hash_bytes(value, &place, sizeof place);
    for (size_t i = 0; i < code->count; ++i)
        if (loop->is_member[i])
            value = hash_bytes(value, code->kernel->code + i * ACCP_INSTRUCTION_BYTES,
                               ACCP_INSTRUCTION_BYTES);
    accp_normal_digest_text(value, hash);
}
