/* The loops of a kernel that several roles share, and what of it is whose. Not for other modules. */
#ifndef ACCP_SASS_DEALT_H
#define ACCP_SASS_DEALT_H

#include "sass/chain.h"

/* The loop of one of the roles that share this kernel: the one to which its selector, its number of
 * accumulators, leads (sass/selected.h). Where that names none: the first that has the role's links,
 * accumulators and depth and breaks no law. A role that has none gets the nearest of those that are
 * no role's, so that a broken loop is held against its own role; of several roles with the same
 * links, which are not told apart then, the last does where they have fewer loops than they are. Where
 * none is left, the nearest of all. INPUT: as accp_code_hot_loop, where no loop has floating point.
 * MEMORY. */
enum accp_status accp_dealt_loop(const struct accp_code *code, const struct accp_role *role,
                                 const struct accp_loop **loop, struct accp_error *error);

/* Sets is_member[i] for each of the code->count instructions that stand on a way from the kernel's
 * start to the head of `loop`, or on one from there to the kernel's end: the loop itself, and what
 * all roles run, but nothing that is of the others alone. All of them where a branch is indirect,
 * since nothing is known of where it leads. MEMORY. */
enum accp_status accp_dealt_way(const struct accp_code *code, const struct accp_loop *loop,
                                bool *is_member, struct accp_error *error);

#endif
