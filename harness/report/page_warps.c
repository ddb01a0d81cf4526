#include "report/page.h"

#include "base/plural.h"
#include "report/markup.h"

/* Up to the next chain or number of warps: the rows of a table. */
static size_t end_of(const struct accp_beside_map *map, size_t first)
{
    size_t end = first + 1;
    while (end < map->cell_count && map->cells[end].chain == map->cells[first].chain &&
           map->cells[end].warps == map->cells[first].warps)
        ++end;
    return end;
}

static bool is_column(const struct accp_beside_cell *cells, size_t count, size_t column)
{
    for (size_t i = 0; i < count; ++i)
        if (cells[i].beside[column] > 0) return true;
    return false;
}

/* What these runs may have of none of the rows, and then is no column. */
struct alone {
    bool own, uniform;
};

static struct alone alone_of(const struct accp_beside_cell *cells, size_t count)
{
    struct alone alone = {false, false};
    for (size_t i = 0; i < count; ++i) {
        alone.own |= cells[i].own > 0;
        alone.uniform |= cells[i].uniform > 0;
    }
    return alone;
}

static void put_head(const struct accp_beside_map *map, const struct accp_beside_cell *cells,
                     size_t count, FILE *stream)
{
    const struct alone alone = alone_of(cells, count);
    fprintf(stream, "<thead><tr><th>role</th>%s%s<th class=\"n\">mixed</th>",
            alone.own ? "<th class=\"n\">its own</th>" : "",
            alone.uniform ? "<th class=\"n\">alone</th>" : "");
    for (int warp = 0; warp < cells->warps; ++warp)
        fprintf(stream, "<th class=\"n\">warp %d</th>", warp);
    for (size_t j = 0; j < map->acc_count; ++j)
        if (is_column(cells, count, j))
            fprintf(stream, "<th class=\"n\">by acc%d</th>", map->accs[j]);
    fputs("</tr></thead><tbody>\n", stream);
}

static void put_cycles(FILE *stream, double cycles)
{
    if (cycles > 0)
        fprintf(stream, "<td class=\"n\">%.2f</td>", cycles);
    else
        fputs("<td></td>", stream);
}

static void put_table(const struct accp_beside_map *map, const struct accp_beside_cell *cells,
                      size_t count, FILE *stream)
{
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Cycles by "
          "warp\"><table>",
          stream);
    const struct alone alone = alone_of(cells, count);
    put_head(map, cells, count, stream);
    for (size_t i = 0; i < count; ++i) {
        fputs("<tr><td class=\"claim\">", stream);
        accp_markup_text(stream, cells[i].point->role);
        fputs("</td>", stream);
        if (alone.own) put_cycles(stream, cells[i].own);
        if (alone.uniform) put_cycles(stream, cells[i].uniform);
        put_cycles(stream, cells[i].mixed);
        for (int warp = 0; warp < cells->warps; ++warp)
            put_cycles(stream, cells[i].by_warp[warp]);
        for (size_t j = 0; j < map->acc_count; ++j)
            if (is_column(cells, count, j)) put_cycles(stream, cells[i].beside[j]);
        fputs("</tr>\n", stream);
    }
    fputs("</tbody></table></div>\n", stream);
}

void accp_page_warps(const struct accp_paging *paging)
{
    const struct accp_beside_map *map = paging->beside;
    char words[512];
    fputs("<p class=\"soft\">Cycles per iteration of each role where every warp of a block runs "
          "another one: in a kernel of its own and alone in the shared kernel, where these runs "
          "have it; of all its warps; of the warp of the block that ran it; and of those that "
          "shared their scheduler with a warp of that role.</p>\n",
          paging->stream);
    for (size_t first = 0, end; first < map->cell_count; first = end) {
        const struct accp_beside_cell *cells = &map->cells[first];
        end = end_of(map, first);
        accp_beside_words(map, cells->chain, cells->warps, words, sizeof words);
        fprintf(paging->stream, "<h3>Chain %d, %d warp%s</h3>\n<p>Orders: %s.</p>\n", cells->chain,
                cells->warps, ACCP_PLURAL(cells->warps, "s"), words);
        put_table(map, cells, end - first, paging->stream);
    }
}
