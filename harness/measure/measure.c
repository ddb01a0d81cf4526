#include "measure/measure.h"

#include "base/random.h"
#include "measure/reference.h"
#include "measure/selectors.h"
#include "measure/summariser.h"
#include "parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_ITERATIONS = 3, CLOCK_BUDGET_CYCLES = 200000, HALVES = 2 };

/* How many batches of records wait to be summarised. Ahead of further rows, many, since those take their time; where
 * no large row follows, a few beside the copies: more cost fresh memory (docs/performance.md). */
enum { JOBS_AHEAD = 64, JOBS_BESIDE = 4 };
static const double launch_timeout_s = 20;

/* What stands on the device and on the host while one request is served. */
struct session {
    struct accp_device *device;
    const struct accp_measure_request *request;
    struct accp_module *module;
    struct accp_device_kernel *kernels; /* one for each of the request's */
    uint64_t input, skews, records, sinks, selectors;
    uint32_t *host_skews;
    uint8_t *host_selectors; /* one for each record; NULL: no role shares its kernel */
    float *host_sinks;
    size_t *order;
    struct accp_summariser *summariser;
    struct accp_summary
        *summaries;             /* of every row: HALVES of the reference role, then the kernels' */
    struct accp_run_mix *mixes; /* by row and kernel; used of those whose launches are mixed */
    struct accp_random random;
};

/* The sizes of one row of a protocol on one device. */
struct grid {
    struct accp_protocol protocol;
    int blocks, threads;
    size_t warps;    /* of the grid */
    size_t launches; /* of all kernels and rounds, the reference's included */
};

/* A launch of a row: of the reference role (kernel 0) or of the request's kernel `kernel` - 1. */
struct launch {
    size_t kernel, round;
};

/* Where its records and selectors begin: those of one kernel's rounds lie together, so that what a
 * role's samples are made of is read at once, and no more. */
static size_t first_warp(const struct grid *grid, struct launch launch)
{
    return (launch.kernel * (size_t)grid->protocol.launches + launch.round) * grid->warps;
}

static double unit(struct accp_random *random)
{
    return (double)(accp_random_next(random) >> 11) * 0x1p-53;
}

/* Numbers near 1 for checking: a link left out shows in the result. All are positive, so no sum
 * cancels and the bound on rounding in check_sinks holds. */
static void fill_for_check(float *input, struct accp_random *random)
{
    for (int i = 0; i < ACCP_INPUT_ROWS * ACCP_LANES; ++i)
        input[i] = (float)(0.75 + 0.5 * unit(random));
}

/* For timing, a multiplier so small that a million iterations neither overflow nor vanish. */
static void fill_for_timing(float *input, struct accp_random *random)
{
    fill_for_check(input, random);
    for (int lane = 0; lane < ACCP_LANES; ++lane)
        input[ACCP_INPUT_MULTIPLIER * ACCP_LANES + lane] *= 0x1p-24f;
}

/* One set of skews for each launch round: all roles of a round start alike, so that their
 * differences are free of how they started. */
static struct accp_parameters parameters_of(const struct session *session, struct launch launch,
                                            const struct grid *grid)
{
    const struct accp_protocol *protocol = &grid->protocol;
    const size_t first = first_warp(grid, launch);
    struct accp_parameters parameters = {
        .input = (const float *)session->input,
        .skew_cycles = (const unsigned *)session->skews + launch.round * grid->warps,
        .records = (struct accp_record *)session->records + first,
        .sinks = (float *)session->sinks,
        .selectors = session->selectors ? (const unsigned char *)session->selectors + first : NULL,
    };
    if (protocol->warmup_cycles > 0) {
        parameters.phases = ACCP_PHASES;
        parameters.budget_cycles[0] = parameters.budget_cycles[1] = protocol->warmup_cycles;
        parameters.budget_cycles[2] = protocol->budget_cycles;
    } else {
        parameters.phases = 1;
        parameters.budget_cycles[0] = protocol->budget_cycles;
    }
    return parameters;
}

static enum accp_status write_input(struct session *session,
                                    void (*fill)(float *, struct accp_random *), float *input,
                                    struct accp_error *error)
{
    fill(input, &session->random);
    return accp_device_write(session->device, session->input, input,
                             sizeof(float) * ACCP_INPUT_ROWS * ACCP_LANES, error);
}

/* Every operation rounds by at most 2^-24 of its result, and with positive inputs errors only add
 * up. `selectors`: of the warps, where only those that ran the role are to be compared; else NULL. */
static enum accp_status check_sinks(const struct accp_role *role, const float *input,
                                    const float *sinks, size_t threads, const uint8_t *selectors,
                                    struct accp_error *error)
{
    struct accp_reference_work work;
    accp_reference_work_init(&work, role);
    double bound = 2.0 * accp_reference_operations(&work, CHECK_ITERATIONS) * 0x1p-24;
    for (int index = 0; index < ACCP_LANES; ++index) {
        struct accp_reference_lane lane;
        struct accp_reference_double state;
        accp_reference_lane_load(&lane, input, index);
        accp_reference_double_begin(&lane, &state);
        for (int i = 0; i < CHECK_ITERATIONS; ++i)
            accp_reference_double_iterate(&work, &lane, &state);
        double expected = accp_reference_double_result(&work, &state);
        for (size_t thread = (size_t)index; thread < threads; thread += ACCP_LANES) {
            double got = (double)sinks[thread];
            if (selectors && selectors[thread / ACCP_LANES] != role->acc) continue;
            if (fabs(got - expected) <= bound * expected) continue;
            return accp_fail(
                error, ACCP_STATUS_WRONG, role->name, (int64_t)thread,
                "computed %.9g in thread %zu, where double precision gives %.9g (bound "
                "%.1g): do not trust this kernel, compiler or GPU",
                got, thread, expected, bound);
        }
    }
    return ACCP_STATUS_OK;
}

/* What each warp of the one block is to run: where they run different roles, the first is sure to run this one. */
static enum accp_status write_check_selectors(struct session *session, const struct grid *grid,
                                              const struct accp_role *role,
                                              struct accp_error *error)
{
    const size_t warps = (size_t)grid->protocol.warps;
    if (!session->selectors) return ACCP_STATUS_OK;
    accp_selectors_draw(role, 1, warps, &session->random, session->host_selectors);
    if (role->dispatch == ACCP_DISPATCH_MIXED) session->host_selectors[0] = (uint8_t)role->acc;
    return accp_device_write(session->device, session->selectors, session->host_selectors, warps,
                             error);
}

/* Every warp of a mixed launch is held against the role that it ran. */
static enum accp_status check_warps(const struct session *session, const struct accp_role *role,
                                    const float *input, size_t threads, struct accp_error *error)
{
    if (role->dispatch != ACCP_DISPATCH_MIXED)
        return check_sinks(role, input, session->host_sinks, threads, NULL, error);
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i)
        if (strcmp(accp_roles[i].kernel, role->kernel) == 0)
            ACCP_TRY(check_sinks(&accp_roles[i], input, session->host_sinks, threads,
                                 session->host_selectors, error));
    return ACCP_STATUS_OK;
}

static enum accp_status check_results(struct session *session, const struct grid *grid,
                                      struct accp_error *error)
{
    float input[ACCP_INPUT_ROWS * ACCP_LANES];
    struct grid check = *grid;
    check.protocol.skew_cycles = check.protocol.budget_cycles = 0;
    ACCP_TRY(write_input(session, fill_for_check, input, error));
    ACCP_TRY(accp_device_fill(session->device, session->skews, 0, grid->warps * sizeof(unsigned),
                              error));
    size_t threads = (size_t)grid->threads;
    struct accp_parameters parameters = parameters_of(session, (struct launch){0, 0}, &check);
    parameters.phases = CHECK_ITERATIONS;
    memset(parameters.budget_cycles, 0, sizeof parameters.budget_cycles);
    for (size_t i = 0; i < session->request->kernel_count; ++i) {
        const struct accp_role *role = session->request->kernels[i].role;
        if (!role) continue;
        ACCP_TRY(accp_device_fill(session->device, session->sinks, 0xff, threads * sizeof(float),
                                  error));
        ACCP_TRY(write_check_selectors(session, grid, role, error));
        ACCP_TRY(accp_device_launch(session->device, &session->kernels[i], 1, grid->threads,
                                    &parameters, sizeof parameters, error));
        ACCP_TRY(accp_device_synchronise(session->device, launch_timeout_s, error));
        ACCP_TRY(accp_device_read(session->device, session->host_sinks, session->sinks,
                                  threads * sizeof(float), error));
        ACCP_TRY(check_warps(session, role, input, threads, error));
    }
    return write_input(session, fill_for_timing, input, error);
}

static void shuffle(size_t *order, size_t count, struct accp_random *random)
{
    for (size_t i = 0; i < count; ++i)
        order[i] = i;
    for (size_t i = count; i > 1; --i) {
        size_t j = accp_random_below(random, (uint32_t)i), kept = order[j];
        order[j] = order[i - 1];
        order[i - 1] = kept;
    }
}

/* A launch round is the reference role, then every kernel once, in an order of its own. */
static enum accp_status launch_round(struct session *session, const struct grid *grid, size_t round,
                                     struct accp_error *error)
{
    size_t count = session->request->kernel_count;
    shuffle(session->order, count, &session->random);
    for (size_t step = 0; step <= count; ++step) {
        size_t index = step == 0 ? 0 : session->order[step - 1];
        struct accp_parameters parameters =
            parameters_of(session, (struct launch){step == 0 ? 0 : 1 + index, round}, grid);
        ACCP_TRY(accp_device_launch(session->device, &session->kernels[index], grid->blocks,
                                    grid->threads, &parameters, sizeof parameters, error));
    }
    return ACCP_STATUS_OK;
}

/* Draws where every warp starts and what it runs, and hands it to the device. */
static enum accp_status write_draws(struct session *session, const struct grid *grid,
                                    struct accp_error *error)
{
    const size_t kernels = session->request->kernel_count;
    size_t skew_count = (size_t)grid->protocol.launches * grid->warps;
    uint32_t bound = (uint32_t)grid->protocol.skew_cycles;
    for (size_t i = 0; i < skew_count; ++i)
        session->host_skews[i] = bound > 0 ? accp_random_below(&session->random, bound) : 0;
    ACCP_TRY(accp_device_write(session->device, session->skews, session->host_skews,
                               skew_count * sizeof(uint32_t), error));
    if (!session->host_selectors) return ACCP_STATUS_OK;
    for (size_t i = 0; i < grid->launches; ++i) {
        const struct launch launch = {i % (kernels + 1), i / (kernels + 1)};
        accp_selectors_draw(
            session->request->kernels[launch.kernel == 0 ? 0 : launch.kernel - 1].role,
            (size_t)grid->blocks, (size_t)grid->protocol.warps, &session->random,
            session->host_selectors + first_warp(grid, launch));
    }
    return accp_device_write(session->device, session->selectors, session->host_selectors,
                             grid->launches * grid->warps, error);
}

static enum accp_status launch_all(struct session *session, const struct grid *grid,
                                   struct accp_measure_times *times, struct accp_error *error)
{
    ACCP_TRY(write_draws(session, grid, error));
    ACCP_TRY(accp_device_fill(session->device, session->records, 0,
                              grid->launches * grid->warps * sizeof(struct accp_record), error));
    ACCP_TRY(accp_device_timer_begin(session->device, error));
    for (int round = 0; round < grid->protocol.launches; ++round)
        ACCP_TRY(launch_round(session, grid, (size_t)round, error));
    ACCP_TRY(accp_device_timer_end(session->device, error));
    ACCP_TRY(accp_device_synchronise(session->device, launch_timeout_s, error));
    double elapsed_ms = 0;
    ACCP_TRY(accp_device_timer_read(session->device, &elapsed_ms, error));
    times->gpu_ms += elapsed_ms;
    return ACCP_STATUS_OK;
}

/* Where warps of one launch run different roles, a role's samples come from the launches of all
 * roles of its kernel, which stand together in the request. Returns how many stand there from
 * `index` on: 1 for any other role. */
static size_t count_pooled(const struct accp_measure_request *request, size_t index)
{
    const struct accp_measure_kernel *first = &request->kernels[index];
    size_t end = index + 1;
    if (!first->role || first->role->dispatch != ACCP_DISPATCH_MIXED) return 1;
    while (end < request->kernel_count && strcmp(request->kernels[end].symbol, first->symbol) == 0)
        ++end;
    return end - index;
}

static size_t most_pooled(const struct accp_measure_request *request)
{
    size_t most = 1;
    for (size_t i = 0; i < request->kernel_count; ++i) {
        const size_t pooled = count_pooled(request, i);
        if (pooled > most) most = pooled;
    }
    return most;
}

/* Hands to the summariser what `job`->count warps from `first` on wrote. */
static enum accp_status summarise_from(struct session *session, const struct grid *grid,
                                       size_t first, struct accp_summariser_job job,
                                       struct accp_error *error)
{
    struct accp_summariser_job *next = accp_summariser_begin(session->summariser);
    job.records = next->records;
    job.selectors = next->selectors;
    job.phases = parameters_of(session, (struct launch){0, 0}, grid).phases;
    job.block_warps = grid->protocol.warps;
    *next = job;
    if (job.selectors) memcpy(job.selectors, session->host_selectors + first, job.count);
    ACCP_TRY(accp_device_read(session->device, job.records,
                              session->records + first * sizeof(struct accp_record),
                              job.count * sizeof(struct accp_record), error));
    accp_summariser_submit(session->summariser);
    return ACCP_STATUS_OK;
}

static enum accp_status summarise(struct session *session, const struct grid *grid,
                                  struct accp_summary *summaries, struct accp_error *error)
{
    const struct accp_measure_request *request = session->request;
    const size_t launches = (size_t)grid->protocol.launches, half = (launches + 1) / 2;
    const size_t rounds[HALVES + 1] = {0, half, launches};
    for (size_t i = 0; i < HALVES; ++i)
        ACCP_TRY(summarise_from(
            session, grid, first_warp(grid, (struct launch){0, rounds[i]}),
            (struct accp_summariser_job){.count = (rounds[i + 1] - rounds[i]) * grid->warps,
                                         .kernels = request->kernels,
                                         .summaries = &summaries[i],
                                         .kernel_count = 1},
            error));
    for (size_t i = 0, pooled; i < request->kernel_count; i += pooled) {
        pooled = count_pooled(request, i);
        ACCP_TRY(
            summarise_from(session, grid, first_warp(grid, (struct launch){1 + i, 0}),
                           (struct accp_summariser_job){.count = pooled * launches * grid->warps,
                                                        .kernels = &request->kernels[i],
                                                        .summaries = &summaries[HALVES + i],
                                                        .kernel_count = pooled},
                           error));
    }
    return ACCP_STATUS_OK;
}

static enum accp_status append_role(const struct accp_measure_kernel *kernel, int warps,
                                    const struct accp_summary *summary, struct accp_run *run,
                                    struct accp_error *error)
{
    struct accp_run_role *role;
    ACCP_TRY(accp_run_append(run, &role, error));
    strncpy(role->role, kernel->role ? kernel->role->name : kernel->symbol, ACCP_NAME_BYTES - 1);
    strncpy(role->kernel, kernel->symbol, ACCP_NAME_BYTES - 1);
    if (kernel->role) {
        role->chain = kernel->role->chain;
        role->acc = kernel->role->acc;
        role->effective = kernel->role->effective;
    }
    role->warps = warps;
    role->cycles = summary->cycles;
    role->progress = summary->progress;
    if (!summary->mix) return ACCP_STATUS_OK;
    memcpy(summary->mix->role, role->role, sizeof role->role);
    summary->mix->warps = warps;
    return accp_run_append_mix(run, summary->mix, error);
}

static enum accp_status append_row(const struct session *session, const struct grid *grid,
                                   const struct accp_summary *summaries, struct accp_run *run,
                                   struct accp_error *error)
{
    const struct accp_measure_request *request = session->request;
    const struct accp_cycles *first = &summaries[0].cycles, *second = &summaries[1].cycles;
    for (size_t i = 0; i < request->kernel_count; ++i)
        ACCP_TRY(append_role(&request->kernels[i], grid->protocol.warps, &summaries[HALVES + i],
                             run, error));
    run->protocol.blocks = grid->blocks;
    run->protocol.launches = grid->protocol.launches;
    run->protocol.budget_cycles = grid->protocol.budget_cycles;
    run->protocol.skew_cycles = grid->protocol.skew_cycles;
    run->protocol.warmup_cycles = grid->protocol.warmup_cycles;
    if (first->n == 0 || second->n == 0) return ACCP_STATUS_OK;
    run->reference_first = first->mean;
    run->reference_second = second->mean;
    return ACCP_STATUS_OK;
}

static bool shares_kernels(const struct accp_measure_request *request)
{
    for (size_t i = 0; i < request->kernel_count; ++i)
        if (request->kernels[i].role && request->kernels[i].role->dispatch != ACCP_DISPATCH_ALONE)
            return true;
    return false;
}

/* What the largest of a protocol's rows needs. */
struct sizes {
    size_t skews, warps; /* of one launch */
    size_t records;      /* of all launches */
    size_t pooled;       /* of those whose samples go together */
    size_t rows;
};

static void grow(size_t *size, size_t wanted)
{
    if (wanted > *size) *size = wanted;
}

static void sizes_grow(struct sizes *sizes, const struct accp_measure_request *request,
                       const struct grid *grid)
{
    const size_t of_kernel = (size_t)grid->protocol.launches * grid->warps;
    grow(&sizes->warps, grid->warps);
    grow(&sizes->skews, of_kernel);
    grow(&sizes->records, grid->launches * grid->warps);
    grow(&sizes->pooled, most_pooled(request) * of_kernel);
    ++sizes->rows;
}

/* Of roles whose warps share blocks with others, each warp's own figures are kept as well. */
static bool allocate_mixes(struct session *session, size_t rows)
{
    const struct accp_measure_request *request = session->request;
    const size_t stride = HALVES + request->kernel_count;
    session->mixes = calloc(rows * request->kernel_count, sizeof *session->mixes);
    for (size_t i = 0; session->mixes && i < rows * request->kernel_count; ++i) {
        const size_t row = i / request->kernel_count, kernel = i % request->kernel_count;
        const struct accp_role *role = request->kernels[kernel].role;
        if (role && role->dispatch == ACCP_DISPATCH_MIXED)
            session->summaries[row * stride + HALVES + kernel].mix = &session->mixes[i];
    }
    return session->mixes;
}

static enum accp_status allocate(struct session *session, const struct sizes *sizes,
                                 struct accp_error *error)
{
    const size_t threads = sizes->warps * ACCP_LANES;
    const bool is_shared = shares_kernels(session->request);
    struct accp_device *device = session->device;
    const size_t kernels = session->request->kernel_count;
    session->order = calloc(kernels, sizeof *session->order);
    session->summaries = calloc(sizes->rows * (HALVES + kernels), sizeof *session->summaries);
    session->host_skews = calloc(sizes->skews, sizeof *session->host_skews);
    session->host_sinks = calloc(threads, sizeof *session->host_sinks);
    if (is_shared) session->host_selectors = calloc(sizes->records, 1);
    if (!session->order || !session->summaries || !session->host_skews || !session->host_sinks ||
        (is_shared && !session->host_selectors) || !allocate_mixes(session, sizes->rows))
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for %zu warps' records",
                         sizes->records);
    ACCP_TRY(accp_summariser_create(sizes->pooled, is_shared,
                                    sizes->rows > 2 ? JOBS_AHEAD : JOBS_BESIDE,
                                    &session->summariser, error));
    ACCP_TRY(accp_device_allocate(device, sizeof(float) * ACCP_INPUT_ROWS * ACCP_LANES,
                                  &session->input, error));
    ACCP_TRY(accp_device_allocate(device, sizes->skews * sizeof(uint32_t), &session->skews, error));
    ACCP_TRY(accp_device_allocate(device, sizes->records * sizeof(struct accp_record),
                                  &session->records, error));
    if (is_shared)
        ACCP_TRY(accp_device_allocate(device, sizes->records, &session->selectors, error));
    return accp_device_allocate(device, threads * sizeof(float), &session->sinks, error);
}

static void release(struct session *session)
{
    uint64_t *const held[] = {&session->input, &session->skews, &session->records, &session->sinks,
                              &session->selectors};
    for (size_t i = 0; i < sizeof held / sizeof *held; ++i)
        if (*held[i]) accp_device_free(session->device, *held[i]);
    accp_summariser_destroy(session->summariser);
    free(session->order);
    free(session->summaries);
    free(session->mixes);
    free(session->host_skews);
    free(session->host_sinks);
    free(session->host_selectors);
}

static enum accp_status fits(const struct session *session, const struct grid *grid,
                             struct accp_error *error)
{
    for (size_t i = 0; i < session->request->kernel_count; ++i)
        if (grid->threads > session->kernels[i].threads_max)
            return accp_fail(error, ACCP_STATUS_INPUT, session->request->kernels[i].symbol, -1,
                             "%d warps do not fit: with %d registers a block holds %d at the most",
                             grid->protocol.warps, session->kernels[i].registers,
                             session->kernels[i].threads_max / ACCP_LANES);
    return ACCP_STATUS_OK;
}

static struct grid grid_of(const struct session *session, const struct accp_protocol *row)
{
    struct grid grid = {.protocol = *row};
    if (session->request->warps > 0) grid.protocol.warps = session->request->warps;
    grid.blocks = row->blocks == ACCP_BLOCKS_ONE ? 1 : accp_device_sm_count(session->device);
    grid.threads = grid.protocol.warps * ACCP_LANES;
    grid.warps = (size_t)grid.blocks * (size_t)grid.protocol.warps;
    grid.launches = (size_t)row->launches * (session->request->kernel_count + 1);
    return grid;
}

/* Rows are summarised while those after them are measured. */
static enum accp_status measure_grids(struct session *session, const struct grid *grids,
                                      size_t count, struct accp_run *run,
                                      struct accp_measure_times *times, struct accp_error *error)
{
    const size_t stride = HALVES + session->request->kernel_count;
    for (size_t i = 0; i < count; ++i) {
        ACCP_TRY(check_results(session, &grids[i], error));
        ACCP_TRY(launch_all(session, &grids[i], times, error));
        ACCP_TRY(summarise(session, &grids[i], session->summaries + i * stride, error));
    }
    ACCP_TRY(accp_summariser_finish(session->summariser, error));
    for (size_t i = 0; i < count; ++i)
        ACCP_TRY(append_row(session, &grids[i], session->summaries + i * stride, run, error));
    return ACCP_STATUS_OK;
}

struct clock_record {
    long long cycles, nanoseconds;
};

/* Parameters of accp_clock_rate in kernels/clock.cu. */
struct clock_parameters {
    long long budget_cycles;
    uint64_t record;
};

static enum accp_status achieved_mhz(struct session *session, double *mhz, struct accp_error *error)
{
    struct accp_module *module;
    struct accp_device_kernel kernel;
    struct clock_record record = {0};
    if (!session->request->clock_cubin) return ACCP_STATUS_OK;
    struct clock_parameters parameters = {.budget_cycles = CLOCK_BUDGET_CYCLES};
    struct accp_device *device = session->device;
    ACCP_TRY(accp_device_load(device, session->request->clock_cubin,
                              session->request->clock_cubin_bytes, &module, error));
    ACCP_TRY(accp_device_kernel(device, module, "accp_clock_rate", &kernel, error));
    ACCP_TRY(accp_device_allocate(device, sizeof record, &parameters.record, error));
    ACCP_TRY(accp_device_launch(device, &kernel, 1, 1, &parameters, sizeof parameters, error));
    ACCP_TRY(accp_device_synchronise(device, launch_timeout_s, error));
    ACCP_TRY(accp_device_read(device, &record, parameters.record, sizeof record, error));
    accp_device_free(device, parameters.record);
    accp_device_unload(device, module);
    if (record.nanoseconds > 0) *mhz = (double)record.cycles / (double)record.nanoseconds * 1e3;
    return ACCP_STATUS_OK;
}

/* All rows have to fit before one is measured, and share what is allocated for the largest. */
static enum accp_status measure_rows(struct session *session, struct accp_run *run,
                                     struct accp_measure_times *times, struct accp_error *error)
{
    const struct accp_measure_request *request = session->request;
    struct grid grids[ACCP_PROTOCOL_COUNT];
    struct sizes sizes = {0};
    size_t count = 0;
    for (int i = 0; i < ACCP_PROTOCOL_COUNT; ++i) {
        if (strcmp(accp_protocols[i].name, request->protocol) != 0) continue;
        /* With --warps, only the protocol's last row, the load, is run, at that many. */
        bool is_last = i + 1 == ACCP_PROTOCOL_COUNT ||
                       strcmp(accp_protocols[i + 1].name, request->protocol) != 0;
        if (request->warps > 0 && !is_last) continue;
        grids[count] = grid_of(session, &accp_protocols[i]);
        ACCP_TRY(fits(session, &grids[count], error));
        sizes_grow(&sizes, request, &grids[count++]);
    }
    enum accp_status status = allocate(session, &sizes, error);
    if (status == ACCP_STATUS_OK) status = measure_grids(session, grids, count, run, times, error);
    release(session);
    return status;
}

static enum accp_status load(struct session *session, struct accp_error *error)
{
    const struct accp_measure_request *request = session->request;
    ACCP_TRY(accp_device_load(session->device, request->cubin, request->cubin_bytes,
                              &session->module, error));
    for (size_t i = 0; i < request->kernel_count; ++i)
        ACCP_TRY(accp_device_kernel(session->device, session->module, request->kernels[i].symbol,
                                    &session->kernels[i], error));
    return ACCP_STATUS_OK;
}

enum accp_status accp_measure(struct accp_device *device,
                              const struct accp_measure_request *request, struct accp_run *run,
                              struct accp_measure_times *times, struct accp_error *error)
{
    struct session session = {.device = device, .request = request, .random = {request->seed}};
    *times = (struct accp_measure_times){0};
    session.kernels = calloc(request->kernel_count, sizeof *session.kernels);
    if (!session.kernels)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for kernels");
    strncpy(run->protocol.name, request->protocol, sizeof run->protocol.name - 1);
    run->protocol.seed = request->seed;
    enum accp_status status = load(&session, error);
    if (status == ACCP_STATUS_OK)
        status = achieved_mhz(&session, &run->device.achieved_mhz_before, error);
    if (status == ACCP_STATUS_OK) status = measure_rows(&session, run, times, error);
    if (status == ACCP_STATUS_OK)
        status = achieved_mhz(&session, &run->device.achieved_mhz_after, error);
    if (status == ACCP_STATUS_OK) {
        double before = run->device.achieved_mhz_before, after = run->device.achieved_mhz_after;
        accp_device_facts(device, &run->device);
        accp_device_observe(device, &run->device);
        run->device.achieved_mhz_before = before;
        run->device.achieved_mhz_after = after;
    }
    free(session.kernels);
    return status;
}
