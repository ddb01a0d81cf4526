/* How far a policy's answers are from the best ones of a run that it was not made of. */
#ifndef ACCP_POLICY_JUDGE_H
#define ACCP_POLICY_JUDGE_H

#include "policy/kernels.h"
#include "policy/policy.h"

/* One cell: a chain at a load, or an operator at a size and a length. A regret is the time of a
 * choice over that of the best number of accumulators in the run, less 1. */
struct accp_policy_regret {
    char cell[ACCP_NAME_BYTES]; /* a role's name without its acc */
    int load;
    enum accp_policy_rule rule;
    int split, best;
    bool is_operator;
    size_t first_role, split_role,
        best_role; /* indices into the run's roles: the cell's first, and those of split and best */
    double least_cycles;
    double of_split, of_one, of_two, of_four; /* regrets */
    int processes; /* that the run is the mean of; 0: it is a run (policy/processes.h) */
    double error;  /* standard error of of_split over the processes; NaN of one */
};

/* The regrets of one kind of cells together. */
struct accp_policy_verdict {
    size_t cells, within_one_percent; /* of the split */
    double mean_split, worst_split, mean_one, worst_one, mean_two, worst_two, mean_four, worst_four;
};

/* What is judged: the chains' policy, which is asked for operators under the conditions of operator_conditions.def; or
 * the candidates' own SASS, which is asked for operators alone. */
struct accp_policy_source {
    const struct accp_policy *chains; /* NULL where there are groups */
    const struct accp_policy_kernels *groups;
    size_t group_count;
    double waits; /* of an iteration, as in the conditions; for groups */
    double
        bandwidth; /* as in the conditions, for operators that read more than a cache holds; 0 or less: memory is left
                         out */
};

/* Judges every cell of the run, in the order of their first roles, that the source can be asked for: chains of the optimal probe (each iteration sums) and
 * of the sink probe's carried roles (isolated), and operators of the ops probe. *regrets is malloc'd, owned by the
 * caller. Of an operator only the numbers of
 * accumulators that the run has are asked for. Errors: INPUT (no such cell, one without 1, 2, 4 and the answer's number of accumulators, a run of another
 * arch than the groups), as accp_policy_ask and accp_policy_kernels_ask, MEMORY. */
enum accp_status accp_policy_judge(const struct accp_policy_source *source, const char *file,
                                   const struct accp_run *run, struct accp_policy_regret **regrets,
                                   size_t *count, struct accp_error *error);

/* Bytes a cycle that an SM of the run got of memory: the most of any stream role that every SM runs and that reads more
 * than a cache holds, which `role` then names; 0: there is none. */
double accp_policy_bandwidth_of(const struct accp_run *run, char role[ACCP_NAME_BYTES]);

/* Sums up the operators, or the chains. */
struct accp_policy_verdict accp_policy_verdict_of(const struct accp_policy_regret *regrets,
                                                  size_t count, bool of_operators);

#endif
