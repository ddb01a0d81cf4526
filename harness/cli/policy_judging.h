/* `accprobe policy --against`: a run, or a folder of runs, one a process each, by whose mean a policy is judged. */
#ifndef ACCP_CLI_POLICY_JUDGING_H
#define ACCP_CLI_POLICY_JUDGING_H

#include "policy/processes.h"

/* Pair with accp_policy_judging_fini. */
struct accp_policy_judging {
    struct accp_run *runs; /* owned */
    size_t count;
    struct accp_policy_processes processes; /* of a folder; cleared for a run alone */
};

/* Reads the run, or every *.run.json of the folder, in the order of their names. Errors: as accp_run_read and
 * accp_policy_processes_init, INPUT (a folder without runs), MEMORY; *judging is cleared then. */
enum accp_status accp_policy_judging_read(const char *path, struct accp_policy_judging *judging,
                                          struct accp_error *error);
void accp_policy_judging_fini(struct accp_policy_judging *judging);

/* What is judged by: the run, or the mean of the folder's. */
const struct accp_run *accp_policy_judging_run(const struct accp_policy_judging *judging);

/* As accp_policy_judge, and what the folder's processes leave of error in each regret. */
enum accp_status accp_policy_judging_regrets(const struct accp_policy_judging *judging,
                                             const struct accp_policy_source *source,
                                             const char *path, struct accp_policy_regret **regrets,
                                             size_t *count, struct accp_error *error);

#endif
