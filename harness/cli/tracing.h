/* From roles of a run to timelines of the issue model. */
#ifndef ACCP_CLI_TRACING_H
#define ACCP_CLI_TRACING_H

#include "cli/options.h"
#include "report/timeline.h"
#include "verdict/verdict.h"

struct accp_traced {
    size_t count;
    struct accp_timeline *items; /* owned */
    char note[512];              /* what was left out, and why; "": nothing */
};

/* Timelines of the roles of the runs whose name --timeline matches; without it, of the first that failed, or else of one
 * accumulator and the best at the longest chain of the first probe. Made from the built kernels: a role whose SASS is another is left out,
 * like one that the model does not time, and said so. The caller frees *traced (accp_traced_fini). Errors: USAGE (no
 * regular expression, or one that matches nothing), MEMORY; as accp_cubin_open. */
enum accp_status accp_tracing(const struct accp_options *options, const struct accp_run *runs,
                              size_t run_count, const struct accp_judgement *judgement,
                              struct accp_traced *traced, struct accp_error *error);
void accp_traced_fini(struct accp_traced *traced);

#endif
