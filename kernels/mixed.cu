/* The mixed probe: the kernels of the dispatch probe; each warp of a block takes another role. */
#include "dispatch.cuh"

ACCP_DISPATCH_KERNEL(mixed, 7)
ACCP_DISPATCH_KERNEL(mixed, 13)
ACCP_DISPATCH_KERNEL(mixed, 29)
