/* From the command line to a predicted run: what `predict` and `gate` share. */
#ifndef ACCP_CLI_PREDICTING_H
#define ACCP_CLI_PREDICTING_H

#include "base/status.h"
#include "cli/options.h"
#include "run/run.h"

/* Predicts the roles that the options choose (or the kernels of --cubin) for --arch, sm_90 by
 * default, at --warps or at the numbers of warps of protocol gate, into *run, which the caller has
 * initialised. A loop that the model cannot time is in the run without samples; `note` (at least
 * 512 bytes) then says which and why, and whether the parameters of the arch were ever validated on
 * hardware. *unknown counts such roles. `for_gate`: the starts are always the same, and the laws
 * must hold. Errors: as accp_select,
 * accp_cubin_read, accp_cubin_open, accp_model_predict and accp_code_hot_loop; USAGE (--filter
 * leaves nothing of --cubin). */
enum accp_status accp_predicting(const struct accp_options *options, bool for_gate,
                                 struct accp_run *run, char *note, size_t note_bytes,
                                 size_t *unknown, struct accp_error *error);

#endif
