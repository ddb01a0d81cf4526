#include "codes_replay.h"

#include "model/simulate.h"
#include "sass/code.h"

#include <limits.h>
#include <string.h>

enum {
    SM = 90,
    REGISTERS = 64,
    BEFORE_CYCLES = 64, /* in which lines come, before the first warp begins */
    COUNTS = 16,        /* of a warp's issues that are told apart */
    ROUNDS = 3,
    APART_CYCLES = 100, /* that warps begin within: none at its code before another has begun */
    AFTER_CYCLES = 256, /* to see how late a read is that should have been */
    NONE = INT_MAX
};

/* What was served to each warp before. */
struct way {
    uint8_t served[ACCP_CODES_WARPS];
};

/* A run of a set from known starts. */
struct run {
    const struct codes_replay *replay;
    const struct codes_timeline *timeline;
    struct accp_simulation simulation;
    int begin;                   /* of the simulation's cycles, the timeline's 0 */
    int reads[ACCP_CODES_WARPS]; /* that came */
    int wrong_cycle;             /* of the first difference, as it shows; NONE */
    struct codes_difference difference;
};

static enum accp_status put_quiet(int reg, int count, struct accp_instruction **at,
                                  struct accp_error *error)
{
    for (int i = 0; i < count; ++i) {
        uint64_t words[2];
        uint8_t bytes[ACCP_INSTRUCTION_BYTES];
        codes_quiet(reg, words);
        memcpy(bytes, words, sizeof bytes);
        ACCP_TRY(accp_sass_decode(SM, bytes, (*at)++, error));
    }
    return ACCP_STATUS_OK;
}

/* The last instruction stands for the branch back of a loop, which is never issued. */
static enum accp_status translate(const struct codes_set *set, const struct codes_code *code,
                                  const struct accp_model_parameters *parameters,
                                  struct accp_model_program *program, struct accp_error *error)
{
    struct accp_instruction instructions[CODES_INSTRUCTIONS + 2 * CODES_QUIET + 1];
    struct accp_instruction *at = instructions;
    char unknown[ACCP_MODEL_TEXT_BYTES];
    ACCP_TRY(put_quiet(0, CODES_QUIET, &at, error));
    for (size_t i = 0; i < code->count; ++i)
        ACCP_TRY(accp_sass_decode(SM, code->bytes[i], at++, error));
    ACCP_TRY(put_quiet(-1, CODES_QUIET + 1, &at, error));
    const size_t count = (size_t)(at - instructions);
    struct accp_kernel kernel = {.name = set->group, .registers = REGISTERS};
    struct accp_loop loop = {.head = 0, .latch = count - 1, .instructions = count};
    const struct accp_code whole = {.kernel = &kernel,
                                    .sm = SM,
                                    .count = count,
                                    .instructions = instructions,
                                    .loop_count = 1,
                                    .loops = &loop};
    ACCP_TRY(accp_model_program_init(&whole, &loop, parameters, 0, program, unknown, error));
    if (!unknown[0]) return ACCP_STATUS_OK;
    accp_model_program_fini(program);
    return accp_fail(error, ACCP_STATUS_UNSUPPORTED, set->group, set->number,
                     "codes %d: the model does not time them: %s", set->number, unknown);
}

enum accp_status codes_replay_init(const struct codes_set *set, struct codes_replay *replay,
                                   struct accp_error *error)
{
    *replay = (struct codes_replay){.set = set};
    ACCP_TRY(accp_model_parameters_find(SM, &replay->parameters, error));
    for (int w = 0; w < set->warps; ++w) {
        const enum accp_status status =
            translate(set, &set->codes[w], &replay->parameters, &replay->programs[w], error);
        if (status == ACCP_STATUS_OK) continue;
        codes_replay_fini(replay);
        return status;
    }
    return ACCP_STATUS_OK;
}

void codes_replay_fini(struct codes_replay *replay)
{
    for (int w = 0; w < ACCP_CODES_WARPS; ++w)
        accp_model_program_fini(&replay->programs[w]);
}

/* Every warp begins when it did. */
static void start(struct run *run, const struct way *way)
{
    const struct codes_replay *replay = run->replay;
    const int warps = replay->set->warps;
    int first = 0;
    for (int w = 0; w < warps; ++w)
        if (run->timeline->cycles[w][0] < first) first = run->timeline->cycles[w][0];
    run->begin = BEFORE_CYCLES - first;
    run->wrong_cycle = NONE;
    memset(run->reads, 0, sizeof run->reads);
    accp_simulation_init(&run->simulation, &replay->programs[0], &replay->parameters, 0, 1, warps);
    for (int w = 0; w < warps; ++w) {
        struct accp_model_warp *warp = &run->simulation.schedulers[0].warps[w];
        warp->program = &replay->programs[w];
        warp->served = way->served[w];
        warp->ready_cycle = run->begin + run->timeline->cycles[w][0];
    }
}

/* One cycle; whether each warp issues its next read in it. */
static void step(struct run *run, bool reads[])
{
    const struct codes_set *set = run->replay->set;
    const struct accp_model_warp *warps = run->simulation.schedulers[0].warps;
    const int64_t now = run->simulation.cycle;
    int at[ACCP_CODES_WARPS];
    for (int w = 0; w < set->warps; ++w)
        at[w] = warps[w].next;
    accp_simulation_run(&run->simulation, now + 1);
    for (int w = 0; w < set->warps; ++w)
        reads[w] = warps[w].issue_cycle == now && run->reads[w] < set->codes[w].reads &&
                   at[w] == set->codes[w].read_at[run->reads[w]];
}

/* The next of the reads before a code comes when it came: other things went on then. */
static void hold(struct run *run, int w)
{
    const int read = run->reads[w];
    if (read < CODES_QUIET)
        run->simulation.schedulers[0].warps[w].ready_cycle =
            run->begin + run->timeline->cycles[w][read];
}

/* A cycle that is held against the timeline; false: it differs. */
static bool compare(struct run *run)
{
    const struct codes_set *set = run->replay->set;
    const int cycle = (int)run->simulation.cycle - run->begin;
    bool reads[ACCP_CODES_WARPS];
    step(run, reads);
    for (int w = 0; w < set->warps; ++w) {
        const int read = run->reads[w];
        if (read == set->codes[w].reads) continue;
        const int is = run->timeline->cycles[w][read];
        if (reads[w] != (is == cycle)) {
            run->wrong_cycle = cycle;
            run->difference = (struct codes_difference){.warp = w, .read = read, .is_cycle = is};
            if (reads[w]) run->difference.late_cycles = cycle - is;
            return false;
        }
        if (!reads[w]) continue;
        ++run->reads[w];
        hold(run, w);
    }
    return true;
}

/* Goes on until the read that differs comes. */
static void find_late(struct run *run)
{
    struct codes_difference *difference = &run->difference;
    for (int i = 1; i < AFTER_CYCLES && difference->late_cycles == 0; ++i) {
        bool reads[ACCP_CODES_WARPS];
        step(run, reads);
        if (reads[difference->warp]) difference->late_cycles = i;
    }
}

static bool is_through(const struct run *run)
{
    const struct accp_model_scheduler *scheduler = &run->simulation.schedulers[0];
    for (int w = 0; w < scheduler->warp_count; ++w)
        if (scheduler->warps[w].next == scheduler->warps[w].program->count - 1) return true;
    return false;
}

static int play(struct run *run, const struct way *way)
{
    start(run, way);
    while (compare(run) && !is_through(run)) {
    }
    return run->wrong_cycle;
}

/* Keeps the better way of two. */
static void consider(struct run *run, const struct way *way, struct way *best, int *longest)
{
    const int wrong_cycle = play(run, way);
    if (wrong_cycle <= *longest) return;
    *longest = wrong_cycle;
    *best = *way;
}

/* One warp's counter after another takes each value, until none goes right longer. */
static void climb(struct run *run, struct way *best, int *longest)
{
    const int warps = run->replay->set->warps;
    for (int since = 0, w = 0; since < warps && *longest < NONE; w = (w + 1) % warps) {
        const int before = *longest;
        for (int i = 0; i < COUNTS && *longest < NONE; ++i) {
            struct way way = *best;
            way.served[w] = (uint8_t)i;
            consider(run, &way, best, longest);
        }
        since = *longest > before ? 0 : since + 1;
    }
}

struct codes_difference codes_replay_run(const struct codes_replay *replay,
                                         const struct codes_timeline *timeline)
{
    struct run run = {.replay = replay, .timeline = timeline};
    struct accp_random random = {1};
    struct way best = {0};
    int longest = INT_MIN;
    for (int round = 0; round < (replay->set->warps > 2 ? ROUNDS : 1) && longest < NONE; ++round) {
        struct way its_best = {0};
        int its_longest = INT_MIN;
        for (int i = 0; i < COUNTS * COUNTS && its_longest < NONE; ++i) {
            const struct way way = {{(uint8_t)(i % COUNTS), (uint8_t)(i / COUNTS),
                                     (uint8_t)accp_random_below(&random, COUNTS),
                                     (uint8_t)accp_random_below(&random, COUNTS)}};
            consider(&run, &way, &its_best, &its_longest);
        }
        if (replay->set->warps > 2) climb(&run, &its_best, &its_longest);
        if (its_longest <= longest) continue;
        longest = its_longest;
        best = its_best;
    }
    if (longest == NONE) return (struct codes_difference){.exact = true};
    play(&run, &best);
    find_late(&run);
    return run.difference;
}

void codes_replay_predict(const struct codes_replay *replay, struct accp_random *random,
                          struct codes_timeline *timeline)
{
    const struct codes_set *set = replay->set;
    struct codes_timeline starts = {.times = 1};
    struct run run = {.replay = replay, .timeline = &starts};
    struct way way;
    for (int w = 0; w < ACCP_CODES_WARPS; ++w) {
        way.served[w] = (uint8_t)accp_random_below(random, COUNTS);
        starts.cycles[w][0] = (int)accp_random_below(random, APART_CYCLES);
    }
    start(&run, &way);
    *timeline = starts;
    for (int left = set->warps; left > 0;) {
        const int cycle = (int)run.simulation.cycle;
        bool reads[ACCP_CODES_WARPS];
        step(&run, reads);
        for (int w = 0; w < set->warps; ++w) {
            if (!reads[w]) continue;
            timeline->cycles[w][run.reads[w]++] = cycle;
            left -= run.reads[w] == set->codes[w].reads;
        }
    }
    for (int w = set->warps - 1; w >= 0; --w)
        for (int i = set->codes[w].reads - 1; i >= 0; --i)
            timeline->cycles[w][i] -= timeline->cycles[0][0];
}
