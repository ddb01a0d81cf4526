#include "cli/policy_print.h"

#include "report/table.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int compared[] = {1, 2, 4};
enum { COMPARED = sizeof compared / sizeof *compared };

static void print_source(const struct accp_policy *policy, FILE *stream, bool markdown)
{
    char text[640], multiprocessors[32] = "";
    if (policy->device.sm_count > 0)
        snprintf(multiprocessors, sizeof multiprocessors, "%lld SMs, ",
                 (long long)policy->device.sm_count);
    snprintf(text, sizeof text, "%s%s: %s (%s, %sdriver %s), %s %s, %zu run%s",
             accp_source_text(policy->source),
             policy->source == ACCP_SOURCE_PREDICTED ? ", not measured" : "",
             policy->device.name[0] ? policy->device.name : "an unnamed GPU",
             policy->device.arch[0] ? policy->device.arch : "arch unknown", multiprocessors,
             policy->device.driver[0] ? policy->device.driver : "unknown",
             policy->compiler.name[0] ? policy->compiler.name : "compiler",
             policy->compiler.version[0] ? policy->compiler.version : "unknown", policy->run_count,
             policy->run_count == 1 ? "; of one run the noise is not known: 0.1 % is assumed"
                                    : "s");
    accp_text_put(stream, text, markdown);
    fputc('\n', stream);
}

static bool is_nothing(double margin)
{
    return fabs(margin) < 0.0005; /* what would round to 0.0 % */
}

/* "+3.1 %", "-" for the split itself, "?" where that acc has no time. */
static void margin_text(const struct accp_policy_answer *answer, int acc, char *text, size_t bytes)
{
    const double margin = accp_policy_margin(answer, acc);
    if (acc == answer->split)
        snprintf(text, bytes, "-");
    else if (isnan(margin))
        snprintf(text, bytes, "?");
    else
        snprintf(text, bytes, "%s%.1f %%",
                 is_nothing(margin) ? ""
                 : margin < 0       ? "-"
                                    : "+",
                 100 * fabs(margin));
}

static enum accp_status ask(const struct accp_policy *policy,
                            const struct accp_policy_request *request, size_t chain, size_t load,
                            struct accp_policy_answer *answer, struct accp_error *error)
{
    struct accp_policy_conditions conditions = request->conditions;
    conditions.chain = request->chains[chain];
    conditions.load = request->loads[load];
    return accp_policy_ask(policy, &conditions, answer, error);
}

void accp_policy_answer_cells(struct accp_table *table, const struct accp_policy_answer *answer)
{
    char margin[32];
    accp_table_cell(table, 2, "%d", answer->split);
    for (size_t k = 0; k < COMPARED; ++k) {
        margin_text(answer, compared[k], margin, sizeof margin);
        accp_table_cell(table, 3 + k, "%s", margin);
    }
    accp_table_cell(table, 6, "%s", accp_policy_rule_id(answer->rule));
    accp_table_cell(table, 7, "%s", answer->words);
}

static enum accp_status print_cells(const struct accp_policy *policy,
                                    const struct accp_policy_request *request, bool markdown,
                                    FILE *stream, struct accp_error *error)
{
    static const struct accp_column columns[] = {
        {"chain", true, false},  {"warps per scheduler", true, false},
        {"split", true, false},  {"over 1", true, false},
        {"over 2", true, false}, {"over 4", true, false},
        {"rule", false, false},  {"in words", false, true},
    };
    struct accp_table *table;
    ACCP_TRY(accp_table_create(columns, sizeof columns / sizeof *columns, &table, error));
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 0; i < request->chain_count * request->load_count; ++i) {
        const size_t chain = i / request->load_count, load = i % request->load_count;
        struct accp_policy_answer answer;
        status = ask(policy, request, chain, load, &answer, error);
        if (status == ACCP_STATUS_OK) status = accp_table_row(table, error);
        if (status != ACCP_STATUS_OK) break;
        accp_table_cell(table, 0, "%d", request->chains[chain]);
        accp_table_cell(table, 1, "%d", request->loads[load]);
        accp_policy_answer_cells(table, &answer);
    }
    if (status == ACCP_STATUS_OK) status = accp_table_print(table, stream, markdown, error);
    accp_table_destroy(table);
    return status;
}

enum accp_status accp_policy_print_answer(const struct accp_policy_answer *answer, int load,
                                          bool markdown, FILE *stream, struct accp_error *error)
{
    static const struct accp_column columns[] = {
        {"accumulators", true, false},
        {"cycles of a scheduler", true, false},
        {"over the split", true, false},
        {"", false, false},
    };
    struct accp_table *table;
    fprintf(stream, "split: %d\nwhy: %s\n%s", answer->split, answer->words, markdown ? "\n" : "");
    ACCP_TRY(accp_table_create(columns, sizeof columns / sizeof *columns, &table, error));
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 0; i < answer->choice_count && status == ACCP_STATUS_OK; ++i) {
        const struct accp_policy_choice *choice = &answer->choices[i];
        char margin[32];
        if (isnan(choice->time)) continue;
        status = accp_table_row(table, error);
        if (status != ACCP_STATUS_OK) break;
        margin_text(answer, choice->acc, margin, sizeof margin);
        accp_table_cell(table, 0, "%d", choice->acc);
        accp_table_cell(table, 1, "%.2f", choice->time);
        accp_table_cell(table, 2, "%s", margin);
        accp_table_cell(table, 3, "%s",
                        !choice->is_open      ? "registers do not allow it"
                        : choice->load < load ? "costs resident warps"
                        : answer->is_tied[i] && choice->acc != answer->split ? "no difference"
                                                                             : "");
    }
    if (status == ACCP_STATUS_OK) status = accp_table_print(table, stream, markdown, error);
    accp_table_destroy(table);
    return status;
}

/* One answer: what every number of accumulators takes. */
static enum accp_status print_choices(const struct accp_policy *policy,
                                      const struct accp_policy_request *request, bool markdown,
                                      FILE *stream, struct accp_error *error)
{
    struct accp_policy_answer answer;
    ACCP_TRY(ask(policy, request, 0, 0, &answer, error));
    return accp_policy_print_answer(&answer, request->loads[0], markdown, stream, error);
}

/* What is not known is left out of JSON: no null, no -1, no empty text stands for it. */
static void put_text(json_t *object, const char *name, const char *text)
{
    if (text[0]) json_object_set_new(object, name, json_string(text));
}

static json_t *head_json(const struct accp_policy *policy, const char *given)
{
    json_t *device = json_object(), *compiler = json_object();
    put_text(device, "name", policy->device.name);
    put_text(device, "arch", policy->device.arch);
    if (policy->device.sm_count > 0)
        json_object_set_new(device, "sm_count", json_integer((json_int_t)policy->device.sm_count));
    put_text(device, "pci_device", policy->device.pci_device);
    put_text(device, "driver", policy->device.driver);
    put_text(compiler, "name", policy->compiler.name);
    put_text(compiler, "version", policy->compiler.version);
    return json_pack("{s:s, s:s, s:o, s:o, s:I, s:s}", "format", "accprobe-policy/1", "source",
                     accp_source_text(policy->source), "device", device, "compiler", compiler,
                     "runs", (json_int_t)policy->run_count, "conditions", given);
}

json_t *accp_policy_answer_json(const struct accp_policy_answer *answer, json_t *cell)
{
    json_t *over = json_object(), *ties = json_array();
    for (size_t k = 0; k < COMPARED; ++k) {
        char key[16];
        snprintf(key, sizeof key, "%d", compared[k]);
        const double margin = accp_policy_margin(answer, compared[k]);
        if (!isnan(margin)) json_object_set_new(over, key, json_real(margin));
    }
    for (size_t i = 0; i < answer->choice_count; ++i)
        if (answer->is_tied[i]) json_array_append_new(ties, json_integer(answer->choices[i].acc));
    json_t *rest =
        json_pack("{s:i, s:o, s:o, s:s, s:s}", "split", answer->split, "ties", ties, "over", over,
                  "rule", accp_policy_rule_id(answer->rule), "words", answer->words);
    if (!cell || !rest || json_object_update_new(cell, rest) != 0) {
        json_decref(cell);
        return NULL;
    }
    return cell;
}

/* A line a cell, so that two policies can be told apart line by line. */
static enum accp_status print_json(const struct accp_policy *policy,
                                   const struct accp_policy_request *request, FILE *stream,
                                   struct accp_error *error)
{
    char given[ACCP_POLICY_TEXT_BYTES];
    accp_policy_conditions_text(&request->conditions, given, sizeof given);
    json_t *head = head_json(policy, given);
    if (request->fits > 0)
        json_object_set_new(head, "warps_per_scheduler_most", json_integer(request->fits));
    char *text = head ? json_dumps(head, JSON_PRESERVE_ORDER) : NULL;
    json_decref(head);
    if (!text) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the answer");
    fprintf(stream, "%.*s,\n \"cells\": [\n", (int)strlen(text) - 1, text);
    free(text);
    const size_t count = request->chain_count * request->load_count;
    for (size_t i = 0; i < count; ++i) {
        struct accp_policy_answer answer;
        const size_t chain = i / request->load_count, load = i % request->load_count;
        ACCP_TRY(ask(policy, request, chain, load, &answer, error));
        json_t *cell = accp_policy_answer_json(
            &answer, json_pack("{s:i, s:i}", "chain", request->chains[chain], "warps_per_scheduler",
                               request->loads[load]));
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

enum accp_status accp_policy_print(const struct accp_policy *policy,
                                   const struct accp_policy_request *request,
                                   enum accp_format format, FILE *stream, struct accp_error *error)
{
    char given[ACCP_POLICY_TEXT_BYTES];
    const bool markdown = format == ACCP_FORMAT_MARKDOWN;
    /* Nothing is printed of a request that cannot be answered whole. */
    for (size_t i = 0; i < request->chain_count * request->load_count; ++i) {
        struct accp_policy_answer answer;
        ACCP_TRY(
            ask(policy, request, i / request->load_count, i % request->load_count, &answer, error));
    }
    if (format == ACCP_FORMAT_JSON) return print_json(policy, request, stream, error);
    accp_policy_conditions_text(&request->conditions, given, sizeof given);
    print_source(policy, stream, markdown);
    fprintf(stream, "given: %s\n", given);
    if (request->fits > 0)
        fprintf(stream,
                "loads above %d are left out: with %d registers a thread no more warps of a "
                "scheduler fit\n",
                request->fits, request->conditions.registers_used);
    if (markdown) fputc('\n', stream);
    if (request->chain_count == 1 && request->load_count == 1)
        return print_choices(policy, request, markdown, stream, error);
    return print_cells(policy, request, markdown, stream, error);
}

static void print_verdict(const struct accp_policy_verdict *verdict, const char *what, FILE *stream)
{
    if (verdict->cells == 0) return;
    const struct {
        const char *rule;
        double mean, worst;
    } rows[] = {{"the policy", verdict->mean_split, verdict->worst_split},
                {"always 1", verdict->mean_one, verdict->worst_one},
                {"always 2", verdict->mean_two, verdict->worst_two},
                {"always 4", verdict->mean_four, verdict->worst_four}};
    fprintf(stream, "\n%zu %s: the policy is within 1 %% of the best in %zu (%.1f %%)\n",
            verdict->cells, what, verdict->within_one_percent,
            100 * (double)verdict->within_one_percent / (double)verdict->cells);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        fprintf(stream, "%-10s  mean regret %5.2f %%, worst %6.2f %%\n", rows[i].rule,
                100 * rows[i].mean, 100 * rows[i].worst);
}

static enum accp_status print_regrets(const struct accp_policy_regret *regrets, size_t count,
                                      enum accp_format format, FILE *stream,
                                      struct accp_error *error)
{
    static const struct accp_column columns[] = {
        {"cell", false, false},     {"warps per scheduler", true, false},
        {"rule", false, false},     {"split", true, false},
        {"best", true, false},      {"cycles", true, false},
        {"regret", true, false},    {"always 1", true, false},
        {"always 2", true, false},  {"always 4", true, false},
        {"processes", true, false}, {"standard error", true, false},
    };
    const size_t of_processes = count > 0 && regrets->processes > 0 ? 0 : 2;
    struct accp_table *table;
    ACCP_TRY(
        accp_table_create(columns, sizeof columns / sizeof *columns - of_processes, &table, error));
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 0; i < count && status == ACCP_STATUS_OK; ++i) {
        const struct accp_policy_regret *row = &regrets[i];
        const double shown[] = {row->of_split, row->of_one, row->of_two, row->of_four};
        status = accp_table_row(table, error);
        if (status != ACCP_STATUS_OK) break;
        accp_table_cell(table, 0, "%s", row->cell);
        accp_table_cell(table, 1, "%d", row->load);
        accp_table_cell(table, 2, "%s", accp_policy_rule_id(row->rule));
        accp_table_cell(table, 3, "%d", row->split);
        accp_table_cell(table, 4, "%d", row->best);
        accp_table_cell(table, 5, "%.6g", row->least_cycles);
        for (size_t k = 0; k < sizeof shown / sizeof *shown; ++k)
            accp_table_cell(table, 6 + k, "%.2f %%", 100 * shown[k]);
        if (of_processes > 0) continue;
        accp_table_cell(table, 10, "%d", row->processes);
        if (row->processes > 1) accp_table_cell(table, 11, "%.2f %%", 100 * row->error);
    }
    if (status == ACCP_STATUS_OK && format == ACCP_FORMAT_JSON)
        status = accp_table_print_json(table, "accprobe-policy-judgement/1", stream, error);
    else if (status == ACCP_STATUS_OK)
        status = accp_table_print(table, stream, format == ACCP_FORMAT_MARKDOWN, error);
    accp_table_destroy(table);
    return status;
}

enum accp_status accp_policy_judgement_print(const struct accp_policy *policy, const char *file,
                                             const struct accp_policy_regret *regrets, size_t count,
                                             enum accp_format format, FILE *stream,
                                             struct accp_error *error)
{
    const bool markdown = format == ACCP_FORMAT_MARKDOWN;
    if (format == ACCP_FORMAT_JSON) return print_regrets(regrets, count, format, stream, error);
    if (policy) print_source(policy, stream, markdown);
    fputs("judged by: ", stream);
    accp_text_put(stream, file, markdown);
    fputs(markdown ? "\n\n" : "\n", stream);
    ACCP_TRY(print_regrets(regrets, count, format, stream, error));
    const struct accp_policy_verdict chains = accp_policy_verdict_of(regrets, count, false),
                                     operators = accp_policy_verdict_of(regrets, count, true);
    print_verdict(&chains, "chains at a load", stream);
    print_verdict(&operators, "operators at a size", stream);
    return ACCP_STATUS_OK;
}
