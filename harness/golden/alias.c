#include "golden/alias.h"

#include "base/file.h"
#include "base/json.h"
#include "golden/shapes.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool accp_alias_is_same(const struct accp_shape *left, const struct accp_shape *right)
{
    struct accp_shapes one = {.count = 1}, other = {.count = 1};
    char *left_text = NULL, *right_text = NULL;
    size_t left_bytes, right_bytes;
    one.shapes = (struct accp_shape *)(uintptr_t)left;
    other.shapes = (struct accp_shape *)(uintptr_t)right;
    bool same = accp_shapes_format(&one, &left_text, &left_bytes, NULL) == ACCP_STATUS_OK &&
                accp_shapes_format(&other, &right_text, &right_bytes, NULL) == ACCP_STATUS_OK &&
                strcmp(left_text, right_text) == 0;
    free(left_text);
    free(right_text);
    return same;
}

static int is_golden(const struct dirent *entry)
{
    return accp_shape_goldens_is_one(entry->d_name);
}

/* One golden as it stands in its file: with rows, or with the name of another. */
static enum accp_status read_raw(const char *path, struct accp_shapes *shapes,
                                 struct accp_error *error)
{
    struct accp_bytes bytes;
    ACCP_TRY(accp_file_read(path, ACCP_JSON_FILE_LIMIT_BYTES, &bytes, error));
    enum accp_status status = accp_shapes_parse(path, bytes.data, bytes.size, shapes, error);
    accp_bytes_fini(&bytes);
    return status;
}

static bool has_same_rows(const struct accp_shapes *left, const struct accp_shapes *right)
{
    if (left->as[0] || left->count != right->count) return false;
    for (size_t i = 0; i < left->count; ++i)
        if (strcmp(accp_shape_key(&left->shapes[i]), accp_shape_key(&right->shapes[i])) != 0 ||
            !accp_alias_is_same(&left->shapes[i], &right->shapes[i]))
            return false;
    return true;
}

/* What is done with each golden of a folder. */
typedef enum accp_status visitor(const char *path, struct accp_shapes *found, void *context,
                                 struct accp_error *error);

static enum accp_status visit_all(const char *folder, visitor *visit, void *context,
                                  struct accp_error *error)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_golden, versionsort);
    if (count < 0 && errno == ENOENT) return ACCP_STATUS_OK;
    if (count < 0)
        return accp_fail(error, ACCP_STATUS_IO, folder, -1, "cannot read: %s", strerror(errno));
    enum accp_status status = ACCP_STATUS_OK;
    for (int i = 0; i < count; ++i) {
        char path[PATH_MAX];
        struct accp_shapes found;
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
        if (status != ACCP_STATUS_OK) continue;
        status = read_raw(path, &found, error);
        if (status != ACCP_STATUS_OK) continue;
        status = visit(path, &found, context, error);
        accp_shapes_fini(&found);
    }
    free(entries);
    return status;
}

static enum accp_status compare(const char *path, struct accp_shapes *found, void *context,
                                struct accp_error *error)
{
    struct accp_shapes *shapes = context;
    (void)path;
    (void)error;
    if (shapes->as[0] || strcmp(found->compiler_version, shapes->compiler_version) == 0)
        return ACCP_STATUS_OK;
    if (has_same_rows(found, shapes))
        snprintf(shapes->as, sizeof shapes->as, "%.31s", found->compiler_version);
    return ACCP_STATUS_OK;
}

enum accp_status accp_alias_find(const char *folder, struct accp_shapes *shapes,
                                 struct accp_error *error)
{
    shapes->as[0] = 0;
    return visit_all(folder, compare, shapes, error);
}

static enum accp_status release(const char *path, struct accp_shapes *found, void *context,
                                struct accp_error *error)
{
    const char *version = context;
    struct accp_shapes whole;
    if (strcmp(found->as, version) != 0) return ACCP_STATUS_OK;
    ACCP_TRY(accp_shapes_read(path, &whole, error));
    enum accp_status status = accp_shapes_write(path, &whole, error);
    accp_shapes_fini(&whole);
    return status;
}

enum accp_status accp_alias_free(const char *folder, const char *version, struct accp_error *error)
{
    return visit_all(folder, release, (void *)(uintptr_t)version, error);
}
