/* From the command line to shapes: what `shape`, `diff`, `measure` and `check` share. */
#ifndef ACCP_CLI_SHAPING_H
#define ACCP_CLI_SHAPING_H

#include "base/status.h"
#include "cli/options.h"
#include "cli/select.h"
#include "run/run.h"
#include "sass/shape_file.h"

/* One cubin, open. Pair with accp_opened_close, which is safe on a cleared one. */
struct accp_opened {
    char path[PATH_MAX];
    struct accp_bytes bytes;
    struct accp_cubin cubin;
};
void accp_opened_close(struct accp_opened *opened);

/* Opens a cubin from a file, or the built one of a probe and arch. Errors: as accp_file_read,
 * accp_cubin_read and accp_cubin_open. */
enum accp_status accp_opened_file(const char *path, struct accp_opened *opened,
                                  struct accp_error *error);
enum accp_status accp_opened_built(const char *arch, const char *probe, struct accp_opened *opened,
                                   struct accp_error *error);

/* What a file is, by its content alone. */
enum accp_content { ACCP_CONTENT_CUBIN, ACCP_CONTENT_RUN, ACCP_CONTENT_SHAPE };

/* JSON files say it themselves; everything else is taken for a cubin, whose reader says what it is
 * instead. INPUT: JSON of another format, or no JSON; IO. */
enum accp_status accp_content_of(const char *path, enum accp_content *content,
                                 struct accp_error *error);

/* Shapes the built kernels of an arch that --probe and --filter leave, with --loop and --warps, all
 * probes together; `with_listings` of their hot loops. With --loop, without the roles that share a
 * kernel. Each selected role must be there. The caller frees *shapes. Errors: as accp_opened_built,
 * accp_shapes_of_cubin and accp_select; INPUT (a role's kernel is missing). */
enum accp_status accp_shaping_built(const struct accp_options *options, const char *arch,
                                    bool with_listings, struct accp_shapes *shapes,
                                    struct accp_error *error);

/* What has no hot loop, and so no shape: kernels, and of these the roles, whose laws are broken by
 * that. With --loop, none of the roles: others may have a loop at that address. */
struct accp_left_out {
    size_t kernel_count, role_count;
    const struct accp_role *roles[ACCP_ROLE_COUNT];
};

/* Shapes the kernels of a stranger's cubin that --kernel and --filter leave; a filter matches the
 * role's name, or the symbol of a kernel of no role. Errors: as accp_shapes_of_cubin; WRONG (not one
 * shape, and a role is left out). */
enum accp_status accp_shaping_cubin(const struct accp_options *options,
                                    const struct accp_opened *opened, bool with_listings,
                                    struct accp_shapes *shapes, struct accp_left_out *left_out,
                                    struct accp_error *error);

/* The SASS identity of a row of a run. */
void accp_shaping_identify(const struct accp_shape *shape, struct accp_run_role *role);

#endif
