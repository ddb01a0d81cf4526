#include "model/queues.h"

#include <stddef.h>
#include <string.h>

static int64_t later(int64_t left, int64_t right)
{
    return left > right ? left : right;
}

bool accp_queues_has(const struct accp_model_instruction *instruction)
{
    return instruction->unit >= ACCP_UNIT_CONSTANT;
}

static void open_scoreboard(struct accp_model_warp *warp, int index, int64_t now)
{
    if (index >= ACCP_SCOREBOARDS) return;
    /* counted one cycle after issue: MICRO 2025, section 4 */
    if (!warp->scoreboards[index].pending++) warp->scoreboards[index].set_cycle = now + 2;
}

void accp_queues_open(const struct accp_simulation *simulation, struct accp_model_warp *warp,
                      const struct accp_model_instruction *instruction)
{
    open_scoreboard(warp, instruction->write_barrier, simulation->cycle);
    open_scoreboard(warp, instruction->read_barrier, simulation->cycle);
}

static void release(struct accp_model_warp *warp, int index, int64_t cycle)
{
    if (index >= ACCP_SCOREBOARDS) return;
    struct accp_model_scoreboard *scoreboard = &warp->scoreboards[index];
    --scoreboard->pending;
    scoreboard->clear_cycle = later(scoreboard->clear_cycle, cycle);
}

/* From `start` on registers are read through the queues' port, and a bank is kept from the others. */
static void read_through_port(const struct accp_simulation *simulation,
                              struct accp_model_scheduler *scheduler,
                              const struct accp_model_instruction *instruction, int64_t start)
{
    const int64_t in = start + simulation->parameters->queue_port_cycles - simulation->cycle;
    scheduler->queue_port_cycle = start + simulation->parameters->queue_read_cycles;
    if (in > 63 || !accp_simulation_has(simulation, ACCP_MECHANISM_PORTS)) return;
    for (int k = 0; k < instruction->read_count; ++k)
        scheduler->queue_reads[instruction->reads[k].reg % ACCP_MODEL_BANKS] |= UINT64_C(1) << in;
}

/* When a store to shared memory leaves its scheduler, one that reads its data through the port or one
 * that has none. One that comes as the port becomes free waits a cycle more than it would in line. */
static int64_t start_store(const struct accp_simulation *simulation,
                           const struct accp_model_scheduler *scheduler, bool reads)
{
    int64_t start = simulation->cycle;
    if (!accp_simulation_has(simulation, ACCP_MECHANISM_QUEUES)) return start;
    if (!reads)
        start = later(start, scheduler->store_order_cycle);
    else if (scheduler->queue_port_cycle == start)
        ++start;
    else
        start = later(start, scheduler->queue_port_cycle);
    return later(start, simulation->store_cycle);
}

static void store(struct accp_simulation *simulation, struct accp_model_scheduler *scheduler,
                  struct accp_model_warp *warp, const struct accp_model_instruction *instruction)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    const int64_t now = simulation->cycle;
    const bool reads = instruction->read_count > 0;
    simulation->store_cycle = later(simulation->store_cycle, now);
    const int64_t start = start_store(simulation, scheduler, reads);
    simulation->store_cycle += parameters->store_cycles;
    if (reads) read_through_port(simulation, scheduler, instruction, start);
    scheduler->store_order_cycle = start + (reads ? parameters->store_order_cycles : 1);
    scheduler->special_cycle =
        start + (reads ? parameters->store_special_cycles : parameters->queue_read_cycles);
    scheduler->unit_cycle[ACCP_UNIT_STORE] = start + (reads ? parameters->queue_read_cycles : 1);
    release(warp, instruction->read_barrier,
            start + reads + parameters->store_latency_cycles - ACCP_MODEL_QUEUED);
}

/* When an instruction of any other queue begins, and from when on the next may. The queue of LDC and
 * S2R is the SM's, that of the SFU is the scheduler's. */
static int64_t start_other(struct accp_simulation *simulation,
                           struct accp_model_scheduler *scheduler,
                           const struct accp_model_instruction *instruction)
{
    const struct accp_model_parameters *parameters = simulation->parameters;
    int64_t start = simulation->cycle;
    if (!accp_simulation_has(simulation, ACCP_MECHANISM_QUEUES)) return start;
    if (instruction->unit == ACCP_UNIT_SFU) {
        if (instruction->read_count) {
            start = later(start, scheduler->queue_port_cycle);
            read_through_port(simulation, scheduler, instruction, start);
            ++start;
        }
        start = later(start, scheduler->unit_cycle[ACCP_UNIT_SFU]);
        scheduler->unit_cycle[ACCP_UNIT_SFU] = start + parameters->sfu_cycles;
        return start;
    }
    start = later(start, simulation->shared_cycle);
    simulation->shared_cycle = start + parameters->shared_cycles;
    if (instruction->unit != ACCP_UNIT_SPECIAL) return start;
    start = later(start, later(simulation->special_cycle, scheduler->special_cycle));
    simulation->special_cycle = start + parameters->shared_cycles;
    simulation->shared_cycle = start + parameters->special_shared_cycles;
    return start;
}

/* The latencies of a unit, and what comes between its result and its scoreboard. */
struct latency {
    int write, read, release;
    bool waits; /* its result, while one of a pipe is written to its bank */
};

static struct latency latency_of(const struct accp_model_parameters *parameters, int unit)
{
    switch (unit) {
    case ACCP_UNIT_CONSTANT:
        return (struct latency){parameters->constant_latency_cycles,
                                parameters->read_latency_cycles, parameters->constant_write_cycles,
                                true};
    case ACCP_UNIT_SPECIAL:
        return (struct latency){parameters->special_latency_cycles, parameters->read_latency_cycles,
                                parameters->special_write_cycles, true};
    case ACCP_UNIT_SPECIAL_UNIFORM:
        return (struct latency){parameters->special_uniform_latency_cycles,
                                parameters->read_latency_cycles, 0, false};
    default:
        return (struct latency){parameters->sfu_latency_cycles, parameters->sfu_read_latency_cycles,
                                parameters->sfu_write_cycles, false};
    }
}

static void send_result(const struct accp_simulation *simulation,
                        struct accp_model_scheduler *scheduler, struct accp_model_warp *warp,
                        const struct accp_model_instruction *instruction, int64_t clear)
{
    const struct latency latency = latency_of(simulation->parameters, instruction->unit);
    if (instruction->write_barrier >= ACCP_SCOREBOARDS) return;
    if (!instruction->write_count || scheduler->result_count == ACCP_MODEL_RESULTS ||
        instruction->unit == ACCP_UNIT_SPECIAL_UNIFORM ||
        !accp_simulation_has(simulation, ACCP_MECHANISM_WRITES)) {
        release(warp, instruction->write_barrier, clear);
        return;
    }
    struct accp_model_result *result = &scheduler->results[scheduler->result_count++];
    *result = (struct accp_model_result){.cycle = clear - latency.release,
                                         .warp = (uint8_t)(warp - scheduler->warps),
                                         .scoreboard = instruction->write_barrier,
                                         .release_cycles = (uint8_t)latency.release};
    for (int k = 0; latency.waits && k < instruction->write_count; ++k)
        result->banks |= (uint8_t)(1u << instruction->writes[k] % ACCP_MODEL_BANKS);
}

void accp_queues_enter(struct accp_simulation *simulation, struct accp_model_scheduler *scheduler,
                       struct accp_model_warp *warp,
                       const struct accp_model_instruction *instruction)
{
    if (instruction->unit == ACCP_UNIT_STORE) {
        store(simulation, scheduler, warp, instruction);
        release(warp, instruction->write_barrier, simulation->cycle);
        return;
    }
    if (!accp_queues_has(
            instruction)) { /* a fixed latency; a scoreboard on it is released at once */
        release(warp, instruction->write_barrier, simulation->cycle);
        release(warp, instruction->read_barrier, simulation->cycle);
        return;
    }
    const struct latency latency = latency_of(simulation->parameters, instruction->unit);
    const int64_t start = start_other(simulation, scheduler, instruction) - ACCP_MODEL_QUEUED;
    send_result(simulation, scheduler, warp, instruction, start + latency.write);
    release(warp, instruction->read_barrier, start + latency.read);
}

static void remove_result(struct accp_model_scheduler *scheduler, int at)
{
    memmove(&scheduler->results[at], &scheduler->results[at + 1],
            (size_t)(ACCP_MODEL_RESULTS - 1 - at) * sizeof *scheduler->results);
    scheduler->results[ACCP_MODEL_RESULTS - 1] = (struct accp_model_result){0};
    --scheduler->result_count;
}

/* Writes those that are due and have a time of their own, or else those that have none: of these only
 * one that finds no other, and its banks free. True: one was. */
static bool write_due(const struct accp_simulation *simulation,
                      struct accp_model_scheduler *scheduler, bool own, bool taken)
{
    const int64_t now = simulation->cycle;
    for (int k = 0; k < scheduler->result_count; ++k) {
        struct accp_model_result *result = &scheduler->results[k];
        if (result->cycle > now || !result->banks != own) continue;
        bool waits = taken && !own;
        for (int bank = 0; bank < ACCP_MODEL_BANKS; ++bank)
            if (result->banks >> bank & 1) waits |= scheduler->writes[bank] & 1;
        if (waits) {
            ++result->cycle;
            continue;
        }
        /* a scoreboard counts down once in a cycle */
        struct accp_model_warp *warp = &scheduler->warps[result->warp];
        int64_t clear = now + result->release_cycles;
        clear += clear == warp->scoreboards[result->scoreboard].clear_cycle;
        release(warp, result->scoreboard, clear);
        remove_result(scheduler, k--);
        taken = true;
    }
    return taken;
}

void accp_queues_write(const struct accp_simulation *simulation,
                       struct accp_model_scheduler *scheduler)
{
    if (!scheduler->result_count) return;
    write_due(simulation, scheduler, false, write_due(simulation, scheduler, true, false));
}
