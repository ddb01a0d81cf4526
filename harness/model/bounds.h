/* What an iteration needs at the least. Not for other modules. */
#ifndef ACCP_MODEL_BOUNDS_H
#define ACCP_MODEL_BOUNDS_H

#include "model/explain.h"
#include "model/parameters.h"
#include "model/program.h"

/* Fills bounds[ACCP_BOUND_COUNT] for `scheduler_warps` warps on a scheduler and `warps` on the SM, from
 * the instructions that every iteration executes. */
void accp_bounds_fill(const struct accp_model_program *program,
                      const struct accp_model_parameters *parameters, int scheduler_warps,
                      int warps, double bounds[ACCP_BOUND_COUNT]);

#endif
