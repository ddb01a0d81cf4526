#include "cli/explain_probe.h"
#include "cli/explaining.h"
#include "cli/verbs.h"

#include <stdlib.h>

static enum accp_status explain_loop(const struct accp_options *options, bool *is_known,
                                     struct accp_error *error)
{
    struct accp_explained *explained = calloc(1, sizeof *explained);
    if (!explained)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for an explanation");
    enum accp_status status = accp_explaining(options, explained, error);
    if (status == ACCP_STATUS_OK) {
        *is_known = explained->explanation.prediction.known;
        status = options->shape == ACCP_FORMAT_JSON
                     ? accp_explained_print_json(explained, error)
                     : accp_explained_print(explained, options->shape == ACCP_FORMAT_MARKDOWN,
                                            options->all, error);
        accp_explained_fini(explained);
    }
    free(explained);
    return status;
}

int accp_verb_explain(const struct accp_options *options)
{
    struct accp_error error;
    bool is_known = true;
    enum accp_status status = options->operand_count > 0 && accp_explain_is_probe(options)
                                  ? accp_explain_probe(options, &error)
                                  : explain_loop(options, &is_known, &error);
    if (status != ACCP_STATUS_OK) return accp_exit_error(&error);
    return is_known ? ACCP_EXIT_PASS : ACCP_EXIT_ENVIRONMENT;
}
