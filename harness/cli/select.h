/* Which roles a command is about, and where the tool's own files are. */
#ifndef ACCP_CLI_SELECT_H
#define ACCP_CLI_SELECT_H

#include "base/file.h"
#include "base/status.h"
#include "cli/options.h"
#include "cli/pattern.h"
#include "matrix.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The roles that --probe and --filter leave, in the order of the tables. */
struct accp_selection {
    size_t count;
    const struct accp_role *roles[ACCP_ROLE_COUNT];
};

/* USAGE: an unknown probe, a filter that is no regular expression or matches nothing. */
enum accp_status accp_select(const struct accp_options *options, struct accp_selection *selection,
                             struct accp_error *error);

/* INPUT: --arch names another arch than that of the cubin `path`, or none that there is. */
enum accp_status accp_cubin_check_arch(const struct accp_options *options, const char *path,
                                       const char *arch, struct accp_error *error);

/* Reads the built cubin of a probe (or "clock") for an arch: beside the tool, or where it is
 * installed. The caller frees *cubin (accp_bytes_fini). `path` takes PATH_MAX bytes: where it was,
 * for messages. Errors: INPUT (this build has no kernels for that arch: says which it has and how
 * to get them), IO, MEMORY. */
enum accp_status accp_cubin_read(const char *arch, const char *probe, char *path,
                                 struct accp_bytes *cubin, struct accp_error *error);

/* Whether kernels for that arch stand beside the tool. */
bool accp_arch_is_built(const char *arch);

/* The folder of goldens: --golden, else beside the sources of a build, else the installed one.
 * INPUT: no such folder. */
enum accp_status accp_golden_folder(const struct accp_options *options, char *path,
                                    struct accp_error *error);

/* The folder of the running tool. IO. */
enum accp_status accp_tool_folder(char *path, struct accp_error *error);

/* Whether that is a build's folder, and no installation's. */
bool accp_tool_is_built(const char *folder);

#endif
