/* The verbs of the command line. Each takes what the command line said, writes its answer to
 * standard output and returns the exit status of the process (README, "Exit status"); messages go
 * to standard error. */
#ifndef ACCP_CLI_VERBS_H
#define ACCP_CLI_VERBS_H

#include "base/status.h"
#include "cli/options.h"

#include <stdbool.h>

/* Exit statuses that are no verdict's. */
enum {
    ACCP_EXIT_PASS = 0,
    ACCP_EXIT_FAIL = 1,
    ACCP_EXIT_APPROVAL = 2,
    ACCP_EXIT_ENVIRONMENT = 3,
    ACCP_EXIT_USAGE = 4,
    ACCP_EXIT_SKIP = 77
};

enum { ACCP_OPERANDS_ANY = 1 << 20 };

#define ACCP_VERB_FUNCTION(id)                        int accp_verb_##id(const struct accp_options *options)
#define VERB(id, low, high, operands, summary, takes) ACCP_VERB_FUNCTION(id);
#include "cli/verbs.def"

/* Says an error on standard error ("accprobe: where: text") and returns the exit status of its
 * code. */
int accp_exit_error(const struct accp_error *error);

/* Whether ACCPROBE_REQUIRE_GPU=1 makes a missing GPU an error. */
bool accp_gpu_is_required(void);

#endif
