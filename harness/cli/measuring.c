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
    bool *is_selected; /* one for each kernel: the run keeps what it did */
    size_t kernel_count, selected_count, kernel_most;
};

static void job_fini(struct job *job)
{
    free(job->kernels);
    free(job->is_selected);
    accp_cubin_close(&job->cubin);
    accp_bytes_fini(&job->bytes);
}

static enum accp_status job_open(struct job *job, struct accp_error *error)
{
    ACCP_TRY(accp_cubin_open(job->path, job->bytes.data, job->bytes.size, &job->cubin, error));
    job->kernel_most = job->cubin.kernel_count + ACCP_ROLE_COUNT;
    job->kernels = calloc(job->kernel_most, sizeof *job->kernels);
    job->is_selected = calloc(job->kernel_most, sizeof *job->is_selected);
    if (!job->kernels || !job->is_selected)
        return accp_fail(error, ACCP_STATUS_MEMORY, job->path, -1, "no memory for it");
    return ACCP_STATUS_OK;
}

/* With two warps a scheduler, what a role costs depends on what ran before it, by up to 2 % of an
 * iteration: a probe is measured whole, as for its baseline, whatever was selected of it. Protocol
 * seed has no baseline of levels, and takes long. */
static bool is_measured_whole(const struct accp_options *options)
{
    return !options->kernel && !(options->protocol && strcmp(options->protocol, "seed") == 0);
}

static void add_kernel(struct job *job, const char *symbol, const struct accp_role *role,
                       bool is_selected)
{
    if (job->kernel_count == job->kernel_most) return; /* a cubin that names one kernel often */
    job->is_selected[job->kernel_count] = is_selected;
    job->selected_count += is_selected;
    job->kernels[job->kernel_count++] = (struct accp_measure_kernel){symbol, role};
}

/* The roles of a kernel, one a call, from *at = 0 until it is ACCP_ROLE_COUNT; NULL once where it has none. */
static const struct accp_role *role_of_kernel(const char *symbol, size_t *at)
{
    const struct accp_role *found = NULL;
    for (; *at < ACCP_ROLE_COUNT; ++*at) {
        if (strcmp(accp_roles[*at].kernel, symbol) != 0) continue;
        if (found) break;
        found = &accp_roles[*at];
    }
    return found;
}

/* *unfit is set where a kernel that was selected takes other parameters than ours: to how many bytes. */
static void add_roles(struct job *job, const struct accp_options *options,
                      const struct accp_kernel *kernel, const struct accp_pattern *filter,
                      int64_t *unfit)
{
    size_t at = 0;
    do {
        const struct accp_role *role = role_of_kernel(kernel->name, &at);
        const bool is_selected = accp_pattern_matches_kernel(filter, role, kernel->name);
        if (!is_selected && !(role && is_measured_whole(options))) continue;
        if (kernel->parameter_bytes == (int64_t)sizeof(struct accp_parameters))
            add_kernel(job, kernel->name, role, is_selected);
        else if (is_selected)
            *unfit = kernel->parameter_bytes;
    } while (at < ACCP_ROLE_COUNT);
}

/* Only kernels that take our parameters can be run: with others we would have to guess what to
 * pass. */
static enum accp_status job_of_stranger(const struct accp_options *options, struct job *job,
                                        struct accp_error *error)
{
    snprintf(job->path, sizeof job->path, "%s", options->cubin);
    ACCP_TRY(accp_file_read(job->path, 1u << 30, &job->bytes, error));
    ACCP_TRY(job_open(job, error));
    const struct accp_kernel *named = NULL;
    if (options->kernel)
        ACCP_TRY(accp_cubin_pick(&job->cubin, job->path, options->kernel, &named, error));
    struct accp_pattern filter;
    ACCP_TRY(accp_pattern_init(&filter, "filter", options->filter, error));
    int64_t unfit = -1;
    for (size_t i = 0; i < job->cubin.kernel_count; ++i) {
        const struct accp_kernel *kernel = &job->cubin.kernels[i];
        if (!named || kernel == named) add_roles(job, options, kernel, &filter, &unfit);
    }
    accp_pattern_fini(&filter);
    if (job->selected_count > 0) return ACCP_STATUS_OK;
    if (unfit >= 0)
        return accp_fail(
            error, ACCP_STATUS_INPUT, job->path, -1,
            "its kernels take %lld bytes of parameters: measure runs those that take struct "
            "accp_parameters (%zu bytes, kernels/parameters.h); predict takes any",
            (long long)unfit, sizeof(struct accp_parameters));
    return accp_fail(error, ACCP_STATUS_USAGE, job->path, -1, "no kernel of it is called %.80s",
                     options->filter ? options->filter : "anything");
}

static bool is_selected(const struct accp_selection *selection, const char *role)
{
    for (size_t i = 0; i < selection->count; ++i)
        if (strcmp(selection->roles[i]->name, role) == 0) return true;
    return false;
}

static enum accp_status job_of_probe(const struct accp_options *options,
                                     const struct accp_selection *selection, int probe,
                                     const char *arch, struct job *job, struct accp_error *error)
{
    size_t wanted = 0;
    for (size_t i = 0; i < selection->count; ++i)
        wanted += (int)selection->roles[i]->probe == probe;
    if (wanted == 0) return ACCP_STATUS_OK;
    ACCP_TRY(accp_cubin_read(arch, accp_probe_names[probe], job->path, &job->bytes, error));
    ACCP_TRY(job_open(job, error));
    for (int i = 0; i < ACCP_ROLE_COUNT; ++i) {
        const struct accp_role *role = &accp_roles[i];
        const bool is_wanted = (int)role->probe == probe && is_selected(selection, role->name);
        if ((int)role->probe == probe && (is_wanted || is_measured_whole(options)))
            add_kernel(job, role->kernel, role, is_wanted);
    }
    return ACCP_STATUS_OK;
}

static bool keeps(const struct job *job, const char *name)
{
    for (size_t i = 0; i < job->kernel_count; ++i) {
        const struct accp_measure_kernel *kernel = &job->kernels[i];
        if (strcmp(kernel->role ? kernel->role->name : kernel->symbol, name) == 0)
            return job->is_selected[i];
    }
    return false;
}

static void keep_selected(const struct job *job, size_t first, struct accp_run *run)
{
    size_t kept = first;
    for (size_t i = first; i < run->role_count; ++i)
        if (keeps(job, run->roles[i].role)) run->roles[kept++] = run->roles[i];
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

/* What only keeps others company is left out rather than refused. */
static void drop_broken_company(struct job *job)
{
    size_t kept = 0;
    for (size_t i = 0; i < job->kernel_count; ++i) {
        struct accp_shape shape;
        const struct accp_kernel *kernel = accp_cubin_find(&job->cubin, job->kernels[i].symbol);
        const bool is_fit =
            job->is_selected[i] || (kernel &&
                                    accp_shape_make(&job->cubin, kernel, job->kernels[i].role, NULL,
                                                    &shape, NULL) == ACCP_STATUS_OK &&
                                    accp_shape_first_broken(&shape) == ACCP_SHAPE_LAW_COUNT);
        if (!is_fit) continue;
        job->is_selected[kept] = job->is_selected[i];
        job->kernels[kept++] = job->kernels[i];
    }
    job->kernel_count = kept;
}

/* Shapes what is about to be measured, and refuses a kernel that is not what its role asks for,
 * unless it is asked what that costs. A stranger's kernel without a hot loop is measured all the
 * same. */
static enum accp_status apply_laws(struct job *job, bool with_broken, struct accp_shapes *shapes,
                                   struct accp_error *error)
{
    memset(shapes, 0, sizeof *shapes);
    shapes->shapes = calloc(job->kernel_count, sizeof *shapes->shapes);
    if (!shapes->shapes)
        return accp_fail(error, ACCP_STATUS_MEMORY, job->path, -1, "no memory for its shapes");
    drop_broken_company(job);
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
                                    const struct accp_bytes *clock, struct job *job,
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
    if (status == ACCP_STATUS_OK) keep_selected(job, first, run);
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
                                : job_of_probe(options, selection, probe, arch, &job, error);
        if (status == ACCP_STATUS_OK && job.kernel_count > 0)
            status = measure_job(options, device, &clock, &job, run, gpu_ms, error);
        job_fini(&job);
        if (options->cubin) break;
    }
    accp_bytes_fini(&clock);
    return status;
}

/* Reads "id:1,slots:1", of which CTest writes one for each resource, separated by ";". */
static bool read_group(const char *group, int *index)
{
    char *end;
    if (strncmp(group, "id:", 3) != 0 || group[3] < '0' || group[3] > '9') return false;
    const long id = strtol(group + 3, &end, 10);
    *index = (int)id;
    return id <= INT_MAX && (!*end || *end == ',' || *end == ';');
}

int accp_measuring_device_index(const struct accp_options *options)
{
    int index = 0;
    const char *group = getenv("CTEST_RESOURCE_GROUP_0_GPUS");
    if (options->device >= 0) return (int)options->device;
    return group && read_group(group, &index) ? index : 0;
}

enum accp_status accp_measuring_check_device(const struct accp_options *options,
                                             struct accp_error *error)
{
    int index;
    const char *group = getenv("CTEST_RESOURCE_GROUP_0_GPUS");
    if (options->device == -1 && group && group[0] && !read_group(group, &index))
        return accp_fail(
            error, ACCP_STATUS_USAGE, NULL, -1,
            "CTEST_RESOURCE_GROUP_0_GPUS=%.40s: must begin with id:N, the CUDA device: "
            "number the GPUs so in CTest's resource specification",
            group);
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
    if (options->length)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--length is of the ops probe: add --probe ops");
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
