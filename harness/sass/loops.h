/* The search for natural loops, apart from code.c for its size. Not for other modules. */
#ifndef ACCP_SASS_LOOPS_H
#define ACCP_SASS_LOOPS_H

#include "sass/code.h"

/* Fills the loop members of a decoded kernel. MEMORY. */
enum accp_status accp_code_find_loops(struct accp_code *code, struct accp_error *error);

#endif
