#include "calibration_measure.h"

#include "base/random.h"
#include "calibration_parameters.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, SCHEDULERS = 4 };
enum { WARM, SINGLE, COUNTED, COMPANY };

/* Each phase begins after less than so many cycles: at the first the warps of a block must come apart
 * by any loop's length, later by that of most; the company must not be kept waiting. */
static const uint32_t skew_cycles[ACCP_CALIBRATION_PHASES] = {2048, 1, 512, 1};

/* How long a phase of a lone warp takes, in parts of the counted one: the first outlasts the skews, and the last what the
 * warps of a scheduler differ by. */
static const double phase_parts[ACCP_CALIBRATION_PHASES] = {0.125, 0, 1, 1};
static const double launch_timeout_s = 20;

/* What stands on the device and on the host while all loops are run. */
struct bench {
    struct accp_device *device;
    uint64_t starts, records;
    struct accp_calibration_record *host_records; /* owned */
    struct accp_calibration_start *host_starts;   /* owned */
    struct accp_random random;
    int phase_cycles; /* of the counted phase */
};

/* About what an iteration of a lone warp takes, its branch counted generously. */
static int estimate_cycles(const struct calibration_loop *loop)
{
    enum { BRANCH_CYCLES = 12 };
    int cycles = BRANCH_CYCLES;
    for (size_t i = 0; i < loop->count; ++i) {
        struct accp_instruction at;
        if (accp_sass_decode(90, loop->code[i], &at, NULL) == ACCP_STATUS_OK)
            cycles += at.control.stall_cycles;
    }
    return cycles;
}

static const struct accp_calibration_record *records_of(const struct bench *bench, size_t warp)
{
    return bench->host_records + warp * ACCP_CALIBRATION_PHASES;
}

/* The clock's low word may have gone round. */
static bool before(unsigned left, unsigned right)
{
    return (int32_t)(left - right) < 0;
}

static double elapsed_cycles(const struct accp_calibration_record *record)
{
    return record->end_cycle - record->start_cycle;
}

/* Whether all of the counted phase of `warp` went by while each warp of its scheduler ran. */
static bool had_company(const struct bench *bench, size_t block, size_t warp, size_t warps)
{
    const struct accp_calibration_record *mine = records_of(bench, block * warps + warp);
    for (size_t other = warp % SCHEDULERS; other < warps; other += SCHEDULERS) {
        const struct accp_calibration_record *its = records_of(bench, block * warps + other);
        if (before(mine[COUNTED].start_cycle, its[WARM].start_cycle) ||
            before(its[COMPANY].end_cycle, mine[COUNTED].end_cycle))
            return false;
    }
    return true;
}

/* A counter that is not used up: not the loop ran, or not as often as it was told to. */
static enum accp_status check_counters(const struct bench *bench,
                                       const struct calibration_loop *loop, size_t warps,
                                       struct accp_error *error)
{
    for (size_t i = 0; i < warps * ACCP_CALIBRATION_PHASES; ++i)
        if (bench->host_records[i].counter != 0)
            return accp_fail(error, ACCP_STATUS_WRONG, loop->group, loop->number,
                             "loop %d left %d of its counter in warp %zu: it did not run as it "
                             "is written",
                             loop->number, bench->host_records[i].counter,
                             i / ACCP_CALIBRATION_PHASES);
    return ACCP_STATUS_OK;
}

/* The mean of an iteration over all warps; 0: some were alone for a while. */
static double summarise(const struct bench *bench, size_t blocks, size_t warps, int iterations)
{
    double sum = 0;
    for (size_t block = 0; block < blocks; ++block)
        for (size_t warp = 0; warp < warps; ++warp) {
            const struct accp_calibration_record *mine = records_of(bench, block * warps + warp);
            if (!had_company(bench, block, warp, warps)) return 0;
            sum +=
                (elapsed_cycles(&mine[COUNTED]) - elapsed_cycles(&mine[SINGLE])) / (iterations - 1);
        }
    return sum / (double)(blocks * warps);
}

static void draw_starts(struct bench *bench, const struct calibration_loop *loop, int warps)
{
    const int cycles = estimate_cycles(loop);
    for (int i = 0; i < warps * ACCP_CALIBRATION_PHASES; ++i) {
        const int phase = i % ACCP_CALIBRATION_PHASES;
        bench->host_starts[i] = (struct accp_calibration_start){
            .skew_cycles = accp_random_below(&bench->random, skew_cycles[phase]),
            .iterations =
                phase == SINGLE ? 1 : (int)(phase_parts[phase] * bench->phase_cycles) / cycles + 2};
    }
}

static enum accp_status run_load(struct bench *bench, const struct accp_device_kernel *kernel,
                                 const struct calibration_loop *loop, int warps, double *cycles,
                                 struct accp_error *error)
{
    const int blocks = accp_device_sm_count(bench->device), all = blocks * warps;
    const struct accp_calibration_parameters parameters = {
        .starts = (const struct accp_calibration_start *)bench->starts,
        .records = (struct accp_calibration_record *)bench->records,
        .phases = ACCP_CALIBRATION_PHASES};
    const size_t phases = (size_t)all * ACCP_CALIBRATION_PHASES;
    const size_t bytes = phases * sizeof *bench->host_records;
    draw_starts(bench, loop, all);
    ACCP_TRY(accp_device_write(bench->device, bench->starts, bench->host_starts,
                               phases * sizeof *bench->host_starts, error));
    ACCP_TRY(accp_device_fill(bench->device, bench->records, 0xff, bytes, error));
    ACCP_TRY(accp_device_launch(bench->device, kernel, blocks, warps * LANES, &parameters,
                                sizeof parameters, error));
    ACCP_TRY(accp_device_synchronise(bench->device, launch_timeout_s, error));
    ACCP_TRY(accp_device_read(bench->device, bench->host_records, bench->records, bytes, error));
    ACCP_TRY(check_counters(bench, loop, (size_t)all, error));
    *cycles =
        summarise(bench, (size_t)blocks, (size_t)warps, bench->host_starts[COUNTED].iterations);
    return ACCP_STATUS_OK;
}

static enum accp_status run_loop(struct bench *bench, struct calibration_template *template,
                                 struct calibration_loop *loop, struct accp_error *error)
{
    struct accp_module *module;
    struct accp_device_kernel kernel;
    ACCP_TRY(calibration_patch(template, loop, error));
    ACCP_TRY(accp_device_load(bench->device, template->cubin.data, template->cubin.size, &module,
                              error));
    ACCP_TRY(accp_device_kernel(bench->device, module, "accp_calibration", &kernel, error));
    for (size_t i = 0; i < CALIBRATION_LOADS; ++i)
        ACCP_TRY(run_load(bench, &kernel, loop, calibration_warps[i], &loop->cycles[i], error));
    accp_device_unload(bench->device, module);
    return ACCP_STATUS_OK;
}

static enum accp_status run_all(struct bench *bench, struct calibration_template *template,
                                struct calibration *calibration, struct accp_error *error)
{
    size_t warps = 0;
    for (size_t i = 0; i < CALIBRATION_LOADS; ++i)
        if ((size_t)calibration_warps[i] > warps) warps = (size_t)calibration_warps[i];
    warps *= (size_t)accp_device_sm_count(bench->device);
    const size_t phases = warps * ACCP_CALIBRATION_PHASES;
    bench->host_records = calloc(phases, sizeof *bench->host_records);
    bench->host_starts = calloc(phases, sizeof *bench->host_starts);
    if (!bench->host_records || !bench->host_starts)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for %zu warps", warps);
    ACCP_TRY(accp_device_allocate(bench->device, phases * sizeof *bench->host_starts,
                                  &bench->starts, error));
    ACCP_TRY(accp_device_allocate(bench->device, phases * sizeof *bench->host_records,
                                  &bench->records, error));
    for (size_t i = 0; i < calibration->count; ++i)
        ACCP_TRY(run_loop(bench, template, &calibration->loops[i], error));
    return ACCP_STATUS_OK;
}

enum accp_status calibration_measure(struct accp_device *device,
                                     struct calibration_template *template,
                                     struct calibration *calibration, uint64_t seed,
                                     int phase_cycles, struct accp_error *error)
{
    struct bench bench = {.device = device, .random = {seed}, .phase_cycles = phase_cycles};
    const enum accp_status status = run_all(&bench, template, calibration, error);
    free(bench.host_records);
    free(bench.host_starts);
    return status;
}
