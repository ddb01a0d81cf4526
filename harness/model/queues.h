/* Instructions with a latency that a scoreboard announces: they stand in queues behind the stages in
 * which the others read their registers. Not for other modules. */
#ifndef ACCP_MODEL_QUEUES_H
#define ACCP_MODEL_QUEUES_H

#include "model/simulate.h"

/* An instruction of `warp` with a scoreboard has been issued. */
void accp_queues_open(const struct accp_simulation *simulation, struct accp_model_warp *warp,
                      const struct accp_model_instruction *instruction);

/* It comes to its queue: behind stage ACCP_MODEL_QUEUED, or at once where it has none
 * (accp_queues_has). */
void accp_queues_enter(struct accp_simulation *simulation, struct accp_model_scheduler *scheduler,
                       struct accp_model_warp *warp,
                       const struct accp_model_instruction *instruction);
bool accp_queues_has(const struct accp_model_instruction *instruction);

/* Begins a cycle of the SM: writes what comes out of the queues then, and releases its scoreboards. */
void accp_queues_write(const struct accp_simulation *simulation,
                       struct accp_model_scheduler *scheduler);

#endif
