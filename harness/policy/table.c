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
    if (list->count == ACCP_POLICY_VALUES) return false;
    memmove(list->values + at + 1, list->values + at, (list->count - at) * sizeof *list->values);
    list->values[at] = value;
    ++list->count;
    return true;
}

/* "map_chain24_acc4": all of it, and nothing behind it. */
static bool read_map_symbol(const char *symbol, int *chain, int *acc)
{
    int read = 0;
    return sscanf(symbol, "map_chain%3d_acc%3d%n", chain, acc, &read) == 2 && symbol[read] == 0 &&
           *chain >= 1 && *acc >= 1 && *acc <= *chain;
}

/* Below a warp for each scheduler nothing changes: such loads are left out, and so are those that leave the schedulers
 * with different ones. */
bool accp_policy_point_of(const struct accp_arch *arch, const struct accp_run_role *role,
                          struct accp_policy_point *point)
{
    const struct accp_role *known = accp_role_find(role->role);
    if (role->cycles.n == 0 || role->warps < 1 || role->warps % arch->schedulers != 0) return false;
    *point = (struct accp_policy_point){.load = role->warps / arch->schedulers};
    if (!known) return read_map_symbol(role->role, &point->chain, &point->acc);
    const bool is_carried = known->probe == ACCP_PROBE_sink && known->sink == ACCP_SINK_CARRIED;
    point->sink = is_carried ? ACCP_POLICY_CARRIED : ACCP_POLICY_SUNK;
    point->chain = known->chain;
    point->acc = known->acc;
    return is_carried || known->probe == ACCP_PROBE_optimal;
}

static int compare(const struct accp_policy_point *a, const struct accp_policy_point *b)
{
    if (a->sink != b->sink) return a->sink < b->sink ? -1 : 1;
    if (a->chain != b->chain) return a->chain < b->chain ? -1 : 1;
    if (a->load != b->load) return a->load < b->load ? -1 : 1;
    return (a->acc > b->acc) - (a->acc < b->acc);
}

/* Where the point stands, or would. */
static size_t place_of(const struct accp_policy *policy, const struct accp_policy_point *point)
{
    size_t low = 0, high = policy->point_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(&policy->points[middle], point) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct accp_policy_point *accp_policy_point_find(const struct accp_policy *policy,
                                                       const struct accp_policy_point *wanted)
{
    const size_t at = place_of(policy, wanted);
    if (at == policy->point_count || compare(&policy->points[at], wanted) != 0) return NULL;
    return &policy->points[at];
}

/* Room for one point more. */
static enum accp_status grow(struct accp_policy *policy, const char *file, struct accp_error *error)
{
    if (policy->point_count < policy->point_room) return ACCP_STATUS_OK;
    const size_t room = policy->point_room ? 2 * policy->point_room : 256;
    struct accp_policy_point *grown = realloc(policy->points, room * sizeof *grown);
    if (!grown) return accp_fail(error, ACCP_STATUS_MEMORY, file, -1, "no memory for it");
    policy->points = grown;
    policy->point_room = room;
    return ACCP_STATUS_OK;
}

static enum accp_status add_point(struct accp_policy *policy, const char *file,
                                  const struct accp_policy_point *point, double cycles,
                                  struct accp_error *error)
{
    const size_t place = place_of(policy, point);
    if (!accp_policy_point_find(policy, point)) {
        if (!insert(&policy->chains[point->sink], point->chain) ||
            !insert(&policy->loads[point->sink], point->load) || !insert(&policy->accs, point->acc))
            return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                             "more chains, loads or numbers of accumulators than a policy holds");
        ACCP_TRY(grow(policy, file, error));
        memmove(policy->points + place + 1, policy->points + place,
                (policy->point_count - place) * sizeof *policy->points);
        policy->points[place] = *point;
        ++policy->point_count;
    }
    ++policy->points[place].runs;
    policy->points[place].sum += cycles;
    policy->points[place].squares += cycles * cycles;
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
        if (!accp_policy_point_of(policy->arch, &run->roles[i], &point)) continue;
        ACCP_TRY(add_point(policy, file, &point, run->roles[i].cycles.mean, error));
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
