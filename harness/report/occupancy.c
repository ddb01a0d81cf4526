#include "report/occupancy.h"

#include "base/plural.h"
#include "report/table.h"

#include <math.h>
#include <string.h>

static bool is_optimal(const struct accp_point *point)
{
    const struct accp_role *role = accp_role_find(point->role);
    return role && role->probe == ACCP_PROBE_optimal && point->processes > 0;
}

static const struct accp_arch *arch_of(const struct accp_summary *summary)
{
    return accp_arch_find(summary->runs[0].device.arch);
}

enum accp_status accp_occupancy_latency(const struct accp_summary *summary, double *latency,
                                        struct accp_error *error)
{
    const struct accp_arch *arch = arch_of(summary);
    const struct accp_point *longest = NULL, *next = NULL;
    for (size_t i = 0; i < summary->point_count && arch; ++i) {
        const struct accp_point *point = &summary->points[i];
        if (!is_optimal(point) || point->acc != 1 || point->warps > arch->schedulers) continue;
        if (longest && point->chain == longest->chain) continue; /* the same at fewer warps */
        if (!longest || point->chain > longest->chain) {
            next = longest;
            longest = point;
        } else if (!next || point->chain > next->chain) {
            next = point;
        }
    }
    if (!longest || !next)
        return accp_fail(error, ACCP_STATUS_INPUT, NULL, -1,
                         "the run lacks two chains of one accumulator with one warp a scheduler, "
                         "which tell the latency: measure it with --protocol occupancy");
    *latency = (longest->mean - next->mean) / (longest->chain - next->chain);
    return ACCP_STATUS_OK;
}

/* The least acc of the series that is not below what is needed; its greatest if there is none. */
static const struct accp_point *pick(const struct accp_summary *summary,
                                     const struct accp_point *first, double needed)
{
    const struct accp_point *found = NULL, *greatest = first;
    for (size_t i = 0; i < summary->point_count; ++i) {
        const struct accp_point *point = &summary->points[i];
        if (!is_optimal(point) || point->warps != first->warps ||
            strcmp(point->series, first->series) != 0)
            continue;
        if (point->acc > greatest->acc) greatest = point;
        /* A latency of 4.0001 needs no fifth accumulator. */
        if (point->acc >= needed * (1 - ACCP_OCCUPANCY_SLACK) &&
            (!found || point->acc < found->acc))
            found = point;
    }
    return found ? found : greatest;
}

static enum accp_status map_series(const struct accp_summary *summary,
                                   const struct accp_point *first, double latency,
                                   struct accp_occupancy_cell *cell, struct accp_error *error)
{
    const struct accp_arch *arch = arch_of(summary);
    const struct accp_point *best = accp_summary_best(summary, first->series, first->warps);
    const struct accp_point *single =
        accp_summary_in_series(summary, first->series, 1, first->warps);
    if (!best || !single || single->processes == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, first->series, -1,
                         "acc1 was not measured at %d warp%s: what is best is told by it",
                         first->warps, ACCP_PLURAL(first->warps, "s"));
    const double rate = arch->fp32_lanes / 32.0;
    cell->chain = first->chain;
    cell->warps = first->warps;
    cell->warps_of_scheduler = fmax((double)first->warps / arch->schedulers, 1);
    cell->needed = fmax(latency * rate / cell->warps_of_scheduler, 1);
    const struct accp_point *by_law = pick(summary, first, cell->needed);
    cell->best = best->acc;
    cell->pick = by_law->acc;
    cell->cycles = best->mean;
    cell->single = single->mean / best->mean - 1;
    cell->pick_loss = by_law->mean / best->mean - 1;
    return ACCP_STATUS_OK;
}

enum accp_status accp_occupancy_map(const struct accp_summary *summary,
                                    struct accp_occupancy_cell *cells, size_t *count,
                                    struct accp_error *error)
{
    const struct accp_point *first;
    double latency;
    *count = 0;
    ACCP_TRY(accp_occupancy_latency(summary, &latency, error));
    for (size_t at = 0; (first = accp_summary_next_series(summary, &at));)
        if (is_optimal(first))
            ACCP_TRY(map_series(summary, first, latency, &cells[(*count)++], error));
    return ACCP_STATUS_OK;
}

static const struct accp_column columns[] = {
    {"chain", true, false},          {"warps", true, false},
    {"of a scheduler", true, false}, {"needed", true, false},
    {"best", true, false},           {"cycles", true, false},
    {"acc1 over best", true, false}, {"Little's pick", true, false},
    {"pick over best", true, false},
};

static enum accp_status add_cell(struct accp_table *table, const struct accp_occupancy_cell *cell,
                                 struct accp_error *error)
{
    ACCP_TRY(accp_table_row(table, error));
    accp_table_cell(table, 0, "%d", cell->chain);
    accp_table_cell(table, 1, "%d", cell->warps);
    accp_table_cell(table, 2, "%g", cell->warps_of_scheduler);
    accp_table_cell(table, 3, "%.2f", cell->needed);
    accp_table_cell(table, 4, "%d", cell->best);
    accp_table_cell(table, 5, "%.2f", cell->cycles);
    accp_table_cell(table, 6, "%+.1f %%", 100 * cell->single);
    accp_table_cell(table, 7, "%d", cell->pick);
    accp_table_cell(table, 8, "%+.1f %%", 100 * cell->pick_loss);
    return ACCP_STATUS_OK;
}

static enum accp_status fill(struct accp_table *table, const struct accp_occupancy_cell *cells,
                             size_t count, struct accp_error *error)
{
    for (size_t i = 0; i < count; ++i)
        ACCP_TRY(add_cell(table, &cells[i], error));
    return ACCP_STATUS_OK;
}

static void print_words(const struct accp_occupancy_cell *cells, size_t count, FILE *stream)
{
    size_t as_good = 0;
    const struct accp_occupancy_cell *worst = &cells[0];
    for (size_t i = 0; i < count; ++i) {
        as_good += cells[i].pick_loss <= ACCP_OCCUPANCY_SLACK;
        if (cells[i].pick_loss > worst->pick_loss) worst = &cells[i];
    }
    fprintf(
        stream,
        "\nLittle's law (latency x issue rate / warps of a scheduler) picks a split within %g %% "
        "of the best in %zu of %zu cells; the worst is chain %d at %d warp%s, where acc%d costs "
        "%.1f %% more than acc%d.\n",
        100 * ACCP_OCCUPANCY_SLACK, as_good, count, worst->chain, worst->warps,
        ACCP_PLURAL(worst->warps, "s"), worst->pick, 100 * worst->pick_loss, worst->best);
}

enum accp_status accp_occupancy_print(const struct accp_occupancy_cell *cells, size_t count,
                                      FILE *stream, bool json, bool markdown,
                                      struct accp_error *error)
{
    struct accp_table *table;
    ACCP_TRY(accp_table_create(columns, sizeof columns / sizeof *columns, &table, error));
    enum accp_status status = fill(table, cells, count, error);
    if (status == ACCP_STATUS_OK)
        status = json ? accp_table_print_json(table, "accprobe-occupancy/1", stream, error)
                      : accp_table_print(table, stream, markdown, error);
    accp_table_destroy(table);
    if (status == ACCP_STATUS_OK && !json) print_words(cells, count, stream);
    return status;
}
