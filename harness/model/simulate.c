#include "model/simulate.h"

#include <string.h>

static bool has(const struct accp_simulation *simulation, enum accp_mechanism mechanism)
{
    return !(simulation->without >> mechanism & 1u);
}

void accp_simulation_init(struct accp_simulation *simulation,
                          const struct accp_model_program *program,
                          const struct accp_model_parameters *parameters, uint32_t without,
                          int schedulers, int warps)
{
    memset(simulation, 0, sizeof *simulation);
    simulation->parameters = parameters;
    simulation->without = without;
    simulation->scheduler_count = schedulers;
    for (int s = 0; s < schedulers; ++s) {
        struct accp_model_scheduler *scheduler = &simulation->schedulers[s];
        scheduler->warp_count = warps;
        scheduler->owner = -1;
        memset(scheduler->reuse, -1, sizeof scheduler->reuse);
        for (int w = 0; w < warps; ++w) {
            scheduler->warps[w].program = program;
            scheduler->warps[w].issue_cycle = -1;
            scheduler->warps[w].first_cycle = scheduler->warps[w].last_cycle = -1;
        }
    }
}

/* A line that arrived joins the buffer; a free port takes the request of the warp that issued last,
 * for that is the one that empties its buffer. */
static void fetch(const struct accp_simulation *simulation, struct accp_model_scheduler *scheduler)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    const int64_t now = scheduler->cycle;
    struct accp_model_warp *chosen = NULL;
    for (int w = 0; w < scheduler->warp_count; ++w) {
        struct accp_model_warp *warp = &scheduler->warps[w];
        if (warp->fetching && warp->arrival_cycle <= now) {
            warp->buffered = warp->fetching;
            warp->fetching = 0;
            warp->request_cycle = now + parameters->fetch_again_cycles;
        }
        const bool wants = !warp->fetching && warp->request_cycle <= now &&
                           warp->buffered <= warp->program->count &&
                           warp->buffered - warp->next <= parameters->fetch_threshold_instructions;
        if (wants && (!chosen || warp->issue_cycle > chosen->issue_cycle)) chosen = warp;
    }
    if (!chosen || (has(simulation, ACCP_MECHANISM_FETCH) && scheduler->port_cycle > now)) return;
    const int position =
        (chosen->program->line_position + chosen->buffered) % parameters->line_instructions;
    chosen->fetching = chosen->buffered + parameters->line_instructions - position;
    chosen->arrival_cycle = now + parameters->fetch_latency_cycles;
    scheduler->port_cycle = now + parameters->fetch_port_cycles;
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

/* What holds a warp, of several causes the one that lies earliest in the pipeline;
 * ACCP_CAUSE_ANOTHER when it only has to be chosen. */
static enum accp_cause hindrance(const struct accp_simulation *simulation,
                                 const struct accp_model_scheduler *scheduler,
                                 const struct accp_model_warp *warp)
{
    const int64_t now = simulation->cycle;
    if (warp->next >= warp->buffered)
        return warp->next != warp->target ? ACCP_CAUSE_LINE : ACCP_CAUSE_BRANCH;
    if (warp->ready_cycle > scheduler->cycle) return ACCP_CAUSE_STALL;
    const struct accp_model_instruction *instruction = &warp->program->instructions[warp->next];
    for (int k = 0; instruction->wait_mask >> k; ++k)
        if (instruction->wait_mask >> k & 1 && warp->scoreboards[k].set_cycle <= now &&
            now < warp->scoreboards[k].clear_cycle)
            return ACCP_CAUSE_SCOREBOARD;
    return !has(simulation, ACCP_MECHANISM_PIPES) ||
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

/* Whether warp `w` comes before `chosen` (-1: none yet): in turn, the numbers going down from the
 * warp that issued last; or, without turns, by how long ago each issued. */
static bool is_before(const struct accp_simulation *simulation,
                      const struct accp_model_scheduler *scheduler, int w, int chosen)
{
    if (chosen < 0) return true;
    if (!has(simulation, ACCP_MECHANISM_TURNS))
        return scheduler->warps[w].issue_cycle < scheduler->warps[chosen].issue_cycle;
    const int count = scheduler->warp_count, last = scheduler->last_warp;
    return (last - 1 - w + count) % count < (last - 1 - chosen + count) % count;
}

/* The owner if it can; else the one of the others whose turn it is. -1: none can. */
static int choose(const struct accp_simulation *simulation,
                  const struct accp_model_scheduler *scheduler)
{
    const int owner = scheduler->owner;
    if (owner >= 0 && may_issue(simulation, scheduler, &scheduler->warps[owner])) return owner;
    int chosen = -1;
    for (int w = 0; w < scheduler->warp_count; ++w)
        if (is_before(simulation, scheduler, w, chosen) &&
            may_issue(simulation, scheduler, &scheduler->warps[w]))
            chosen = w;
    return chosen;
}

/* Into the first reading stage, with what the reuse cache does not hold. */
static void start_reading(const struct accp_simulation *simulation,
                          struct accp_model_scheduler *scheduler, int w,
                          const struct accp_model_instruction *instruction)
{
    struct accp_model_reader *reader = &scheduler->readers[0];
    uint8_t held = 0;
    reader->instruction = instruction;
    reader->pending = 0;
    for (int k = 0; k < instruction->read_count; ++k) {
        const struct accp_model_read *read = &instruction->reads[k];
        for (int latch = 0; latch < ACCP_MODEL_LATCHES; ++latch)
            if (read->latches >> latch & 1 && scheduler->reuse[latch].warp == w &&
                scheduler->reuse[latch].reg == read->reg)
                held |= (uint8_t)(1u << latch);
        const int64_t early = scheduler->warps[w].written_cycle[read->reg] - scheduler->cycle;
        reader->stages[k] = (uint8_t)(early < 0                   ? 0
                                      : early < ACCP_MODEL_STAGES ? early
                                                                  : ACCP_MODEL_STAGES - 1);
        reader->latches[k] = (uint8_t)(read->latches & ~held);
        const bool reads = reader->latches[k] || !read->latches;
        if (reads && has(simulation, ACCP_MECHANISM_PORTS)) reader->pending |= (uint8_t)(1u << k);
    }
    for (int k = 0; k < instruction->read_count; ++k)
        for (int latch = 0; latch < ACCP_MODEL_LATCHES; ++latch) {
            if (!(instruction->reads[k].latches >> latch & 1)) continue;
            scheduler->reuse[latch].warp = instruction->kept >> latch & 1 ? w : -1;
            scheduler->reuse[latch].reg = instruction->reads[k].reg;
        }
}

/* One register of a bank in a cycle, to the oldest instruction that can take it: a latch is taken
 * until the instruction that reads to it, or reuses what it holds, has left the last stage. */
static void read_bank(struct accp_model_scheduler *scheduler, int bank)
{
    uint8_t taken = 0;
    for (int stage = ACCP_MODEL_STAGES - 1; stage >= 0; --stage) {
        struct accp_model_reader *reader = &scheduler->readers[stage];
        if (!reader->instruction) continue;
        for (int k = 0; reader->pending >> k; ++k) {
            if (!(reader->pending >> k & 1) || reader->latches[k] & taken ||
                stage < reader->stages[k] ||
                reader->instruction->reads[k].reg % ACCP_MODEL_BANKS != bank)
                continue;
            reader->pending &= (uint8_t) ~(1u << k);
            return;
        }
        taken |= reader->instruction->latches;
    }
}

static void read_registers(struct accp_model_scheduler *scheduler)
{
    for (int bank = 0; bank < ACCP_MODEL_BANKS; ++bank)
        read_bank(scheduler, bank);
    scheduler->frozen = scheduler->readers[ACCP_MODEL_STAGES - 1].pending;
    if (scheduler->frozen) return;
    for (int stage = ACCP_MODEL_STAGES - 1; stage > 0; --stage)
        scheduler->readers[stage] = scheduler->readers[stage - 1];
    scheduler->readers[0] = (struct accp_model_reader){0};
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
        scheduler->fma_cycle[1] = fma;
        break;
    case ACCP_UNIT_WIDE:
        scheduler->fma_cycle[1] = now + parameters->wide_cycles;
        break;
    case ACCP_UNIT_HALF:
        scheduler->fma_cycle[0] = scheduler->fma_cycle[1] = fma;
        break;
    default:
        break;
    }
}

static void set_scoreboard(struct accp_model_warp *warp, int index, int64_t now, int64_t clear)
{
    struct accp_model_scoreboard *scoreboard = &warp->scoreboards[index];
    if (scoreboard->clear_cycle <= now) {
        scoreboard->set_cycle = now + 2; /* counted one cycle after issue: MICRO 2025, section 4 */
        scoreboard->clear_cycle = clear;
    } else if (scoreboard->clear_cycle < clear) {
        scoreboard->clear_cycle = clear;
    }
}

/* A store to shared memory leaves its scheduler through a port, and enters the memory of the SM in its
 * turn; its read scoreboard is released when it has. */
static void store(struct accp_simulation *simulation, struct accp_model_scheduler *scheduler,
                  struct accp_model_warp *warp, const struct accp_model_instruction *instruction)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    const int64_t now = simulation->cycle, port = scheduler->unit_cycle[ACCP_UNIT_STORE];
    int64_t start = port > now ? port : now;
    if (simulation->store_cycle < now) simulation->store_cycle = now;
    if (simulation->store_cycle > start) start = simulation->store_cycle;
    simulation->store_cycle += parameters->store_cycles;
    scheduler->unit_cycle[ACCP_UNIT_STORE] = start + parameters->store_port_cycles;
    if (instruction->read_barrier < ACCP_SCOREBOARDS)
        set_scoreboard(warp, instruction->read_barrier, now,
                       start + parameters->store_latency_cycles);
}

/* Instructions that stand in a queue. The queue of LDC and S2R is the SM's, that of the SFU is the
 * scheduler's. */
static void enqueue(struct accp_simulation *simulation, struct accp_model_scheduler *scheduler,
                    struct accp_model_warp *warp, const struct accp_model_instruction *instruction)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    const int64_t now = simulation->cycle;
    int64_t *free_cycle = &simulation->shared_cycle, interval = parameters->shared_cycles, latency;
    switch (instruction->unit) {
    case ACCP_UNIT_CONSTANT:
        latency = parameters->constant_latency_cycles;
        break;
    case ACCP_UNIT_SPECIAL:
        latency = parameters->special_latency_cycles;
        break;
    case ACCP_UNIT_SPECIAL_UNIFORM:
        latency = parameters->special_uniform_latency_cycles;
        break;
    case ACCP_UNIT_SFU:
        latency = parameters->sfu_latency_cycles;
        interval = parameters->sfu_cycles;
        free_cycle = &scheduler->unit_cycle[ACCP_UNIT_SFU];
        break;
    default: /* a fixed latency; a scoreboard on it is released at once */
        latency = interval = 0;
        free_cycle = &scheduler->unit_cycle[ACCP_UNIT_NONE];
    }
    const int64_t start = *free_cycle > now ? *free_cycle : now;
    *free_cycle = start + interval;
    if (instruction->write_barrier < ACCP_SCOREBOARDS)
        set_scoreboard(warp, instruction->write_barrier, now, start + latency);
    if (instruction->read_barrier < ACCP_SCOREBOARDS)
        set_scoreboard(warp, instruction->read_barrier, now,
                       start + (latency ? parameters->read_latency_cycles : 0));
}

static void count_iteration(const struct accp_simulation *simulation, struct accp_model_warp *warp)
{
    if (simulation->cycle < simulation->warm_cycles) return;
    if (warp->first_cycle < 0)
        warp->first_cycle = simulation->cycle;
    else
        ++warp->iterations;
    warp->last_cycle = simulation->cycle;
}

/* A taken branch: what is in the buffer is of no use any more. */
static void jump(const struct accp_simulation *simulation,
                 const struct accp_model_scheduler *scheduler, struct accp_model_warp *warp,
                 int target)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    const int64_t now = scheduler->cycle;
    warp->next = warp->target = target;
    if (!has(simulation, ACCP_MECHANISM_BRANCH)) return;
    warp->fetching = 0;
    warp->buffered = has(simulation, ACCP_MECHANISM_LINES) ? target : warp->program->count;
    const bool misses = target == 0 && warp->program->lines > parameters->cache_lines &&
                        has(simulation, ACCP_MECHANISM_CACHE);
    const int64_t arrival =
        now + parameters->branch_cycles + (misses ? parameters->cache_miss_cycles : 0);
    warp->request_cycle = arrival - parameters->fetch_latency_cycles;
    if (warp->buffered > target && warp->ready_cycle < arrival) warp->ready_cycle = arrival;
}

static void issue(struct accp_simulation *simulation, struct accp_model_scheduler *scheduler, int w)
{
    struct accp_model_warp *warp = &scheduler->warps[w];
    const struct accp_model_instruction *instruction = &warp->program->instructions[warp->next];
    warp->issue_cycle = simulation->cycle;
    scheduler->last_warp = w;
    warp->ready_cycle = scheduler->cycle + instruction->wait_cycles;
    if (has(simulation, ACCP_MECHANISM_GREEDY)) scheduler->owner = instruction->yields ? -1 : w;
    take_unit(simulation, scheduler, instruction->unit);
    if (instruction->unit < ACCP_UNIT_CONSTANT)
        start_reading(simulation, scheduler, w, instruction);
    for (int k = 0; k < instruction->write_count; ++k)
        warp->written_cycle[instruction->writes[k]] = scheduler->cycle + instruction->write_cycles;
    if (instruction->unit >= ACCP_UNIT_CONSTANT || instruction->write_barrier < ACCP_SCOREBOARDS ||
        instruction->read_barrier < ACCP_SCOREBOARDS) {
        if (!has(simulation, ACCP_MECHANISM_SCOREBOARDS)) {
        } else if (instruction->unit == ACCP_UNIT_STORE) {
            store(simulation, scheduler, warp, instruction);
        } else {
            enqueue(simulation, scheduler, warp, instruction);
        }
    }
    if (instruction->next == warp->program->count) {
        count_iteration(simulation, warp);
        jump(simulation, scheduler, warp, 0);
    } else if (instruction->jumps) {
        jump(simulation, scheduler, warp, instruction->next);
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
    if (!scheduler->frozen) {
        fetch(simulation, scheduler);
        chosen = choose(simulation, scheduler);
    }
    if (simulation->trace && simulation->cycle >= simulation->warm_cycles)
        tell(simulation, s, chosen);
    if (!scheduler->frozen) {
        if (chosen >= 0) issue(simulation, scheduler, chosen);
        ++scheduler->cycle;
    }
    read_registers(scheduler);
}

void accp_simulation_run(struct accp_simulation *simulation, int64_t cycles)
{
    for (const int64_t end = simulation->cycle + cycles; simulation->cycle < end;
         ++simulation->cycle) {
        for (int s = 0; s < simulation->scheduler_count; ++s)
            step(simulation, s);
    }
}
