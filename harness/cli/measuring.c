#include "cli/measuring.h"

#include "base/watchdog.h"
#include "cli/select.h"
#include "cli/shaping.h"
#include "cli/verbs.h"
#include "device/device.h"
#include "measure/measure.h"
#include "parameters.h"
#include "verdict/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One module to measure: a probe's built cubin, or the stranger's. */
struct job {
    char path[PATH_MAX];
    struct accp_bytes bytes;
    struct accp_cubin cubin;
    struct accp_measure_kernel *kernels;
    size_t kernel_count;
    const struct accp_selection *selection; /* what the run keeps of them; NULL: all */
};

static void job_fini(struct job *job)
{
    free(job->kernels);
    accp_cubin_close(&job->cubin);
    accp_bytes_fini(&job->bytes);
}

static enum accp_status job_open(struct job *job, struct accp_error *error)
{
    ACCP_TRY(accp_cubin_open(job->path, job->bytes.data, job->bytes.size, &job->cubin, error));
    size_t most =
        job->cubin.kernel_count > ACCP_ROLE_COUNT ? job->cubin.kernel_count : ACCP_ROLE_COUNT;
    job->kernels = calloc(most, sizeof *job->kernels);
    if (!job->kernels)
        return accp_fail(error, ACCP_STATUS_MEMORY, job->path, -1, "no memory for it");
    return ACCP_STATUS_OK;
}

/* Only kernels that take our parameters can be run: with others we would have to guess what to
 * pass. */
static enum accp_status job_of_stranger(const struct accp_options *options, struct job *job,
                                        struct accp_error *error)
{
    snprintf(job->path, sizeof job->path, "%s", options->cubin);
    ACCP_TRY(accp_file_read(job->path, 1u << 30, &job->bytes, error));
    ACCP_TRY(job_open(job, error));
    struct accp_pattern filter;
    ACCP_TRY(accp_pattern_init(&filter, "filter", options->filter, error));
    int64_t unfit = -1;
    for (size_t i = 0; i < job->cubin.kernel_count; ++i) {
        const struct accp_kernel *kernel = &job->cubin.kernels[i];
        if (options->kernel && strcmp(options->kernel, kernel->name) != 0) continue;
        const struct accp_role *role = accp_role_find(kernel->name);
        if (!accp_pattern_matches(&filter, role ? role->name : kernel->name)) continue;
        if (kernel->parameter_bytes != (int64_t)sizeof(struct accp_parameters)) {
            unfit = kernel->parameter_bytes;
            continue;
        }
        job->kernels[job->kernel_count++] = (struct accp_measure_kernel){kernel->name, role};
    }
    accp_pattern_fini(&filter);
    if (job->kernel_count > 0) return ACCP_STATUS_OK;
    if (unfit >= 0)
        return accp_fail(
            error, ACCP_STATUS_INPUT, job->path, -1,
            "its kernels take %lld bytes of parameters: measure runs those that take struct "
            "accp_parameters (%zu bytes, kernels/parameters.h); predict takes any",
            (long long)unfit, sizeof(struct accp_parameters));
    return accp_fail(error, ACCP_STATUS_USAGE, job->path, -1, "no kernel of it is called %.80s",
                     options->kernel   ? options->kernel
                     : options->filter ? options->filter
                                       : "anything");
}

static bool is_selected(const struct accp_selection *selection, const char *role)
{
    for (size_t i = 0; i < selection->count; ++i)
        if (strcmp(selection->roles[i]->name, role) == 0) return true;
    return false;
}

/* With two warps a scheduler, what a kernel costs that several roles share depends on what ran
 * before it: such a probe is measured whole, as for its baseline, whatever was selected of it. */
static bool is_measured(const struct accp_selection *selection, const struct accp_role *role)
{
    return role->dispatch != ACCP_DISPATCH_ALONE || is_selected(selection, role->name);
}

static enum accp_status job_of_probe(const struct accp_selection *selection, int probe,
                                     const char *arch, struct job *job, struct accp_error *error)
{
    size_t wanted = 0;
    for (size_t i = 0; i < selection->count; ++i)
        wanted += (int)selection->roles[i]->probe == probe;
    if (wanted == 0) return ACCP_STATUS_OK;
    ACCP_TRY(accp_cubin_read(arch, accp_probe_names[probe], job->path, &job->bytes, error));
    ACCP_TRY(job_open(job, error));
    job->selection = selection;
    for (int i = 0; i < ACCP_ROLE_COUNT; ++i)
        if ((int)accp_roles[i].probe == probe && is_measured(selection, &accp_roles[i]))
            job->kernels[job->kernel_count++] =
                (struct accp_measure_kernel){accp_roles[i].kernel, &accp_roles[i]};
    return ACCP_STATUS_OK;
}

static void keep_selected(const struct accp_selection *selection, size_t first,
                          struct accp_run *run)
{
    size_t kept = first;
    for (size_t i = first; i < run->role_count; ++i)
        if (is_selected(selection, run->roles[i].role)) run->roles[kept++] = run->roles[i];
    run->role_count = kept;
}

void accp_measuring_name_compiler(const struct accp_cubin *cubin,
                                  struct accp_run_compiler *compiler)
{
    snprintf(compiler->name, sizeof compiler->name, "%s", cubin->compiler_name);
    snprintf(compiler->version, sizeof compiler->version, "%s", cubin->compiler_version);
    snprintf(compiler->flags, sizeof compiler->flags, "%s", cubin->compiler_flags);
}

uint64_t accp_measuring_seed(const struct accp_options *options)
{
    struct timespec now;
    if (options->seed >= 0) return (uint64_t)options->seed;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mixed = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec +
                     (uint64_t)getpid() * 2654435761u;
    return mixed >> 1;
}

/* Shapes what is about to be measured, and refuses a kernel that is not what its role asks for,
 * unless it is asked what that costs. A stranger's kernel without a hot loop is measured all the
 * same. */
static enum accp_status apply_laws(const struct job *job, bool with_broken,
                                   struct accp_shapes *shapes, struct accp_error *error)
{
    memset(shapes, 0, sizeof *shapes);
    shapes->shapes = calloc(job->kernel_count, sizeof *shapes->shapes);
    if (!shapes->shapes)
        return accp_fail(error, ACCP_STATUS_MEMORY, job->path, -1, "no memory for its shapes");
    for (size_t i = 0; i < job->kernel_count; ++i) {
        struct accp_shape *shape = &shapes->shapes[shapes->count];
        const struct accp_role *role = job->kernels[i].role;
        const struct accp_kernel *kernel = accp_cubin_find(&job->cubin, job->kernels[i].symbol);
        char broken[ACCP_SHAPE_LAW_TEXT_BYTES + 160];
        if (!kernel) continue; /* accp_measure says so */
        enum accp_status status = accp_shape_make(&job->cubin, kernel, role, NULL, shape, error);
        if (status != ACCP_STATUS_OK && role)
            return accp_fail(error, ACCP_STATUS_WRONG, role->name, -1,
                             "a law is broken, so nothing was timed: no hot loop (%.200s)",
                             job->path);
        if (status != ACCP_STATUS_OK) continue;
        ++shapes->count;
        if (!accp_shape_broken_text(shape, broken, sizeof broken)) continue;
        if (with_broken)
            fprintf(stderr, "accprobe: %s: a law is broken, and it is timed all the same: %s\n",
                    role->name, broken);
        else
            return accp_fail(error, ACCP_STATUS_WRONG, role->name, -1,
                             "a law is broken, so nothing was timed: %s (%.200s)", broken,
                             job->path);
    }
    return ACCP_STATUS_OK;
}

static void identify(const struct accp_shapes *shapes, struct accp_run *run)
{
    for (size_t i = 0; i < run->role_count; ++i) {
        for (size_t k = 0; k < shapes->count; ++k)
            if (strcmp(shapes->shapes[k].kernel, run->roles[i].kernel) == 0 &&
                (!shapes->shapes[k].role[0] ||
                 strcmp(shapes->shapes[k].role, run->roles[i].role) == 0))
                accp_shaping_identify(&shapes->shapes[k], &run->roles[i]);
    }
}

static enum accp_status measure_job(const struct accp_options *options, struct accp_device *device,
                                    const struct accp_bytes *clock, const struct job *job,
                                    struct accp_run *run, double *gpu_ms, struct accp_error *error)
{
    struct accp_measure_request request = {
        .cubin = job->bytes.data,
        .cubin_bytes = job->bytes.size,
        .clock_cubin = clock->data,
        .clock_cubin_bytes = clock->size,
        .kernels = job->kernels,
        .kernel_count = job->kernel_count,
        .protocol = options->protocol ? options->protocol : "gate",
        .warps = options->warps > 0 ? (int)options->warps : 0,
        .seed = accp_measuring_seed(options),
    };
    struct accp_measure_times times = {0};
    struct accp_shapes shapes;
    const size_t first = run->role_count;
    accp_measuring_name_compiler(&job->cubin, &run->compiler);
    enum accp_status status = apply_laws(job, options->broken, &shapes, error);
    if (status == ACCP_STATUS_OK) status = accp_measure(device, &request, run, &times, error);
    if (status == ACCP_STATUS_OK && job->selection) keep_selected(job->selection, first, run);
    if (status == ACCP_STATUS_OK) identify(&shapes, run);
    accp_shapes_fini(&shapes);
    *gpu_ms += times.gpu_ms;
    return status;
}

static enum accp_status measure_on(const struct accp_options *options,
                                   const struct accp_selection *selection,
                                   struct accp_device *device, struct accp_run *run, double *gpu_ms,
                                   struct accp_error *error)
{
    char path[PATH_MAX];
    struct accp_bytes clock = {0};
    const char *arch = accp_device_arch(device);
    enum accp_status status = accp_cubin_read(arch, "clock", path, &clock, error);
    if (options->cubin) status = ACCP_STATUS_OK; /* strangers' kernels run without ours */
    for (int probe = 0; probe < ACCP_PROBE_COUNT && status == ACCP_STATUS_OK; ++probe) {
        struct job job = {0};
        status = options->cubin ? job_of_stranger(options, &job, error)
                                : job_of_probe(selection, probe, arch, &job, error);
        if (status == ACCP_STATUS_OK && job.kernel_count > 0)
            status = measure_job(options, device, &clock, &job, run, gpu_ms, error);
        job_fini(&job);
        if (options->cubin) break;
    }
    accp_bytes_fini(&clock);
    return status;
}

int accp_measuring_device_index(const struct accp_options *options)
{
    int index = 0;
    const char *group = getenv("CTEST_RESOURCE_GROUP_0_GPUS");
    if (options->device >= 0) return (int)options->device;
    if (group && sscanf(group, "id:%d", &index) == 1 && index >= 0) return index;
    return 0;
}

enum accp_status accp_measuring_check_device(const struct accp_options *options,
                                             struct accp_error *error)
{
    if (options->device != ACCP_DEVICE_ALL) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                     "--device all is for the gate: measure each GPU in a process of its own");
}

/* Bad input is that with or without a GPU: a skip must not hide it. */
static enum accp_status check_request(const struct accp_options *options,
                                      struct accp_selection *selection, struct accp_error *error)
{
    ACCP_TRY(accp_measuring_check_device(options, error));
    if (options->protocol && !accp_protocol_known(options->protocol))
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "no protocol is called \"%.40s\"; there are gate, occupancy and seed",
                         options->protocol);
    if (options->broken && !options->cubin)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--broken is for a cubin of another compiler: name it with --cubin");
    if (!options->cubin) return accp_select(options, selection, error);
    struct job job = {0};
    enum accp_status status = job_of_stranger(options, &job, error);
    job_fini(&job);
    return status;
}

void accp_measuring_sign(struct accp_run *run)
{
    time_t now = time(NULL);
    run->source = ACCP_SOURCE_MEASURED;
    strftime(run->date, sizeof run->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    snprintf(run->tool, sizeof run->tool, "%s", ACCPROBE_VERSION);
}

static enum accp_status measure_opened(const struct accp_options *options,
                                       const struct accp_selection *selection,
                                       struct accp_device *device, struct accp_run *run,
                                       double *gpu_ms, struct accp_error *error)
{
    accp_measuring_sign(run);
    enum accp_status status = measure_on(options, selection, device, run, gpu_ms, error);
    struct accp_error note;
    if (status == ACCP_STATUS_OK && !accp_device_managed(device, &note))
        fprintf(stderr,
                "accprobe: the GPU's memory, clocks and load are not all known, and which baseline "
                "is its own may not be: %s\n",
                note.text);
    /* After success the context is left to the end of the process: tearing it down costs as long as
     * measuring. After a failure NVML may still be at work in its thread, and must not be at exit. */
    if (status != ACCP_STATUS_OK) accp_device_close(device);
    return status;
}

enum accp_status accp_measuring(const struct accp_options *options, struct accp_run *run,
                                double *gpu_ms, struct accp_error *error)
{
    struct accp_selection selection = {0};
    struct accp_device *device;
    *gpu_ms = 0;
    ACCP_TRY(check_request(options, &selection, error));
    accp_watchdog_watch(accp_timeout_s(), ACCP_EXIT_ENVIRONMENT);
    enum accp_status status =
        accp_device_open(accp_measuring_device_index(options), &device, error);
    if (status == ACCP_STATUS_OK)
        status = measure_opened(options, &selection, device, run, gpu_ms, error);
    accp_watchdog_rest();
    return status;
}
