/* Measuring roles on a GPU: the protocols of matrix/protocols.def.
 *
 * Each warp starts after a skew of its own, warms up in the loop, runs it briefly, and then runs it
 * until its budget is spent; a sample is the difference of the last two phases, cycles over
 * iterations, free of what entering the loop costs. With no warm-up (protocol seed) it is elapsed /
 * iterations. All samples of a process make one mean: the unit of replication is the process. */
#ifndef ACCP_MEASURE_MEASURE_H
#define ACCP_MEASURE_MEASURE_H

#include "base/status.h"
#include "device/device.h"
#include "parameters.h"
#include "run/run.h"

#include <stddef.h>
#include <stdint.h>

enum { ACCP_SELECTORS = 256 }; /* a selector is a byte */

/* A kernel to measure. `role` is NULL for a stranger's, whose name is then its symbol, and whose
 * results are not checked. Texts are borrowed. */
struct accp_measure_kernel {
    const char *symbol;
    const struct accp_role *role;
};

struct accp_measure_request {
    const void *cubin; /* borrowed */
    size_t cubin_bytes;
    const void *clock_cubin; /* kernels/clock.cu; NULL: no achieved clock is reported */
    size_t clock_cubin_bytes;
    const struct accp_measure_kernel *kernels; /* roles of one kernel stand together */
    size_t kernel_count;                       /* 1 or more */
    const char *protocol;                      /* a name in protocols.def (accp_protocol_known) */
    int warps;     /* in a block, 1..32; 0: as the protocol's rows say */
    uint64_t seed; /* of skews and of the order of roles; below 2^63 */
};

/* Where the time went; milliseconds. */
struct accp_measure_times {
    double gpu_ms; /* of the measuring launches */
};

/* Measures on an open device and fills run->roles (one for each kernel and row of the protocol),
 * protocol, reference and device; the caller adds source, date, tool and compiler. Before it times
 * anything it runs three iterations of each role and compares every lane with a double-precision
 * reference (measure/reference.h). The first kernel is the reference role: it runs at the start of
 * every launch round as a null control. Errors: INPUT (no such kernel,
 * too many warps for its registers), WRONG (a wrong result: role, thread, value), DEVICE, SKIP,
 * MEMORY. *run keeps what it held on failure. */
enum accp_status accp_measure(struct accp_device *device,
                              const struct accp_measure_request *request, struct accp_run *run,
                              struct accp_measure_times *times, struct accp_error *error);

/* One sample from what a warp wrote; 0 when it holds none (the loop ran too short, or never). */
double accp_measure_sample(const struct accp_parameters *parameters,
                           const struct accp_record *record);

/* Samples of `role` (NULL: a stranger's) from `count` warps' records, in their order, into `samples`
 * (room for `count`); returns how many. `selectors`: what each of these warps ran; NULL: no role
 * shares its kernel. */
size_t accp_measure_gather(const struct accp_parameters *parameters,
                           const struct accp_record *records, const uint8_t *selectors,
                           size_t count, const struct accp_role *role, double *samples);

/* The samples of mixed launches by warp of the block and by what ran beside them: of every selector that has
 * one in `mixes`, into its by_warp and beside. `count` warps are whole blocks of `block_warps` each, and warp w of a
 * block is on scheduler w modulo the SM's schedulers. MEMORY. */
enum accp_status accp_measure_mix(const struct accp_parameters *parameters,
                                  const struct accp_record *records, const uint8_t *selectors,
                                  size_t count, int block_warps,
                                  struct accp_run_mix *const mixes[ACCP_SELECTORS],
                                  struct accp_error *error);

/* Mean, min, max and modes of `count` samples (cycles per iteration; 0 means none and is left out),
 * and the mean progress. A mode is a whole number of cycles: a sample counts for the nearest.
 * Errors: DEVICE (samples so far apart that no clock gave them), MEMORY. */
enum accp_status accp_measure_summarise(const double *samples, size_t count,
                                        struct accp_cycles *cycles, double *progress,
                                        struct accp_error *error);

#endif
