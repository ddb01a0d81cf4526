/* The recorded shapes of one arch by compiler, in the order of the versions: golden/shape/<arch>/<version>.json, and
 * golden/shape/<arch>/<probe>/<version>.json of every probe but the first. */
#ifndef ACCP_REPORT_SWEEP_H
#define ACCP_REPORT_SWEEP_H

#include "run/run.h"
#include "sass/shape_file.h"

struct accp_sweep {
    char arch[16];
    size_t count;
    struct accp_shapes *shapes; /* owned; oldest compiler first */
};

/* Reads from `folder` (golden/) those of the arch of the first run, and of the probes whose roles the runs hold; none at
 * all is a success with count 0. *sweep is initialised here; pair with accp_sweep_fini. Errors: INPUT (a bad file), IO,
 * MEMORY. */
enum accp_status accp_sweep_read(const char *folder, const struct accp_run *runs, size_t run_count,
                                 struct accp_sweep *sweep, struct accp_error *error);
void accp_sweep_fini(struct accp_sweep *sweep);

/* The shape of a role whose hot loop has that control hash: of compiler `version` first, else of any, whose index goes
 * to *at. NULL: none on record. */
const struct accp_shape *accp_sweep_find(const struct accp_sweep *sweep, const char *role,
                                         const char *control_hash, const char *version, size_t *at);

#endif
