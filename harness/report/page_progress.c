#include "report/page.h"

#include "base/plural.h"
#include "report/markup.h"
#include "report/svg.h"

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

/* The band of the golden's tolerance behind the dot; a dot outside it is red and hollowed by the band's absence. */
static void put_point(const struct accp_paging *paging, const struct accp_plot *plot, double x,
                      const struct accp_point *point, bool is_best)
{
    const struct accp_golden_level *level = accp_page_level(paging->page, point);
    char note[256];
    bool is_outside = false;
    if (level) {
        double top = accp_plot_y(plot, progress_of(level->mean - level->tolerance));
        double bottom = accp_plot_y(plot, progress_of(level->mean + level->tolerance));
        is_outside = fabs(point->mean - level->mean) > level->tolerance;
        if (top >= plot->top && bottom <= plot->top + plot->height)
            accp_svg_rectangle(paging->stream, "band", x - 9, top, 18, fmax(bottom - top, 1.5),
                               NULL);
    }
    snprintf(note, sizeof note, "%s at %d warp%s: progress %.1f, %.6g cycles%s%s", point->role,
             point->warps, ACCP_PLURAL(point->warps, "s"), point->progress, point->mean,
             is_best ? ", the best" : "", is_outside ? ", outside the golden's tolerance" : "");
    accp_svg_circle(paging->stream,
                    is_outside ? "dot out"
                    : is_best  ? "dot best"
                               : "dot",
                    x, accp_plot_y(plot, point->progress), 4, note);
    if (is_best)
        accp_svg_circle(paging->stream, "ring", x, accp_plot_y(plot, point->progress), 8, NULL);
    if (is_outside)
        accp_svg_text(paging->stream, "", 'm', x, accp_plot_y(plot, point->progress) - 10, "✗");
}

static void put_progress_panel(const struct accp_paging *paging, const struct accp_point *first)
{
    FILE *stream = paging->stream;
    struct accp_page_accs accs;
    char title[ACCP_NAME_BYTES + 64];
    double low, high, last_x = 0, last_y = 0;
    const struct accp_point *best = accp_summary_best(paging->summary, first->series, first->warps);
    if (!best) return;
    accp_page_accs_of(paging->summary, first->family, first->warps, &accs);
    scale(paging, first, &accs, &low, &high);
    double step = accp_plot_range(&low, &high);
    const struct accp_plot plot = {
        stream, 48,  26, PANEL_WIDTH - 60, PANEL_HEIGHT - 66, -0.5, (double)accs.count - 0.5,
        low,    high};
    snprintf(title, sizeof title, "Progress of %s by accumulators, %d warp%s: best acc%d",
             first->series, first->warps, ACCP_PLURAL(first->warps, "s"), best->acc);
    accp_svg_open(stream, PANEL_WIDTH, PANEL_HEIGHT, title);
    accp_svg_text(stream, "head", 's', 4, 15, "%s, %d warp%s", first->series, first->warps,
                  ACCP_PLURAL(first->warps, "s"));
    accp_plot_grid(&plot, step);
    for (int pass = 0; pass < 2; ++pass)
        for (size_t i = 0; i < accs.count; ++i) {
            const struct accp_point *point =
                accp_summary_in_series(paging->summary, first->series, accs.accs[i], first->warps);
            double x = accp_plot_x(&plot, (double)i);
            if (pass == 0)
                accp_svg_text(stream, accs.accs[i] == best->acc ? "best" : "tick", 'm', x,
                              plot.top + plot.height + 16, "%d", accs.accs[i]);
            if (!point || point->processes == 0) continue;
            double y = accp_plot_y(&plot, point->progress);
            if (pass == 0 && last_x > 0) accp_svg_line(stream, "join", last_x, last_y, x, y);
            if (pass == 1) put_point(paging, &plot, x, point, point == best);
            last_x = x;
            last_y = y;
        }
    accp_svg_text(stream, "tick", 'm', plot.left + plot.width / 2, PANEL_HEIGHT - 8,
                  "accumulators");
    accp_svg_close(stream);
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
          "table\"><table><thead><tr><th>progress</th>",
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
            fputs("<h3>Other kernels</h3><table><thead><tr><th>kernel</th><th "
                  "class=\"n\">warps</th><th class=\"n\">cycles</th><th "
                  "class=\"n\">progress</th></tr></thead><tbody>\n",
                  paging->stream);
        any = true;
        fputs("<tr><td><span class=\"mono\">", paging->stream);
        accp_markup_text(paging->stream, point->role);
        fprintf(paging->stream,
                "</span></td><td class=\"n\">%d</td><td class=\"n\">%.6g</td><td "
                "class=\"n\">%.1f</td></tr>\n",
                point->warps, point->mean, point->progress);
    }
    if (any) fputs("</tbody></table>\n", paging->stream);
}

void accp_page_progress(const struct accp_paging *paging)
{
    const struct accp_point *point;
    accp_page_section(paging->stream, "progress", "Progress by accumulators");
    fputs("<p class=\"soft\">Iterations that a warp finishes in 10,000,000 cycles: more is better. "
          "A ring marks the best of "
          "its chain; a bar is the tolerance around the golden's level, where one answers. Axes do "
          "not begin at 0.</p>\n",
          paging->stream);
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

static void put_gap_line(FILE *stream, const struct accp_plot *plot, const struct gap_line *line,
                         const char *class)
{
    char note[96];
    const struct gaps *gaps = &line->gaps;
    for (size_t i = 0; i < gaps->count; ++i) {
        double x = accp_plot_x(plot, gaps->gaps[i].chain), y = accp_plot_y(plot, gaps->gaps[i].gap);
        if (i > 0)
            accp_svg_line(stream, class, accp_plot_x(plot, gaps->gaps[i - 1].chain),
                          accp_plot_y(plot, gaps->gaps[i - 1].gap), x, y);
        snprintf(note, sizeof note, "%s, chain %d: +%.2f %%", line->name, gaps->gaps[i].chain,
                 gaps->gaps[i].gap);
        accp_svg_circle(stream, "dot", x, y, 4, note);
        if (i + 1 == gaps->count) accp_svg_text(stream, "", 's', x + 10, y + 4, "%s", line->name);
    }
}

static void put_gap_figure(FILE *stream, const char *family, const struct gap_lines *lines)
{
    static const char *const classes[] = {"join", "join b", "join c", "join d"};
    double low = 0, high = 0, first = INFINITY, last = 0;
    for (size_t i = 0; i < lines->count; ++i)
        for (size_t j = 0; j < lines->lines[i].gaps.count; ++j) {
            high = fmax(high, lines->lines[i].gaps.gaps[j].gap);
            first = fmin(first, lines->lines[i].gaps.gaps[j].chain);
            last = fmax(last, lines->lines[i].gaps.gaps[j].chain);
        }
    if (!(last > first)) return;
    double step = accp_plot_range(&low, &high);
    const struct accp_plot plot = {stream, 44, 26, 190, 170, first - 1, last + 1, low, high};
    accp_svg_open(stream, PANEL_WIDTH, PANEL_HEIGHT + 10,
                  "Gap between one accumulator and the best, by chain");
    accp_svg_text(stream, "head", 's', 4, 15, "%s: acc1 over the best, %%", family);
    accp_plot_grid(&plot, step);
    for (size_t i = 0; i < lines->count; ++i)
        if (i < GAP_LINES_DRAWN - 1 || i + 1 == lines->count)
            put_gap_line(stream, &plot, &lines->lines[i],
                         classes[i < GAP_LINES_DRAWN ? i : GAP_LINES_DRAWN - 1]);
    for (size_t j = 0; j < lines->lines[0].gaps.count; ++j)
        accp_svg_text(stream, "tick", 'm', accp_plot_x(&plot, lines->lines[0].gaps.gaps[j].chain),
                      212, "%d", lines->lines[0].gaps.gaps[j].chain);
    accp_svg_text(stream, "tick", 'm', plot.left + plot.width / 2, 232, "chain (FFMAs)");
    accp_svg_close(stream);
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

void accp_page_gap(const struct accp_paging *paging)
{
    const struct accp_point *point;
    struct gap_lines lines;
    accp_page_section(paging->stream, "gap", "Growth of the gap");
    fputs("<p class=\"soft\">How much longer an iteration takes with one accumulator than with the "
          "best number of them. The longer the chain, the more a split should give.</p>\n"
          "<figure class=\"panels\">\n",
          paging->stream);
    for (size_t at = 0; (point = accp_summary_next_family(paging->summary, &at));) {
        bool is_first = true;
        for (const struct accp_point *other = paging->summary->points; other < point; ++other)
            is_first &= strcmp(other->family, point->family) != 0;
        if (!is_first) continue;
        gap_lines_of(paging, point->family, &lines);
        if (lines.count == 0) continue;
        fputs("<div>\n", paging->stream);
        put_gap_figure(paging->stream, point->family, &lines);
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

static void put_mode_row(const struct accp_paging *paging, const struct accp_plot *plot, double y,
                         const struct accp_run_role *role)
{
    char note[ACCP_NAME_BYTES + 64];
    accp_svg_line(paging->stream, "grid", plot->left, y, plot->left + plot->width, y);
    for (size_t i = 0; i < role->cycles.mode_count; ++i) {
        const struct accp_mode *mode = &role->cycles.modes[i];
        snprintf(note, sizeof note, "%s: %.6g cycles in %.1f %% of the warps", role->role,
                 mode->cycles, 100 * mode->weight);
        accp_svg_circle(paging->stream, "mode", accp_plot_x(plot, mode->cycles), y,
                        9 * sqrt(fmin(mode->weight, 1)), note);
    }
    double mean = accp_plot_x(plot, role->cycles.mean);
    accp_svg_line(paging->stream, "mean", mean, y - 7, mean, y + 7);
}

static void put_modes_panel(const struct accp_paging *paging, const struct accp_point *first)
{
    FILE *stream = paging->stream;
    struct accp_page_accs accs;
    const struct accp_run_role *roles[ACCP_PAGE_ACCS];
    double low = INFINITY, high = 0;
    char title[ACCP_NAME_BYTES + 64];
    accp_page_accs_of(paging->summary, first->family, first->warps, &accs);
    for (size_t i = 0; i < accs.count; ++i) {
        const struct accp_point *point =
            accp_summary_in_series(paging->summary, first->series, accs.accs[i], first->warps);
        roles[i] = point ? timed(paging, point) : NULL;
        for (size_t j = 0; roles[i] && j < roles[i]->cycles.mode_count; ++j) {
            low = fmin(low, roles[i]->cycles.modes[j].cycles);
            high = fmax(high, roles[i]->cycles.modes[j].cycles);
        }
    }
    if (!(high > 0)) return;
    double step = accp_plot_range(&low, &high), height = 22 * (double)accs.count;
    const struct accp_plot plot = {stream, 50, 26, PANEL_WIDTH - 66, height, low, high, 0, 1};
    snprintf(title, sizeof title, "Modes of %s, %d warp%s", first->series, first->warps,
             ACCP_PLURAL(first->warps, "s"));
    accp_svg_open(stream, PANEL_WIDTH, height + 62, title);
    accp_svg_text(stream, "head", 's', 4, 15, "%s, %d warp%s", first->series, first->warps,
                  ACCP_PLURAL(first->warps, "s"));
    accp_plot_grid_x(&plot, step);
    for (size_t i = 0; i < accs.count; ++i) {
        double y = plot.top + 22 * ((double)i + 0.5);
        accp_svg_text(stream, "tick", 'e', plot.left - 8, y + 4, "acc%d", accs.accs[i]);
        if (roles[i]) put_mode_row(paging, &plot, y, roles[i]);
    }
    accp_svg_text(stream, "tick", 'm', plot.left + plot.width / 2, height + 56,
                  "cycles per iteration");
    accp_svg_close(stream);
}

void accp_page_modes(const struct accp_paging *paging)
{
    const struct accp_point *point;
    accp_page_section(paging->stream, "modes", "Distribution of modes");
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
