/* mutate CUBIN KERNEL MUTATION OUT: writes the cubin with one change to the kernel's hot loop, as a compiler
 * could have made it (mutations.def). Works on the code of any arch whose loop has what it changes. */
#include "base/file.h"
#include "sass/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of a kernel, writable, and its loop. */
struct subject {
    uint8_t *code;
    const struct accp_code *decoded;
    const struct accp_loop *loop;
};

/* Bits of the high word: 41 to 44 stall count, 45 keep issuing (0: yield), 52 to 57 wait mask, 58 to 60 reuse. */
enum { STALL_BIT = 41, KEEP_BIT = 45, WAIT_BIT = 52, REUSE_BIT = 58, CONTROL_BITS = 21 };
static const uint64_t control_mask = ((UINT64_C(1) << CONTROL_BITS) - 1) << STALL_BIT;

static void get(const struct subject *subject, size_t index, uint64_t words[2])
{
    memcpy(words, subject->code + index * ACCP_INSTRUCTION_BYTES, ACCP_INSTRUCTION_BYTES);
}

static void put(const struct subject *subject, size_t index, const uint64_t words[2])
{
    memcpy(subject->code + index * ACCP_INSTRUCTION_BYTES, words, ACCP_INSTRUCTION_BYTES);
}

/* The next FFMA of the loop from `index` on; SIZE_MAX: none. */
static size_t next_ffma(const struct subject *subject, size_t index)
{
    for (; index < subject->decoded->count; ++index)
        if (subject->loop->is_member[index] &&
            accp_instruction_ffmas(&subject->decoded->instructions[index]) > 0)
            return index;
    return SIZE_MAX;
}

/* Puts an opcode that takes no operands, or others, in place of an instruction and keeps its control bits. */
static void replace(const struct subject *subject, size_t index, uint64_t low, uint64_t high)
{
    uint64_t words[2];
    get(subject, index, words);
    const uint64_t changed[2] = {low, (high & ~control_mask) | (words[1] & control_mask)};
    put(subject, index, changed);
}

static bool mutate_stall(const struct subject *subject)
{
    uint64_t words[2];
    size_t at = next_ffma(subject, 0);
    if (at == SIZE_MAX) return false;
    get(subject, at, words);
    words[1] += UINT64_C(1) << STALL_BIT;
    put(subject, at, words);
    return true;
}

static bool mutate_reuse(const struct subject *subject)
{
    for (size_t at = next_ffma(subject, 0); at != SIZE_MAX; at = next_ffma(subject, at + 1)) {
        uint64_t words[2];
        if (subject->decoded->instructions[at].control.reuse == 0) continue;
        get(subject, at, words);
        words[1] &= ~(UINT64_C(7) << REUSE_BIT);
        put(subject, at, words);
        return true;
    }
    return false;
}

static bool mutate_yield(const struct subject *subject)
{
    for (size_t at = next_ffma(subject, 0); at != SIZE_MAX; at = next_ffma(subject, at + 1)) {
        uint64_t words[2];
        if (subject->decoded->instructions[at].control.yield) continue;
        get(subject, at, words);
        words[1] &= ~(UINT64_C(1) << KEEP_BIT);
        put(subject, at, words);
        return true;
    }
    return false;
}

static bool mutate_barrier(const struct subject *subject)
{
    uint64_t words[2];
    size_t at = next_ffma(subject, 0);
    if (at == SIZE_MAX) return false;
    get(subject, at, words);
    words[1] ^= UINT64_C(1) << WAIT_BIT;
    put(subject, at, words);
    return true;
}

/* An unguarded instruction that is no FFMA, and the FFMA behind it: the counter's addition depends on no chain. */
static bool mutate_swap(const struct subject *subject)
{
    for (size_t i = 0; i + 1 < subject->decoded->count; ++i) {
        uint64_t left[2], right[2];
        if (!subject->loop->is_member[i] || next_ffma(subject, i) == i ||
            next_ffma(subject, i + 1) != i + 1)
            continue;
        get(subject, i, left);
        get(subject, i + 1, right);
        put(subject, i, right);
        put(subject, i + 1, left);
        return true;
    }
    return false;
}

/* The instruction of the loop, neither FFMA nor guarded, that counts iterations. */
static size_t counter(const struct subject *subject)
{
    for (size_t i = 0; i < subject->decoded->count; ++i) {
        const struct accp_instruction *here = &subject->decoded->instructions[i];
        if (!subject->loop->is_member[i] || accp_instruction_ffmas(here) > 0) continue;
        if (here->operand_count > 1 && here->operands[0].kind == ACCP_OPERAND_REGISTER &&
            here->operands[here->operand_count - 1].kind != ACCP_OPERAND_CONSTANT)
            return i;
    }
    return SIZE_MAX;
}

/* A load of the prologue in place of the counter's addition. */
static bool mutate_reload(const struct subject *subject)
{
    size_t at = counter(subject);
    for (size_t i = 0; i < subject->decoded->count && at != SIZE_MAX; ++i) {
        const struct accp_instruction *here = &subject->decoded->instructions[i];
        if (accp_instruction_class(here) != ACCP_CLASS_CONSTANT || subject->loop->is_member[i])
            continue;
        replace(subject, at, here->low, here->high);
        return true;
    }
    return false;
}

static void remove_at(const struct subject *subject, size_t at)
{
    replace(subject, at, 0x7918, 0); /* NOP */
}

static bool mutate_remove(const struct subject *subject)
{
    size_t at = next_ffma(subject, 0);
    if (at == SIZE_MAX) return false;
    remove_at(subject, at);
    return true;
}

static bool mutate_fold(const struct subject *subject)
{
    for (size_t at = next_ffma(subject, 0); at != SIZE_MAX; at = next_ffma(subject, at + 1))
        remove_at(subject, at);
    return true;
}

/* The second chain's start reads what the first chain's start wrote, in place of a fresh value. */
static bool mutate_merge(const struct subject *subject)
{
    uint64_t first[2], second[2];
    size_t at = next_ffma(subject, 0), next = at == SIZE_MAX ? at : next_ffma(subject, at + 1);
    if (next == SIZE_MAX) return false;
    get(subject, at, first);
    get(subject, next, second);
    uint64_t destination = first[0] >> 16 & 0xff;
    second[0] = (second[0] & ~(UINT64_C(0xff) << 32)) | destination << 32;
    put(subject, next, second);
    return true;
}

/* STL [R1], R0 in place of the counter. */
static bool mutate_spill(const struct subject *subject)
{
    size_t at = counter(subject);
    if (at == SIZE_MAX) return false;
    replace(subject, at, 0x0000000001007387, 0x0000000000100800);
    return true;
}

static bool mutate_clock(const struct subject *subject)
{
    uint64_t inside[2], before[2];
    size_t head = subject->loop->head;
    for (size_t i = head; head > 0 && i < subject->decoded->count; ++i) {
        if (!subject->loop->is_member[i] ||
            !accp_instruction_reads_clock(&subject->decoded->instructions[i]))
            continue;
        get(subject, i, inside);
        get(subject, head - 1, before);
        put(subject, i, before);
        put(subject, head - 1, inside);
        return true;
    }
    return false;
}

static const struct {
    const char *name;
    bool (*apply)(const struct subject *subject);
} mutations[] = {
#define MUTATION(id, status, class, words, meaning) {#id, mutate_##id},
#include "mutations.def"
};

static int apply(const char *name, const struct subject *subject)
{
    for (size_t i = 0; i < sizeof mutations / sizeof *mutations; ++i) {
        if (strcmp(mutations[i].name, name) != 0) continue;
        if (mutations[i].apply(subject)) return 0;
        fprintf(stderr, "mutate: the loop has nothing that %s could change\n", name);
        return 1;
    }
    fprintf(stderr, "mutate: %s is not in mutations.def\n", name);
    return 1;
}

static int fail(const struct accp_error *error)
{
    fprintf(stderr, "mutate: %s %s\n", error->where, error->text);
    return 1;
}

int main(int argc, char **argv)
{
    struct accp_error error;
    struct accp_bytes bytes;
    struct accp_cubin cubin;
    struct accp_code code;
    const struct accp_kernel *kernel;
    struct subject subject = {.decoded = &code};
    if (argc != 5) {
        fputs("usage: mutate CUBIN KERNEL MUTATION OUT\n", stderr);
        return 1;
    }
    if (accp_file_read(argv[1], ACCP_CUBIN_LIMIT_BYTES, &bytes, &error) != ACCP_STATUS_OK ||
        accp_cubin_open(argv[1], bytes.data, bytes.size, &cubin, &error) != ACCP_STATUS_OK ||
        accp_cubin_pick(&cubin, argv[1], argv[2], &kernel, &error) != ACCP_STATUS_OK ||
        accp_code_init(&cubin, kernel, &code, &error) != ACCP_STATUS_OK ||
        accp_code_hot_loop(&code, -1, &subject.loop, &error) != ACCP_STATUS_OK)
        return fail(&error);
    subject.code = bytes.data + (kernel->code - bytes.data);
    int failed = apply(argv[3], &subject);
    if (!failed &&
        accp_file_write_atomic(argv[4], bytes.data, bytes.size, &error) != ACCP_STATUS_OK)
        failed = fail(&error);
    accp_code_fini(&code);
    accp_cubin_close(&cubin);
    accp_bytes_fini(&bytes);
    return failed;
}
