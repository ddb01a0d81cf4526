#include "report/beside.h"

#include "base/plural.h"
#include "golden/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The same role in a kernel of its own, or alone in the shared one; the first of the tables. */
static double level_of(const struct accp_summary *summary, const struct accp_role *role,
                       enum accp_dispatch dispatch, int warps)
{
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        const struct accp_role *other = &accp_roles[i];
        if (other->dispatch != dispatch || other->chain != role->chain || other->acc != role->acc ||
            other->sink != role->sink || other->placement != role->placement)
            continue;
        const struct accp_point *point = accp_summary_find(summary, other->name, warps);
        if (point && point->processes > 0) return point->mean;
    }
    return 0;
}

/* The mean over the runs of what they say of a key; 0: nothing. */
static double mean_of(const struct accp_summary *summary, const char *role, int warps, bool beside,
                      int key)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < summary->run_count; ++i) {
        const struct accp_run_mix *mix = accp_run_find_mix(&summary->runs[i], role, warps);
        const size_t parts = !mix ? 0 : beside ? mix->beside_count : mix->by_warp_count;
        for (size_t j = 0; j < parts; ++j) {
            const struct accp_run_part *part = beside ? &mix->beside[j] : &mix->by_warp[j];
            if (part->key != key) continue;
            sum += part->mean;
            ++count;
        }
    }
    return count > 0 ? sum / (double)count : 0;
}

static bool is_cell(const struct accp_summary *summary, const struct accp_point *point)
{
    const struct accp_role *role = accp_role_find(point->role);
    bool is_told = false;
    for (size_t i = 0; i < summary->run_count && !is_told; ++i) {
        const struct accp_run_mix *mix =
            accp_run_find_mix(&summary->runs[i], point->role, point->warps);
        is_told = mix && mix->by_warp_count > 0;
    }
    return is_told && role && role->dispatch == ACCP_DISPATCH_MIXED && point->processes > 0;
}

bool accp_beside_is_there(const struct accp_summary *summary)
{
    for (size_t i = 0; i < summary->point_count; ++i)
        if (is_cell(summary, &summary->points[i])) return true;
    return false;
}

static void fill_places(const struct accp_summary *summary, struct accp_beside_cell *cell)
{
    double low = INFINITY, high = 0;
    for (int warp = 0; warp < cell->warps; ++warp) {
        const double mean = mean_of(summary, cell->point->role, cell->warps, false, warp);
        cell->by_warp[warp] = mean;
        if (mean <= 0) continue;
        low = fmin(low, mean);
        high = fmax(high, mean);
    }
    cell->place = high > 0 ? high / low - 1 : 0;
}

/* Every acc that ran beside a warp anywhere. */
static void find_accs(const struct accp_summary *summary, struct accp_beside_map *map)
{
    bool is_there[256] = {false};
    for (size_t i = 0; i < summary->run_count; ++i)
        for (size_t j = 0; j < summary->runs[i].mix_count; ++j) {
            const struct accp_run_mix *mix = &summary->runs[i].mixes[j];
            for (size_t k = 0; k < mix->beside_count; ++k)
                is_there[mix->beside[k].key] = true;
        }
    for (int acc = 0; acc < 256 && map->acc_count < ACCP_BESIDE_ACCS; ++acc)
        if (is_there[acc]) map->accs[map->acc_count++] = acc;
}

static void fill_cell(const struct accp_summary *summary, const struct accp_beside_map *map,
                      const struct accp_point *point, struct accp_beside_cell *cell)
{
    const struct accp_role *role = accp_role_find(point->role);
    cell->point = point;
    cell->chain = point->chain;
    cell->warps = point->warps;
    cell->acc = point->acc;
    cell->mixed = point->mean;
    cell->own = level_of(summary, role, ACCP_DISPATCH_ALONE, point->warps);
    cell->uniform = level_of(summary, role, ACCP_DISPATCH_UNIFORM, point->warps);
    fill_places(summary, cell);
    for (size_t i = 0; i < map->acc_count; ++i)
        cell->beside[i] = mean_of(summary, point->role, point->warps, true, map->accs[i]);
}

static int compare_cells(const void *left, const void *right)
{
    const struct accp_beside_cell *a = left, *b = right;
    return a->chain != b->chain   ? a->chain - b->chain
           : a->warps != b->warps ? a->warps - b->warps
                                  : a->acc - b->acc;
}

enum accp_status accp_beside_init(const struct accp_summary *summary, struct accp_beside_map *map,
                                  struct accp_error *error)
{
    *map = (struct accp_beside_map){.cells = calloc(summary->point_count + 1, sizeof *map->cells)};
    if (!map->cells) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the map");
    find_accs(summary, map);
    for (size_t i = 0; i < summary->point_count; ++i) {
        const struct accp_point *point = &summary->points[i];
        if (is_cell(summary, point)) fill_cell(summary, map, point, &map->cells[map->cell_count++]);
    }
    qsort(map->cells, map->cell_count, sizeof *map->cells, compare_cells);
    if (map->cell_count > 0) return ACCP_STATUS_OK;
    accp_beside_fini(map);
    return accp_fail(error, ACCP_STATUS_INPUT, NULL, -1,
                     "the run does not hold what each warp of mixed launches measured: measure it "
                     "with --probe mixed");
}

void accp_beside_fini(struct accp_beside_map *map)
{
    free(map->cells);
    *map = (struct accp_beside_map){0};
}

/* Beside one role: whether two that are ordered by their own kernels are turned round, and the most so far. */
static void compare(struct accp_beside_orders *orders, const struct accp_beside_cell *fast,
                    const struct accp_beside_cell *slow, size_t column, int acc)
{
    if (fast->beside[column] <= 0 || slow->beside[column] <= 0) return;
    const double by = fast->beside[column] / slow->beside[column] - 1;
    ++orders->compared;
    if (by < ACCP_ORDER_EFFECT_LEAST) return;
    ++orders->turned;
    if (by <= orders->most) return;
    orders->most = by;
    orders->fast = fast->acc;
    orders->slow = slow->acc;
    orders->acc = acc;
}

void accp_beside_count(const struct accp_beside_map *map, int chain, int warps,
                       struct accp_beside_orders *orders)
{
    *orders = (struct accp_beside_orders){0};
    for (size_t i = 0; i < map->cell_count; ++i)
        for (size_t j = 0; j < map->cell_count; ++j) {
            const struct accp_beside_cell *fast = &map->cells[i], *slow = &map->cells[j];
            if (fast->chain != chain || fast->warps != warps || slow->chain != chain ||
                slow->warps != warps || fast->own <= 0 ||
                slow->own < fast->own * (1 + ACCP_ORDER_EFFECT_LEAST))
                continue;
            ++orders->pairs;
            orders->reversed += fast->mixed >= slow->mixed * (1 + ACCP_ORDER_EFFECT_LEAST);
            for (size_t k = 0; k < map->acc_count; ++k)
                compare(orders, fast, slow, k, map->accs[k]);
        }
}

enum { CHAIN, WARPS, ACC, OWN, UNIFORM, MIXED, PLACE, BESIDE };

static const struct accp_column first_columns[BESIDE] = {
    [CHAIN] = {"chain", true, false},    [WARPS] = {"warps", true, false},
    [ACC] = {"acc", true, false},        [OWN] = {"its own", true, false},
    [UNIFORM] = {"alone", true, false},  [MIXED] = {"mixed", true, false},
    [PLACE] = {"by place", true, false},
};

static void name_columns(struct accp_beside_map *map)
{
    memcpy(map->columns, first_columns, sizeof first_columns);
    for (size_t i = 0; i < map->acc_count; ++i) {
        snprintf(map->names[i], sizeof map->names[i], "by acc%d", map->accs[i]);
        map->columns[BESIDE + i] = (struct accp_column){map->names[i], true, false};
    }
}

static void put_cycles(struct accp_table *table, size_t column, double cycles)
{
    if (cycles > 0) accp_table_cell(table, column, "%.2f", cycles);
}

static enum accp_status fill(const struct accp_beside_map *map, struct accp_table *table,
                             struct accp_error *error)
{
    for (size_t i = 0; i < map->cell_count; ++i) {
        const struct accp_beside_cell *cell = &map->cells[i];
        ACCP_TRY(accp_table_row(table, error));
        accp_table_cell(table, CHAIN, "%d", cell->chain);
        accp_table_cell(table, WARPS, "%d", cell->warps);
        accp_table_cell(table, ACC, "%d", cell->acc);
        put_cycles(table, OWN, cell->own);
        put_cycles(table, UNIFORM, cell->uniform);
        put_cycles(table, MIXED, cell->mixed);
        accp_table_cell(table, PLACE, "%.2f %%", 100 * cell->place);
        for (size_t j = 0; j < map->acc_count; ++j)
            put_cycles(table, BESIDE + j, cell->beside[j]);
    }
    return ACCP_STATUS_OK;
}

void accp_beside_words(const struct accp_beside_map *map, int chain, int warps, char *text,
                       size_t text_bytes)
{
    struct accp_beside_orders orders;
    char each[96] = "", most[128] = "";
    accp_beside_count(map, chain, warps, &orders);
    if (orders.pairs == 0) {
        snprintf(text, text_bytes,
                 "without kernels of their own beside them there is no order to hold them against");
        return;
    }
    if (orders.compared > 0)
        snprintf(each, sizeof each, "; beside one and the same role %d of %d comparisons do",
                 orders.turned, orders.compared);
    if (orders.acc > 0)
        snprintf(most, sizeof most,
                 ", most of all acc%d, which costs %.1f %% more than acc%d beside acc%d",
                 orders.fast, 100 * orders.most, orders.slow, orders.acc);
    snprintf(text, text_bytes, "%d of %d ordered pairs turn round when mixed%s%s", orders.reversed,
             orders.pairs, each, most);
}

static void print_orders(const struct accp_beside_map *map, const struct accp_beside_cell *first,
                         FILE *stream, bool markdown)
{
    char words[512];
    accp_beside_words(map, first->chain, first->warps, words, sizeof words);
    fprintf(stream, "%schain %d, %d warp%s: %s.\n", markdown ? "- " : "", first->chain,
            first->warps, ACCP_PLURAL(first->warps, "s"), words);
}

static void print_words(const struct accp_beside_map *map, FILE *stream, bool markdown)
{
    fputs("\nCycles of an iteration: in a kernel of its own, alone in the shared kernel, mixed, "
          "and of the mixed\n"
          "warps those that shared their scheduler with a warp of that role. By place: what the "
          "warp of the block\n"
          "that runs it makes of it, the slowest over the fastest.\n\n",
          stream);
    for (size_t i = 0; i < map->cell_count; ++i) {
        const struct accp_beside_cell *cell = &map->cells[i];
        if (i == 0 || cell->chain != cell[-1].chain || cell->warps != cell[-1].warps)
            print_orders(map, cell, stream, markdown);
    }
}

enum accp_status accp_beside_print(struct accp_beside_map *map, FILE *stream, bool json,
                                   bool markdown, struct accp_error *error)
{
    struct accp_table *table;
    name_columns(map);
    ACCP_TRY(accp_table_create(map->columns, BESIDE + map->acc_count, &table, error));
    enum accp_status status = fill(map, table, error);
    if (status == ACCP_STATUS_OK)
        status = json ? accp_table_print_json(table, "accprobe-beside/1", stream, error)
                      : accp_table_print(table, stream, markdown, error);
    accp_table_destroy(table);
    if (status == ACCP_STATUS_OK && !json) print_words(map, stream, markdown);
    return status;
}
