/* Lines of a judgement that share a verdict and a reason: what befell many roles alike, in one line. */
#ifndef ACCP_REPORT_CAUSES_H
#define ACCP_REPORT_CAUSES_H

#include "verdict/verdict.h"

#include <stdio.h>

enum { ACCP_CAUSE_LINES = 12 }; /* of one cause: as many are listed, more are a line together */

/* Whether more than ACCP_CAUSE_LINES lines share this one's verdict, which weighs more than NO_GOLDEN, and its reason. */
bool accp_causes_is_common(const struct accp_judgement *judgement, const struct accp_line *line);

/* Writes a table of the common causes, the heaviest verdict first: how many lines, which of them is the furthest off and
 * by how much, and the reason; nothing where there is none. MEMORY. */
enum accp_status accp_causes_print(const struct accp_judgement *judgement, FILE *stream,
                                   struct accp_error *error);

#endif
