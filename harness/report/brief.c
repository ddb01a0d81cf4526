#include "report/page.h"

#include "base/plural.h"
#include "report/beside.h"
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

/* How far the warps of one role are apart, by the warp of the block and by what shared its scheduler. */
struct widest {
    const struct accp_beside_cell *cell; /* NULL: nowhere */
    double low, high;
    int low_key, high_key;
};

static void widen(struct widest *widest, const struct accp_beside_cell *cell, const double *cycles,
                  const int *keys, size_t count)
{
    struct widest found = {.cell = cell};
    for (size_t i = 0; i < count; ++i) {
        const int key = keys ? keys[i] : (int)i;
        if (cycles[i] <= 0) continue;
        if (found.low == 0 || cycles[i] < found.low) {
            found.low = cycles[i];
            found.low_key = key;
        }
        if (cycles[i] > found.high) {
            found.high = cycles[i];
            found.high_key = key;
        }
    }
    if (found.high > found.low &&
        (!widest->cell || found.high / found.low > widest->high / widest->low))
        *widest = found;
}

static void put_widest(FILE *stream, const char *head, const struct widest *widest,
                       const char *what)
{
    if (!widest->cell) return;
    fprintf(stream, "%s **%s@%d** %.2f (%s%d) to %.2f (%s%d)", head, widest->cell->point->role,
            widest->cell->warps, widest->low, what, widest->low_key, widest->high, what,
            widest->high_key);
}

/* One line of what each warp of mixed launches measured; false: no run says. */
static enum accp_status put_warps(FILE *stream, const struct accp_summary *summary, bool *is_there,
                                  struct accp_error *error)
{
    struct accp_beside_map map;
    struct widest place = {0}, beside = {0};
    int pairs = 0, reversed = 0;
    *is_there = accp_beside_is_there(summary);
    if (!*is_there) return ACCP_STATUS_OK;
    ACCP_TRY(accp_beside_init(summary, &map, error));
    for (size_t i = 0; i < map.cell_count; ++i) {
        const struct accp_beside_cell *cell = &map.cells[i];
        struct accp_beside_orders orders;
        if (i == 0 || cell->chain != cell[-1].chain || cell->warps != cell[-1].warps) {
            accp_beside_count(&map, cell->chain, cell->warps, &orders);
            pairs += orders.pairs;
            reversed += orders.reversed;
        }
        widen(&place, cell, cell->by_warp, NULL, (size_t)cell->warps);
        widen(&beside, cell, cell->beside, map.accs, map.acc_count);
    }
    fputs("Warps that run different loops, furthest apart:", stream);
    put_widest(stream, " by place", &place, "warp ");
    put_widest(stream, place.cell ? "; by what runs beside them" : " by what runs beside them",
               &beside, "acc");
    fputs(place.cell || beside.cell ? " cycles" : " none", stream);
    if (pairs > 0)
        fprintf(stream, "; of %d pairs that kernels of their own order, %d turn round", pairs,
                reversed);
    fputs(".\n", stream);
    accp_beside_fini(&map);
    return ACCP_STATUS_OK;
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
    bool is_mixed;
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
    const enum accp_status status = put_warps(stream, &summary, &is_mixed, error);
    accp_summary_fini(&summary);
    ACCP_TRY(status);
    size_t left_out = put_lines(stream, judgement, ACCP_BRIEF_LINES - BRIEF_FIXED - is_mixed);
    if (left_out > 0) fprintf(stream, "\n%zu lines more: `accprobe check --all`\n", left_out);
    return ACCP_STATUS_OK;
}
