#include "model/fetch.h"

#include <string.h>

static void take_lines(struct accp_model_warp *warp, int64_t now)
{
    while (warp->lines[0].end && warp->lines[0].arrival_cycle <= now) {
        warp->buffered = warp->lines[0].end;
        warp->lines[0] = warp->lines[1];
        warp->lines[1] = (struct accp_model_line){0};
    }
}

/* Up to which instruction the next line would reach; 0: the warp asks for none. It has room for
 * another when the last instruction of one has been issued. */
static int line_wanted(const struct accp_simulation *simulation, const struct accp_model_warp *warp,
                       int64_t now)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    if (warp->lines[1].end || warp->request_cycle > now) return 0;
    const int begin = warp->lines[0].end ? warp->lines[0].end : warp->buffered;
    const int position = (warp->program->line_position + begin) % parameters->line_instructions;
    const int end = begin + parameters->line_instructions - position;
    const int room = parameters->buffer_lines * parameters->line_instructions;
    return end - warp->next <= room ? end : 0;
}

void accp_fetch_ask(const struct accp_simulation *simulation,
                    struct accp_model_scheduler *scheduler)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    const int64_t now = scheduler->cycle;
    int wanted[ACCP_MODEL_SCHEDULER_WARPS], chosen = -1;
    for (int w = 0; w < scheduler->warp_count; ++w) {
        take_lines(&scheduler->warps[w], now);
        wanted[w] = line_wanted(simulation, &scheduler->warps[w], now);
        if (wanted[w] && (chosen < 0 || chosen != scheduler->last_warp)) chosen = w;
    }
    for (int w = 0; chosen >= 0 && w < scheduler->warp_count; ++w) {
        struct accp_model_warp *warp = &scheduler->warps[w];
        if (!wanted[w]) continue;
        if (w != chosen && !warp->met && accp_simulation_has(simulation, ACCP_MECHANISM_FETCH)) {
            warp->request_cycle = now + parameters->fetch_retry_cycles;
            continue;
        }
        warp->lines[warp->lines[0].end != 0] =
            (struct accp_model_line){wanted[w], now + parameters->fetch_latency_cycles};
        warp->request_cycle =
            now + (warp->met ? parameters->meet_again_cycles : parameters->fetch_again_cycles);
        warp->met = false;
    }
}

static int fetch_bank(const struct accp_model_warp *warp, int instruction)
{
    return (warp->program->line_position + instruction) % ACCP_MODEL_FETCH_BANKS;
}

/* The next warp, of those that are not among `done`, to read an instruction of its lines: the one that
 * issues for as long as it can, then in the order of issue. -1: none has room for one. */
static int next_reader(const struct accp_simulation *simulation,
                       const struct accp_model_scheduler *scheduler, int owner, uint32_t done)
{
    int chosen = -1;
    for (int w = 0; w < scheduler->warp_count; ++w) {
        const struct accp_model_warp *warp = &scheduler->warps[w];
        if (done >> w & 1 || warp->read >= warp->buffered ||
            warp->read - warp->next >= ACCP_MODEL_QUEUE)
            continue;
        if (chosen < 0 || w == owner ||
            (chosen != owner && accp_simulation_is_before(simulation, scheduler, w, chosen)))
            chosen = w;
    }
    return chosen;
}

void accp_fetch_read(const struct accp_simulation *simulation,
                     struct accp_model_scheduler *scheduler, int owner, unsigned taken)
{
    uint32_t done = 0;
    int w;
    while ((w = next_reader(simulation, scheduler, owner, done)) >= 0) {
        struct accp_model_warp *warp = &scheduler->warps[w];
        const int bank = fetch_bank(warp, warp->read);
        done |= 1u << w;
        if (taken >> bank & 1 && accp_simulation_has(simulation, ACCP_MECHANISM_FETCH)) continue;
        taken |= 1u << bank;
        warp->there_cycle[warp->read++ % ACCP_MODEL_QUEUE] =
            scheduler->cycle + simulation->parameters->read_ahead_cycles;
    }
}

unsigned accp_fetch_astray(const struct accp_model_warp *warp)
{
    const struct accp_model_instruction *instruction = &warp->program->instructions[warp->next];
    const bool branches = instruction->jumps || instruction->next == warp->program->count;
    return branches && warp->read < warp->buffered ? 1u << fetch_bank(warp, warp->read) : 0;
}

/* How much later the first line of a loop comes that is too long to be kept: it is filled from its
 * beginning on. */
static int miss_cycles(const struct accp_simulation *simulation,
                       const struct accp_model_program *program)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    if (program->lines <= parameters->cache_lines ||
        !accp_simulation_has(simulation, ACCP_MECHANISM_CACHE))
        return 0;
    return parameters->cache_miss_cycles + program->line_position / parameters->fill_instructions +
           (simulation->sm_warps > 2 ? parameters->cache_share_cycles : 0);
}

/* How much later the target of a branch in this cycle is asked for because another warp branched a few
 * cycles before. */
static int meet(const struct accp_simulation *simulation, struct accp_model_scheduler *scheduler,
                int w)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    const int cycles[] = {parameters->meet_1_cycles, parameters->meet_2_cycles,
                          parameters->meet_3_cycles, parameters->meet_4_cycles,
                          parameters->meet_5_cycles};
    enum { MEETS = sizeof cycles / sizeof *cycles };
    if (!accp_simulation_has(simulation, ACCP_MECHANISM_FETCH)) return 0;
    const int64_t left = scheduler->meet_cycle - scheduler->cycle;
    const int late =
        left > 0 && left <= MEETS && scheduler->meet_warp != w ? cycles[MEETS - left] : 0;
    scheduler->meet_warp = w;
    scheduler->meet_cycle = scheduler->cycle + late + MEETS + 1;
    return late;
}

void accp_fetch_jump(const struct accp_simulation *simulation,
                     struct accp_model_scheduler *scheduler, int w,
                     const struct accp_model_instruction *branch, int target)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    struct accp_model_warp *warp = &scheduler->warps[w];
    const int64_t now = scheduler->cycle;
    warp->next = warp->target = target;
    memset(warp->there_cycle, 0, sizeof warp->there_cycle);
    warp->read = warp->program->count + ACCP_MODEL_QUEUE; /* all of it, if that takes no time */
    if (!accp_simulation_has(simulation, ACCP_MECHANISM_BRANCH)) return;
    memset(warp->lines, 0, sizeof warp->lines);
    warp->read = target;
    warp->buffered =
        accp_simulation_has(simulation, ACCP_MECHANISM_LINES) ? target : warp->program->count;
    const int late = meet(simulation, scheduler, w);
    const int64_t arrival = now + parameters->branch_cycles + late +
                            (target == 0 ? miss_cycles(simulation, warp->program) : 0) +
                            (branch->strays ? parameters->fetch_retry_cycles : 0);
    warp->met = late > 0;
    warp->request_cycle =
        arrival - parameters->fetch_latency_cycles - parameters->read_ahead_cycles;
    if (warp->buffered > target && warp->ready_cycle < arrival) warp->ready_cycle = arrival;
}
