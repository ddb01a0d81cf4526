#include "report/page.h"

#include "base/plural.h"
#include "report/judgement.h"
#include "report/markup.h"

#include <string.h>

enum { BRIEF_FIXED = 9, BRIEF_SERIES = 6 }; /* lines that are always there; peaks, at most */

/* The peak of each series at its most warps: one line for all. */
static void put_peaks(FILE *stream, const struct accp_summary *summary)
{
    const struct accp_point *point;
    int shown = 0, left_out = 0;
    for (size_t at = 0; (point = accp_summary_next_series(summary, &at));) {
        const struct accp_point *best = accp_summary_best(summary, point->series, point->warps);
        if (!best || !point->family[0]) continue;
        if (shown == BRIEF_SERIES) {
            ++left_out;
            continue;
        }
        fprintf(stream, "%s%s@%d **acc%d**", shown++ ? ", " : "Best: ", best->series, best->warps,
                best->acc);
    }
    if (left_out > 0) fprintf(stream, ", and %d series more", left_out);
    fputs(shown ? ".\n" : "No series was timed.\n", stream);
}

static size_t put_lines(FILE *stream, const struct accp_judgement *judgement, size_t room)
{
    size_t shown = 0, count = 0;
    for (int verdict = ACCP_VERDICT_COUNT - 1; verdict > ACCP_VERDICT_NO_GOLDEN; --verdict)
        for (size_t i = 0; i < judgement->line_count; ++i) {
            const struct accp_line *line = &judgement->lines[i];
            if ((int)line->verdict != verdict || count++ >= room) continue;
            if (shown++ == 0) fputs("\n| verdict | claim | reason |\n|---|---|---|\n", stream);
            fprintf(stream, "| %s | ", accp_verdict_name(line->verdict));
            accp_markdown_text(stream, line->claim);
            fputs(" | ", stream);
            accp_markdown_text(stream, line->text);
            fputs(" |\n", stream);
        }
    return count - shown;
}

enum accp_status accp_brief_write(const struct accp_report *report, FILE *stream,
                                  struct accp_error *error)
{
    const struct accp_judgement *judgement = report->judgement;
    const struct accp_run *run = &report->runs[0];
    struct accp_summary summary;
    char runs[ACCP_REPORT_RUNS_BYTES];
    ACCP_TRY(accp_summary_init(&summary, report->runs, report->run_count, error));
    fprintf(stream, "### accprobe: %s\n\n**%s** (", accp_verdict_name(judgement->verdict),
            accp_report_verdict_text(report));
    accp_report_counts(stream, judgement);
    fprintf(stream, "; exit status %d). %s: ", accp_verdict_exit(judgement->verdict),
            accp_source_text(run->source));
    accp_markdown_text(stream, run->device.name[0] ? run->device.name : "GPU not named");
    fputs(", driver ", stream);
    accp_markdown_text(stream, run->device.driver[0] ? run->device.driver : "not named");
    fputs(", ptxas ", stream);
    accp_markdown_text(stream, run->compiler.version[0] ? run->compiler.version : "not named");
    accp_report_runs(report, runs);
    fprintf(stream, ", %s.\n", runs);
    put_peaks(stream, &summary);
    accp_summary_fini(&summary);
    size_t left_out = put_lines(stream, judgement, ACCP_BRIEF_LINES - BRIEF_FIXED);
    if (left_out > 0) fprintf(stream, "\n%zu lines more: `accprobe check --all`\n", left_out);
    return ACCP_STATUS_OK;
}
