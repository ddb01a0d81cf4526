#include "sass/decode.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

enum {
    SM_FIRST = 75,
    SM_LAST = 121,
    SM_LONG_BRANCH = 90,   /* from here on a branch has 8 more bits of target, at bit 16 */
    SM_WIDE_UNIFORM = 100, /* from here on a uniform register has 8 bits instead of 6 */
    CODES = 1 << 13,
    BIT_NONE = 0xff
};

const struct accp_opcode_row accp_opcodes[ACCP_OPCODE_COUNT] = {
    [ACCP_OPCODE_UNKNOWN] = {"unknown", ACCP_CLASS_UNKNOWN, ACCP_PIPE_NONE, 0, ""},
#define OPCODE(id, class, pipe, latency, modifiers) \
    [ACCP_OPCODE_##id] = {#id, ACCP_CLASS_##class, ACCP_PIPE_##pipe, latency, modifiers},
#include "opcodes.def"
};

/* One operand of an encoding, parsed from its word in encodings.def. */
struct token {
    char letter;
    uint8_t position, width;
    char count;        /* a digit, 'm', 'y', '?', '~', '$' or '#' */
    uint8_t count_bit; /* of the last four */
    uint8_t negate_bit, absolute_bit, descriptor_bit, uniform_bit, if_bit, unless_bit;
    bool address, is_signed;
};

struct encoding {
    uint16_t code;
    enum accp_opcode opcode;
    uint8_t first, last;
    const char *operands;
};

static const struct encoding encodings[] = {
#define ENCODING(code, opcode, first, last, operands) \
    {code, ACCP_OPCODE_##opcode, first, last, operands},
#include "encodings.def"
};

enum { ENCODINGS = sizeof encodings / sizeof *encodings };

/* Of all rows, one behind the other: what lies together is in memory sooner. */
static struct token tokens[ENCODINGS * ACCP_OPERANDS];
static uint16_t first_token[ENCODINGS + 1];
static uint16_t first_of_code[CODES]; /* row + 1; 0: none */
static uint16_t next_of_code[ENCODINGS];
static once_flag tables_once = ONCE_FLAG_INIT;

static uint8_t read_number(const char **at)
{
    unsigned value = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        value = value * 10 + (unsigned)(**at - '0');
    return (uint8_t)value;
}

/* Where a letter's field starts when the word does not say. */
static uint8_t default_position(char letter)
{
    switch (letter) {
    case 'd':
    case 'D':
    case 'g':
        return 16;
    case 'a':
    case 'A':
        return 24;
    case 'b':
    case 'B':
    case 'i':
        return 32;
    case 's':
        return 72;
    case 'k':
        return 38;
    default:
        return 64; /* c e C E */
    }
}

static struct token parse_token(const char **word)
{
    const char *at = *word;
    struct token token = {.letter = *at++,
                          .count = '1',
                          .negate_bit = BIT_NONE,
                          .absolute_bit = BIT_NONE,
                          .descriptor_bit = BIT_NONE,
                          .uniform_bit = BIT_NONE,
                          .if_bit = BIT_NONE,
                          .unless_bit = BIT_NONE};
    token.position = default_position(token.letter);
    if (strchr("jpquvxz", token.letter) || (token.letter == 'k' && *at == '3'))
        token.position = read_number(&at);
    for (; *at && *at != ' ';)
        switch (*at++) {
        case '.':
            token.width = read_number(&at);
            break;
        case '-':
            token.negate_bit = read_number(&at);
            break;
        case '|':
            token.absolute_bit = read_number(&at);
            break;
        case '*':
            token.address = true;
            break;
        case '@':
            token.descriptor_bit = read_number(&at);
            break;
        case '=':
            token.if_bit = read_number(&at);
            break;
        case '!':
            token.unless_bit = read_number(&at);
            break;
        case '^':
            token.uniform_bit = read_number(&at);
            break;
        case 's':
            token.is_signed = true;
            break;
        case '?':
        case '~':
        case '$':
        case '#':
            token.count = at[-1];
            token.count_bit = read_number(&at);
            break;
        default:
            token.count = at[-1];
            break;
        }
    while (*at == ' ')
        ++at;
    *word = at;
    return token;
}

static void build_tables(void)
{
    for (int row = 0; row < ENCODINGS; ++row) {
        const char *word = encodings[row].operands;
        uint16_t next = first_token[row];
        while (*word && next < first_token[row] + ACCP_OPERANDS)
            tokens[next++] = parse_token(&word);
        first_token[row + 1] = next;
        next_of_code[row] = first_of_code[encodings[row].code];
        first_of_code[encodings[row].code] = (uint16_t)(row + 1);
    }
}

static inline uint64_t low_bits(unsigned width)
{
    return ((uint64_t)1 << width) - 1;
}

/* Bits [position, position + width) of the 128; width below 64. */
static inline uint64_t field(const struct accp_instruction *instruction, unsigned position,
                             unsigned width)
{
    uint64_t bits;
    if (position >= 64)
        bits = instruction->high >> (position - 64);
    else if (position == 0)
        bits = instruction->low;
    else
        bits = instruction->low >> position | instruction->high << (64 - position);
    return bits & low_bits(width);
}

static inline bool bit(const struct accp_instruction *instruction, unsigned position)
{
    const uint64_t word = position & 64 ? instruction->high : instruction->low;
    return position != BIT_NONE && word >> (position & 63) & 1;
}

static inline void drop(struct accp_instruction *instruction, unsigned position, unsigned width)
{
    const uint64_t mask = low_bits(width);
    if (position >= 64) {
        instruction->rest_high &= ~(mask << (position - 64));
        return;
    }
    instruction->rest_low &= ~(mask << position);
    if (position + width > 64) instruction->rest_high &= ~(mask >> (64 - position));
}

/* A field that an operand covers: it is no longer part of the rest. */
static inline uint64_t take(struct accp_instruction *instruction, unsigned position, unsigned width)
{
    drop(instruction, position, width);
    return field(instruction, position, width);
}

static uint8_t memory_registers(const struct accp_instruction *instruction)
{
    uint64_t size = field(instruction, 73, 3);
    return size == 6 ? 4 : size == 5 ? 2 : 1;
}

/* U32, S32, U64, F32, F16x2, S64, F64 */
static uint8_t atomic_registers(const struct accp_instruction *instruction)
{
    uint64_t type = field(instruction, 73, 3);
    return type == 2 || type == 5 || type == 6 ? 2 : 1;
}

static uint8_t register_count(const struct accp_instruction *instruction, const struct token *token)
{
    if (token->count >= '0' && token->count <= '9') return (uint8_t)(token->count - '0');
    if (token->count == 'm') return memory_registers(instruction);
    if (token->count == 'y') return atomic_registers(instruction);
    if (token->count == '?') return bit(instruction, token->count_bit) ? 2 : 1;
    if (token->count == '$')
        return bit(instruction, token->count_bit) && bit(instruction, token->count_bit + 1u) ? 2
                                                                                             : 1;
    if (token->count == '#') return bit(instruction, token->count_bit) ? 4 : 2;
    return bit(instruction, token->count_bit) ? 1 : 2; /* '~' */
}

static enum accp_slot slot_of(char letter)
{
    return letter == 'a'                    ? ACCP_SLOT_A
           : letter == 'b' || letter == 'e' ? ACCP_SLOT_B
           : letter == 'c'                  ? ACCP_SLOT_C
                                            : ACCP_SLOT_NONE;
}

static void decode_uniform(int sm, struct accp_instruction *instruction, const struct token *token,
                           struct accp_operand *operand)
{
    unsigned width = sm >= SM_WIDE_UNIFORM ? 8 : 6;
    uint64_t index = take(instruction, token->position, width);
    operand->kind = ACCP_OPERAND_UNIFORM;
    operand->index = index == ((uint64_t)1 << width) - 1 ? ACCP_REGISTER_ZERO : (uint8_t)index;
    operand->count = register_count(instruction, token);
    operand->written = token->letter == 'D';
}

static void decode_register(struct accp_instruction *instruction, const struct token *token,
                            struct accp_operand *operand)
{
    operand->kind = ACCP_OPERAND_REGISTER;
    operand->index = (uint8_t)take(instruction, token->position, 8);
    operand->count = register_count(instruction, token);
    operand->written = token->letter == 'd';
    operand->slot = slot_of(token->letter);
    if (operand->slot != ACCP_SLOT_NONE)
        operand->reuse = instruction->control.reuse >> (operand->slot - 1) & 1;
}

static void decode_predicate(struct accp_instruction *instruction, const struct token *token,
                             struct accp_operand *operand)
{
    bool is_uniform =
        token->letter == 'u' || token->letter == 'v' || bit(instruction, token->uniform_bit);
    operand->kind = is_uniform ? ACCP_OPERAND_UNIFORM_PREDICATE : ACCP_OPERAND_PREDICATE;
    operand->index = (uint8_t)take(instruction, token->position, 3);
    operand->count = 1;
    operand->written = token->letter == 'p' || token->letter == 'u';
    if (!operand->written) operand->negated = bit(instruction, token->position + 3u);
}

static void decode_number(struct accp_instruction *instruction, const struct token *token,
                          struct accp_operand *operand)
{
    operand->kind = ACCP_OPERAND_IMMEDIATE;
    unsigned width = token->letter == 'i' ? 32 : token->width;
    uint64_t value = take(instruction, token->position, width);
    if (token->is_signed && value >> (width - 1)) value |= ~(((uint64_t)1 << width) - 1);
    operand->value = (uint32_t)value;
}

static void decode_target(int sm, struct accp_instruction *instruction, const struct token *token)
{
    bool is_long = token->letter == 'T' && sm >= SM_LONG_BRANCH;
    unsigned low_width = token->letter == 'T' ? 48 : 30, width = is_long ? 56 : low_width;
    uint64_t units = take(instruction, 34, low_width);
    if (is_long) units = units << 8 | take(instruction, 16, 8);
    int64_t offset = (int64_t)(units << (64 - width)) >> (64 - width);
    instruction->has_target = true;
    instruction->target_bytes = offset * 4 + 16;
}

static void decode_operand(int sm, struct accp_instruction *instruction, const struct token *token)
{
    if (token->letter == 'z') return;
    if (token->if_bit != BIT_NONE && !bit(instruction, token->if_bit)) return;
    if (bit(instruction, token->unless_bit)) return;
    if (token->letter == 't' || token->letter == 'T') {
        decode_target(sm, instruction, token);
        return;
    }
    struct accp_operand *operand = &instruction->operands[instruction->operand_count++];
    operand->address = token->address;
    operand->descriptor = bit(instruction, token->descriptor_bit);
    operand->negated = bit(instruction, token->negate_bit);
    operand->absolute = bit(instruction, token->absolute_bit);
    switch (token->letter) {
    case 'k':
        operand->kind = ACCP_OPERAND_CONSTANT;
        operand->bank = (uint8_t)take(instruction, 54, 5);
        operand->value = (uint32_t)take(instruction, token->position, 54u - token->position);
        break;
    case 's':
        operand->kind = ACCP_OPERAND_SPECIAL;
        operand->value = (uint32_t)take(instruction, 72, 8);
        break;
    case 'x':
        operand->kind = ACCP_OPERAND_CONVERGENCE;
        operand->index = (uint8_t)take(instruction, token->position, 4);
        break;
    case 'i':
    case 'j':
        decode_number(instruction, token, operand);
        break;
    case 'p':
    case 'q':
    case 'u':
    case 'v':
        decode_predicate(instruction, token, operand);
        break;
    case 'D':
    case 'A':
    case 'B':
    case 'C':
    case 'E':
        decode_uniform(sm, instruction, token, operand);
        break;
    default:
        decode_register(instruction, token, operand);
        break;
    }
}

static struct accp_control decode_control(const struct accp_instruction *instruction)
{
    return (struct accp_control){.stall_cycles = (uint8_t)field(instruction, 105, 4),
                                 .yield = !bit(instruction, 109),
                                 .write_barrier = (uint8_t)field(instruction, 110, 3),
                                 .read_barrier = (uint8_t)field(instruction, 113, 3),
                                 .wait_mask = (uint8_t)field(instruction, 116, 6),
                                 .reuse = (uint8_t)field(instruction, 122, 3)};
}

static uint64_t read64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return le64toh(value);
}

/* A row with a `z` holds for part of its code only. */
static bool is_row_valid(const struct accp_instruction *instruction, int row)
{
    for (int i = first_token[row]; i < first_token[row + 1]; ++i)
        if (tokens[i].letter == 'z' && bit(instruction, tokens[i].position)) return false;
    return true;
}

static int find_row(int sm, const struct accp_instruction *instruction)
{
    for (int row = first_of_code[instruction->code] - 1; row >= 0; row = next_of_code[row] - 1)
        if (sm >= encodings[row].first && sm <= encodings[row].last)
            return is_row_valid(instruction, row) ? row : -1;
    return -1;
}

enum accp_status accp_sass_decode(int sm, const uint8_t code[16],
                                  struct accp_instruction *instruction, struct accp_error *error)
{
    memset(instruction, 0, sizeof *instruction);
    if (sm < SM_FIRST || sm > SM_LAST)
        return accp_fail(error, ACCP_STATUS_UNSUPPORTED, NULL, -1,
                         "the SASS of sm_%d cannot be decoded: only that of sm_%d to sm_%d can", sm,
                         SM_FIRST, SM_LAST);
    call_once(&tables_once, build_tables);
    instruction->low = read64(code);
    instruction->high = read64(code + 8);
    instruction->code = (uint16_t)(field(instruction, 0, 12) | field(instruction, 91, 1) << 12);
    instruction->guard = (uint8_t)field(instruction, 12, 3);
    instruction->guard_negated = bit(instruction, 15);
    instruction->control = decode_control(instruction);
    instruction->rest_low = instruction->low;
    instruction->rest_high = instruction->high;
    drop(instruction, 12, 4);
    drop(instruction, 102, 2); /* a predicate of the performance monitor */
    drop(instruction, 105, 21);
    int row = find_row(sm, instruction);
    if (row < 0) return ACCP_STATUS_OK;
    instruction->opcode = encodings[row].opcode;
    instruction->guard_uniform = accp_opcodes[instruction->opcode].pipe == ACCP_PIPE_UNIFORM;
    for (int i = first_token[row]; i < first_token[row + 1]; ++i)
        decode_operand(sm, instruction, &tokens[i]);
    return ACCP_STATUS_OK;
}

enum accp_class accp_instruction_class(const struct accp_instruction *instruction)
{
    return accp_opcodes[instruction->opcode].class;
}

int accp_instruction_ffmas(const struct accp_instruction *instruction)
{
    return instruction->opcode == ACCP_OPCODE_FFMA    ? 1
           : instruction->opcode == ACCP_OPCODE_FFMA2 ? 2
                                                      : 0;
}

bool accp_instruction_reads_clock(const struct accp_instruction *instruction)
{
    enum { CLOCK_LOW = 0x50, GLOBAL_TIMER_HIGH = 0x53 };
    if (accp_instruction_class(instruction) != ACCP_CLASS_CLOCK) return false;
    for (int i = 0; i < instruction->operand_count; ++i)
        if (instruction->operands[i].kind == ACCP_OPERAND_SPECIAL)
            return instruction->operands[i].value >= CLOCK_LOW &&
                   instruction->operands[i].value <= GLOBAL_TIMER_HIGH;
    return false;
}
