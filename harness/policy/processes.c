#include "policy/processes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static enum accp_status add_mean(struct accp_run *mean, const struct accp_point *point,
                                 struct accp_error *error)
{
    struct accp_run_role *role;
    ACCP_TRY(accp_run_append(mean, &role, error));
    memcpy(role->role, point->role, sizeof role->role);
    memcpy(role->kernel, point->kernel, sizeof role->kernel);
    role->chain = point->chain;
    role->acc = point->acc;
    role->effective = point->effective;
    role->warps = point->warps;
    role->cycles.n = point->samples;
    role->cycles.mean = point->mean;
    role->progress = point->progress;
    return ACCP_STATUS_OK;
}

enum accp_status accp_policy_processes_init(struct accp_policy_processes *processes,
                                            const struct accp_run *runs, size_t count,
                                            struct accp_error *error)
{
    *processes = (struct accp_policy_processes){0};
    ACCP_TRY(accp_summary_seeds(runs, count, error));
    ACCP_TRY(accp_summary_init(&processes->summary, runs, count, error));
    accp_run_init(&processes->mean);
    processes->mean.source = runs[0].source;
    processes->mean.device = runs[0].device;
    processes->mean.compiler = runs[0].compiler;
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 0; i < processes->summary.point_count && status == ACCP_STATUS_OK; ++i)
        status = add_mean(&processes->mean, &processes->summary.points[i], error);
    if (status != ACCP_STATUS_OK) accp_policy_processes_fini(processes);
    return status;
}

void accp_policy_processes_fini(struct accp_policy_processes *processes)
{
    accp_summary_fini(&processes->summary);
    accp_run_fini(&processes->mean);
    *processes = (struct accp_policy_processes){0};
}

void accp_policy_processes_spread(const struct accp_policy_processes *processes,
                                  struct accp_policy_regret *regrets, size_t count)
{
    const struct accp_summary *summary = &processes->summary;
    for (size_t i = 0; i < count; ++i) {
        const struct accp_point *split = &summary->points[regrets[i].split_role],
                                *best = &summary->points[regrets[i].best_role];
        double sum = 0, squares = 0;
        int n = 0;
        for (size_t run = 0; run < summary->run_count; ++run) {
            if (!(split->values[run] > 0 && best->values[run] > 0)) continue;
            const double ratio = split->values[run] / best->values[run];
            sum += ratio;
            squares += ratio * ratio;
            ++n;
        }
        const double variance = n > 1 ? fmax(0, squares - sum * sum / n) / (n - 1) : NAN;
        regrets[i].processes = n;
        regrets[i].error = sqrt(variance / n);
    }
}
