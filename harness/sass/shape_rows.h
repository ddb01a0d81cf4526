/* The rows of a golden shape: a kernel each, its values in the order of "columns". They are what is
 * read whenever a compiler's code is judged: an object a kernel takes three times the text, and four
 * times as long to read. A kernel's role is that of its name; where roles share one, their names stand
 * in its place. Laws are kept but for those in "broken", {"<kernel>": {"<law>": "<what was found>"}}. */
#ifndef ACCP_SASS_SHAPE_ROWS_H
#define ACCP_SASS_SHAPE_ROWS_H

#include "base/json.h"
#include "sass/shape_file.h"

#include <stdio.h>

/* Appends the members "columns", "rows" and, where a law is broken, "broken" to an object that is being written. */
void accp_shape_rows_put(FILE *stream, const struct accp_shapes *shapes);

/* Reads them from the object `root` into shapes->shapes, which the caller frees in any case. INPUT:
 * other columns than this build's, a row that is too short or too long, a cell that is mistyped or out
 * of range, no row; "broken" with a kernel of no row, no law or an unknown one. MEMORY. */
enum accp_status accp_shape_rows_read(const struct accp_json *root, struct accp_shapes *shapes,
                                      struct accp_error *error);

#endif
