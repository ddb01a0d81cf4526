#include "base/plural.h"
#include "cli/measuring.h"
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A test that needs this run must learn that it was skipped, and must not judge an old one. */
static void leave_skip(const char *out, const struct accp_error *error)
{
    char path[4096];
    FILE *file;
    unlink(out);
    snprintf(path, sizeof path, "%s.skip", out);
    file = fopen(path, "w");
    if (!file) return;
    fprintf(file, "%s: %s\n", error->where, error->text);
    fclose(file);
}

static void drop_skip(const char *out)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.skip", out);
    unlink(path);
}

/* Rows are levels: a role stands there once for each number of warps. */
static size_t count_roles(const struct accp_run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->role_count; ++i) {
        size_t before = i;
        while (before > 0 && strcmp(run->roles[before - 1].role, run->roles[i].role) != 0)
            --before;
        count += before == 0;
    }
    return count;
}

int accp_verb_measure(const struct accp_options *options)
{
    struct accp_run run;
    struct accp_error error;
    double gpu_ms = -1;
    const bool operates = options->probe && strcmp(options->probe, "ops") == 0;
    accp_run_init(&run);
    enum accp_status status = operates ? accp_operating(options, &run, &error)
                                       : accp_measuring(options, &run, &gpu_ms, &error);
    if (status == ACCP_STATUS_SKIP && options->out) leave_skip(options->out, &error);
    if (status == ACCP_STATUS_OK && options->out) {
        drop_skip(options->out);
        status = accp_run_write(options->out, &run, &error);
    }
    if (status == ACCP_STATUS_OK && (!options->out || options->format))
        status = accp_run_print(&run, options->shape, &error);
    if (status == ACCP_STATUS_OK && options->shape == ACCP_FORMAT_TABLE) {
        const size_t roles = count_roles(&run);
        printf("%zu role%s, %zu level%s", roles, ACCP_PLURAL(roles, "s"), run.role_count,
               ACCP_PLURAL(run.role_count, "s"));
        if (gpu_ms >= 0) printf(", %.2f ms of GPU time", gpu_ms);
        puts("");
    }
    accp_run_fini(&run);
    return status == ACCP_STATUS_OK ? ACCP_EXIT_PASS : accp_exit_error(&error);
}
