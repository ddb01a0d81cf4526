#include "ops/ops.h"

#include "base/random.h"
#include "operator_parameters.h"
#include "ops/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATTERN = 1048573, /* floats; a prime, so that no two rows begin alike */
    RIGHT_SHIFT = 524287,
    CHECKED_OWNERS = 48,
    CHECKED_OWNERS_LEAST = 2, /* of a timed grid */
    CHECKED_TERMS =
        32768, /* that the host adds for them in double precision, where fewer owners do not suffice */
    READ_WHOLE = 65536, /* floats: of more results only those that are compared are read */
    CHECK_WARPS = 4,
    ACCS_MAX = 8, /* kernels of an operator */
    SMS_MAX = 1024,
    OUTPUTS_MAX = ACCP_OPERATOR_TILE * ACCP_OPERATOR_TILE
};
static const double launch_timeout_s = 20;
static const int check_lengths[] = {1, 2, 3, 5, 7, 8, 23, 24, 25, 47, 61};

/* From the first warp's begin to the last one's end. */
struct span {
    long long begin_cycles, end_cycles;
    bool is_used;
};

/* What stands on the device and on the host while one request is served. */
struct session {
    struct accp_device *device;
    const struct accp_ops_request *request;
    struct accp_module *module;
    struct accp_device_kernel kernels[ACCP_OPERATOR_KERNEL_COUNT];
    struct accp_random random;
    float *pattern;
    uint64_t left, right, results, records; /* of the present operator */
    float *host_results;
    struct accp_operator_record *host_records;
    struct span spans[SMS_MAX]; /* [SM]: of the present launch */
};

/* One operator, size and length, and its kernels that are wanted. */
struct cell {
    enum accp_operator_id op;
    const struct accp_operator_size *size;
    struct accp_operator_grid grid;
    int blocks;
    size_t kernels[ACCS_MAX], kernel_count; /* indices into accp_operator_kernels */
};

/* The samples of one role. */
struct samples {
    double sum, least, most;
    uint64_t count;
};

void accp_ops_name(const struct accp_operator_kernel *kernel, const struct accp_operator_size *size,
                   int length, char name[ACCP_NAME_BYTES])
{
    snprintf(name, ACCP_NAME_BYTES, "ops.%s.%s.n%d.acc%d", accp_operators[kernel->op].name,
             size->name, length, kernel->acc);
}

int accp_ops_lengths(enum accp_operator_id op, const int *wanted, int count,
                     int lengths[ACCP_OPS_LENGTHS])
{
    memcpy(lengths, accp_operators[op].lengths, ACCP_OPERATOR_LENGTHS * sizeof *lengths);
    if (count == 0) return ACCP_OPERATOR_LENGTHS;
    int kept = 0;
    for (int i = 0; i < count && kept < ACCP_OPS_LENGTHS; ++i)
        if (op != ACCP_OPERATOR_dot || wanted[i] <= ACCP_OPERATOR_DOT_ROW)
            lengths[kept++] = wanted[i];
    return kept;
}

static void cell_init(const struct session *session, enum accp_operator_id op,
                      const struct accp_operator_size *size, int length, struct cell *cell)
{
    const int sms =
        size->sms == ACCP_OPERATOR_SMS_EVERY ? accp_device_sm_count(session->device) : 1;
    *cell = (struct cell){.op = op, .size = size, .blocks = sms * size->blocks};
    accp_operator_grid_init((size_t)cell->blocks * (size_t)size->warps, length, &cell->grid);
    for (size_t i = 0; i < ACCP_OPERATOR_KERNEL_COUNT; ++i) {
        char name[ACCP_NAME_BYTES];
        if (accp_operator_kernels[i].op != op) continue;
        accp_ops_name(&accp_operator_kernels[i], size, length, name);
        if (!session->request->wants || session->request->wants(session->request->context, name))
            cell->kernels[cell->kernel_count++] = i;
    }
}

static struct accp_operator_data data_of(const struct session *session)
{
    return (struct accp_operator_data){session->pattern, PATTERN, RIGHT_SHIFT};
}

/* Between -4 and 4; for welford around a million, where a float has steps of 1/16: a sum of squares
 * would lose the whole variance. */
static void draw_pattern(struct session *session, enum accp_operator_id op)
{
    const double mean = op == ACCP_OPERATOR_welford ? 1e6 : 0;
    for (size_t i = 0; i < PATTERN; ++i) {
        const double unit = (double)(accp_random_next(&session->random) >> 11) * 0x1p-53;
        session->pattern[i] = (float)(mean + 8 * unit - 4);
    }
}

/* The pattern from `shift` on, again and again: once over the bus, then by doubling what stands there. */
static enum accp_status write_pattern(struct session *session, uint64_t to, size_t floats,
                                      size_t shift, struct accp_error *error)
{
    struct accp_device *device = session->device;
    size_t at = 0;
    while (at < floats && at < PATTERN) {
        const size_t from = (at + shift) % PATTERN;
        const size_t rest = PATTERN - (from > at ? from : at);
        const size_t count = floats - at < rest ? floats - at : rest;
        ACCP_TRY(accp_device_write(device, to + at * sizeof(float), session->pattern + from,
                                   count * sizeof(float), error));
        at += count;
    }
    while (at < floats) {
        const size_t count = floats - at < at ? floats - at : at;
        ACCP_TRY(
            accp_device_copy(device, to + at * sizeof(float), to, count * sizeof(float), error));
        at += count;
    }
    return ACCP_STATUS_OK;
}

/* The largest of what an operator's cells need. */
struct needs {
    size_t left, right, results, records;
};

static void needs_add(struct needs *needs, enum accp_operator_id op,
                      const struct accp_operator_grid *grid)
{
    const struct needs cell = {accp_operator_left_floats(op, grid),
                               accp_operator_right_floats(op, grid),
                               accp_operator_result_floats(op, grid), grid->warps};
    if (cell.left > needs->left) needs->left = cell.left;
    if (cell.right > needs->right) needs->right = cell.right;
    if (cell.results > needs->results) needs->results = cell.results;
    if (cell.records > needs->records) needs->records = cell.records;
}

static void release(struct session *session)
{
    accp_device_free(session->device, session->left);
    accp_device_free(session->device, session->right);
    accp_device_free(session->device, session->results);
    accp_device_free(session->device, session->records);
    free(session->host_results);
    free(session->host_records);
    session->left = session->right = session->results = session->records = 0;
    session->host_results = NULL;
    session->host_records = NULL;
}

static enum accp_status provide(struct session *session, enum accp_operator_id op,
                                const struct needs *needs, struct accp_error *error)
{
    struct accp_device *device = session->device;
    session->host_results = malloc(needs->results * sizeof *session->host_results);
    session->host_records = malloc(needs->records * sizeof *session->host_records);
    if (!session->host_results || !session->host_records)
        return accp_fail(error, ACCP_STATUS_MEMORY, accp_operators[op].name, -1,
                         "no memory for its results");
    ACCP_TRY(accp_device_allocate(device, needs->left * sizeof(float), &session->left, error));
    if (needs->right > 0)
        ACCP_TRY(
            accp_device_allocate(device, needs->right * sizeof(float), &session->right, error));
    ACCP_TRY(
        accp_device_allocate(device, needs->results * sizeof(float), &session->results, error));
    ACCP_TRY(accp_device_allocate(device, needs->records * sizeof *session->host_records,
                                  &session->records, error));
    /* A record holds words that no kernel writes, and is read as a whole. */
    ACCP_TRY(accp_device_fill(device, session->records, 0,
                              needs->records * sizeof *session->host_records, error));
    draw_pattern(session, op);
    ACCP_TRY(write_pattern(session, session->left, needs->left, 0, error));
    return write_pattern(session, session->right, needs->right, RIGHT_SHIFT, error);
}

static enum accp_status launch(struct session *session, const struct cell *cell, size_t kernel,
                               unsigned skew_seed, struct accp_error *error)
{
    const struct accp_operator_parameters parameters = {
        .left = (const float *)session->left,
        .right = (const float *)session->right,
        .results = (float *)session->results,
        .records = (struct accp_operator_record *)session->records,
        .length = cell->grid.length,
        .tiles = cell->grid.tiles,
        .columns = cell->grid.columns,
        .skew_cycles = skew_seed ? (unsigned)session->request->skew_cycles : 0,
        .skew_seed = skew_seed,
    };
    ACCP_TRY(accp_device_launch(session->device, &session->kernels[kernel], cell->blocks,
                                cell->size->warps * ACCP_OPERATOR_LANES, &parameters,
                                sizeof parameters, error));
    return accp_device_synchronise(session->device, launch_timeout_s, error);
}

static enum accp_status check_owner(const struct session *session, const struct cell *cell,
                                    size_t kernel, size_t owner, struct accp_error *error)
{
    struct accp_operator_bound bounds[OUTPUTS_MAX];
    const struct accp_operator_data data = data_of(session);
    const struct accp_operator *row = &accp_operators[cell->op];
    accp_operator_expect(cell->op, accp_operator_kernels[kernel].acc, &cell->grid, &data, owner,
                         bounds);
    for (int i = 0; i < row->outputs; ++i) {
        const double got = (double)session->host_results[owner * (size_t)row->outputs + (size_t)i];
        if (fabs(got - bounds[i].expected) <= bounds[i].error) continue;
        return accp_fail(
            error, ACCP_STATUS_WRONG, accp_operator_kernels[kernel].symbol, (int64_t)owner,
            "length %d, %zu warps: output %d of %s %zu is %.9g, where double precision "
            "gives %.9g (bound %.2g): do not trust this kernel, compiler or GPU",
            cell->grid.length, cell->grid.warps, i,
            row->owner == ACCP_OPERATOR_OWNER_THREAD ? "thread" : "warp", owner, got,
            bounds[i].expected, bounds[i].error);
    }
    return ACCP_STATUS_OK;
}

/* Owners of a timed grid to compare: what they cost the host would else be most of a measurement of long rows. */
static size_t owners_to_check(const struct cell *cell)
{
    const struct accp_operator *row = &accp_operators[cell->op];
    const size_t width =
        row->owner == ACCP_OPERATOR_OWNER_WARP ? ACCP_OPERATOR_LANES : (size_t)row->outputs;
    const size_t owners = CHECKED_TERMS / (width * (size_t)cell->grid.length);
    if (owners > CHECKED_OWNERS) return CHECKED_OWNERS;
    return owners > CHECKED_OWNERS_LEAST ? owners : CHECKED_OWNERS_LEAST;
}

static enum accp_status read_results(struct session *session, size_t from, size_t floats,
                                     struct accp_error *error)
{
    return accp_device_read(session->device, session->host_results + from,
                            session->results + from * sizeof(float), floats * sizeof(float), error);
}

/* Launches once over results that are no numbers, and compares `checked` owners drawn from all, or
 * all where there are no more. */
static enum accp_status check(struct session *session, const struct cell *cell, size_t kernel,
                              size_t checked, struct accp_error *error)
{
    const size_t floats = accp_operator_result_floats(cell->op, &cell->grid);
    const size_t outputs = (size_t)accp_operators[cell->op].outputs, owners = floats / outputs;
    const bool is_whole = floats <= READ_WHOLE || owners <= checked;
    ACCP_TRY(
        accp_device_fill(session->device, session->results, 0xff, floats * sizeof(float), error));
    ACCP_TRY(launch(session, cell, kernel, 0, error));
    if (is_whole) ACCP_TRY(read_results(session, 0, floats, error));
    for (size_t i = 0; i < owners && i < checked; ++i) {
        const size_t owner =
            owners <= checked ? i : accp_random_below(&session->random, (uint32_t)owners);
        if (!is_whole) ACCP_TRY(read_results(session, owner * outputs, outputs, error));
        ACCP_TRY(check_owner(session, cell, kernel, owner, error));
    }
    return ACCP_STATUS_OK;
}

/* Every length that ends a turn in another way, in one block, and every result of it. */
static enum accp_status check_lengths_of(struct session *session, size_t kernel,
                                         struct accp_error *error)
{
    static const struct accp_operator_size size = {"check", ACCP_OPERATOR_SMS_ONE, 1, CHECK_WARPS};
    for (size_t i = 0; i < sizeof check_lengths / sizeof *check_lengths; ++i) {
        struct cell cell = {.op = accp_operator_kernels[kernel].op, .size = &size, .blocks = 1};
        accp_operator_grid_init(CHECK_WARPS, check_lengths[i], &cell.grid);
        ACCP_TRY(check(session, &cell, kernel, SIZE_MAX, error));
    }
    return ACCP_STATUS_OK;
}

/* The mean over the SMs of their spans; NaN: a record names no SM. */
static double mean_span(struct session *session, size_t warps)
{
    double total = 0;
    size_t sms = 0;
    memset(session->spans, 0, sizeof session->spans);
    for (size_t i = 0; i < warps; ++i) {
        const struct accp_operator_record *record = &session->host_records[i];
        if (record->sm >= SMS_MAX) return NAN;
        struct span *span = &session->spans[record->sm];
        if (!span->is_used || record->begin_cycles < span->begin_cycles)
            span->begin_cycles = record->begin_cycles;
        if (!span->is_used || record->end_cycles > span->end_cycles)
            span->end_cycles = record->end_cycles;
        span->is_used = true;
    }
    for (size_t i = 0; i < SMS_MAX; ++i) {
        if (!session->spans[i].is_used) continue;
        total += (double)(session->spans[i].end_cycles - session->spans[i].begin_cycles);
        ++sms;
    }
    return total / (double)sms;
}

static enum accp_status sample(struct session *session, const struct cell *cell, size_t kernel,
                               unsigned skew_seed, struct samples *samples,
                               struct accp_error *error)
{
    ACCP_TRY(launch(session, cell, kernel, skew_seed, error));
    ACCP_TRY(accp_device_read(session->device, session->host_records, session->records,
                              cell->grid.warps * sizeof *session->host_records, error));
    const double cycles = mean_span(session, cell->grid.warps);
    if (!(cycles >= 1 && cycles < 1e12))
        return accp_fail(error, ACCP_STATUS_DEVICE, accp_operator_kernels[kernel].symbol, -1,
                         "a launch took %g cycles: no clock gave that", cycles);
    samples->sum += cycles;
    samples->least = samples->count == 0 ? cycles : fmin(samples->least, cycles);
    samples->most = fmax(samples->most, cycles);
    ++samples->count;
    return ACCP_STATUS_OK;
}

/* Without the fastest and the slowest: one launch in some thousands takes several times as long as the others. */
static double typical(const struct samples *samples)
{
    if (samples->count < 3) return samples->sum / (double)samples->count;
    return (samples->sum - samples->least - samples->most) / (double)(samples->count - 2);
}

static enum accp_status append(const struct cell *cell, const struct samples *samples,
                               struct accp_run *run, struct accp_error *error)
{
    for (size_t i = 0; i < cell->kernel_count; ++i) {
        const struct accp_operator_kernel *kernel = &accp_operator_kernels[cell->kernels[i]];
        struct accp_run_role *role;
        ACCP_TRY(accp_run_append(run, &role, error));
        accp_ops_name(kernel, cell->size, cell->grid.length, role->role);
        snprintf(role->kernel, sizeof role->kernel, "%s", kernel->symbol);
        role->chain = cell->grid.length;
        role->acc = kernel->acc;
        role->effective = kernel->acc < cell->grid.length ? kernel->acc : cell->grid.length;
        role->warps = cell->size->warps;
        role->cycles.n = samples[i].count;
        role->cycles.mean = typical(&samples[i]);
        role->cycles.min = samples[i].least;
        role->cycles.max = samples[i].most;
        role->progress = 1e7 / role->cycles.mean;
    }
    return ACCP_STATUS_OK;
}

static enum accp_status measure_cell(struct session *session, const struct cell *cell,
                                     struct accp_run *run, struct accp_error *error)
{
    struct samples samples[ACCS_MAX] = {0};
    for (size_t i = 0; i < cell->kernel_count; ++i)
        ACCP_TRY(check(session, cell, cell->kernels[i], owners_to_check(cell), error));
    for (int round = 0; round < session->request->rounds; ++round) {
        size_t order[ACCS_MAX];
        for (size_t i = 0; i < cell->kernel_count; ++i) {
            const size_t j = accp_random_below(&session->random, (uint32_t)i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        const unsigned skew_seed = 1 + accp_random_below(&session->random, 1u << 30);
        for (size_t i = 0; i < cell->kernel_count; ++i)
            ACCP_TRY(sample(session, cell, cell->kernels[order[i]], skew_seed, &samples[order[i]],
                            error));
    }
    return append(cell, samples, run, error);
}

static enum accp_status measure_cells(struct session *session, enum accp_operator_id op,
                                      struct accp_run *run, struct accp_error *error)
{
    struct cell cell;
    int lengths[ACCP_OPS_LENGTHS];
    const int count =
        accp_ops_lengths(op, session->request->lengths, session->request->length_count, lengths);
    for (int size = 0; size < ACCP_OPERATOR_SIZE_COUNT; ++size)
        for (int i = 0; i < count; ++i) {
            cell_init(session, op, &accp_operator_sizes[size], lengths[i], &cell);
            if (cell.kernel_count > 0) ACCP_TRY(measure_cell(session, &cell, run, error));
        }
    return ACCP_STATUS_OK;
}

static enum accp_status measure_operator(struct session *session, enum accp_operator_id op,
                                         struct accp_run *run, struct accp_error *error)
{
    struct needs needs = {0};
    bool wanted[ACCP_OPERATOR_KERNEL_COUNT] = {false}, any = false;
    struct cell cell;
    int lengths[ACCP_OPS_LENGTHS];
    const int count =
        accp_ops_lengths(op, session->request->lengths, session->request->length_count, lengths);
    for (int size = 0; size < ACCP_OPERATOR_SIZE_COUNT; ++size)
        for (int i = 0; i < count; ++i) {
            cell_init(session, op, &accp_operator_sizes[size], lengths[i], &cell);
            if (cell.kernel_count == 0) continue;
            needs_add(&needs, op, &cell.grid);
            for (size_t k = 0; k < cell.kernel_count; ++k)
                wanted[cell.kernels[k]] = any = true;
        }
    if (!any) return ACCP_STATUS_OK;
    for (size_t i = 0; i < sizeof check_lengths / sizeof *check_lengths; ++i) {
        accp_operator_grid_init(CHECK_WARPS, check_lengths[i], &cell.grid);
        needs_add(&needs, op, &cell.grid);
    }
    enum accp_status status = provide(session, op, &needs, error);
    for (size_t i = 0; i < ACCP_OPERATOR_KERNEL_COUNT && status == ACCP_STATUS_OK; ++i)
        if (wanted[i]) status = check_lengths_of(session, i, error);
    if (status == ACCP_STATUS_OK) status = measure_cells(session, op, run, error);
    release(session);
    return status;
}

static enum accp_status measure_all(struct session *session, struct accp_run *run,
                                    struct accp_error *error)
{
    const struct accp_ops_request *request = session->request;
    ACCP_TRY(accp_device_load(session->device, request->cubin, request->cubin_bytes,
                              &session->module, error));
    for (size_t i = 0; i < ACCP_OPERATOR_KERNEL_COUNT; ++i)
        ACCP_TRY(accp_device_kernel(session->device, session->module,
                                    accp_operator_kernels[i].symbol, &session->kernels[i], error));
    const size_t before = run->role_count;
    for (int op = 0; op < ACCP_OPERATOR_COUNT; ++op)
        ACCP_TRY(measure_operator(session, (enum accp_operator_id)op, run, error));
    if (run->role_count > before) return ACCP_STATUS_OK;
    return accp_fail(
        error, ACCP_STATUS_USAGE, NULL, -1,
        "--filter matches no role of ops; they are called like ops.dot.warp1.n61.acc4");
}

enum accp_status accp_ops_measure(struct accp_device *device,
                                  const struct accp_ops_request *request, struct accp_run *run,
                                  struct accp_error *error)
{
    struct session *session = calloc(1, sizeof *session);
    float *pattern = malloc(PATTERN * sizeof *pattern);
    if (!session || !pattern) {
        free(session);
        free(pattern);
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the operators' data");
    }
    *session = (struct session){
        .device = device, .request = request, .random = {request->seed}, .pattern = pattern};
    snprintf(run->protocol.name, sizeof run->protocol.name, "ops");
    run->protocol.seed = request->seed;
    run->protocol.launches = request->rounds;
    run->protocol.skew_cycles = request->skew_cycles;
    enum accp_status status = measure_all(session, run, error);
    if (status == ACCP_STATUS_OK) {
        accp_device_facts(device, &run->device);
        accp_device_observe(device, &run->device);
    }
    free(session->pattern);
    free(session);
    return status;
}
