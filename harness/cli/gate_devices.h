/* The gate on several GPUs at once, a process each. */
#ifndef ACCP_CLI_GATE_DEVICES_H
#define ACCP_CLI_GATE_DEVICES_H

#include "cli/options.h"

/* Runs `accprobe gate` with these options on GPUs 0 to device_count - 1 at the same time, prints what
 * each said, one after another, and where GPUs of one SKU disagree. Returns the heaviest of their
 * exit statuses. With --out FILE, GPU N's run goes to FILE.N; with --seed S it takes S + N. */
int accp_gate_devices(const struct accp_options *options, int device_count);

#endif
