/* The ops probe's kernels on the fake GPU. */
#ifndef ACCP_FAKE_OPERATORS_H
#define ACCP_FAKE_OPERATORS_H

#include "operators.h"
#include "scenario.h"

/* Runs a kernel over every thread of the grid: results are those of double precision, rounded;
 * cycles are made up. 0 or a CUresult, as accp_fake_gpu_launch. */
int accp_fake_operators_launch(const struct accp_fake_scenario *scenario,
                               const struct accp_operator_kernel *kernel, unsigned blocks,
                               unsigned threads, const void *parameters, size_t parameters_bytes);

#endif
