#include "model/explain.h"

#include "model/bounds.h"

#include <stdlib.h>
#include <string.h>

/* One warp of one start: cycles by instruction and cause, [instruction * ACCP_CAUSE_COUNT + cause]. */
struct tally {
    bool is_counting; /* from its first branch on, as the prediction is */
    int64_t iterations;
    uint32_t *pending; /* of the iteration under way */
    uint32_t *total;   /* of the whole ones */
};

struct collector {
    struct accp_explanation *explanation;
    int start, warps;                              /* of a scheduler */
    int64_t samples;                               /* warps of starts that were averaged over */
    int timeline_done[ACCP_MODEL_SCHEDULER_WARPS]; /* branches since the timeline began */
    bool has_begun, has_ended;
    uint32_t *counts; /* owned: what the tallies point into */
    int *previous;    /* owned: the instruction that an iteration executes before each */
    struct tally tallies[ACCP_MODEL_WARPS];
};

static size_t cells(const struct collector *collector)
{
    return (size_t)collector->explanation->count * ACCP_CAUSE_COUNT;
}

/* The end of a start: each warp counts as one sample, as it does in the prediction. */
static void finish_start(struct collector *collector)
{
    for (int w = 0; w < ACCP_MODEL_WARPS; ++w) {
        struct tally *tally = &collector->tallies[w];
        struct accp_explained_instruction *instructions = collector->explanation->instructions;
        for (size_t i = 0; tally->iterations > 0 && i < cells(collector); ++i)
            instructions[i / ACCP_CAUSE_COUNT].cycles[i % ACCP_CAUSE_COUNT] +=
                (double)tally->total[i] / (double)tally->iterations;
        collector->samples += tally->iterations > 0;
        tally->is_counting = false;
        tally->iterations = 0;
        if (!tally->total) continue;
        memset(tally->pending, 0, cells(collector) * sizeof *tally->pending);
        memset(tally->total, 0, cells(collector) * sizeof *tally->total);
    }
}

static void count(struct collector *collector, struct tally *tally, int instruction,
                  enum accp_cause cause)
{
    const int last = collector->explanation->count - 1;
    const bool is_carried = cause == ACCP_CAUSE_STALL || cause == ACCP_CAUSE_BRANCH;
    const int row = is_carried ? collector->previous[instruction] : instruction;
    ++tally->pending[row * ACCP_CAUSE_COUNT + (int)cause];
    if (cause != ACCP_CAUSE_NONE || instruction != last) return;
    if (tally->is_counting) {
        ++tally->iterations;
        for (size_t i = 0; i < cells(collector); ++i)
            tally->total[i] += tally->pending[i];
    }
    tally->is_counting = true;
    memset(tally->pending, 0, cells(collector) * sizeof *tally->pending);
}

/* Begins after a branch of warp 0. */
static void draw(struct collector *collector, const struct accp_model_cycle *cycle)
{
    struct accp_explanation *explanation = collector->explanation;
    const int last = explanation->count - 1;
    bool is_complete = true;
    if (!collector->has_begun) {
        collector->has_begun =
            cycle->causes[0] == ACCP_CAUSE_NONE && cycle->instructions[0] == last;
        return;
    }
    for (int w = 0; w < cycle->warps; ++w) {
        explanation->timeline[explanation->timeline_cycles * cycle->warps + w] =
            (struct accp_timeline_cell){(int16_t)cycle->instructions[w], (uint8_t)cycle->causes[w]};
        collector->timeline_done[w] +=
            cycle->causes[w] == ACCP_CAUSE_NONE && cycle->instructions[w] == last;
        is_complete &= collector->timeline_done[w] > (w > 0);
    }
    collector->has_ended = ++explanation->timeline_cycles == ACCP_TIMELINE_CYCLES || is_complete;
}

static void collect(const struct accp_model_cycle *cycle, void *context)
{
    struct collector *collector = context;
    if (cycle->start != collector->start) finish_start(collector);
    collector->start = cycle->start;
    for (int w = 0; w < cycle->warps; ++w)
        count(collector, &collector->tallies[cycle->scheduler * collector->warps + w],
              cycle->instructions[w], cycle->causes[w]);
    if (cycle->start == 0 && cycle->scheduler == 0 && !collector->has_ended) draw(collector, cycle);
}

static enum accp_status collector_init(struct collector *collector,
                                       struct accp_explanation *explanation, int warps,
                                       struct accp_error *error)
{
    memset(collector, 0, sizeof *collector);
    collector->explanation = explanation;
    collector->warps = explanation->scheduler_warps;
    const size_t tallies = (size_t)(warps + 3) / 4 * 4;
    explanation->instructions =
        calloc((size_t)explanation->count, sizeof *explanation->instructions);
    explanation->timeline = calloc((size_t)ACCP_TIMELINE_CYCLES * (size_t)collector->warps,
                                   sizeof *explanation->timeline);
    collector->counts = calloc(2 * tallies * cells(collector), sizeof *collector->counts);
    collector->previous = calloc((size_t)explanation->count, sizeof *collector->previous);
    if (!explanation->instructions || !explanation->timeline || !collector->counts ||
        !collector->previous)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for an explanation");
    for (size_t w = 0; w < tallies; ++w) {
        collector->tallies[w].pending = collector->counts + 2 * w * cells(collector);
        collector->tallies[w].total = collector->tallies[w].pending + cells(collector);
    }
    return ACCP_STATUS_OK;
}

static void find_previous(const struct accp_model_program *program, int *previous)
{
    for (int i = 0, next; i < program->count; i = next) {
        next = program->instructions[i].next;
        previous[next < program->count ? next : 0] = i;
    }
}

/* The nearest instruction before this one that releases one of the scoreboards it waits for. */
static int producer_of(const struct accp_model_program *program, const int *previous, int waiter)
{
    const uint8_t mask = program->instructions[waiter].wait_mask;
    int i = previous[waiter];
    for (int k = 0; mask && k < program->count; ++k, i = previous[i]) {
        const struct accp_model_instruction *other = &program->instructions[i];
        if ((other->write_barrier < ACCP_SCOREBOARDS && mask >> other->write_barrier & 1) ||
            (other->read_barrier < ACCP_SCOREBOARDS && mask >> other->read_barrier & 1))
            return i;
    }
    return -1;
}

enum accp_status accp_explain_bounds(const struct accp_code *code, const struct accp_loop *loop,
                                     int warps, double bounds[ACCP_BOUND_COUNT], bool *hold,
                                     struct accp_error *error)
{
    struct accp_model_parameters parameters;
    struct accp_model_program program;
    char unknown[ACCP_MODEL_TEXT_BYTES];
    if (warps < 1 || warps > ACCP_MODEL_WARPS)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1, "%d warps are not 1 to %d", warps,
                         ACCP_MODEL_WARPS);
    ACCP_TRY(accp_model_parameters_find(code->sm, &parameters, error));
    ACCP_TRY(accp_model_program_init(code, loop, &parameters, 0, &program, unknown, error));
    accp_bounds_fill(&program, &parameters, (warps + 3) / 4, warps, bounds);
    *hold = program.has_bounds;
    accp_model_program_fini(&program);
    return ACCP_STATUS_OK;
}

/* What can be said without simulating. */
static enum accp_status read_program(const struct accp_code *code, const struct accp_loop *loop,
                                     const struct accp_model_options *options,
                                     struct collector *collector, struct accp_error *error)
{
    struct accp_explanation *explanation = collector->explanation;
    struct accp_model_parameters parameters;
    struct accp_model_program program;
    char unknown[ACCP_MODEL_TEXT_BYTES];
    ACCP_TRY(accp_model_parameters_find(code->sm, &parameters, error));
    ACCP_TRY(accp_model_program_init(code, loop, &parameters, options->without, &program, unknown,
                                     error));
    find_previous(&program, collector->previous);
    for (int i = 0; i < program.count; ++i) {
        explanation->instructions[i].executed = program.instructions[i].executed;
        explanation->instructions[i].producer =
            program.instructions[i].executed ? producer_of(&program, collector->previous, i) : -1;
    }
    explanation->has_bounds = program.has_bounds;
    accp_bounds_fill(&program, &parameters, explanation->scheduler_warps, options->warps,
                     explanation->bounds);
    accp_model_program_fini(&program);
    return ACCP_STATUS_OK;
}

static void sum_up(struct collector *collector)
{
    struct accp_explanation *explanation = collector->explanation;
    finish_start(collector);
    for (int i = 0; i < explanation->count; ++i)
        for (int c = 0; c < ACCP_CAUSE_COUNT; ++c) {
            double *cycles = &explanation->instructions[i].cycles[c];
            if (collector->samples > 0) *cycles /= (double)collector->samples;
            explanation->causes[c] += *cycles;
            explanation->cycles += *cycles;
        }
}

enum accp_status accp_explain(const struct accp_code *code, const struct accp_loop *loop,
                              const struct accp_model_options *options,
                              struct accp_explanation *explanation, struct accp_error *error)
{
    struct accp_model_options traced = *options;
    struct collector *collector = calloc(1, sizeof *collector);
    memset(explanation, 0, sizeof *explanation);
    if (!collector)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for an explanation");
    traced.trace = NULL;
    /* Refuses what cannot be predicted before anything is sized by it. */
    enum accp_status status =
        accp_model_predict(code, loop, &traced, &explanation->prediction, error);
    explanation->count = (int)(loop->latch - loop->head + 1);
    explanation->scheduler_warps = (options->warps + 3) / 4;
    if (status == ACCP_STATUS_OK)
        status = collector_init(collector, explanation, options->warps, error);
    if (status == ACCP_STATUS_OK) status = read_program(code, loop, options, collector, error);
    traced.trace = collect;
    traced.trace_context = collector;
    traced.traces_every_start = true;
    if (status == ACCP_STATUS_OK)
        status = accp_model_predict(code, loop, &traced, &explanation->prediction, error);
    if (status == ACCP_STATUS_OK) sum_up(collector);
    free(collector->counts);
    free(collector->previous);
    free(collector);
    if (status != ACCP_STATUS_OK) accp_explanation_fini(explanation);
    return status;
}

void accp_explanation_fini(struct accp_explanation *explanation)
{
    free(explanation->instructions);
    free(explanation->timeline);
    memset(explanation, 0, sizeof *explanation);
}

enum accp_status accp_explain_dropped(const struct accp_code *code, const struct accp_loop *loop,
                                      const struct accp_model_options *options, const bool *dropped,
                                      struct accp_prediction *prediction, struct accp_error *error)
{
    struct accp_code shorter = *code;
    struct accp_loop rest = *loop;
    size_t kept = loop->head;
    shorter.instructions = calloc(loop->latch + 1, sizeof *shorter.instructions);
    if (!shorter.instructions)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a shorter loop");
    for (size_t i = loop->head; i <= loop->latch; ++i) {
        if (i < loop->latch && dropped[i - loop->head]) continue;
        shorter.instructions[kept] = code->instructions[i];
        const size_t target = accp_code_target(code, i);
        for (size_t k = i + 1; target <= loop->latch && k < target; ++k)
            shorter.instructions[kept].target_bytes -=
                dropped[k - loop->head] * ACCP_INSTRUCTION_BYTES;
        ++kept;
    }
    shorter.count = kept;
    rest.latch = kept - 1;
    rest.instructions = kept - loop->head;
    const enum accp_status status = accp_model_predict(&shorter, &rest, options, prediction, error);
    free(shorter.instructions);
    return status;
}

enum accp_bound accp_explanation_bound(const struct accp_explanation *explanation)
{
    int largest = 0;
    for (int i = 1; i < ACCP_BOUND_COUNT; ++i)
        if (explanation->bounds[i] > explanation->bounds[largest]) largest = i;
    return (enum accp_bound)largest;
}
