/* Changes to a hot loop, by the names of mutations.def. */
#ifndef ACCP_SELF_MUTATIONS_H
#define ACCP_SELF_MUTATIONS_H

#include "subject.h"

/* Makes the change at the place number `site` of those where the loop allows it, counted from 0 in
 * the order of its instructions. false, and nothing is changed: it has no such place, or there is
 * no such mutation. *address gets where, in bytes from the kernel's begin. */
bool accp_mutate(const struct accp_subject *subject, const char *mutation, unsigned site,
                 size_t *address);

bool accp_mutation_known(const char *mutation);

/* Whether it changes more of the kernel than the loop, or what tells that loop from others there:
 * of the roles that share a kernel, one at a time is to be changed so. */
bool accp_mutation_reaches_kernel(const char *mutation);

#endif
