#include "cli/claiming.h"
#include "cli/gate_devices.h"
#include "cli/judging.h"
#include "cli/measuring.h"
#include "cli/predicting.h"
#include "cli/verbs.h"
#include "device/device.h"

#include <stdio.h>

/* A machine without a GPU has other work for the gate; one whose GPU cannot be used just now must
 * not look fine. */
static bool has_no_gpu(const struct accp_error *reason)
{
    enum accp_absence absence = accp_absence_of(reason);
    return absence == ACCP_ABSENCE_NO_DRIVER || absence == ACCP_ABSENCE_STUB_DRIVER ||
           absence == ACCP_ABSENCE_NO_DEVICE;
}

/* From the SASS of the built kernels, or of --cubin. Says so, and why, in `note`. */
static enum accp_status predict(const struct accp_options *options, const char *reason,
                                struct accp_run *run, char *note, size_t note_bytes,
                                struct accp_error *error)
{
    char remarks[1024];
    size_t unknown;
    ACCP_TRY(accp_predicting(options, true, run, remarks, sizeof remarks, &unknown, error));
    snprintf(note, note_bytes, "PREDICTED from the SASS, nothing was measured here (%s).%s%s",
             reason, remarks[0] ? " Note: " : "", remarks);
    return ACCP_STATUS_OK;
}

static enum accp_status measure_or_predict(const struct accp_options *options, struct accp_run *run,
                                           char *note, size_t note_bytes, struct accp_error *error)
{
    double gpu_ms;
    if (options->arch) return predict(options, "--arch", run, note, note_bytes, error);
    enum accp_status status = accp_measuring(options, run, &gpu_ms, error);
    if (status != ACCP_STATUS_SKIP || !has_no_gpu(error) || accp_gpu_is_required()) return status;
    struct accp_error reason = *error;
    accp_run_fini(run);
    accp_run_init(run);
    return predict(options, reason.where, run, note, note_bytes, error);
}

static enum accp_status gate(const struct accp_options *options, struct accp_run *run,
                             int *exit_status, struct accp_error *error)
{
    char note[1536] = "";
    ACCP_TRY(measure_or_predict(options, run, note, sizeof note, error));
    if (options->out) ACCP_TRY(accp_run_write(options->out, run, error));
    return accp_judging(options, run, 1, NULL, note[0] ? note : NULL, exit_status, error);
}

int accp_verb_gate(const struct accp_options *options)
{
    struct accp_run run;
    struct accp_error error;
    struct accp_options one = *options;
    int exit_status = ACCP_EXIT_USAGE, device_count = 0;
    if (accp_claiming_check(options, &error) != ACCP_STATUS_OK) return accp_exit_error(&error);
    if (options->arch && options->device != -1) {
        accp_fail(&error, ACCP_STATUS_USAGE, NULL, -1,
                  "--device: with --arch the gate predicts, and measures on none; leave one out");
        return accp_exit_error(&error);
    }
    if (options->device == ACCP_DEVICE_ALL) {
        if (accp_device_count(&device_count, NULL) == ACCP_STATUS_OK)
            return accp_gate_devices(options, device_count);
        one.device = -1; /* no GPU to measure on: what the gate says then */
    }
    accp_run_init(&run);
    enum accp_status status = gate(&one, &run, &exit_status, &error);
    accp_run_fini(&run);
    return status == ACCP_STATUS_OK ? exit_status : accp_exit_error(&error);
}
