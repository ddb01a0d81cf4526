#include "policy/policy.h"

#include "base/plural.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_CHAIN = 64, CELLS_MAX = 4096, CASES_A_LINE = 8 };

/* A cell's splits under every limit of registers: four bits for each number of accumulators, as a
 * limit, that hold the split less 1. */
struct cell {
    int chain, load;
    unsigned long long splits;
};

static const struct accp_policy_values *chains_of(const struct accp_policy *policy,
                                                  const struct accp_policy_conditions *conditions)
{
    return &policy->chains[accp_policy_bounding_sink(conditions->iterations)];
}

static const struct accp_policy_values *loads_of(const struct accp_policy *policy,
                                                 const struct accp_policy_conditions *conditions)
{
    return &policy->loads[accp_policy_bounding_sink(conditions->iterations)];
}

static enum accp_status fill(const struct accp_policy *policy,
                             struct accp_policy_conditions conditions, struct cell *cell,
                             struct accp_error *error)
{
    conditions.chain = cell->chain;
    conditions.load = cell->load;
    for (size_t i = 0; i < policy->accs.count; ++i) {
        struct accp_policy_answer answer;
        const int independent = conditions.independent > 0 ? conditions.independent : 1;
        conditions.registers_left = (policy->accs.values[i] - 1) * independent;
        ACCP_TRY(accp_policy_ask(policy, &conditions, &answer, error));
        cell->splits |= (unsigned long long)(answer.split - 1) << 4 * i;
    }
    return ACCP_STATUS_OK;
}

static const char *fits_text(const struct accp_policy *policy,
                             const struct accp_policy_conditions *conditions, char *text,
                             size_t bytes)
{
    const struct accp_policy_values *loads = loads_of(policy, conditions);
    const int highest = accp_policy_highest_load(policy, conditions);
    text[0] = 0;
    if (highest < loads->values[loads->count - 1])
        snprintf(text, bytes, "; more do not fit with %d registers a thread",
                 conditions->registers_used);
    return text;
}

/* What a run says of itself stands within a comment: no name there may end it, or open one more. */
static void put_in_comment(const char *text, FILE *stream)
{
    char before = 0;
    for (; *text; ++text) {
        if ((before == '*' && *text == '/') || (before == '/' && *text == '*')) fputc(' ', stream);
        fputc(*text, stream);
        before = *text;
    }
}

static void print_provenance(const struct accp_policy *policy,
                             const struct accp_policy_conditions *conditions, FILE *stream)
{
    const struct accp_policy_values *chains = chains_of(policy, conditions),
                                    *loads = loads_of(policy, conditions);
    char given[ACCP_POLICY_TEXT_BYTES], text[1536], fits[64];
    accp_policy_conditions_text(conditions, given, sizeof given);
    snprintf(text, sizeof text,
             " * source      %s, %zu run%s from %s to %s\n"
             " * GPU         %s, %s, %lld SMs, PCI device %s, driver %s\n"
             " * compiler    %s %s\n"
             " * conditions  %s\n"
             " * made with   accprobe %s\n",
             accp_source_text(policy->source), policy->run_count,
             ACCP_PLURAL(policy->run_count, "s"),
             policy->first_date[0] ? policy->first_date : "an unknown date",
             policy->last_date[0] ? policy->last_date : "an unknown date",
             policy->device.name[0] ? policy->device.name : "not named", policy->device.arch,
             (long long)policy->device.sm_count,
             policy->device.pci_device[0] ? policy->device.pci_device : "unknown",
             policy->device.driver[0] ? policy->device.driver : "unknown", policy->compiler.name,
             policy->compiler.version, given, ACCPROBE_VERSION);
    fputs("/* How many accumulators to split a chain of FFMAs over. Made by accprobe policy "
          "--header; do not edit.\n *\n",
          stream);
    put_in_comment(text, stream);
    fprintf(stream,
            " *\n * accp_split(chain, warps_per_scheduler, registers_left)\n"
            " *   chain                links of an iteration, %d to %d\n"
            " *   warps_per_scheduler  %d to %d%s\n"
            " *   registers_left       for further accumulators, one each%s\n"
            " *   returns              accumulators to use; 0: outside of these ranges, so there "
            "is no answer */\n",
            chains->values[0], chains->values[chains->count - 1], loads->values[0],
            accp_policy_highest_load(policy, conditions),
            fits_text(policy, conditions, fits, sizeof fits),
            conditions->independent > 1 ? " and for each independent chain" : "");
}

static void print_begin(const struct accp_policy *policy,
                        const struct accp_policy_conditions *conditions, FILE *stream)
{
    const struct accp_policy_values *chains = chains_of(policy, conditions),
                                    *loads = loads_of(policy, conditions);
    const int independent = conditions->independent > 0 ? conditions->independent : 1;
    fprintf(stream,
            "#ifndef ACCP_SPLIT_H\n#define ACCP_SPLIT_H\n\n"
            "#ifdef __CUDACC__\n#define ACCP_SPLIT_FUNCTION static __host__ __device__ inline\n"
            "#else\n#define ACCP_SPLIT_FUNCTION static inline\n#endif\n\n"
            "ACCP_SPLIT_FUNCTION int accp_split(int chain, int warps_per_scheduler, int "
            "registers_left)\n{\n"
            "    unsigned long long splits; /* less 1, four bits for each limit of registers */\n"
            "    int limit = 0;\n"
            "    if (chain < %d || chain > %d || warps_per_scheduler < %d || warps_per_scheduler > "
            "%d || registers_left < 0)\n        return 0;\n",
            chains->values[0], chains->values[chains->count - 1], loads->values[0],
            accp_policy_highest_load(policy, conditions));
    for (size_t i = 1; i < policy->accs.count; ++i)
        fprintf(stream, "    if (registers_left >= %d) limit = %zu;\n",
                (policy->accs.values[i] - 1) * independent, 4 * i);
    fprintf(stream, "    switch (chain * %d + warps_per_scheduler) {\n", CELL_CHAIN);
}

/* Cells of the same splits share a case. */
static void print_cells(const struct cell *cells, size_t count, FILE *stream)
{
    for (size_t i = 0; i < count; ++i) {
        size_t printed = 0;
        bool is_first = true;
        for (size_t k = 0; k < i; ++k)
            if (cells[k].splits == cells[i].splits) is_first = false;
        if (!is_first) continue;
        for (size_t k = i; k < count; ++k) {
            if (cells[k].splits != cells[i].splits) continue;
            fprintf(stream, "%scase %d:", printed % CASES_A_LINE == 0 ? "\n    " : " ",
                    cells[k].chain * CELL_CHAIN + cells[k].load);
            ++printed;
        }
        fprintf(stream, "\n        splits = 0x%llxull;\n        break;", cells[i].splits);
    }
    fputs("\n    default:\n        return 0;\n    }\n"
          "    return (int)(splits >> limit & 15) + 1;\n}\n\n#endif\n",
          stream);
}

static enum accp_status fill_all(const struct accp_policy *policy,
                                 const struct accp_policy_conditions *conditions,
                                 struct cell *cells, size_t *count, struct accp_error *error)
{
    const struct accp_policy_values *chains = chains_of(policy, conditions),
                                    *loads = loads_of(policy, conditions);
    if (chains->count == 0) /* which says what is missing */
        return fill(policy, *conditions, &cells[0], error);
    for (int chain = chains->values[0]; chain <= chains->values[chains->count - 1]; ++chain)
        for (int load = loads->values[0];
             load <= accp_policy_highest_load(policy, conditions) && *count < CELLS_MAX; ++load) {
            struct cell *cell = &cells[(*count)++];
            *cell = (struct cell){.chain = chain, .load = load};
            ACCP_TRY(fill(policy, *conditions, cell, error));
        }
    return ACCP_STATUS_OK;
}

enum accp_status accp_policy_header(const struct accp_policy *policy,
                                    const struct accp_policy_conditions *conditions, char **text,
                                    struct accp_error *error)
{
    size_t bytes, count = 0;
    if (policy->run_count == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, "policy", -1, "there is no run to answer from");
    struct cell *cells = calloc(CELLS_MAX, sizeof *cells);
    if (!cells) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a header");
    const enum accp_status status = fill_all(policy, conditions, cells, &count, error);
    FILE *stream = status == ACCP_STATUS_OK ? open_memstream(text, &bytes) : NULL;
    if (stream) {
        print_provenance(policy, conditions, stream);
        print_begin(policy, conditions, stream);
        print_cells(cells, count, stream);
    }
    const bool is_whole = stream && fclose(stream) == 0;
    free(cells);
    if (status != ACCP_STATUS_OK || is_whole) return status;
    return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a header");
}
