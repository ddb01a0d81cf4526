/* The calibration kernel (kernels/calibration) on the fake GPU. */
#ifndef ACCP_FAKE_CALIBRATION_H
#define ACCP_FAKE_CALIBRATION_H

#include "scenario.h"

#include <stddef.h>

/* Writes the records of every warp of the grid: whatever loop stands in the kernel, an iteration of it
 * takes 100 cycles and one more for each warp of the block. 0 or a CUresult, as accp_fake_gpu_launch. */
int accp_fake_calibration_launch(const struct accp_fake_scenario *scenario, unsigned blocks,
                                 unsigned threads, const void *parameters, size_t parameters_bytes);

#endif
