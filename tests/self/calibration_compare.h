/* Two recordings of the same calibration loops, held against each other. */
#ifndef CALIBRATION_COMPARE_H
#define CALIBRATION_COMPARE_H

#include "calibration.h"

/* Prints a row a load: in how many loops both have cycles, and in how many of these they are equal (to
 * a tenth of a cycle), within 0.5 % and within 2 %; the mean difference, the worst, and in which loop.
 * Errors: INPUT: they do not hold the same loops in the same order. */
enum accp_status calibration_compare(const struct calibration *left,
                                     const struct calibration *right, struct accp_error *error);

#endif
