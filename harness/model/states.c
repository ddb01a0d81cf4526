#include "model/states.h"

#include <string.h>

enum { SHARED = 3 }; /* times that the schedulers share */

/* What has passed is all the same: nothing asks how long ago it was. */
static int64_t from(int64_t now, int64_t cycle)
{
    return cycle > now ? cycle - now : 0;
}

/* Whether the unit goes by the clock of the SM, not by that of its scheduler (simulate.c). */
static bool is_by_simulation(int unit)
{
    return unit == ACCP_UNIT_NONE || unit == ACCP_UNIT_STORE || unit == ACCP_UNIT_SFU;
}

static void rebase_warp(struct accp_model_warp *warp, int64_t now, int64_t scheduler_now)
{
    for (int k = 0; k < ACCP_MODEL_LINES; ++k)
        warp->lines[k].arrival_cycle =
            warp->lines[k].end ? from(scheduler_now, warp->lines[k].arrival_cycle) : 0;
    warp->request_cycle = from(scheduler_now, warp->request_cycle);
    for (int k = 0; k < ACCP_MODEL_QUEUE; ++k)
        warp->there_cycle[k] = from(scheduler_now, warp->there_cycle[k]);
    warp->ready_cycle = from(scheduler_now, warp->ready_cycle);
    warp->pause_cycle = from(now, warp->pause_cycle);
    warp->issue_cycle -= now; /* this one is asked for: who issued longer ago may come first */
    for (int k = 0; k < ACCP_SCOREBOARDS; ++k) {
        struct accp_model_scoreboard *scoreboard = &warp->scoreboards[k];
        scoreboard->clear_cycle = from(now, scoreboard->clear_cycle);
        scoreboard->set_cycle = scoreboard->pending ? from(now, scoreboard->set_cycle) : 0;
    }
    for (int k = 0; k < ACCP_MODEL_REGISTERS; ++k) {
        const int32_t cycle = warp->written_cycle[k], past = (int32_t)now;
        warp->written_cycle[k] = cycle > past ? cycle - past : 0;
    }
}

/* What is read late is read by the time that a result is as old as can matter: see pick_result. */
static void rebase_reader(struct accp_model_reader *reader, int32_t now, int32_t oldest)
{
    for (int k = 0; k < ACCP_MODEL_READS; ++k) {
        const int32_t cycle = reader->written_cycle[k] - now;
        const bool matters = reader->pending >> k & 1;
        reader->written_cycle[k] = !matters ? 0 : cycle > oldest ? cycle : oldest;
    }
}

/* Of the port's times, that it is free from now on differs from that it has been. */
static void rebase_queues(struct accp_model_scheduler *scheduler, int64_t now)
{
    scheduler->queue_port_cycle =
        scheduler->queue_port_cycle < now ? -1 : scheduler->queue_port_cycle - now;
    scheduler->store_order_cycle = from(now, scheduler->store_order_cycle);
    scheduler->special_cycle = from(now, scheduler->special_cycle);
    for (int k = 0; k < scheduler->result_count; ++k)
        scheduler->results[k].cycle -= now;
}

static void rebase(struct accp_simulation *simulation)
{
    const int64_t now = simulation->cycle;
    for (int s = 0; s < simulation->scheduler_count; ++s) {
        struct accp_model_scheduler *scheduler = &simulation->schedulers[s];
        const int64_t scheduler_now = scheduler->cycle;
        for (int unit = 0; unit < ACCP_UNIT_COUNT; ++unit)
            scheduler->unit_cycle[unit] =
                from(is_by_simulation(unit) ? now : scheduler_now, scheduler->unit_cycle[unit]);
        for (int k = 0; k < 2; ++k)
            scheduler->fma_cycle[k] = from(scheduler_now, scheduler->fma_cycle[k]);
        for (int w = 0; w < scheduler->warp_count; ++w)
            rebase_warp(&scheduler->warps[w], now, scheduler_now);
        for (int k = 0; k < ACCP_MODEL_PIPELINE; ++k)
            rebase_reader(&scheduler->readers[k], (int32_t)now,
                          simulation->parameters->write_cycles -
                              simulation->parameters->late_read_cycles);
        rebase_queues(scheduler, now);
        scheduler->meet_cycle = from(scheduler_now, scheduler->meet_cycle);
        if (!scheduler->meet_cycle) scheduler->meet_warp = 0;
        scheduler->cycle = 0;
    }
    simulation->shared_cycle = from(now, simulation->shared_cycle);
    simulation->special_cycle = from(now, simulation->special_cycle);
    simulation->store_cycle = from(now, simulation->store_cycle);
    simulation->cycle = 0;
}

static size_t used_bytes(const struct accp_model_scheduler *scheduler)
{
    return offsetof(struct accp_model_scheduler, warps) +
           (size_t)scheduler->warp_count * sizeof *scheduler->warps;
}

/* Of all but the registers, which seldom tell states apart. */
static uint64_t hash_words(uint64_t hash, const void *words, size_t bytes)
{
    const uint8_t *at = words;
    for (size_t i = 0; i + sizeof hash <= bytes; i += sizeof hash) {
        uint64_t word;
        memcpy(&word, at + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t hash_of(const struct accp_simulation *simulation)
{
    uint64_t hash = 0;
    for (int s = 0; s < simulation->scheduler_count; ++s) {
        const struct accp_model_scheduler *scheduler = &simulation->schedulers[s];
        hash = hash_words(hash, scheduler, offsetof(struct accp_model_scheduler, warps));
        for (int w = 0; w < scheduler->warp_count; ++w)
            hash = hash_words(hash, &scheduler->warps[w],
                              offsetof(struct accp_model_warp, written_cycle));
    }
    return hash;
}

static uint8_t *image_of(struct accp_model_states *states, int at)
{
    return states->images + (size_t)at * states->image_bytes;
}

/* An image: the times that the schedulers share, and each scheduler up to its last warp. */
static void save(const struct accp_simulation *simulation, uint8_t *image)
{
    const int64_t shared[] = {simulation->shared_cycle, simulation->special_cycle,
                              simulation->store_cycle};
    memcpy(image, shared, sizeof shared);
    image += sizeof shared;
    for (int s = 0; s < simulation->scheduler_count; ++s) {
        const size_t bytes = used_bytes(&simulation->schedulers[s]);
        memcpy(image, &simulation->schedulers[s], bytes);
        image += bytes;
    }
}

static bool is_saved_as(const struct accp_simulation *simulation, const uint8_t *image)
{
    const int64_t shared[] = {simulation->shared_cycle, simulation->special_cycle,
                              simulation->store_cycle};
    bool equal = !memcmp(image, shared, sizeof shared);
    image += sizeof shared;
    for (int s = 0; s < simulation->scheduler_count && equal; ++s) {
        const size_t bytes = used_bytes(&simulation->schedulers[s]);
        equal = !memcmp(image, &simulation->schedulers[s], bytes);
        image += bytes;
    }
    return equal;
}

void accp_model_states_clear(struct accp_model_states *states,
                             const struct accp_simulation *simulation)
{
    states->count = states->branch_count = 0;
    memset(states->slots, -1, sizeof states->slots);
    states->image_bytes = SHARED * sizeof(int64_t);
    for (int s = 0; s < simulation->scheduler_count; ++s)
        states->image_bytes += used_bytes(&simulation->schedulers[s]);
}

int accp_model_states_find(struct accp_model_states *states, struct accp_simulation *simulation)
{
    rebase(simulation);
    const uint64_t hash = hash_of(simulation);
    size_t slot = hash % ACCP_MODEL_STATE_SLOTS;
    for (; states->slots[slot] >= 0; slot = (slot + 1) % ACCP_MODEL_STATE_SLOTS) {
        const int at = states->slots[slot];
        if (states->states[at].hash == hash && is_saved_as(simulation, image_of(states, at)))
            return at;
    }
    const int at = states->count;
    if (at == ACCP_MODEL_STATES || ((size_t)at + 1) * states->image_bytes > ACCP_MODEL_STATE_BYTES)
        return -1;
    states->slots[slot] = at;
    states->states[at] = (struct accp_model_state){.hash = hash, .next = -1};
    save(simulation, image_of(states, at));
    ++states->count;
    return at;
}

void accp_model_states_link(struct accp_model_states *states, int from_state, int to,
                            int64_t cycles, const struct accp_simulation *simulation)
{
    struct accp_model_state *state = &states->states[from_state];
    const int count = simulation->branch_count;
    if (states->branch_count + count > ACCP_MODEL_STATE_BRANCHES) return;
    *state = (struct accp_model_state){state->hash, to, cycles, states->branch_count, count};
    memcpy(&states->branches[states->branch_count], simulation->branches,
           (size_t)count * sizeof *simulation->branches);
    states->branch_count += count;
}

void accp_model_states_restore(const struct accp_model_states *states, int at,
                               struct accp_simulation *simulation)
{
    const uint8_t *image = states->images + (size_t)at * states->image_bytes;
    int64_t shared[SHARED];
    memcpy(shared, image, sizeof shared);
    image += sizeof shared;
    simulation->shared_cycle = shared[0];
    simulation->special_cycle = shared[1];
    simulation->store_cycle = shared[2];
    simulation->cycle = 0;
    for (int s = 0; s < simulation->scheduler_count; ++s) {
        const size_t bytes = used_bytes(&simulation->schedulers[s]);
        memcpy(&simulation->schedulers[s], image, bytes);
        image += bytes;
    }
}
