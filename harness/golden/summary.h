/* Several runs of the same thing, one a process, brought together: one point for each role and
 * number of warps, with the mean of every process. The unit of replication is the process: samples
 * inside one share its start, its clocks and its placement, and say nothing about the next. */
#ifndef ACCP_GOLDEN_SUMMARY_H
#define ACCP_GOLDEN_SUMMARY_H

#include "run/run.h"

/* A role at one number of warps. `series` is its name without ".accN": the roles among which an
 * order and a peak are claimed. `family` is the series without ".chainN": the series among which
 * the gap grows. Both are "" for a stranger's kernel. */
struct accp_point {
    char role[ACCP_NAME_BYTES], kernel[ACCP_NAME_BYTES];
    char series[ACCP_NAME_BYTES], family[ACCP_NAME_BYTES];
    int chain, acc, effective, warps;
    size_t processes; /* that timed it */
    size_t empty;     /* that name it and have no sample */
    uint64_t samples; /* of all processes */
    double mean, sd;  /* of the processes' means, cycles per iteration; sd 0 for one */
    double progress;  /* mean of the processes' progress */
    double *values;   /* owned; [run]: that process's mean, or 0 where it has none */
};

struct accp_summary {
    const struct accp_run *runs; /* borrowed */
    size_t run_count;
    struct accp_point *points; /* owned; sorted by role as the tables have them (strangers' last, by
                                  name), then warps */
    size_t point_count;
};

/* Brings `run_count` >= 1 runs together; they must stay alive as long as the summary. Pair with
 * accp_summary_fini. Errors: INPUT (runs of different sources, arches, SM counts, compilers or
 * protocols: they are not one measurement), MEMORY; *summary is cleared then. */
enum accp_status accp_summary_init(struct accp_summary *summary, const struct accp_run *runs,
                                   size_t run_count, struct accp_error *error);
void accp_summary_fini(struct accp_summary *summary);

/* Whether each measured run is a session of its own. REFUSED: two of them have one seed and a role in
 * common. */
enum accp_status accp_summary_seeds(const struct accp_run *runs, size_t run_count,
                                    struct accp_error *error);

/* The point of that name and number of warps, or NULL. */
const struct accp_point *accp_summary_find(const struct accp_summary *summary, const char *role,
                                           int warps);

/* The point with that accumulator count in a series, or NULL. */
const struct accp_point *accp_summary_in_series(const struct accp_summary *summary,
                                                const char *series, int acc, int warps);

/* The fastest timed point of a series at a number of warps, or NULL. */
const struct accp_point *accp_summary_best(const struct accp_summary *summary, const char *series,
                                           int warps);

/* The first point of each series and number of warps at or after *at, which moves past it; NULL at
 * the end. For loops: for (size_t at = 0; (point = accp_summary_next_series(&s, &at));) */
const struct accp_point *accp_summary_next_series(const struct accp_summary *summary, size_t *at);

/* The same for each family and number of warps; strangers have no family. */
const struct accp_point *accp_summary_next_family(const struct accp_summary *summary, size_t *at);

/* Whether two protocols are the same but for the seed and the number of blocks, which follows the
 * GPU. */
bool accp_protocol_same(const struct accp_run_protocol *left,
                        const struct accp_run_protocol *right);

/* "optimal.chain29" of "optimal.chain29.acc2" and "optimal" of both; for names of our tables only.
 */
void accp_series_name(const char *role, char series[ACCP_NAME_BYTES]);
void accp_family_name(const char *role, char family[ACCP_NAME_BYTES]);

#endif
