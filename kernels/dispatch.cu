/* The dispatch probe: the roles of the optimal probe behind a switch; all warps take the same one. */
#include "dispatch.cuh"

ACCP_DISPATCH_KERNEL(dispatch, 7)
ACCP_DISPATCH_KERNEL(dispatch, 13)
ACCP_DISPATCH_KERNEL(dispatch, 29)
