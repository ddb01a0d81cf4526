/* A run and its judgement in the formats of other tools. docs/exports.md says what each tool gets, and how each format
 * was held against its reader. Cycles per iteration are what all of them carry: less is better. */
#ifndef ACCP_REPORT_EXPORT_H
#define ACCP_REPORT_EXPORT_H

#include "golden/summary.h"
#include "report/judgement.h"

enum accp_export {
#define EXPORT(id, name, what) ACCP_EXPORT_##id,
#include "report/exports.def"
    ACCP_EXPORT_COUNT
};

/* The export of that name, or -1; its name and what it is, static. */
int accp_export_find(const char *name);
const char *accp_export_name(enum accp_export id);
const char *accp_export_what(enum accp_export id);

/* Writes `report` as that format. Errors: INPUT (runs that do not belong together), MEMORY. */
enum accp_status accp_export_write(enum accp_export id, const struct accp_report *report,
                                   FILE *stream, struct accp_error *error);

/* For the writers: what they all need. */
struct accp_exporting {
    const struct accp_report *report;
    struct accp_summary summary;
    FILE *stream;
};

/* The interval in which the level of a point lies, in cycles per iteration, when a golden answered for it: its
 * judgement's. False: there is none. */
bool accp_export_interval(const struct accp_exporting *exporting, const struct accp_point *point,
                          double *low, double *high);

/* What some of a point's samples measured where the warps of its block ran different loops: those of one warp of the
 * block ("warp3"), or of warps that shared their scheduler with a role of that acc ("beside-acc2"). */
struct accp_export_part {
    char name[24];
    bool is_beside;
    int key;
    double mean; /* of the processes' means, cycles per iteration */
};

/* The next part of a point behind *part, which is cleared before the first; false: there is none. */
bool accp_export_next_part(const struct accp_exporting *exporting, const struct accp_point *point,
                           struct accp_export_part *part);

/* Of one process; 0: it has none. */
double accp_export_part_of(const struct accp_exporting *exporting, const struct accp_point *point,
                           const struct accp_export_part *part, size_t process);

/* "; warp0 81.06 warp1 81.11 beside-acc2 79.3" of a role at a number of warps; "": its warps ran one loop. */
enum { ACCP_EXPORT_PARTS_BYTES = 2048 };
void accp_export_parts(const struct accp_exporting *exporting, const char *role, int warps,
                       char text[ACCP_EXPORT_PARTS_BYTES]);

/* One writer a format; MEMORY. */
#define EXPORT(id, name, what) \
    enum accp_status accp_export_##id(const struct accp_exporting *exporting, \
                                      struct accp_error *error);
#include "report/exports.def"

#endif
