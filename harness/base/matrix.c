#include "matrix.h"

#include <string.h>

const char *const accp_probe_names[] = {
#define PROBE(id, table, question) [ACCP_PROBE_##id] = #id,
#include "probes.def"
};

const char *const accp_probe_questions[] = {
#define PROBE(id, table, question) [ACCP_PROBE_##id] = question,
#include "probes.def"
};

/* A role's name ends in a word for each column that is not the usual one. */
#define SINK_SUFFIX_FULL             ""
#define SINK_SUFFIX_ONE              ".one"
#define SINK_SUFFIX_STORE            ".store"
#define SINK_SUFFIX_CARRIED          ".carried"
#define PLACEMENT_SUFFIX_ROUND_ROBIN ""
#define PLACEMENT_SUFFIX_FRONT       ".front"
#define PLACEMENT_SUFFIX_BACK        ".back"
#define PLACEMENT_SUFFIX_BLOCKED     ".blocked"
#define PLACEMENT_SUFFIX_HALVES      ".halves"
#define PLACEMENT_SUFFIX_TREE        ".tree"
#define PLACEMENT_SUFFIX_BRAID       ".braid"

#define KERNEL_ALONE(probe, id, chain, effective)   #probe "_" #id "_effective" #effective
#define KERNEL_UNIFORM(probe, id, chain, effective) #probe "_chain" #chain
#define KERNEL_MIXED(probe, id, chain, effective)   #probe "_chain" #chain

const struct accp_role accp_roles[] = {
#define ROLE_OF(probe_, dispatch_, id, chain_, acc_, effective_, sink_, placement_) \
    [ACCP_ROLE_##probe_##_##id] = {.probe = ACCP_PROBE_##probe_, \
                                   .dispatch = ACCP_DISPATCH_##dispatch_, \
                                   .name = #probe_ \
                                   ".chain" #chain_ \
                                   ".acc" #acc_ SINK_SUFFIX_##sink_ PLACEMENT_SUFFIX_##placement_, \
                                   .kernel = KERNEL_##dispatch_(probe_, id, chain_, effective_), \
                                   .chain = chain_, \
                                   .acc = acc_, \
                                   .effective = effective_, \
                                   .sink = ACCP_SINK_##sink_, \
                                   .placement = ACCP_PLACEMENT_##placement_},
#include "roles.def"
};

#define ROLE_OF(probe, dispatch, id, chain, acc, effective, sink, placement) \
    _Static_assert((effective) == ((acc) < (chain) ? (acc) : (chain)), \
                   "effective is the smaller of acc and chain: " #id); \
    _Static_assert((chain) <= ACCP_LINKS, "a chain is at most ACCP_LINKS long: " #id);
#include "roles.def"

_Static_assert(sizeof accp_roles / sizeof *accp_roles == ACCP_ROLE_COUNT, "one entry a role");

const struct accp_protocol accp_protocols[] = {
#define PROTOCOL(id, name, warps, blocks, launches, budget, skew, warmup) \
    [ACCP_PROTOCOL_##id] = {#name, warps, ACCP_BLOCKS_##blocks, launches, budget, skew, warmup},
#include "protocols.def"
};

enum { VALIDATED_NO, VALIDATED_YES };

const struct accp_arch accp_arches[] = {
#define ARCH(id, lanes, schedulers, warps, registers, allocation, validated) \
    [ACCP_ARCH_## \
        id] = {#id, lanes, schedulers, warps, registers, allocation, VALIDATED_##validated},
#include "arches.def"
};

/* Names have dots and kernels, as identifiers of C, have none. */
const struct accp_role *accp_role_find(const char *name_or_kernel)
{
    const bool is_name = strchr(name_or_kernel, '.');
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        const struct accp_role *role = &accp_roles[i];
        if ((is_name || role->dispatch == ACCP_DISPATCH_ALONE) &&
            strcmp(is_name ? role->name : role->kernel, name_or_kernel) == 0)
            return role;
    }
    return NULL;
}

const struct accp_arch *accp_arch_find(const char *name)
{
    for (size_t i = 0; i < ACCP_ARCH_COUNT; ++i)
        if (strcmp(accp_arches[i].name, name) == 0) return &accp_arches[i];
    return NULL;
}

bool accp_protocol_known(const char *name)
{
    for (size_t i = 0; i < ACCP_PROTOCOL_COUNT; ++i)
        if (strcmp(accp_protocols[i].name, name) == 0) return true;
    return false;
}

int accp_probe_find(const char *name)
{
    for (int i = 0; i < ACCP_PROBE_COUNT; ++i)
        if (strcmp(accp_probe_names[i], name) == 0) return i;
    return -1;
}
