/* The bandwidth of a GPU's memory, as a recorded run of the stream operator got it. */
#ifndef ACCP_CLI_POLICY_BANDWIDTH_H
#define ACCP_CLI_POLICY_BANDWIDTH_H

#include "cli/options.h"
#include "policy/policy.h"

/* Where the conditions say how much is read and not how fast it comes: sets bandwidth, rounded to a tenth, and
 * bandwidth_from, from the runs in measured/<GPU>/operators. `device` NULL: of the only recorded GPU of that arch; else of
 * the GPU with its arch, SMs and PCI device. Errors: INPUT (none is recorded, or several GPUs of the arch are; a recorded
 * run that cannot be read), as accp_golden_folder. */
enum accp_status accp_policy_bandwidth(const struct accp_options *options, const char *arch,
                                       const struct accp_run_device *device,
                                       struct accp_policy_conditions *conditions,
                                       struct accp_error *error);

#endif
