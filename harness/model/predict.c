#include "base/plural.h"
#include "base/random.h"
#include "base/word.h"
#include "model/model.h"
#include "model/simulate.h"
#include "model/states.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PHASES = 16,
    PAIR_PHASES = 32,     /* of two warps on a scheduler: what these lock into is seldom the same */
    WARM_CYCLES = 2048,   /* from the last start to the first counted iteration; in them the warps
                             find their phases */
    TIMED_CYCLES = 4096,  /* and are timed for this long, or */
    TIMED_ITERATIONS = 16 /* so many of the longest loops */
};

static const struct accp_word mechanisms[ACCP_MECHANISM_COUNT] = {ACCP_MECHANISM_TABLE(ACCP_WORD)};
static const struct accp_word causes[ACCP_CAUSE_COUNT] = {ACCP_CAUSE_TABLE(ACCP_WORD)};

const char *accp_mechanism_name(enum accp_mechanism mechanism)
{
    return mechanisms[mechanism].name;
}

const char *accp_mechanism_meaning(enum accp_mechanism mechanism)
{
    return mechanisms[mechanism].meaning;
}

const char *accp_cause_name(enum accp_cause cause)
{
    return causes[cause].name;
}

const char *accp_cause_meaning(enum accp_cause cause)
{
    return causes[cause].meaning;
}

int accp_mechanism_find(const char *name)
{
    for (int i = 0; i < ACCP_MECHANISM_COUNT; ++i)
        if (!strcmp(mechanisms[i].name, name)) return i;
    return -1;
}

/* Room for the cycles of every warp of every start. */
struct samples {
    size_t count;
    double *cycles;
};

/* The loop that is predicted, and those that other warps of its block run. */
struct programs {
    struct accp_model_program all[1 + ACCP_MODEL_OTHERS];
    int count;
};

/* Of the branches that a warp issued in the time that counts. */
struct count {
    int64_t first_cycle, last_cycle; /* -1: none */
    int64_t iterations;              /* between these two */
};

/* What a prediction simulates with. Too big for a stack. */
struct workshop {
    struct accp_simulation simulation;
    struct accp_model_states states;
    struct count counts[ACCP_MODEL_SCHEDULERS][ACCP_MODEL_SCHEDULER_WARPS];
};

/* Of the warps that run the loop that is predicted. */
static void add_samples(const struct workshop *workshop, const struct programs *programs,
                        struct samples *samples)
{
    const struct accp_simulation *simulation = &workshop->simulation;
    for (int s = 0; s < simulation->scheduler_count; ++s)
        for (int w = 0; w < simulation->schedulers[s].warp_count; ++w) {
            const struct count *count = &workshop->counts[s][w];
            if (simulation->schedulers[s].warps[w].program == &programs->all[0] &&
                count->iterations > 0)
                samples->cycles[samples->count++] =
                    (double)(count->last_cycle - count->first_cycle) / (double)count->iterations;
        }
}

static void count_branches(struct workshop *workshop, const struct accp_model_branch *branches,
                           int branch_count, int64_t since, int64_t begin, int64_t end)
{
    for (int i = 0; i < branch_count; ++i) {
        const int64_t cycle = since + branches[i].cycle;
        struct count *count = &workshop->counts[branches[i].scheduler][branches[i].warp];
        if (cycle < begin || cycle >= end) continue;
        if (count->first_cycle < 0)
            count->first_cycle = cycle;
        else
            ++count->iterations;
        count->last_cycle = cycle;
    }
}

/* From a known state over those that are known to follow it, up to `end` or to the last of them. */
static int walk(struct workshop *workshop, int state, int64_t *cycle, int64_t begin, int64_t end)
{
    const struct accp_model_states *states = &workshop->states;
    while (*cycle < end && states->states[state].next >= 0) {
        const struct accp_model_state *at = &states->states[state];
        count_branches(workshop, &states->branches[at->first_branch], at->branch_count, *cycle,
                       begin, end);
        *cycle += at->cycles;
        state = at->next;
    }
    return state;
}

/* Simulates up to `end` and counts from `begin` on. Nothing that is known is simulated again, unless somebody watches. */
static void run_until(struct workshop *workshop, int64_t begin, int64_t end)
{
    struct accp_simulation *simulation = &workshop->simulation;
    struct accp_model_states *states = &workshop->states;
    memset(workshop->counts, -1, sizeof workshop->counts);
    for (int s = 0; s < ACCP_MODEL_SCHEDULERS; ++s)
        for (int w = 0; w < ACCP_MODEL_SCHEDULER_WARPS; ++w)
            workshop->counts[s][w].iterations = 0;
    int64_t since = 0; /* when the simulation was at its time 0 */
    for (int state = -1; since + simulation->cycle < end;) {
        const int64_t before = simulation->cycle;
        const bool is_at_branch = accp_simulation_run(simulation, end - since);
        const int64_t cycles = simulation->cycle - before;
        count_branches(workshop, simulation->branches, simulation->branch_count, since, begin, end);
        if (simulation->trace) continue;
        if (!is_at_branch) {
            state = -1;
            continue;
        }
        since += simulation->cycle;
        const int next = accp_model_states_find(states, simulation);
        if (state >= 0 && next >= 0)
            accp_model_states_link(states, state, next, cycles, simulation);
        state = next;
        if (state < 0 || states->states[state].next < 0) continue;
        state = walk(workshop, state, &since, begin, end);
        accp_model_states_restore(states, state, simulation);
    }
}

/* A bound on one iteration of a warp alone, to choose how long to simulate. */
static int64_t stall_sum(const struct accp_model_program *program,
                         const struct accp_model_parameters *parameters)
{
    int64_t sum = parameters->branch_cycles;
    for (int i = 0; i < program->count; i = program->instructions[i].next) {
        sum += program->instructions[i].wait_cycles + program->instructions[i].pauses;
        if (program->instructions[i].jumps) sum += parameters->branch_cycles;
    }
    return sum;
}

/* Cycles of an iteration of a warp that has the SM to itself. */
static int64_t lone_cycles(struct workshop *workshop, const struct accp_model_program *program,
                           const struct accp_model_parameters *parameters, uint32_t without)
{
    const int64_t sum = stall_sum(program, parameters);
    const int64_t cycles = 4 * sum > TIMED_CYCLES ? 4 * sum : TIMED_CYCLES;
    accp_simulation_init(&workshop->simulation, program, parameters, without, 1, 1);
    accp_model_states_clear(&workshop->states, &workshop->simulation);
    run_until(workshop, 0, cycles);
    const struct count *count = &workshop->counts[0][0];
    return count->iterations > 0 ? (count->last_cycle - count->first_cycle) / count->iterations
                                 : sum;
}

/* What a warp locks into depends on where in the others' iterations it starts. So the starts of
 * each warp are dealt evenly over an iteration (over several where there are more warps), one to
 * each of as many equal parts as there are starts, in an order of its own (Latin hypercube sampling,
 * McKay, Beckman and Conover, 1979). docs/model.md has what that is worth. */
static void deal_starts(struct accp_random *random, int phases, int64_t span_cycles,
                        int64_t starts[ACCP_MODEL_PHASES])
{
    for (int i = 0; i < phases; ++i) {
        const int j = (int)accp_random_below(random, (uint32_t)i + 1);
        starts[i] = starts[j];
        starts[j] = i;
    }
    for (int i = 0; i < phases; ++i) {
        const int64_t low = starts[i] * span_cycles / phases;
        const int64_t high = (starts[i] + 1) * span_cycles / phases;
        starts[i] = low + (high > low + 1 ? accp_random_below(random, (uint32_t)(high - low)) : 0);
    }
}

/* Beside a warp of the loop that is predicted, the loops of the others come in turn to its next
 * neighbour, and at random to the rest. */
static void deal_programs(struct accp_simulation *simulation, const struct programs *programs,
                          int phase, struct accp_random *random)
{
    const int others = programs->count - 1;
    for (int s = 0; s < simulation->scheduler_count && others > 0; ++s)
        for (int w = 0; w < simulation->schedulers[s].warp_count; ++w) {
            const int drawn = (int)accp_random_below(random, (uint32_t)others);
            if (s + w > 0)
                simulation->schedulers[s].warps[w].program =
                    &programs->all[1 + (s == 0 && w == 1 ? phase % others : drawn)];
        }
}

/* Starts to average over: enough for every neighbour to have as many as a loop beside its own kind. */
static int phases_of(const struct accp_model_options *options)
{
    const int usual = options->warps > 2 * ACCP_MODEL_SCHEDULERS ? PHASES : PAIR_PHASES;
    const int phases = (options->phases ? options->phases : usual) *
                       (options->other_count > 0 ? options->other_count : 1);
    return phases < ACCP_MODEL_PHASES ? phases : ACCP_MODEL_PHASES;
}

static void simulate(struct workshop *workshop, const struct programs *programs,
                     const struct accp_model_parameters *parameters,
                     const struct accp_model_options *options, int schedulers, int warps,
                     struct accp_random *random, struct samples *samples)
{
    const struct accp_model_program *program = &programs->all[0];
    struct accp_simulation *simulation = &workshop->simulation;
    int64_t sum = 0, alone = 0;
    for (int i = 0; i < programs->count; ++i) {
        const int64_t own_sum = stall_sum(&programs->all[i], parameters);
        const int64_t own = lone_cycles(workshop, &programs->all[i], parameters, options->without);
        sum = own_sum > sum ? own_sum : sum;
        alone = own > alone ? own : alone;
    }
    const int64_t longest = TIMED_ITERATIONS * warps * sum;
    const int64_t span = alone * (warps > 1 ? warps - 1 : 1);
    const int phases = phases_of(options);
    int64_t starts[ACCP_MODEL_WARPS][ACCP_MODEL_PHASES];
    memset(starts[0], 0, sizeof starts[0]); /* only differences count */
    for (int w = 1; w < schedulers * warps; ++w)
        deal_starts(random, phases, span, starts[w]);
    for (int phase = 0; phase < phases; ++phase) {
        accp_simulation_init(simulation, program, parameters, options->without, schedulers, warps);
        simulation->sm_warps = options->warps;
        for (int s = 0; s < schedulers; ++s)
            for (int w = 0; w < warps; ++w) {
                struct accp_model_warp *warp = &simulation->schedulers[s].warps[w];
                warp->ready_cycle = warp->request_cycle = starts[s * warps + w][phase];
            }
        deal_programs(simulation, programs, phase, random);
        simulation->warm_cycles = span + WARM_CYCLES;
        simulation->start = phase;
        simulation->trace = phase && !options->traces_every_start ? NULL : options->trace;
        simulation->trace_context = options->trace_context;
        if (phase == 0) accp_model_states_clear(&workshop->states, simulation);
        run_until(workshop, span + WARM_CYCLES,
                  span + WARM_CYCLES + (longest > TIMED_CYCLES ? longest : TIMED_CYCLES));
        add_samples(workshop, programs, samples);
        if (warps > 1 || schedulers > 1) continue;
        /* A warp alone has no phase, but beside fuller schedulers it counts as often as they do. */
        while (options->warps > ACCP_MODEL_SCHEDULERS && ++phase < phases)
            add_samples(workshop, programs, samples);
        return;
    }
}

static int by_weight(const void *left, const void *right)
{
    const struct accp_mode *a = left, *b = right;
    if (a->weight != b->weight) return a->weight < b->weight ? 1 : -1;
    return (a->cycles > b->cycles) - (a->cycles < b->cycles);
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void summarize(struct samples *samples, struct accp_cycles *cycles)
{
    memset(cycles, 0, sizeof *cycles);
    if (!samples->count) return;
    qsort(samples->cycles, samples->count, sizeof *samples->cycles, by_value);
    cycles->n = samples->count;
    cycles->min = samples->cycles[0];
    cycles->max = samples->cycles[samples->count - 1];
    struct accp_mode all[ACCP_RUN_MODES * 4];
    size_t modes = 0;
    for (size_t i = 0; i < samples->count; ++i) {
        const double whole = round(samples->cycles[i]);
        cycles->mean += samples->cycles[i] / (double)samples->count;
        if (!modes || all[modes - 1].cycles != whole) {
            if (modes == sizeof all / sizeof *all) continue;
            all[modes++] = (struct accp_mode){whole, 0};
        }
        all[modes - 1].weight += 1.0 / (double)samples->count;
    }
    qsort(all, modes, sizeof *all, by_weight);
    cycles->mode_count = modes < ACCP_RUN_MODES ? modes : ACCP_RUN_MODES;
    memcpy(cycles->modes, all, cycles->mode_count * sizeof *all);
}

/* Whether every scheduler is simulated because they share a queue. */
static bool is_shared(const struct programs *programs, const struct accp_model_options *options)
{
    bool shared = false;
    for (int i = 0; i < programs->count; ++i)
        shared |= programs->all[i].has_shared;
    return shared && !(options->without >> ACCP_MECHANISM_SHARED & 1u) &&
           options->warps >= ACCP_MODEL_SCHEDULERS && options->warps % ACCP_MODEL_SCHEDULERS == 0;
}

/* A loop that would take too long to simulate is unknown. */
static void limit(const struct programs *programs, const struct accp_model_parameters *parameters,
                  const struct accp_model_options *options, char *unknown)
{
    const bool shared = is_shared(programs, options);
    const int warps = (options->warps + ACCP_MODEL_SCHEDULERS - 1) / ACCP_MODEL_SCHEDULERS;
    const int phases = warps > 1 || shared ? phases_of(options) : 1;
    const int schedulers =
        shared || options->warps % ACCP_MODEL_SCHEDULERS ? ACCP_MODEL_SCHEDULERS : 1;
    int64_t sum = 0;
    for (int i = 0; i < programs->count; ++i) {
        const int64_t own = stall_sum(&programs->all[i], parameters);
        sum = own > sum ? own : sum;
    }
    if (sum * warps * TIMED_ITERATIONS * schedulers * phases > ACCP_MODEL_CYCLES)
        snprintf(unknown, ACCP_MODEL_TEXT_BYTES,
                 "an iteration of some %" PRId64 " cycles, too long at %d warps; fewer may do", sum,
                 options->warps);
}

/* Warps go to the schedulers in turn: some may have one more than others. */
static enum accp_status run(const struct programs *programs,
                            const struct accp_model_parameters *parameters,
                            const struct accp_model_options *options, struct accp_cycles *cycles,
                            struct accp_error *error)
{
    const int phases = phases_of(options);
    struct samples samples = {
        .cycles = malloc((size_t)phases * ACCP_MODEL_WARPS * sizeof *samples.cycles)};
    struct workshop *workshop = malloc(sizeof *workshop);
    if (!samples.cycles || !workshop) {
        free(samples.cycles);
        free(workshop);
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory to simulate an SM");
    }
    struct accp_random random = {options->seed};
    const int few = options->warps / ACCP_MODEL_SCHEDULERS;
    const int more = options->warps % ACCP_MODEL_SCHEDULERS;
    if (is_shared(programs, options))
        simulate(workshop, programs, parameters, options, ACCP_MODEL_SCHEDULERS, few, &random,
                 &samples);
    else
        for (int s = 0; s < ACCP_MODEL_SCHEDULERS; ++s) {
            const int warps = few + (s < more);
            struct accp_model_options of_scheduler = *options;
            if (s) of_scheduler.trace = NULL;
            if (warps > 0 && (s == 0 || more))
                simulate(workshop, programs, parameters, &of_scheduler, 1, warps, &random,
                         &samples);
        }
    summarize(&samples, cycles);
    free(samples.cycles);
    free(workshop);
    return ACCP_STATUS_OK;
}

static int most_warps(const struct accp_code *code)
{
    const struct accp_arch *arch = NULL;
    for (int i = 0; i < ACCP_ARCH_COUNT && !arch; ++i)
        if (atoi(accp_arches[i].name + strlen("sm_")) == code->sm) arch = &accp_arches[i];
    if (!arch) return ACCP_MODEL_WARPS;
    const int registers = code->kernel->registers;
    int warps = arch->warps;
    if (registers > 0) {
        const int unit = arch->allocation, of_warp = (registers * 32 + unit - 1) / unit * unit;
        const int of_scheduler = arch->registers / arch->schedulers / of_warp;
        if (of_scheduler * arch->schedulers < warps) warps = of_scheduler * arch->schedulers;
    }
    return warps;
}

static bool is_validated(const struct accp_code *code)
{
    for (int i = 0; i < ACCP_ARCH_COUNT; ++i)
        if (atoi(accp_arches[i].name + strlen("sm_")) == code->sm) return accp_arches[i].validated;
    return false;
}

/* The loop itself first. Owned by the caller even on failure. */
static enum accp_status read_programs(const struct accp_code *code, const struct accp_loop *loop,
                                      const struct accp_model_options *options,
                                      const struct accp_model_parameters *parameters,
                                      struct programs *programs, char *unknown,
                                      struct accp_error *error)
{
    char unknown_other[ACCP_MODEL_TEXT_BYTES];
    ACCP_TRY(accp_model_program_init(code, loop, parameters, options->without, &programs->all[0],
                                     unknown, error));
    programs->count = 1;
    for (int i = 0; i < options->other_count; ++i) {
        ACCP_TRY(accp_model_program_init(code, options->others[i], parameters, options->without,
                                         &programs->all[programs->count], unknown_other, error));
        ++programs->count;
        if (!unknown[0]) memcpy(unknown, unknown_other, sizeof unknown_other);
    }
    return ACCP_STATUS_OK;
}

enum accp_status accp_model_predict(const struct accp_code *code, const struct accp_loop *loop,
                                    const struct accp_model_options *options,
                                    struct accp_prediction *prediction, struct accp_error *error)
{
    memset(prediction, 0, sizeof *prediction);
    if (options->warps < 1 || options->warps > ACCP_MODEL_WARPS)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, options->warps,
                         "%d warp%s: an SM holds 1 to %d", options->warps,
                         ACCP_PLURAL(options->warps, "s"), ACCP_MODEL_WARPS);
    if (options->phases < 0 || options->phases > ACCP_MODEL_PHASES)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, options->phases,
                         "%d phases: from 1 to %d, or 0 for the default", options->phases,
                         ACCP_MODEL_PHASES);
    if (options->other_count < 0 || options->other_count > ACCP_MODEL_OTHERS)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, options->other_count,
                         "%d loops beside one: at the most %d", options->other_count,
                         ACCP_MODEL_OTHERS);
    struct accp_model_parameters parameters;
    ACCP_TRY(accp_model_parameters_find(code->sm, &parameters, error));
    prediction->validated = is_validated(code);
    prediction->most_warps = most_warps(code);
    if (options->warps > prediction->most_warps)
        return accp_fail(error, ACCP_STATUS_INPUT, code->kernel->name, -1,
                         "%d warps do not fit: its %d registers a thread allow %d on an SM",
                         options->warps, code->kernel->registers, prediction->most_warps);
    struct programs programs = {.count = 0};
    enum accp_status status =
        read_programs(code, loop, options, &parameters, &programs, prediction->unknown, error);
    if (status == ACCP_STATUS_OK && !prediction->unknown[0])
        limit(&programs, &parameters, options, prediction->unknown);
    prediction->known = !prediction->unknown[0];
    for (int i = 0; i < programs.count; ++i)
        prediction->has_stores |= programs.all[i].has_stores;
    if (status == ACCP_STATUS_OK && prediction->known)
        status = run(&programs, &parameters, options, &prediction->cycles, error);
    for (int i = 0; i < programs.count; ++i)
        accp_model_program_fini(&programs.all[i]);
    return status;
}
