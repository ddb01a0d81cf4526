/* From runs to a verdict: what `check`, `gate`, `report` and `export` share. */
#ifndef ACCP_CLI_JUDGING_H
#define ACCP_CLI_JUDGING_H

#include "base/status.h"
#include "cli/options.h"
#include "run/run.h"
#include "verdict/verdict.h"

#include <limits.h>

enum { ACCP_JUDGED_PROBES = ACCP_PROBE_COUNT + 1 }; /* the first stands for kernels of no probe */

/* A judgement over all probes of some runs, and what answered for each. */
struct accp_judged {
    struct accp_judgement judgement;
    struct accp_golden_found found[ACCP_JUDGED_PROBES]; /* [1 + probe]; LAWS where none answers */
    struct accp_golden_found *last; /* of the last probe that is in the runs; points into `found` */
    char golden_folder[PATH_MAX];
};

/* Reads run files (one a process) into *runs, which the caller frees with accp_judging_free.
 * Errors: SKIP (a file was not made because the measuring process skipped, with its reason); as
 * accp_run_read, accp_summary_seeds. */
enum accp_status accp_judging_read(char *const *files, size_t count, struct accp_run **runs,
                                   struct accp_error *error);
void accp_judging_free(struct accp_run *runs, size_t count);

/* Judges runs as below and prints nothing. *judged is owned by the caller: accp_judged_destroy,
 * which is safe on NULL. */
enum accp_status accp_judging_judge(const struct accp_options *options, const struct accp_run *runs,
                                    size_t run_count, const char *file, struct accp_judged **judged,
                                    struct accp_error *error);
void accp_judged_destroy(struct accp_judged *judged);

/* Judges runs (one for each process) against the goldens that answer for them, prints the report in
 * the format asked for and sets *exit_status. `file` names the first run: a document's statements
 * are read from it; NULL for a run that has no file. `note` stands on top of the report (NULL:
 * nothing). Measured runs that no golden answers for are left as pending ones. Errors: as
 * accp_verdict_judge, accp_golden_find; USAGE (a --claim that no claim matches). */
enum accp_status accp_judging(const struct accp_options *options, const struct accp_run *runs,
                              size_t run_count, const char *file, const char *note,
                              int *exit_status, struct accp_error *error);

#endif
