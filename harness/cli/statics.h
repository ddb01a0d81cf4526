/* The static side of a verdict: what the SASS of a run's roles says beside its cycles. */
#ifndef ACCP_CLI_STATICS_H
#define ACCP_CLI_STATICS_H

#include "verdict/verdict.h"

struct accp_statics {
    size_t count;
    struct accp_static *items; /* owned */
};

/* One entry for each role of the runs (all of one probe) whose SASS is known, by comparing its hash
 * with that of its level in `golden` (NULL: no level answers). A role is also held against the laws: of the built kernel,
 * or of the golden shape of the run's compiler, whichever has the hash of the run; or by the spills that
 * the run itself speaks of. Where the SASS differs, the first instruction that
 * differs is named from the listings in `folder`/shape and from the built kernels; where neither
 * has it, the text says so. The caller frees *statics (accp_statics_fini), which is cleared on
 * failure. Errors: INPUT (the runs are of different SASS; bad listings
 * or golden shapes), MEMORY. */
enum accp_status accp_statics_of(const char *folder, int probe, const struct accp_run *runs,
                                 size_t run_count, const struct accp_golden *golden,
                                 struct accp_statics *statics, struct accp_error *error);
void accp_statics_fini(struct accp_statics *statics);

#endif
