#include "cli/measuring.h"
#include "report/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct accp_column columns[] = {
    {"role", false, false},    {"warps", true, false},         {"cycles", true, false},
    {"min", true, false},      {"max", true, false},           {"n", true, false},
    {"progress", true, false}, {"modes (share)", false, true},
};

static void modes_text(const struct accp_cycles *cycles, char *text, size_t bytes)
{
    text[0] = 0;
    for (size_t i = 0; i < cycles->mode_count && i < 4; ++i) {
        size_t used = strlen(text);
        snprintf(text + used, bytes - used, "%s%.0f (%.0f %%)", i ? " " : "",
                 cycles->modes[i].cycles, 100 * cycles->modes[i].weight);
    }
    if (cycles->mode_count > 4) strncat(text, " ...", bytes - strlen(text) - 1);
}

static enum accp_status add_row(struct accp_table *table, const struct accp_run_role *role,
                                struct accp_error *error)
{
    char modes[160];
    ACCP_TRY(accp_table_row(table, error));
    accp_table_cell(table, 0, "%s", role->role);
    accp_table_cell(table, 1, "%d", role->warps);
    accp_table_cell(table, 5, "%llu", (unsigned long long)role->cycles.n);
    if (role->cycles.n == 0) return ACCP_STATUS_OK;
    modes_text(&role->cycles, modes, sizeof modes);
    accp_table_cell(table, 2, "%.3f", role->cycles.mean);
    accp_table_cell(table, 3, "%.2f", role->cycles.min);
    accp_table_cell(table, 4, "%.2f", role->cycles.max);
    accp_table_cell(table, 6, "%.1f", role->progress);
    accp_table_cell(table, 7, "%s", modes);
    return ACCP_STATUS_OK;
}

static enum accp_status print_table(const struct accp_run *run, bool markdown,
                                    struct accp_error *error)
{
    struct accp_table *table;
    char text[640];
    snprintf(text, sizeof text, "%s%s on %s (%s, driver %s), %s %s, protocol %s, seed %llu",
             accp_source_text(run->source),
             run->source == ACCP_SOURCE_PREDICTED ? ", not measured," : "",
             run->device.name[0] ? run->device.name : "an unnamed GPU",
             run->device.arch[0] ? run->device.arch : "arch unknown",
             run->device.driver[0] ? run->device.driver : "unknown",
             run->compiler.name[0] ? run->compiler.name : "compiler",
             run->compiler.version[0] ? run->compiler.version : "unknown",
             run->protocol.name[0] ? run->protocol.name : "unknown",
             (unsigned long long)run->protocol.seed);
    accp_text_put(stdout, text, markdown);
    printf("\n%s", markdown ? "\n" : "");
    ACCP_TRY(accp_table_create(columns, sizeof columns / sizeof *columns, &table, error));
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 0; i < run->role_count && status == ACCP_STATUS_OK; ++i)
        status = add_row(table, &run->roles[i], error);
    if (status == ACCP_STATUS_OK) status = accp_table_print(table, stdout, markdown, error);
    accp_table_destroy(table);
    return status;
}

enum accp_status accp_run_print(const struct accp_run *run, enum accp_format format,
                                struct accp_error *error)
{
    if (format != ACCP_FORMAT_JSON) return print_table(run, format == ACCP_FORMAT_MARKDOWN, error);
    char *text;
    size_t bytes;
    ACCP_TRY(accp_run_format(run, &text, &bytes, error));
    fwrite(text, 1, bytes, stdout);
    free(text);
    return ACCP_STATUS_OK;
}
