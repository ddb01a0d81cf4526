#include "cli/predicting.h"

#include "base/plural.h"
#include "cli/select.h"
#include "model/explain.h"
#include "sass/chain.h"
#include "sass/code.h"
#include "sass/cubin.h"
#include "sass/normal.h"
#include "sass/shape.h"
#include "verdict/shapes.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* One run being predicted. */
struct predicting {
    const struct accp_options *options;
    struct accp_run *run;
    char *note;
    size_t note_bytes, unknown;
    bool is_for_gate, is_validated, has_stores;
};

static void add_note(struct predicting *predicting, const char *kernel, const char *text)
{
    const size_t used = strlen(predicting->note);
    if (used + 1 >= predicting->note_bytes) return;
    char *entry = predicting->note + used;
    snprintf(entry, predicting->note_bytes - used, "%s%s: %s", used ? "; " : "", kernel, text);
    /* Mostly the same at every number of warps: once is enough. */
    const size_t length = strlen(entry);
    if (used + 2 == length && strncmp(predicting->note, entry + 2, used) == 0)
        *entry = '\0';
    else if (used >= length && strncmp(entry - length, entry, length) == 0)
        *entry = '\0';
}

/* What is not timed, and what holds all the same. */
static enum accp_status explain_unknown(struct predicting *predicting, const struct accp_code *code,
                                        const struct accp_loop *loop,
                                        const struct accp_model_options *options, const char *name,
                                        struct accp_error *error)
{
    struct accp_explanation explanation;
    char text[ACCP_MODEL_TEXT_BYTES + 96];
    ACCP_TRY(accp_explain(code, loop, options, &explanation, error));
    const enum accp_bound bound = accp_explanation_bound(&explanation);
    if (explanation.has_bounds)
        snprintf(text, sizeof text, "%s is not timed; at least %.0f cycles, by %s",
                 explanation.prediction.unknown, explanation.bounds[bound], accp_bound_name(bound));
    else
        snprintf(text, sizeof text, "%s is not timed, and no bound holds",
                 explanation.prediction.unknown);
    accp_explanation_fini(&explanation);
    add_note(predicting, name, text);
    return ACCP_STATUS_OK;
}

/* The loops that the other warps of the block run, where each warp runs another role of the kernel. */
static enum accp_status find_others(const struct accp_code *code, const struct accp_role *role,
                                    const struct accp_loop **others, int *count,
                                    struct accp_error *error)
{
    *count = 0;
    if (!role || role->dispatch != ACCP_DISPATCH_MIXED) return ACCP_STATUS_OK;
    for (size_t i = 0; i < ACCP_ROLE_COUNT && *count < ACCP_MODEL_OTHERS; ++i)
        if (&accp_roles[i] != role && strcmp(accp_roles[i].kernel, role->kernel) == 0)
            ACCP_TRY(accp_chain_find_loop(code, &accp_roles[i], -1, &others[(*count)++], error));
    return ACCP_STATUS_OK;
}

static enum accp_status predict_at(struct predicting *predicting, const struct accp_code *code,
                                   const struct accp_loop *loop, const struct accp_role *role,
                                   int warps, struct accp_error *error)
{
    struct accp_prediction prediction;
    struct accp_run_role *row;
    const struct accp_loop *others[ACCP_MODEL_OTHERS];
    struct accp_model_options options = {
        .warps = warps, .seed = predicting->run->protocol.seed, .others = others};
    ACCP_TRY(find_others(code, role, others, &options.other_count, error));
    ACCP_TRY(accp_model_predict(code, loop, &options, &prediction, error));
    ACCP_TRY(accp_run_append(predicting->run, &row, error));
    snprintf(row->role, sizeof row->role, "%s", role ? role->name : code->kernel->name);
    snprintf(row->kernel, sizeof row->kernel, "%s", code->kernel->name);
    if (role) {
        row->chain = role->chain;
        row->acc = role->acc;
        row->effective = role->effective;
    }
    row->warps = warps;
    char plain[ACCP_HASH_BYTES];
    accp_normal_hash(code, loop, plain, row->sass);
    accp_exact_hash(code, loop, row->sass_exact);
    predicting->is_validated = prediction.validated;
    predicting->has_stores |= prediction.known && prediction.has_stores;
    if (!prediction.known) {
        ++predicting->unknown;
        return explain_unknown(predicting, code, loop, &options, row->role, error);
    }
    row->cycles = prediction.cycles;
    row->progress = 1e7 / prediction.cycles.mean;
    return ACCP_STATUS_OK;
}

/* Before anything is predicted, as before anything is measured. The laws of built kernels are judged
 * with their cycles. */
static enum accp_status apply_laws(const struct predicting *predicting,
                                   const struct accp_cubin *cubin, const struct accp_kernel *kernel,
                                   const struct accp_role *role, struct accp_error *error)
{
    struct accp_shape shape;
    char broken[ACCP_SHAPE_LAW_TEXT_BYTES + 160];
    if (!predicting->is_for_gate || !predicting->options->cubin || !role) return ACCP_STATUS_OK;
    const enum accp_status status = accp_shape_make(cubin, kernel, role, NULL, &shape, error);
    if (status == ACCP_STATUS_INPUT)
        return accp_fail(error, ACCP_STATUS_WRONG, role->name, -1,
                         "a law is broken, so nothing was predicted: no hot loop (%.200s)",
                         predicting->options->cubin);
    ACCP_TRY(status);
    if (!accp_shape_broken_text(&shape, broken, sizeof broken)) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_WRONG, role->name, -1,
                     "a law is broken, so nothing was predicted: %s (%.200s)", broken,
                     predicting->options->cubin);
}

static enum accp_status predict_kernel(struct predicting *predicting,
                                       const struct accp_cubin *cubin,
                                       const struct accp_kernel *kernel,
                                       const struct accp_role *role, struct accp_error *error)
{
    struct accp_code code;
    const struct accp_loop *loop;
    ACCP_TRY(apply_laws(predicting, cubin, kernel, role, error));
    ACCP_TRY(accp_code_init(cubin, kernel, &code, error));
    enum accp_status status =
        accp_chain_find_loop(&code, role, predicting->options->loop, &loop, error);
    const long warps = predicting->options->warps;
    for (int i = 0; i < ACCP_PROTOCOL_COUNT && status == ACCP_STATUS_OK; ++i) {
        if (warps > 0) {
            status = predict_at(predicting, &code, loop, role, (int)warps, error);
            break;
        }
        if (strcmp(accp_protocols[i].name, "gate") == 0)
            status = predict_at(predicting, &code, loop, role, accp_protocols[i].warps, error);
    }
    accp_code_fini(&code);
    return status;
}

static void name_compiler(struct accp_run *run, const struct accp_cubin *cubin)
{
    snprintf(run->compiler.name, sizeof run->compiler.name, "%s", cubin->compiler_name);
    snprintf(run->compiler.version, sizeof run->compiler.version, "%s", cubin->compiler_version);
    snprintf(run->compiler.flags, sizeof run->compiler.flags, "%s", cubin->compiler_flags);
    snprintf(run->device.arch, sizeof run->device.arch, "%s", cubin->arch_name);
}

/* Whether --probe and --filter leave a kernel of a stranger's cubin. */
static bool leaves(const struct accp_options *options, const struct accp_pattern *filter,
                   const char *symbol, const struct accp_role *role)
{
    if (options->probe && (!role || strcmp(accp_probe_names[role->probe], options->probe) != 0))
        return false;
    return accp_pattern_matches_kernel(filter, role, symbol);
}

/* Kernels that have no hot loop are passed over as long as one has. */
static enum accp_status predict_kernels(struct predicting *predicting,
                                        const struct accp_cubin *cubin,
                                        const struct accp_pattern *filter, struct accp_error *error)
{
    const struct accp_options *options = predicting->options;
    struct accp_error first = {0};
    for (size_t i = 0; i < cubin->kernel_count; ++i) {
        const struct accp_kernel *kernel = &cubin->kernels[i];
        const struct accp_role *role = accp_role_find(kernel->name);
        struct accp_error problem;
        if (!leaves(options, filter, kernel->name, role)) continue;
        enum accp_status status = predict_kernel(predicting, cubin, kernel, role, &problem);
        if (status != ACCP_STATUS_OK && first.code == ACCP_STATUS_OK) first = problem;
        if (status == ACCP_STATUS_OK || status == ACCP_STATUS_INPUT) continue;
        *error = problem;
        return status;
    }
    if (predicting->run->role_count > 0) return ACCP_STATUS_OK;
    if (first.code == ACCP_STATUS_OK)
        return accp_fail(error, ACCP_STATUS_USAGE, options->cubin, -1,
                         "--probe and --filter leave none of its %zu kernel%s", cubin->kernel_count,
                         ACCP_PLURAL(cubin->kernel_count, "s"));
    *error = first;
    return first.code;
}

static enum accp_status predict_stranger(struct predicting *predicting,
                                         const struct accp_cubin *cubin, struct accp_error *error)
{
    const struct accp_options *options = predicting->options;
    struct accp_pattern filter;
    if (options->kernel) {
        const struct accp_kernel *kernel;
        ACCP_TRY(accp_cubin_pick(cubin, options->cubin, options->kernel, &kernel, error));
        return predict_kernel(predicting, cubin, kernel, accp_role_find(kernel->name), error);
    }
    ACCP_TRY(accp_pattern_init(&filter, "filter", options->filter, error));
    enum accp_status status = predict_kernels(predicting, cubin, &filter, error);
    accp_pattern_fini(&filter);
    return status;
}

/* Our own, in the order of the tables. */
static enum accp_status predict_probe(struct predicting *predicting,
                                      const struct accp_selection *selection, int probe,
                                      const struct accp_cubin *cubin, const char *path,
                                      struct accp_error *error)
{
    for (size_t i = 0; i < selection->count; ++i) {
        const struct accp_kernel *kernel;
        if ((int)selection->roles[i]->probe != probe) continue;
        ACCP_TRY(accp_cubin_pick(cubin, path, selection->roles[i]->kernel, &kernel, error));
        ACCP_TRY(predict_kernel(predicting, cubin, kernel, selection->roles[i], error));
    }
    return ACCP_STATUS_OK;
}

/* selection NULL: a stranger's cubin. */
static enum accp_status predict_cubin(struct predicting *predicting,
                                      const struct accp_selection *selection, int probe,
                                      const char *path, const struct accp_bytes *bytes,
                                      struct accp_error *error)
{
    struct accp_cubin cubin;
    ACCP_TRY(accp_cubin_open(path, bytes->data, bytes->size, &cubin, error));
    name_compiler(predicting->run, &cubin);
    enum accp_status status =
        accp_cubin_check_arch(predicting->options, path, cubin.arch_name, error);
    if (status == ACCP_STATUS_OK)
        status = selection ? predict_probe(predicting, selection, probe, &cubin, path, error)
                           : predict_stranger(predicting, &cubin, error);
    accp_cubin_close(&cubin);
    return status;
}

static enum accp_status predict_all(struct predicting *predicting, struct accp_error *error)
{
    const struct accp_options *options = predicting->options;
    struct accp_selection selection = {0};
    struct accp_bytes bytes;
    char path[PATH_MAX];
    if (options->cubin) {
        ACCP_TRY(accp_file_read(options->cubin, ACCP_CUBIN_LIMIT_BYTES, &bytes, error));
        enum accp_status status = predict_cubin(predicting, NULL, 0, options->cubin, &bytes, error);
        accp_bytes_fini(&bytes);
        return status;
    }
    if (options->kernel)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--kernel names a kernel of --cubin FILE; the built ones are chosen with "
                         "--filter");
    ACCP_TRY(accp_select(options, &selection, error));
    for (int probe = 0; probe < ACCP_PROBE_COUNT; ++probe) {
        bool is_selected = false;
        for (size_t i = 0; i < selection.count; ++i)
            is_selected |= (int)selection.roles[i]->probe == probe;
        if (!is_selected) continue;
        ACCP_TRY(accp_cubin_read(options->arch ? options->arch : "sm_90", accp_probe_names[probe],
                                 path, &bytes, error));
        enum accp_status status = predict_cubin(predicting, &selection, probe, path, &bytes, error);
        accp_bytes_fini(&bytes);
        ACCP_TRY(status);
    }
    return ACCP_STATUS_OK;
}

enum accp_status accp_predicting(const struct accp_options *options, bool for_gate,
                                 struct accp_run *run, char *note, size_t note_bytes,
                                 size_t *unknown, struct accp_error *error)
{
    struct predicting predicting = {.options = options,
                                    .run = run,
                                    .note = note,
                                    .note_bytes = note_bytes,
                                    .is_for_gate = for_gate};
    note[0] = 0;
    run->source = ACCP_SOURCE_PREDICTED;
    time_t now = time(NULL);
    strftime(run->date, sizeof run->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    snprintf(run->tool, sizeof run->tool, "%s", ACCPROBE_VERSION);
    snprintf(run->protocol.name, sizeof run->protocol.name, "gate");
    /* A gate's starts are always the same: what differs from its golden is code or model. */
    run->protocol.seed = options->seed >= 0 && !for_gate ? (uint64_t)options->seed : 1;
    ACCP_TRY(predict_all(&predicting, error));
    *unknown = predicting.unknown;
    if (predicting.has_stores)
        add_note(&predicting, "stores to shared memory", "timed as if no two lanes met in a bank");
    if (!predicting.is_validated)
        add_note(&predicting, run->device.arch, "not validated on hardware");
    return ACCP_STATUS_OK;
}
