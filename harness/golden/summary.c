#include "golden/summary.h"

#include "golden/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies `name` without the part that starts at ".<key><digit>" and ends before the next dot. */
static void drop_part(const char *name, const char *key, char shorter[ACCP_NAME_BYTES])
{
    size_t key_length = strlen(key), length = 0;
    for (const char *at = name; *at && length + 1 < ACCP_NAME_BYTES;) {
        bool drop =
            strncmp(at, key, key_length) == 0 && at[key_length] >= '0' && at[key_length] <= '9';
        if (drop)
            at += 1 + strcspn(at + 1, ".");
        else
            shorter[length++] = *at++;
    }
    shorter[length] = 0;
}

void accp_series_name(const char *role, char series[ACCP_NAME_BYTES])
{
    drop_part(role, ".acc", series);
}

void accp_family_name(const char *role, char family[ACCP_NAME_BYTES])
{
    char series[ACCP_NAME_BYTES];
    accp_series_name(role, series);
    drop_part(series, ".chain", family);
}

/* The role's row, or the end of the tables for a stranger's kernel. */
static size_t table_row(const char *role)
{
    const struct accp_role *known = accp_role_find(role);
    return known && strcmp(known->name, role) == 0 ? (size_t)(known - accp_roles) : ACCP_ROLE_COUNT;
}

/* One role of one run while the points are put together. */
struct entry {
    const struct accp_run_role *role;
    size_t run, row;
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    int order = strcmp(a->role->role, b->role->role);
    if (order) return order;
    if (a->role->warps != b->role->warps) return a->role->warps - b->role->warps;
    return a->run < b->run ? -1 : a->run > b->run;
}

static enum accp_status refuse_mix(const struct accp_run *runs, size_t run_count,
                                   struct accp_error *error)
{
    for (size_t i = 1; i < run_count; ++i) {
        const struct accp_run *first = &runs[0], *other = &runs[i];
        const char *what = NULL;
        if (first->source != other->source)
            what = "sources";
        else if (strcmp(first->device.arch, other->device.arch) != 0)
            what = "arches";
        else if (first->device.sm_count != other->device.sm_count)
            what = "SM counts";
        else if (strcmp(first->compiler.name, other->compiler.name) != 0 ||
                 strcmp(first->compiler.version, other->compiler.version) != 0 ||
                 strcmp(first->compiler.flags, other->compiler.flags) != 0)
            what = "compilers";
        else if (!accp_protocol_same(&first->protocol, &other->protocol))
            what = "protocols";
        if (what)
            return accp_fail(error, ACCP_STATUS_INPUT, NULL, (int64_t)i,
                             "run 1 and run %zu have different %s: judge them one by one", i + 1,
                             what);
    }
    return ACCP_STATUS_OK;
}

const struct accp_point *accp_summary_next_family(const struct accp_summary *summary, size_t *at)
{
    while (*at < summary->point_count) {
        const struct accp_point *point = &summary->points[(*at)++];
        bool is_first = point->family[0] != 0;
        for (const struct accp_point *other = summary->points; is_first && other < point; ++other)
            is_first = other->warps != point->warps || strcmp(other->family, point->family) != 0;
        if (is_first) return point;
    }
    return NULL;
}

bool accp_protocol_same(const struct accp_run_protocol *left, const struct accp_run_protocol *right)
{
    return strcmp(left->name, right->name) == 0 && left->launches == right->launches &&
           left->budget_cycles == right->budget_cycles && left->skew_cycles == right->skew_cycles &&
           left->warmup_cycles == right->warmup_cycles;
}

static void start_point(struct accp_point *point, const struct entry *entry)
{
    const struct accp_run_role *role = entry->role;
    memcpy(point->role, role->role, sizeof point->role);
    memcpy(point->kernel, role->kernel, sizeof point->kernel);
    point->chain = role->chain;
    point->acc = role->acc;
    point->effective = role->effective;
    point->warps = role->warps;
    if (entry->row == ACCP_ROLE_COUNT) return;
    accp_series_name(role->role, point->series);
    accp_family_name(role->role, point->family);
}

static void add_process(struct accp_point *point, const struct entry *entry)
{
    const struct accp_cycles *cycles = &entry->role->cycles;
    if (cycles->n == 0) {
        ++point->empty;
        return;
    }
    point->values[entry->run] = cycles->mean;
    point->samples += cycles->n;
    point->progress += entry->role->progress;
    ++point->processes;
}

static void close_point(struct accp_point *point, size_t run_count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < run_count; ++i)
        sum += point->values[i];
    if (point->processes == 0) return;
    double count = (double)point->processes;
    point->mean = sum / count;
    point->progress /= count;
    for (size_t i = 0; i < run_count; ++i)
        if (point->values[i] > 0)
            squares += (point->values[i] - point->mean) * (point->values[i] - point->mean);
    if (point->processes > 1) point->sd = sqrt(squares / (count - 1));
}

static enum accp_status fill_points(struct accp_summary *summary, const struct entry *entries,
                                    size_t entry_count, struct accp_error *error)
{
    struct accp_point *point = NULL;
    for (size_t i = 0; i < entry_count; ++i) {
        const struct accp_run_role *role = entries[i].role;
        if (!point || point->warps != role->warps || strcmp(point->role, role->role) != 0) {
            if (point) close_point(point, summary->run_count);
            point = &summary->points[summary->point_count];
            start_point(point, &entries[i]);
            point->values = calloc(summary->run_count, sizeof *point->values);
            if (!point->values)
                return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a summary");
            ++summary->point_count;
        }
        add_process(point, &entries[i]);
    }
    if (point) close_point(point, summary->run_count);
    return ACCP_STATUS_OK;
}

enum accp_status accp_summary_init(struct accp_summary *summary, const struct accp_run *runs,
                                   size_t run_count, struct accp_error *error)
{
    *summary = (struct accp_summary){.runs = runs, .run_count = run_count};
    if (run_count == 0) return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1, "there is no run");
    ACCP_TRY(refuse_mix(runs, run_count, error));
    size_t entry_count = 0, filled = 0;
    for (size_t i = 0; i < run_count; ++i)
        entry_count += runs[i].role_count;
    struct entry *entries = calloc(entry_count + 1, sizeof *entries);
    summary->points = calloc(entry_count + 1, sizeof *summary->points);
    enum accp_status status = ACCP_STATUS_MEMORY;
    if (entries && summary->points) {
        for (size_t i = 0; i < run_count; ++i)
            for (size_t j = 0; j < runs[i].role_count; ++j)
                entries[filled++] =
                    (struct entry){&runs[i].roles[j], i, table_row(runs[i].roles[j].role)};
        qsort(entries, entry_count, sizeof *entries, compare_entries);
        status = fill_points(summary, entries, entry_count, error);
    } else {
        accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a summary");
    }
    free(entries);
    if (status != ACCP_STATUS_OK) accp_summary_fini(summary);
    return status;
}

void accp_summary_fini(struct accp_summary *summary)
{
    for (size_t i = 0; i < summary->point_count; ++i)
        free(summary->points[i].values);
    free(summary->points);
    *summary = (struct accp_summary){0};
}

const struct accp_point *accp_summary_find(const struct accp_summary *summary, const char *role,
                                           int warps)
{
    for (size_t i = 0; i < summary->point_count; ++i)
        if (summary->points[i].warps == warps && strcmp(summary->points[i].role, role) == 0)
            return &summary->points[i];
    return NULL;
}

static bool of_series(const struct accp_point *point, const char *series, int warps)
{
    return point->warps == warps && point->series[0] && strcmp(point->series, series) == 0;
}

const struct accp_point *accp_summary_in_series(const struct accp_summary *summary,
                                                const char *series, int acc, int warps)
{
    for (size_t i = 0; i < summary->point_count; ++i)
        if (summary->points[i].acc == acc && of_series(&summary->points[i], series, warps))
            return &summary->points[i];
    return NULL;
}

const struct accp_point *accp_summary_best(const struct accp_summary *summary, const char *series,
                                           int warps)
{
    const struct accp_point *best = NULL;
    for (size_t i = 0; i < summary->point_count; ++i) {
        const struct accp_point *point = &summary->points[i];
        if (point->processes > 0 && of_series(point, series, warps) &&
            (!best || point->mean < best->mean))
            best = point;
    }
    return best;
}

const struct accp_point *accp_summary_next_series(const struct accp_summary *summary, size_t *at)
{
    while (*at < summary->point_count) {
        const struct accp_point *point = &summary->points[(*at)++];
        if (!point->series[0]) continue;
        bool first = true;
        for (const struct accp_point *before = summary->points; before < point && first; ++before)
            first = !of_series(before, point->series, point->warps);
        if (first) return point;
    }
    return NULL;
}

static bool share_a_role(const struct accp_run *left, const struct accp_run *right)
{
    for (size_t i = 0; i < left->role_count; ++i)
        if (accp_run_find(right, left->roles[i].role, left->roles[i].warps)) return true;
    return false;
}

/* Two processes with one seed had the same skews and the same order of roles: one session, counted
 * twice. */
enum accp_status accp_summary_seeds(const struct accp_run *runs, size_t run_count,
                                    struct accp_error *error)
{
    for (size_t i = 0; i < run_count; ++i)
        for (size_t j = 0; j < i; ++j) {
            if (runs[i].source != ACCP_SOURCE_MEASURED || runs[j].source != ACCP_SOURCE_MEASURED ||
                runs[i].protocol.seed != runs[j].protocol.seed || !share_a_role(&runs[i], &runs[j]))
                continue;
            return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)i,
                             "run %zu and run %zu are one session: both have seed %llu", j + 1,
                             i + 1, (unsigned long long)runs[i].protocol.seed);
        }
    return ACCP_STATUS_OK;
}
