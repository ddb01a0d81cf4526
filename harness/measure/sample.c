#include "measure/measure.h"

#include "parameters.h"

#include <math.h>
#include <stdlib.h>

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

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
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

void accp_measure_summarise(double *samples, size_t count, struct accp_cycles *cycles,
                            double *progress)
{
    *cycles = (struct accp_cycles){0};
    *progress = 0;
    qsort(samples, count, sizeof *samples, compare_numbers);
    size_t first = 0;
    while (first < count && samples[first] <= 0)
        ++first;
    cycles->n = count - first;
    if (cycles->n == 0) return;
    double sum = 0, sum_of_inverses = 0;
    for (size_t i = first, begin = first; i < count; ++i) {
        sum += samples[i];
        sum_of_inverses += 1 / samples[i];
        if (i + 1 < count && round(samples[i + 1]) == round(samples[begin])) continue;
        double weight = (double)(i + 1 - begin) / (double)cycles->n;
        add_mode(cycles, (struct accp_mode){round(samples[begin]), weight});
        begin = i + 1;
    }
    cycles->mean = sum / (double)cycles->n;
    cycles->min = samples[first];
    cycles->max = samples[count - 1];
    *progress = 1e7 * sum_of_inverses / (double)cycles->n;
}
