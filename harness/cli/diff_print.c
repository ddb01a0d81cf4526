#include "cli/diff_print.h"

#include "base/json.h"
#include "cli/verbs.h"
#include "report/table.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const side_texts[] = {
    [ACCP_SIDES_BOTH] = "", [ACCP_SIDES_BEFORE] = "only before", [ACCP_SIDES_AFTER] = "only after"};

void accp_differences_fini(struct accp_differences *differences)
{
    free(differences->items);
    memset(differences, 0, sizeof *differences);
}

enum accp_status accp_differences_add(struct accp_differences *differences, const char *name,
                                      struct accp_difference **difference, struct accp_error *error)
{
    struct accp_difference *items =
        realloc(differences->items, (differences->count + 1) * sizeof *items);
    if (!items) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the rows");
    differences->items = items;
    *difference = &items[differences->count++];
    memset(*difference, 0, sizeof **difference);
    snprintf((*difference)->name, sizeof(*difference)->name, "%s", name);
    (*difference)->before = (*difference)->after = NAN;
    return ACCP_STATUS_OK;
}

/* Renamed registers are the same instructions with the same control bits. */
static int row_exit(const struct accp_differences *differences, const struct accp_difference *row)
{
    if (row->sides != ACCP_SIDES_BOTH) return ACCP_EXIT_APPROVAL;
    if (row->class == ACCP_DIFF_LOST) return ACCP_EXIT_FAIL;
    if (differences->of_runs) return row->differs ? ACCP_EXIT_APPROVAL : ACCP_EXIT_PASS;
    return row->class <= ACCP_DIFF_REGISTERS ? ACCP_EXIT_PASS : ACCP_EXIT_APPROVAL;
}

int accp_differences_exit(const struct accp_differences *differences)
{
    int status = ACCP_EXIT_PASS;
    for (size_t i = 0; i < differences->count; ++i) {
        int row = row_exit(differences, &differences->items[i]);
        if (row == ACCP_EXIT_FAIL) return row;
        if (row > status) status = row;
    }
    return status;
}

static double percent(const struct accp_difference *row)
{
    return 100 * (row->after / row->before - 1);
}

static void fill_run_row(struct accp_table *table, const struct accp_difference *row)
{
    accp_table_cell(table, 1, "%d", row->warps);
    if (!isnan(row->before)) accp_table_cell(table, 2, "%.6g", row->before);
    if (!isnan(row->after)) accp_table_cell(table, 3, "%.6g", row->after);
    if (!isnan(row->before) && !isnan(row->after)) accp_table_cell(table, 4, "%+.3f", percent(row));
    accp_table_cell(table, 5, "%s%s%s", side_texts[row->sides],
                    row->sides != ACCP_SIDES_BOTH && row->text[0] ? "; " : "", row->text);
}

static void fill_kernel_row(struct accp_table *table, const struct accp_difference *row)
{
    bool both = row->sides == ACCP_SIDES_BOTH;
    accp_table_cell(table, 1, "%s", both ? accp_diff_name(row->class) : side_texts[row->sides]);
    accp_table_cell(table, 2, "%s", row->text);
}

static const struct accp_column run_columns[] = {
    {"role", false, false}, {"warps", true, false},    {"before", true, false},
    {"after", true, false}, {"change %", true, false}, {"SASS", false, true},
};
static const struct accp_column kernel_columns[] = {
    {"kernel", false, false}, {"change", false, false}, {"what", false, true}};

static enum accp_status print_table(const struct accp_options *options,
                                    const struct accp_differences *differences, bool markdown,
                                    struct accp_error *error)
{
    bool of_runs = differences->of_runs;
    struct accp_table *table;
    ACCP_TRY(of_runs
                 ? accp_table_create(run_columns, sizeof run_columns / sizeof *run_columns, &table,
                                     error)
                 : accp_table_create(kernel_columns, sizeof kernel_columns / sizeof *kernel_columns,
                                     &table, error));
    size_t shown = 0;
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 0; i < differences->count && status == ACCP_STATUS_OK; ++i) {
        const struct accp_difference *row = &differences->items[i];
        if (!options->all && row_exit(differences, row) == ACCP_EXIT_PASS && !row->text[0])
            continue;
        ++shown;
        status = accp_table_row(table, error);
        if (status != ACCP_STATUS_OK) break;
        accp_table_cell(table, 0, "%s", row->name);
        if (of_runs)
            fill_run_row(table, row);
        else
            fill_kernel_row(table, row);
    }
    if (status == ACCP_STATUS_OK && shown > 0)
        status = accp_table_print(table, stdout, markdown, error);
    accp_table_destroy(table);
    return status;
}

static void print_summary(const struct accp_differences *differences, bool markdown)
{
    size_t counts[ACCP_DIFF_COUNT] = {0}, sides[3] = {0}, differing = 0;
    const char *separator = "", *mark = markdown ? "**" : "";
    for (size_t i = 0; i < differences->count; ++i) {
        const struct accp_difference *row = &differences->items[i];
        ++sides[row->sides];
        if (row->sides == ACCP_SIDES_BOTH) ++counts[row->class];
        differing += row->differs;
    }
    printf("%s%s%s: ", mark, differences->of_runs ? "roles" : "kernels", mark);
    if (differences->of_runs) printf("%zu compared, %zu differ", sides[ACCP_SIDES_BOTH], differing);
    for (int i = 0; i < ACCP_DIFF_COUNT && !differences->of_runs; ++i) {
        if (counts[i] == 0) continue;
        printf("%s%zu %s", separator, counts[i], accp_diff_name((enum accp_diff_class)i));
        separator = ", ";
    }
    if (differences->of_runs) separator = ", ";
    for (int side = ACCP_SIDES_BEFORE; side <= ACCP_SIDES_AFTER; ++side) {
        if (sides[side] == 0) continue;
        printf("%s%zu %s", separator, sides[side], side_texts[side]);
        separator = ", ";
    }
    printf("; exit status %d\n", accp_differences_exit(differences));
}

static json_t *row_json(const struct accp_differences *differences,
                        const struct accp_difference *row)
{
    json_t *object = json_object();
    json_object_set_new(object, differences->of_runs ? "role" : "kernel", json_string(row->name));
    if (row->warps > 0) json_object_set_new(object, "warps", json_integer(row->warps));
    if (row->sides != ACCP_SIDES_BOTH)
        json_object_set_new(object, "sides", json_string(side_texts[row->sides]));
    else if (!differences->of_runs)
        json_object_set_new(object, "class", json_string(accp_diff_name(row->class)));
    if (!isnan(row->before)) json_object_set_new(object, "before", json_real(row->before));
    if (!isnan(row->after)) json_object_set_new(object, "after", json_real(row->after));
    if (!isnan(row->before) && !isnan(row->after))
        json_object_set_new(object, "change_percent", json_real(percent(row)));
    if (differences->of_runs) json_object_set_new(object, "differs", json_boolean(row->differs));
    if (row->text[0]) json_object_set_new(object, "text", json_string(row->text));
    return object;
}

static enum accp_status print_json(const struct accp_differences *differences,
                                   struct accp_error *error)
{
    bool failed = false;
    printf("{\"format\": \"accprobe-diff/1\", \"of\": \"%s\", \"exit_status\": %d,\n \"rows\": [",
           differences->of_runs ? "runs" : "kernels", accp_differences_exit(differences));
    for (size_t i = 0; i < differences->count; ++i) {
        json_t *row = row_json(differences, &differences->items[i]);
        fputs(i ? ",\n  " : "\n  ", stdout);
        failed |= !row || json_dumpf(row, stdout, JSON_REAL_PRECISION(7)) != 0;
        json_decref(row);
    }
    fputs("]}\n", stdout);
    return accp_json_written(stdout, failed, "the differences", error);
}

enum accp_status accp_differences_print(const struct accp_options *options,
                                        const struct accp_differences *differences,
                                        struct accp_error *error)
{
    bool markdown = options->shape == ACCP_FORMAT_MARKDOWN;
    if (options->shape == ACCP_FORMAT_JSON) return print_json(differences, error);
    if (differences->head[0]) {
        accp_text_put(stdout, differences->head, markdown);
        fputs(markdown ? "\n\n" : "\n", stdout);
    }
    ACCP_TRY(print_table(options, differences, markdown, error));
    if (markdown) putchar('\n');
    print_summary(differences, markdown);
    return ACCP_STATUS_OK;
}
