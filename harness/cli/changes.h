/* What would change the time of an explained loop, each answer predicted again; and what bounds it.
 * Internal to explaining.c. */
#ifndef ACCP_CLI_CHANGES_H
#define ACCP_CLI_CHANGES_H

#include "cli/explaining.h"

/* How everything about this loop is predicted. */
struct accp_model_options accp_changes_options(const struct accp_explained *explained);

/* Fills changes and without. Nothing is computed for a loop that the model does not time. Errors: as
 * accp_model_predict, MEMORY. */
enum accp_status accp_changes_find(struct accp_explained *explained, struct accp_error *error);

/* Fills bottleneck, from the explanation alone. */
void accp_changes_bottleneck(struct accp_explained *explained);

#endif
