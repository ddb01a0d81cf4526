#include "report/causes.h"

#include "report/table.h"

#include <math.h>

static bool is_alike(const struct accp_line *left, const struct accp_line *right)
{
    return left->verdict == right->verdict && left->reason == right->reason;
}

static size_t count_alike(const struct accp_judgement *judgement, const struct accp_line *line)
{
    size_t count = 0;
    for (size_t i = 0; i < judgement->line_count; ++i)
        count += is_alike(&judgement->lines[i], line);
    return count;
}

bool accp_causes_is_common(const struct accp_judgement *judgement, const struct accp_line *line)
{
    return line->verdict > ACCP_VERDICT_NO_GOLDEN &&
           count_alike(judgement, line) > ACCP_CAUSE_LINES;
}

static bool is_first(const struct accp_judgement *judgement, const struct accp_line *line)
{
    for (const struct accp_line *other = judgement->lines; other < line; ++other)
        if (is_alike(other, line)) return false;
    return true;
}

/* Of the lines like this one that with the greatest change; the first where none has any. */
static const struct accp_line *furthest_off(const struct accp_judgement *judgement,
                                            const struct accp_line *line)
{
    const struct accp_line *furthest = line;
    for (size_t i = 0; i < judgement->line_count; ++i) {
        const struct accp_line *other = &judgement->lines[i];
        if (!is_alike(other, line) || isnan(other->change)) continue;
        if (isnan(furthest->change) || fabs(other->change) > fabs(furthest->change))
            furthest = other;
    }
    return furthest;
}

static enum accp_status add_cause(struct accp_table *table, const struct accp_judgement *judgement,
                                  const struct accp_line *line, struct accp_error *error)
{
    const struct accp_line *furthest = furthest_off(judgement, line);
    ACCP_TRY(accp_table_row(table, error));
    accp_table_cell(table, 0, "%s", accp_verdict_name(line->verdict));
    accp_table_cell(table, 1, "%zu", count_alike(judgement, line));
    accp_table_cell(table, 2, "%s", furthest->claim);
    if (!isnan(furthest->change)) accp_table_cell(table, 3, "%+.2f %%", 100 * furthest->change);
    accp_table_cell(table, 4, "%s", accp_reason_name(line->reason));
    accp_table_cell(table, 5, "%s", furthest->text);
    return ACCP_STATUS_OK;
}

enum accp_status accp_causes_print(const struct accp_judgement *judgement, FILE *stream,
                                   struct accp_error *error)
{
    static const struct accp_column columns[] = {
        {"verdict", false, false}, {"claims", true, false},  {"the furthest off", false, false},
        {"change", true, false},   {"reason", false, false}, {"", false, true},
    };
    struct accp_table *table;
    size_t shown = 0;
    ACCP_TRY(accp_table_create(columns, sizeof columns / sizeof *columns, &table, error));
    enum accp_status status = ACCP_STATUS_OK;
    for (int verdict = ACCP_VERDICT_COUNT - 1; verdict > ACCP_VERDICT_NO_GOLDEN; --verdict)
        for (size_t i = 0; i < judgement->line_count && status == ACCP_STATUS_OK; ++i) {
            const struct accp_line *line = &judgement->lines[i];
            if ((int)line->verdict != verdict || !is_first(judgement, line) ||
                !accp_causes_is_common(judgement, line))
                continue;
            status = add_cause(table, judgement, line, error);
            ++shown;
        }
    if (status == ACCP_STATUS_OK && shown > 0) {
        fputc('\n', stream);
        status = accp_table_print(table, stream, false, error);
    }
    accp_table_destroy(table);
    return status;
}
