#include "report/page.h"

#include "report/markup.h"

#include <math.h>
#include <string.h>

/* As `record` has it: what differs by less is the same peak (golden/README.md). */
#define PEAK_TIE 0.002

enum { COLUMNS = 32 };

/* The numbers of warps that a run has, ascending. */
static size_t warps_of(const struct accp_summary *summary, int warps[COLUMNS])
{
    size_t count = 0;
    for (size_t i = 0; i < summary->point_count; ++i) {
        size_t at = count;
        bool known = false;
        for (size_t j = 0; j < count; ++j)
            known |= warps[j] == summary->points[i].warps;
        if (known || count == COLUMNS || !summary->points[i].family[0]) continue;
        for (; at > 0 && warps[at - 1] > summary->points[i].warps; --at)
            warps[at] = warps[at - 1];
        warps[at] = summary->points[i].warps;
        ++count;
    }
    return count;
}

/* "3" or "3 4": the best, and what ties with it. */
static void peaks_text(const struct accp_summary *summary, const struct accp_point *best,
                       char text[64])
{
    size_t used = (size_t)snprintf(text, 64, "%d", best->acc);
    for (size_t i = 0; i < summary->point_count; ++i) {
        const struct accp_point *point = &summary->points[i];
        if (point == best || point->processes == 0 || point->warps != best->warps ||
            strcmp(point->series, best->series) != 0 || point->mean > best->mean * (1 + PEAK_TIE))
            continue;
        if (used < 56) used += (size_t)snprintf(text + used, 64 - used, " %d", point->acc);
    }
}

static int shade_of(double share)
{
    int shade = (int)floor(9 * share);
    return shade < 0 ? 0 : shade > 8 ? 8 : shade;
}

static void put_cell(FILE *stream, const struct accp_summary *summary, const char *series,
                     int warps, double most)
{
    const struct accp_point *best = accp_summary_best(summary, series, warps);
    const struct accp_point *single = accp_summary_in_series(summary, series, 1, warps);
    char text[64];
    if (!best || !single || single->processes == 0) {
        fputs("<td class=\"none\" title=\"not in the run\"></td>", stream);
        return;
    }
    double gain = single->mean / best->mean - 1;
    peaks_text(summary, best, text);
    fprintf(stream, "<td class=\"h%d\"><b>%s</b><br>+%.0f&nbsp;%%</td>",
            shade_of(most > 0 ? gain / most : 0), text, 100 * gain);
}

static double most_gain(const struct accp_summary *summary)
{
    double most = 0;
    for (size_t i = 0; i < summary->point_count; ++i) {
        const struct accp_point *point = &summary->points[i];
        if (point->acc != 1 || !point->family[0] || point->processes == 0) continue;
        const struct accp_point *best = accp_summary_best(summary, point->series, point->warps);
        if (best) most = fmax(most, point->mean / best->mean - 1);
    }
    return most;
}

static bool is_first_of_series(const struct accp_summary *summary, const struct accp_point *point)
{
    if (!point->family[0]) return false;
    for (const struct accp_point *other = summary->points; other < point; ++other)
        if (strcmp(other->series, point->series) == 0) return false;
    return true;
}

static size_t series_count(const struct accp_summary *summary)
{
    size_t count = 0;
    for (size_t i = 0; i < summary->point_count; ++i)
        count += is_first_of_series(summary, &summary->points[i]);
    return count;
}

static void put_map(FILE *stream, const struct accp_summary *summary)
{
    int warps[COLUMNS];
    size_t columns = warps_of(summary, warps);
    double most = most_gain(summary);
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Peaks by "
          "occupancy\">\n<table class=\"heat\"><caption>The best number of accumulators, and how "
          "much "
          "longer one takes, by chain and warps on an SM</caption><thead><tr><th "
          "scope=\"col\">warps</th>",
          stream);
    for (size_t i = 0; i < columns; ++i)
        fprintf(stream, "<th scope=\"col\">%d</th>", warps[i]);
    fputs("</tr></thead><tbody>\n", stream);
    for (size_t i = 0; i < summary->point_count; ++i) {
        const struct accp_point *point = &summary->points[i];
        if (!is_first_of_series(summary, point)) continue;
        fputs("<tr><th scope=\"row\">", stream);
        accp_markup_text(stream, point->series);
        fputs("</th>", stream);
        for (size_t j = 0; j < columns; ++j)
            put_cell(stream, summary, point->series, warps[j], most);
        fputs("</tr>\n", stream);
    }
    fputs("</tbody></table></div>\n", stream);
}

static void put_recorded(const struct accp_paging *paging)
{
    const struct accp_page *page = paging->page;
    fputs("<h3>On record for this GPU</h3>\n<p class=\"soft\">", paging->stream);
    accp_markup_format(paging->stream, "%s, %s, driver %s, %s %s, %s: %s. Not of these runs.",
                       accp_source_text(page->occupancy->source), page->occupancy->device.name,
                       page->occupancy->device.driver, page->occupancy->compiler.name,
                       page->occupancy->compiler.version, page->occupancy->date,
                       page->occupancy_file);
    fputs("</p>\n", paging->stream);
    put_map(paging->stream, paging->recorded);
}

void accp_page_peaks(const struct accp_paging *paging)
{
    int warps[COLUMNS];
    fputs("<p class=\"soft\">The best number of accumulators, with those within 0.2 % of it, and "
          "what it gains over one: "
          "the brighter, the more.</p>\n",
          paging->stream);
    if (series_count(paging->summary) > 0) put_map(paging->stream, paging->summary);
    if (paging->recorded)
        put_recorded(paging);
    else if (warps_of(paging->summary, warps) < 3)
        fputs("<p>More columns: <code>accprobe measure --protocol occupancy</code></p>\n",
              paging->stream);
}
