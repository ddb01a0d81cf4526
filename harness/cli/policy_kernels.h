/* `accprobe policy --cubin`: the policy for kernels that were compiled with several numbers of accumulators. */
#ifndef ACCP_CLI_POLICY_KERNELS_H
#define ACCP_CLI_POLICY_KERNELS_H

#include "cli/options.h"
#include "policy/policy.h"

#include <stdio.h>

/* Answers for every group of kernels of --cubin that --filter leaves, at --warps, or at 1, 2, 4, ... as many as a
 * scheduler holds; with --against, judges these answers by that run. Errors: USAGE (an option that a cubin has no use
 * for), as accp_opened_file, accp_policy_kernels_read, accp_policy_kernels_ask and accp_policy_judge. */
enum accp_status accp_policy_of_kernels(const struct accp_options *options,
                                        const struct accp_policy_conditions *conditions,
                                        FILE *stream, struct accp_error *error);

#endif
