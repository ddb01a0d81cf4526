#include "base/plural.h"
#include "base/text.h"
#include "base/watchdog.h"
#include "cli/select.h"
#include "cli/verbs.h"
#include "device/device.h"
#include "golden/golden.h"
#include "report/plot.h"
#include "report/table.h"
#include "sass/cubin.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct accp_column columns[] = {{"part", false, false},
                                             {"state", false, false},
                                             {"found", false, false},
                                             {"mend", false, false}};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* The driver's package has a number in its name on Ubuntu, and is in a component of Debian that is off at first. */
/* clang-format off */
#define INSTALL_DRIVER "sudo apt-get install nvidia-driver (Debian, non-free), sudo ubuntu-drivers install (Ubuntu)"
#define INSTALL_OR_SHARE "sudo apt-get install nvidia-driver (Debian, non-free), sudo ubuntu-drivers install (Ubuntu); in a container: docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all"
/* clang-format on */

/* The command that mends a GPU or NVML that cannot be used; NULL: none does, and the remedy of
 * absence.def is all there is to say. */
static const char *const commands[ACCP_ABSENCE_COUNT] = {
    [ACCP_ABSENCE_NO_DRIVER] = INSTALL_OR_SHARE,
    [ACCP_ABSENCE_DRIVER_UNLOADABLE] = INSTALL_DRIVER,
    [ACCP_ABSENCE_DRIVER_INCOMPLETE] = INSTALL_DRIVER,
    [ACCP_ABSENCE_STUB_DRIVER] = "unset LD_LIBRARY_PATH",
    [ACCP_ABSENCE_NO_DEVICE] = "unset CUDA_VISIBLE_DEVICES; nvidia-smi -L",
    [ACCP_ABSENCE_NO_PERMISSION] =
        "sudo usermod -aG video,render $USER; in a container: docker run --gpus all",
    [ACCP_ABSENCE_DRIVER_FAILURE] = "sudo dmesg | grep NVRM; sudo modprobe nvidia",
    [ACCP_ABSENCE_DRIVER_MISMATCH] = "sudo reboot",
    [ACCP_ABSENCE_SYSTEM_NOT_READY] = "sudo systemctl start nvidia-fabricmanager",
    [ACCP_ABSENCE_DRIVER_TOO_OLD] = INSTALL_DRIVER,
    [ACCP_ABSENCE_OUT_OF_MEMORY] = "nvidia-smi",
    [ACCP_ABSENCE_DEVICE_PROHIBITED] = "sudo nvidia-smi -c DEFAULT",
    [ACCP_ABSENCE_DEVICE_EXCLUSIVE] = "sudo nvidia-smi -c DEFAULT",
    [ACCP_ABSENCE_DEVICE_UNAVAILABLE] = "nvidia-smi",
    [ACCP_ABSENCE_ECC_UNCORRECTABLE] = "sudo nvidia-smi --gpu-reset",
    [ACCP_ABSENCE_MPS_UNAVAILABLE] = "unset CUDA_MPS_PIPE_DIRECTORY",
    [ACCP_ABSENCE_NVML_ABSENT] = INSTALL_OR_SHARE,
    [ACCP_ABSENCE_NVML_MISMATCH] = "sudo reboot",
    [ACCP_ABSENCE_NVML_NO_DRIVER] = "sudo modprobe nvidia",
    [ACCP_ABSENCE_NVML_NO_PERMISSION] = "sudo accprobe doctor",
    [ACCP_ABSENCE_NVML_NO_DEVICE] = "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all",
    [ACCP_ABSENCE_NVML_DEVICE_LOST] = "sudo reboot",
    [ACCP_ABSENCE_NVML_FAILURE] = "nvidia-smi",
};

/* One finding a row, for people with its remedy below it, where a terminal has room for both; a missing GPU is no fault of
 * the installation. */
struct doctor {
    const struct accp_options *options;
    struct accp_table *table;
    bool broken;
};

static enum accp_status say(struct doctor *doctor, const char *part, const char *state,
                            const char *text, const char *command, struct accp_error *error)
{
    const bool for_people = doctor->options->shape == ACCP_FORMAT_TABLE;
    ACCP_TRY(accp_table_row(doctor->table, error));
    accp_table_cell(doctor->table, 0, "%s", part);
    accp_table_cell(doctor->table, 1, "%s", state);
    accp_table_cell(doctor->table, 2, "%s", text);
    if (!for_people) accp_table_cell(doctor->table, 3, "%s", command ? command : "");
    if (!for_people || !command) return ACCP_STATUS_OK;
    ACCP_TRY(accp_table_row(doctor->table, error));
    accp_table_cell(doctor->table, 1, "mend:");
    accp_table_cell(doctor->table, 2, "%s", command);
    return ACCP_STATUS_OK;
}

/* What mends a build tree. Kernels are built again and nothing else is touched: baselines that were recorded and are in no
 * commit yet would be lost. */
static const char GOLDENS[] = "git checkout -- golden", KERNELS[] = "ci/build";

static enum accp_status say_broken(struct doctor *doctor, const char *part, const char *state,
                                   const char *text, const char *in_tree, struct accp_error *error)
{
    char tool[PATH_MAX];
    doctor->broken = true;
    ACCP_TRY(accp_tool_folder(tool, error));
    return say(doctor, part, state, text,
               accp_tool_is_built(tool) ? in_tree : "sudo apt-get install --reinstall accprobe",
               error);
}

/* Nobody has measured this GPU model yet. */
static enum accp_status say_unmeasured(struct doctor *doctor, struct accp_error *error)
{
    char folder[PATH_MAX], path[PATH_MAX + 16], tool[2 * PATH_MAX], command[sizeof tool * 2 + 160];
    ACCP_TRY(accp_tool_folder(folder, error));
    snprintf(path, sizeof path, "%s/accprobe", folder);
    accp_text_word(path, tool, sizeof tool);
    snprintf(command, sizeof command,
             "for i in $(seq 30); do %s measure --out run-$i.json; done; %s record run-*.json "
             "--reason 'first baseline'",
             tool, tool);
    return say(doctor, "its golden", "none", "no baseline of this GPU model: levels are not judged",
               command, error);
}

static enum accp_status look_at_golden(struct doctor *doctor, struct accp_error *error)
{
    char path[PATH_MAX];
    struct accp_error found;
    if (accp_golden_folder(doctor->options, path, &found) != ACCP_STATUS_OK)
        return say_broken(doctor, "goldens", "MISSING", found.text, GOLDENS, error);
    return say(doctor, "goldens", "ok", path, NULL, error);
}

/* Whether a probe has kernels for an arch that has some. */
static enum accp_status look_at_cubin(const char *arch, const char *probe, struct accp_error *found)
{
    char path[PATH_MAX];
    struct accp_bytes bytes;
    struct accp_cubin cubin;
    ACCP_TRY(accp_cubin_read(arch, probe, path, &bytes, found));
    enum accp_status status = accp_cubin_open(path, bytes.data, bytes.size, &cubin, found);
    if (status == ACCP_STATUS_OK) accp_cubin_close(&cubin);
    accp_bytes_fini(&bytes);
    return status;
}

/* BROKEN where a file of an arch is no cubin or is not there, as a build leaves it that was cut short. */
static enum accp_status look_at_arch(struct doctor *doctor, const char *arch, size_t *arches,
                                     struct accp_error *error)
{
    struct accp_error found;
    char text[sizeof found.text + 96];
    if (!accp_arch_is_built(arch)) return ACCP_STATUS_OK;
    for (int i = 0; i < ACCP_PROBE_COUNT; ++i) {
        if (look_at_cubin(arch, accp_probe_names[i], &found) == ACCP_STATUS_OK) continue;
        snprintf(text, sizeof text,
                 "%s.cubin: %s; or remove the folder cubin/%s, if it is not wanted",
                 accp_probe_names[i], found.text, arch);
        return say_broken(doctor, arch, "BROKEN", text, KERNELS, error);
    }
    ++*arches;
    return ACCP_STATUS_OK;
}

static enum accp_status look_at_kernels(struct doctor *doctor, struct accp_error *error)
{
    char text[64];
    size_t arches = 0;
    for (int i = 0; i < ACCP_ARCH_COUNT; ++i)
        ACCP_TRY(look_at_arch(doctor, accp_arches[i].name, &arches, error));
    if (arches == 0)
        return say_broken(doctor, "kernels", "MISSING", "built for no arch", KERNELS, error);
    snprintf(text, sizeof text, "built for %zu arch%s", arches, ACCP_PLURAL(arches, "es"));
    return say(doctor, "kernels", "ok", text, NULL, error);
}

static const char *command_of(const struct accp_error *reason)
{
    enum accp_absence absence = accp_absence_of(reason);
    return (int)absence >= 0 && absence < ACCP_ABSENCE_COUNT ? commands[absence] : NULL;
}

/* Whether the gate has something to run on this GPU, and something to hold it against. */
static enum accp_status look_at_match(struct doctor *doctor, struct accp_run *run,
                                      struct accp_error *error)
{
    char folder[PATH_MAX], command[96];
    struct accp_golden_found found;
    struct accp_error reason;
    const char *arch = run->device.arch;
    if (!accp_arch_is_built(arch)) {
        snprintf(command, sizeof command, "cmake --preset default -DACCPROBE_ARCHES=%s; ci/build",
                 arch);
        ACCP_TRY(say(doctor, "its kernels", "none", arch, command, error));
    }
    if (strcmp(run->device.mig, "on") == 0)
        return say(doctor, "its golden", "none", "the GPU is split (MIG): slices have no baseline",
                   "sudo nvidia-smi -mig 0", error);
    run->source = ACCP_SOURCE_MEASURED;
    if (accp_golden_folder(doctor->options, folder, NULL) != ACCP_STATUS_OK) return ACCP_STATUS_OK;
    if (accp_golden_find(folder, accp_probe_names[0], run, &found, &reason) != ACCP_STATUS_OK)
        return say_broken(doctor, "its golden", "BROKEN", reason.text, GOLDENS, error);
    enum accp_status status = found.answer == ACCP_ANSWER_SKU
                                  ? say(doctor, "its golden", "ok", found.path, NULL, error)
                                  : say_unmeasured(doctor, error);
    accp_golden_fini(&found.golden);
    return status;
}

static enum accp_status look_at_gpu(struct doctor *doctor, struct accp_error *error)
{
    char text[512];
    struct accp_device *device;
    struct accp_error found;
    struct accp_run run;
    if (accp_device_open(0, &device, &found) != ACCP_STATUS_OK)
        return say(doctor, "GPU", "none", found.text, command_of(&found), error);
    accp_run_init(&run);
    accp_device_facts(device, &run.device);
    snprintf(text, sizeof text, "%s, %s, %lld SMs, driver %s", run.device.name, run.device.arch,
             (long long)run.device.sm_count, run.device.driver);
    ACCP_TRY(say(doctor, "GPU", "ok", text, NULL, error));
    bool managed = accp_device_managed(device, &found);
    ACCP_TRY(say(doctor, "NVML", managed ? "ok" : "partly",
                 managed ? "clocks, throttling and load are watched" : found.text,
                 managed ? NULL : command_of(&found), error));
    return look_at_match(doctor, &run, error);
}

/* Only the page of `report` needs it. */
static enum accp_status look_at_plots(struct doctor *doctor, struct accp_error *error)
{
    char path[PATH_MAX];
    return accp_plot_tool(path, NULL) == ACCP_STATUS_OK
               ? say(doctor, "gnuplot", "ok", path, NULL, error)
               : say(doctor, "gnuplot", "none",
                     "not on the PATH: report writes summaries, and no pages",
                     "sudo apt-get install gnuplot-nox", error);
}

static enum accp_status look(struct doctor *doctor, struct accp_error *error)
{
    ACCP_TRY(look_at_golden(doctor, error));
    ACCP_TRY(look_at_kernels(doctor, error));
    ACCP_TRY(look_at_plots(doctor, error));
    accp_watchdog_watch(accp_timeout_s(), ACCP_EXIT_ENVIRONMENT);
    ACCP_TRY(look_at_gpu(doctor, error));
    accp_watchdog_rest();
    const struct accp_options *options = doctor->options;
    if (options->shape == ACCP_FORMAT_JSON)
        return accp_table_print_json(doctor->table, "accprobe-doctor/1", stdout, error);
    return accp_table_print(doctor->table, stdout, options->shape == ACCP_FORMAT_MARKDOWN, error);
}

int accp_verb_doctor(const struct accp_options *options)
{
    struct doctor doctor = {.options = options};
    struct accp_error error;
    enum accp_status status =
        accp_table_create(columns, options->shape == ACCP_FORMAT_TABLE ? COLUMNS - 1 : COLUMNS,
                          &doctor.table, &error);
    if (status == ACCP_STATUS_OK) status = look(&doctor, &error);
    accp_table_destroy(doctor.table);
    if (status != ACCP_STATUS_OK) return accp_exit_error(&error);
    return doctor.broken ? ACCP_EXIT_USAGE : ACCP_EXIT_PASS;
}
