#include "cli/fleet.h"

#include "golden/fleet.h"
#include "report/table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct accp_column columns[] = {{"model", false, false}, {"GPU", false, false},
                                             {"from", false, false},  {"sessions", true, false},
                                             {"state", false, false}, {"reason", false, true}};

static enum accp_status say(struct accp_table *table, const char *const cells[5], size_t sessions,
                            struct accp_error *error)
{
    static const size_t places[] = {0, 1, 2, 4, 5};
    ACCP_TRY(accp_table_row(table, error));
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
        accp_table_cell(table, places[i], "%s", cells[i]);
    accp_table_cell(table, 3, "%zu", sessions);
    return ACCP_STATUS_OK;
}

/* The folder of a GPU's first run names the host, if the runs lie in one folder a host. */
static void folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

static enum accp_status say_gpus(const struct accp_options *options,
                                 const struct accp_fleet_model *model, struct accp_table *table,
                                 struct accp_error *error)
{
    char folder[PATH_MAX];
    for (size_t i = 0; i < model->gpu_count; ++i) {
        const struct accp_fleet_gpu *gpu = &model->gpus[i];
        folder_of(options->operands[gpu->first], folder);
        const char *const cells[5] = {model->name, gpu->uuid_hash, folder,
                                      gpu->kept_out ? "KEPT OUT" : "kept", gpu->reason};
        ACCP_TRY(say(table, cells, gpu->count, error));
    }
    return ACCP_STATUS_OK;
}

/* One model's golden. What is wrong with it is said and counted, and holds up no other model. */
static enum accp_status record_model(const struct accp_fleet *fleet,
                                     const struct accp_fleet_model *model,
                                     const struct accp_record_request *request,
                                     struct accp_table *table, size_t *refused,
                                     struct accp_error *error)
{
    struct accp_record_outcome outcome = {0};
    struct accp_record_request own = *request;
    struct accp_error why = {.code = ACCP_STATUS_OK};
    struct accp_run *kept = accp_fleet_kept_runs(fleet, model, &own.run_count);
    if (!kept)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the runs of a model");
    own.runs = kept;
    if (model->refusal[0])
        accp_fail(&why, ACCP_STATUS_REFUSED, NULL, -1, "%s", model->refusal);
    else
        accp_golden_record(&own, &outcome, &why);
    free(kept);
    bool failed = !outcome.path[0] || why.code != ACCP_STATUS_OK;
    *refused += failed;
    const char *const cells[5] = {model->name, "all", "",
                                  failed            ? "REFUSED"
                                  : outcome.written ? "written"
                                                    : "as it was",
                                  failed ? why.text : outcome.path};
    return say(table, cells, own.run_count, error);
}

static enum accp_status record_models(const struct accp_options *options,
                                      const struct accp_fleet *fleet,
                                      const struct accp_record_request *request,
                                      struct accp_table *table, size_t *refused,
                                      struct accp_error *error)
{
    for (size_t i = 0; i < fleet->model_count; ++i) {
        ACCP_TRY(say_gpus(options, &fleet->models[i], table, error));
        ACCP_TRY(record_model(fleet, &fleet->models[i], request, table, refused, error));
    }
    if (options->shape == ACCP_FORMAT_JSON)
        return accp_table_print_json(table, "accprobe-fleet/1", stdout, error);
    return accp_table_print(table, stdout, options->shape == ACCP_FORMAT_MARKDOWN, error);
}

enum accp_status accp_fleet_record(const struct accp_options *options,
                                   const struct accp_record_request *request, size_t *refused,
                                   struct accp_error *error)
{
    struct accp_fleet fleet;
    struct accp_table *table = NULL;
    *refused = 0;
    ACCP_TRY(accp_fleet_init(request->runs, request->run_count, &fleet, error));
    enum accp_status status =
        accp_table_create(columns, sizeof columns / sizeof *columns, &table, error);
    if (status == ACCP_STATUS_OK)
        status = record_models(options, &fleet, request, table, refused, error);
    if (table) accp_table_destroy(table);
    accp_fleet_fini(&fleet);
    return status;
}
