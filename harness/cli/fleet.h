/* `accprobe record --fleet`: runs of many GPUs become one golden a GPU model. */
#ifndef ACCP_CLI_FLEET_H
#define ACCP_CLI_FLEET_H

#include "cli/options.h"
#include "golden/record.h"

/* Records what `request` asks for, model by model, and prints a row for each GPU and each model: who
 * was kept out and why, and what was written. `request->runs` are those of the files
 * options->operands. *refused: models of which no golden was made; the others' stand. Errors: as
 * accp_fleet_init and accp_table_print; nothing is written then. */
enum accp_status accp_fleet_record(const struct accp_options *options,
                                   const struct accp_record_request *request, size_t *refused,
                                   struct accp_error *error);

#endif
