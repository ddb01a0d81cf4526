#include "report/sweep.h"

#include "golden/shapes.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Versions by their numbers: 12.10 is after 12.9. */
static int by_version(const void *left, const void *right)
{
    return strverscmp(((const struct accp_shapes *)left)->compiler_version,
                      ((const struct accp_shapes *)right)->compiler_version);
}

static enum accp_status read_all(const glob_t *found, const char *arch, struct accp_sweep *sweep,
                                 struct accp_error *error)
{
    sweep->shapes = calloc(found->gl_pathc, sizeof *sweep->shapes);
    if (!sweep->shapes)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the shapes");
    for (size_t i = 0; i < found->gl_pathc; ++i) {
        const char *path = found->gl_pathv[i], *name = strrchr(path, '/') + 1;
        if (!accp_shape_goldens_is_one(name)) continue; /* loops.json is no compiler */
        if (strchr(name, '-')) continue;                /* a column a version: that of its nvcc */
        ACCP_TRY(accp_shapes_read(path, &sweep->shapes[sweep->count], error));
        ++sweep->count;
        if (strcmp(sweep->shapes[sweep->count - 1].arch, arch) != 0)
            return accp_fail(error, ACCP_STATUS_INPUT, path, -1, "is of %s, in the folder of %s",
                             sweep->shapes[sweep->count - 1].arch, arch);
    }
    qsort(sweep->shapes, sweep->count, sizeof *sweep->shapes, by_version);
    return ACCP_STATUS_OK;
}

static bool holds_probe(const struct accp_run *runs, size_t run_count, int probe)
{
    for (size_t i = 0; i < run_count; ++i)
        for (size_t j = 0; j < runs[i].role_count; ++j) {
            const struct accp_role *role = accp_role_find(runs[i].roles[j].role);
            if (role && (int)role->probe == probe) return true;
        }
    return false;
}

static enum accp_status add_shapes(struct accp_shapes *to, struct accp_shapes *from,
                                   struct accp_error *error)
{
    struct accp_shape *grown = realloc(to->shapes, (to->count + from->count) * sizeof *grown);
    if (!grown) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the shapes");
    memcpy(grown + to->count, from->shapes, from->count * sizeof *grown);
    to->shapes = grown;
    to->count += from->count;
    accp_shapes_fini(from);
    return ACCP_STATUS_OK;
}

/* One compiler is one column, whatever number of probes it compiled. */
static enum accp_status join_versions(struct accp_sweep *sweep, struct accp_error *error)
{
    size_t last = 0;
    for (size_t i = 1; i < sweep->count; ++i) {
        struct accp_shapes *to = &sweep->shapes[last], *from = &sweep->shapes[i];
        if (strcmp(to->compiler_version, from->compiler_version) == 0) {
            ACCP_TRY(add_shapes(to, from, error));
        } else if (++last != i) {
            sweep->shapes[last] = *from;
            memset(from, 0, sizeof *from);
        }
    }
    if (sweep->count > 0) sweep->count = last + 1;
    return ACCP_STATUS_OK;
}

enum accp_status accp_sweep_read(const char *folder, const struct accp_run *runs, size_t run_count,
                                 struct accp_sweep *sweep, struct accp_error *error)
{
    const char *arch = runs->device.arch;
    char place[PATH_MAX], quoted[2 * PATH_MAX], pattern[sizeof quoted + 16];
    glob_t found = {0};
    memset(sweep, 0, sizeof *sweep);
    if (!accp_arch_find(arch)) return ACCP_STATUS_OK; /* not a part of a path before it is known */
    snprintf(sweep->arch, sizeof sweep->arch, "%s", arch);
    for (int probe = 0; probe < ACCP_PROBE_COUNT; ++probe) {
        if (!holds_probe(runs, run_count, probe)) continue;
        accp_shape_goldens_place(folder, arch, probe, place);
        accp_file_pattern(place, quoted, sizeof quoted);
        snprintf(pattern, sizeof pattern, "%s/*.json", quoted);
        glob(pattern, GLOB_NOSORT | (found.gl_pathv ? GLOB_APPEND : 0), NULL, &found);
    }
    enum accp_status status =
        found.gl_pathc > 0 ? read_all(&found, arch, sweep, error) : ACCP_STATUS_OK;
    globfree(&found);
    if (status == ACCP_STATUS_OK) status = join_versions(sweep, error);
    if (status != ACCP_STATUS_OK) accp_sweep_fini(sweep);
    return status;
}

void accp_sweep_fini(struct accp_sweep *sweep)
{
    for (size_t i = 0; i < sweep->count; ++i)
        accp_shapes_fini(&sweep->shapes[i]);
    free(sweep->shapes);
    memset(sweep, 0, sizeof *sweep);
}

static const struct accp_shape *find_in(const struct accp_shapes *shapes, const char *role,
                                        const char *control_hash)
{
    for (size_t i = 0; i < shapes->count; ++i)
        if (strcmp(shapes->shapes[i].role, role) == 0 &&
            strcmp(shapes->shapes[i].loop.control_hash, control_hash) == 0)
            return &shapes->shapes[i];
    return NULL;
}

const struct accp_shape *accp_sweep_find(const struct accp_sweep *sweep, const char *role,
                                         const char *control_hash, const char *version, size_t *at)
{
    const struct accp_shape *found = NULL;
    if (!control_hash[0]) return NULL;
    for (size_t i = 0; i < sweep->count; ++i) {
        const struct accp_shape *shape = find_in(&sweep->shapes[i], role, control_hash);
        bool is_the_one = strcmp(sweep->shapes[i].compiler_version, version) == 0;
        if (!shape || (found && !is_the_one)) continue;
        found = shape;
        *at = i;
    }
    return found;
}
