#include "measure/measure.h"

#include "measure/selectors.h"

enum { SCHEDULERS = 4, SELECTORS = 256 };

/* On every arch: the warps of a block are dealt to schedulers in turn (docs/model.md). */
#define ARCH(id, fp32_lanes, schedulers, warps, registers, allocation, validated) \
    _Static_assert((schedulers) == SCHEDULERS, "the scheduler of a warp is told by another " \
                                               "number");
#include "arches.def"

/* Sums by key, and what they come to. */
struct sums {
    double cycles[SELECTORS];
    uint64_t n[SELECTORS];
};

static size_t parts_of(const struct sums *sums, struct accp_run_part *parts, size_t most)
{
    size_t count = 0;
    for (int key = 0; key < SELECTORS && count < most; ++key)
        if (sums->n[key] > 0)
            parts[count++] =
                (struct accp_run_part){key, sums->n[key], sums->cycles[key] / (double)sums->n[key]};
    return count;
}

static void add(struct sums *sums, int key, double sample)
{
    sums->cycles[key] += sample;
    ++sums->n[key];
}

void accp_measure_mix(const struct accp_parameters *parameters, const struct accp_record *records,
                      const uint8_t *selectors, size_t count, int block_warps,
                      const struct accp_role *role, struct accp_run_mix *mix)
{
    struct sums by_warp = {0}, beside = {0};
    for (size_t i = 0; i < count; ++i) {
        if (!accp_selectors_of(role, selectors[i])) continue;
        const double sample = accp_measure_sample(parameters, &records[i]);
        const int warp = (int)(i % (size_t)block_warps);
        const uint8_t *block = selectors + (i - (size_t)warp);
        if (sample <= 0) continue;
        add(&by_warp, warp, sample);
        for (int other = warp % SCHEDULERS; other < block_warps; other += SCHEDULERS)
            if (other != warp) add(&beside, block[other], sample);
    }
    mix->by_warp_count = parts_of(&by_warp, mix->by_warp, ACCP_RUN_WARPS);
    mix->beside_count = parts_of(&beside, mix->beside, ACCP_RUN_BESIDE);
}
