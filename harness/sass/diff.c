#include "sass/diff.h"

#include "base/plural.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define DIFF(id, name, meaning) [ACCP_DIFF_##id] = name,
    ACCP_DIFF_TABLE(DIFF)
#undef DIFF
};

const char *accp_diff_name(enum accp_diff_class class)
{
    return (unsigned)class < ACCP_DIFF_COUNT ? names[class] : "";
}

static void append(char text[ACCP_DIFF_TEXT_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(char text[ACCP_DIFF_TEXT_BYTES], const char *format, ...)
{
    size_t used = strlen(text);
    if (used > 0) used += (size_t)snprintf(text + used, ACCP_DIFF_TEXT_BYTES - used, "; ");
    if (used >= ACCP_DIFF_TEXT_BYTES) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, ACCP_DIFF_TEXT_BYTES - used, format, arguments);
    va_end(arguments);
}

/* Registers may look better for it, or worse: they are not asked. More of them cost nothing until
 * blocks no longer fit. */
static void find_losses(const struct accp_shape *before, const struct accp_shape *after,
                        char lost[ACCP_DIFF_TEXT_BYTES])
{
    int split = after->split_pairs - before->split_pairs;
    int gone = before->ffma_in_loop - after->ffma_in_loop;
    if (split > 0)
        append(lost, "contraction lost: %d multiply-add pairs in the hot loop, %d before",
               after->split_pairs, before->split_pairs);
    if (gone > (split > 0 ? split : 0))
        append(lost, "unrolling lost: %d FFMA%s in the hot loop before, %d now",
               before->ffma_in_loop, ACCP_PLURAL(before->ffma_in_loop, "s"), after->ffma_in_loop);
    else if (gone <= 0 && after->accumulators < before->accumulators)
        append(lost, "accumulators lost: %d before, %d now", before->accumulators,
               after->accumulators);
    if (gone <= 0 && before->ffma_in_loop == after->ffma_in_loop && after->depth > before->depth)
        append(lost, "the longest chain is deeper: %d FFMA%s before, %d now", before->depth,
               ACCP_PLURAL(before->depth, "s"), after->depth);
    int spills_before = before->local_loads + before->local_stores;
    int spills_after = after->local_loads + after->local_stores;
    if (spills_after > spills_before)
        append(lost, "spills: %d LDL and %d STL, %d and %d before", after->local_loads,
               after->local_stores, before->local_loads, before->local_stores);
    if (after->resident_blocks >= 0 && before->resident_blocks > 0 &&
        2 * after->resident_blocks <= before->resident_blocks)
        append(lost, "occupancy lost: %d resident blocks before, %d now", before->resident_blocks,
               after->resident_blocks);
    if (before->clock_reads > 0 && after->clock_reads == 0)
        append(lost, "the hot loop no longer reads the clock");
    if (before->clock_reads > 0 && after->clock_reads > 0 &&
        before->ffma_in_loop == after->ffma_in_loop && before->ffma > after->ffma)
        append(lost, "work moved out from between the clock reads: %d FFMAs before, %d now",
               before->ffma, after->ffma);
}

static void find_moves(const struct accp_shape *before, const struct accp_shape *after,
                       char moved[ACCP_DIFF_TEXT_BYTES])
{
    const struct {
        const char *what;
        int before, after;
    } counts[] = {
        {"FFMAs in the loop", before->ffma_in_loop, after->ffma_in_loop},
        {"accumulators", before->accumulators, after->accumulators},
        {"registers", before->registers, after->registers},
        {"resident blocks", before->resident_blocks, after->resident_blocks},
        {"constant loads in the loop", before->constant_loads, after->constant_loads},
        {"LDL", before->local_loads, after->local_loads},
        {"STL", before->local_stores, after->local_stores},
        {"instructions in the loop", before->loop.instructions, after->loop.instructions},
        {"sum of stalls", before->loop.stall_sum_cycles, after->loop.stall_sum_cycles},
        {"yields", before->loop.yields, after->loop.yields},
        {"reuses", before->loop.reuses, after->loop.reuses},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        if (counts[i].before != counts[i].after)
            append(moved, "%s %d -> %d", counts[i].what, counts[i].before, counts[i].after);
}

void accp_diff_shapes(const struct accp_shape *before, const struct accp_shape *after,
                      struct accp_diff *diff)
{
    *diff =
        (struct accp_diff){.before_index = SIZE_MAX, .after_index = SIZE_MAX, .has_shapes = true};
    find_losses(before, after, diff->lost);
    find_moves(before, after, diff->moved);
    diff->is_outside_only = strcmp(before->loop.control_hash, after->loop.control_hash) == 0;
    if (diff->lost[0])
        diff->class = ACCP_DIFF_LOST;
    else if (strcmp(before->hash, after->hash) != 0)
        diff->class = ACCP_DIFF_DIFFERENT;
    else if (strcmp(before->control_hash, after->control_hash) != 0)
        diff->class = ACCP_DIFF_CONTROL;
    else
        diff->class = ACCP_DIFF_IDENTICAL;
}

static bool same_control(const struct accp_control *left, const struct accp_control *right)
{
    return left->stall_cycles == right->stall_cycles && left->yield == right->yield &&
           left->write_barrier == right->write_barrier &&
           left->read_barrier == right->read_barrier && left->wait_mask == right->wait_mask &&
           left->reuse == right->reuse;
}

static bool same_registers(const struct accp_instruction *left,
                           const struct accp_instruction *right)
{
    if (left->guard != right->guard || left->operand_count != right->operand_count) return false;
    for (int i = 0; i < left->operand_count; ++i)
        if (left->operands[i].index != right->operands[i].index) return false;
    return true;
}

/* Where the two listings part, in each of the senses. SIZE_MAX: nowhere. */
struct parting {
    size_t line, control, register_name;
    char before[ACCP_NORMAL_TEXT_BYTES], after[ACCP_NORMAL_TEXT_BYTES]; /* at `line`; "": ended */
};

static struct parting find_parting(const struct accp_code *before, const struct accp_code *after)
{
    struct parting parting = {SIZE_MAX, SIZE_MAX, SIZE_MAX, "", ""};
    struct accp_renaming before_names, after_names;
    size_t before_count = accp_normal_count(before), after_count = accp_normal_count(after);
    accp_renaming_init(&before_names);
    accp_renaming_init(&after_names);
    for (size_t i = 0; i < before_count && i < after_count; ++i) {
        char before_line[ACCP_NORMAL_TEXT_BYTES], after_line[ACCP_NORMAL_TEXT_BYTES];
        accp_normal_line(before, i, &before_names, before_line, sizeof before_line);
        accp_normal_line(after, i, &after_names, after_line, sizeof after_line);
        const struct accp_instruction *left = &before->instructions[i];
        const struct accp_instruction *right = &after->instructions[i];
        if (parting.control == SIZE_MAX && !same_control(&left->control, &right->control))
            parting.control = i;
        if (parting.register_name == SIZE_MAX && !same_registers(left, right))
            parting.register_name = i;
        if (strcmp(before_line, after_line) == 0) continue;
        parting.line = i;
        memcpy(parting.before, before_line, sizeof parting.before);
        memcpy(parting.after, after_line, sizeof parting.after);
        return parting;
    }
    if (before_count != after_count)
        parting.line = before_count < after_count ? before_count : after_count;
    return parting;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* The listing without register names, sorted. NULL when memory is out. */
static char (*sorted_lines(const struct accp_code *code, size_t count))[ACCP_NORMAL_TEXT_BYTES]
{
    char(*lines)[ACCP_NORMAL_TEXT_BYTES] = malloc((count + 1) * sizeof *lines);
    if (!lines) return NULL;
    for (size_t i = 0; i < count; ++i)
        accp_normal_line(code, i, NULL, lines[i], sizeof lines[i]);
    qsort(lines, count, sizeof *lines, by_text);
    return lines;
}

static enum accp_status is_permutation(const struct accp_code *before,
                                       const struct accp_code *after, bool *is_same,
                                       struct accp_error *error)
{
    size_t count = accp_normal_count(before);
    *is_same = count == accp_normal_count(after);
    if (!*is_same) return ACCP_STATUS_OK;
    char(*left)[ACCP_NORMAL_TEXT_BYTES] = sorted_lines(before, count);
    char(*right)[ACCP_NORMAL_TEXT_BYTES] = sorted_lines(after, count);
    enum accp_status status = ACCP_STATUS_OK;
    if (!left || !right) status = accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "out of memory");
    for (size_t i = 0; status == ACCP_STATUS_OK && i < count; ++i)
        if (strcmp(left[i], right[i]) != 0) *is_same = false;
    free(left);
    free(right);
    return status;
}

static void describe(const struct accp_code *code, size_t index, bool with_control, size_t *place,
                     char *text, size_t text_bytes)
{
    *place = SIZE_MAX;
    text[0] = 0;
    if (index >= accp_normal_count(code)) return;
    const struct accp_control *control = &code->instructions[index].control;
    *place = index;
    accp_instruction_text(&code->instructions[index], index * ACCP_INSTRUCTION_BYTES, text,
                          ACCP_INSTRUCTION_TEXT_BYTES);
    size_t used = strlen(text);
    if (with_control)
        snprintf(text + used, text_bytes - used, " [%d%s w%d r%d m%02x u%d]", control->stall_cycles,
                 control->yield ? "Y" : "", control->write_barrier, control->read_barrier,
                 control->wait_mask, control->reuse);
}

static enum accp_status classify(const struct accp_code *before, const struct accp_code *after,
                                 int64_t loop_address, struct accp_diff *diff,
                                 struct accp_error *error)
{
    struct parting parting = find_parting(before, after);
    enum accp_diff_class class = ACCP_DIFF_IDENTICAL;
    size_t at = SIZE_MAX;
    if (parting.line != SIZE_MAX) {
        bool is_same;
        ACCP_TRY(is_permutation(before, after, &is_same, error));
        class = is_same ? ACCP_DIFF_REORDERED : ACCP_DIFF_DIFFERENT;
        at = parting.line;
    } else if (parting.control != SIZE_MAX) {
        class = ACCP_DIFF_CONTROL;
        at = parting.control;
    } else if (parting.register_name != SIZE_MAX) {
        class = ACCP_DIFF_REGISTERS;
        at = parting.register_name;
    }
    diff->class = diff->lost[0] ? ACCP_DIFF_LOST : class;
    if (at == SIZE_MAX) return ACCP_STATUS_OK;
    bool with_control = class == ACCP_DIFF_CONTROL;
    describe(before, at, with_control, &diff->before_index, diff->before, sizeof diff->before);
    describe(after, at, with_control, &diff->after_index, diff->after, sizeof diff->after);
    /* The same words may stand for another register's value, or hide bits without a name: what differs shows in the
     * normalised lines alone. */
    if (at == parting.line && strcmp(diff->before, diff->after) == 0) {
        snprintf(diff->before, sizeof diff->before, "%s", parting.before);
        snprintf(diff->after, sizeof diff->after, "%s", parting.after);
    }
    const struct accp_loop *loop;
    if (diff->before_index != SIZE_MAX && diff->has_shapes &&
        accp_code_hot_loop(before, loop_address, &loop, NULL) == ACCP_STATUS_OK)
        diff->in_loop = loop->is_member[at];
    return ACCP_STATUS_OK;
}

static enum accp_status compare(const struct accp_cubin *before_cubin,
                                const struct accp_code *before,
                                const struct accp_cubin *after_cubin, const struct accp_code *after,
                                const struct accp_shape_options *options, struct accp_diff *diff,
                                struct accp_error *error)
{
    struct accp_shape *shapes = calloc(2, sizeof *shapes);
    if (!shapes) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "out of memory");
    *diff = (struct accp_diff){.before_index = SIZE_MAX, .after_index = SIZE_MAX};
    if (accp_shape_of_code(before_cubin, before, NULL, options, &shapes[0], NULL) ==
            ACCP_STATUS_OK &&
        accp_shape_of_code(after_cubin, after, NULL, options, &shapes[1], NULL) == ACCP_STATUS_OK)
        accp_diff_shapes(&shapes[0], &shapes[1], diff);
    free(shapes);
    return classify(before, after, options ? options->loop_address : -1, diff, error);
}

enum accp_status accp_diff_kernels(const struct accp_cubin *before_cubin,
                                   const struct accp_kernel *before,
                                   const struct accp_cubin *after_cubin,
                                   const struct accp_kernel *after,
                                   const struct accp_shape_options *options, struct accp_diff *diff,
                                   struct accp_error *error)
{
    struct accp_code before_code, after_code;
    if (before_cubin->sm != after_cubin->sm)
        return accp_fail(error, ACCP_STATUS_INPUT, after->name, -1,
                         "is code for %s, and the one before for %s: compare cubins of one arch",
                         after_cubin->arch_name, before_cubin->arch_name);
    ACCP_TRY(accp_code_init(before_cubin, before, &before_code, error));
    enum accp_status status = accp_code_init(after_cubin, after, &after_code, error);
    if (status == ACCP_STATUS_OK) {
        status =
            compare(before_cubin, &before_code, after_cubin, &after_code, options, diff, error);
        accp_code_fini(&after_code);
    }
    accp_code_fini(&before_code);
    return status;
}
