#include "measure/measure.h"

#include "measure/selectors.h"
#include "parameters.h"

#include <math.h>
#include <stdlib.h>

enum { SPAN_MAX = 1 << 24, WINDOW = 4096 };

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

size_t accp_measure_gather(const struct accp_parameters *parameters,
                           const struct accp_record *records, const uint8_t *selectors,
                           size_t count, const struct accp_role *role, double *samples)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i)
        if (!selectors || accp_selectors_of(role, selectors[i]))
            samples[kept++] = accp_measure_sample(parameters, &records[i]);
    return kept;
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

/* Counts of whole numbers of cycles from `low` on, about the first sample: where all fit in, as they
 * do on a quiet GPU, they are counted while they are summed. */
struct window {
    double low;
    size_t outside;
    uint32_t counts[WINDOW];
};

static void window_count(struct window *window, double sample)
{
    const double above = sample - window->low; /* exact: `low` is whole and sample is above it */
    if (above < 0 || above >= WINDOW - 1) {
        ++window->outside;
        return;
    }
    const int whole = (int)above;
    ++window->counts[whole + (above - whole >= 0.5)]; /* as round() */
}

static void window_modes(const struct window *window, struct accp_cycles *cycles)
{
    const int last = (int)(round(cycles->max) - window->low);
    for (int i = (int)(round(cycles->min) - window->low); i <= last; ++i)
        if (window->counts[i] > 0)
            add_mode(cycles,
                     (struct accp_mode){window->low + i, window->counts[i] / (double)cycles->n});
}

enum accp_status accp_measure_summarise(const double *samples, size_t count,
                                        struct accp_cycles *cycles, double *progress,
                                        struct accp_error *error)
{
    double sum = 0, sum_of_inverses = 0, min = INFINITY, max = 0;
    struct window window = {0};
    uint64_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        const double sample = samples[i];
        if (sample <= 0) continue;
        if (n++ == 0) window.low = fmax(0, floor(sample) - 0.5 * WINDOW);
        sum += sample;
        sum_of_inverses += 1 / sample;
        if (sample < min) min = sample;
        if (sample > max) max = sample;
        window_count(&window, sample);
    }
    *cycles = (struct accp_cycles){.n = n};
    *progress = 0;
    if (n == 0) return ACCP_STATUS_OK;
    cycles->mean = sum / (double)n;
    cycles->min = min;
    cycles->max = max;
    *progress = 1e7 * sum_of_inverses / (double)n;
    if (window.outside > 0) return find_modes(samples, count, cycles, error);
    window_modes(&window, cycles);
    return ACCP_STATUS_OK;
}
