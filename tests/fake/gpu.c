#include "gpu.h"

#include "cycles.h"
#include "fake_calibration.h"
#include "fake_codes.h"
#include "fake_operators.h"
#include "measure/reference.h"
#include "parameters.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    ILLEGAL_ADDRESS = 700,
    ENTRY_CYCLES = 23, /* made up: what entering the loop adds to a phase's first iteration */
    SLOW_MHZ = 1200,
    LEAP_CYCLES = 4000000 /* a time slice of 2 ms */
};

struct block {
    struct block *next;
    uint8_t *data;
    size_t bytes;
};

/* The sinks of a launch, computed when somebody looks: a run of the gate looks at few of them. */
struct debt {
    float *sinks;
    size_t warps;
    unsigned *iterations;           /* of each warp, all phases together; owned */
    const struct accp_role **roles; /* of each warp; owned */
    float input[ACCP_INPUT_ROWS * ACCP_LANES];
    bool loses_link; /* of every chain: the least fault that a result has to show */
};

static struct block *blocks;
static struct accp_fake_function *functions;
static struct accp_run run;
static bool has_run;
static struct accp_random random_state;
static struct debt debt;
static double gpu_ms;
static unsigned launches;
static bool is_found[ACCP_ROLE_COUNT]; /* whose cycles this launch knows */

double accp_fake_gpu_ms(void)
{
    return gpu_ms;
}

int accp_fake_gpu_allocations(void)
{
    int count = 0;
    for (const struct block *at = blocks; at; at = at->next)
        ++count;
    return count;
}

bool accp_fake_number(const char *variable, uint64_t most, uint64_t *number)
{
    const char *text = getenv(variable);
    char *end;
    if (!text || !text[0]) return true;
    errno = 0;
    const unsigned long long given = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && !*end && errno == 0 && given <= most) {
        *number = given;
        return true;
    }
    fprintf(stderr, "%s: \"%s\" is no whole number from 0 to %llu\n", variable, text,
            (unsigned long long)most);
    return false;
}

bool accp_fake_gpu_start(void)
{
    const char *file = getenv("ACCP_FAKE_RUN");
    struct accp_error error;
    uint64_t seed = 1, machine;
    if (!accp_fake_number("ACCP_FAKE_SEED", UINT64_MAX, &seed) ||
        !accp_fake_number("ACCP_FAKE_HOST", 15, &machine))
        return false;
    if (has_run) accp_run_fini(&run);
    has_run = false;
    random_state.state = seed;
    if (!file || !file[0]) return accp_fake_cycles_check(NULL);
    has_run = accp_run_read(file, &run, &error) == ACCP_STATUS_OK;
    if (!has_run) fprintf(stderr, "ACCP_FAKE_RUN: %s: %s\n", error.where, error.text);
    return has_run && accp_fake_cycles_check(&run);
}

static struct block *find_block(uint64_t address, size_t bytes)
{
    for (struct block *at = blocks; at; at = at->next) {
        uint64_t begin = (uint64_t)(uintptr_t)at->data;
        if (address >= begin && address - begin <= at->bytes &&
            bytes <= at->bytes - (address - begin))
            return at;
    }
    return NULL;
}

static void forgive(void)
{
    free(debt.iterations);
    free(debt.roles);
    debt.iterations = NULL;
    debt.roles = NULL;
}

/* One lane of all warps that run a role: the recurrence once, up to the longest of them, handing out
 * results on its way; lanes of different warps start alike. */
static void pay_lane(const struct debt *owed, const struct accp_role *role, int index,
                     float *results, unsigned longest)
{
    struct accp_reference_work work;
    struct accp_reference_lane lane;
    struct accp_reference_float state;
    accp_reference_work_init(&work, role);
    if (owed->loses_link && work.chain > work.effective) --work.chain;
    accp_reference_lane_load(&lane, owed->input, index);
    accp_reference_float_begin(&lane, &state);
    for (unsigned i = 0; i < longest; ++i) {
        accp_reference_float_iterate(&work, &lane, &state);
        results[i] = accp_reference_float_result(&work, &state);
    }
    for (size_t warp = 0; warp < owed->warps; ++warp)
        if (owed->roles[warp] == role && owed->iterations[warp] > 0)
            owed->sinks[warp * ACCP_LANES + (size_t)index] = results[owed->iterations[warp] - 1];
}

static bool is_paid(const struct debt *owed, size_t warp)
{
    for (size_t i = 0; i < warp; ++i)
        if (owed->roles[i] == owed->roles[warp]) return true;
    return !owed->roles[warp];
}

static void pay(void)
{
    if (!debt.iterations) return;
    for (size_t warp = 0; warp < debt.warps; ++warp) {
        const struct accp_role *role = debt.roles[warp];
        unsigned longest = 0;
        if (is_paid(&debt, warp)) continue;
        for (size_t i = warp; i < debt.warps; ++i)
            if (debt.roles[i] == role && debt.iterations[i] > longest) longest = debt.iterations[i];
        float *results = malloc((longest + 1) * sizeof *results);
        for (int index = 0; results && index < ACCP_LANES; ++index)
            pay_lane(&debt, role, index, results, longest);
        free(results);
    }
    forgive();
}

int accp_fake_gpu_allocate(uint64_t *address, size_t bytes)
{
    struct block *block = malloc(sizeof *block);
    if (bytes == 0 || !block) {
        free(block);
        return bytes == 0 ? INVALID_VALUE : OUT_OF_MEMORY;
    }
    size_t rounded = (bytes + 255) & ~(size_t)255;
    *block = (struct block){blocks, aligned_alloc(256, rounded), bytes};
    if (!block->data) {
        free(block);
        return OUT_OF_MEMORY;
    }
    memset(block->data, 0xcd, bytes); /* uninitialised, and to be seen */
    blocks = block;
    *address = (uint64_t)(uintptr_t)block->data;
    return OK;
}

int accp_fake_gpu_free(uint64_t address)
{
    pay();
    for (struct block **at = &blocks; *at; at = &(*at)->next) {
        struct block *block = *at;
        if ((uint64_t)(uintptr_t)block->data != address) continue;
        *at = block->next;
        free(block->data);
        free(block);
        return OK;
    }
    return INVALID_VALUE;
}

void *accp_fake_gpu_memory(uint64_t address, size_t bytes)
{
    pay();
    struct block *block = find_block(address, bytes);
    return block ? block->data + (address - (uint64_t)(uintptr_t)block->data) : NULL;
}

static bool in_run(const char *symbol)
{
    for (size_t i = 0; has_run && i < run.role_count; ++i)
        if (strcmp(run.roles[i].kernel, symbol) == 0) return true;
    return false;
}

static const struct accp_role *first_role(const char *symbol)
{
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i)
        if (strcmp(accp_roles[i].kernel, symbol) == 0) return &accp_roles[i];
    return NULL;
}

/* What a warp runs: of a shared kernel, the case of its selector, and nothing where there is none. */
static const struct accp_role *role_of_warp(const struct accp_fake_function *function,
                                            const unsigned char *selectors, size_t warp)
{
    if (!function->role || function->role->dispatch == ACCP_DISPATCH_ALONE) return function->role;
    for (const struct accp_role *role = function->role;
         role < accp_roles + ACCP_ROLE_COUNT && strcmp(role->kernel, function->symbol) == 0; ++role)
        if (role->acc == selectors[warp]) return role;
    return NULL;
}

struct accp_fake_function *accp_fake_gpu_function(const char *symbol)
{
    for (struct accp_fake_function *at = functions; at; at = at->next)
        if (strcmp(at->symbol, symbol) == 0) return at;
    bool is_clock_rate = strcmp(symbol, "accp_clock_rate") == 0;
    const struct accp_role *role = first_role(symbol);
    const struct accp_operator_kernel *operates = accp_operator_kernel_find(symbol);
    const bool is_calibration = strcmp(symbol, "accp_calibration") == 0;
    const bool is_codes = strcmp(symbol, "accp_codes") == 0;
    if (!is_clock_rate && !is_calibration && !is_codes && !role && !operates && !in_run(symbol))
        return NULL;
    struct accp_fake_function *function = calloc(1, sizeof *function);
    if (!function) return NULL;
    snprintf(function->symbol, sizeof function->symbol, "%s", symbol);
    function->role = role;
    function->is_clock_rate = is_clock_rate;
    function->is_calibration = is_calibration;
    function->is_codes = is_codes;
    function->operates = operates;
    function->next = functions;
    functions = function;
    return function;
}

static double clock_mhz(const struct accp_fake_scenario *scenario)
{
    return scenario->on[ACCP_FAKE_throttled] ? SLOW_MHZ : scenario->sku->sm_mhz;
}

/* kernels/clock.cu: how many cycles passed in how many nanoseconds. */
static int launch_clock_rate(const struct accp_fake_scenario *scenario, const void *parameters,
                             size_t parameters_bytes)
{
    struct {
        long long budget_cycles;
        uint64_t record;
    } copy;
    if (parameters_bytes != sizeof copy) return INVALID_VALUE;
    memcpy(&copy, parameters, sizeof copy);
    long long record[2];
    void *target = accp_fake_gpu_memory(copy.record, sizeof record);
    if (!target) return ILLEGAL_ADDRESS;
    record[0] = copy.budget_cycles;
    record[1] = llround((double)copy.budget_cycles * 1e3 / clock_mhz(scenario));
    gpu_ms += (double)record[1] * 1e-6;
    if (scenario->on[ACCP_FAKE_clock_back]) record[1] -= 1000000000;
    memcpy(target, record, sizeof record);
    return OK;
}

/* One warp through its phases: the loop runs once, and on until the budget is spent. Returns the
 * iterations of all phases. */
static unsigned run_warp(const struct accp_parameters *parameters, double cycles,
                         struct accp_record *record, double *total_cycles)
{
    unsigned all = 0;
    const double single = ceil(cycles) + ENTRY_CYCLES;
    memset(record, 0, sizeof *record);
    for (int phase = 0; phase < parameters->phases; ++phase) {
        double rest = (double)parameters->budget_cycles[phase] - single;
        unsigned iterations = 1 + (rest > 0 ? (unsigned)ceil(rest / cycles) : 0);
        record->short_cycles = record->elapsed_cycles;
        record->short_iterations = record->iterations;
        record->iterations = iterations;
        record->elapsed_cycles = (unsigned)llround(single + cycles * (iterations - 1));
        *total_cycles += record->elapsed_cycles;
        all += iterations;
    }
    return all;
}

static bool pointers_fit(const struct accp_fake_function *function,
                         const struct accp_parameters *parameters, size_t warps)
{
    const bool selects = function->role && function->role->dispatch != ACCP_DISPATCH_ALONE;
    if (selects && !find_block((uint64_t)(uintptr_t)parameters->selectors, warps)) return false;
    return find_block((uint64_t)(uintptr_t)parameters->input,
                      sizeof(float) * ACCP_INPUT_ROWS * ACCP_LANES) &&
           find_block((uint64_t)(uintptr_t)parameters->skew_cycles, sizeof(unsigned) * warps) &&
           find_block((uint64_t)(uintptr_t)parameters->records,
                      sizeof(struct accp_record) * warps) &&
           find_block((uint64_t)(uintptr_t)parameters->sinks, sizeof(float) * ACCP_LANES * warps);
}

/* What is owed for the same sinks already, and would be overwritten whole, need not be paid. */
static bool owe(const struct accp_fake_scenario *scenario, const struct accp_parameters *parameters,
                const struct accp_fake_function *function, size_t warps)
{
    if (debt.iterations && debt.sinks == parameters->sinks && debt.warps <= warps) forgive();
    pay();
    debt = (struct debt){.sinks = parameters->sinks,
                         .warps = warps,
                         .iterations = calloc(warps, sizeof *debt.iterations),
                         .roles = calloc(warps, sizeof(const struct accp_role *))};
    memcpy(debt.input, parameters->input, sizeof debt.input);
    if (!debt.iterations || !debt.roles) {
        forgive();
        return false;
    }
    for (size_t warp = 0; warp < warps; ++warp)
        debt.roles[warp] = role_of_warp(function, parameters->selectors,
                                        scenario->on[ACCP_FAKE_wrong_case] ? 0 : warp);
    return true;
}

/* The warp stood still while its clock ran: its budget is spent by the next time it looks. */
static void leap(struct accp_record *record)
{
    record->elapsed_cycles += LEAP_CYCLES;
}

/* Of a role that `function` runs: found once a launch, since the warps of a switch run several in turn. */
static const struct accp_fake_cycles *find_cycles(const struct accp_fake_scenario *scenario,
                                                  const struct accp_fake_function *function,
                                                  const struct accp_role *role, int warps_per_block)
{
    static struct accp_fake_cycles found[ACCP_ROLE_COUNT];
    const size_t at = role ? (size_t)(role - accp_roles) : 0;
    struct accp_fake_cycles *cycles = &found[at];
    if (is_found[at]) return cycles;
    is_found[at] = true;
    accp_fake_cycles_find(has_run ? &run : NULL, function->symbol, role, warps_per_block, cycles);
    for (size_t i = 0; i < cycles->count; ++i)
        if (scenario->on[ACCP_FAKE_uneven] && scenario->device == 1)
            cycles->modes[i].cycles *= 1.03;
    return cycles;
}

static int launch_probe(const struct accp_fake_scenario *scenario,
                        const struct accp_fake_function *function, size_t warps,
                        int warps_per_block, const struct accp_parameters *parameters)
{
    double longest_cycles = 0;
    if (parameters->phases < 1 || parameters->phases > ACCP_PHASES) return OK; /* no phase is run */
    if (!pointers_fit(function, parameters, warps)) return ILLEGAL_ADDRESS;
    if (!owe(scenario, parameters, function, warps)) return OUT_OF_MEMORY;
    debt.loses_link = scenario->on[ACCP_FAKE_wrong_results];
    const bool waits = scenario->on[ACCP_FAKE_interrupted] && ++launches % 30 == 0;
    memset(is_found, 0, sizeof is_found);
    for (size_t warp = 0; warp < warps; ++warp) {
        struct accp_record record = {0};
        double total_cycles = parameters->skew_cycles[warp];
        const struct accp_role *role = debt.roles[warp];
        const struct accp_fake_cycles *cycles =
            find_cycles(scenario, function, role, warps_per_block);
        if (cycles->count > 0 && (role || !function->role))
            debt.iterations[warp] = run_warp(
                parameters, accp_fake_cycles_draw(cycles, &random_state), &record, &total_cycles);
        if (waits || (warp == 0 && scenario->on[ACCP_FAKE_clock_leap])) leap(&record);
        parameters->records[warp] = record;
        longest_cycles = fmax(longest_cycles, total_cycles);
    }
    gpu_ms += longest_cycles / clock_mhz(scenario) * 1e-3;
    if (!function->role) forgive(); /* a stranger's kernel owes nothing */
    return OK;
}

int accp_fake_gpu_launch(const struct accp_fake_scenario *scenario,
                         const struct accp_fake_function *function, unsigned grid_blocks,
                         unsigned threads, const void *parameters, size_t parameters_bytes)
{
    struct accp_parameters copy;
    if (function->is_clock_rate) return launch_clock_rate(scenario, parameters, parameters_bytes);
    if (function->is_calibration)
        return accp_fake_calibration_launch(scenario, grid_blocks, threads, parameters,
                                            parameters_bytes);
    if (function->is_codes)
        return accp_fake_codes_launch(scenario, grid_blocks, threads, parameters, parameters_bytes);
    if (function->operates)
        return accp_fake_operators_launch(scenario, function->operates, grid_blocks, threads,
                                          parameters, parameters_bytes);
    if (parameters_bytes != sizeof copy || threads % ACCP_LANES != 0) return INVALID_VALUE;
    memcpy(&copy, parameters, sizeof copy);
    size_t warps_per_block = threads / ACCP_LANES;
    return launch_probe(scenario, function, grid_blocks * warps_per_block, (int)warps_per_block,
                        &copy);
}
