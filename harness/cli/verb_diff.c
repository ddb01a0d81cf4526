#include "cli/diff_print.h"
#include "cli/shaping.h"
#include "cli/verbs.h"
#include "golden/shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one invocation compares, and the rows that it gathers. */
struct diffing {
    const struct accp_options *options;
    struct accp_pattern filter;
    struct accp_differences differences;
};

/* "class; what was lost; what moved; where it begins" of one pair. */
static void say(struct accp_difference *row, const struct accp_diff *diff, const char *first)
{
    const char *parts[] = {diff->lost, first, diff->moved,
                           diff->class > ACCP_DIFF_REGISTERS && diff->is_outside_only
                               ? "outside the hot loop only"
                               : ""};
    row->class = diff->class;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        size_t used = strlen(row->text);
        if (parts[i][0])
            snprintf(row->text + used, sizeof row->text - used, "%s%s", used ? "; " : "", parts[i]);
    }
}

static const char *role_or_kernel(const char *kernel)
{
    const struct accp_role *role = accp_role_find(kernel);
    return role ? role->name : kernel;
}

static bool is_wanted(const struct diffing *diffing, const char *kernel)
{
    return accp_pattern_matches_kernel(&diffing->filter, accp_role_find(kernel), kernel);
}

/* A name that one side alone has. */
static enum accp_status add_lone(struct diffing *diffing, const char *name, enum accp_sides sides,
                                 struct accp_error *error)
{
    struct accp_difference *row;
    ACCP_TRY(accp_differences_add(&diffing->differences, role_or_kernel(name), &row, error));
    row->sides = sides;
    return ACCP_STATUS_OK;
}

/* Where the hot loops part, when they do: a prologue that differs too would hide it. "" where a side
 * has no hot loop. */
static enum accp_status
loop_difference(const struct accp_opened *before, const struct accp_kernel *left,
                const struct accp_opened *after, const struct accp_kernel *right, int64_t address,
                char text[ACCP_LISTING_DIFFERENCE_BYTES], struct accp_error *error)
{
    const struct accp_opened *const sides[] = {before, after};
    const struct accp_kernel *const kernels[] = {left, right};
    struct accp_listings listings[2] = {0};
    enum accp_status status = ACCP_STATUS_OK;
    text[0] = 0;
    for (int i = 0; i < 2 && status == ACCP_STATUS_OK; ++i) {
        struct accp_code code;
        const struct accp_loop *loop;
        status = accp_code_init(&sides[i]->cubin, kernels[i], &code, error);
        if (status != ACCP_STATUS_OK) break;
        if (accp_code_hot_loop(&code, address, &loop, NULL) == ACCP_STATUS_OK)
            status = accp_listings_add(&listings[i], &code, loop, error);
        accp_code_fini(&code);
    }
    if (status == ACCP_STATUS_OK && listings[0].count > 0 && listings[1].count > 0)
        accp_listing_difference(&listings[0].items[0], &listings[1].items[0], text, NULL);
    accp_listings_fini(&listings[0]);
    accp_listings_fini(&listings[1]);
    return status;
}

static enum accp_status add_kernels(struct diffing *diffing, const struct accp_opened *before,
                                    const struct accp_kernel *left, const struct accp_opened *after,
                                    const struct accp_kernel *right, struct accp_error *error)
{
    const struct accp_options *options = diffing->options;
    const struct accp_shape_options how = {.loop_address = options->loop,
                                           .warps = options->warps > 0 ? (int)options->warps : 0};
    struct accp_diff diff;
    struct accp_difference *row;
    char first[2 * ACCP_INSTRUCTION_TEXT_BYTES + 384] = "";
    ACCP_TRY(accp_diff_kernels(&before->cubin, left, &after->cubin, right, &how, &diff, error));
    ACCP_TRY(accp_differences_add(&diffing->differences, role_or_kernel(left->name), &row, error));
    if (diff.before_index != SIZE_MAX || diff.after_index != SIZE_MAX) {
        size_t at = diff.before_index != SIZE_MAX ? diff.before_index : diff.after_index;
        snprintf(first, sizeof first, "first at 0x%zx%s: %s -> %s", at * ACCP_INSTRUCTION_BYTES,
                 diff.in_loop ? " in the hot loop" : "", diff.before[0] ? diff.before : "(its end)",
                 diff.after[0] ? diff.after : "(its end)");
    }
    if (!diff.in_loop && diff.has_shapes && !diff.is_outside_only) {
        size_t used = strlen(first);
        char in_loop[ACCP_LISTING_DIFFERENCE_BYTES];
        ACCP_TRY(loop_difference(before, left, after, right, options->loop, in_loop, error));
        if (in_loop[0])
            snprintf(first + used, sizeof first - used, "%s%s", used ? "; " : "", in_loop);
    }
    if (strcmp(left->name, right->name) != 0)
        snprintf(row->text, sizeof row->text, "called %.200s after", right->name);
    say(row, &diff, first);
    return ACCP_STATUS_OK;
}

/* Kernels pair up by name; two that stand alone in their cubins pair up under any names. */
static const struct accp_kernel *partner(const struct accp_cubin *of, const struct accp_cubin *in,
                                         const char *name)
{
    const struct accp_kernel *found = accp_cubin_find(in, name);
    return !found && of->kernel_count == 1 && in->kernel_count == 1 ? &in->kernels[0] : found;
}

static enum accp_status diff_kernels(struct diffing *diffing, const struct accp_opened *before,
                                     const struct accp_opened *after, struct accp_error *error)
{
    const struct accp_cubin *left = &before->cubin, *right = &after->cubin;
    for (size_t i = 0; i < left->kernel_count; ++i) {
        const struct accp_kernel *kernel = &left->kernels[i],
                                 *other = partner(left, right, kernel->name);
        if (!is_wanted(diffing, kernel->name)) continue;
        ACCP_TRY(other ? add_kernels(diffing, before, kernel, after, other, error)
                       : add_lone(diffing, kernel->name, ACCP_SIDES_BEFORE, error));
    }
    for (size_t i = 0; i < right->kernel_count; ++i) {
        const char *name = right->kernels[i].name;
        if (is_wanted(diffing, name) && !partner(right, left, name))
            ACCP_TRY(add_lone(diffing, name, ACCP_SIDES_AFTER, error));
    }
    return ACCP_STATUS_OK;
}

static void head_of(struct diffing *diffing, const char *kind, const char *before,
                    const char *after)
{
    char *const *files = diffing->options->operands;
    snprintf(diffing->differences.head, sizeof diffing->differences.head,
             "%s: before %.100s (%.80s), after %.100s (%.80s)", kind, files[0], before, files[1],
             after);
}

/* A loop that one side lacks is compared nowhere: what was lost in it would go unseen. */
static enum accp_status check_loop(const struct diffing *diffing, const struct accp_opened *opened,
                                   struct accp_error *error)
{
    const int64_t address = diffing->options->loop;
    bool found = address < 0;
    for (size_t i = 0; i < opened->cubin.kernel_count && !found; ++i) {
        struct accp_code code;
        const struct accp_loop *loop;
        const struct accp_kernel *kernel = &opened->cubin.kernels[i];
        if (!is_wanted(diffing, kernel->name)) continue;
        ACCP_TRY(accp_code_init(&opened->cubin, kernel, &code, error));
        found = accp_code_hot_loop(&code, address, &loop, NULL) == ACCP_STATUS_OK;
        accp_code_fini(&code);
    }
    if (found) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_USAGE, opened->path, -1,
                     "--loop 0x%llx: no loop of the kernels begins there, and it is taken on both "
                     "sides; accprobe shape --cubin shows where loops begin",
                     (unsigned long long)address);
}

static enum accp_status diff_cubins(struct diffing *diffing, struct accp_error *error)
{
    struct accp_opened before, after;
    char left[160], right[160];
    ACCP_TRY(accp_opened_file(diffing->options->operands[0], &before, error));
    enum accp_status status = accp_opened_file(diffing->options->operands[1], &after, error);
    if (status == ACCP_STATUS_OK && before.cubin.sm != after.cubin.sm)
        status = accp_fail(error, ACCP_STATUS_INPUT, after.path, -1,
                           "is code for %s, and the one before for %s: compare cubins of one arch",
                           after.cubin.arch_name, before.cubin.arch_name);
    if (status == ACCP_STATUS_OK) status = check_loop(diffing, &before, error);
    if (status == ACCP_STATUS_OK) status = check_loop(diffing, &after, error);
    if (status == ACCP_STATUS_OK) {
        snprintf(left, sizeof left, "%s, ptxas %s", before.cubin.arch_name,
                 before.cubin.compiler_version);
        snprintf(right, sizeof right, "%s, ptxas %s", after.cubin.arch_name,
                 after.cubin.compiler_version);
        head_of(diffing, "cubins", left, right);
        status = diff_kernels(diffing, &before, &after, error);
    }
    accp_opened_close(&after);
    accp_opened_close(&before);
    return status;
}

static bool has_other_loop(const struct accp_shape *before, const struct accp_shape *after)
{
    return strcmp(before->loop.control_hash, after->loop.control_hash) != 0;
}

static enum accp_status add_shapes(struct diffing *diffing, const struct accp_shapes *before,
                                   const struct accp_shape *left, const struct accp_shapes *after,
                                   const struct accp_shape *right, struct accp_error *error)
{
    struct accp_diff diff;
    struct accp_difference *row;
    char first[ACCP_LISTING_DIFFERENCE_BYTES] = "";
    accp_diff_shapes(left, right, &diff);
    if (has_other_loop(left, right)) snprintf(first, sizeof first, "no listing on record");
    const struct accp_listing *old = accp_listings_find(&before->listings, left->loop.control_hash);
    const struct accp_listing *new = accp_listings_find(&after->listings, right->loop.control_hash);
    if (old && new) accp_listing_difference(old, new, first, NULL);
    ACCP_TRY(accp_differences_add(&diffing->differences, role_or_kernel(accp_shape_key(left)), &row,
                                  error));
    say(row, &diff, first);
    return ACCP_STATUS_OK;
}

static enum accp_status diff_shapes(struct diffing *diffing, const struct accp_shapes *before,
                                    const struct accp_shapes *after, struct accp_error *error)
{
    char left[160], right[160];
    if (strcmp(before->arch, after->arch) != 0)
        return accp_fail(error, ACCP_STATUS_INPUT, diffing->options->operands[1], -1,
                         "holds shapes of %s, and the one before of %s: compare one arch",
                         after->arch, before->arch);
    snprintf(left, sizeof left, "%s, ptxas %s", before->arch, before->compiler_version);
    snprintf(right, sizeof right, "%s, ptxas %s", after->arch, after->compiler_version);
    head_of(diffing, "shapes", left, right);
    for (size_t i = 0; i < before->count; ++i) {
        const char *kernel = accp_shape_key(&before->shapes[i]);
        const struct accp_shape *other = accp_shapes_find(after, kernel);
        if (!is_wanted(diffing, kernel)) continue;
        ACCP_TRY(other ? add_shapes(diffing, before, &before->shapes[i], after, other, error)
                       : add_lone(diffing, kernel, ACCP_SIDES_BEFORE, error));
    }
    for (size_t i = 0; i < after->count; ++i) {
        const char *kernel = accp_shape_key(&after->shapes[i]);
        if (is_wanted(diffing, kernel) && !accp_shapes_find(before, kernel))
            ACCP_TRY(add_lone(diffing, kernel, ACCP_SIDES_AFTER, error));
    }
    return ACCP_STATUS_OK;
}

/* Goldens have their listings in a file of their own, which is read only where a loop differs. */
static enum accp_status add_recorded_loops(const struct diffing *diffing,
                                           struct accp_shapes *before, struct accp_shapes *after,
                                           struct accp_error *error)
{
    char *const *files = diffing->options->operands;
    bool differs = false;
    for (size_t i = 0; i < before->count && !differs; ++i) {
        const struct accp_shape *other =
            accp_shapes_find(after, accp_shape_key(&before->shapes[i]));
        differs = other && has_other_loop(&before->shapes[i], other);
    }
    if (!differs) return ACCP_STATUS_OK;
    ACCP_TRY(accp_golden_loops_beside(files[0], before, &before->listings, error));
    return accp_golden_loops_beside(files[1], after, &after->listings, error);
}

static enum accp_status diff_shape_files(struct diffing *diffing, struct accp_error *error)
{
    struct accp_shapes before, after;
    ACCP_TRY(accp_shapes_read(diffing->options->operands[0], &before, error));
    enum accp_status status = accp_shapes_read(diffing->options->operands[1], &after, error);
    if (status == ACCP_STATUS_OK) {
        status = add_recorded_loops(diffing, &before, &after, error);
        if (status == ACCP_STATUS_OK) status = diff_shapes(diffing, &before, &after, error);
        accp_shapes_fini(&after);
    }
    accp_shapes_fini(&before);
    return status;
}

/* Run files hold six significant digits: less is not seen. */
static bool same_as_printed(double left, double right)
{
    char one[32], other[32];
    snprintf(one, sizeof one, "%.6g", left);
    snprintf(other, sizeof other, "%.6g", right);
    return strcmp(one, other) == 0;
}

static const char *sass_change(const struct accp_run_role *before,
                               const struct accp_run_role *after)
{
    if (!before->sass[0] || !after->sass[0]) return "";
    if (strcmp(before->sass, after->sass) != 0) return "other SASS";
    return strcmp(before->sass_exact, after->sass_exact) != 0
               ? "same SASS, registers or place moved"
               : "";
}

/* "; registers 80 -> 104; resident blocks 3 -> 2": what a block of so many warps needs, and how many of
 * them an SM of `arch` (NULL: of none that is known) holds for it. LOST: half of them or fewer. */
static void say_registers(struct accp_difference *row, const struct accp_arch *arch,
                          const struct accp_run_role *before, const struct accp_run_role *after)
{
    const int blocks_before = accp_resident_blocks(arch, before->registers, before->warps);
    const int blocks = accp_resident_blocks(arch, after->registers, after->warps);
    size_t used = strlen(row->text);
    if (before->registers == 0 || after->registers == 0 || before->registers == after->registers)
        return;
    snprintf(row->text + used, sizeof row->text - used, "%sregisters %d -> %d", used ? "; " : "",
             before->registers, after->registers);
    used = strlen(row->text);
    if (blocks_before > 0 && blocks >= 0 && 2 * blocks <= blocks_before)
        row->class = ACCP_DIFF_LOST;
    if (blocks >= 0 && blocks_before >= 0 && blocks != blocks_before)
        snprintf(row->text + used, sizeof row->text - used, "; %sresident blocks %d -> %d",
                 row->class == ACCP_DIFF_LOST ? "occupancy lost: " : "", blocks_before, blocks);
}

static enum accp_status add_run_role(struct diffing *diffing, const struct accp_arch *arch,
                                     const struct accp_run_role *before,
                                     const struct accp_run_role *after, struct accp_error *error)
{
    struct accp_difference *row;
    const struct accp_run_role *any = before ? before : after;
    ACCP_TRY(accp_differences_add(&diffing->differences, any->role, &row, error));
    row->warps = any->warps;
    row->sides = !after ? ACCP_SIDES_BEFORE : !before ? ACCP_SIDES_AFTER : ACCP_SIDES_BOTH;
    if (before && before->cycles.n > 0) row->before = before->cycles.mean;
    if (after && after->cycles.n > 0) row->after = after->cycles.mean;
    row->differs = row->sides != ACCP_SIDES_BOTH || !same_as_printed(row->before, row->after);
    if (before && after) snprintf(row->text, sizeof row->text, "%s", sass_change(before, after));
    if (row->text[0] && strcmp(before->sass, after->sass) != 0) row->differs = true;
    if (before && after) say_registers(row, arch, before, after);
    if (row->class == ACCP_DIFF_LOST) row->differs = true;
    return ACCP_STATUS_OK;
}

static enum accp_status diff_roles(struct diffing *diffing, const struct accp_run *before,
                                   const struct accp_run *after, struct accp_error *error)
{
    const bool same_arch = strcmp(before->device.arch, after->device.arch) == 0;
    const struct accp_arch *arch = same_arch ? accp_arch_find(after->device.arch) : NULL;
    for (size_t i = 0; i < before->role_count; ++i) {
        const struct accp_run_role *role = &before->roles[i];
        if (accp_pattern_matches(&diffing->filter, role->role))
            ACCP_TRY(add_run_role(diffing, arch, role,
                                  accp_run_find(after, role->role, role->warps), error));
    }
    for (size_t i = 0; i < after->role_count; ++i) {
        const struct accp_run_role *role = &after->roles[i];
        if (accp_pattern_matches(&diffing->filter, role->role) &&
            !accp_run_find(before, role->role, role->warps))
            ACCP_TRY(add_run_role(diffing, arch, NULL, role, error));
    }
    return ACCP_STATUS_OK;
}

static void describe_run(const struct accp_run *run, char text[160])
{
    const struct accp_run_device *device = &run->device;
    snprintf(text, 160, "%s, %.50s, %.20s %.20s, driver %.20s", accp_source_text(run->source),
             device->name[0]   ? device->name
             : device->arch[0] ? device->arch
                               : "an unnamed GPU",
             run->compiler.name[0] ? run->compiler.name : "compiler",
             run->compiler.version[0] ? run->compiler.version : "unknown",
             device->driver[0] ? device->driver : "unknown");
}

static enum accp_status diff_runs(struct diffing *diffing, struct accp_error *error)
{
    struct accp_run before, after;
    char left[160], right[160];
    diffing->differences.of_runs = true;
    ACCP_TRY(accp_run_read(diffing->options->operands[0], &before, error));
    enum accp_status status = accp_run_read(diffing->options->operands[1], &after, error);
    if (status == ACCP_STATUS_OK) {
        describe_run(&before, left);
        describe_run(&after, right);
        head_of(diffing, "cycles per iteration", left, right);
        status = diff_roles(diffing, &before, &after, error);
        accp_run_fini(&after);
    }
    accp_run_fini(&before);
    return status;
}

static enum accp_status diff(struct diffing *diffing, struct accp_error *error)
{
    static const char *const names[] = {[ACCP_CONTENT_CUBIN] = "a cubin",
                                        [ACCP_CONTENT_RUN] = "a run",
                                        [ACCP_CONTENT_SHAPE] = "a shape file"};
    static enum accp_status (*const differs[])(struct diffing *, struct accp_error *) = {
        [ACCP_CONTENT_CUBIN] = diff_cubins,
        [ACCP_CONTENT_RUN] = diff_runs,
        [ACCP_CONTENT_SHAPE] = diff_shape_files};
    char *const *files = diffing->options->operands;
    enum accp_content before, after;
    ACCP_TRY(accp_content_of(files[0], &before, error));
    ACCP_TRY(accp_content_of(files[1], &after, error));
    if (before != after)
        return accp_fail(error, ACCP_STATUS_INPUT, files[1], -1,
                         "is %s, and %.100s is %s: compare two of a kind", names[after], files[0],
                         names[before]);
    if (before != ACCP_CONTENT_CUBIN &&
        (diffing->options->loop >= 0 || diffing->options->warps >= 0))
        return accp_fail(
            error, ACCP_STATUS_USAGE, NULL, -1,
            "--%s is of the kernels of two cubins, and %.100s is %s; --filter takes the "
            "roles of runs",
            diffing->options->loop >= 0 ? "loop" : "warps", files[0], names[before]);
    ACCP_TRY(accp_pattern_init(&diffing->filter, "filter", diffing->options->filter, error));
    enum accp_status status = differs[before](diffing, error);
    accp_pattern_fini(&diffing->filter);
    if (status == ACCP_STATUS_OK && diffing->differences.count == 0)
        status = accp_fail(error, ACCP_STATUS_USAGE, NULL, -1, "--filter %.60s: matches nothing",
                           diffing->options->filter ? diffing->options->filter : "");
    ACCP_TRY(status);
    return accp_differences_print(diffing->options, &diffing->differences, error);
}

int accp_verb_diff(const struct accp_options *options)
{
    struct diffing diffing = {.options = options};
    struct accp_error error;
    enum accp_status status = diff(&diffing, &error);
    int exit_status = accp_differences_exit(&diffing.differences);
    accp_differences_fini(&diffing.differences);
    return status == ACCP_STATUS_OK ? exit_status : accp_exit_error(&error);
}
