#include "fake_calibration.h"

#include "calibration_parameters.h"
#include "gpu.h"

#include <string.h>

enum { OK = 0, INVALID_VALUE = 1, ILLEGAL_ADDRESS = 700, LANES = 32 };
enum { ENTRY_CYCLES = 23, BASE_CYCLES = 100, LEAP_CYCLES = 4000000, COUNTED = 2 };

int accp_fake_calibration_launch(const struct accp_fake_scenario *scenario, unsigned blocks,
                                 unsigned threads, const void *parameters, size_t parameters_bytes)
{
    struct accp_calibration_parameters copy;
    if (parameters_bytes != sizeof copy || threads % LANES != 0) return INVALID_VALUE;
    memcpy(&copy, parameters, sizeof copy);
    const unsigned of_block = threads / LANES;
    const size_t phases = (size_t)copy.phases, warps = (size_t)blocks * of_block;
    const struct accp_calibration_start *starts =
        accp_fake_gpu_memory((uint64_t)(uintptr_t)copy.starts, warps * phases * sizeof *starts);
    struct accp_calibration_record *record =
        accp_fake_gpu_memory((uint64_t)(uintptr_t)copy.records, warps * phases * sizeof *record);
    if (!starts || !record) return ILLEGAL_ADDRESS;
    for (size_t warp = 0; warp < warps; ++warp) {
        unsigned now = 0xffffff00U; /* the clock's low word goes round on its way */
        for (size_t phase = 0; phase < phases; ++phase, ++record) {
            const struct accp_calibration_start *start = &starts[warp * phases + phase];
            now += start->skew_cycles;
            record->start_cycle = now;
            now += ENTRY_CYCLES + (unsigned)start->iterations * (BASE_CYCLES + of_block);
            if (warp == 0 && phase == COUNTED && scenario->on[ACCP_FAKE_clock_leap])
                now += LEAP_CYCLES;
            record->end_cycle = now;
            record->counter = scenario->on[ACCP_FAKE_wrong_results];
        }
    }
    return OK;
}
