#include "report/judgement.h"

#include "base/json.h"
#include "base/plural.h"
#include "golden/summary.h"
#include "report/causes.h"
#include "report/overview.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACCS_MAX = 16, ODD_FAMILIES_SHOWN = 4 };

/* The accumulator counts of a family at one number of warps: the columns of its table. */
struct columns {
    size_t count;
    int accs[ACCS_MAX];
    char names[ACCS_MAX][16];
    struct accp_column columns[ACCS_MAX + 1];
};

static void add_acc(struct columns *columns, int acc)
{
    size_t at = columns->count;
    for (size_t i = 0; i < columns->count; ++i)
        if (columns->accs[i] == acc) return;
    if (at == ACCS_MAX) return;
    while (at > 0 && columns->accs[at - 1] > acc) {
        columns->accs[at] = columns->accs[at - 1];
        --at;
    }
    columns->accs[at] = acc;
    ++columns->count;
}

static void columns_of(const struct accp_summary *summary, const struct accp_point *of,
                       struct columns *columns)
{
    memset(columns, 0, sizeof *columns);
    for (size_t i = 0; i < summary->point_count; ++i)
        if (summary->points[i].warps == of->warps &&
            strcmp(summary->points[i].family, of->family) == 0)
            add_acc(columns, summary->points[i].acc);
    columns->columns[0] = (struct accp_column){"series", false, false};
    for (size_t i = 0; i < columns->count; ++i) {
        snprintf(columns->names[i], sizeof columns->names[i], "acc%d", columns->accs[i]);
        columns->columns[i + 1] = (struct accp_column){columns->names[i], true, false};
    }
}

static enum accp_status add_series(struct accp_table *table, const struct accp_summary *summary,
                                   const struct columns *columns, const struct accp_point *first,
                                   struct accp_error *error)
{
    const struct accp_point *best = accp_summary_best(summary, first->series, first->warps);
    ACCP_TRY(accp_table_row(table, error));
    accp_table_cell(table, 0, "%s", first->series);
    for (size_t i = 0; i < columns->count; ++i) {
        const struct accp_point *point =
            accp_summary_in_series(summary, first->series, columns->accs[i], first->warps);
        if (!point || point->processes == 0) continue;
        accp_table_cell(table, i + 1, "%.*f%s", first->warps > 4 ? 2 : 1, point->mean,
                        point == best ? " *" : "  ");
    }
    return ACCP_STATUS_OK;
}

static enum accp_status print_family(const struct accp_report *report,
                                     const struct accp_summary *summary,
                                     const struct accp_point *of, FILE *stream, bool markdown,
                                     struct accp_error *error)
{
    struct columns columns;
    struct accp_table *table;
    const struct accp_point *point;
    columns_of(summary, of, &columns);
    ACCP_TRY(accp_table_create(columns.columns, columns.count + 1, &table, error));
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t at = 0;
         status == ACCP_STATUS_OK && (point = accp_summary_next_series(summary, &at));)
        if (point->warps == of->warps && strcmp(point->family, of->family) == 0)
            status = add_series(table, summary, &columns, point, error);
    if (status == ACCP_STATUS_OK) {
        fprintf(stream, "\n%s, %d warp%s: %scycles per iteration (* the best)\n%s", of->family,
                of->warps, ACCP_PLURAL(of->warps, "s"),
                report->runs[0].source == ACCP_SOURCE_PREDICTED ? "predicted " : "",
                markdown ? "\n" : "");
        status = accp_table_print(table, stream, markdown, error);
    }
    accp_table_destroy(table);
    return status;
}

/* Of a brief report, the tables of cycles are only of what did not pass, and only if that is little. */
static enum accp_status print_families(const struct accp_report *report,
                                       const struct accp_summary *summary, bool brief, FILE *stream,
                                       bool markdown, struct accp_error *error)
{
    const struct accp_point *point;
    size_t odd = 0;
    for (size_t at = 0; brief && (point = accp_summary_next_family(summary, &at));)
        odd += accp_overview_is_odd(report->judgement, point->family, point->warps);
    if (odd > ODD_FAMILIES_SHOWN) return ACCP_STATUS_OK;
    for (size_t at = 0; (point = accp_summary_next_family(summary, &at));)
        if (!brief || accp_overview_is_odd(report->judgement, point->family, point->warps))
            ACCP_TRY(print_family(report, summary, point, stream, markdown, error));
    return ACCP_STATUS_OK;
}

static void number_text(double number, char text[32])
{
    if (isnan(number))
        text[0] = 0;
    else
        snprintf(text, 32, "%.4g", number);
}

static void bounds_text(const struct accp_line *line, char text[80])
{
    char low[32], high[32];
    number_text(line->low, low);
    number_text(line->high, high);
    if (low[0] || high[0])
        snprintf(text, 80, "%s .. %s", low, high);
    else
        text[0] = 0;
}

static const struct accp_column line_columns[] = {
    {"verdict", false, false}, {"claim", false, false}, {"value", true, false},
    {"bounds", true, false},   {"n", true, false},      {"least visible", true, false},
    {"reason", false, false},  {"", false, true},
};

static enum accp_status add_line(struct accp_table *table, const struct accp_line *line,
                                 struct accp_error *error)
{
    char value[32], bounds[80];
    ACCP_TRY(accp_table_row(table, error));
    number_text(line->value, value);
    bounds_text(line, bounds);
    accp_table_cell(table, 0, "%s", accp_verdict_name(line->verdict));
    accp_table_cell(table, 1, "%s", line->claim);
    accp_table_cell(table, 2, "%s", value);
    accp_table_cell(table, 3, "%s", bounds);
    accp_table_cell(table, 4, "%zu", line->processes);
    if (!isnan(line->least_visible))
        accp_table_cell(table, 5, "%.2f %%", 100 * line->least_visible);
    accp_table_cell(table, 6, "%s", accp_reason_name(line->reason));
    accp_table_cell(table, 7, "%s", line->text);
    return ACCP_STATUS_OK;
}

bool accp_report_is_prominent(const struct accp_line *line)
{
    if (line->verdict != ACCP_VERDICT_PASS && line->verdict != ACCP_VERDICT_NO_GOLDEN) return true;
    return strstr(line->claim, ".order@") || strstr(line->claim, ".peak@") ||
           strstr(line->claim, "gap_growth@") || strncmp(line->claim, "document.", 9) == 0;
}

/* What stands in the table of lines: of a brief report only what asks for something, and the document's statements. */
static bool is_shown(const struct accp_report *report, const struct accp_line *line, bool brief)
{
    if (report->all) return true;
    if (!brief) return accp_report_is_prominent(line);
    return line->verdict > ACCP_VERDICT_NO_GOLDEN || strncmp(line->claim, "document.", 9) == 0;
}

/* The heaviest verdicts first; within one, as they were judged. */
static enum accp_status print_lines(const struct accp_report *report, bool brief, FILE *stream,
                                    bool markdown, struct accp_error *error)
{
    const struct accp_judgement *judgement = report->judgement;
    struct accp_table *table;
    size_t shown = 0;
    ACCP_TRY(
        accp_table_create(line_columns, sizeof line_columns / sizeof *line_columns, &table, error));
    enum accp_status status = ACCP_STATUS_OK;
    for (int verdict = ACCP_VERDICT_COUNT - 1; verdict >= 0; --verdict)
        for (size_t i = 0; i < judgement->line_count && status == ACCP_STATUS_OK; ++i) {
            const struct accp_line *line = &judgement->lines[i];
            if ((int)line->verdict != verdict || !is_shown(report, line, brief)) continue;
            if (brief && accp_causes_is_common(judgement, line)) continue;
            status = add_line(table, line, error);
            ++shown;
        }
    if (status == ACCP_STATUS_OK && shown > 0) {
        fputc('\n', stream);
        status = accp_table_print(table, stream, markdown, error);
    }
    accp_table_destroy(table);
    return status;
}

static void print_source(const struct accp_run *run, FILE *stream, bool markdown)
{
    const struct accp_arch *arch = accp_arch_find(run->device.arch);
    const char *name = run->device.arch[0] ? run->device.arch : "arch not named";
    char text[640], multiprocessors[32] = "";
    int used = 0;
    if (run->device.sm_count > 0)
        snprintf(multiprocessors, sizeof multiprocessors, "%lld SMs, ",
                 (long long)run->device.sm_count);
    if (run->source == ACCP_SOURCE_PREDICTED)
        used = snprintf(text, sizeof text, "%s, model %s on hardware", name,
                        arch && arch->validated ? "calibrated" : "not validated");
    else
        used = snprintf(text, sizeof text, "%s (%s, %sdriver %s)",
                        run->device.name[0] ? run->device.name : "GPU not named", name,
                        multiprocessors, run->device.driver[0] ? run->device.driver : "not named");
    if (used >= 0 && (size_t)used < sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, ", %s %s, protocol %s",
                 run->compiler.name[0] ? run->compiler.name : "compiler",
                 run->compiler.version[0] ? run->compiler.version : "not named",
                 run->protocol.name);
    fprintf(stream, "%s: ", accp_source_text(run->source));
    accp_text_put(stream, text, markdown);
    fputs(", ", stream);
}

static void print_head(const struct accp_report *report, FILE *stream, bool markdown)
{
    const struct accp_run *run = &report->runs[0];
    const bool predicted = run->source == ACCP_SOURCE_PREDICTED;
    char runs[ACCP_REPORT_RUNS_BYTES];
    if (report->note)
        fprintf(stream, "%s%s%s\n", markdown ? "\n" : "", report->note, markdown ? "\n" : "");
    else if (markdown)
        fputc('\n', stream);
    print_source(run, stream, markdown);
    accp_report_runs(report, runs);
    fprintf(stream, "%s\n", runs);
    if (!report->found) return;
    const bool of_arch = predicted && report->found->answer == ACCP_ANSWER_SKU;
    fprintf(stream, "%sgolden: %s%s%s\n", markdown ? "\n" : "",
            of_arch ? "the prediction on record for this arch"
                    : accp_answer_text(report->found->answer),
            report->found->name[0] ? ": " : "", report->found->name);
}

const char *accp_report_verdict_text(const struct accp_report *report)
{
    const enum accp_verdict verdict = report->judgement->verdict;
    return report->runs[0].source == ACCP_SOURCE_PREDICTED && verdict == ACCP_VERDICT_ENVIRONMENT
               ? "not everything could be predicted"
               : accp_verdict_text(verdict);
}

void accp_report_runs(const struct accp_report *report, char text[ACCP_REPORT_RUNS_BYTES])
{
    const bool predicted = report->runs[0].source == ACCP_SOURCE_PREDICTED;
    snprintf(text, ACCP_REPORT_RUNS_BYTES, "%zu %s%s", report->run_count,
             predicted ? "prediction" : "process",
             ACCP_PLURAL(report->run_count, predicted ? "s" : "es"));
}

void accp_report_counts(FILE *stream, const struct accp_judgement *judgement)
{
    size_t counts[ACCP_VERDICT_COUNT] = {0};
    const char *before = "";
    for (size_t i = 0; i < judgement->line_count; ++i)
        ++counts[judgement->lines[i].verdict];
    for (int i = ACCP_VERDICT_COUNT - 1; i >= 0; --i) {
        if (counts[i] == 0) continue;
        fprintf(stream, "%s%zu %s", before, counts[i], accp_verdict_name((enum accp_verdict)i));
        before = ", ";
    }
}

const struct accp_line *accp_report_first_to_repeat(const struct accp_judgement *judgement)
{
    if (judgement->verdict == ACCP_VERDICT_PASS || judgement->verdict == ACCP_VERDICT_NO_GOLDEN)
        return NULL;
    for (size_t i = 0; i < judgement->line_count; ++i)
        if (judgement->lines[i].verdict == judgement->verdict) return &judgement->lines[i];
    return NULL;
}

/* Levels that a prediction says nothing of. */
static void print_untimed(const struct accp_judgement *judgement, FILE *stream)
{
    size_t on_record = 0, untimed = 0;
    for (size_t i = 0; i < judgement->line_count; ++i) {
        if (!strstr(judgement->lines[i].claim, ".level@")) continue;
        on_record += judgement->lines[i].reason == ACCP_REASON_NOT_TIMED_ON_RECORD;
        untimed += judgement->lines[i].reason == ACCP_REASON_NOT_TIMED;
    }
    if (untimed > 0) fprintf(stream, ", %zu that the model does not time", untimed);
    if (on_record > 0) fprintf(stream, ", %zu not timed on record either", on_record);
}

static void print_verdict(const struct accp_report *report, FILE *stream, bool markdown)
{
    const struct accp_judgement *judgement = report->judgement;
    fprintf(stream, "%sverdict: %s%s, %s (", markdown ? "**" : "",
            accp_verdict_name(judgement->verdict), markdown ? "**" : "",
            accp_report_verdict_text(report));
    accp_report_counts(stream, judgement);
    fprintf(stream, "; %zu %srole levels", judgement->roles_judged,
            report->runs[0].source == ACCP_SOURCE_PREDICTED ? "predicted " : "");
    print_untimed(judgement, stream);
    fprintf(stream, "), exit status %d\n", accp_verdict_exit(judgement->verdict));
    if (judgement->trouble != ACCP_TROUBLE_NONE) {
        fprintf(stream, "%ssurroundings: %s: ", markdown ? "\n" : "",
                accp_trouble_text(judgement->trouble));
        accp_text_put(stream, judgement->trouble_text, markdown);
        fputc('\n', stream);
    }
    const struct accp_line *line = accp_report_first_to_repeat(judgement);
    if (!line) return;
    fputs(markdown ? "\nrepeat: " : "repeat: ", stream);
    accp_text_put(stream, line->repeat, markdown);
    fputc('\n', stream);
}

/* Whether a line for each family is enough: the roles are of several probes, and nobody asked for all. */
static bool is_brief(const struct accp_report *report, const struct accp_summary *summary)
{
    int first = -1;
    for (size_t i = 0; i < summary->point_count && !report->all; ++i) {
        const struct accp_role *role = accp_role_find(summary->points[i].role);
        if (!role) continue;
        if (first >= 0 && (int)role->probe != first) return true;
        first = (int)role->probe;
    }
    return false;
}

static enum accp_status print_parts(const struct accp_report *report,
                                    const struct accp_summary *summary, FILE *stream, bool markdown,
                                    struct accp_error *error)
{
    const bool brief = !markdown && is_brief(report, summary);
    if (brief) {
        fputs("\nthe best split of each chain, in cycles per iteration, and the claims at that "
              "load\n",
              stream);
        ACCP_TRY(accp_overview_print(report->judgement, summary, stream, error));
    }
    ACCP_TRY(print_families(report, summary, brief, stream, markdown, error));
    if (brief) ACCP_TRY(accp_causes_print(report->judgement, stream, error));
    ACCP_TRY(print_lines(report, brief, stream, markdown, error));
    if (brief) fputs("\n--all prints the cycles and claims of every role\n", stream);
    return ACCP_STATUS_OK;
}

enum accp_status accp_report_text(const struct accp_report *report, FILE *stream, bool markdown,
                                  struct accp_error *error)
{
    struct accp_summary summary;
    ACCP_TRY(accp_summary_init(&summary, report->runs, report->run_count, error));
    print_verdict(report, stream, markdown);
    print_head(report, stream, markdown);
    enum accp_status status = print_parts(report, &summary, stream, markdown, error);
    accp_summary_fini(&summary);
    return status;
}

static void set_number(json_t *object, const char *key, double number)
{
    if (!isnan(number)) json_object_set_new(object, key, json_real(number));
}

static json_t *line_json(const struct accp_line *line)
{
    json_t *object = json_object();
    json_object_set_new(object, "claim", json_string(line->claim));
    json_object_set_new(object, "role", json_string(line->role));
    if (line->warps > 0) json_object_set_new(object, "warps", json_integer(line->warps));
    json_object_set_new(object, "verdict", json_string(accp_verdict_name(line->verdict)));
    json_object_set_new(object, "reason", json_string(accp_reason_name(line->reason)));
    json_object_set_new(object, "answer", json_string(accp_answer_text(line->answer)));
    if (line->golden[0]) json_object_set_new(object, "golden", json_string(line->golden));
    if (line->unit) json_object_set_new(object, "unit", json_string(line->unit));
    set_number(object, "value", line->value);
    set_number(object, "low", line->low);
    set_number(object, "high", line->high);
    set_number(object, "change", line->change);
    set_number(object, "change_low", line->change_low);
    set_number(object, "change_high", line->change_high);
    set_number(object, "least_visible", line->least_visible);
    json_object_set_new(object, "processes", json_integer((json_int_t)line->processes));
    json_object_set_new(object, "samples", json_integer((json_int_t)line->samples));
    json_object_set_new(object, "text", json_string(line->text));
    json_object_set_new(object, "repeat", json_string(line->repeat));
    return object;
}

enum accp_status accp_report_json(const struct accp_report *report, FILE *stream,
                                  struct accp_error *error)
{
    const struct accp_judgement *judgement = report->judgement;
    bool failed = false;
    fprintf(stream,
            "{\"format\": \"accprobe-verdict/1\", \"verdict\": \"%s\", \"exit_status\": %d, "
            "\"source\": "
            "\"%s\", \"roles_judged\": %zu,\n \"lines\": [",
            accp_verdict_name(judgement->verdict), accp_verdict_exit(judgement->verdict),
            accp_source_text(report->runs[0].source), judgement->roles_judged);
    for (size_t i = 0; i < judgement->line_count; ++i) {
        json_t *line = line_json(&judgement->lines[i]);
        fputs(i ? ",\n  " : "\n  ", stream);
        failed |= !line || json_dumpf(line, stream, JSON_REAL_PRECISION(7)) != 0;
        json_decref(line);
    }
    fputs("]}\n", stream);
    return accp_json_written(stream, failed, "the verdict", error);
}
