#include "cli/policy_kernels.h"

#include "base/plural.h"
#include "cli/pattern.h"
#include "cli/policy_bandwidth.h"
#include "cli/policy_judging.h"
#include "cli/policy_print.h"
#include "cli/shaping.h"
#include "policy/judge.h"
#include "policy/kernels.h"
#include "report/table.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { LOADS_MOST = 8 }; /* of a group: powers of two, and the highest that fits */

/* A group at a load. */
struct cell {
    const struct accp_policy_kernels *group;
    int load;
};

/* What is asked: each group at each load. */
struct request {
    const struct accp_options *options;
    const struct accp_opened *opened;
    const struct accp_policy_kernels *groups;
    size_t group_count, cell_count;
    struct cell *cells; /* owned */
    struct accp_policy_conditions conditions;
};

static bool wants(const void *context, const char *symbol)
{
    return accp_pattern_matches(context, symbol);
}

/* That there are none to compare would be said of a cubin that may hold plenty. */
static enum accp_status check_filter(const struct accp_options *options,
                                     const struct accp_pattern *filter,
                                     const struct accp_cubin *cubin, struct accp_error *error)
{
    for (size_t i = 0; i < cubin->kernel_count; ++i)
        if (accp_pattern_matches(filter, cubin->kernels[i].name)) return ACCP_STATUS_OK;
    if (cubin->kernel_count == 0) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_USAGE, options->cubin, -1,
                     "--filter %.80s: matches none of its %zu kernel%s, such as %.80s",
                     options->filter, cubin->kernel_count, ACCP_PLURAL(cubin->kernel_count, "s"),
                     cubin->kernels[0].name);
}

/* Recorded runs serve for the bandwidth of bytes alone. */
static enum accp_status check_options(const struct accp_options *options,
                                      const struct accp_policy_conditions *conditions,
                                      struct accp_error *error)
{
    const char *given = options->operand_count > 0                    ? "RUN.json"
                        : options->chain >= 0                         ? "--chain"
                        : options->gpu                                ? "--gpu"
                        : options->golden && !(conditions->bytes > 0) ? "--golden"
                        : options->header                             ? "--header"
                                                                      : NULL;
    if (options->against && options->warps >= 0)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--against: judges every load of its run: leave --warps out");
    if (!given) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                     "%s: with --cubin the answer comes from the kernels' own SASS: leave it out",
                     given);
}

static enum accp_status ask(const struct request *request, size_t cell,
                            struct accp_policy_answer *answer, struct accp_error *error)
{
    struct accp_policy_conditions conditions = request->conditions;
    conditions.load = request->cells[cell].load;
    return accp_policy_kernels_ask(request->cells[cell].group, &conditions, answer, error);
}

static void print_head(const struct request *request, bool markdown, FILE *stream)
{
    const struct accp_cubin *cubin = &request->opened->cubin;
    char given[ACCP_POLICY_TEXT_BYTES], text[PATH_MAX + 256];
    accp_policy_conditions_text(&request->conditions, given, sizeof given);
    snprintf(text, sizeof text, "from the SASS of %s (%s, %s %s), not measured",
             request->options->cubin, cubin->arch_name,
             cubin->compiler_name[0] ? cubin->compiler_name : "compiler",
             cubin->compiler_version[0] ? cubin->compiler_version : "unknown");
    accp_text_put(stream, text, markdown);
    fprintf(stream, "\ngiven: %s\n%s", given, markdown ? "\n" : "");
}

static enum accp_status print_rows(const struct request *request, bool markdown, FILE *stream,
                                   struct accp_error *error)
{
    static const struct accp_column columns[] = {
        {"kernels", false, false}, {"warps per scheduler", true, false},
        {"split", true, false},    {"over 1", true, false},
        {"over 2", true, false},   {"over 4", true, false},
        {"rule", false, false},    {"in words", false, true},
    };
    struct accp_table *table;
    ACCP_TRY(accp_table_create(columns, sizeof columns / sizeof *columns, &table, error));
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 0; i < request->cell_count; ++i) {
        struct accp_policy_answer answer;
        status = ask(request, i, &answer, error);
        if (status == ACCP_STATUS_OK) status = accp_table_row(table, error);
        if (status != ACCP_STATUS_OK) break;
        accp_table_cell(table, 0, "%s", request->cells[i].group->name);
        accp_table_cell(table, 1, "%d", request->cells[i].load);
        accp_policy_answer_cells(table, &answer);
    }
    if (status == ACCP_STATUS_OK) status = accp_table_print(table, stream, markdown, error);
    accp_table_destroy(table);
    return status;
}

static enum accp_status print_json(const struct request *request, FILE *stream,
                                   struct accp_error *error)
{
    const struct accp_cubin *cubin = &request->opened->cubin;
    const size_t count = request->cell_count;
    char given[ACCP_POLICY_TEXT_BYTES];
    accp_policy_conditions_text(&request->conditions, given, sizeof given);
    json_t *compiler = json_object(), *head;
    if (cubin->compiler_name[0])
        json_object_set_new(compiler, "name", json_string(cubin->compiler_name));
    if (cubin->compiler_version[0])
        json_object_set_new(compiler, "version", json_string(cubin->compiler_version));
    head = json_pack("{s:s, s:s, s:o, s:s}", "format", "accprobe-policy-kernels/1", "arch",
                     cubin->arch_name, "compiler", compiler, "conditions", given);
    char *text = head ? json_dumps(head, JSON_PRESERVE_ORDER) : NULL;
    json_decref(head);
    if (!text) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the answer");
    fprintf(stream, "%.*s,\n \"cells\": [\n", (int)strlen(text) - 1, text);
    free(text);
    for (size_t i = 0; i < count; ++i) {
        struct accp_policy_answer answer;
        ACCP_TRY(ask(request, i, &answer, error));
        json_t *cell = accp_policy_answer_json(
            &answer, json_pack("{s:s, s:i}", "kernels", request->cells[i].group->name,
                               "warps_per_scheduler", request->cells[i].load));
        text = cell ? json_dumps(cell, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6)) : NULL;
        json_decref(cell);
        if (!text)
            return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the answer");
        fprintf(stream, "  %s%s\n", text, i + 1 < count ? "," : "");
        free(text);
    }
    fputs("]}\n", stream);
    return ACCP_STATUS_OK;
}

static enum accp_status print(const struct request *request, FILE *stream, struct accp_error *error)
{
    const enum accp_format format = request->options->shape;
    const bool markdown = format == ACCP_FORMAT_MARKDOWN;
    struct accp_policy_answer answer;
    /* Nothing is printed of a request that cannot be answered whole. */
    for (size_t i = 0; i < request->cell_count; ++i)
        ACCP_TRY(ask(request, i, &answer, error));
    if (format == ACCP_FORMAT_JSON) return print_json(request, stream, error);
    print_head(request, markdown, stream);
    if (request->cell_count > 1) return print_rows(request, markdown, stream, error);
    return accp_policy_print_answer(&answer, request->cells[0].load, markdown, stream, error);
}

/* Times of other SASS would judge nothing; another arch is the judgement's own error. */
static enum accp_status check_compiler(const struct request *request, const struct accp_run *run,
                                       struct accp_error *error)
{
    const char *now = request->opened->cubin.compiler_version, *then = run->compiler.version;
    if (!now[0] || !then[0] || strcmp(now, then) == 0) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, request->options->against, -1,
                     "it is of a cubin by compiler %s, and %s is by %s: give the cubin that was "
                     "measured",
                     then, request->options->cubin, now);
}

static enum accp_status judge(const struct request *request, FILE *stream, struct accp_error *error)
{
    const struct accp_options *options = request->options;
    const struct accp_policy_source source = {
        .groups = request->groups,
        .group_count = request->group_count,
        .waits = request->conditions.waits,
        .bandwidth = request->conditions.bandwidth,
    };
    struct accp_policy_judging judging;
    struct accp_policy_regret *regrets;
    size_t count;
    ACCP_TRY(accp_policy_judging_read(options->against, &judging, error));
    enum accp_status status = check_compiler(request, accp_policy_judging_run(&judging), error);
    if (status == ACCP_STATUS_OK)
        status = accp_policy_judging_regrets(&judging, &source, options->against, &regrets, &count,
                                             error);
    accp_policy_judging_fini(&judging);
    if (status != ACCP_STATUS_OK) return status;
    if (options->shape != ACCP_FORMAT_JSON)
        print_head(request, options->shape == ACCP_FORMAT_MARKDOWN, stream);
    status = accp_policy_judgement_print(NULL, options->against, regrets, count, options->shape,
                                         stream, error);
    free(regrets);
    return status;
}

/* --warps; or 1, 2, 4 and so on, as far as warps stay resident, and then as many as do. */
static enum accp_status set_cells(struct request *request, struct accp_error *error)
{
    const int wanted = (int)request->options->warps;
    request->cells = calloc(LOADS_MOST * (request->group_count + 1), sizeof *request->cells);
    if (!request->cells)
        return accp_fail(error, ACCP_STATUS_MEMORY, request->options->cubin, -1,
                         "no memory for the loads");
    for (size_t i = 0; i < request->group_count; ++i) {
        const struct accp_policy_kernels *group = &request->groups[i];
        const int fits = accp_policy_kernels_fit(group);
        if (wanted > fits && fits > 0)
            return accp_fail(error, ACCP_STATUS_INPUT, group->name, -1,
                             "%d warps of a scheduler do not fit: with its registers it holds %d; "
                             "ask for --warps %d, or leave these kernels out with --filter",
                             wanted, fits, fits);
        int load = wanted >= 0 ? wanted : 1;
        for (; wanted < 0 && load < fits; load *= 2)
            request->cells[request->cell_count++] = (struct cell){group, load};
        if (load > fits && fits > 0) load = fits;
        request->cells[request->cell_count++] = (struct cell){group, load};
    }
    return ACCP_STATUS_OK;
}

enum accp_status accp_policy_of_kernels(const struct accp_options *options,
                                        const struct accp_policy_conditions *conditions,
                                        FILE *stream, struct accp_error *error)
{
    struct accp_pattern filter;
    struct accp_opened opened = {0};
    struct accp_policy_kernels *groups = NULL;
    struct request request = {.options = options, .opened = &opened, .conditions = *conditions};
    ACCP_TRY(check_options(options, conditions, error));
    ACCP_TRY(accp_pattern_init(&filter, "filter", options->filter, error));
    enum accp_status status = accp_opened_file(options->cubin, &opened, error);
    if (status == ACCP_STATUS_OK) status = check_filter(options, &filter, &opened.cubin, error);
    if (status == ACCP_STATUS_OK)
        status = accp_policy_kernels_read(&opened.cubin, options->cubin, wants, &filter, &groups,
                                          &request.group_count, error);
    request.groups = groups;
    if (status == ACCP_STATUS_OK && !options->against)
        status =
            accp_policy_bandwidth(options, groups->arch->name, NULL, &request.conditions, error);
    if (status == ACCP_STATUS_OK && options->against) status = judge(&request, stream, error);
    if (status == ACCP_STATUS_OK && !options->against) status = set_cells(&request, error);
    if (status == ACCP_STATUS_OK && !options->against) status = print(&request, stream, error);
    free(request.cells);
    free(groups);
    accp_opened_close(&opened);
    accp_pattern_fini(&filter);
    return status;
}
