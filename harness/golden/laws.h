/* Laws that any run must obey, whatever GPU and compiler it comes from and with no baseline at all.
 */
#ifndef ACCP_GOLDEN_LAWS_H
#define ACCP_GOLDEN_LAWS_H

#include "golden/summary.h"

/* LAW(id, name in claims, text) */
#define ACCP_LAW_TABLE(LAW) \
    LAW(ISSUE_LIMIT, "issue_limit", "no role beats the FFMA issue limit of its arch") \
    LAW(CHAIN_MONOTONE, "chain_monotone", \
        "at one acc, a chain that is longer and no less deep does not cost less")

enum accp_law {
#define LAW(id, name, text) ACCP_LAW_##id,
    ACCP_LAW_TABLE(LAW)
#undef LAW
        ACCP_LAW_COUNT
};

/* By how much a mean may step over a law, relative: rounding and noise of a run, far below any real
 * breach. */
#define ACCP_LAW_SLACK 0.002

/* And by how many cycles a longer chain may cost less, for reasons that are not its own: where its loop
 * begins in its line of the instruction cache (docs/model.md: 2 cycles with one warp a scheduler). */
#define ACCP_LAW_PLACEMENT_CYCLES 2

/* One law applied to one point. `value` breaks it below `bound` (cycles per iteration, slack
 * included). `other` is the shorter chain that bounds this one, NULL for the issue limit: the longest
 * whose links wait for one another no deeper than this one's. A tail that all goes to one accumulator
 * makes a chain of 13 deeper than one of 29. */
struct accp_law_finding {
    enum accp_law law;
    const struct accp_point *point, *other;
    double value, bound;
    bool broken;
};

/* chain x warps of the least loaded scheduler x 32 / fp32_lanes, in cycles per iteration: what the
 * FFMAs alone need. 0 where it is not known: a stranger's kernel or an arch that arches.def lacks.
 * With fewer warps than schedulers each has one at most. Source: matrix/arches.def. */
double accp_law_issue_limit(const char *arch, int chain, int warps);

/* Applies a law to a point; false if it does not speak of this point (no sample, unknown arch,
 * shortest chain). */
bool accp_law_apply(enum accp_law law, const struct accp_summary *summary,
                    const struct accp_point *point, struct accp_law_finding *finding);

const char *accp_law_name(enum accp_law law);
const char *accp_law_text(enum accp_law law);

#endif
