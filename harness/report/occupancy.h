/* The best split at every number of warps, and Little's law beside it.
 *
 * To keep a pipe of latency L busy that takes I instructions a cycle, L x I of them must be under
 * way. A chain over A accumulators has A links under way, and so has every warp of the scheduler:
 *
 *   accumulators needed = L x I / warps of a scheduler, and 1 at least
 *
 * I is the lanes of a scheduler over 32 (matrix/arches.def). L is measured: what a link more costs a
 * chain of one accumulator with one warp a scheduler. */
#ifndef ACCP_REPORT_OCCUPANCY_H
#define ACCP_REPORT_OCCUPANCY_H

#include "golden/summary.h"

#include <stdio.h>

/* A split whose cycles are within this of the best, relative, is as good as it. */
#define ACCP_OCCUPANCY_SLACK 0.01

/* A chain at one number of warps. */
struct accp_occupancy_cell {
    int chain, warps;
    double warps_of_scheduler; /* 1 at least: a scheduler without a warp needs none */
    double needed;             /* accumulators, by Little's law */
    int best;                  /* the fastest acc */
    int pick;                  /* the least acc measured that is not below what is needed, or the
                                  greatest of all */
    double cycles;             /* of the best, an iteration's */
    double single, pick_loss;  /* acc1, and the pick, over the best; relative */
};

/* Cycles that a link more costs a single accumulator, from the two longest chains at the fewest
 * warps. INPUT: fewer than two chains with acc1, or more warps than schedulers. */
enum accp_status accp_occupancy_latency(const struct accp_summary *summary, double *latency,
                                        struct accp_error *error);

/* Fills `cells` with every (chain, warps) of the optimal probe, in the order of the summary;
 * *count, one or more, is at most summary->point_count. INPUT: as accp_occupancy_latency; a series
 * without acc1. */
enum accp_status accp_occupancy_map(const struct accp_summary *summary,
                                    struct accp_occupancy_cell *cells, size_t *count,
                                    struct accp_error *error);

/* Prints `count` >= 1 cells, and in how many of them Little's pick is as good as the best. MEMORY. */
enum accp_status accp_occupancy_print(const struct accp_occupancy_cell *cells, size_t count,
                                      FILE *stream, bool json, bool markdown,
                                      struct accp_error *error);

#endif
