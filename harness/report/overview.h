/* A judgement of many roles in a line for each family and number of warps. */
#ifndef ACCP_REPORT_OVERVIEW_H
#define ACCP_REPORT_OVERVIEW_H

#include "golden/summary.h"
#include "report/judgement.h"

/* Whether a claim of this family at this number of warps weighs more than NO_GOLDEN: worth its table of cycles. */
bool accp_overview_is_odd(const struct accp_judgement *judgement, const char *family, int warps);

/* Writes a table: for each family and number of warps the best accumulators of every chain with their cycles, and how many
 * claims at that load have each verdict. `summary` is of the judged runs. MEMORY. */
enum accp_status accp_overview_print(const struct accp_judgement *judgement,
                                     const struct accp_summary *summary, FILE *stream,
                                     struct accp_error *error);

#endif
