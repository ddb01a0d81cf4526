#include "cli/changes.h"

#include "base/plural.h"
#include "golden/summary.h"
#include "sass/chain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a long loop, only as many instructions are dropped one by one: those that lose most. */
enum { DROPPED_ALONE = 96 };
static const int warp_counts[] = {1, 2, 4, 8, 12, 16, 24, ACCP_RUN_WARPS}; /* that --warps takes */

struct accp_model_options accp_changes_options(const struct accp_explained *explained)
{
    return (struct accp_model_options){.warps = explained->warps, .seed = 1};
}

static void add(struct accp_explained *explained, enum accp_change_kind kind, double cycles,
                double relative, const char *format, ...) __attribute__((format(printf, 5, 6)));

static void add(struct accp_explained *explained, enum accp_change_kind kind, double cycles,
                double relative, const char *format, ...)
{
    if (explained->change_count == ACCP_EXPLAIN_CHANGES) return;
    struct accp_change *change = &explained->changes[explained->change_count++];
    va_list arguments;
    *change = (struct accp_change){
        .kind = kind, .cycles = cycles, .relative = relative, .number = explained->change_count};
    va_start(arguments, format);
    vsnprintf(change->what, sizeof change->what, format, arguments);
    va_end(arguments);
}

static double mean_of(const struct accp_explained *explained)
{
    return explained->explanation.prediction.cycles.mean;
}

static const struct accp_instruction *instruction_at(const struct accp_explained *explained, int i)
{
    return &explained->code.instructions[explained->loop->head + (size_t)i];
}

static bool is_executed(const struct accp_explained *explained, int i)
{
    return explained->explanation.instructions[i].executed;
}

static double lost(const struct accp_explained *explained, int i)
{
    double sum = 0;
    for (int c = 0; c < ACCP_CAUSE_COUNT; ++c)
        if (c != ACCP_CAUSE_NONE) sum += explained->explanation.instructions[i].cycles[c];
    return sum;
}

/* Whether fewer than DROPPED_ALONE instructions lose more than this one. */
static bool is_worth_dropping(const struct accp_explained *explained, int i)
{
    const double own = lost(explained, i);
    int more = 0;
    for (int k = 0; k < explained->explanation.count && more < DROPPED_ALONE; ++k) {
        const double other = lost(explained, k);
        more += other > own || (other == own && k < i);
    }
    return more < DROPPED_ALONE;
}

static enum accp_status drop_each(struct accp_explained *explained, bool *dropped,
                                  struct accp_error *error)
{
    const struct accp_model_options options = accp_changes_options(explained);
    const int last = explained->explanation.count - 1;
    struct accp_prediction prediction;
    for (int i = 0; i < last; ++i) {
        if (!is_executed(explained, i) || !is_worth_dropping(explained, i)) continue;
        dropped[i] = true;
        ACCP_TRY(accp_explain_dropped(&explained->code, explained->loop, &options, dropped,
                                      &prediction, error));
        dropped[i] = false;
        explained->without[i] = prediction.cycles.mean - mean_of(explained);
    }
    return ACCP_STATUS_OK;
}

/* Of loads of constants: why a compiler that had them in registers loads them again, if that was why. */
static void say_reload(const struct accp_explained *explained, int first, char *text,
                       size_t text_bytes)
{
    text[0] = '\0';
    if (accp_instruction_class(instruction_at(explained, first)) != ACCP_CLASS_CONSTANT) return;
    snprintf(text, text_bytes,
             ", loaded anew in every iteration: %d registers in use of %d that %s",
             explained->kernel->registers, explained->register_limit, explained->register_limit_by);
}

/* Every opcode at its first instruction; the branch back stays. */
static enum accp_status drop_opcodes(struct accp_explained *explained, bool *dropped,
                                     struct accp_error *error)
{
    const struct accp_model_options options = accp_changes_options(explained);
    const int last = explained->explanation.count - 1;
    bool seen[ACCP_OPCODE_COUNT] = {false};
    struct accp_prediction prediction;
    for (int first = 0; first < last; ++first) {
        const enum accp_opcode opcode = instruction_at(explained, first)->opcode;
        int count = 0;
        if (seen[opcode] || instruction_at(explained, last)->opcode == opcode ||
            !is_executed(explained, first))
            continue;
        seen[opcode] = true;
        for (int i = first; i < last; ++i) {
            dropped[i] =
                is_executed(explained, i) && instruction_at(explained, i)->opcode == opcode;
            count += dropped[i];
        }
        ACCP_TRY(accp_explain_dropped(&explained->code, explained->loop, &options, dropped,
                                      &prediction, error));
        memset(dropped, 0, (size_t)last);
        char reload[ACCP_EXPLAIN_TEXT_BYTES];
        say_reload(explained, first, reload, sizeof reload);
        add(explained, ACCP_CHANGE_OPCODE, prediction.cycles.mean,
            prediction.cycles.mean / mean_of(explained) - 1, "without its %d %s%s", count,
            accp_opcodes[opcode].name, reload);
    }
    return ACCP_STATUS_OK;
}

static enum accp_status switch_mechanisms(struct accp_explained *explained,
                                          struct accp_error *error)
{
    struct accp_model_options options = accp_changes_options(explained);
    struct accp_prediction prediction;
    for (int i = 0; i < ACCP_MECHANISM_COUNT; ++i) {
        options.without = 1u << i;
        ACCP_TRY(
            accp_model_predict(&explained->code, explained->loop, &options, &prediction, error));
        add(explained, ACCP_CHANGE_MECHANISM, prediction.cycles.mean,
            prediction.cycles.mean / mean_of(explained) - 1, "without %s: %s",
            accp_mechanism_name((enum accp_mechanism)i),
            accp_mechanism_meaning((enum accp_mechanism)i));
    }
    return ACCP_STATUS_OK;
}

static enum accp_status predict_role(const struct accp_explained *explained,
                                     const struct accp_role *role, double *cycles,
                                     struct accp_error *error)
{
    const struct accp_model_options options = accp_changes_options(explained);
    const struct accp_kernel *kernel = accp_cubin_find(&explained->opened.cubin, role->kernel);
    const struct accp_loop *loop;
    struct accp_code code;
    struct accp_prediction prediction;
    *cycles = NAN;
    if (!kernel) return ACCP_STATUS_OK;
    ACCP_TRY(accp_code_init(&explained->opened.cubin, kernel, &code, error));
    enum accp_status status = accp_chain_find_loop(&code, role, -1, &loop, error);
    if (status == ACCP_STATUS_OK)
        status = accp_model_predict(&code, loop, &options, &prediction, error);
    if (status == ACCP_STATUS_OK && prediction.known) *cycles = prediction.cycles.mean;
    accp_code_fini(&code);
    return status == ACCP_STATUS_INPUT ? ACCP_STATUS_OK : status;
}

/* The roles of the same series, as far as the cubin has them. */
static enum accp_status try_accs(struct accp_explained *explained, struct accp_error *error)
{
    char series[ACCP_NAME_BYTES], other[ACCP_NAME_BYTES];
    double cycles;
    if (!explained->role) return ACCP_STATUS_OK;
    accp_series_name(explained->role->name, series);
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        const struct accp_role *role = &accp_roles[i];
        accp_series_name(role->name, other);
        if (role == explained->role || strcmp(series, other) != 0) continue;
        ACCP_TRY(predict_role(explained, role, &cycles, error));
        if (!isnan(cycles))
            add(explained, ACCP_CHANGE_ACC, cycles, cycles / mean_of(explained) - 1,
                "acc%d instead of acc%d", role->acc, explained->role->acc);
    }
    return ACCP_STATUS_OK;
}

/* What counts is how long an iteration of one warp takes of the SM. */
static enum accp_status try_warps(struct accp_explained *explained, struct accp_error *error)
{
    struct accp_model_options options = accp_changes_options(explained);
    const double own = mean_of(explained) / explained->warps;
    struct accp_prediction prediction;
    for (size_t i = 0; i < sizeof warp_counts / sizeof *warp_counts; ++i) {
        options.warps = warp_counts[i];
        if (options.warps == explained->warps ||
            options.warps > explained->explanation.prediction.most_warps)
            continue;
        ACCP_TRY(
            accp_model_predict(&explained->code, explained->loop, &options, &prediction, error));
        add(explained, ACCP_CHANGE_WARPS, prediction.cycles.mean,
            prediction.cycles.mean / options.warps / own - 1, "%d warp%s instead of %d",
            options.warps, ACCP_PLURAL(options.warps, "s"), explained->warps);
    }
    return ACCP_STATUS_OK;
}

static int by_gain(const void *left, const void *right)
{
    const struct accp_change *a = left, *b = right;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->relative != b->relative) return a->relative < b->relative ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

enum accp_status accp_changes_find(struct accp_explained *explained, struct accp_error *error)
{
    const size_t count = (size_t)explained->explanation.count;
    bool *dropped = calloc(count, sizeof *dropped);
    explained->without = malloc(count * sizeof *explained->without);
    if (!dropped || !explained->without) {
        free(dropped);
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for what might change");
    }
    for (size_t i = 0; i < count; ++i)
        explained->without[i] = NAN;
    enum accp_status status = ACCP_STATUS_OK;
    if (explained->explanation.prediction.known && count > 1) {
        status = drop_each(explained, dropped, error);
        if (status == ACCP_STATUS_OK) status = drop_opcodes(explained, dropped, error);
        if (status == ACCP_STATUS_OK) status = switch_mechanisms(explained, error);
        if (status == ACCP_STATUS_OK) status = try_accs(explained, error);
        if (status == ACCP_STATUS_OK) status = try_warps(explained, error);
    }
    free(dropped);
    qsort(explained->changes, explained->change_count, sizeof *explained->changes, by_gain);
    return status;
}

/* The opcode whose instructions lose most to a cause. */
static enum accp_opcode most_of(const struct accp_explained *explained, enum accp_cause cause,
                                int *count, double *cycles)
{
    double sums[ACCP_OPCODE_COUNT] = {0};
    int most = 0;
    *count = 0;
    for (int i = 0; i < explained->explanation.count; ++i)
        sums[instruction_at(explained, i)->opcode] +=
            explained->explanation.instructions[i].cycles[cause];
    for (int i = 1; i < ACCP_OPCODE_COUNT; ++i)
        if (sums[i] > sums[most]) most = i;
    for (int i = 0; i < explained->explanation.count; ++i)
        *count += (int)instruction_at(explained, i)->opcode == most &&
                  explained->explanation.instructions[i].cycles[cause] >= 0.05;
    *cycles = sums[most];
    return (enum accp_opcode)most;
}

/* The cause that takes most cycles of a warp, that another warp was served aside: that is the share
 * of the others, and no reason why all of them are slow. */
static enum accp_cause most_lost(const struct accp_explanation *explanation)
{
    int most = ACCP_CAUSE_STALL;
    for (int c = 0; c < ACCP_CAUSE_COUNT; ++c)
        if (c != ACCP_CAUSE_NONE && c != ACCP_CAUSE_ANOTHER &&
            explanation->causes[c] > explanation->causes[most])
            most = c;
    return (enum accp_cause)most;
}

static void say_unknown(struct accp_explained *explained)
{
    const struct accp_explanation *explanation = &explained->explanation;
    const enum accp_bound bound = accp_explanation_bound(explanation);
    char at_least[128] = "no bound holds, for a branch inside the loop may skip instructions";
    if (explanation->has_bounds)
        snprintf(at_least, sizeof at_least, "at least %.0f cycles, by %s",
                 explanation->bounds[bound], accp_bound_name(bound));
    snprintf(explained->bottleneck, sizeof explained->bottleneck,
             "unknown: the model does not time %s; %s", explanation->prediction.unknown, at_least);
}

void accp_changes_bottleneck(struct accp_explained *explained)
{
    const struct accp_explanation *explanation = &explained->explanation;
    const enum accp_bound bound = accp_explanation_bound(explanation);
    const double cycles = explanation->cycles;
    double most_cycles;
    int count;
    if (!explanation->prediction.known) {
        say_unknown(explained);
        return;
    }
    const enum accp_cause cause = most_lost(explanation);
    const enum accp_opcode opcode = most_of(explained, cause, &count, &most_cycles);
    const double busy = explanation->bounds[bound] / cycles;
    char lead[192];
    if (busy >= 0.9 && bound != ACCP_BOUND_STALLS)
        snprintf(lead, sizeof lead, "%s: %.0f of %.1f cycles are needed (%.0f %%)",
                 accp_bound_name(bound), explanation->bounds[bound], cycles, 100 * busy);
    else
        snprintf(lead, sizeof lead, "%s: no unit is full (%s are at %.0f %%)",
                 explanation->scheduler_warps > 1 ? "waits that the other warps do not fill"
                                                  : "waits of one warp, with none to fill them",
                 accp_bound_name(ACCP_BOUND_ISSUE),
                 100 * explanation->bounds[ACCP_BOUND_ISSUE] / cycles);
    snprintf(explained->bottleneck, sizeof explained->bottleneck,
             "%s; a warp loses most to %s, %.1f of its %.1f cycles, %.1f of them %s %d %s", lead,
             accp_cause_name(cause), explanation->causes[cause], cycles, most_cycles,
             cause == ACCP_CAUSE_STALL || cause == ACCP_CAUSE_BRANCH ? "after" : "before", count,
             accp_opcodes[opcode].name);
}
