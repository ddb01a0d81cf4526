/* A kernel of kernels/calibration, with a loop written into it. */
#ifndef CALIBRATION_TEMPLATE_H
#define CALIBRATION_TEMPLATE_H

#include "base/file.h"
#include "calibration.h"
#include "run/run.h"
#include "sass/code.h"

#include <stdbool.h>

enum { CALIBRATION_MEASURED_BYTES = 256 };

struct calibration_template {
    struct accp_bytes cubin; /* owned; what calibration_patch changes */
    struct accp_cubin opened;
    struct accp_code code;       /* as it was compiled */
    uint8_t *compiled;           /* its bytes; owned */
    size_t first, count;         /* instructions that a loop may stand in */
    int counter_in, counter_out; /* registers in which the number of iterations comes and goes */
};

/* Reads and decodes a template, the kernel `symbol` of the cubin at `path`, and finds its longest row of FFMAs. On
 * success the caller frees with calibration_template_fini. Errors: those of accp_file_read, accp_cubin_open and
 * accp_code_init; INPUT: fewer FFMAs than `slots`, or registers than `registers`. */
enum accp_status calibration_template_init(const char *path, const char *symbol, size_t slots,
                                           int registers, struct calibration_template *template,
                                           struct accp_error *error);
void calibration_template_fini(struct calibration_template *template);

/* Whether some way from behind the slots on reads register or predicate `index` (of that enum
 * accp_operand_kind) before it is written, or the next phase begins. */
bool calibration_template_needs(const struct calibration_template *template, int kind, int index);

/* Writes a loop into template->cubin, over the one before it, at the loop's position in the line. What
 * the loop overwrites and the kernel still needs is put aside in registers that neither uses. Errors:
 * INPUT: the loop is too long, or takes what cannot be put aside. */
enum accp_status calibration_patch(struct calibration_template *template,
                                   const struct calibration_loop *loop, struct accp_error *error);

/* Says when, where and with which compiler something is measured: what a recording's head holds. */
void calibration_measured(const struct calibration_template *template,
                          const struct accp_run_device *facts,
                          char text[CALIBRATION_MEASURED_BYTES]);

#endif
