#include "cli/shaping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void accp_opened_close(struct accp_opened *opened)
{
    accp_cubin_close(&opened->cubin);
    accp_bytes_fini(&opened->bytes);
}

static enum accp_status open_bytes(struct accp_opened *opened, struct accp_error *error)
{
    enum accp_status status = accp_cubin_open(opened->path, opened->bytes.data, opened->bytes.size,
                                              &opened->cubin, error);
    if (status != ACCP_STATUS_OK) accp_bytes_fini(&opened->bytes);
    return status;
}

enum accp_status accp_opened_file(const char *path, struct accp_opened *opened,
                                  struct accp_error *error)
{
    memset(opened, 0, sizeof *opened);
    snprintf(opened->path, sizeof opened->path, "%s", path);
    ACCP_TRY(accp_file_read(path, ACCP_CUBIN_LIMIT_BYTES, &opened->bytes, error));
    return open_bytes(opened, error);
}

enum accp_status accp_opened_built(const char *arch, const char *probe, struct accp_opened *opened,
                                   struct accp_error *error)
{
    memset(opened, 0, sizeof *opened);
    ACCP_TRY(accp_cubin_read(arch, probe, opened->path, &opened->bytes, error));
    return open_bytes(opened, error);
}

static enum accp_status content_of_json(const char *path, const struct accp_bytes *bytes,
                                        enum accp_content *content, struct accp_error *error)
{
    json_t *json;
    struct accp_json root;
    char format[64];
    ACCP_TRY(accp_json_parse(path, bytes->data, bytes->size, &json, &root, error));
    enum accp_status status = accp_json_string(&root, "format", format, sizeof format, error);
    if (status == ACCP_STATUS_OK && strncmp(format, "accprobe-run/", 13) == 0)
        *content = ACCP_CONTENT_RUN;
    else if (status == ACCP_STATUS_OK && strncmp(format, "accprobe-shape/", 15) == 0)
        *content = ACCP_CONTENT_SHAPE;
    else if (status == ACCP_STATUS_OK)
        status =
            accp_fail(error, ACCP_STATUS_INPUT, path, -1,
                      "has format \"%.40s\": a run, a shape file or a cubin is needed", format);
    json_decref(json);
    return status;
}

enum accp_status accp_content_of(const char *path, enum accp_content *content,
                                 struct accp_error *error)
{
    struct accp_bytes bytes;
    ACCP_TRY(accp_file_read(path, ACCP_CUBIN_LIMIT_BYTES, &bytes, error));
    size_t at = strspn((const char *)bytes.data, " \t\r\n");
    enum accp_status status = ACCP_STATUS_OK;
    *content = ACCP_CONTENT_CUBIN;
    /* Also what has a byte order mark, for its reader to say. */
    if (bytes.data[at] && strchr("{\xef\xff\xfe", bytes.data[at]))
        status = content_of_json(path, &bytes, content, error);
    accp_bytes_fini(&bytes);
    return status;
}

/* Which kernels of a cubin are wanted. */
struct wanted {
    const struct accp_options *options;
    const struct accp_selection *selection; /* NULL: a stranger's cubin */
    const struct accp_kernel *kernel;       /* that --kernel names; NULL: any */
    struct accp_pattern filter;
    struct accp_left_out *roles; /* gets the roles that are wanted; NULL: nobody asks */
};

static bool is_wanted(const struct wanted *wanted, const char *kernel, const struct accp_role *role)
{
    for (size_t i = 0; wanted->selection && i < wanted->selection->count; ++i)
        if (wanted->selection->roles[i] == role) return true;
    if (wanted->selection) return false;
    const struct accp_options *options = wanted->options;
    if (wanted->kernel && strcmp(wanted->kernel->name, kernel) != 0) return false;
    if (options->probe && (!role || strcmp(accp_probe_names[role->probe], options->probe) != 0))
        return false;
    return accp_pattern_matches_kernel(&wanted->filter, role, kernel);
}

static bool wants(const char *kernel, const struct accp_role *role, void *context)
{
    const struct wanted *wanted = context;
    if (!role) role = accp_role_find(kernel);
    if (!is_wanted(wanted, kernel, role)) return false;
    if (wanted->roles && role && wanted->roles->role_count < ACCP_ROLE_COUNT)
        wanted->roles->roles[wanted->roles->role_count++] = role;
    return true;
}

/* Keeps, of the roles that were wanted, those that have no shape. */
static void keep_shapeless(struct accp_left_out *left_out, const struct accp_shapes *shapes)
{
    size_t kept = 0;
    for (size_t i = 0; i < left_out->role_count; ++i) {
        size_t k = 0;
        while (k < shapes->count && strcmp(shapes->shapes[k].role, left_out->roles[i]->name) != 0)
            ++k;
        if (k == shapes->count) left_out->roles[kept++] = left_out->roles[i];
    }
    left_out->role_count = kept;
}

static struct accp_shape_options shape_options(const struct accp_options *options,
                                               bool with_listings)
{
    return (struct accp_shape_options){.loop_address = options->loop,
                                       .warps = options->warps > 0 ? (int)options->warps : 0,
                                       .with_listings = with_listings};
}

enum accp_status accp_shaping_cubin(const struct accp_options *options,
                                    const struct accp_opened *opened, bool with_listings,
                                    struct accp_shapes *shapes, struct accp_left_out *left_out,
                                    struct accp_error *error)
{
    struct wanted wanted = {.options = options, .roles = options->loop < 0 ? left_out : NULL};
    const struct accp_shape_options how = shape_options(options, with_listings);
    memset(shapes, 0, sizeof *shapes);
    memset(left_out, 0, sizeof *left_out);
    if (options->kernel)
        ACCP_TRY(
            accp_cubin_pick(&opened->cubin, opened->path, options->kernel, &wanted.kernel, error));
    ACCP_TRY(accp_pattern_init(&wanted.filter, "filter", options->filter, error));
    enum accp_status status = accp_shapes_of_cubin(opened->path, &opened->cubin, wants, &wanted,
                                                   &how, shapes, &left_out->kernel_count, error);
    accp_pattern_fini(&wanted.filter);
    keep_shapeless(left_out, shapes);
    if (status == ACCP_STATUS_INPUT && left_out->role_count > 0)
        return accp_fail(error, ACCP_STATUS_WRONG, left_out->roles[0]->name, -1,
                         "a law is broken: no hot loop (%.200s)", opened->path);
    return status;
}

static bool has_probe(const struct accp_selection *selection, int probe)
{
    for (size_t i = 0; i < selection->count; ++i)
        if ((int)selection->roles[i]->probe == probe) return true;
    return false;
}

/* Moves the shapes of `from` behind those of `into`; the head of the first cubin stays. */
static enum accp_status gather(struct accp_shapes *into, struct accp_shapes *from,
                               struct accp_error *error)
{
    if (into->count == 0) {
        *into = *from;
        memset(from, 0, sizeof *from);
        return ACCP_STATUS_OK;
    }
    struct accp_shape *shapes =
        realloc(into->shapes, (into->count + from->count) * sizeof *into->shapes);
    if (!shapes) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for shapes");
    memcpy(shapes + into->count, from->shapes, from->count * sizeof *shapes);
    into->shapes = shapes;
    into->count += from->count;
    return accp_listings_merge(&into->listings, &from->listings, NULL, error);
}

static enum accp_status shape_probe(const struct accp_options *options,
                                    const struct accp_selection *selection, const char *arch,
                                    int probe, bool with_listings, struct accp_shapes *shapes,
                                    struct accp_error *error)
{
    struct accp_opened opened;
    struct accp_shapes found;
    struct wanted wanted = {.options = options, .selection = selection};
    const struct accp_shape_options how = shape_options(options, with_listings);
    ACCP_TRY(accp_opened_built(arch, accp_probe_names[probe], &opened, error));
    enum accp_status status =
        accp_shapes_of_cubin(opened.path, &opened.cubin, wants, &wanted, &how, &found, NULL, error);
    if (status == ACCP_STATUS_OK) {
        status = gather(shapes, &found, error);
        accp_shapes_fini(&found);
    }
    accp_opened_close(&opened);
    return status;
}

/* A loop that is chosen by its address is of none of the roles that share the kernel. */
static enum accp_status select_roles(const struct accp_options *options,
                                     struct accp_selection *selection, struct accp_error *error)
{
    size_t count = 0;
    ACCP_TRY(accp_select(options, selection, error));
    for (size_t i = 0; i < selection->count; ++i)
        if (selection->roles[i]->dispatch == ACCP_DISPATCH_ALONE || options->loop < 0)
            selection->roles[count++] = selection->roles[i];
    if (count == 0)
        return accp_fail(
            error, ACCP_STATUS_USAGE, selection->roles[0]->name, -1,
            "shares its kernel with other roles, so that no loop of --loop is known to be its "
            "own: leave --loop out, or give --cubin and --kernel %s with it",
            selection->roles[0]->kernel);
    selection->count = count;
    return ACCP_STATUS_OK;
}

enum accp_status accp_shaping_built(const struct accp_options *options, const char *arch,
                                    bool with_listings, struct accp_shapes *shapes,
                                    struct accp_error *error)
{
    struct accp_selection selection;
    memset(shapes, 0, sizeof *shapes);
    ACCP_TRY(select_roles(options, &selection, error));
    enum accp_status status = ACCP_STATUS_OK;
    for (int probe = 0; probe < ACCP_PROBE_COUNT && status == ACCP_STATUS_OK; ++probe)
        if (has_probe(&selection, probe))
            status = shape_probe(options, &selection, arch, probe, with_listings, shapes, error);
    for (size_t i = 0; i < selection.count && status == ACCP_STATUS_OK; ++i)
        if (!accp_shapes_find(shapes, selection.roles[i]->name))
            status = accp_fail(error, ACCP_STATUS_INPUT, arch, -1,
                               "the built kernels lack %s, or it has no loop: build again",
                               selection.roles[i]->kernel);
    if (status != ACCP_STATUS_OK) accp_shapes_fini(shapes);
    return status;
}

void accp_shaping_identify(const struct accp_shape *shape, struct accp_run_role *role)
{
    _Static_assert(sizeof role->sass == sizeof shape->loop.control_hash, "the same hash");
    memcpy(role->sass, shape->loop.control_hash, sizeof role->sass);
    memcpy(role->sass_exact, shape->loop.exact_hash, sizeof role->sass_exact);
    role->registers = shape->registers > 0 ? shape->registers : 0;
    role->spills = shape->local_loads + shape->local_stores;
}
