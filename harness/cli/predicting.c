#include "cli/predicting.h"

#include "cli/select.h"
#include "model/model.h"
#include "sass/chain.h"
#include "sass/code.h"
#include "sass/cubin.h"
#include "sass/normal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* One run being predicted. */
struct predicting {
    const struct accp_options *options;
    struct accp_run *run;
    char *note;
    size_t note_bytes, unknown;
    bool is_validated;
};

static void add_note(struct predicting *predicting, const char *kernel, const char *text)
{
    size_t used = strlen(predicting->note);
    if (used + 1 < predicting->note_bytes)
        snprintf(predicting->note + used, predicting->note_bytes - used, "%s%s: %s",
                 used ? "; " : "", kernel, text);
}

static enum accp_status predict_at(struct predicting *predicting, const struct accp_code *code,
                                   const struct accp_loop *loop, const struct accp_role *role,
                                   int warps, struct accp_error *error)
{
    struct accp_prediction prediction;
    struct accp_run_role *row;
    const struct accp_model_options options = {
        .warps = warps,
        .seed = predicting->options->seed >= 0 ? (uint64_t)predicting->options->seed : 1};
    if (role && role->dispatch == ACCP_DISPATCH_MIXED)
        prediction = (struct accp_prediction){
            .unknown = "the model knows one loop a block, and its warps run different ones"};
    else
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
    if (!prediction.known) {
        ++predicting->unknown;
        add_note(predicting, row->role, prediction.unknown);
        return ACCP_STATUS_OK;
    }
    row->cycles = prediction.cycles;
    row->progress = 1e7 / prediction.cycles.mean;
    return ACCP_STATUS_OK;
}

static enum accp_status predict_kernel(struct predicting *predicting,
                                       const struct accp_cubin *cubin,
                                       const struct accp_kernel *kernel,
                                       const struct accp_role *role, struct accp_error *error)
{
    struct accp_code code;
    const struct accp_loop *loop;
    ACCP_TRY(accp_code_init(cubin, kernel, &code, error));
    enum accp_status status = accp_chain_find_loop(&code, role, -1, &loop, error);
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

/* Without --kernel, kernels that have no hot loop are passed over as long as one has. */
static enum accp_status predict_stranger(struct predicting *predicting,
                                         const struct accp_cubin *cubin, struct accp_error *error)
{
    const struct accp_options *options = predicting->options;
    struct accp_error first = {0};
    if (options->kernel) {
        const struct accp_kernel *kernel;
        ACCP_TRY(accp_cubin_pick(cubin, options->cubin, options->kernel, &kernel, error));
        return predict_kernel(predicting, cubin, kernel, accp_role_find(kernel->name), error);
    }
    for (size_t i = 0; i < cubin->kernel_count; ++i) {
        struct accp_error problem;
        enum accp_status status = predict_kernel(predicting, cubin, &cubin->kernels[i],
                                                 accp_role_find(cubin->kernels[i].name), &problem);
        if (status != ACCP_STATUS_OK && first.code == ACCP_STATUS_OK) first = problem;
        if (status != ACCP_STATUS_OK && status != ACCP_STATUS_INPUT) break;
    }
    if (predicting->run->role_count > 0) return ACCP_STATUS_OK;
    *error = first;
    return first.code;
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
    enum accp_status status = selection
                                  ? predict_probe(predicting, selection, probe, &cubin, path, error)
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

enum accp_status accp_predicting(const struct accp_options *options, struct accp_run *run,
                                 char *note, size_t note_bytes, size_t *unknown,
                                 struct accp_error *error)
{
    struct predicting predicting = {
        .options = options, .run = run, .note = note, .note_bytes = note_bytes};
    note[0] = 0;
    run->source = ACCP_SOURCE_PREDICTED;
    time_t now = time(NULL);
    strftime(run->date, sizeof run->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    snprintf(run->tool, sizeof run->tool, "%s", ACCPROBE_VERSION);
    snprintf(run->protocol.name, sizeof run->protocol.name, "gate");
    ACCP_TRY(predict_all(&predicting, error));
    *unknown = predicting.unknown;
    if (!predicting.is_validated)
        add_note(&predicting, run->device.arch, "not validated on hardware");
    return ACCP_STATUS_OK;
}
