/* The sink probe: the chains of the optimal probe with four kinds of sinks. */
#include "iteration.cuh"

#define ROLE(...) ACCP_KERNEL(sink, __VA_ARGS__)
#include "sink.def"
