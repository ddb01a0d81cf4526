/* Measuring the operators of the ops probe: matrix/operators.def, operator_kernels.def and
 * operator_sizes.def.
 *
 * A cell is an operator, a size and a length; its kernels, one for each number of accumulators, are launched in turn
 * in one process, in an order drawn anew for each round. Warps that begin together may stay in step, and whether they
 * do would decide the time; so each begins a random number of cycles later. It notes its SM's clock when it begins and
 * when it ends; an SM's time is from its first warp's begin to its last one's end, and a sample is the mean
 * of these over the SMs that the launch used. A role's mean is that of its samples without the fastest and the
 * slowest. What fits into a cache is there: every launch reads the same data. */
#ifndef ACCP_OPS_OPS_H
#define ACCP_OPS_OPS_H

#include "base/status.h"
#include "device/device.h"
#include "operators.h"
#include "run/run.h"

#include <stdbool.h>
#include <stdint.h>

struct accp_ops_request {
    const void *cubin; /* kernels/ops.cu; borrowed */
    size_t cubin_bytes;
    bool (*wants)(const void *context, const char *role); /* which roles to measure; NULL: all */
    const void *context;
    int rounds;      /* launches of each role that count, 1 or more */
    int skew_cycles; /* a warp begins a random number of cycles below this later, in a round alike for all kernels; 0: none */
    const int *lengths; /* elements of a lane instead of operators.def's; borrowed */
    int length_count;   /* 0: operators.def's */
    uint64_t seed;      /* of the data and of the order; below 2^63 */
};

enum { ACCP_OPS_LENGTHS = 64 }; /* that may be asked for */

/* The lengths at which an operator is measured when `wanted` are asked for (count 0: none are); how many: none where its
 * rows are shorter than all of them. */
int accp_ops_lengths(enum accp_operator_id op, const int *wanted, int count,
                     int lengths[ACCP_OPS_LENGTHS]);

/* The name of a role: ops.dot.warp1.n61.acc4. */
void accp_ops_name(const struct accp_operator_kernel *kernel, const struct accp_operator_size *size,
                   int length, char name[ACCP_NAME_BYTES]);

/* Measures on an open device and appends a role for each wanted one: chain is the elements of a lane, warps those of a
 * block, cycles one launch. Before a kernel is timed its results are compared with a double-precision reference: all
 * results of one block at short lengths, and results of warps drawn over the whole grid at the
 * lengths timed. Sets protocol and device; the caller adds source, date, tool and compiler.
 * Errors: INPUT (a kernel is not in the cubin), WRONG (a result is outside of its bound: role,
 * owner, value), DEVICE, SKIP, MEMORY, USAGE (no role is wanted). */
enum accp_status accp_ops_measure(struct accp_device *device,
                                  const struct accp_ops_request *request, struct accp_run *run,
                                  struct accp_error *error);

#endif
