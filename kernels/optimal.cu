/* The optimal probe: one chain of FFMAs dealt round-robin to its accumulators, all of them summed
 * into the sink. */
#include "iteration.cuh"

#define ROLE(...) ACCP_KERNEL(optimal, __VA_ARGS__)
#include "optimal.def"
