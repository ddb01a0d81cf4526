#include "measure/measure.h"

#include "measure/selectors.h"

#include <stdlib.h>
#include <string.h>

enum { SCHEDULERS = 4 };

/* On every arch: the warps of a block are dealt to schedulers in turn (docs/model.md). */
#define ARCH(id, fp32_lanes, schedulers, warps, registers, allocation, validated) \
    _Static_assert((schedulers) == SCHEDULERS, "the scheduler of a warp is told by another " \
                                               "number");
#include "arches.def"

struct tally {
    double cycles;
    uint64_t n;
};

/* Of every role that a warp ran, numbered as their selectors ascend. One pass fills them: the records of all roles of a
 * kernel are many megabytes. */
struct tallies {
    size_t count;
    uint8_t selectors[ACCP_RUN_BESIDE];
    uint8_t number[ACCP_SELECTORS];
    struct tally by_warp[ACCP_RUN_BESIDE][ACCP_RUN_WARPS];
    struct tally beside[ACCP_RUN_BESIDE][ACCP_RUN_BESIDE];
};

static void number_selectors(struct tallies *tallies, const uint8_t *selectors, size_t count)
{
    bool is_there[ACCP_SELECTORS] = {false};
    for (size_t i = 0; i < count; ++i)
        is_there[selectors[i]] = true;
    for (int selector = 0; selector < ACCP_SELECTORS; ++selector) {
        if (!is_there[selector] || tallies->count == ACCP_RUN_BESIDE) continue;
        tallies->number[selector] = (uint8_t)tallies->count;
        tallies->selectors[tallies->count++] = (uint8_t)selector;
    }
}

static void add(struct tally *tally, double sample)
{
    tally->cycles += sample;
    ++tally->n;
}

static void add_block(struct tallies *tallies, const struct accp_parameters *parameters,
                      const struct accp_record *records, const uint8_t *selectors, int warps)
{
    for (int warp = 0; warp < warps; ++warp) {
        const double sample = accp_measure_sample(parameters, &records[warp]);
        const size_t role = tallies->number[selectors[warp]];
        if (sample <= 0) continue;
        add(&tallies->by_warp[role][warp], sample);
        for (int other = warp % SCHEDULERS; other < warps; other += SCHEDULERS)
            if (other != warp)
                add(&tallies->beside[role][tallies->number[selectors[other]]], sample);
    }
}

/* `keys`: of the tallies; NULL: they are numbered. */
static size_t parts_of(const struct tally *tallies, const uint8_t *keys, size_t count,
                       struct accp_run_part *parts)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i)
        if (tallies[i].n > 0)
            parts[kept++] = (struct accp_run_part){keys ? keys[i] : (int)i, tallies[i].n,
                                                   tallies[i].cycles / (double)tallies[i].n};
    return kept;
}

enum accp_status accp_measure_mix(const struct accp_parameters *parameters,
                                  const struct accp_record *records, const uint8_t *selectors,
                                  size_t count, int block_warps,
                                  struct accp_run_mix *const mixes[ACCP_SELECTORS],
                                  struct accp_error *error)
{
    struct tallies *tallies = calloc(1, sizeof *tallies);
    if (!tallies) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for warps");
    number_selectors(tallies, selectors, count);
    for (size_t first = 0; first < count; first += (size_t)block_warps)
        add_block(tallies, parameters, records + first, selectors + first, block_warps);
    for (size_t role = 0; role < tallies->count; ++role) {
        struct accp_run_mix *mix = mixes[tallies->selectors[role]];
        if (!mix) continue;
        mix->by_warp_count = parts_of(tallies->by_warp[role], NULL, ACCP_RUN_WARPS, mix->by_warp);
        mix->beside_count =
            parts_of(tallies->beside[role], tallies->selectors, tallies->count, mix->beside);
    }
    free(tallies);
    return ACCP_STATUS_OK;
}
