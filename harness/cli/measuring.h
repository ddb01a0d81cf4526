/* From the command line to a run: what `measure` and `gate` share. */
#ifndef ACCP_CLI_MEASURING_H
#define ACCP_CLI_MEASURING_H

#include "base/status.h"
#include "cli/options.h"
#include "run/run.h"
#include "sass/cubin.h"

#include <stdint.h>

/* Opens the GPU that the options name and measures their roles (or the kernels of --cubin) into
 * *run, which the caller has initialised. *gpu_ms is the GPU time of the measuring launches.
 * A probe of which something is selected is launched whole, but for --kernel and protocol seed; the
 * run holds what was selected. Before anything is timed, the laws are applied to the kernels' SASS. Errors: WRONG (a law is
 * broken), as accp_measure, accp_select, accp_cubin_read, accp_cubin_open and accp_device_open. */
enum accp_status accp_measuring(const struct accp_options *options, struct accp_run *run,
                                double *gpu_ms, struct accp_error *error);

/* Measures the operators of the ops probe that --filter leaves, as accp_measuring does roles; with
 * --cubin, from that build of kernels/ops.cu. Errors: as accp_ops_measure, and USAGE for an option
 * that it has no use for. */
enum accp_status accp_operating(const struct accp_options *options, struct accp_run *run,
                                struct accp_error *error);

/* What both set in a run: where it came from, when, and with which tool; and the compiler. */
void accp_measuring_sign(struct accp_run *run);
void accp_measuring_name_compiler(const struct accp_cubin *cubin,
                                  struct accp_run_compiler *compiler);

/* --seed, else one from the clock; below 2^63. */
uint64_t accp_measuring_seed(const struct accp_options *options);

/* --device, else the GPU that CTest's resource specification gave this test ("id:1,slots:1"), else
 * the first. */
int accp_measuring_device_index(const struct accp_options *options);

/* Writes a run as the options ask: a table (cycles, modes, progress), Markdown or the run file's
 * JSON. */
enum accp_status accp_run_print(const struct accp_run *run, enum accp_format format,
                                struct accp_error *error);

/* USAGE for --device all. */
enum accp_status accp_measuring_check_device(const struct accp_options *options,
                                             struct accp_error *error);

#endif
