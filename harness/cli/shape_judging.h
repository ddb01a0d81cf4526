/* The shapes of an arch with their verdicts: what `shape` prints and a predicted `gate` adds to. */
#ifndef ACCP_CLI_SHAPE_JUDGING_H
#define ACCP_CLI_SHAPE_JUDGING_H

#include "cli/shape_print.h"

/* Shapes the built kernels of `arch` (NULL: those of --cubin) that the options leave, and judges each
 * against the laws and the golden shapes. The caller has cleared *shaped, and frees it in any case with
 * accp_shaped_fini. Errors: as accp_shaping_built, accp_shaping_cubin, accp_shape_goldens_find and
 * accp_golden_loops_read; USAGE (--compiler). */
enum accp_status accp_shape_judging(const struct accp_options *options, const char *arch,
                                    struct accp_shaped *shaped, struct accp_error *error);
void accp_shaped_fini(struct accp_shaped *shaped);

#endif
