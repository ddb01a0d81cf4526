/* The tail probe: four ways to place the links that are left over. */
#include "iteration.cuh"

#define ROLE(...) ACCP_KERNEL(tail, __VA_ARGS__)
#include "tail.def"
