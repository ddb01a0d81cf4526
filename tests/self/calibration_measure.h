/* Calibration loops on a GPU. */
#ifndef CALIBRATION_MEASURE_H
#define CALIBRATION_MEASURE_H

#include "calibration_template.h"
#include "device/device.h"

/* Of the phase that counts, as a lone warp runs it: what recordings are made with. */
enum { CALIBRATION_PHASE_CYCLES = 40000 };

/* Runs every loop at every load on the open device, with starts drawn from `seed`, for about `phase_cycles` (1 or more), and puts
 * what an iteration took into `calibration`, the mean over all warps; 0 where a warp's time was not all spent beside the other
 * warps of its scheduler. Errors: those of calibration_patch and of the device (device/device.h). */
enum accp_status calibration_measure(struct accp_device *device,
                                     struct calibration_template *template,
                                     struct calibration *calibration, uint64_t seed,
                                     int phase_cycles, struct accp_error *error);

#endif
