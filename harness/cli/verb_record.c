#include "cli/select.h"
#include "cli/verbs.h"
#include "golden/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The first line that git prints in the golden's folder; "" when it fails or prints none. */
static void ask_git(const char *folder, const char *arguments, char *line, size_t bytes)
{
    char command[PATH_MAX + 128];
    line[0] = 0;
    if (strchr(folder, '\'')) return; /* a quote would end the argument below */
    snprintf(command, sizeof command, "git -C '%s' %s 2>/dev/null", folder, arguments);
    FILE *stream = popen(command, "r");
    if (!stream) return;
    if (!fgets(line, (int)bytes, stream)) line[0] = 0;
    pclose(stream);
    line[strcspn(line, "\n")] = 0;
}

static enum accp_status record(const struct accp_options *options, const struct accp_run *runs,
                               struct accp_error *error)
{
    char folder[PATH_MAX], commit[64], change[256], date[32];
    struct accp_record_outcome outcome;
    ACCP_TRY(accp_golden_folder(options, folder, error));
    ask_git(folder, "rev-parse HEAD", commit, sizeof commit);
    /* Goldens that were just recorded, and files that are in no commit, do not change what was
     * built. */
    ask_git(folder, "status --porcelain --untracked-files=no -- ':(top)' ':(top,exclude)golden'",
            change, sizeof change);
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    const struct accp_record_request request = {
        .runs = runs,
        .run_count = (size_t)options->operand_count,
        .folder = folder,
        .reason = options->reason,
        .commit = commit,
        .dirty = change[0] != 0,
        .date = date,
    };
    ACCP_TRY(accp_golden_record(&request, &outcome, error));
    printf("%s: %s (%zu rows changed, %zu kept)\n", outcome.path,
           outcome.written ? "written" : "as it was", outcome.rows_changed, outcome.rows_kept);
    return ACCP_STATUS_OK;
}

int accp_verb_record(const struct accp_options *options)
{
    struct accp_error error;
    size_t count = (size_t)options->operand_count, read = 0;
    enum accp_status status = ACCP_STATUS_OK;
    if (!options->reason) {
        accp_fail(&error, ACCP_STATUS_USAGE, NULL, -1,
                  "record needs --reason TEXT: it stands in the golden");
        return accp_exit_error(&error);
    }
    struct accp_run *runs = calloc(count, sizeof *runs);
    if (!runs) return ACCP_EXIT_USAGE;
    for (; read < count && status == ACCP_STATUS_OK; ++read)
        status = accp_run_read(options->operands[read], &runs[read], &error);
    if (status == ACCP_STATUS_OK) status = record(options, runs, &error);
    for (size_t i = 0; i < read; ++i)
        accp_run_fini(&runs[i]);
    free(runs);
    return status == ACCP_STATUS_OK ? ACCP_EXIT_PASS : accp_exit_error(&error);
}
