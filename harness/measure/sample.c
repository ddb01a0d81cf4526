#include "measure/measure.h"

#include "parameters.h"

#include <math.h>
#include <stdlib.h>

enum { SPAN_MAX = 1 << 24 };

double accp_measure_sample(const struct accp_parameters *parameters,
                           const struct accp_record *record)
{
    if (parameters->phases < ACCP_PHASES)
        return record->iterations ? (double)record->elapsed_cycles / record->iterations : 0;
    if (record->iterations <= record->short_iterations ||
        record->elapsed_cycles <= record->short_cycles)
        return 0;
    return (double)(record->elapsed_cycles - record->short_cycles) /
           (record->iterations - record->short_iterations);
}

/* Keeps the heaviest modes, heaviest first; of two that weigh the same, the one with fewer cycles.
 */
static void add_mode(struct accp_cycles *cycles, struct accp_mode mode)
{
    size_t at = cycles->mode_count;
    while (at > 0 && cycles->modes[at - 1].weight < mode.weight)
        --at;
    if (at == ACCP_RUN_MODES) return;
    if (cycles->mode_count < ACCP_RUN_MODES) ++cycles->mode_count;
    for (size_t i = cycles->mode_count - 1; i > at; --i)
        cycles->modes[i] = cycles->modes[i - 1];
    cycles->modes[at] = mode;
}

/* A count for each whole number of cycles from the least sample's to the greatest's: sorting 17,000
 * samples for each of 24 roles would take longer than measuring them. */
static enum accp_status find_modes(const double *samples, size_t count, struct accp_cycles *cycles,
                                   struct accp_error *error)
{
    double low = round(cycles->min), span = round(cycles->max) - low + 1;
    if (span > SPAN_MAX)
        return accp_fail(error, ACCP_STATUS_DEVICE, NULL, -1,
                         "warps took between %g and %g cycles an iteration: no clock does that",
                         cycles->min, cycles->max);
    uint32_t *counts = calloc((size_t)span, sizeof *counts);
    if (!counts) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory to count modes");
    for (size_t i = 0; i < count; ++i)
        if (samples[i] > 0) ++counts[(size_t)(round(samples[i]) - low)];
    for (size_t i = 0; i < (size_t)span; ++i)
        if (counts[i] > 0)
            add_mode(cycles, (struct accp_mode){low + (double)i, counts[i] / (double)cycles->n});
    free(counts);
    return ACCP_STATUS_OK;
}

enum accp_status accp_measure_summarise(const double *samples, size_t count,
                                        struct accp_cycles *cycles, double *progress,
                                        struct accp_error *error)
{
    double sum = 0, sum_of_inverses = 0;
    *cycles = (struct accp_cycles){.min = INFINITY};
    *progress = 0;
    for (size_t i = 0; i < count; ++i) {
        if (samples[i] <= 0) continue;
        ++cycles->n;
        sum += samples[i];
        sum_of_inverses += 1 / samples[i];
        if (samples[i] < cycles->min) cycles->min = samples[i];
        if (samples[i] > cycles->max) cycles->max = samples[i];
    }
    if (cycles->n == 0) {
        cycles->min = 0;
        return ACCP_STATUS_OK;
    }
    cycles->mean = sum / (double)cycles->n;
    *progress = 1e7 * sum_of_inverses / (double)cycles->n;
    return find_modes(samples, count, cycles, error);
}
