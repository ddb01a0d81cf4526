#include "report/overview.h"

#include "report/table.h"

#include <stdlib.h>
#include <string.h>

enum { CHAINS_MAX = 8 };

/* Chain lengths of all families, ascending: the columns between the family and its claims. */
struct chains {
    size_t count;
    int chains[CHAINS_MAX];
    char names[CHAINS_MAX][24];
};

static int ascending(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

static void chains_of(const struct accp_summary *summary, struct chains *chains)
{
    chains->count = 0;
    for (size_t i = 0; i < summary->point_count && chains->count < CHAINS_MAX; ++i) {
        bool known = !summary->points[i].family[0];
        for (size_t j = 0; j < chains->count; ++j)
            known |= chains->chains[j] == summary->points[i].chain;
        if (!known) chains->chains[chains->count++] = summary->points[i].chain;
    }
    qsort(chains->chains, chains->count, sizeof *chains->chains, ascending);
    for (size_t j = 0; j < chains->count; ++j)
        snprintf(chains->names[j], sizeof chains->names[j], "chain %d", chains->chains[j]);
}

static bool speaks_of(const struct accp_line *line, const char *family, int warps)
{
    char name[ACCP_NAME_BYTES];
    accp_family_name(line->role, name);
    return line->warps == warps && strcmp(name, family) == 0;
}

bool accp_overview_is_odd(const struct accp_judgement *judgement, const char *family, int warps)
{
    for (size_t i = 0; i < judgement->line_count; ++i)
        if (judgement->lines[i].verdict > ACCP_VERDICT_NO_GOLDEN &&
            speaks_of(&judgement->lines[i], family, warps))
            return true;
    return false;
}

/* "2 FAIL, 43 PASS" */
static void claims_text(const struct accp_judgement *judgement, const struct accp_point *of,
                        char *text, size_t text_bytes)
{
    size_t counts[ACCP_VERDICT_COUNT] = {0}, used = 0;
    for (size_t i = 0; i < judgement->line_count; ++i)
        counts[judgement->lines[i].verdict] +=
            speaks_of(&judgement->lines[i], of->family, of->warps);
    text[0] = 0;
    for (int i = ACCP_VERDICT_COUNT - 1; i >= 0 && used < text_bytes; --i)
        if (counts[i] > 0)
            used += (size_t)snprintf(text + used, text_bytes - used, "%s%zu %s", used ? ", " : "",
                                     counts[i], accp_verdict_name((enum accp_verdict)i));
}

static enum accp_status add_family(struct accp_table *table, const struct accp_judgement *judgement,
                                   const struct accp_summary *summary, const struct chains *chains,
                                   const struct accp_point *of, struct accp_error *error)
{
    char claims[256];
    const struct accp_point *point;
    ACCP_TRY(accp_table_row(table, error));
    accp_table_cell(table, 0, "%s", of->family);
    accp_table_cell(table, 1, "%d", of->warps);
    for (size_t at = 0; (point = accp_summary_next_series(summary, &at));) {
        const struct accp_point *best = accp_summary_best(summary, point->series, of->warps);
        if (!best || point->warps != of->warps || strcmp(point->family, of->family) != 0) continue;
        for (size_t j = 0; j < chains->count; ++j)
            if (chains->chains[j] == point->chain)
                accp_table_cell(table, 2 + j, "acc%d %.*f", best->acc, best->warps > 4 ? 2 : 1,
                                best->mean);
    }
    claims_text(judgement, of, claims, sizeof claims);
    accp_table_cell(table, 2 + chains->count, "%s", claims);
    return ACCP_STATUS_OK;
}

static enum accp_status add_families(struct accp_table *table,
                                     const struct accp_judgement *judgement,
                                     const struct accp_summary *summary,
                                     const struct chains *chains, struct accp_error *error)
{
    const struct accp_point *point;
    for (size_t at = 0; (point = accp_summary_next_family(summary, &at));)
        ACCP_TRY(add_family(table, judgement, summary, chains, point, error));
    return ACCP_STATUS_OK;
}

enum accp_status accp_overview_print(const struct accp_judgement *judgement,
                                     const struct accp_summary *summary, FILE *stream,
                                     struct accp_error *error)
{
    struct chains chains;
    struct accp_table *table;
    struct accp_column columns[CHAINS_MAX + 3] = {{"roles", false, false}, {"warps", true, false}};
    chains_of(summary, &chains);
    for (size_t j = 0; j < chains.count; ++j)
        columns[2 + j] = (struct accp_column){chains.names[j], true, false};
    columns[2 + chains.count] = (struct accp_column){"claims", false, false};
    ACCP_TRY(accp_table_create(columns, 3 + chains.count, &table, error));
    enum accp_status status = add_families(table, judgement, summary, &chains, error);
    if (status == ACCP_STATUS_OK) status = accp_table_print(table, stream, false, error);
    accp_table_destroy(table);
    return status;
}
