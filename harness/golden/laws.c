#include "golden/laws.h"

#include <string.h>

static const struct {
    const char *name, *text;
} laws[] = {
#define LAW(id, name, text) [ACCP_LAW_##id] = {name, text},
    ACCP_LAW_TABLE(LAW)
#undef LAW
};

const char *accp_law_name(enum accp_law law)
{
    return laws[law].name;
}

const char *accp_law_text(enum accp_law law)
{
    return laws[law].text;
}

double accp_law_issue_limit(const char *arch_name, int chain, int warps)
{
    const struct accp_arch *arch = accp_arch_find(arch_name);
    if (!arch || chain <= 0) return 0;
    int loaded = warps / arch->schedulers;
    return (double)chain * (loaded > 1 ? loaded : 1) * 32 / arch->fp32_lanes;
}

/* Links that wait for one another. */
static int depth_of(const struct accp_point *point)
{
    const struct accp_role *role = accp_role_find(point->role);
    return accp_links_of(role->placement, role->chain, role->effective).depth;
}

/* The longest of the family's chains below the point's, at its acc, that is no deeper. */
static const struct accp_point *next_shorter(const struct accp_summary *summary,
                                             const struct accp_point *point)
{
    const struct accp_point *shorter = NULL;
    for (size_t i = 0; i < summary->point_count; ++i) {
        const struct accp_point *other = &summary->points[i];
        if (other->warps != point->warps || other->acc != point->acc || other->processes == 0 ||
            other->chain >= point->chain || strcmp(other->family, point->family) != 0 ||
            depth_of(other) > depth_of(point))
            continue;
        if (!shorter || other->chain > shorter->chain) shorter = other;
    }
    return shorter;
}

bool accp_law_apply(enum accp_law law, const struct accp_summary *summary,
                    const struct accp_point *point, struct accp_law_finding *finding)
{
    double bound = 0;
    const struct accp_point *other = NULL;
    if (point->processes == 0 || !point->family[0]) return false;
    switch (law) {
    case ACCP_LAW_ISSUE_LIMIT:
        bound = accp_law_issue_limit(summary->runs[0].device.arch, point->chain, point->warps);
        break;
    case ACCP_LAW_CHAIN_MONOTONE:
        other = next_shorter(summary, point);
        if (other) bound = other->mean - ACCP_LAW_PLACEMENT_CYCLES;
        break;
    case ACCP_LAW_COUNT:
        break;
    }
    if (bound <= 0) return false;
    bound *= 1 - ACCP_LAW_SLACK;
    *finding = (struct accp_law_finding){
        .law = law,
        .point = point,
        .other = other,
        .value = point->mean,
        .bound = bound,
        .broken = point->mean < bound,
    };
    return true;
}
