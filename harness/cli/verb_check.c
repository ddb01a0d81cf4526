#include "cli/judging.h"
#include "cli/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `measure --out F` that skipped left F.skip: a check that was to judge F is skipped with the same
 * reason. */
static bool was_skipped(const char *file, struct accp_error *error)
{
    char path[4096], text[ACCP_ERROR_TEXT_BYTES] = "";
    snprintf(path, sizeof path, "%s.skip", file);
    FILE *stream = fopen(path, "r");
    if (!stream) return false;
    if (!fgets(text, sizeof text, stream)) text[0] = 0;
    fclose(stream);
    text[strcspn(text, "\n")] = 0;
    accp_fail(error, ACCP_STATUS_SKIP, file, -1, "nothing was measured: %s", text);
    return true;
}

static enum accp_status read_all(const struct accp_options *options, struct accp_run *runs,
                                 struct accp_error *error)
{
    for (int i = 0; i < options->operand_count; ++i) {
        if (was_skipped(options->operands[i], error)) return ACCP_STATUS_SKIP;
        ACCP_TRY(accp_run_read(options->operands[i], &runs[i], error));
    }
    return ACCP_STATUS_OK;
}

int accp_verb_check(const struct accp_options *options)
{
    struct accp_error error;
    size_t count = (size_t)options->operand_count;
    int exit_status = ACCP_EXIT_USAGE;
    struct accp_run *runs = calloc(count, sizeof *runs);
    if (!runs) return ACCP_EXIT_USAGE;
    for (size_t i = 0; i < count; ++i)
        accp_run_init(&runs[i]);
    enum accp_status status = read_all(options, runs, &error);
    if (status == ACCP_STATUS_OK)
        status =
            accp_judging(options, runs, count, options->operands[0], NULL, &exit_status, &error);
    for (size_t i = 0; i < count; ++i)
        accp_run_fini(&runs[i]);
    free(runs);
    return status == ACCP_STATUS_OK ? exit_status : accp_exit_error(&error);
}
