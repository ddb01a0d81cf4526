/* A measurement that was repeated in several processes: what is judged is the mean over them. */
#ifndef ACCP_POLICY_PROCESSES_H
#define ACCP_POLICY_PROCESSES_H

#include "golden/summary.h"
#include "policy/judge.h"

/* Pair with accp_policy_processes_fini. */
struct accp_policy_processes {
    struct accp_summary summary;
    struct accp_run
        mean; /* roles[i] is summary.points[i]: the mean of the processes that timed it */
};

/* Brings `count` >= 1 runs together, which must stay alive as long as the processes. Errors: as accp_summary_init and
 * accp_summary_seeds; *processes is cleared then. */
enum accp_status accp_policy_processes_init(struct accp_policy_processes *processes,
                                            const struct accp_run *runs, size_t count,
                                            struct accp_error *error);
void accp_policy_processes_fini(struct accp_policy_processes *processes);

/* Fills `processes` and `error` of regrets that are of the mean: the standard error, over the processes, of the time of
 * the split over that of the best. */
void accp_policy_processes_spread(const struct accp_policy_processes *processes,
                                  struct accp_policy_regret *regrets, size_t count);

#endif
