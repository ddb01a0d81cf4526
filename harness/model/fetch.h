/* How instructions come to the warps of a scheduler: in lines, from which each reads a few ahead. All of it
 * goes by the scheduler's clock. Not for other modules. */
#ifndef ACCP_MODEL_FETCH_H
#define ACCP_MODEL_FETCH_H

#include "model/simulate.h"

/* Begins a cycle: takes the lines that have come, and asks for one, for the warp that issued last, else
 * for the highest number. The others try again later. */
void accp_fetch_ask(const struct accp_simulation *simulation,
                    struct accp_model_scheduler *scheduler);

/* Whether the warp's next instruction is there to be issued. */
static inline bool accp_fetch_has(const struct accp_model_scheduler *scheduler,
                                  const struct accp_model_warp *warp)
{
    return warp->next < warp->read &&
           warp->there_cycle[warp->next % ACCP_MODEL_QUEUE] <= scheduler->cycle;
}

/* The bank, as a bit, that a warp which issues a branch reads from: what comes after it. 0: none, or no
 * branch. To be asked before the branch is issued. */
unsigned accp_fetch_astray(const struct accp_model_warp *warp);

/* Ends a cycle in which `owner` was to go on if it could (-1: no warp was): each warp reads an instruction
 * ahead if it has room, and if nobody before it reads from the same bank, of which bit b of `taken` is
 * one that is taken already. */
void accp_fetch_read(const struct accp_simulation *simulation,
                     struct accp_model_scheduler *scheduler, int owner, unsigned taken);

/* Warp `w` issues a taken branch: what was fetched for it is of no use any more. */
void accp_fetch_jump(const struct accp_simulation *simulation,
                     struct accp_model_scheduler *scheduler, int w,
                     const struct accp_model_instruction *branch, int target);

#endif
