/* The kernel of the straight codes (kernels/calibration/codes.cu) on the fake GPU. */
#ifndef ACCP_FAKE_CODES_H
#define ACCP_FAKE_CODES_H

#include "scenario.h"

#include <stddef.h>

/* Writes the records of every warp of the grid: whatever code it runs, a warp reads the clock every 4 cycles from
 * when its delays are over. 0 or a CUresult, as accp_fake_gpu_launch. */
int accp_fake_codes_launch(const struct accp_fake_scenario *scenario, unsigned blocks,
                           unsigned threads, const void *parameters, size_t parameters_bytes);

#endif
