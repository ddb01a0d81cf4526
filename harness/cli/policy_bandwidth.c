#include "cli/policy_bandwidth.h"

#include "base/file.h"
#include "cli/select.h"
#include "policy/judge.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the recorded runs say so far. */
struct found {
    double bandwidth;
    char role[ACCP_NAME_BYTES];
    struct accp_run_device device; /* that got it */
    bool has_several;              /* GPUs that answer */
};

static bool is_same_gpu(const struct accp_run_device *a, const struct accp_run_device *b)
{
    return a->sm_count == b->sm_count && strcmp(a->arch, b->arch) == 0 &&
           strcmp(a->pci_device, b->pci_device) == 0;
}

static void consider(const struct accp_run *run, const char *arch,
                     const struct accp_run_device *device, struct found *found)
{
    char role[ACCP_NAME_BYTES];
    if (run->source != ACCP_SOURCE_MEASURED || strcmp(run->device.arch, arch) != 0 ||
        (device && !is_same_gpu(&run->device, device)))
        return;
    const double bandwidth = accp_policy_bandwidth_of(run, role);
    if (!(bandwidth > 0)) return;
    found->has_several |= found->bandwidth > 0 && !is_same_gpu(&run->device, &found->device);
    if (bandwidth <= found->bandwidth) return;
    found->bandwidth = bandwidth;
    found->device = run->device;
    snprintf(found->role, sizeof found->role, "%s", role);
}

static enum accp_status search(const struct accp_options *options, const char *arch,
                               const struct accp_run_device *device, struct found *found,
                               struct accp_error *error)
{
    char golden[PATH_MAX], folder[2 * PATH_MAX], pattern[sizeof folder + 64];
    glob_t files = {0};
    ACCP_TRY(accp_golden_folder(options, golden, error));
    accp_file_pattern(golden, folder, sizeof folder);
    snprintf(pattern, sizeof pattern, "%s/measured/*/operators/*.run.json", folder);
    enum accp_status status = ACCP_STATUS_OK;
    if (glob(pattern, 0, NULL, &files) != 0) files.gl_pathc = 0;
    for (size_t i = 0; i < files.gl_pathc && status == ACCP_STATUS_OK; ++i) {
        struct accp_run run;
        status = accp_run_read(files.gl_pathv[i], &run, error);
        if (status != ACCP_STATUS_OK) break;
        consider(&run, arch, device, found);
        accp_run_fini(&run);
    }
    globfree(&files);
    return status;
}

enum accp_status accp_policy_bandwidth(const struct accp_options *options, const char *arch,
                                       const struct accp_run_device *device,
                                       struct accp_policy_conditions *conditions,
                                       struct accp_error *error)
{
    struct found found = {0};
    if (!(conditions->bytes > 0) || conditions->bandwidth > 0) return ACCP_STATUS_OK;
    ACCP_TRY(search(options, arch, device, &found, error));
    if (found.has_several)
        return accp_fail(error, ACCP_STATUS_INPUT, "policy", -1,
                         "several GPUs of %s have recorded what their memory gives: say which with "
                         "--given bandwidth=BYTES, a cycle for each SM",
                         arch);
    if (!(found.bandwidth > 0))
        return accp_fail(error, ACCP_STATUS_INPUT, "policy", -1,
                         "--given bytes: nothing recorded says what the memory of this GPU (%s) "
                         "gives: add bandwidth=BYTES, a cycle for each SM, to --given",
                         arch);
    conditions->bandwidth = round(found.bandwidth * 10) / 10;
    snprintf(conditions->bandwidth_from, sizeof conditions->bandwidth_from,
             "measured by %.80s, %.40s", found.role, found.device.name);
    return ACCP_STATUS_OK;
}
