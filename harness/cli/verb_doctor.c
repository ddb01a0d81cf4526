#include "cli/select.h"
#include "cli/verbs.h"
#include "device/device.h"
#include "report/table.h"
#include "sass/cubin.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct accp_column columns[] = {
    {"part", false, false}, {"state", false, false}, {"found", false, true}};

/* One finding a row; a missing GPU is no fault of the installation. */
struct doctor {
    struct accp_table *table;
    bool broken;
};

static enum accp_status say(struct doctor *doctor, const char *part, const char *state,
                            const char *text, struct accp_error *error)
{
    ACCP_TRY(accp_table_row(doctor->table, error));
    accp_table_cell(doctor->table, 0, "%s", part);
    accp_table_cell(doctor->table, 1, "%s", state);
    accp_table_cell(doctor->table, 2, "%s", text);
    return ACCP_STATUS_OK;
}

static enum accp_status look_at_golden(struct doctor *doctor, const struct accp_options *options,
                                       struct accp_error *error)
{
    char path[PATH_MAX];
    struct accp_error found;
    bool there = accp_golden_folder(options, path, &found) == ACCP_STATUS_OK;
    if (!there) doctor->broken = true;
    return say(doctor, "goldens", there ? "ok" : "MISSING", there ? path : found.text, error);
}

static enum accp_status look_at_kernels(struct doctor *doctor, struct accp_error *error)
{
    char path[PATH_MAX], text[PATH_MAX + 128];
    size_t arches = 0;
    for (int i = 0; i < ACCP_ARCH_COUNT; ++i) {
        struct accp_bytes bytes;
        struct accp_cubin cubin;
        struct accp_error found;
        if (accp_cubin_read(accp_arches[i].name, accp_probe_names[0], path, &bytes, &found) !=
            ACCP_STATUS_OK)
            continue;
        if (accp_cubin_open(path, bytes.data, bytes.size, &cubin, &found) == ACCP_STATUS_OK) {
            ++arches;
            accp_cubin_close(&cubin);
        } else {
            doctor->broken = true;
            ACCP_TRY(say(doctor, accp_arches[i].name, "BROKEN", found.text, error));
        }
        accp_bytes_fini(&bytes);
    }
    if (arches == 0) doctor->broken = true;
    snprintf(text, sizeof text, "built for %zu arches%s", arches,
             arches ? "" : ": build with ci/gate, or install again");
    return say(doctor, "kernels", arches ? "ok" : "MISSING", text, error);
}

static enum accp_status look_at_gpu(struct doctor *doctor, struct accp_error *error)
{
    char text[512];
    struct accp_device *device;
    struct accp_error found;
    struct accp_run_device facts;
    struct accp_run run;
    if (accp_device_open(0, &device, &found) != ACCP_STATUS_OK)
        return say(doctor, "GPU", "none", found.text, error);
    accp_run_init(&run);
    facts = run.device;
    accp_device_facts(device, &facts);
    snprintf(text, sizeof text, "%s, %s, %lld SMs, driver %s", facts.name, facts.arch,
             (long long)facts.sm_count, facts.driver);
    ACCP_TRY(say(doctor, "GPU", "ok", text, error));
    bool managed = accp_device_managed(device, &found);
    return say(doctor, "NVML", managed ? "ok" : "partly",
               managed ? "clocks, throttling and load are watched" : found.text, error);
}

int accp_verb_doctor(const struct accp_options *options)
{
    struct doctor doctor = {0};
    struct accp_error error;
    enum accp_status status =
        accp_table_create(columns, sizeof columns / sizeof *columns, &doctor.table, &error);
    if (status == ACCP_STATUS_OK) status = look_at_golden(&doctor, options, &error);
    if (status == ACCP_STATUS_OK) status = look_at_kernels(&doctor, &error);
    if (status == ACCP_STATUS_OK) status = look_at_gpu(&doctor, &error);
    if (status == ACCP_STATUS_OK && options->shape == ACCP_FORMAT_JSON)
        status = accp_table_print_json(doctor.table, "accprobe-doctor/1", stdout, &error);
    else if (status == ACCP_STATUS_OK)
        status =
            accp_table_print(doctor.table, stdout, options->shape == ACCP_FORMAT_MARKDOWN, &error);
    accp_table_destroy(doctor.table);
    if (status != ACCP_STATUS_OK) return accp_exit_error(&error);
    return doctor.broken ? ACCP_EXIT_USAGE : ACCP_EXIT_PASS;
}
