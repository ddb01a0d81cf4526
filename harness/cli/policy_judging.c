#include "cli/policy_judging.h"

#include "base/file.h"
#include "base/text.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

void accp_policy_judging_fini(struct accp_policy_judging *judging)
{
    accp_policy_processes_fini(&judging->processes);
    for (size_t i = 0; i < judging->count; ++i)
        accp_run_fini(&judging->runs[i]);
    free(judging->runs);
    *judging = (struct accp_policy_judging){0};
}

static enum accp_status read_runs(char *const *paths, size_t count,
                                  struct accp_policy_judging *judging, struct accp_error *error)
{
    judging->runs = calloc(count, sizeof *judging->runs);
    if (!judging->runs)
        return accp_fail(error, ACCP_STATUS_MEMORY, paths[0], -1, "no memory for the runs");
    for (size_t i = 0; i < count; ++i) {
        ACCP_TRY(accp_run_read(paths[i], &judging->runs[i], error));
        ++judging->count;
    }
    return ACCP_STATUS_OK;
}

/* Whoever gave a folder has not numbered its runs: names the second of two that do not go together. */
static enum accp_status name_run(const glob_t *files, enum accp_status status,
                                 struct accp_error *error)
{
    const struct accp_error cause = *error;
    if (status == ACCP_STATUS_OK || cause.where[0] || cause.offset < 0) return status;
    return accp_fail(error, status, files->gl_pathv[cause.offset], -1,
                     "%s (runs are numbered in the order of their names)", cause.text);
}

static enum accp_status read_folder(const char *path, struct accp_policy_judging *judging,
                                    struct accp_error *error)
{
    char folder[2 * PATH_MAX], pattern[sizeof folder + 16];
    glob_t files = {0};
    accp_file_pattern(path, folder, sizeof folder);
    snprintf(pattern, sizeof pattern, "%s/*.run.json", folder);
    if (glob(pattern, 0, NULL, &files) != 0 || files.gl_pathc == 0) {
        char out[2 * PATH_MAX + 16], word[sizeof out + 16];
        globfree(&files);
        snprintf(out, sizeof out, "%s/1.run.json", path);
        accp_text_word(out, word, sizeof word);
        return accp_fail(error, ACCP_STATUS_INPUT, path, -1,
                         "holds no *.run.json: measure several processes into it, such as "
                         "accprobe measure --probe ops --out %.300s",
                         word);
    }
    enum accp_status status = read_runs(files.gl_pathv, files.gl_pathc, judging, error);
    if (status == ACCP_STATUS_OK && judging->count > 1)
        status = name_run(
            &files,
            accp_policy_processes_init(&judging->processes, judging->runs, judging->count, error),
            error);
    globfree(&files);
    return status;
}

enum accp_status accp_policy_judging_read(const char *path, struct accp_policy_judging *judging,
                                          struct accp_error *error)
{
    struct stat facts;
    char file[PATH_MAX], *alone = file;
    *judging = (struct accp_policy_judging){0};
    snprintf(file, sizeof file, "%s", path);
    const bool is_folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    const enum accp_status status =
        is_folder ? read_folder(path, judging, error) : read_runs(&alone, 1, judging, error);
    if (status != ACCP_STATUS_OK) accp_policy_judging_fini(judging);
    return status;
}

const struct accp_run *accp_policy_judging_run(const struct accp_policy_judging *judging)
{
    return judging->processes.summary.point_count > 0 ? &judging->processes.mean : judging->runs;
}

enum accp_status accp_policy_judging_regrets(const struct accp_policy_judging *judging,
                                             const struct accp_policy_source *source,
                                             const char *path, struct accp_policy_regret **regrets,
                                             size_t *count, struct accp_error *error)
{
    const struct accp_run *run = accp_policy_judging_run(judging);
    ACCP_TRY(accp_policy_judge(source, path, run, regrets, count, error));
    if (run != judging->runs) accp_policy_processes_spread(&judging->processes, *regrets, *count);
    return ACCP_STATUS_OK;
}
