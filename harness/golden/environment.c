#include "golden/environment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const trouble_text[] = {
#define TROUBLE(id, text) [ACCP_TROUBLE_##id] = text,
    ACCP_TROUBLE_TABLE(TROUBLE)
#undef TROUBLE
};

const char *accp_trouble_text(enum accp_trouble trouble)
{
    return trouble_text[trouble];
}

enum { SLOWS_NO, SLOWS_YES };

static const struct {
    const char *text;
    int slows;
} throttles[] = {
#define THROTTLE(id, bit, slows, text) {text, SLOWS_##slows},
#include "device/throttle.def"
};

static bool slows(const char *reason, size_t length)
{
    if (length == 4 && strncmp(reason, "none", 4) == 0) return false;
    for (size_t i = 0; i < sizeof throttles / sizeof *throttles; ++i)
        if (strlen(throttles[i].text) == length && strncmp(throttles[i].text, reason, length) == 0)
            return throttles[i].slows;
    return length > 0; /* a reason that the table does not know is no reason to trust the run */
}

static bool throttled(const char *reasons, char *text, size_t text_bytes)
{
    while (*reasons) {
        reasons += strspn(reasons, ", ");
        size_t length = strcspn(reasons, ", ");
        if (slows(reasons, length)) {
            snprintf(text, text_bytes, "%.*s", (int)length, reasons);
            return true;
        }
        reasons += length;
    }
    return false;
}

static bool interrupted(const struct accp_run *run, char *text, size_t text_bytes)
{
    for (size_t i = 0; i < run->role_count; ++i) {
        const struct accp_cycles *cycles = &run->roles[i].cycles;
        if (cycles->n == 0 || run->roles[i].warps > ACCP_INTERRUPTION_WARPS ||
            run->roles[i].spills > 0 || cycles->max < ACCP_INTERRUPTION_RATIO * cycles->min)
            continue;
        snprintf(text, text_bytes, "a warp of %s@%d took %.6g cycles, another %.6g",
                 run->roles[i].role, (int)run->roles[i].warps, cycles->max, cycles->min);
        return true;
    }
    return false;
}

enum accp_trouble accp_environment_check(const struct accp_run *run, char *text, size_t text_bytes)
{
    const struct accp_run_device *device = &run->device;
    if (text_bytes > 0) text[0] = 0;
    if (run->source != ACCP_SOURCE_MEASURED) return ACCP_TROUBLE_NONE;
    if (throttled(device->throttle, text, text_bytes)) return ACCP_TROUBLE_THROTTLED;
    if (device->other_processes > 0) {
        snprintf(text, text_bytes, "%lld others", (long long)device->other_processes);
        return ACCP_TROUBLE_OTHER_PROCESSES;
    }
    if (device->utilization_percent > ACCP_UTILIZATION_LIMIT_PERCENT) {
        snprintf(text, text_bytes, "%lld %%, above %d %%", (long long)device->utilization_percent,
                 ACCP_UTILIZATION_LIMIT_PERCENT);
        return ACCP_TROUBLE_UTILIZED;
    }
    if (strcmp(device->mig, "on") == 0) {
        snprintf(text, text_bytes, "a slice of %lld SMs", (long long)device->sm_count);
        return ACCP_TROUBLE_MIG;
    }
    if (interrupted(run, text, text_bytes)) return ACCP_TROUBLE_INTERRUPTED;
    double first = run->reference_first, second = run->reference_second;
    if (first > 0 && second > 0 && fabs(second - first) > ACCP_REFERENCE_DRIFT_LIMIT * first) {
        snprintf(text, text_bytes, "%.6g cycles in the first half, %.6g in the second", first,
                 second);
        return ACCP_TROUBLE_REFERENCE_DRIFTED;
    }
    return ACCP_TROUBLE_NONE;
}
