#include "base/json.h"
#include "cli/explaining.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A member of the whole, on a line of its own; takes the value over. */
static bool put(const char *name, json_t *value)
{
    bool good = value != NULL;
    printf(",\n \"%s\": ", name);
    good = good && json_dumpf(value, stdout, JSON_REAL_PRECISION(7) | JSON_ENCODE_ANY) == 0;
    json_decref(value);
    return good;
}

/* An array, one item a line; takes the items over. */
static bool put_items(const char *name, json_t *items)
{
    bool good = items != NULL;
    size_t i;
    json_t *item;
    printf(",\n \"%s\": [", name);
    json_array_foreach(items, i, item)
    {
        fputs(i ? ",\n  " : "\n  ", stdout);
        good = good && json_dumpf(item, stdout, JSON_REAL_PRECISION(7)) == 0;
    }
    putchar(']');
    json_decref(items);
    return good;
}

static json_t *cycles_json(const struct accp_cycles *cycles)
{
    json_t *modes = json_array();
    for (size_t i = 0; i < cycles->mode_count; ++i)
        json_array_append_new(
            modes, json_pack("[f, f]", cycles->modes[i].cycles, cycles->modes[i].weight));
    return json_pack("{s:f, s:f, s:f, s:I, s:o}", "mean", cycles->mean, "min", cycles->min, "max",
                     cycles->max, "n", (json_int_t)cycles->n, "modes", modes);
}

static json_t *causes_json(const double causes[ACCP_CAUSE_COUNT])
{
    json_t *object = json_object();
    for (int c = 0; c < ACCP_CAUSE_COUNT; ++c)
        if (causes[c] > 0)
            json_object_set_new(object, c ? accp_cause_name((enum accp_cause)c) : "issued",
                                json_real(causes[c]));
    return object;
}

static json_t *bounds_json(const struct accp_explanation *explanation)
{
    json_t *items = json_array();
    for (int i = 0; i < ACCP_BOUND_COUNT && explanation->has_bounds; ++i)
        if (explanation->bounds[i] > 0)
            json_array_append_new(items, json_pack("{s:s, s:f, s:s}", "unit",
                                                   accp_bound_name((enum accp_bound)i), "cycles",
                                                   explanation->bounds[i], "meaning",
                                                   accp_bound_meaning((enum accp_bound)i)));
    return items;
}

static json_t *instruction_json(const struct accp_explained *explained, int i)
{
    const struct accp_explained_instruction *own = &explained->explanation.instructions[i];
    const size_t index = explained->loop->head + (size_t)i;
    const struct accp_control *control = &explained->code.instructions[index].control;
    char text[ACCP_INSTRUCTION_TEXT_BYTES];
    accp_explained_text(explained, i, text, sizeof text);
    json_t *object = json_pack("{s:I, s:s, s:i, s:b, s:i, s:o}", "address",
                               (json_int_t)index * ACCP_INSTRUCTION_BYTES, "text", text, "stall",
                               control->stall_cycles, "yield", control->yield, "wait_mask",
                               control->wait_mask, "cycles", causes_json(own->cycles));
    const size_t producer = explained->loop->head + (size_t)own->producer;
    if (object && !own->executed) json_object_set_new(object, "skipped", json_true());
    if (object && own->producer >= 0)
        json_object_set_new(object, "waits_for",
                            json_integer((json_int_t)producer * ACCP_INSTRUCTION_BYTES));
    if (object && !isnan(explained->without[i]))
        json_object_set_new(object, "without", json_real(explained->without[i]));
    return object;
}

static json_t *instructions_json(const struct accp_explained *explained)
{
    json_t *items = json_array();
    for (int i = 0; i < explained->explanation.count; ++i)
        json_array_append_new(items, instruction_json(explained, i));
    return items;
}

static json_t *changes_json(const struct accp_explained *explained)
{
    json_t *items = json_array();
    for (size_t i = 0; i < explained->change_count; ++i) {
        const struct accp_change *change = &explained->changes[i];
        json_array_append_new(
            items, json_pack("{s:s, s:s, s:f, s:f}", "kind", accp_change_name(change->kind), "what",
                             change->what, "cycles", change->cycles, "relative", change->relative));
    }
    return items;
}

/* A warp a row: in each cycle [instruction, cause], the instruction counted from the loop's first. */
static json_t *timeline_json(const struct accp_explanation *explanation)
{
    json_t *rows = json_array();
    for (int w = 0; w < explanation->scheduler_warps; ++w) {
        json_t *cells = json_array();
        for (int c = 0; c < explanation->timeline_cycles; ++c) {
            const struct accp_timeline_cell *cell =
                &explanation->timeline[c * explanation->scheduler_warps + w];
            json_array_append_new(cells, json_pack("[i, i]", cell->instruction, cell->cause));
        }
        json_array_append_new(rows, json_pack("{s:i, s:o}", "warp", w, "cells", cells));
    }
    return rows;
}

static json_t *cause_names_json(void)
{
    json_t *items = json_array();
    for (int c = 0; c < ACCP_CAUSE_COUNT; ++c)
        json_array_append_new(items, json_pack("{s:s, s:s}", "name",
                                               c ? accp_cause_name((enum accp_cause)c) : "issued",
                                               "meaning", accp_cause_meaning((enum accp_cause)c)));
    return items;
}

static bool put_head(const struct accp_explained *explained)
{
    const struct accp_explanation *explanation = &explained->explanation;
    const struct accp_cubin *cubin = &explained->opened.cubin;
    bool good = put("kernel", json_string(explained->kernel->name));
    printf(",\n \"source\": \"predicted\", \"validated\": %s, \"known\": %s",
           explanation->prediction.validated ? "true" : "false",
           explanation->prediction.known ? "true" : "false");
    if (explained->role) good &= put("role", json_string(explained->role->name));
    good &= put("arch", json_string(cubin->arch_name));
    good &= put("compiler", json_pack("{s:s, s:s, s:s}", "name", cubin->compiler_name, "version",
                                      cubin->compiler_version, "flags", cubin->compiler_flags));
    good &= put("loop", json_pack("{s:I, s:i}", "address",
                                  (json_int_t)explained->loop->head * ACCP_INSTRUCTION_BYTES,
                                  "instructions", explanation->count));
    printf(",\n \"warps\": %d, \"scheduler_warps\": %d, \"most_warps\": %d, \"registers\": %d",
           explained->warps, explanation->scheduler_warps, explanation->prediction.most_warps,
           explained->kernel->registers);
    printf(", \"register_limit\": %d", explained->register_limit);
    good &= put("bottleneck", json_string(explained->bottleneck));
    if (!explanation->prediction.known)
        return good && put("unknown", json_string(explanation->prediction.unknown));
    good &= put("cycles", cycles_json(&explanation->prediction.cycles));
    return good && put("causes", causes_json(explanation->causes));
}

enum accp_status accp_explained_print_json(const struct accp_explained *explained,
                                           struct accp_error *error)
{
    fputs("{\"format\": \"accprobe-explain/1\"", stdout);
    bool good = put_head(explained);
    good &= put_items("bounds", bounds_json(&explained->explanation));
    good &= put_items("instructions", instructions_json(explained));
    good &= put_items("changes", changes_json(explained));
    good &= put_items("cause_names", cause_names_json());
    if (explained->explanation.prediction.known)
        good &= put_items("timeline", timeline_json(&explained->explanation));
    puts("}");
    return accp_json_written(stdout, !good, "it as JSON", error);
}
