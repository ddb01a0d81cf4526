#include "mutations.h"

#include <stdlib.h>
#include <string.h>

/* Bits of the high word: 41 to 44 stall count, 45 keep issuing (0: yield), 46 to 48 write barrier, 52 to 57 wait mask,
 * 58 to 60 reuse. */
enum { STALL_BIT = 41, KEEP_BIT = 45, WRITE_BIT = 46, WAIT_BIT = 52, REUSE_BIT = 58 };
/* Longer stalls than this have no code where the warp keeps issuing. */
enum { STALL_MOST = 15, STALL_MOST_KEEPING = 11, REUSE_SLOTS = 3, ABI_STACK = 1, SCOREBOARDS = 6 };

static const struct accp_instruction *at_index(const struct accp_subject *subject, size_t index)
{
    return &subject->decoded->instructions[index];
}

static bool is_ffma(const struct accp_subject *subject, size_t index)
{
    return index < subject->decoded->count && subject->loop->is_member[index] &&
           accp_instruction_ffmas(at_index(subject, index)) > 0;
}

static bool is_first_ffma(const struct accp_subject *subject, size_t index)
{
    for (size_t i = 0; i < index; ++i)
        if (is_ffma(subject, i)) return false;
    return is_ffma(subject, index);
}

static void change_high(const struct accp_subject *subject, size_t index, uint64_t keep,
                        uint64_t set)
{
    uint64_t words[2];
    accp_subject_get(subject, index, words);
    words[1] = (words[1] & keep) | set;
    accp_subject_put(subject, index, words);
}

/* Each mutate_<id> changes instruction `at`, a member of the loop, in its way number `way`, or
 * returns false and leaves it. Few have more ways than one. */
static bool mutate_stall(const struct accp_subject *subject, size_t at, int way)
{
    const struct accp_control *control = &at_index(subject, at)->control;
    const int most = control->yield ? STALL_MOST : STALL_MOST_KEEPING;
    uint64_t words[2];
    if (way > 0 || control->stall_cycles == 0 || control->stall_cycles >= most) return false;
    accp_subject_get(subject, at, words);
    words[1] += UINT64_C(1) << STALL_BIT;
    accp_subject_put(subject, at, words);
    return true;
}

static bool mutate_reuse(const struct accp_subject *subject, size_t at, int way)
{
    if (way >= REUSE_SLOTS || !(at_index(subject, at)->control.reuse >> way & 1)) return false;
    change_high(subject, at, ~(UINT64_C(1) << (REUSE_BIT + way)), 0);
    return true;
}

/* A reuse bit is legal only where the warp keeps issuing. */
static bool mutate_yield(const struct accp_subject *subject, size_t at, int way)
{
    if (way > 0 || at_index(subject, at)->control.yield) return false;
    change_high(subject, at, ~(UINT64_C(1) << KEEP_BIT) & ~(UINT64_C(7) << REUSE_BIT), 0);
    return true;
}

static bool mutate_barrier(const struct accp_subject *subject, size_t at, int way)
{
    if (way > 0 || at_index(subject, at)->control.wait_mask & 1) return false;
    change_high(subject, at, ~UINT64_C(0), UINT64_C(1) << WAIT_BIT);
    return true;
}

/* Scoreboards that no instruction of the kernel takes, as a wait mask. */
static uint64_t untaken_scoreboards(const struct accp_subject *subject)
{
    uint64_t untaken = (UINT64_C(1) << SCOREBOARDS) - 1;
    for (size_t i = 0; i < subject->decoded->count; ++i) {
        const struct accp_control *control = &at_index(subject, i)->control;
        untaken &= ~(UINT64_C(1) << control->write_barrier | UINT64_C(1) << control->read_barrier);
    }
    return untaken;
}

static bool mutate_untaken(const struct accp_subject *subject, size_t at, int way)
{
    const uint64_t untaken = untaken_scoreboards(subject);
    if (way > 0 || untaken == 0) return false;
    change_high(subject, at, ~UINT64_C(0), (untaken & -untaken) << WAIT_BIT);
    return true;
}

static bool mutate_swap(const struct accp_subject *subject, size_t at, int way)
{
    uint64_t left[2], right[2];
    if (way > 0 || at + 1 >= subject->decoded->count || !subject->loop->is_member[at + 1] ||
        is_ffma(subject, at) == is_ffma(subject, at + 1) ||
        !accp_subject_independent(subject, at, at + 1))
        return false;
    accp_subject_get(subject, at, left);
    accp_subject_get(subject, at + 1, right);
    accp_subject_put(subject, at, right);
    accp_subject_put(subject, at + 1, left);
    return true;
}

/* Read operand number `way` of an FFMA with three, if it is the only one in its bank. */
static const struct accp_operand *odd_one(const struct accp_instruction *ffma, int way)
{
    const struct accp_operand *read[3];
    int count = 0, of_bank[2] = {0, 0};
    for (int i = 0; i < ffma->operand_count; ++i) {
        const struct accp_operand *operand = &ffma->operands[i];
        if (operand->written || operand->kind != ACCP_OPERAND_REGISTER || count == 3) continue;
        read[count++] = operand;
        ++of_bank[operand->index & 1];
    }
    if (count < 3 || way >= 3 || of_bank[read[way]->index & 1] != 1) return NULL;
    return read[way];
}

/* No instruction changes what it computes, only where from. The ABI gives register 1 to the stack. */
static bool mutate_bank(const struct accp_subject *subject, size_t at, int way)
{
    const struct accp_operand *odd =
        is_ffma(subject, at) ? odd_one(at_index(subject, at), way) : NULL;
    for (int other = 0; odd && other < ACCP_REGISTER_ZERO; ++other) {
        bool is_used = false, is_here = false;
        for (size_t i = 0; i < subject->decoded->count; ++i)
            for (int k = 0; k < at_index(subject, i)->operand_count; ++k) {
                const struct accp_operand *operand = &at_index(subject, i)->operands[k];
                if (operand->kind != ACCP_OPERAND_REGISTER || operand->index != other) continue;
                is_used = true;
                is_here = is_here || i == at;
            }
        if (is_used && !is_here && other != ABI_STACK && (other & 1) != (odd->index & 1) &&
            accp_subject_exchange(subject, odd->index, other))
            return true;
    }
    return false;
}

/* The kernel's first load of a constant, its result dropped, in front of an FFMA that waits for it. */
static bool mutate_reload(const struct accp_subject *subject, size_t at, int way)
{
    const struct accp_instruction *load = at_index(subject, 0);
    for (size_t i = 0; i < subject->decoded->count; ++i) {
        if (at_index(subject, i)->operand_count != 2 ||
            accp_instruction_class(at_index(subject, i)) != ACCP_CLASS_CONSTANT ||
            at_index(subject, i)->operands[0].kind != ACCP_OPERAND_REGISTER ||
            at_index(subject, i)->operands[0].count != 1)
            continue;
        load = at_index(subject, i);
        break;
    }
    if (way > 0 || !is_ffma(subject, at) || accp_instruction_class(load) != ACCP_CLASS_CONSTANT)
        return false;
    const uint64_t stall_keep_wait_none =
        UINT64_C(2) << STALL_BIT | UINT64_C(1) << KEEP_BIT | UINT64_C(7) << (WRITE_BIT + 3);
    const uint64_t words[2] = {load->low | (uint64_t)ACCP_REGISTER_ZERO << 16,
                               (load->high & ((UINT64_C(1) << STALL_BIT) - 1)) |
                                   stall_keep_wait_none};
    if (!accp_subject_insert(subject, at, words)) return false;
    change_high(subject, at + 1, ~UINT64_C(0), UINT64_C(1) << WAIT_BIT);
    return true;
}

static void remove_at(const struct accp_subject *subject, size_t at)
{
    accp_subject_replace(subject, at, 0x7918, 0); /* NOP */
}

static bool mutate_remove(const struct accp_subject *subject, size_t at, int way)
{
    if (way > 0 || !is_ffma(subject, at)) return false;
    remove_at(subject, at);
    return true;
}

static bool mutate_fold(const struct accp_subject *subject, size_t at, int way)
{
    if (way > 0 || !is_first_ffma(subject, at)) return false;
    for (size_t i = at; i < subject->decoded->count; ++i)
        if (is_ffma(subject, i)) remove_at(subject, i);
    return true;
}

/* The start of a chain: an FFMA that reads nothing that an FFMA of the loop has written. */
static bool starts_chain(const struct accp_subject *subject, size_t at)
{
    const struct accp_instruction *here = at_index(subject, at);
    for (size_t i = 0; i < at; ++i)
        for (int k = 1; k < here->operand_count && is_ffma(subject, i); ++k)
            if (here->operands[k].kind == ACCP_OPERAND_REGISTER &&
                here->operands[k].index == at_index(subject, i)->operands[0].index)
                return false;
    return is_ffma(subject, at);
}

/* Whether an instruction between the two writes the register that the first one has written. */
static bool is_overwritten(const struct accp_subject *subject, size_t first, size_t end)
{
    const int result = at_index(subject, first)->operands[0].index;
    for (size_t i = first + 1; i < end; ++i)
        for (int k = 0; k < at_index(subject, i)->operand_count; ++k) {
            const struct accp_operand *operand = &at_index(subject, i)->operands[k];
            if (operand->written && operand->kind == ACCP_OPERAND_REGISTER &&
                operand->index <= result && result < operand->index + operand->count)
                return true;
        }
    return false;
}

/* A chain's start reads what the FFMA before it wrote, in place of a fresh value. */
static bool mutate_merge(const struct accp_subject *subject, size_t at, int way)
{
    uint64_t words[2];
    size_t before = at;
    if (way > 0 || !starts_chain(subject, at) || is_first_ffma(subject, at)) return false;
    while (!is_ffma(subject, --before)) {
    }
    if (is_overwritten(subject, before, at)) return false;
    accp_subject_get(subject, at, words);
    words[0] = (words[0] & ~(UINT64_C(0xff) << 32)) |
               (uint64_t)at_index(subject, before)->operands[0].index << 32;
    accp_subject_put(subject, at, words);
    return true;
}

/* STL [R1], R0 in place of the addition that counts iterations. */
static bool mutate_spill(const struct accp_subject *subject, size_t at, int way)
{
    const struct accp_instruction *here = at_index(subject, at);
    if (way > 0 || is_ffma(subject, at) || here->operand_count < 2 ||
        accp_instruction_class(here) != ACCP_CLASS_INTEGER)
        return false;
    accp_subject_replace(subject, at, 0x0000000001007387, 0x0000000000100800);
    return true;
}

static bool mutate_clock(const struct accp_subject *subject, size_t at, int way)
{
    uint64_t inside[2], before[2];
    const size_t head = subject->loop->head;
    if (way > 0 || head == 0 || !accp_instruction_reads_clock(at_index(subject, at))) return false;
    accp_subject_get(subject, at, inside);
    accp_subject_get(subject, head - 1, before);
    accp_subject_put(subject, at, before);
    accp_subject_put(subject, head - 1, inside);
    return true;
}

enum reach { LOOP, KERNEL };

static const struct mutation {
    const char *name;
    enum reach reach;
    bool (*apply)(const struct accp_subject *subject, size_t at, int way);
} mutations[] = {
#define MUTATION(id, kind, reach, status, class, words, meaning) {#id, reach, mutate_##id},
#include "mutations.def"
};

static const struct mutation *find(const char *name)
{
    for (size_t i = 0; i < sizeof mutations / sizeof *mutations; ++i)
        if (strcmp(mutations[i].name, name) == 0) return &mutations[i];
    return NULL;
}

bool accp_mutation_known(const char *mutation)
{
    return find(mutation) != NULL;
}

bool accp_mutation_reaches_kernel(const char *mutation)
{
    const struct mutation *found = find(mutation);
    return found && found->reach == KERNEL;
}

bool accp_mutate(const struct accp_subject *subject, const char *mutation, unsigned site,
                 size_t *address)
{
    const struct mutation *found = find(mutation);
    const size_t bytes = subject->decoded->count * ACCP_INSTRUCTION_BYTES;
    uint8_t *kept = malloc(bytes);
    bool done = false;
    if (!kept || !found) {
        free(kept);
        return false;
    }
    memcpy(kept, subject->code, bytes);
    for (size_t at = 0; at < subject->decoded->count && !done; ++at)
        for (int way = 0; way < REUSE_SLOTS && subject->loop->is_member[at] && !done; ++way) {
            if (!found->apply(subject, at, way)) continue;
            *address = at * ACCP_INSTRUCTION_BYTES;
            done = site-- == 0;
            if (!done) memcpy(subject->code, kept, bytes);
        }
    free(kept);
    return done;
}
