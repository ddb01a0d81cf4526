/* The kernel kernels/calibration/codes.cu, with the codes of a set written into it. */
#ifndef CODES_TEMPLATE_H
#define CODES_TEMPLATE_H

#include "calibration_template.h"
#include "codes.h"

struct codes_template {
    struct calibration_template base;
    int select;    /* register that says which delays a warp takes, and which code */
    int predicate; /* free for tests */
    int registers[ACCP_CODES_RECORDS]; /* that are stored */
};

/* Reads and decodes the template. On success the caller frees with codes_template_fini. Errors: those of
 * calibration_template_init; INPUT: it is not of this form. */
enum accp_status codes_template_init(const char *path, struct codes_template *template,
                                     struct accp_error *error);
void codes_template_fini(struct codes_template *template);

/* Writes the codes of a set into template->base.cubin, over those before. A warp first takes the delays that its bits
 * select, then the code that its bit selects, between what is quiet. Behind it the last record says which code it was.
 * Errors: INPUT: no room for them. */
enum accp_status codes_patch(struct codes_template *template, const struct codes_set *set,
                             struct accp_error *error);

#endif
