/* What `explain` says of a whole probe: the answer to its question, from measured runs. */
#ifndef ACCP_CLI_EXPLAIN_PROBE_H
#define ACCP_CLI_EXPLAIN_PROBE_H

#include "cli/options.h"

/* EXPLAINED(probe, recording below golden/measured/<sku>/, what is said of it) */
#define ACCP_EXPLAINED_TABLE(EXPLAINED) \
    EXPLAINED(optimal, "occupancy/optimal.run.json", "the best split at every number of warps") \
    EXPLAINED(sink, "sink.run.json", "where the cycles of further accumulators go")

/* Whether the first operand is a probe that can be explained. */
bool accp_explain_is_probe(const struct accp_options *options);

/* Explains that probe from the runs that the other operands name, one a process; without any, from
 * the recording of the first GPU below --golden, and says so. Prints in the format that the options
 * choose. Errors: as accp_run_read, accp_summary_init, accp_cubin_read and accp_model_predict; INPUT
 * (a run that is not measured, or lacks what is to be explained; no recording). */
enum accp_status accp_explain_probe(const struct accp_options *options, struct accp_error *error);

#endif
