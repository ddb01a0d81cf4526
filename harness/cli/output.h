/* Where an answer goes: standard output, or a file that is replaced as a whole. */
#ifndef ACCP_CLI_OUTPUT_H
#define ACCP_CLI_OUTPUT_H

#include "base/status.h"

#include <stddef.h>
#include <stdio.h>

/* Plain data between open and close. */
struct accp_output {
    const char *file; /* NULL: standard output */
    FILE *stream;     /* to write to */
    char *text;       /* owned, of a file */
    size_t bytes;
};

/* Opens the output: `file` is --out, or NULL. MEMORY. */
enum accp_status accp_output_open(struct accp_output *output, const char *file,
                                  struct accp_error *error);

/* Ends the output. With `status` OK a file is written (accp_file_write_atomic); otherwise nothing is, and `status` is
 * returned with its error untouched. Errors: IO, MEMORY. */
enum accp_status accp_output_close(struct accp_output *output, enum accp_status status,
                                   struct accp_error *error);

#endif
