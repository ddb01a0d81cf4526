#include "cli/judging.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/export.h"

#include <string.h>

static enum accp_status choose(const struct accp_options *options, enum accp_export *id,
                               struct accp_error *error)
{
    char names[256] = "";
    int found = options->to ? accp_export_find(options->to) : -1;
    *id = (enum accp_export)found;
    if (found >= 0) return ACCP_STATUS_OK;
    for (int i = 0; i < ACCP_EXPORT_COUNT; ++i)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 accp_export_name((enum accp_export)i));
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1, "export needs --to and one of %s%s%.40s",
                     names, options->to ? ", not " : "", options->to ? options->to : "");
}

static enum accp_status export_runs(const struct accp_options *options, const struct accp_run *runs,
                                    size_t count, enum accp_export id, struct accp_error *error)
{
    struct accp_judged *judged;
    struct accp_output output;
    ACCP_TRY(accp_judging_judge(options, runs, count, options->operands[0], &judged, error));
    const struct accp_report report = {
        .runs = runs, .run_count = count, .found = judged->last, .judgement = &judged->judgement};
    enum accp_status status = accp_output_open(&output, options->out, error);
    if (status == ACCP_STATUS_OK)
        status =
            accp_output_close(&output, accp_export_write(id, &report, output.stream, error), error);
    accp_judged_destroy(judged);
    return status;
}

/* What the runs are worth is the answer of `check`: an export that was written is a success. */
int accp_verb_export(const struct accp_options *options)
{
    struct accp_error error;
    struct accp_run *runs;
    enum accp_export id;
    size_t count = (size_t)options->operand_count;
    enum accp_status status = choose(options, &id, &error);
    if (status == ACCP_STATUS_OK)
        status = accp_judging_read(options->operands, count, &runs, &error);
    if (status == ACCP_STATUS_OK) {
        status = export_runs(options, runs, count, id, &error);
        accp_judging_free(runs, count);
    }
    return status == ACCP_STATUS_OK ? ACCP_EXIT_PASS : accp_exit_error(&error);
}
