#include "cli/explain_probe.h"
#include "cli/verbs.h"

int accp_verb_explain(const struct accp_options *options)
{
    struct accp_error error;
    if (!accp_explain_is_probe(options)) {
        accp_fail(&error, ACCP_STATUS_USAGE, NULL, -1,
                  "explain %.60s: there is no explanation of it; there are: optimal, sink",
                  options->operands[0]);
        return accp_exit_error(&error);
    }
    return accp_explain_probe(options, &error) == ACCP_STATUS_OK ? ACCP_EXIT_PASS
                                                                 : accp_exit_error(&error);
}
