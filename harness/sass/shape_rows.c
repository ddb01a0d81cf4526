#include "sass/shape_rows.h"

#include "base/text.h"
#include "sass/shape_fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[] = {
    "kernel",
#define FIELD(member, key, low) "loop." key,
    ACCP_SHAPE_LOOP_FIELDS(FIELD)
#undef FIELD
        "loop.hash",
    "loop.control_hash",
    "loop.exact_hash",
#define FIELD(member, key, low) key,
    ACCP_SHAPE_KERNEL_FIELDS(FIELD)
#undef FIELD
        "hash",
    "control_hash",
};

enum { COLUMNS = sizeof columns / sizeof *columns, ROWS = 65536 };

static void put_text(FILE *stream, const char *text)
{
    json_t *value = json_string(text);
    if (!value || json_dumpf(value, stream, JSON_ENCODE_ANY) != 0) fputs("\"\"", stream);
    json_decref(value);
}

static void put_row(FILE *stream, const struct accp_shape *shape)
{
    fputs("  [", stream);
    put_text(stream, accp_shape_key(shape));
#define FIELD(member, key, low) fprintf(stream, ", %" PRId64, (int64_t)shape->loop.member);
    ACCP_SHAPE_LOOP_FIELDS(FIELD)
#undef FIELD
    fprintf(stream, ", \"%s\", \"%s\", \"%s\"", shape->loop.hash, shape->loop.control_hash,
            shape->loop.exact_hash);
#define FIELD(member, key, low) fprintf(stream, ", %" PRId64, (int64_t)shape->member);
    ACCP_SHAPE_KERNEL_FIELDS(FIELD)
#undef FIELD
    fprintf(stream, ", \"%s\", \"%s\"]", shape->hash, shape->control_hash);
}

/* "spill": what was found, of each law that the shape breaks; false: it breaks none. */
static bool put_broken(FILE *stream, const char *separator, const struct accp_shape *shape)
{
    const char *before = "{";
    if (accp_shape_first_broken(shape) == ACCP_SHAPE_LAW_COUNT) return false;
    fprintf(stream, "%s\n  ", separator);
    put_text(stream, accp_shape_key(shape));
    fputs(": ", stream);
    for (int law = 0; law < ACCP_SHAPE_LAW_COUNT; ++law) {
        if (shape->laws[law].state != ACCP_SHAPE_LAW_BROKEN) continue;
        fprintf(stream, "%s\"%s\": ", before, accp_shape_law_name((enum accp_shape_law)law));
        put_text(stream, shape->laws[law].text);
        before = ", ";
    }
    fputs("}", stream);
    return true;
}

void accp_shape_rows_put(FILE *stream, const struct accp_shapes *shapes)
{
    fputs(",\n \"columns\": [", stream);
    for (size_t i = 0; i < COLUMNS; ++i)
        fprintf(stream, "%s\"%s\"", i > 0 ? ", " : "", columns[i]);
    fputs("],\n \"rows\": [\n", stream);
    for (size_t i = 0; i < shapes->count; ++i) {
        put_row(stream, &shapes->shapes[i]);
        fputs(i + 1 < shapes->count ? ",\n" : "\n", stream);
    }
    fputs(" ]", stream);
    const char *separator = ",\n \"broken\": {";
    for (size_t i = 0; i < shapes->count; ++i)
        if (put_broken(stream, separator, &shapes->shapes[i])) separator = ",";
    if (separator[1] == 0) fputs("\n }", stream);
}

/* One row under way, from its first column to its last. */
struct row {
    const struct accp_json *root;
    const json_t *cells;
    size_t index, column;
};

static enum accp_status bad_cell(const struct row *row, const char *what, struct accp_error *error)
{
    return accp_json_fail(row->root, error, "rows[%zu], %s: %s", row->index,
                          columns[row->column - 1], what);
}

static enum accp_status read_integer(struct row *row, int64_t low, int64_t *value,
                                     struct accp_error *error)
{
    const json_t *cell = json_array_get(row->cells, row->column++);
    if (!json_is_integer(cell)) return bad_cell(row, "an integer is needed", error);
    *value = json_integer_value(cell);
    if (*value < low || *value > ACCP_SHAPE_FIELD_MOST)
        return bad_cell(row, "is out of range", error);
    return ACCP_STATUS_OK;
}

static enum accp_status read_text(struct row *row, char *text, size_t text_bytes,
                                  struct accp_error *error)
{
    const json_t *cell = json_array_get(row->cells, row->column++);
    const char *value = json_string_value(cell);
    size_t length = value ? json_string_length(cell) : 0;
    if (length == 0) return bad_cell(row, "a text is needed", error);
    if (length >= text_bytes) return bad_cell(row, "is too long", error);
    if (strlen(value) < length || accp_text_hidden_at(value) >= 0)
        return bad_cell(row, "holds a control character", error);
    memcpy(text, value, length + 1);
    return ACCP_STATUS_OK;
}

static enum accp_status read_hash(struct row *row, char hash[ACCP_HASH_BYTES],
                                  struct accp_error *error)
{
    ACCP_TRY(read_text(row, hash, ACCP_HASH_BYTES, error));
    if (strspn(hash, "0123456789abcdef") == ACCP_HASH_BYTES - 1) return ACCP_STATUS_OK;
    return bad_cell(row, "is not 16 hexadecimal digits", error);
}

static enum accp_status read_row(struct row *row, struct accp_shape *shape,
                                 struct accp_error *error)
{
    int64_t value;
    ACCP_TRY(read_text(row, shape->kernel, sizeof shape->kernel, error));
#define FIELD(member, key, low) \
    ACCP_TRY(read_integer(row, low, &value, error)); \
    shape->loop.member = (__typeof__(shape->loop.member))value;
    ACCP_SHAPE_LOOP_FIELDS(FIELD)
#undef FIELD
    ACCP_TRY(read_hash(row, shape->loop.hash, error));
    ACCP_TRY(read_hash(row, shape->loop.control_hash, error));
    ACCP_TRY(read_hash(row, shape->loop.exact_hash, error));
#define FIELD(member, key, low) \
    ACCP_TRY(read_integer(row, low, &value, error)); \
    shape->member = (__typeof__(shape->member))value;
    ACCP_SHAPE_KERNEL_FIELDS(FIELD)
#undef FIELD
    ACCP_TRY(read_hash(row, shape->hash, error));
    ACCP_TRY(read_hash(row, shape->control_hash, error));
    const struct accp_role *role = accp_role_find(shape->kernel);
    if (role) snprintf(shape->role, sizeof shape->role, "%s", role->name);
    if (role) snprintf(shape->kernel, sizeof shape->kernel, "%s", role->kernel);
    for (int law = 0; law < ACCP_SHAPE_LAW_COUNT; ++law)
        shape->laws[law].state = ACCP_SHAPE_LAW_KEPT;
    return ACCP_STATUS_OK;
}

static enum accp_status check_columns(const struct accp_json *root, struct accp_error *error)
{
    struct accp_json found;
    ACCP_TRY(accp_json_member(root, "columns", JSON_ARRAY, &found, error));
    bool same = json_array_size(found.value) == COLUMNS;
    for (size_t i = 0; same && i < COLUMNS; ++i) {
        const char *name = json_string_value(json_array_get(found.value, i));
        same = name && strcmp(name, columns[i]) == 0;
    }
    if (same) return ACCP_STATUS_OK;
    return accp_json_fail(&found, error,
                          "are not those of this build: record the shapes again with it");
}

static struct accp_shape *find_key(struct accp_shapes *shapes, const char *key)
{
    for (size_t i = 0; i < shapes->count; ++i)
        if (strcmp(accp_shape_key(&shapes->shapes[i]), key) == 0) return &shapes->shapes[i];
    return NULL;
}

/* One row's broken laws, {"spill": "4 LDL and 17 STL, the first at 0x3f0"}. */
static enum accp_status read_broken_row(const struct accp_json *all, const char *key,
                                        struct accp_shape *shape, struct accp_error *error)
{
    struct accp_json laws;
    size_t known = 0;
    ACCP_TRY(accp_json_member(all, key, JSON_OBJECT, &laws, error));
    for (int law = 0; law < ACCP_SHAPE_LAW_COUNT; ++law) {
        const char *name = accp_shape_law_name((enum accp_shape_law)law);
        struct accp_shape_law_result *result = &shape->laws[law];
        if (!accp_json_has(&laws, name)) continue;
        ACCP_TRY(accp_json_string(&laws, name, result->text, sizeof result->text, error));
        result->state = ACCP_SHAPE_LAW_BROKEN;
        ++known;
    }
    if (known > 0 && known == json_object_size(laws.value)) return ACCP_STATUS_OK;
    return accp_json_fail(all, error, "%.100s: names no law, or one that is unknown", key);
}

static enum accp_status read_broken(const struct accp_json *root, struct accp_shapes *shapes,
                                    struct accp_error *error)
{
    struct accp_json all;
    const char *key;
    json_t *value;
    if (!accp_json_has(root, "broken")) return ACCP_STATUS_OK;
    ACCP_TRY(accp_json_member(root, "broken", JSON_OBJECT, &all, error));
    json_object_foreach(all.value, key, value)
    {
        struct accp_shape *shape = find_key(shapes, key);
        if (!shape) return accp_json_fail(&all, error, "%.100s: is in no row", key);
        ACCP_TRY(read_broken_row(&all, key, shape, error));
    }
    return ACCP_STATUS_OK;
}

enum accp_status accp_shape_rows_read(const struct accp_json *root, struct accp_shapes *shapes,
                                      struct accp_error *error)
{
    struct accp_json rows;
    ACCP_TRY(check_columns(root, error));
    ACCP_TRY(accp_json_member(root, "rows", JSON_ARRAY, &rows, error));
    size_t count = json_array_size(rows.value);
    if (count == 0 || count > ROWS)
        return accp_json_fail(&rows, error, "holds %zu kernels; 1 to %d are read", count, ROWS);
    shapes->shapes = calloc(count, sizeof *shapes->shapes);
    if (!shapes->shapes)
        return accp_fail(error, ACCP_STATUS_MEMORY, root->file, -1, "out of memory");
    for (; shapes->count < count; ++shapes->count) {
        struct row row = {.root = root,
                          .cells = json_array_get(rows.value, shapes->count),
                          .index = shapes->count};
        if (json_array_size(row.cells) != COLUMNS)
            return accp_json_fail(root, error, "rows[%zu]: has %zu values for %d columns",
                                  row.index, json_array_size(row.cells), COLUMNS);
        ACCP_TRY(read_row(&row, &shapes->shapes[shapes->count], error));
    }
    return read_broken(root, shapes, error);
}
