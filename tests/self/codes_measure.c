#include "codes_measure.h"

#include "base/random.h"
#include "codes_parameters.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, LAUNCHES = 2, SCHEDULERS = ACCP_CODES_SCHEDULERS, PHASES = ACCP_CODES_PHASES };
/* Longer than any code takes beside three others. */
enum { CODE_CYCLES_MOST = 3000 };
static const double launch_timeout_s = 20;

/* What stands on the device and on the host while all codes are run. */
struct bench {
    struct accp_device *device;
    size_t blocks;
    uint64_t starts, records;
    struct accp_codes_start *host_starts;         /* owned */
    uint32_t (*host_records)[ACCP_CODES_RECORDS]; /* owned */
    struct codes_timeline *timelines;             /* owned: one each start of a scheduler */
    struct accp_random random;
};

static void draw_starts(struct bench *bench, const struct codes_set *set)
{
    const size_t of_block = (size_t)set->warps * SCHEDULERS;
    for (size_t i = 0; i < bench->blocks * of_block * PHASES; ++i) {
        const uint32_t delays = accp_random_below(&bench->random, 1U << ACCP_CODES_DELAYS);
        const unsigned which = (unsigned)(i / PHASES % of_block / SCHEDULERS);
        bench->host_starts[i] = (struct accp_codes_start){
            .until_cycle = (unsigned)(i % PHASES + 1) * ACCP_CODES_PHASE_CYCLES,
            .select = delays | 1U << (ACCP_CODES_DELAYS + which)};
    }
}

static enum accp_status run(struct bench *bench, const struct accp_device_kernel *kernel,
                            const struct codes_set *set, struct accp_error *error)
{
    const int of_block = set->warps * SCHEDULERS;
    const size_t phases = bench->blocks * (size_t)of_block * PHASES;
    const size_t bytes = phases * sizeof *bench->host_records;
    const struct accp_codes_parameters parameters = {
        .starts = (const struct accp_codes_start *)bench->starts,
        .records = (unsigned *)bench->records,
        .phases = PHASES};
    draw_starts(bench, set);
    ACCP_TRY(accp_device_write(bench->device, bench->starts, bench->host_starts,
                               phases * sizeof *bench->host_starts, error));
    ACCP_TRY(accp_device_fill(bench->device, bench->records, 0xff, bytes, error));
    ACCP_TRY(accp_device_launch(bench->device, kernel, (int)bench->blocks, of_block * LANES,
                                &parameters, sizeof parameters, error));
    ACCP_TRY(accp_device_synchronise(bench->device, launch_timeout_s, error));
    ACCP_TRY(accp_device_read(bench->device, bench->host_records, bench->records, bytes, error));
    for (size_t i = 0; i < phases; ++i) {
        const uint32_t ran = bench->host_records[i][ACCP_CODES_RECORDS - 1];
        const size_t warp = i / PHASES % (size_t)of_block / SCHEDULERS;
        if (ran != warp)
            return accp_fail(
                error, ACCP_STATUS_WRONG, set->group, set->number,
                "codes %d: warp %zu of a scheduler says that it ran code %u: it did not run "
                "as it is written",
                set->number, warp, ran);
    }
    return ACCP_STATUS_OK;
}

/* The timeline of one phase of the warps of one scheduler; false: it does not count. */
static bool take_timeline(const struct bench *bench, const struct codes_set *set, size_t block,
                          size_t scheduler, size_t phase, struct codes_timeline *timeline)
{
    uint32_t begin = 0;
    int last_quiet = INT_MIN, first_code = INT_MAX;
    memset(timeline, 0, sizeof *timeline);
    for (int w = 0; w < set->warps; ++w) {
        const size_t warp = (block * (size_t)set->warps + (size_t)w) * SCHEDULERS + scheduler;
        const uint32_t *record = bench->host_records[warp * PHASES + phase];
        int *cycles = timeline->cycles[w];
        if (w == 0) begin = record[0];
        for (int i = 0; i < set->codes[w].reads; ++i) {
            cycles[i] = (int)(record[i] - begin); /* the clock's low word may have gone round */
            if (abs(cycles[i]) > CODE_CYCLES_MOST || (i > 0 && cycles[i] <= cycles[i - 1]))
                return false;
        }
        if (cycles[0] > last_quiet) last_quiet = cycles[0];
        if (cycles[CODES_QUIET - 1] < first_code) first_code = cycles[CODES_QUIET - 1];
    }
    return last_quiet < first_code;
}

static int compare(const void *left, const void *right)
{
    const struct codes_timeline *a = left, *b = right;
    return memcmp(a->cycles, b->cycles, sizeof a->cycles);
}

/* Puts the different ones first, each with how often it came. */
static int merge(struct codes_timeline *timelines, size_t count)
{
    size_t distinct = 0;
    qsort(timelines, count, sizeof *timelines, compare);
    for (size_t i = 0; i < count; ++i) {
        if (distinct == 0 || compare(&timelines[distinct - 1], &timelines[i]) != 0) {
            timelines[distinct] = timelines[i];
            timelines[distinct++].times = 0;
        }
        ++timelines[distinct - 1].times;
    }
    return (int)distinct;
}

static void keep(struct bench *bench, struct codes_set *set)
{
    size_t left = (size_t)set->distinct;
    set->timeline_count = 0;
    for (size_t i = 0; i < (size_t)set->distinct && set->timeline_count < CODES_TIMELINES;
         ++i, --left)
        if (accp_random_below(&bench->random, (uint32_t)left) <
            CODES_TIMELINES - set->timeline_count)
            set->timelines[set->timeline_count++] = bench->timelines[i];
}

static enum accp_status run_set(struct bench *bench, struct codes_template *template,
                                struct codes_set *set, struct accp_error *error)
{
    struct accp_module *module;
    struct accp_device_kernel kernel;
    const struct accp_bytes *cubin = &template->base.cubin;
    size_t count = 0;
    ACCP_TRY(codes_patch(template, set, error));
    ACCP_TRY(accp_device_load(bench->device, cubin->data, cubin->size, &module, error));
    ACCP_TRY(accp_device_kernel(bench->device, module, "accp_codes", &kernel, error));
    for (int launch = 0; launch < LAUNCHES; ++launch) {
        ACCP_TRY(run(bench, &kernel, set, error));
        for (size_t i = 0; i < bench->blocks * SCHEDULERS * (PHASES - 1); ++i)
            count += take_timeline(bench, set, i / SCHEDULERS / (PHASES - 1), i % SCHEDULERS,
                                   i / SCHEDULERS % (PHASES - 1) + 1, &bench->timelines[count]);
    }
    accp_device_unload(bench->device, module);
    set->starts = (int)count;
    set->distinct = merge(bench->timelines, count);
    keep(bench, set);
    return ACCP_STATUS_OK;
}

static enum accp_status run_all(struct bench *bench, struct codes_template *template,
                                struct codes *codes, struct accp_error *error)
{
    const size_t phases = bench->blocks * ACCP_CODES_WARPS * SCHEDULERS * PHASES;
    const size_t starts = bench->blocks * SCHEDULERS * PHASES * LAUNCHES;
    bench->host_starts = calloc(phases, sizeof *bench->host_starts);
    bench->host_records = calloc(phases, sizeof *bench->host_records);
    bench->timelines = calloc(starts, sizeof *bench->timelines);
    if (!bench->host_starts || !bench->host_records || !bench->timelines)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for %zu starts", starts);
    ACCP_TRY(accp_device_allocate(bench->device, phases * sizeof *bench->host_starts,
                                  &bench->starts, error));
    ACCP_TRY(accp_device_allocate(bench->device, phases * sizeof *bench->host_records,
                                  &bench->records, error));
    for (size_t i = 0; i < codes->count; ++i)
        ACCP_TRY(run_set(bench, template, &codes->sets[i], error));
    return ACCP_STATUS_OK;
}

enum accp_status codes_measure(struct accp_device *device, struct codes_template *template,
                               struct codes *codes, uint64_t seed, struct accp_error *error)
{
    struct bench bench = {
        .device = device, .blocks = (size_t)accp_device_sm_count(device), .random = {seed}};
    const enum accp_status status = run_all(&bench, template, codes, error);
    free(bench.host_starts);
    free(bench.host_records);
    free(bench.timelines);
    return status;
}
