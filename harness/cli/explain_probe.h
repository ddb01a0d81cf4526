/* What `explain` says of a whole probe: the answer to its question, from measured runs. */
#ifndef ACCP_CLI_EXPLAIN_PROBE_H
#define ACCP_CLI_EXPLAIN_PROBE_H

#include "cli/options.h"

/* EXPLAINED(probe, recordings below golden/measured/<sku>/, with blanks between, what is said of it) */
#define ACCP_EXPLAINED_TABLE(EXPLAINED) \
    EXPLAINED(optimal, "occupancy/optimal.run.json", "the best split at every number of warps") \
    EXPLAINED(sink, "sink.run.json", "where the cycles of further accumulators go") \
    EXPLAINED(mixed, "mixed.run.json dispatch.run.json optimal.run.json", \
              "whether the order holds when each warp runs another role")

/* Whether the first operand is a probe that can be explained. */
bool accp_explain_is_probe(const struct accp_options *options);

/* Explains that probe from the runs that the other operands name, one a process; without any, from
 * the recordings of the one GPU below --golden, and says so. Prints in the format that the options
 * choose. Errors: as accp_run_read, accp_summary_init, accp_cubin_read and accp_model_predict; INPUT
 * (a run that is not measured, or lacks what is to be explained; no recording, or several GPUs'). */
enum accp_status accp_explain_probe(const struct accp_options *options, struct accp_error *error);

#endif
