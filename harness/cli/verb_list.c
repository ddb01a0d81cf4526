#include "cli/select.h"
#include "cli/verbs.h"
#include "report/table.h"

#include <jansson.h>
#include <stdio.h>

static const struct accp_column columns[] = {
    {"role", false, false}, {"kernel", false, false},   {"chain", true, false},
    {"acc", true, false},   {"effective", true, false}, {"question", false, true},
};

static enum accp_status print_table(const struct accp_selection *selection, bool markdown,
                                    struct accp_error *error)
{
    struct accp_table *table;
    ACCP_TRY(accp_table_create(columns, sizeof columns / sizeof *columns, &table, error));
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 0; i < selection->count && status == ACCP_STATUS_OK; ++i) {
        const struct accp_role *role = selection->roles[i];
        status = accp_table_row(table, error);
        if (status != ACCP_STATUS_OK) break;
        accp_table_cell(table, 0, "%s", role->name);
        accp_table_cell(table, 1, "%s", role->kernel);
        accp_table_cell(table, 2, "%d", role->chain);
        accp_table_cell(table, 3, "%d", role->acc);
        accp_table_cell(table, 4, "%d", role->effective);
        bool first = i == 0 || selection->roles[i - 1]->probe != role->probe;
        if (first) accp_table_cell(table, 5, "%s", accp_probe_questions[role->probe]);
    }
    if (status == ACCP_STATUS_OK) status = accp_table_print(table, stdout, markdown, error);
    accp_table_destroy(table);
    return status;
}

static void print_json(const struct accp_selection *selection)
{
    puts("{\"format\": \"accprobe-list/1\", \"roles\": [");
    for (size_t i = 0; i < selection->count; ++i) {
        const struct accp_role *role = selection->roles[i];
        printf("  {\"role\": \"%s\", \"probe\": \"%s\", \"kernel\": \"%s\", \"chain\": %d, "
               "\"acc\": %d, "
               "\"effective\": %d}%s\n",
               role->name, accp_probe_names[role->probe], role->kernel, role->chain, role->acc,
               role->effective, i + 1 < selection->count ? "," : "]}");
    }
}

int accp_verb_list(const struct accp_options *options)
{
    struct accp_selection selection;
    struct accp_error error;
    enum accp_status status = accp_select(options, &selection, &error);
    if (status == ACCP_STATUS_OK && options->shape == ACCP_FORMAT_JSON)
        print_json(&selection);
    else if (status == ACCP_STATUS_OK)
        status = print_table(&selection, options->shape == ACCP_FORMAT_MARKDOWN, &error);
    return status == ACCP_STATUS_OK ? ACCP_EXIT_PASS : accp_exit_error(&error);
}
