/* The members "by_warp" and "beside" of a role in a run file: what each warp of mixed launches measured. */
#ifndef ACCP_RUN_MIX_H
#define ACCP_RUN_MIX_H

#include "run/run.h"

/* Appends what `object`, which holds `role`, says of its warps to run->mixes; nothing where it says
 * nothing. INPUT: one member without the other, parts that are no [key, mean, n], keys out of range or not
 * ascending, means outside of the role's samples, warps whose samples are not as many as the role's. */
enum accp_status accp_mix_read(const struct accp_json *object, const struct accp_run_role *role,
                               struct accp_run *run, struct accp_error *error);

/* Sets both members of a role's object. */
void accp_mix_write(json_t *object, const struct accp_run_mix *mix);

/* Of two numbers that were rounded, the last digit. */
#define ACCP_RUN_SLACK 1e-5

/* A number as run files have it: six significant digits are more than any sample holds, and keep lines
 * short and diffs small. What is compared on reading is rounded first, so that what was read once is read
 * again when it has been written. _rounded: a new reference. */
double accp_run_round(double value);
json_t *accp_run_rounded(double value);

#endif
