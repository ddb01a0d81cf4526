/* Goldens of one folder that share their rows. Many releases make the same code: the golden of all but
 * the first of them names that one ("as"), and holds no rows of its own. */
#ifndef ACCP_GOLDEN_ALIAS_H
#define ACCP_GOLDEN_ALIAS_H

#include "sass/shape_file.h"

/* Sets shapes->as to the version, the oldest, whose golden in `folder` has the same kernels with the
 * same shapes in rows of its own; to "" where there is none. Both are sorted by kernel. Errors: INPUT
 * (a golden there is bad), IO, MEMORY. */
enum accp_status accp_alias_find(const char *folder, struct accp_shapes *shapes,
                                 struct accp_error *error);

/* Before the golden of `version` is written anew: those that name it get its rows. Errors: as
 * accp_alias_find. */
enum accp_status accp_alias_free(const char *folder, const char *version, struct accp_error *error);

/* Whether two shapes are the same, text by text. */
bool accp_alias_is_same(const struct accp_shape *left, const struct accp_shape *right);

#endif
