#include "fake_codes.h"

#include "codes_parameters.h"
#include "gpu.h"

#include <string.h>

enum { OK = 0, INVALID_VALUE = 1, ILLEGAL_ADDRESS = 700, LANES = 32 };
enum { READ_CYCLES = 4, LEAP_CYCLES = 4000000 };
enum { READS = ACCP_CODES_RECORDS - 1 };

int accp_fake_codes_launch(const struct accp_fake_scenario *scenario, unsigned blocks,
                           unsigned threads, const void *parameters, size_t parameters_bytes)
{
    struct accp_codes_parameters copy;
    if (parameters_bytes != sizeof copy || threads % LANES != 0) return INVALID_VALUE;
    memcpy(&copy, parameters, sizeof copy);
    const size_t phases = (size_t)blocks * (threads / LANES) * (size_t)copy.phases;
    const struct accp_codes_start *start =
        accp_fake_gpu_memory((uint64_t)(uintptr_t)copy.starts, phases * sizeof *start);
    unsigned *record = accp_fake_gpu_memory((uint64_t)(uintptr_t)copy.records,
                                            phases * ACCP_CODES_RECORDS * sizeof *record);
    if (!start || !record) return ILLEGAL_ADDRESS;
    for (size_t i = 0; i < phases; ++i, ++start, record += ACCP_CODES_RECORDS) {
        /* The clock's low word goes round within a code. */
        const unsigned begin = -40U + (start->select & ((1U << ACCP_CODES_DELAYS) - 1));
        unsigned which = 0;
        while (which < ACCP_CODES_WARPS && !(start->select >> (ACCP_CODES_DELAYS + which) & 1))
            ++which;
        for (unsigned k = 0; k < READS; ++k)
            record[k] = begin + READ_CYCLES * k;
        if (which == 0 && scenario->on[ACCP_FAKE_clock_leap]) record[1] += LEAP_CYCLES;
        record[READS] = which + (unsigned)scenario->on[ACCP_FAKE_wrong_results];
    }
    return OK;
}
