/* Which claims a gate may judge, known from the tables before anything is measured. */
#ifndef ACCP_CLI_CLAIMING_H
#define ACCP_CLI_CLAIMING_H

#include "base/status.h"
#include "cli/options.h"

/* Whether --claim can match a claim of the roles that --probe and --filter leave, at the loads of the
 * gate's protocol; of a --cubin that is not known. Errors: USAGE (it matches none, or is no regular
 * expression), as accp_select. */
enum accp_status accp_claiming_check(const struct accp_options *options, struct accp_error *error);

#endif
