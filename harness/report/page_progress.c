#include "report/page.h"

#include "base/plural.h"
#include "report/markup.h"

#include <math.h>
#include <string.h>

enum { PANEL_WIDTH = 340, PANEL_HEIGHT = 230 };

static double progress_of(double cycles)
{
    return 1e7 / cycles;
}

/* Every series of a family at a number of warps, as `body` draws or writes it. */
static void for_each_series(const struct accp_paging *paging, const struct accp_point *of,
                            void (*body)(const struct accp_paging *paging,
                                         const struct accp_point *first))
{
    const struct accp_point *point;
    for (size_t at = 0; (point = accp_summary_next_series(paging->summary, &at));)
        if (point->warps == of->warps && strcmp(point->family, of->family) == 0)
            body(paging, point);
}

static void scale(const struct accp_paging *paging, const struct accp_point *first,
                  const struct accp_page_accs *accs, double *low, double *high)
{
    *low = INFINITY;
    *high = 0;
    for (size_t i = 0; i < accs->count; ++i) {
        const struct accp_point *point =
            accp_summary_in_series(paging->summary, first->series, accs->accs[i], first->warps);
        if (!point || point->processes == 0) continue;
        *low = fmin(*low, point->progress);
        *high = fmax(*high, point->progress);
    }
}

static bool is_outside(const struct accp_golden_level *level, const struct accp_point *point)
{
    return level && fabs(point->mean - level->mean) > level->tolerance;
}

/* The golden's tolerance. */
static void put_band(const struct accp_paging *paging, double x, double low, double high,
                     const struct accp_point *point)
{
    const struct accp_golden_level *level = accp_page_level(paging->page, point);
    if (!level) return;
    double top = progress_of(level->mean - level->tolerance);
    double bottom = progress_of(level->mean + level->tolerance);
    double least = (high - low) / 120; /* or it cannot be seen */
    if (top <= high && bottom >= low)
        accp_plot_bar(paging->plots, ACCP_PLOT_BAND, x - 0.28, x + 0.28, bottom,
                      fmax(top, bottom + least));
}

/* A dot outside the band is red, and has a cross above it; the best has a ring. */
static void put_point(const struct accp_paging *paging, double x, const struct accp_point *point,
                      bool is_best)
{
    char note[256];
    const bool outside = is_outside(accp_page_level(paging->page, point), point);
    snprintf(note, sizeof note, "%s at %d warp%s: progress %.1f, %.6g cycles%s%s", point->role,
             point->warps, ACCP_PLURAL(point->warps, "s"), point->progress, point->mean,
             is_best ? ", the best" : "", outside ? ", outside the golden's tolerance" : "");
    accp_plot_mark(paging->plots,
                   outside   ? ACCP_PLOT_OUTSIDE
                   : is_best ? ACCP_PLOT_BEST
                             : ACCP_PLOT_DOT,
                   ACCP_PLOT_DISC, 4, x, point->progress, note);
    if (is_best)
        accp_plot_mark(paging->plots, ACCP_PLOT_BEST, ACCP_PLOT_RING, 8, x, point->progress, NULL);
    if (outside) accp_plot_label(paging->plots, true, x, point->progress, "✗");
}

static void put_panel_head(const struct accp_paging *paging, const struct accp_point *first)
{
    fputs("<div><p class=\"head\">", paging->stream);
    accp_markup_format(paging->stream, "%s, %d warp%s", first->series, first->warps,
                       ACCP_PLURAL(first->warps, "s"));
    fputs("</p>\n", paging->stream);
}

static void put_progress_panel(const struct accp_paging *paging, const struct accp_point *first)
{
    struct accp_page_accs accs;
    struct accp_plots *plots = paging->plots;
    char title[ACCP_NAME_BYTES + 64];
    double low, high, line[ACCP_PAGE_ACCS][2];
    size_t count = 0;
    const struct accp_point *best = accp_summary_best(paging->summary, first->series, first->warps);
    const struct accp_point *points[ACCP_PAGE_ACCS];
    if (!best) return;
    accp_page_accs_of(paging->summary, first->family, first->warps, &accs);
    scale(paging, first, &accs, &low, &high);
    double step = accp_plot_step(&low, &high);
    snprintf(title, sizeof title, "Progress of %s by accumulators, %d warp%s: best acc%d",
             first->series, first->warps, ACCP_PLURAL(first->warps, "s"), best->acc);
    put_panel_head(paging, first);
    accp_plot_begin(plots, paging->stream, PANEL_WIDTH, PANEL_HEIGHT, 2, title);
    accp_plot_range(plots, ACCP_PLOT_X, -0.5, (double)accs.count - 0.5, 0, false, "accumulators");
    accp_plot_range(plots, ACCP_PLOT_Y, low, high, step, true, "");
    for (size_t i = 0; i < accs.count; ++i) {
        const struct accp_point *point =
            accp_summary_in_series(paging->summary, first->series, accs.accs[i], first->warps);
        accp_plot_tick(plots, ACCP_PLOT_X, (double)i, "", accs.accs[i]);
        if (!point || point->processes == 0) continue;
        points[count] = point;
        line[count][0] = (double)i;
        line[count++][1] = point->progress;
    }
    for (size_t i = 0; i < count; ++i)
        put_band(paging, line[i][0], low, high, points[i]);
    accp_plot_line(plots, ACCP_PLOT_JOIN, 0, (const double(*)[2])line, count);
    for (size_t i = 0; i < count; ++i)
        put_point(paging, line[i][0], points[i], points[i] == best);
    accp_plot_end(plots);
    fputs("</div>\n", paging->stream);
}

static void put_progress_row(const struct accp_paging *paging, const struct accp_point *first)
{
    FILE *stream = paging->stream;
    struct accp_page_accs accs;
    const struct accp_point *best = accp_summary_best(paging->summary, first->series, first->warps);
    accp_page_accs_of(paging->summary, first->family, first->warps, &accs);
    fputs("<tr><td>", stream);
    accp_markup_text(stream, first->series);
    fputs("</td>", stream);
    for (size_t i = 0; i < accs.count; ++i) {
        const struct accp_point *point =
            accp_summary_in_series(paging->summary, first->series, accs.accs[i], first->warps);
        if (point && point->processes > 0)
            fprintf(stream, "<td class=\"n%s\">%.1f</td>", point == best ? " best" : "",
                    point->progress);
        else
            fputs("<td></td>", stream);
    }
    fputs("</tr>\n", stream);
}

static void put_progress_table(const struct accp_paging *paging, const struct accp_point *of)
{
    struct accp_page_accs accs;
    accp_page_accs_of(paging->summary, of->family, of->warps, &accs);
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Progress as a "
          "table\"><table><thead><tr><th>iterations in 10,000,000 cycles</th>",
          paging->stream);
    for (size_t i = 0; i < accs.count; ++i)
        fprintf(paging->stream, "<th class=\"n\">acc%d</th>", accs.accs[i]);
    fputs("</tr></thead><tbody>\n", paging->stream);
    for_each_series(paging, of, put_progress_row);
    fputs("</tbody></table></div>\n", paging->stream);
}

static void put_family_head(const struct accp_paging *paging, const struct accp_point *of)
{
    fputs("<h3>", paging->stream);
    accp_markup_format(paging->stream, "%s, %d warp%s", of->family, of->warps,
                       ACCP_PLURAL(of->warps, "s"));
    fputs("</h3>\n", paging->stream);
}

/* Kernels of no role have no series: a row each. */
static void put_strangers(const struct accp_paging *paging)
{
    bool any = false;
    for (size_t i = 0; i < paging->summary->point_count; ++i) {
        const struct accp_point *point = &paging->summary->points[i];
        if (point->family[0] || point->processes == 0) continue;
        if (!any)
            fputs(
                "<h3>Kernels of no role</h3><table class=\"kernels\"><thead><tr><th>kernel</th>"
                "<th>warps</th><th>cycles an iteration</th><th>iterations in 10,000,000 cycles</th>"
                "</tr></thead><tbody>\n",
                paging->stream);
        any = true;
        fputs("<tr><td>", paging->stream);
        accp_markup_text(paging->stream, point->role);
        fprintf(paging->stream, "</td><td>%d</td><td>%.6g</td><td>%.1f</td></tr>\n", point->warps,
                point->mean, point->progress);
    }
    if (any) fputs("</tbody></table>\n", paging->stream);
}

void accp_page_progress(const struct accp_paging *paging)
{
    const struct accp_point *point;
    size_t first = 0;
    fputs("<p class=\"soft\">Iterations that a warp finishes in 10,000,000 cycles: more is better.",
          paging->stream);
    if (accp_summary_next_family(paging->summary, &first))
        fputs(" A ring marks the best of its chain; a bar is the tolerance around the golden's "
              "level, where one answers. Axes do not begin at 0.",
              paging->stream);
    fputs("</p>\n", paging->stream);
    for (size_t at = 0; (point = accp_summary_next_family(paging->summary, &at));) {
        put_family_head(paging, point);
        fputs("<figure class=\"panels\">\n", paging->stream);
        for_each_series(paging, point, put_progress_panel);
        fputs("</figure>\n", paging->stream);
        put_progress_table(paging, point);
    }
    put_strangers(paging);
}

/* Cycles of acc1 over those of the best, less 1; NaN where either was not timed. */
static double gap_of(const struct accp_summary *summary, const struct accp_point *first)
{
    const struct accp_point *single =
        accp_summary_in_series(summary, first->series, 1, first->warps);
    const struct accp_point *best = accp_summary_best(summary, first->series, first->warps);
    return single && single->processes > 0 && best ? single->mean / best->mean - 1 : NAN;
}

enum { GAPS = 32 };
struct gaps {
    size_t count;
    struct gap {
        int chain;
        double gap; /* percent */
    } gaps[GAPS];
};

static void gaps_of(const struct accp_summary *summary, const struct accp_point *of,
                    struct gaps *gaps)
{
    const struct accp_point *point;
    gaps->count = 0;
    for (size_t at = 0; (point = accp_summary_next_series(summary, &at));) {
        double gap = gap_of(summary, point);
        size_t i = gaps->count;
        if (point->warps != of->warps || strcmp(point->family, of->family) != 0 || isnan(gap) ||
            i == GAPS)
            continue;
        for (; i > 0 && gaps->gaps[i - 1].chain > point->chain; --i)
            gaps->gaps[i] = gaps->gaps[i - 1];
        gaps->gaps[i] = (struct gap){point->chain, 100 * gap};
        ++gaps->count;
    }
}

/* One line of the figure, and one row of the table under it. */
enum { GAP_LINES = 16, GAP_LINES_DRAWN = 4 };
struct gap_lines {
    size_t count;
    struct gap_line {
        char name[48];
        struct gaps gaps;
    } lines[GAP_LINES];
};

static void add_gap_line(struct gap_lines *lines, const struct accp_summary *summary,
                         const struct accp_point *of, const char *name)
{
    struct gap_line *line = &lines->lines[lines->count];
    if (lines->count == GAP_LINES) return;
    gaps_of(summary, of, &line->gaps);
    if (line->gaps.count == 0) return;
    snprintf(line->name, sizeof line->name, "%s", name);
    ++lines->count;
}

/* The numbers of warps of a family, then the document. */
static void gap_lines_of(const struct accp_paging *paging, const char *family,
                         struct gap_lines *lines)
{
    struct accp_summary document;
    const struct accp_point *point;
    char name[48];
    lines->count = 0;
    for (size_t at = 0; (point = accp_summary_next_family(paging->summary, &at));) {
        if (strcmp(point->family, family) != 0) continue;
        snprintf(name, sizeof name, "%d warp%s", point->warps, ACCP_PLURAL(point->warps, "s"));
        add_gap_line(lines, paging->summary, point, name);
    }
    if (!paging->page->document || paging->summary->runs[0].source == ACCP_SOURCE_DOCUMENT ||
        accp_summary_init(&document, paging->page->document, 1, NULL) != ACCP_STATUS_OK)
        return;
    for (size_t at = 0; (point = accp_summary_next_family(&document, &at));)
        if (strcmp(point->family, family) == 0)
            add_gap_line(lines, &document, point, "the document");
    accp_summary_fini(&document);
}

static void put_gap_line(const struct accp_paging *paging, const struct gap_line *line, int dashes)
{
    char note[96];
    const struct gaps *gaps = &line->gaps;
    double points[GAPS][2];
    for (size_t i = 0; i < gaps->count; ++i) {
        points[i][0] = gaps->gaps[i].chain;
        points[i][1] = gaps->gaps[i].gap;
    }
    accp_plot_line(paging->plots, ACCP_PLOT_JOIN, dashes, (const double(*)[2])points, gaps->count);
    for (size_t i = 0; i < gaps->count; ++i) {
        snprintf(note, sizeof note, "%s, chain %d: +%.2f %%", line->name, gaps->gaps[i].chain,
                 gaps->gaps[i].gap);
        accp_plot_mark(paging->plots, ACCP_PLOT_DOT, ACCP_PLOT_DISC, 4, points[i][0], points[i][1],
                       note);
    }
    accp_plot_label(paging->plots, false, points[gaps->count - 1][0], points[gaps->count - 1][1],
                    line->name);
}

static void put_gap_figure(const struct accp_paging *paging, const char *family,
                           const struct gap_lines *lines)
{
    struct accp_plots *plots = paging->plots;
    double low = 0, high = 0, first = INFINITY, last = 0;
    for (size_t i = 0; i < lines->count; ++i)
        for (size_t j = 0; j < lines->lines[i].gaps.count; ++j) {
            high = fmax(high, lines->lines[i].gaps.gaps[j].gap);
            first = fmin(first, lines->lines[i].gaps.gaps[j].chain);
            last = fmax(last, lines->lines[i].gaps.gaps[j].chain);
        }
    if (!(last > first)) return;
    double step = accp_plot_step(&low, &high);
    fputs("<p class=\"head\">", paging->stream);
    accp_markup_format(paging->stream, "%s: acc1 over the best, %%", family);
    fputs("</p>\n", paging->stream);
    accp_plot_begin(plots, paging->stream, PANEL_WIDTH, PANEL_HEIGHT, 16,
                    "Gap between one accumulator and the best, by chain");
    accp_plot_range(plots, ACCP_PLOT_X, first - 1, last + 1, 0, false, "chain (FFMAs)");
    accp_plot_range(plots, ACCP_PLOT_Y, low, high, step, true, "");
    for (size_t j = 0; j < lines->lines[0].gaps.count; ++j)
        accp_plot_tick(plots, ACCP_PLOT_X, lines->lines[0].gaps.gaps[j].chain, "",
                       lines->lines[0].gaps.gaps[j].chain);
    for (size_t i = 0; i < lines->count; ++i)
        if (i < GAP_LINES_DRAWN - 1 || i + 1 == lines->count)
            put_gap_line(paging, &lines->lines[i],
                         (int)(i < GAP_LINES_DRAWN ? i : GAP_LINES_DRAWN - 1));
    accp_plot_end(plots);
}

static void put_gap_table(FILE *stream, const char *family, const struct gap_lines *lines)
{
    fputs("<table><thead><tr><th>", stream);
    accp_markup_text(stream, family);
    fputs("</th>", stream);
    for (size_t j = 0; j < lines->lines[0].gaps.count; ++j)
        fprintf(stream, "<th class=\"n\">chain %d</th>", lines->lines[0].gaps.gaps[j].chain);
    fputs("</tr></thead><tbody>\n", stream);
    for (size_t i = 0; i < lines->count; ++i) {
        const struct gaps *gaps = &lines->lines[i].gaps;
        fprintf(stream, "<tr><td>%s</td>", lines->lines[i].name);
        for (size_t j = 0; j < gaps->count; ++j)
            fprintf(stream, "<td class=\"n\">+%.1f&nbsp;%%</td>", gaps->gaps[j].gap);
        fputs("</tr>\n", stream);
    }
    fputs("</tbody></table>\n", stream);
}

/* The next family that has a gap, each once; *lines are its own. NULL: there are no more. */
static const struct accp_point *next_gap(const struct accp_paging *paging, size_t *at,
                                         struct gap_lines *lines)
{
    const struct accp_point *point;
    while ((point = accp_summary_next_family(paging->summary, at))) {
        bool is_first = true;
        for (const struct accp_point *other = paging->summary->points; other < point; ++other)
            is_first &= strcmp(other->family, point->family) != 0;
        if (!is_first) continue;
        gap_lines_of(paging, point->family, lines);
        if (lines->count > 0) return point;
    }
    return NULL;
}

bool accp_page_has_gap(const struct accp_paging *paging)
{
    struct gap_lines lines;
    size_t at = 0;
    return next_gap(paging, &at, &lines) != NULL;
}

void accp_page_gap(const struct accp_paging *paging)
{
    const struct accp_point *point;
    struct gap_lines lines;
    fputs("<p class=\"soft\">How much longer an iteration takes with one accumulator than with the "
          "best number of them. The longer the chain, the more a split should give.</p>\n"
          "<figure class=\"panels\">\n",
          paging->stream);
    for (size_t at = 0; (point = next_gap(paging, &at, &lines));) {
        fputs("<div>\n", paging->stream);
        put_gap_figure(paging, point->family, &lines);
        put_gap_table(paging->stream, point->family, &lines);
        fputs("</div>\n", paging->stream);
    }
    fputs("</figure>\n", paging->stream);
}

/* The modes of a role in the first run that timed it. */
static const struct accp_run_role *timed(const struct accp_paging *paging,
                                         const struct accp_point *point)
{
    for (size_t i = 0; i < paging->summary->run_count; ++i) {
        const struct accp_run_role *role =
            accp_run_find(&paging->summary->runs[i], point->role, point->warps);
        if (role && role->cycles.mode_count > 0) return role;
    }
    return NULL;
}

static void put_modes(const struct accp_paging *paging, double y, const struct accp_run_role *role)
{
    char note[ACCP_NAME_BYTES + 64];
    for (size_t i = 0; i < role->cycles.mode_count; ++i) {
        const struct accp_mode *mode = &role->cycles.modes[i];
        snprintf(note, sizeof note, "%s: %.6g cycles in %.1f %% of the warps", role->role,
                 mode->cycles, 100 * mode->weight);
        accp_plot_mark(paging->plots, ACCP_PLOT_MODE, ACCP_PLOT_DISC,
                       9 * sqrt(fmin(mode->weight, 1)), mode->cycles, y, note);
    }
}

static void put_mean(const struct accp_paging *paging, double y, const struct accp_run_role *role)
{
    const double mean[][2] = {{role->cycles.mean, y - 0.35}, {role->cycles.mean, y + 0.35}};
    accp_plot_line(paging->plots, ACCP_PLOT_MEAN, 0, mean, 2);
}

/* The modes of each of these accumulators, and the least and the greatest. */
static void modes_of(const struct accp_paging *paging, const struct accp_point *first,
                     const struct accp_page_accs *accs, const struct accp_run_role **roles,
                     double *low, double *high)
{
    *low = INFINITY;
    *high = 0;
    for (size_t i = 0; i < accs->count; ++i) {
        const struct accp_point *point =
            accp_summary_in_series(paging->summary, first->series, accs->accs[i], first->warps);
        roles[i] = point ? timed(paging, point) : NULL;
        for (size_t j = 0; roles[i] && j < roles[i]->cycles.mode_count; ++j) {
            *low = fmin(*low, roles[i]->cycles.modes[j].cycles);
            *high = fmax(*high, roles[i]->cycles.modes[j].cycles);
        }
    }
}

static void put_modes_panel(const struct accp_paging *paging, const struct accp_point *first)
{
    struct accp_plots *plots = paging->plots;
    struct accp_page_accs accs;
    const struct accp_run_role *roles[ACCP_PAGE_ACCS];
    double low, high;
    char title[ACCP_NAME_BYTES + 64];
    accp_page_accs_of(paging->summary, first->family, first->warps, &accs);
    modes_of(paging, first, &accs, roles, &low, &high);
    if (!(high > 0)) return;
    double step = accp_plot_step(&low, &high);
    snprintf(title, sizeof title, "Modes of %s, %d warp%s", first->series, first->warps,
             ACCP_PLURAL(first->warps, "s"));
    put_panel_head(paging, first);
    accp_plot_begin(plots, paging->stream, PANEL_WIDTH, 22 * (int)accs.count + 64, 2, title);
    accp_plot_range(plots, ACCP_PLOT_X, low, high, step, true, "cycles per iteration");
    accp_plot_range(plots, ACCP_PLOT_Y, (double)accs.count - 0.5, -0.5, 0, true, "");
    for (size_t i = 0; i < accs.count; ++i)
        accp_plot_tick(plots, ACCP_PLOT_Y, (double)i, "acc", accs.accs[i]);
    for (size_t i = 0; i < accs.count; ++i)
        if (roles[i]) put_modes(paging, (double)i, roles[i]);
    for (size_t i = 0; i < accs.count; ++i)
        if (roles[i]) put_mean(paging, (double)i, roles[i]);
    accp_plot_end(plots);
    fputs("</div>\n", paging->stream);
}

void accp_page_modes(const struct accp_paging *paging)
{
    const struct accp_point *point;
    fputs("<p class=\"soft\">Warps of one scheduler lock into phases, each with its own whole "
          "number of cycles. A disc is "
          "as large as the share of the warps that had it, in the first process; the upright line "
          "is the mean.</p>\n",
          paging->stream);
    for (size_t at = 0; (point = accp_summary_next_family(paging->summary, &at));) {
        fputs("<figure class=\"panels\">\n", paging->stream);
        for_each_series(paging, point, put_modes_panel);
        fputs("</figure>\n", paging->stream);
    }
}
