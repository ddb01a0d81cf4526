/* Remembers states that a simulation has been in and what came after them: the machine knows no chance, so what has followed a
 * state once follows it whenever it comes back, in this start or in another. Not for other modules. */
#ifndef ACCP_MODEL_STATES_H
#define ACCP_MODEL_STATES_H

#include "model/simulate.h"

#include <stddef.h>

enum {
    ACCP_MODEL_STATES = 1024,
    ACCP_MODEL_STATE_SLOTS = 4 * ACCP_MODEL_STATES, /* a power of two */
    ACCP_MODEL_STATE_BRANCHES = 16 * ACCP_MODEL_STATES,
    ACCP_MODEL_STATE_BYTES = 1 << 22 /* of their images together */
};

struct accp_model_state {
    uint64_t hash;
    int next;       /* the state that follows; -1: not known yet */
    int64_t cycles; /* from this one to that */
    int first_branch,
        branch_count; /* on the way, by cycles from this state on: in the list below */
};

/* Too big for a stack; allocate it, and clear it before each use. */
struct accp_model_states {
    int count, branch_count;
    size_t image_bytes; /* of one state */
    struct accp_model_state states[ACCP_MODEL_STATES];
    int slots[ACCP_MODEL_STATE_SLOTS]; /* by hash; -1: free */
    struct accp_model_branch branches[ACCP_MODEL_STATE_BRANCHES];
    _Alignas(16) uint8_t images[ACCP_MODEL_STATE_BYTES];
};

/* Forgets everything; the states to come are those of simulations with as many schedulers and warps. */
void accp_model_states_clear(struct accp_model_states *states,
                             const struct accp_simulation *simulation);

/* The number of the state that a simulation is in, as a new one if need be; -1: there is no room for
 * another. From here on the simulation counts its time from 0, which changes nothing of what follows. */
int accp_model_states_find(struct accp_model_states *states, struct accp_simulation *simulation);

/* Notes that `to` followed `from`, after the cycles and branches since the simulation was at `from`, if there is room. */
void accp_model_states_link(struct accp_model_states *states, int from, int to, int64_t cycles,
                            const struct accp_simulation *simulation);

/* Puts the simulation into state `at`, at time 0. */
void accp_model_states_restore(const struct accp_model_states *states, int at,
                               struct accp_simulation *simulation);

#endif
