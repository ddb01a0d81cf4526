#include "model/simulate.h"

#include "model/fetch.h"
#include "model/queues.h"

#include <stddef.h>
#include <string.h>

enum {
    LAST = ACCP_MODEL_PIPELINE - 1, /* reading stage */
    WRITE_CYCLES = 2, /* from there until a result is written: the other figures count from it */
    RESULT_CYCLES = 2 /* so many before it is in its bank a result begins to pass the last stage */
};

void accp_simulation_init(struct accp_simulation *simulation,
                          const struct accp_model_program *program,
                          const struct accp_model_parameters *parameters, uint32_t without,
                          int schedulers, int warps)
{
    memset(simulation, 0, offsetof(struct accp_simulation, schedulers));
    simulation->parameters = parameters;
    simulation->without = without;
    simulation->scheduler_count = schedulers;
    for (int s = 0; s < schedulers; ++s) {
        struct accp_model_scheduler *scheduler = &simulation->schedulers[s];
        memset(scheduler, 0, offsetof(struct accp_model_scheduler, warps));
        memset(scheduler->warps, 0, (size_t)warps * sizeof *scheduler->warps);
        scheduler->warp_count = warps;
        scheduler->owner = -1;
        memset(scheduler->reuse, -1, sizeof scheduler->reuse);
        for (int w = 0; w < warps; ++w) {
            scheduler->warps[w].program = program;
            scheduler->warps[w].issue_cycle = -1;
        }
    }
}

static bool unit_is_free(const struct accp_simulation *simulation,
                         const struct accp_model_scheduler *scheduler, int unit)
{
    const int64_t now = scheduler->cycle;
    const bool first = scheduler->fma_cycle[0] <= now, second = scheduler->fma_cycle[1] <= now;
    switch (unit) {
    case ACCP_UNIT_NONE:
        return true;
    case ACCP_UNIT_FMA:
        return first || second;
    case ACCP_UNIT_HEAVY:
    case ACCP_UNIT_WIDE:
        return second;
    case ACCP_UNIT_HALF:
        return first && second;
    case ACCP_UNIT_ALU:
    case ACCP_UNIT_UNIFORM:
    case ACCP_UNIT_FP64:
        return scheduler->unit_cycle[unit] <= now;
    case ACCP_UNIT_STORE: /* that queue is short; the others take what comes */
        return scheduler->unit_cycle[unit] <=
               simulation->cycle + simulation->parameters->store_queue_cycles;
    default:
        return true;
    }
}

static bool is_set(const struct accp_model_scoreboard *scoreboard, int64_t now)
{
    return now < scoreboard->clear_cycle || (scoreboard->pending && scoreboard->set_cycle <= now);
}

/* What holds a warp, of several causes the one that lies earliest in the pipeline;
 * ACCP_CAUSE_ANOTHER when it only has to be chosen. */
static enum accp_cause hindrance(const struct accp_simulation *simulation,
                                 const struct accp_model_scheduler *scheduler,
                                 const struct accp_model_warp *warp)
{
    const int64_t now = simulation->cycle;
    if (!accp_fetch_has(scheduler, warp))
        return warp->next != warp->target ? ACCP_CAUSE_LINE : ACCP_CAUSE_BRANCH;
    if (warp->ready_cycle > scheduler->cycle || warp->pause_cycle > now) return ACCP_CAUSE_STALL;
    const struct accp_model_instruction *instruction = &warp->program->instructions[warp->next];
    for (int k = 0; instruction->wait_mask >> k; ++k)
        if (instruction->wait_mask >> k & 1 && is_set(&warp->scoreboards[k], now))
            return ACCP_CAUSE_SCOREBOARD;
    return !accp_simulation_has(simulation, ACCP_MECHANISM_PIPES) ||
                   unit_is_free(simulation, scheduler, instruction->unit)
               ? ACCP_CAUSE_ANOTHER
               : ACCP_CAUSE_PIPE;
}

static bool may_issue(const struct accp_simulation *simulation,
                      const struct accp_model_scheduler *scheduler,
                      const struct accp_model_warp *warp)
{
    return hindrance(simulation, scheduler, warp) == ACCP_CAUSE_ANOTHER;
}

/* Without shares, the one that waits longer. */
bool accp_simulation_is_before(const struct accp_simulation *simulation,
                               const struct accp_model_scheduler *scheduler, int w, int chosen)
{
    const struct accp_model_warp *a = &scheduler->warps[w], *b = &scheduler->warps[chosen];
    if (a->yielded != b->yielded) return b->yielded;
    if (!accp_simulation_has(simulation, ACCP_MECHANISM_SHARES))
        return a->issue_cycle < b->issue_cycle;
    return a->served != b->served ? a->served < b->served : w > chosen;
}

/* The owner if it can; else the first of the others. -1: none can. */
static int choose(const struct accp_simulation *simulation,
                  const struct accp_model_scheduler *scheduler)
{
    const int owner = scheduler->owner;
    int chosen = -1;
    if (owner >= 0 && may_issue(simulation, scheduler, &scheduler->warps[owner])) return owner;
    for (int w = 0; w < scheduler->warp_count; ++w)
        if (may_issue(simulation, scheduler, &scheduler->warps[w]) &&
            (chosen < 0 || accp_simulation_is_before(simulation, scheduler, w, chosen)))
            chosen = w;
    return chosen;
}

/* After a cycle of the SM in which `issued` did, or none (-1). An issue counts only some cycles later,
 * so that a warp goes on for a while before the others are seen to be behind it. A counter that would
 * overflow halves those of all warps, and is not raised. A lone warp has no share, and one state less
 * to tell apart. */
static void count_issue(const struct accp_simulation *simulation,
                        struct accp_model_scheduler *scheduler, int issued)
{
    if (scheduler->warp_count == 1 || !accp_simulation_has(simulation, ACCP_MECHANISM_SHARES))
        return;
    uint8_t *uncounted = scheduler->uncounted;
    const int counted = uncounted[ACCP_MODEL_UNCOUNTED - 1];
    memmove(uncounted + 1, uncounted, ACCP_MODEL_UNCOUNTED - 1);
    uncounted[0] = (uint8_t)(issued + 1);
    if (!counted) return;
    if (scheduler->warps[counted - 1].served < simulation->parameters->share_limit) {
        ++scheduler->warps[counted - 1].served;
        return;
    }
    for (int w = 0; w < scheduler->warp_count; ++w)
        scheduler->warps[w].served /= 2;
}

/* On its way to the reading stages, with what the reuse cache does not hold. */
static void start_reading(const struct accp_simulation *simulation,
                          struct accp_model_scheduler *scheduler, int w,
                          const struct accp_model_instruction *instruction)
{
    struct accp_model_reader *reader = &scheduler->readers[0];
    const struct accp_model_warp *warp = &scheduler->warps[w];
    uint16_t held = 0;
    *reader = (struct accp_model_reader){
        .instruction = instruction, .warp = (uint8_t)w, .held_cycles = instruction->held_cycles};
    for (int k = 0; k < instruction->read_count; ++k) {
        const struct accp_model_read *read = &instruction->reads[k];
        for (int latch = 0; latch < ACCP_MODEL_LATCHES; ++latch)
            if (read->latches >> latch & 1 && scheduler->reuse[latch].warp == w &&
                scheduler->reuse[latch].reg == read->reg)
                held |= (uint16_t)(1u << latch);
        reader->written_cycle[k] = warp->written_cycle[read->reg];
        if (warp->from_fma[read->reg]) reader->from_fma |= (uint8_t)(1u << k);
        reader->latches[k] = (uint16_t)(read->latches & ~held);
        const bool reads = !accp_queues_has(instruction) && (reader->latches[k] || !read->latches);
        if (reads && accp_simulation_has(simulation, ACCP_MECHANISM_PORTS))
            reader->pending |= (uint8_t)(1u << k);
    }
    for (int k = 0; k < instruction->read_count; ++k)
        for (int latch = 0; latch < ACCP_MODEL_LATCHES; ++latch) {
            if (!(instruction->reads[k].latches >> latch & 1)) continue;
            scheduler->reuse[latch].warp = instruction->kept >> latch & 1 ? w : -1;
            scheduler->reuse[latch].reg = instruction->reads[k].reg;
        }
}

static bool is_pending(const struct accp_model_reader *reader, int k, int bank)
{
    return reader->pending >> k & 1 && reader->instruction->reads[k].reg % ACCP_MODEL_BANKS == bank;
}

/* Whether reads[k] is a result of an FMA pipe that is on its way past. */
static bool passes(const struct accp_simulation *simulation, const struct accp_model_reader *reader,
                   int k)
{
    const int64_t early = reader->written_cycle[k] - simulation->cycle;
    return reader->from_fma >> k & 1 && early >= 0 && early <= RESULT_CYCLES;
}

/* In the last stage the youngest result comes first, if an FMA pipe made it: it is on its way past.
 * An older one of that bank has gone past, and must be read from the bank. */
static int pick_result(const struct accp_simulation *simulation, struct accp_model_reader *reader,
                       int bank)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    const int64_t late =
        simulation->cycle + parameters->write_cycles - parameters->late_read_cycles;
    int chosen = -1;
    for (int k = 0; reader->pending >> k; ++k) {
        if (!is_pending(reader, k, bank)) continue;
        if (reader->late >> k & 1 && reader->written_cycle[k] > late) continue;
        if (chosen < 0 || (passes(simulation, reader, k) &&
                           (!passes(simulation, reader, chosen) ||
                            reader->written_cycle[k] > reader->written_cycle[chosen])))
            chosen = k;
    }
    if (chosen < 0 || !passes(simulation, reader, chosen)) return chosen;
    for (int k = 0; reader->pending >> k; ++k)
        if (is_pending(reader, k, bank) && reader->written_cycle[k] >= simulation->cycle &&
            reader->written_cycle[k] < reader->written_cycle[chosen])
            reader->late |= (uint8_t)(1u << k);
    return chosen;
}

/* One register of a bank in a cycle, to the oldest instruction that can take it: a latch is taken
 * until the instruction that reads to it, or reuses what it holds, has left the last stage. Before
 * that stage a result is read only from its bank. */
static void read_bank(const struct accp_simulation *simulation,
                      struct accp_model_scheduler *scheduler, int bank)
{
    struct accp_model_reader *last = &scheduler->readers[LAST];
    if (scheduler->queue_reads[bank] & 1) return;
    if (last->pending) {
        const int k = pick_result(simulation, last, bank);
        if (k >= 0) {
            last->pending &= (uint8_t) ~(1u << k);
            return;
        }
    }
    uint16_t taken = last->instruction ? last->instruction->latches : 0;
    for (int stage = LAST - 1; stage >= ACCP_MODEL_AHEAD; --stage) {
        struct accp_model_reader *reader = &scheduler->readers[stage];
        if (!reader->instruction) continue;
        for (int k = 0; reader->pending >> k; ++k) {
            if (!is_pending(reader, k, bank) || reader->instruction->last_reads >> k & 1 ||
                reader->latches[k] & taken || reader->written_cycle[k] > simulation->cycle)
                continue;
            reader->pending &= (uint8_t) ~(1u << k);
            return;
        }
        taken |= reader->instruction->latches;
    }
}

/* Whether a younger instruction of the same warp is on its way to write the same register. */
static bool is_overwritten(const struct accp_model_scheduler *scheduler, int stage, int reg)
{
    const struct accp_model_reader *reader = &scheduler->readers[stage];
    for (int younger = 0; younger < stage; ++younger) {
        const struct accp_model_reader *other = &scheduler->readers[younger];
        if (!other->instruction || other->warp != reader->warp) continue;
        for (int k = 0; k < other->instruction->write_count; ++k)
            if (other->instruction->writes[k] == reg) return true;
    }
    return false;
}

/* While the stages stand still, so do the results of what is in them; those of what has left them do
 * not. */
static void delay_results(const struct accp_simulation *simulation,
                          struct accp_model_scheduler *scheduler)
{
    /* A result that will be in its bank later than this is still to be made. */
    const int64_t left =
        simulation->cycle + simulation->parameters->write_cycles - ACCP_MODEL_STAGES;
    for (int stage = 0; stage < ACCP_MODEL_PIPELINE; ++stage) {
        struct accp_model_reader *reader = &scheduler->readers[stage];
        if (!reader->instruction) continue;
        for (int k = 0; k < reader->instruction->read_count; ++k)
            if (reader->written_cycle[k] > left) ++reader->written_cycle[k];
        for (int k = 0; k < reader->instruction->write_count; ++k) {
            const int reg = reader->instruction->writes[k];
            int32_t *written = &scheduler->warps[reader->warp].written_cycle[reg];
            if (*written > left && !is_overwritten(scheduler, stage, reg)) ++*written;
        }
    }
}

/* The last stage lets its instruction go, to write its results so many cycles later. That of the FP64
 * pipe takes longer; one of another pipe that would come with it does not go. */
static bool go(const struct accp_simulation *simulation, struct accp_model_scheduler *scheduler)
{
    struct accp_model_reader *last = &scheduler->readers[LAST];
    const struct accp_model_instruction *instruction = last->instruction;
    if (last->held_cycles) {
        --last->held_cycles;
        return false;
    }
    if (!instruction || !accp_simulation_has(simulation, ACCP_MECHANISM_WRITES)) return true;
    const bool usual = instruction->from_fma || instruction->unit == ACCP_UNIT_ALU;
    if (!usual && instruction->unit != ACCP_UNIT_FP64) return true;
    const int in = WRITE_CYCLES + (usual ? 0 : simulation->parameters->fp64_write_cycles);
    for (int k = 0; usual && k < instruction->write_count; ++k)
        if (scheduler->writes[instruction->writes[k] % ACCP_MODEL_BANKS] >> in & 1) return false;
    for (int k = 0; k < instruction->write_count; ++k)
        scheduler->writes[instruction->writes[k] % ACCP_MODEL_BANKS] |= UINT64_C(1) << in;
    return true;
}

static void advance(struct accp_simulation *simulation, struct accp_model_scheduler *scheduler)
{
    const struct accp_model_reader *queued = &scheduler->readers[ACCP_MODEL_QUEUED];
    if (queued->instruction && accp_queues_has(queued->instruction) &&
        accp_simulation_has(simulation, ACCP_MECHANISM_SCOREBOARDS))
        accp_queues_enter(simulation, scheduler, &scheduler->warps[queued->warp],
                          queued->instruction);
    for (int stage = LAST; stage > 0; --stage)
        scheduler->readers[stage] = scheduler->readers[stage - 1];
    scheduler->readers[0] = (struct accp_model_reader){0};
}

static void read_registers(struct accp_simulation *simulation,
                           struct accp_model_scheduler *scheduler)
{
    for (int bank = 0; bank < ACCP_MODEL_BANKS; ++bank)
        read_bank(simulation, scheduler, bank);
    scheduler->frozen = scheduler->readers[LAST].pending || !go(simulation, scheduler);
    if (scheduler->frozen)
        delay_results(simulation, scheduler);
    else
        advance(simulation, scheduler);
    for (int bank = 0; bank < ACCP_MODEL_BANKS; ++bank) {
        scheduler->queue_reads[bank] >>= 1;
        scheduler->writes[bank] >>= 1;
    }
}

static void take_unit(const struct accp_simulation *simulation,
                      struct accp_model_scheduler *scheduler, int unit)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    const int64_t now = scheduler->cycle, fma = now + parameters->fma_cycles;
    switch (unit) {
    case ACCP_UNIT_ALU:
        scheduler->unit_cycle[unit] = now + parameters->alu_cycles;
        break;
    case ACCP_UNIT_UNIFORM:
        scheduler->unit_cycle[unit] = now + parameters->uniform_cycles;
        break;
    case ACCP_UNIT_FP64:
        scheduler->unit_cycle[unit] = now + parameters->fp64_cycles;
        break;
    case ACCP_UNIT_FMA:
        if (parameters->fma_pipes > 1 && scheduler->fma_cycle[0] <= now)
            scheduler->fma_cycle[0] = fma;
        else
            scheduler->fma_cycle[1] = fma;
        if (parameters->fma_pipes == 1) scheduler->fma_cycle[0] = fma;
        break;
    case ACCP_UNIT_HEAVY:
    case ACCP_UNIT_WIDE: /* while it is held, the clock of its pipe stands still as well */
        scheduler->fma_cycle[1] = fma;
        break;
    case ACCP_UNIT_HALF:
        scheduler->fma_cycle[0] = scheduler->fma_cycle[1] = fma;
        break;
    default:
        break;
    }
}

static void list_branch(struct accp_simulation *simulation,
                        const struct accp_model_scheduler *scheduler, int w)
{
    simulation->branches[simulation->branch_count++] = (struct accp_model_branch){
        (uint8_t)(scheduler - simulation->schedulers), (uint8_t)w, (int32_t)simulation->cycle};
}

/* A taken branch: nothing is reused across it. */
static void jump(const struct accp_simulation *simulation, struct accp_model_scheduler *scheduler,
                 int w, const struct accp_model_instruction *branch, int target)
{
    for (int latch = 0; latch < ACCP_MODEL_LATCHES; ++latch)
        if (scheduler->reuse[latch].warp == w) scheduler->reuse[latch].warp = -1;
    accp_fetch_jump(simulation, scheduler, w, branch, target);
}

static void issue(struct accp_simulation *simulation, struct accp_model_scheduler *scheduler, int w)
{
    struct accp_model_warp *warp = &scheduler->warps[w];
    const struct accp_model_instruction *instruction = &warp->program->instructions[warp->next];
    warp->issue_cycle = simulation->cycle;
    scheduler->last_warp = w;
    warp->ready_cycle = scheduler->cycle + instruction->wait_cycles;
    warp->yielded = instruction->yields;
    if (instruction->pauses) warp->pause_cycle = simulation->cycle + 2;
    if (accp_simulation_has(simulation, ACCP_MECHANISM_GREEDY))
        scheduler->owner = instruction->yields ? -1 : w;
    take_unit(simulation, scheduler, instruction->unit);
    start_reading(simulation, scheduler, w, instruction);
    for (int k = 0; k < instruction->write_count; ++k) {
        warp->written_cycle[instruction->writes[k]] =
            (int32_t)(simulation->cycle + ACCP_MODEL_AHEAD + instruction->write_cycles);
        warp->from_fma[instruction->writes[k]] = instruction->from_fma;
    }
    if (accp_simulation_has(simulation, ACCP_MECHANISM_SCOREBOARDS)) {
        accp_queues_open(simulation, warp, instruction);
        if (!accp_queues_has(instruction))
            accp_queues_enter(simulation, scheduler, warp, instruction);
    }
    if (instruction->next == warp->program->count) {
        list_branch(simulation, scheduler, w);
        jump(simulation, scheduler, w, instruction, 0);
    } else if (instruction->jumps) {
        jump(simulation, scheduler, w, instruction, instruction->next);
    } else {
        ++warp->next;
    }
}

/* Before the chosen warp issues; -1: none does. */
static void tell(const struct accp_simulation *simulation, int s, int chosen)
{
    const struct accp_model_scheduler *scheduler = &simulation->schedulers[s];
    struct accp_model_cycle told = {.start = simulation->start,
                                    .cycle = simulation->cycle - simulation->warm_cycles,
                                    .scheduler = s,
                                    .warps = scheduler->warp_count,
                                    .issued = chosen};
    for (int w = 0; w < scheduler->warp_count; ++w) {
        told.instructions[w] = scheduler->warps[w].next;
        told.causes[w] = w == chosen ? ACCP_CAUSE_NONE
                         : scheduler->frozen
                             ? ACCP_CAUSE_PORTS
                             : hindrance(simulation, scheduler, &scheduler->warps[w]);
    }
    simulation->trace(&told, simulation->trace_context);
}

static void step(struct accp_simulation *simulation, int s)
{
    struct accp_model_scheduler *scheduler = &simulation->schedulers[s];
    int chosen = -1;
    accp_queues_write(simulation, scheduler);
    if (!scheduler->frozen) {
        accp_fetch_ask(simulation, scheduler);
        chosen = choose(simulation, scheduler);
    }
    if (simulation->trace && simulation->cycle >= simulation->warm_cycles)
        tell(simulation, s, chosen);
    if (!scheduler->frozen) {
        const int owner = scheduler->owner;
        const unsigned taken = chosen < 0 ? 0 : accp_fetch_astray(&scheduler->warps[chosen]);
        if (chosen >= 0) issue(simulation, scheduler, chosen);
        accp_fetch_read(simulation, scheduler, owner, taken);
        ++scheduler->cycle;
    }
    count_issue(simulation, scheduler, chosen);
    read_registers(simulation, scheduler);
}

bool accp_simulation_run(struct accp_simulation *simulation, int64_t end)
{
    simulation->branch_count = 0;
    while (simulation->cycle < end &&
           simulation->branch_count <= ACCP_MODEL_BRANCHES - ACCP_MODEL_SCHEDULERS) {
        int listed = simulation->branch_count;
        for (int s = 0; s < simulation->scheduler_count; ++s)
            step(simulation, s);
        ++simulation->cycle;
        for (; listed < simulation->branch_count; ++listed)
            if (simulation->branches[listed].scheduler == 0 &&
                simulation->branches[listed].warp == 0)
                return true;
    }
    return false;
}
