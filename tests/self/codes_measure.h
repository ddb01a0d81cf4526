/* Straight codes on a GPU. */
#ifndef CODES_MEASURE_H
#define CODES_MEASURE_H

#include "codes_template.h"
#include "device/device.h"

/* Runs every set on each scheduler of the open device, with starts and timelines to keep drawn from `seed`, and puts into
 * `codes` how many starts counted, how many different timelines they gave, and some of these, each as likely as any other. A
 * start counts if each warp had come to its first read before any came to its code, and none took as long as if somebody else
 * had the GPU for a while. Errors: those of codes_patch and of the device (device/device.h); WRONG: a warp did not run its
 * code to the end. */
enum accp_status codes_measure(struct accp_device *device, struct codes_template *template,
                               struct codes *codes, uint64_t seed, struct accp_error *error);

#endif
