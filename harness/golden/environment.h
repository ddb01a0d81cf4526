/* What can be wrong around a measurement, so that its numbers accuse nobody. */
#ifndef ACCP_GOLDEN_ENVIRONMENT_H
#define ACCP_GOLDEN_ENVIRONMENT_H

#include "run/run.h"

#include <stdbool.h>

/* TROUBLE(id, text) */
#define ACCP_TROUBLE_TABLE(TROUBLE) \
    TROUBLE(NONE, "nothing") \
    TROUBLE(THROTTLED, "the GPU was slowed") \
    TROUBLE(OTHER_PROCESSES, "other processes were computing on the GPU") \
    TROUBLE(UTILIZED, "the GPU was busy before the run") \
    TROUBLE(MIG, "the GPU is split (MIG)") \
    TROUBLE(INTERRUPTED, "launches were interrupted") \
    TROUBLE(REFERENCE_DRIFTED, "the reference role changed during the run") \
    TROUBLE(REFERENCE_MOVED, "the reference role left its level with the same SASS")

enum accp_trouble {
#define TROUBLE(id, text) ACCP_TROUBLE_##id,
    ACCP_TROUBLE_TABLE(TROUBLE)
#undef TROUBLE
        ACCP_TROUBLE_COUNT
};

enum {
    /* NVML's utilisation looks back up to a second, and so sees our own process before this one,
     * which keeps the GPU busy for some 15 ms in 250. Anything that matters is far above. */
    ACCP_UTILIZATION_LIMIT_PERCENT = 20
};

/* How far the halves of the reference role may lie apart, relative: five times the spread of a
 * role's mean between processes at 8 warps (0.1 % at the worst). */
#define ACCP_REFERENCE_DRIFT_LIMIT 0.005

/* A warp that waits while another process has the GPU reads a clock that goes on: it takes this many
 * times as long as the fastest warp of its role, or more. On an H200 (driver 580.159.04, 2026-11-30)
 * the slowest warp of a role took up to 2 times as long as the fastest with 1 to 24 warps a block,
 * and 50 to 52,000 times where a time slice fell into a launch. NVML need not show the other
 * process: a container can hide it. With more warps a scheduler can starve one for as long. Nor does a
 * role with spills bear witness: its warps wait for memory, and one of them took up to 17 times as long as
 * another with nobody beside it (NVRTC 13.1.80, tests/data/compilers). The others of its run still do. */
#define ACCP_INTERRUPTION_RATIO 8.0
enum { ACCP_INTERRUPTION_WARPS = 24 };

/* The first trouble of a measured run, in the table's order, and in `text` what was seen; NONE for
 * runs that were not measured. REFERENCE_MOVED needs a golden: the verdict finds it. A throttle
 * reason that is no row of device/throttle.def counts. */
enum accp_trouble accp_environment_check(const struct accp_run *run, char *text, size_t text_bytes);

const char *accp_trouble_text(enum accp_trouble trouble);

#endif
