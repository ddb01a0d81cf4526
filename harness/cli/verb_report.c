#include "base/file.h"
#include "cli/judging.h"
#include "cli/output.h"
#include "cli/tracing.h"
#include "cli/verbs.h"
#include "report/page.h"

#include <string.h>
#include <unistd.h>

/* What a page needs beside the judgement; all owned. */
struct gathered {
    struct accp_run occupancy, document;
    bool has_occupancy, has_document;
    char occupancy_file[PATH_MAX];
    struct accp_sweep sweep;
    struct accp_traced traced;
};

static void gathered_fini(struct gathered *gathered)
{
    accp_run_fini(&gathered->occupancy);
    accp_run_fini(&gathered->document);
    accp_sweep_fini(&gathered->sweep);
    accp_traced_fini(&gathered->traced);
}

/* The probe of the first role that is ours: recordings of it stand beside the runs. */
static const char *probe_of(const struct accp_run *run)
{
    for (size_t i = 0; i < run->role_count; ++i) {
        const struct accp_role *role = accp_role_find(run->roles[i].role);
        if (role) return accp_probe_names[role->probe];
    }
    return NULL;
}

static enum accp_status read_if_there(const char *path, struct accp_run *run, bool *is_there,
                                      struct accp_error *error)
{
    *is_there = !accp_file_is_missing(path);
    return *is_there ? accp_run_read(path, run, error) : ACCP_STATUS_OK;
}

static enum accp_status gather(const struct accp_options *options, const struct accp_run *runs,
                               size_t run_count, const struct accp_judged *judged,
                               struct gathered *gathered, struct accp_error *error)
{
    const char *probe = probe_of(runs), *folder = judged->golden_folder;
    char path[PATH_MAX], name[ACCP_TEXT_BYTES];
    struct accp_sku sku = accp_sku_of(runs);
    accp_run_init(&gathered->occupancy);
    accp_run_init(&gathered->document);
    accp_sku_name(&sku, name);
    if (probe && judged->last->answer == ACCP_ANSWER_SKU && runs->source == ACCP_SOURCE_MEASURED) {
        snprintf(gathered->occupancy_file, sizeof gathered->occupancy_file,
                 "measured/%s/occupancy/%s.run.json", name, probe);
        snprintf(path, sizeof path, "%s/%s", folder, gathered->occupancy_file);
        ACCP_TRY(read_if_there(path, &gathered->occupancy, &gathered->has_occupancy, error));
    }
    if (probe && strcmp(probe, "optimal") == 0) {
        snprintf(path, sizeof path, "%s/document/optimal.json", folder);
        ACCP_TRY(read_if_there(path, &gathered->document, &gathered->has_document, error));
    }
    ACCP_TRY(accp_sweep_read(folder, runs, run_count, &gathered->sweep, error));
    return accp_tracing(options, runs, run_count, &judged->judgement, &gathered->traced, error);
}

static enum accp_status write_page(const struct accp_options *options,
                                   const struct accp_report *report,
                                   const struct accp_judged *judged, FILE *stream,
                                   struct accp_error *error)
{
    struct gathered gathered = {.has_occupancy = false};
    enum accp_status status =
        gather(options, report->runs, report->run_count, judged, &gathered, error);
    const struct accp_page page = {
        .report = report,
        .files = options->operands,
        .found = judged->found,
        .found_count = ACCP_JUDGED_PROBES,
        .occupancy = gathered.has_occupancy ? &gathered.occupancy : NULL,
        .occupancy_file = gathered.occupancy_file,
        .document = gathered.has_document ? &gathered.document : NULL,
        .sweep = &gathered.sweep,
        .timelines = gathered.traced.items,
        .timeline_count = gathered.traced.count,
        .timeline_note = gathered.traced.note,
    };
    if (status == ACCP_STATUS_OK) status = accp_page_write(&page, stream, error);
    gathered_fini(&gathered);
    return status;
}

static enum accp_status report_runs(const struct accp_options *options, const struct accp_run *runs,
                                    size_t count, struct accp_error *error)
{
    struct accp_judged *judged;
    struct accp_output output;
    ACCP_TRY(accp_judging_judge(options, runs, count, options->operands[0], &judged, error));
    const struct accp_report report = {
        .runs = runs, .run_count = count, .found = judged->last, .judgement = &judged->judgement};
    enum accp_status status = accp_output_open(&output, options->out, error);
    if (status == ACCP_STATUS_OK) {
        status = options->shape == ACCP_FORMAT_MARKDOWN
                     ? accp_brief_write(&report, output.stream, error)
                     : write_page(options, &report, judged, output.stream, error);
        status = accp_output_close(&output, status, error);
    }
    accp_judged_destroy(judged);
    return status;
}

/* What the runs are worth is the answer of `check`: a report that was written is a success. */
int accp_verb_report(const struct accp_options *options)
{
    struct accp_error error;
    struct accp_run *runs;
    char tool[PATH_MAX];
    size_t count = (size_t)options->operand_count;
    enum accp_status status = ACCP_STATUS_OK;
    if (options->format && options->shape != ACCP_FORMAT_MARKDOWN)
        status = accp_fail(&error, ACCP_STATUS_USAGE, NULL, -1,
                           "--format %s: report writes a page of HTML where it is left out, and a "
                           "summary with --format markdown; accprobe check has the others",
                           options->format);
    if (status == ACCP_STATUS_OK && options->shape != ACCP_FORMAT_MARKDOWN && !options->out &&
        isatty(STDOUT_FILENO))
        status = accp_fail(&error, ACCP_STATUS_USAGE, NULL, -1,
                           "a page of HTML is not for a terminal: write it with -o FILE, or take "
                           "--format markdown");
    if (status == ACCP_STATUS_OK && options->shape != ACCP_FORMAT_MARKDOWN)
        status = accp_plot_tool(tool, &error);
    if (status == ACCP_STATUS_OK)
        status = accp_judging_read(options->operands, count, &runs, &error);
    if (status == ACCP_STATUS_OK) {
        status = report_runs(options, runs, count, &error);
        accp_judging_free(runs, count);
    }
    return status == ACCP_STATUS_OK ? ACCP_EXIT_PASS : accp_exit_error(&error);
}
