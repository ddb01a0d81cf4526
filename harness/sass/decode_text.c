#include "sass/decode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(char *text, size_t text_bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t text_bytes, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, text_bytes - used, format, arguments);
    va_end(arguments);
}

static uint64_t modifier_value(const struct accp_instruction *instruction, unsigned position,
                               unsigned width)
{
    uint64_t bits =
        position >= 64 ? instruction->high >> (position - 64) : instruction->low >> position;
    return bits & (((uint64_t)1 << width) - 1);
}

/* Appends ".NAME" for the value of one field "POSITION.WIDTH:NAME|NAME"; returns the end of the
 * field. */
static const char *append_modifier(const struct accp_instruction *instruction, const char *at,
                                   char *text, size_t text_bytes)
{
    char *end;
    unsigned position = (unsigned)strtoul(at, &end, 10);
    unsigned width = (unsigned)strtoul(end + 1, &end, 10);
    uint64_t value = modifier_value(instruction, position, width);
    const char *name = end + 1;
    for (; value > 0; --value) {
        name += strcspn(name, "| ");
        if (*name != '|') return name;
        ++name;
    }
    size_t length = strcspn(name, "| ");
    if (length > 0) append(text, text_bytes, ".%.*s", (int)length, name);
    return name + strcspn(name, " ");
}

void accp_instruction_mnemonic(const struct accp_instruction *instruction, char *text,
                               size_t text_bytes)
{
    const struct accp_opcode_row *row = &accp_opcodes[instruction->opcode];
    snprintf(text, text_bytes, "%s", row->name);
    for (const char *at = row->modifiers; *at;) {
        at = append_modifier(instruction, at, text, text_bytes);
        while (*at == ' ')
            ++at;
    }
}

static void append_register(const struct accp_operand *operand, char *text, size_t text_bytes)
{
    const char *prefix = operand->kind == ACCP_OPERAND_UNIFORM ? "UR" : "R";
    if (operand->index == ACCP_REGISTER_ZERO)
        append(text, text_bytes, "%sZ", prefix);
    else
        append(text, text_bytes, "%s%d", prefix, operand->index);
    if (operand->reuse) append(text, text_bytes, ".reuse");
}

static void append_predicate(const struct accp_operand *operand, char *text, size_t text_bytes)
{
    const char *prefix = operand->kind == ACCP_OPERAND_UNIFORM_PREDICATE ? "UP" : "P";
    if (operand->index == ACCP_PREDICATE_TRUE)
        append(text, text_bytes, "%sT", prefix);
    else
        append(text, text_bytes, "%s%d", prefix, operand->index);
}

/* The names that nvdisasm gives to the numbers that matter here. */
static void append_special(uint32_t number, char *text, size_t text_bytes)
{
    static const struct {
        uint32_t number;
        const char *name;
    } names[] = {{0x00, "SR_LANEID"},  {0x21, "SR_TID.X"},   {0x22, "SR_TID.Y"},
                 {0x23, "SR_TID.Z"},   {0x25, "SR_CTAID.X"}, {0x26, "SR_CTAID.Y"},
                 {0x27, "SR_CTAID.Z"}, {0x50, "SR_CLOCKLO"}, {0x51, "SR_CLOCKHI"},
                 {0xff, "SRZ"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (names[i].number == number) {
            append(text, text_bytes, "%s", names[i].name);
            return;
        }
    append(text, text_bytes, "SR_%" PRIu32, number);
}

static void append_operand(const struct accp_operand *operand, char *text, size_t text_bytes)
{
    bool is_predicate =
        operand->kind == ACCP_OPERAND_PREDICATE || operand->kind == ACCP_OPERAND_UNIFORM_PREDICATE;
    if (operand->negated) append(text, text_bytes, "%s", is_predicate ? "!" : "-");
    if (operand->absolute) append(text, text_bytes, "|");
    switch (operand->kind) {
    case ACCP_OPERAND_REGISTER:
    case ACCP_OPERAND_UNIFORM:
        append_register(operand, text, text_bytes);
        break;
    case ACCP_OPERAND_PREDICATE:
    case ACCP_OPERAND_UNIFORM_PREDICATE:
        append_predicate(operand, text, text_bytes);
        break;
    case ACCP_OPERAND_CONVERGENCE:
        append(text, text_bytes, "B%d", operand->index);
        break;
    case ACCP_OPERAND_CONSTANT:
        append(text, text_bytes, "c[0x%x][0x%" PRIx32 "]", operand->bank, operand->value);
        break;
    case ACCP_OPERAND_IMMEDIATE:
        if (operand->address && operand->value >> 31)
            append(text, text_bytes, "-0x%" PRIx32, (uint32_t)-operand->value);
        else
            append(text, text_bytes, "0x%" PRIx32, operand->value);
        break;
    case ACCP_OPERAND_SPECIAL:
        append_special(operand->value, text, text_bytes);
        break;
    }
    if (operand->absolute) append(text, text_bytes, "|");
}

/* A predicate that is always true says nothing, except where it picks the smaller or the first of
 * two. */
static bool is_silent(const struct accp_instruction *instruction,
                      const struct accp_operand *operand)
{
    if (operand->address && operand->kind == ACCP_OPERAND_IMMEDIATE) return operand->value == 0;
    if (operand->address && operand->index == ACCP_REGISTER_ZERO) return true;
    if (operand->kind != ACCP_OPERAND_PREDICATE && operand->kind != ACCP_OPERAND_UNIFORM_PREDICATE)
        return false;
    return operand->index == ACCP_PREDICATE_TRUE &&
           (operand->written || accp_instruction_class(instruction) != ACCP_CLASS_COMPARE);
}

static void append_guard(const struct accp_instruction *instruction, char *text, size_t text_bytes)
{
    if (instruction->guard == ACCP_PREDICATE_TRUE && !instruction->guard_negated) return;
    append(text, text_bytes, "@%s%s", instruction->guard_negated ? "!" : "",
           instruction->guard_uniform ? "UP" : "P");
    if (instruction->guard == ACCP_PREDICATE_TRUE)
        append(text, text_bytes, "T ");
    else
        append(text, text_bytes, "%d ", instruction->guard);
}

void accp_instruction_text(const struct accp_instruction *instruction, uint64_t address, char *text,
                           size_t text_bytes)
{
    char mnemonic[64];
    text[0] = 0;
    append_guard(instruction, text, text_bytes);
    accp_instruction_mnemonic(instruction, mnemonic, sizeof mnemonic);
    append(text, text_bytes, "%s", mnemonic);
    if (instruction->opcode == ACCP_OPCODE_UNKNOWN)
        append(text, text_bytes, " 0x%03x", instruction->code);
    const char *separator = " ";
    bool in_address = false;
    for (int i = 0; i < instruction->operand_count; ++i) {
        const struct accp_operand *operand = &instruction->operands[i];
        if (is_silent(instruction, operand)) continue;
        bool opens = operand->address && !in_address;
        if (in_address && !operand->address) append(text, text_bytes, "]");
        append(text, text_bytes, "%s", in_address && operand->address ? "+" : separator);
        if (opens) append(text, text_bytes, operand->descriptor ? "desc[" : "[");
        append_operand(operand, text, text_bytes);
        if (operand->descriptor) append(text, text_bytes, "]");
        separator = operand->descriptor ? "" : ", ";
        in_address = operand->address && !operand->descriptor;
    }
    if (in_address) append(text, text_bytes, "]");
    if (instruction->has_target)
        append(text, text_bytes, "%s0x%" PRIx64, separator,
               address + (uint64_t)instruction->target_bytes);
}
