/* Which loop a selector leads to, in a kernel that several roles share. Not for other modules. */
#ifndef ACCP_SASS_SELECTED_H
#define ACCP_SASS_SELECTED_H

#include "sass/code.h"

/* The one loop with floating point that a warp reaches whose selector (struct accp_parameters, one
 * byte) is `selector`, 0 to 255: the ways from the kernel's start on which compares of that byte
 * with constants decide. *loop is NULL where that leads to no such loop or to several: the selector
 * is not the one byte that the kernel loads, a branch is indirect, or the loop has no floating point
 * any more. MEMORY. */
enum accp_status accp_selected_loop(const struct accp_code *code, int selector,
                                    const struct accp_loop **loop, struct accp_error *error);

#endif
