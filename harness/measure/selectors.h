/* Which role each warp runs, where several share a kernel (enum accp_dispatch). */
#ifndef ACCP_MEASURE_SELECTORS_H
#define ACCP_MEASURE_SELECTORS_H

#include "base/random.h"
#include "matrix.h"

#include <stdint.h>

enum { ACCP_SELECTORS_CASES = 64 }; /* of one kernel, at the most */

/* The accs among which a shared kernel's switch chooses, ascending as in the tables: those of all
 * roles of the tables with that kernel. Returns how many. */
size_t accp_selectors_cases(const struct accp_role *role, uint8_t cases[ACCP_SELECTORS_CASES]);

/* Fills the selectors of one launch of `role`: `blocks` blocks of `warps` warps each. UNIFORM: its
 * acc. MIXED: in each block the kernel's accs in an order drawn at random, and after the last of them
 * in another, so that no case is left out as long as there are warps. ALONE, or no role: 0. */
void accp_selectors_draw(const struct accp_role *role, size_t blocks, size_t warps,
                         struct accp_random *random, uint8_t *selectors);

/* Whether a sample of a warp with that selector is one of the role's. */
static inline bool accp_selectors_of(const struct accp_role *role, uint8_t selector)
{
    return !role || role->dispatch != ACCP_DISPATCH_MIXED || selector == role->acc;
}

#endif
