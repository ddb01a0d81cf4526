#include "policy/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void accp_policy_fini(struct accp_policy *policy)
{
    free(policy->points);
    *policy = (struct accp_policy){0};
}

static enum accp_status refuse(struct accp_error *error, const char *file, const char *what,
                               const char *before, const char *now)
{
    return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                     "its %s is %s, that of the runs before it %s: a policy is of one; give the "
                     "runs of one alone",
                     what, now[0] ? now : "unknown", before[0] ? before : "unknown");
}

static enum accp_status check_same(const struct accp_policy *policy, const char *file,
                                   const struct accp_run *run, struct accp_error *error)
{
    const struct accp_run_device *device = &policy->device;
    if (run->source != policy->source)
        return refuse(error, file, "source", accp_source_text(policy->source),
                      accp_source_text(run->source));
    if (strcmp(run->device.arch, device->arch) != 0)
        return refuse(error, file, "arch", device->arch, run->device.arch);
    if (strcmp(run->device.pci_device, device->pci_device) != 0)
        return refuse(error, file, "PCI device", device->pci_device, run->device.pci_device);
    if (run->device.sm_count != device->sm_count) {
        char before[32], now[32];
        snprintf(before, sizeof before, "%lld", (long long)device->sm_count);
        snprintf(now, sizeof now, "%lld", (long long)run->device.sm_count);
        return refuse(error, file, "number of SMs", before, now);
    }
    if (strcmp(run->compiler.version, policy->compiler.version) != 0)
        return refuse(error, file, "compiler", policy->compiler.version, run->compiler.version);
    return ACCP_STATUS_OK;
}

static bool insert(struct accp_policy_values *list, int value)
{
    size_t at = 0;
    while (at < list->count && list->values[at] < value)
        ++at;
    if (at < list->count && list->values[at] == value) return true;
    if (list->count == sizeof list->values / sizeof *list->values) return false;
    memmove(list->values + at + 1, list->values + at, (list->count - at) * sizeof *list->values);
    list->values[at] = value;
    ++list->count;
    return true;
}

/* Which cost of the table a role is; false: none. Below a warp for each scheduler nothing changes:
 * such loads are left out, and so are those that leave the schedulers with different ones. */
static bool reads_role(const struct accp_policy *policy, const struct accp_run_role *role,
                       struct accp_policy_point *point)
{
    const struct accp_role *known = accp_role_find(role->role);
    if (!known || role->cycles.n == 0 || role->warps % policy->arch->schedulers != 0) return false;
    const bool is_carried = known->probe == ACCP_PROBE_sink && known->sink == ACCP_SINK_CARRIED;
    if (known->probe != ACCP_PROBE_optimal && !is_carried) return false;
    *point = (struct accp_policy_point){
        .sink = is_carried ? ACCP_POLICY_CARRIED : ACCP_POLICY_SUNK,
        .chain = role->chain,
        .load = role->warps / policy->arch->schedulers,
        .acc = role->acc,
    };
    return true;
}

static enum accp_status add_role(struct accp_policy *policy, const char *file,
                                 const struct accp_policy_point *point, double cycles,
                                 struct accp_error *error)
{
    struct accp_policy_point *at = policy->points, *end = at + policy->point_count;
    while (at < end && !(at->sink == point->sink && at->chain == point->chain &&
                         at->load == point->load && at->acc == point->acc))
        ++at;
    if (at == end) {
        if (!insert(&policy->chains, point->chain) || !insert(&policy->loads, point->load) ||
            !insert(&policy->accs, point->acc))
            return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                             "more chains, loads or numbers of accumulators than a policy holds");
        struct accp_policy_point *grown =
            realloc(policy->points, (policy->point_count + 1) * sizeof *grown);
        if (!grown) return accp_fail(error, ACCP_STATUS_MEMORY, file, -1, "no memory for it");
        policy->points = grown;
        at = &grown[policy->point_count++];
        *at = *point;
    }
    ++at->runs;
    at->sum += cycles;
    at->squares += cycles * cycles;
    return ACCP_STATUS_OK;
}

static enum accp_status begin(struct accp_policy *policy, const char *file,
                              const struct accp_run *run, struct accp_error *error)
{
    policy->arch = accp_arch_find(run->device.arch);
    if (!policy->arch)
        return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                         "its arch is %s, of which matrix/arches.def says nothing",
                         run->device.arch[0] ? run->device.arch : "not given");
    policy->source = run->source;
    policy->device = run->device;
    policy->compiler = run->compiler;
    memcpy(policy->first_date, run->date, sizeof policy->first_date);
    memcpy(policy->last_date, run->date, sizeof policy->last_date);
    return ACCP_STATUS_OK;
}

enum accp_status accp_policy_add(struct accp_policy *policy, const char *file,
                                 const struct accp_run *run, struct accp_error *error)
{
    size_t read = 0;
    ACCP_TRY(policy->run_count == 0 ? begin(policy, file, run, error)
                                    : check_same(policy, file, run, error));
    for (size_t i = 0; i < run->role_count; ++i) {
        struct accp_policy_point point;
        if (!reads_role(policy, &run->roles[i], &point)) continue;
        ACCP_TRY(add_role(policy, file, &point, run->roles[i].cycles.mean, error));
        ++read;
    }
    if (read == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                         "holds no role that a policy reads (optimal, and sink's carried ones, at "
                         "whole warps a scheduler): measure with --protocol occupancy");
    if (strcmp(run->date, policy->first_date) < 0)
        memcpy(policy->first_date, run->date, sizeof policy->first_date);
    if (strcmp(run->date, policy->last_date) > 0)
        memcpy(policy->last_date, run->date, sizeof policy->last_date);
    ++policy->run_count;
    return ACCP_STATUS_OK;
}
