/* How many accumulators, read from the SASS of one kernel that was compiled with several: the policy for whoever has
 * compiled the candidates. Nothing is timed, and no run is needed.
 *
 * A scheduler is taken for a closed queue: its resident warps go round between its busiest unit, which serves one warp at
 * a time, and everything else that a warp waits for alone (stall counts, memory). From both, mean value analysis gives
 * the time of a warp (Reiser and Lavenberg, "Mean-value analysis of closed multichain queuing networks", 1980).
 *
 * Reads of shared memory and special functions of a scheduler's warps go through one queue, in order (Nsight Compute's
 * documentation, "Warp Stall Reasons", MIO throttle). A read that is issued behind a special function so waits for it, and
 * for one of each other warp that asked before. Where special functions are the busiest unit, its queue counts further warps,
 * so that only one is charged (docs/policy.md has both charges, judged). What a loop does in that order is taken as time that
 * a warp waits. */
#ifndef ACCP_POLICY_KERNELS_H
#define ACCP_POLICY_KERNELS_H

#include "policy/policy.h"
#include "sass/cubin.h"

/* One kernel, called <name>acc<K><rest>; cycles are those of a scheduler for one warp. */
struct accp_policy_kernel {
    int acc;
    int registers; /* of a thread; -1: the cubin does not say */
    int warps;     /* of a block, from the launch bounds; 4 where there are none */
    double stalls; /* cycles that the stall counts of an iteration of the hot loop take */
    double busy;   /* cycles that it keeps the busiest unit, or the issue slots */
    int ffmas;     /* of the hot loop */
    double
        queued; /* cycles that an iteration's reads wait behind the special functions of one other warp */
    bool is_special;                     /* special functions are the busiest unit */
    double outside_stalls, outside_busy; /* of all code outside of that loop, once */
};

/* The kernels that differ in K alone, ascending. */
struct accp_policy_kernels {
    char name[ACCP_NAME_BYTES]; /* "ops_dot_acc*" */
    const struct accp_arch *arch;
    size_t count;
    struct accp_policy_kernel kernels[ACCP_POLICY_ACCS];
};

/* The name of the group that a symbol belongs to, and its K; false: it holds no "acc" with a whole number from 1 to
 * 64 behind it, or is too long. */
bool accp_policy_kernels_name(const char *symbol, char name[ACCP_NAME_BYTES], int *acc);

/* Reads every group of the cubin that has more than one kernel; `wants` (NULL: all) says of which symbols. *groups is
 * malloc'd, owned by the caller. Errors: INPUT (no such group, none with one accumulator, more kernels in one than are
 * told apart, no hot loop, twice the FFMAs in the loop of one than of another), UNSUPPORTED (an arch without a row in
 * arches.def), MEMORY. */
enum accp_status accp_policy_kernels_read(const struct accp_cubin *cubin, const char *file,
                                          bool (*wants)(const void *context, const char *symbol),
                                          const void *context, struct accp_policy_kernels **groups,
                                          size_t *count, struct accp_error *error);

/* Warps on each scheduler that stay resident with the candidate of which most do. */
int accp_policy_kernels_fit(const struct accp_policy_kernels *group);

/* Answers for conditions->load warps of the grid on each scheduler, of which as many stay as their registers let, with
 * conditions->iterations of the hot loop for each time through the code outside of it (0, or less: the loop alone). Other
 * conditions: registers_left, waits, bytes and bandwidth. Errors: INPUT (more warps than fit; a condition that the
 * SASS answers itself; no kernel that meets them). */
enum accp_status accp_policy_kernels_ask(const struct accp_policy_kernels *group,
                                         const struct accp_policy_conditions *conditions,
                                         struct accp_policy_answer *answer,
                                         struct accp_error *error);

#endif
