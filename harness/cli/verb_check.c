#include "cli/judging.h"
#include "cli/verbs.h"

int accp_verb_check(const struct accp_options *options)
{
    struct accp_error error;
    size_t count = (size_t)options->operand_count;
    int exit_status = ACCP_EXIT_USAGE;
    struct accp_run *runs;
    enum accp_status status = accp_judging_read(options->operands, count, &runs, &error);
    if (status == ACCP_STATUS_OK) {
        status =
            accp_judging(options, runs, count, options->operands[0], NULL, &exit_status, &error);
        accp_judging_free(runs, count);
    }
    return status == ACCP_STATUS_OK ? exit_status : accp_exit_error(&error);
}
