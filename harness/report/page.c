#include "report/page.h"

#include "base/plural.h"
#include "report/judgement.h"

#include "report/markup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void accp_page_accs_of(const struct accp_summary *summary, const char *family, int warps,
                       struct accp_page_accs *accs)
{
    accs->count = 0;
    for (size_t i = 0; i < summary->point_count; ++i) {
        const struct accp_point *point = &summary->points[i];
        size_t at = accs->count;
        bool known = false;
        if (point->warps != warps || strcmp(point->family, family) != 0) continue;
        for (size_t j = 0; j < accs->count; ++j)
            known |= accs->accs[j] == point->acc;
        if (known || at == ACCP_PAGE_ACCS) continue;
        for (; at > 0 && accs->accs[at - 1] > point->acc; --at)
            accs->accs[at] = accs->accs[at - 1];
        accs->accs[at] = point->acc;
        ++accs->count;
    }
}

const struct accp_golden_level *accp_page_level(const struct accp_page *page,
                                                const struct accp_point *point)
{
    for (size_t i = 0; i < page->found_count; ++i) {
        const struct accp_golden_level *level;
        if (page->found[i].answer != ACCP_ANSWER_SKU) continue;
        level = accp_golden_level_find(&page->found[i].golden, point->role, point->warps);
        if (level) return level;
    }
    return NULL;
}

static const char *glyph(enum accp_verdict verdict)
{
    static const char *const glyphs[ACCP_VERDICT_COUNT] = {
        [ACCP_VERDICT_SKIP] = "–",        [ACCP_VERDICT_PASS] = "✓",
        [ACCP_VERDICT_NO_GOLDEN] = "○",   [ACCP_VERDICT_DRIFT] = "≠",
        [ACCP_VERDICT_WIN] = "▲",         [ACCP_VERDICT_INCONCLUSIVE] = "?",
        [ACCP_VERDICT_ENVIRONMENT] = "!", [ACCP_VERDICT_FAIL] = "✗"};
    return glyphs[verdict];
}

/* "measured on NVIDIA H200 (sm_90, 132 SMs), driver ..., ptxas 13.0.88, protocol gate, 1 process" */
static void subject_text(const struct accp_report *report, char *text, size_t text_bytes)
{
    const struct accp_run *run = &report->runs[0];
    char multiprocessors[32] = "", runs[ACCP_REPORT_RUNS_BYTES];
    accp_report_runs(report, runs);
    if (run->device.sm_count > 0)
        snprintf(multiprocessors, sizeof multiprocessors, ", %lld SMs",
                 (long long)run->device.sm_count);
    snprintf(
        text, text_bytes, "%s: %s (%s%s), driver %s, %s %s, protocol %s, %s",
        accp_source_text(run->source), run->device.name[0] ? run->device.name : "GPU not named",
        run->device.arch[0] ? run->device.arch : "arch not named", multiprocessors,
        run->device.driver[0] ? run->device.driver : "not named",
        run->compiler.name[0] ? run->compiler.name : "compiler",
        run->compiler.version[0] ? run->compiler.version : "not named", run->protocol.name, runs);
}

static void put_head(const struct accp_page *page, FILE *stream)
{
    const struct accp_report *report = page->report;
    const struct accp_judgement *judgement = report->judgement;
    const char *name = accp_verdict_name(judgement->verdict);
    char text[1024];
    fprintf(stream,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src 'unsafe-inline'; img-src data:\">\n"
            "<link rel=\"icon\" href=\"data:,\">\n<title>%s: accprobe</title>\n",
            name);
    accp_page_style(stream);
    fprintf(stream,
            "</head><body>\n<a class=\"skip\" href=\"#progress\">to the figures</a>\n<header>\n"
            "<h1>accprobe: accumulators of FFMA chains</h1>\n"
            "<p class=\"verdict %s\"><strong>%s %s</strong> <span>%s (",
            name, glyph(judgement->verdict), name, accp_report_verdict_text(report));
    accp_report_counts(stream, judgement);
    fprintf(stream, "; %zu role levels); exit status %d</span></p>\n<p>", judgement->roles_judged,
            accp_verdict_exit(judgement->verdict));
    subject_text(report, text, sizeof text);
    accp_markup_text(stream, text);
    fputs("</p>\n", stream);
    if (report->runs[0].source != ACCP_SOURCE_MEASURED)
        fprintf(stream,
                "<p class=\"note\">Nothing on this page was measured: its source is %s.</p>\n",
                accp_source_text(report->runs[0].source));
    if (judgement->trouble != ACCP_TROUBLE_NONE) {
        fprintf(stream,
                "<p class=\"note\">Surroundings: %s: ", accp_trouble_text(judgement->trouble));
        accp_markup_text(stream, judgement->trouble_text);
        fputs("</p>\n", stream);
    }
    if (accp_report_first_to_repeat(judgement)) {
        fputs("<p>Repeat: <code>", stream);
        accp_markup_text(stream, accp_report_first_to_repeat(judgement)->repeat);
        fputs("</code></p>\n", stream);
    }
}

static void put_number(FILE *stream, double number)
{
    if (isnan(number))
        fputs("<td></td>", stream);
    else
        fprintf(stream, "<td>%.5g</td>", number);
}

static void put_line(FILE *stream, const struct accp_line *line)
{
    fprintf(stream, "<tr><td class=\"%s\">%s&nbsp;%s</td><td>", accp_verdict_name(line->verdict),
            glyph(line->verdict), accp_verdict_name(line->verdict));
    accp_markup_text(stream, line->claim);
    fputs("</td>", stream);
    put_number(stream, line->value);
    put_number(stream, line->low);
    put_number(stream, line->high);
    fprintf(stream, "<td>%s</td>", strcmp(line->unit, "percent") == 0 ? "%" : line->unit);
    if (isnan(line->least_visible))
        fputs("<td></td>", stream);
    else
        fprintf(stream, "<td>%.2f&nbsp;%%</td>", 100 * line->least_visible);
    fputs("<td>", stream);
    accp_markup_format(stream, "%s: %s", accp_reason_name(line->reason), line->text);
    fputs("</td></tr>\n", stream);
}

/* Levels and laws that passed are told apart from what people came for, and stand behind a click. */
static size_t count_lines(const struct accp_judgement *judgement, bool prominent)
{
    size_t count = 0;
    for (size_t i = 0; i < judgement->line_count; ++i)
        count += accp_report_is_prominent(&judgement->lines[i]) == prominent;
    return count;
}

/* The heaviest verdicts first; within one, as they were judged. */
static void put_lines(FILE *stream, const struct accp_judgement *judgement, bool prominent)
{
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"Claims\"><table class=\"claims\"><thead><tr>"
          "<th>verdict</th><th>claim</th><th>value</th><th>from</th>"
          "<th>to</th><th>in</th><th>least "
          "visible</th><th>reason</th></tr></thead><tbody>\n",
          stream);
    for (int verdict = ACCP_VERDICT_COUNT - 1; verdict >= 0; --verdict)
        for (size_t i = 0; i < judgement->line_count; ++i)
            if ((int)judgement->lines[i].verdict == verdict &&
                accp_report_is_prominent(&judgement->lines[i]) == prominent)
                put_line(stream, &judgement->lines[i]);
    fputs("</tbody></table></div>\n", stream);
}

static void put_verdict(const struct accp_page *page, FILE *stream)
{
    const struct accp_judgement *judgement = page->report->judgement;
    size_t others = count_lines(judgement, false);
    if (count_lines(judgement, true) > 0) put_lines(stream, judgement, true);
    if (others == 0) return;
    fprintf(
        stream,
        "<details><summary>%zu levels and laws that hold, or that nothing answers for</summary>\n",
        others);
    put_lines(stream, judgement, false);
    fputs("</details>\n", stream);
}

static bool is_always(const struct accp_paging *paging)
{
    (void)paging;
    return true;
}

/* Kernels of no role have no series: what is told of one would be a heading and no more. */
static bool has_series(const struct accp_paging *paging)
{
    size_t at = 0;
    return accp_summary_next_series(paging->summary, &at) != NULL;
}

static bool has_peaks(const struct accp_paging *paging)
{
    return has_series(paging) || paging->recorded;
}

static bool has_timelines(const struct accp_paging *paging)
{
    return paging->page->timeline_count > 0 || paging->page->timeline_note[0];
}

static bool has_warps(const struct accp_paging *paging)
{
    return paging->beside != NULL;
}

/* The sections behind the verdict, in their order. */
static const struct part {
    const char *id, *link, *heading;
    bool (*is_there)(const struct accp_paging *paging);
    void (*put)(const struct accp_paging *paging);
} parts[] = {
    {"progress", "Progress", "Progress by accumulators", is_always, accp_page_progress},
    {"peaks", "Peaks", "Peaks over occupancy", has_peaks, accp_page_peaks},
    {"gap", "Gap growth", "Growth of the gap", accp_page_has_gap, accp_page_gap},
    {"modes", "Modes", "Distribution of modes", has_series, accp_page_modes},
    {"warps", "Warps", "Warps that run different loops", has_warps, accp_page_warps},
    {"shapes", "SASS", "SASS, and what changed", accp_page_has_shapes, accp_page_shapes},
    {"sweep", "Compilers", "What compilers made of it", has_series, accp_page_sweep},
    {"timelines", "Timelines", "Timelines, predicted", has_timelines, accp_page_timelines},
    {"provenance", "Provenance", "Provenance", is_always, accp_page_provenance},
};

static void put_navigation(const struct accp_paging *paging)
{
    fputs("<nav aria-label=\"Sections\"><ul><li><a href=\"#verdict\">Verdict</a></li>",
          paging->stream);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (parts[i].is_there(paging))
            fprintf(paging->stream, "<li><a href=\"#%s\">%s</a></li>", parts[i].id, parts[i].link);
    fputs("</ul></nav></header>\n<main><section id=\"verdict\"><h2>Verdict</h2>\n", paging->stream);
}

static void put_parts(const struct accp_paging *paging)
{
    put_navigation(paging);
    put_verdict(paging->page, paging->stream);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        if (!parts[i].is_there(paging)) continue;
        fprintf(paging->stream, "</section>\n<section id=\"%s\"><h2>%s</h2>\n", parts[i].id,
                parts[i].heading);
        parts[i].put(paging);
    }
}

/* The page with places for its plots, all but its stream given; *text is owned by the caller. */
static enum accp_status compose(struct accp_paging *paging, char **text, struct accp_error *error)
{
    size_t bytes;
    paging->stream = open_memstream(text, &bytes);
    if (!paging->stream)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a page");
    put_head(paging->page, paging->stream);
    put_parts(paging);
    fputs("</section></main>\n<footer><p class=\"soft\">accprobe " ACCPROBE_VERSION
          "</p></footer></body></html>\n",
          paging->stream);
    if (fclose(paging->stream) != 0)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a page");
    return ACCP_STATUS_OK;
}

enum accp_status accp_page_write(const struct accp_page *page, FILE *stream,
                                 struct accp_error *error)
{
    char *text = NULL;
    struct accp_summary summary, recorded = {0};
    struct accp_plots plots;
    struct accp_beside_map beside = {0};
    struct accp_paging paging = {.page = page, .summary = &summary, .plots = &plots};
    ACCP_TRY(accp_summary_init(&summary, page->report->runs, page->report->run_count, error));
    enum accp_status status = accp_plots_init(&plots, error);
    if (status == ACCP_STATUS_OK && page->occupancy) {
        status = accp_summary_init(&recorded, page->occupancy, 1, error);
        paging.recorded = &recorded;
    }
    if (status == ACCP_STATUS_OK && accp_beside_is_there(&summary)) {
        status = accp_beside_init(&summary, &beside, error);
        paging.beside = &beside;
    }
    if (status == ACCP_STATUS_OK) status = compose(&paging, &text, error);
    if (status == ACCP_STATUS_OK) status = accp_plots_draw(&plots, text, stream, error);
    free(text);
    accp_plots_fini(&plots);
    accp_beside_fini(&beside);
    accp_summary_fini(&recorded);
    accp_summary_fini(&summary);
    return status;
}
