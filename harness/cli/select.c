#include "cli/select.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum accp_status unknown_probe(const char *probe, struct accp_error *error)
{
    char known[256] = "";
    for (int i = 0; i < ACCP_PROBE_COUNT; ++i) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", accp_probe_names[i]);
    }
    return accp_fail(
        error, ACCP_STATUS_USAGE, NULL, -1,
        "--probe %.60s: there is no such probe; there are: %s; and ops, for measure alone", probe,
        known);
}

enum accp_status accp_select(const struct accp_options *options, struct accp_selection *selection,
                             struct accp_error *error)
{
    struct accp_pattern filter;
    int probe = options->probe ? accp_probe_find(options->probe) : -1;
    if (options->probe && probe < 0) return unknown_probe(options->probe, error);
    ACCP_TRY(accp_pattern_init(&filter, "filter", options->filter, error));
    selection->count = 0;
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        const struct accp_role *role = &accp_roles[i];
        if (probe >= 0 && (int)role->probe != probe) continue;
        if (accp_pattern_matches_kernel(&filter, role, role->kernel))
            selection->roles[selection->count++] = role;
    }
    accp_pattern_fini(&filter);
    if (selection->count > 0) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                     "--filter %.60s: matches no role; accprobe list shows them", options->filter);
}

enum accp_status accp_tool_folder(char *path, struct accp_error *error)
{
    char tool[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", tool, sizeof tool - 1);
    if (length < 0)
        return accp_fail(error, ACCP_STATUS_IO, "/proc/self/exe", -1, "cannot read: %s",
                         strerror(errno));
    tool[length] = 0;
    snprintf(path, PATH_MAX, "%s", dirname(tool));
    return ACCP_STATUS_OK;
}

bool accp_tool_is_built(const char *folder)
{
    char cache[PATH_MAX + 32];
    snprintf(cache, sizeof cache, "%s/CMakeCache.txt", folder);
    return access(cache, F_OK) == 0;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Where the data of the tool may be: beside it in a build, under share/ once installed. */
static enum accp_status data_folder(const char *built, const char *installed, char *path,
                                    struct accp_error *error)
{
    char tool[PATH_MAX];
    ACCP_TRY(accp_tool_folder(tool, error));
    snprintf(path, PATH_MAX, "%s/%s", tool, built);
    if (is_folder(path)) return ACCP_STATUS_OK;
    snprintf(path, PATH_MAX, "%s/../share/accprobe/%s", tool, installed);
    if (is_folder(path)) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, path, -1,
                     "is not there: build with ci/gate, or install again");
}

static void list_folder(const char *path, char *text, size_t text_bytes)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, versionsort);
    text[0] = 0;
    for (int i = 0; i < count; ++i) {
        size_t used = strlen(text);
        if (entries[i]->d_name[0] != '.')
            snprintf(text + used, text_bytes - used, "%s%s", used ? ", " : "", entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

/* The number in the name of an arch, however the rest is written: 90 of SM_90, compute_90 and sm90; -1: there is none. */
static long number_in(const char *arch)
{
    const size_t before = strcspn(arch, "0123456789");
    return arch[before] ? strtol(arch + before, NULL, 10) : -1;
}

/* `tail` ends the line. */
static enum accp_status no_arch(const char *arch, const char *tail, struct accp_error *error)
{
    char known[256] = "", meant[32] = "";
    for (int i = 0; i < ACCP_ARCH_COUNT; ++i) {
        const size_t used = strlen(known);
        if (number_in(arch) == number_in(accp_arches[i].name))
            snprintf(meant, sizeof meant, ", %s is", accp_arches[i].name);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", accp_arches[i].name);
    }
    return accp_fail(error, ACCP_STATUS_INPUT, arch, -1, "no arch is called so%s; there are: %s%s",
                     meant, known, tail);
}

static enum accp_status no_kernels(const char *arch, const char *folder, struct accp_error *error)
{
    char built[256], tail[sizeof built + 64];
    list_folder(folder, built, sizeof built);
    if (accp_arch_find(arch))
        return accp_fail(error, ACCP_STATUS_INPUT, arch, -1,
                         "this build has no kernels for it, only for: %s; build again with an nvcc "
                         "that knows it, and -DACCPROBE_ARCHES=%s",
                         built, arch);
    snprintf(tail, sizeof tail, "; this build has kernels for: %s", built);
    return no_arch(arch, tail, error);
}

enum accp_status accp_cubin_check_arch(const struct accp_options *options, const char *path,
                                       const char *arch, struct accp_error *error)
{
    if (!options->arch || strcmp(options->arch, arch) == 0) return ACCP_STATUS_OK;
    if (!accp_arch_find(options->arch)) return no_arch(options->arch, "", error);
    return accp_fail(error, ACCP_STATUS_INPUT, path, -1, "is code for %s, not for %s (--arch)",
                     arch, options->arch);
}

enum accp_status accp_cubin_read(const char *arch, const char *probe, char *path,
                                 struct accp_bytes *cubin, struct accp_error *error)
{
    char folder[PATH_MAX];
    ACCP_TRY(data_folder("cubin", "cubin", folder, error));
    snprintf(path, PATH_MAX, "%s/%s", folder, arch);
    if (!accp_arch_find(arch) || !is_folder(path)) return no_kernels(arch, folder, error);
    snprintf(path, PATH_MAX, "%s/%s/%s.cubin", folder, arch, probe);
    if (access(path, F_OK) != 0)
        return accp_fail(error, ACCP_STATUS_INPUT, path, -1,
                         "this build has no kernels of %s for %s: build again with "
                         "-DACCPROBE_ARCHES=%s",
                         probe, arch, arch);
    return accp_file_read(path, 64u << 20, cubin, error);
}

bool accp_arch_is_built(const char *arch)
{
    char folder[PATH_MAX], path[PATH_MAX];
    if (data_folder("cubin", "cubin", folder, NULL) != ACCP_STATUS_OK) return false;
    int length = snprintf(path, sizeof path, "%s/%s", folder, arch);
    return length > 0 && (size_t)length < sizeof path && is_folder(path);
}

enum accp_status accp_golden_folder(const struct accp_options *options, char *path,
                                    struct accp_error *error)
{
    if (!options->golden) return data_folder("../golden", "golden", path, error);
    snprintf(path, PATH_MAX, "%s", options->golden);
    if (is_folder(path)) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, options->golden, -1, "is not a folder (--golden)");
}
