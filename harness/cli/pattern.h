/* Which names an option means. */
#ifndef ACCP_CLI_PATTERN_H
#define ACCP_CLI_PATTERN_H

#include "base/status.h"
#include "matrix.h"

#include <stdbool.h>

/* A compiled --filter or --claim: an extended regular expression as POSIX has them, within what a
 * name can need. A NULL text matches everything. Pair with accp_pattern_fini. */
struct accp_pattern {
    void *compiled; /* owned */
};

/* USAGE: no regular expression; or one with a back-reference, with a repetition of a repetition
 * (a+*, whose meaning POSIX leaves open), with groups more than 32 deep, or whose repetitions come to
 * more than 1,000 items. The C library's compiler copies what is repeated, and its matcher tries
 * every way through back-references: without these bounds a short pattern can take all memory or
 * time. */
enum accp_status accp_pattern_init(struct accp_pattern *pattern, const char *option,
                                   const char *text, struct accp_error *error);
/* Only whether it could be compiled: before work that the answer would make void. */
enum accp_status accp_pattern_check(const char *option, const char *text, struct accp_error *error);
bool accp_pattern_matches(const struct accp_pattern *pattern, const char *name);
/* The name of a role or the symbol of its kernel; `role` is NULL for a kernel of no role. */
bool accp_pattern_matches_kernel(const struct accp_pattern *pattern, const struct accp_role *role,
                                 const char *symbol);
void accp_pattern_fini(struct accp_pattern *pattern);

#endif
