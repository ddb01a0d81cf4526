#include "cli/measuring.h"
#include "cli/verbs.h"

#include <stdio.h>
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

int accp_verb_measure(const struct accp_options *options)
{
    struct accp_run run;
    struct accp_error error;
    double gpu_ms;
    accp_run_init(&run);
    enum accp_status status = accp_measuring(options, &run, &gpu_ms, &error);
    if (status == ACCP_STATUS_SKIP && options->out) leave_skip(options->out, &error);
    if (status == ACCP_STATUS_OK && options->out) {
        drop_skip(options->out);
        status = accp_run_write(options->out, &run, &error);
    }
    if (status == ACCP_STATUS_OK && (!options->out || options->format))
        status = accp_run_print(&run, options->shape, &error);
    if (status == ACCP_STATUS_OK && options->shape == ACCP_FORMAT_TABLE)
        printf("%zu roles, %.2f ms of GPU time\n", run.role_count, gpu_ms);
    accp_run_fini(&run);
    return status == ACCP_STATUS_OK ? ACCP_EXIT_PASS : accp_exit_error(&error);
}
