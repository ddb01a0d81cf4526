/* Shapes and their verdicts, for people, for a review and for programs. */
#ifndef ACCP_CLI_SHAPE_PRINT_H
#define ACCP_CLI_SHAPE_PRINT_H

#include "cli/options.h"
#include "cli/shaping.h"
#include "verdict/shapes.h"

/* The shapes of one arch. */
struct accp_shaped {
    struct accp_shapes shapes;
    struct accp_shape_verdict *verdicts; /* one a shape; owned */
    struct accp_left_out left_out;
};

/* Prints what --format, --out and --listing ask for: tables, one an arch, with the verdict; or the
 * shape file of the only arch with a member "verdicts". Errors: MEMORY, IO; as accp_opened_file. */
enum accp_status accp_shape_print(const struct accp_options *options,
                                  const struct accp_shaped *shaped, size_t count,
                                  struct accp_error *error);

#endif
