/* From runs to a verdict: what `check` and `gate` share. */
#ifndef ACCP_CLI_JUDGING_H
#define ACCP_CLI_JUDGING_H

#include "base/status.h"
#include "cli/options.h"
#include "run/run.h"

/* Judges runs (one for each process) against the goldens that answer for them, prints the report in
 * the format asked for and sets *exit_status. `file` names the first run: a document's statements
 * are read from it; NULL for a run that has no file. `note` stands on top of the report (NULL:
 * nothing). Measured runs that no golden answers for are left as pending ones. Errors: as
 * accp_verdict_judge, accp_golden_find; USAGE (a --claim that no claim matches). */
enum accp_status accp_judging(const struct accp_options *options, const struct accp_run *runs,
                              size_t run_count, const char *file, const char *note,
                              int *exit_status, struct accp_error *error);

#endif
