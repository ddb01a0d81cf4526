#include "cli/tracing.h"

#include "cli/select.h"
#include "cli/shaping.h"
#include "sass/chain.h"
#include "sass/normal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A page stays small, and a reader asks for few. */
enum { TIMELINES = 12, TIMELINES_UNASKED = 4 };

static void add_note(struct accp_traced *traced, const char *role, const char *text)
{
    size_t used = strlen(traced->note);
    snprintf(traced->note + used, sizeof traced->note - used, "%s%s: %s", used ? "; " : "", role,
             text);
}

static enum accp_status trace_code(const struct accp_code *code, const struct accp_run_role *role,
                                   struct accp_traced *traced, struct accp_error *error)
{
    const struct accp_loop *loop;
    char plain[ACCP_HASH_BYTES], control[ACCP_HASH_BYTES];
    const struct accp_role *known = accp_role_find(role->role);
    ACCP_TRY(accp_chain_find_loop(code, known, -1, &loop, error));
    accp_normal_hash(code, loop, plain, control);
    if (role->sass[0] && strcmp(control, role->sass) != 0) {
        add_note(traced, role->role, "the kernel of this build is other SASS");
        return ACCP_STATUS_OK;
    }
    struct accp_timeline *timeline = &traced->items[traced->count];
    enum accp_status status =
        accp_timeline_make(code, loop, role->role, role->warps, timeline, error);
    if (status == ACCP_STATUS_OK) {
        ++traced->count;
        return status;
    }
    accp_timeline_fini(timeline);
    if (status == ACCP_STATUS_MEMORY) return status;
    add_note(traced, role->role, error->text);
    return ACCP_STATUS_OK;
}

/* Without kernels of that arch in this build there is no timeline, and the page says so. */
static enum accp_status trace_role(const struct accp_run *run, const struct accp_run_role *role,
                                   struct accp_traced *traced, struct accp_error *error)
{
    const struct accp_role *known = accp_role_find(role->role);
    const struct accp_kernel *kernel;
    struct accp_opened opened;
    struct accp_code code;
    if (known->dispatch == ACCP_DISPATCH_MIXED) {
        add_note(traced, role->role, "its warps run different loops, of which the model knows one");
        return ACCP_STATUS_OK;
    }
    /* A file's word for an arch becomes a part of a path only where the tables have it. */
    if (!accp_arch_find(run->device.arch) || !accp_arch_is_built(run->device.arch)) {
        add_note(traced, role->role, "this build has no kernels for the arch");
        return ACCP_STATUS_OK;
    }
    ACCP_TRY(accp_opened_built(run->device.arch, accp_probe_names[known->probe], &opened, error));
    enum accp_status status =
        accp_cubin_pick(&opened.cubin, opened.path, known->kernel, &kernel, error);
    if (status == ACCP_STATUS_OK) status = accp_code_init(&opened.cubin, kernel, &code, error);
    if (status == ACCP_STATUS_OK) {
        status = trace_code(&code, role, traced, error);
        accp_code_fini(&code);
    }
    accp_opened_close(&opened);
    return status;
}

static bool has_failed(const struct accp_judgement *judgement, const struct accp_run_role *role)
{
    for (size_t i = 0; i < judgement->line_count; ++i)
        if (judgement->lines[i].verdict == ACCP_VERDICT_FAIL &&
            judgement->lines[i].warps == role->warps &&
            strcmp(judgement->lines[i].role, role->role) == 0)
            return true;
    return false;
}

/* One accumulator, or the best, of the longest chain of the run's first probe. */
static bool is_telling(const struct accp_run *run, const struct accp_run_role *role)
{
    int longest = 0;
    const struct accp_run_role *best = NULL;
    enum accp_probe probe = accp_role_find(role->role)->probe;
    const struct accp_role *first = accp_role_find(run->roles[0].role);
    if (first && first->probe != probe) return false;
    for (size_t i = 0; i < run->role_count; ++i) {
        const struct accp_run_role *other = &run->roles[i];
        const struct accp_role *known = accp_role_find(other->role);
        if (!known || known->probe != probe || other->cycles.n == 0 ||
            other->warps != role->warps || other->chain < longest)
            continue;
        if (other->chain > longest || other->cycles.mean < best->cycles.mean) best = other;
        longest = other->chain;
    }
    return role->chain == longest && (role->acc == 1 || role == best);
}

/* What one invocation chooses from. */
struct choosing {
    const struct accp_options *options;
    const struct accp_run *runs;
    size_t run_count;
    const struct accp_judgement *judgement;
    struct accp_pattern pattern;
    bool any_failed; /* of the roles */
};

static bool any_failed(const struct choosing *choosing)
{
    for (size_t i = 0; i < choosing->run_count; ++i)
        for (size_t j = 0; j < choosing->runs[i].role_count; ++j)
            if (has_failed(choosing->judgement, &choosing->runs[i].roles[j])) return true;
    return false;
}

static bool is_wanted(const struct choosing *choosing, size_t at, const struct accp_run_role *role)
{
    if (!accp_role_find(role->role)) return false;
    for (size_t i = 0; i < at; ++i) /* every process has it; one timeline is enough */
        if (accp_run_find(&choosing->runs[i], role->role, role->warps)) return false;
    if (choosing->options->timeline) return accp_pattern_matches(&choosing->pattern, role->role);
    if (choosing->any_failed) return has_failed(choosing->judgement, role);
    return at == 0 && is_telling(choosing->runs, role);
}

static enum accp_status trace_wanted(const struct choosing *choosing, struct accp_traced *traced,
                                     struct accp_error *error)
{
    const char *asked = choosing->options->timeline;
    const size_t room = asked ? TIMELINES : TIMELINES_UNASKED;
    size_t wanted = 0;
    for (size_t i = 0; i < choosing->run_count; ++i)
        for (size_t j = 0; j < choosing->runs[i].role_count; ++j) {
            const struct accp_run_role *role = &choosing->runs[i].roles[j];
            if (is_wanted(choosing, i, role) && wanted++ < room)
                ACCP_TRY(trace_role(&choosing->runs[i], role, traced, error));
        }
    if (asked && wanted == 0)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--timeline %.80s: matches no role of the run", asked);
    if (wanted > room) {
        char text[64];
        snprintf(text, sizeof text, "the first %zu of %zu", room, wanted);
        add_note(traced, "shown", text);
    }
    return ACCP_STATUS_OK;
}

enum accp_status accp_tracing(const struct accp_options *options, const struct accp_run *runs,
                              size_t run_count, const struct accp_judgement *judgement,
                              struct accp_traced *traced, struct accp_error *error)
{
    struct choosing choosing = {
        .options = options, .runs = runs, .run_count = run_count, .judgement = judgement};
    memset(traced, 0, sizeof *traced);
    ACCP_TRY(accp_pattern_init(&choosing.pattern, "timeline", options->timeline, error));
    choosing.any_failed = any_failed(&choosing);
    traced->items = calloc(TIMELINES, sizeof *traced->items);
    enum accp_status status =
        traced->items ? trace_wanted(&choosing, traced, error)
                      : accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for timelines");
    accp_pattern_fini(&choosing.pattern);
    return status;
}

void accp_traced_fini(struct accp_traced *traced)
{
    for (size_t i = 0; i < traced->count; ++i)
        accp_timeline_fini(&traced->items[i]);
    free(traced->items);
    memset(traced, 0, sizeof *traced);
}
