#include "report/division.h"

#include "base/plural.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const part_names[] = {
#define PART(id, name, explanation) [ACCP_DIVISION_##id] = name,
    ACCP_DIVISION_PART_TABLE(PART)
#undef PART
};

static const char *const explanations[] = {
#define PART(id, name, explanation) [ACCP_DIVISION_##id] = explanation,
    ACCP_DIVISION_PART_TABLE(PART)
#undef PART
};

static const char *const findings[] = {
#define FINDING(id, text) [ACCP_DIVISION_##id] = text,
    ACCP_DIVISION_FINDING_TABLE(FINDING)
#undef FINDING
};

static const double most_of_the_loss = 0.5, part_of_the_loss = 0.1;

/* The role of the sink probe with that chain, acc and sink; NULL: the table has none. */
static const struct accp_role *role_of(int chain, int acc, enum accp_sink sink)
{
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i)
        if (accp_roles[i].probe == ACCP_PROBE_sink && accp_roles[i].chain == chain &&
            accp_roles[i].acc == acc && accp_roles[i].sink == sink)
            return &accp_roles[i];
    return NULL;
}

/* Cycles per iteration of one role: measured, as predicted, and what its register reads cost. */
struct cost {
    double measured, predicted, registers;
};

static enum accp_status cost_of(const struct accp_summary *measured,
                                const struct accp_run *predicted, const struct accp_run *portless,
                                const struct accp_role *role, int warps, struct cost *cost,
                                struct accp_error *error)
{
    const struct accp_point *point = accp_summary_find(measured, role->name, warps);
    const struct accp_run_role *with = accp_run_find(predicted, role->name, warps);
    const struct accp_run_role *without = accp_run_find(portless, role->name, warps);
    const bool is_measured = point && point->processes > 0;
    if (!is_measured || !with || with->cycles.n == 0 || !without || without->cycles.n == 0)
        return accp_fail(
            error, ACCP_STATUS_INPUT, role->name, -1,
            "at %d warp%s it was not %s: all roles of the sink probe that sum or carry "
            "every accumulator are needed",
            warps, ACCP_PLURAL(warps, "s"), is_measured ? "predicted" : "measured");
    cost->measured = point->mean;
    cost->predicted = with->cycles.mean;
    cost->registers = with->cycles.mean - without->cycles.mean;
    return ACCP_STATUS_OK;
}

static void divide_step(const struct cost full[2], const struct cost carried[2],
                        struct accp_division_step *step)
{
    step->total = full[1].measured - full[0].measured;
    step->parts[ACCP_DIVISION_BODY] = carried[1].measured - carried[0].measured;
    step->parts[ACCP_DIVISION_SINK] = step->total - step->parts[ACCP_DIVISION_BODY];
    step->parts[ACCP_DIVISION_REGISTERS] = full[1].registers - full[0].registers;
    step->off = full[1].predicted - full[0].predicted - step->total;
}

/* The acc of the fastest role with that sink; 0: none was measured. */
static int best_of(const struct accp_summary *measured, int chain, int warps, enum accp_sink sink)
{
    const struct accp_point *best = NULL;
    for (size_t i = 0; i < measured->point_count; ++i) {
        const struct accp_point *point = &measured->points[i];
        const struct accp_role *role = accp_role_find(point->role);
        if (!role || role->probe != ACCP_PROBE_sink || role->sink != sink || role->chain != chain ||
            point->warps != warps || point->processes == 0)
            continue;
        if (!best || point->mean < best->mean) best = point;
    }
    return best ? best->acc : 0;
}

static void add_up(struct accp_division *division)
{
    for (size_t i = 0; i < division->step_count; ++i) {
        const struct accp_division_step *step = &division->steps[i];
        if (step->from < division->best[ACCP_SINK_FULL]) continue;
        division->after += step->total;
        division->after_off += step->off;
        for (int part = 0; part < ACCP_DIVISION_PART_COUNT; ++part)
            division->after_parts[part] += step->parts[part];
    }
}

enum accp_status accp_division_make(const struct accp_summary *measured,
                                    const struct accp_run *predicted,
                                    const struct accp_run *portless, int chain, int warps,
                                    struct accp_division *division, struct accp_error *error)
{
    struct cost full[2], carried[2];
    int before = 0, effective_before = 0;
    memset(division, 0, sizeof *division);
    division->chain = chain;
    division->warps = warps;
    for (int acc = 1; acc <= ACCP_DIVISION_ACCS; ++acc) {
        const struct accp_role *summed = role_of(chain, acc, ACCP_SINK_FULL);
        const struct accp_role *kept = role_of(chain, acc, ACCP_SINK_CARRIED);
        if (!summed || !kept) continue;
        ACCP_TRY(cost_of(measured, predicted, portless, summed, warps, &full[1], error));
        ACCP_TRY(cost_of(measured, predicted, portless, kept, warps, &carried[1], error));
        if (before > 0) {
            struct accp_division_step *step = &division->steps[division->step_count++];
            *step = (struct accp_division_step){
                .from = before, .to = acc, .added = summed->effective - effective_before};
            divide_step(full, carried, step);
        }
        full[0] = full[1];
        carried[0] = carried[1];
        before = acc;
        effective_before = summed->effective;
    }
    for (int sink = 0; sink < ACCP_SINK_COUNT; ++sink)
        division->best[sink] = best_of(measured, chain, warps, (enum accp_sink)sink);
    add_up(division);
    return ACCP_STATUS_OK;
}

enum accp_division_finding accp_division_find(const struct accp_division *division,
                                              enum accp_division_part part)
{
    const double own = division->after_parts[part];
    /* What the loop body still gains the others lose on top of what is left of the loss. */
    const double loss = fmax(division->after_parts[ACCP_DIVISION_BODY], 0) +
                        fmax(division->after_parts[ACCP_DIVISION_SINK], 0);
    if (division->after <= 0) return ACCP_DIVISION_FAILS;
    if (part == ACCP_DIVISION_REGISTERS && fabs(own) <= fabs(division->after_off) &&
        fmax(fabs(own), fabs(division->after_off)) >= part_of_the_loss * loss)
        return ACCP_DIVISION_UNTOLD;
    if (own < part_of_the_loss * loss) return ACCP_DIVISION_FAILS;
    return own < most_of_the_loss * loss ? ACCP_DIVISION_IN_PART : ACCP_DIVISION_HOLDS;
}

/* snprintf behind what `text` holds. */
static void append(char *text, size_t text_bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t text_bytes, const char *format, ...)
{
    va_list arguments;
    const size_t used = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + used, text_bytes - used, format, arguments);
    va_end(arguments);
}

void accp_division_words(const struct accp_division *division, char *text, size_t text_bytes)
{
    const int best = division->best[ACCP_SINK_FULL];
    const int last = division->step_count ? division->steps[division->step_count - 1].to : best;
    snprintf(text, text_bytes, "chain %d, %d warp%s: acc%d is best", division->chain,
             division->warps, ACCP_PLURAL(division->warps, "s"), best);
    if (division->after <= 0) {
        append(text, text_bytes, ", and nothing is lost behind it.");
        return;
    }
    append(text, text_bytes, "; from there to acc%d %+.1f cycles", last, division->after);
    for (int part = 0; part < ACCP_DIVISION_PART_COUNT; ++part)
        append(text, text_bytes, "%s%s %+.1f",
               part == 0                         ? ": "
               : part == ACCP_DIVISION_REGISTERS ? "; of these "
                                                 : ", ",
               part_names[part], division->after_parts[part]);
    append(text, text_bytes, " by the model, which is off by %+.1f.", division->after_off);
    append(text, text_bytes, " Best with one sunk is acc%d, with all stored acc%d, carried acc%d.",
           division->best[ACCP_SINK_ONE], division->best[ACCP_SINK_STORE],
           division->best[ACCP_SINK_CARRIED]);
    for (int finding = 0; finding < ACCP_DIVISION_FINDING_COUNT; ++finding)
        for (int part = 0; part < ACCP_DIVISION_PART_COUNT; ++part)
            if ((int)accp_division_find(division, (enum accp_division_part)part) == finding)
                append(text, text_bytes, " \"%s\" %s.", explanations[part], findings[finding]);
}

static const struct accp_column columns[] = {
    {"chain", true, false},     {"warps", true, false},     {"accumulators", true, false},
    {"cycles", true, false},    {"loop body", true, false}, {"sink", true, false},
    {"registers", true, false}, {"model off", true, false}, {"sink, each", true, false},
};

static void fill_row(struct accp_table *table, const struct accp_division *division,
                     const struct accp_division_step *step)
{
    accp_table_cell(table, 0, "%d", division->chain);
    accp_table_cell(table, 1, "%d", division->warps);
    accp_table_cell(table, 2, "%d to %d", step->from, step->to);
    accp_table_cell(table, 3, "%+.2f", step->total);
    for (int part = 0; part < ACCP_DIVISION_PART_COUNT; ++part)
        accp_table_cell(table, 4 + (size_t)part, "%+.2f", step->parts[part]);
    accp_table_cell(table, 7, "%+.2f", step->off);
    if (step->added > 0)
        accp_table_cell(table, 8, "%+.2f", step->parts[ACCP_DIVISION_SINK] / step->added);
}

enum accp_status accp_division_table(const struct accp_division *divisions, size_t count,
                                     struct accp_table **table, struct accp_error *error)
{
    ACCP_TRY(accp_table_create(columns, sizeof columns / sizeof *columns, table, error));
    for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < divisions[i].step_count; ++j) {
            enum accp_status status = accp_table_row(*table, error);
            if (status != ACCP_STATUS_OK) {
                accp_table_destroy(*table);
                return status;
            }
            fill_row(*table, &divisions[i], &divisions[i].steps[j]);
        }
    return ACCP_STATUS_OK;
}
