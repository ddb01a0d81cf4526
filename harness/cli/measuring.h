/* From the command line to a run: what `measure` and `gate` share. */
#ifndef ACCP_CLI_MEASURING_H
#define ACCP_CLI_MEASURING_H

#include "base/status.h"
#include "cli/options.h"
#include "run/run.h"

/* Opens the GPU that the options name and measures their roles (or the kernels of --cubin) into
 * *run, which the caller has initialised. *gpu_ms is the GPU time of the measuring launches.
 * Before anything is timed, the laws are applied to the kernels' SASS. Errors: WRONG (a law is
 * broken), as accp_measure, accp_select, accp_cubin_read, accp_cubin_open and accp_device_open. */
enum accp_status accp_measuring(const struct accp_options *options, struct accp_run *run,
                                double *gpu_ms, struct accp_error *error);

/* Writes a run as the options ask: a table (cycles, modes, progress), Markdown or the run file's
 * JSON. */
enum accp_status accp_run_print(const struct accp_run *run, enum accp_format format,
                                struct accp_error *error);

#endif
