#include "cli/judging.h"
#include "cli/measuring.h"
#include "cli/select.h"
#include "cli/verbs.h"
#include "device/device.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A machine without a GPU has other work for the gate; one whose GPU cannot be used just now must
 * not look fine. */
static bool has_no_gpu(const struct accp_error *reason)
{
    enum accp_absence absence = accp_absence_of(reason);
    return absence == ACCP_ABSENCE_NO_DRIVER || absence == ACCP_ABSENCE_STUB_DRIVER ||
           absence == ACCP_ABSENCE_NO_DEVICE;
}

/* Without a GPU the gate shows a recording, and says so: golden/measured/<sku>/<probe>.run.json. */
static enum accp_status replay(const struct accp_options *options, const struct accp_error *reason,
                               struct accp_run *run, char *note, size_t note_bytes,
                               struct accp_error *error)
{
    char folder[PATH_MAX], pattern[PATH_MAX];
    glob_t found;
    ACCP_TRY(accp_golden_folder(options, folder, error));
    snprintf(pattern, sizeof pattern, "%s/measured/*/%s.run.json", folder,
             options->probe ? options->probe : "optimal");
    if (glob(pattern, 0, NULL, &found) != 0) {
        *error = *reason;
        return ACCP_STATUS_SKIP;
    }
    enum accp_status status = accp_run_read(found.gl_pathv[0], run, error);
    if (status == ACCP_STATUS_OK)
        snprintf(note, note_bytes,
                 "REPLAYED, nothing was measured here (%s): the recording %s of %s, made on %s.",
                 reason->where, strstr(found.gl_pathv[0], "measured/"), run->date,
                 run->device.name);
    globfree(&found);
    return status;
}

/* A filtered gate judges only what it was asked for, in a replay too. */
static void keep_selected(const struct accp_selection *selection, struct accp_run *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->role_count; ++i)
        for (size_t j = 0; j < selection->count; ++j)
            if (strcmp(run->roles[i].role, selection->roles[j]->name) == 0) {
                run->roles[kept++] = run->roles[i];
                break;
            }
    run->role_count = kept;
}

static enum accp_status gate(const struct accp_options *options, struct accp_run *run,
                             int *exit_status, struct accp_error *error)
{
    char note[512] = "";
    double gpu_ms;
    struct accp_selection selection;
    ACCP_TRY(accp_select(options, &selection, error));
    enum accp_status status = accp_measuring(options, run, &gpu_ms, error);
    if (status == ACCP_STATUS_SKIP && has_no_gpu(error) && !accp_gpu_is_required()) {
        struct accp_error reason = *error;
        accp_run_fini(run);
        status = replay(options, &reason, run, note, sizeof note, error);
        if (status == ACCP_STATUS_OK) keep_selected(&selection, run);
    }
    ACCP_TRY(status);
    if (options->out) ACCP_TRY(accp_run_write(options->out, run, error));
    return accp_judging(options, run, 1, NULL, note[0] ? note : NULL, exit_status, error);
}

int accp_verb_gate(const struct accp_options *options)
{
    struct accp_run run;
    struct accp_error error;
    int exit_status = ACCP_EXIT_USAGE;
    accp_run_init(&run);
    enum accp_status status = gate(options, &run, &exit_status, &error);
    accp_run_fini(&run);
    return status == ACCP_STATUS_OK ? exit_status : accp_exit_error(&error);
}
