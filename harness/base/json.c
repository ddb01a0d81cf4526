#include "base/json.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *type_name(json_type type)
{
    switch (type) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        return "null";
    }
    return "something else";
}

enum accp_status accp_json_fail(const struct accp_json *object, struct accp_error *error,
                                const char *format, ...)
{
    char text[ACCP_ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return accp_fail(error, ACCP_STATUS_INPUT, object->file, -1, "%s%s%s", object->path,
                     object->path[0] ? ": " : "", text);
}

enum accp_status accp_json_written(FILE *stream, bool failed, const char *what,
                                   struct accp_error *error)
{
    if (!failed || ferror(stream)) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory to write %s", what);
}

/* What people hand over for JSON, by its first bytes: of these the parser tells no more than that they are not valid. */
static const struct {
    const char *begins;
    size_t bytes;
    const char *text;
} others[] = {
    {"\xef\xbb\xbf", 3, "begins with a byte order mark: write it as UTF-8 without one"},
    {"\xff\xfe", 2, "is UTF-16: write it as UTF-8, without a byte order mark"},
    {"\xfe\xff", 2, "is UTF-16: write it as UTF-8, without a byte order mark"},
    {"\x7f\x45LF", 4, "is an ELF file, such as a cubin, where JSON is needed"},
    {"\x1f\x8b", 2, "is compressed by gzip, where JSON is needed: gunzip it"},
};

enum accp_status accp_json_parse(const char *file, const void *data, size_t size, json_t **root,
                                 struct accp_json *reader, struct accp_error *error)
{
    json_error_t problem;
    *root = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (size >= others[i].bytes && memcmp(data, others[i].begins, others[i].bytes) == 0)
            return accp_fail(error, ACCP_STATUS_INPUT, file, 1, "%s", others[i].text);
    *root = json_loadb(data, size, JSON_REJECT_DUPLICATES, &problem);
    if (!*root)
        return accp_fail(error, ACCP_STATUS_INPUT, file, problem.line,
                         "line %d, column %d: not valid JSON: %.200s", problem.line, problem.column,
                         problem.text);
    *reader = (struct accp_json){.file = file, .value = *root};
    if (json_is_object(*root)) return ACCP_STATUS_OK;
    json_decref(*root);
    *root = NULL;
    return accp_fail(error, ACCP_STATUS_INPUT, file, -1, "holds no JSON object");
}

enum accp_status accp_json_format(const struct accp_json *root, const char *format,
                                  struct accp_error *error)
{
    char found[64];
    ACCP_TRY(accp_json_string(root, "format", found, sizeof found, error));
    if (strcmp(found, format) == 0) return ACCP_STATUS_OK;
    size_t stem = (size_t)(strchr(format, '/') - format) + 1;
    if (strncmp(found, format, stem) == 0)
        return accp_json_fail(root, error,
                              "is of format version %s, and this build reads %s: take a newer "
                              "accprobe, or write the file again",
                              found + stem, format + stem);
    return accp_json_fail(root, error, "is of format \"%s\", where \"%s\" is needed", found,
                          format);
}

enum accp_status accp_json_open(const char *file, const char *format, json_t **root,
                                struct accp_json *reader, struct accp_error *error)
{
    struct accp_bytes bytes;
    *root = NULL;
    ACCP_TRY(accp_file_read(file, ACCP_JSON_FILE_LIMIT_BYTES, &bytes, error));
    enum accp_status status = accp_json_parse(file, bytes.data, bytes.size, root, reader, error);
    accp_bytes_fini(&bytes);
    ACCP_TRY(status);
    status = accp_json_format(reader, format, error);
    if (status == ACCP_STATUS_OK) return status;
    json_decref(*root);
    *root = NULL;
    return status;
}

/* jansson tells integers from reals and true from false by type; we ask for either. */
static bool type_fits(const json_t *value, json_type type)
{
    if (type == JSON_REAL) return json_is_number(value);
    if (type == JSON_TRUE) return json_is_boolean(value);
    return json_typeof(value) == type;
}

static enum accp_status expect(const struct accp_json *found, json_type type,
                               struct accp_error *error)
{
    if (!found->value) return accp_json_fail(found, error, "is missing");
    if (!type_fits(found->value, type))
        return accp_json_fail(found, error, "is %s, where %s is needed",
                              type_name(json_typeof(found->value)), type_name(type));
    return ACCP_STATUS_OK;
}

/* "PARENT.KEY", cut to fit. Every member that is read gets its path: printf would be a quarter of
 * reading a golden. */
static void set_path(struct accp_json *found, const char *parent, const char *key)
{
    size_t used = strlen(parent), most = sizeof found->path - 1;
    memcpy(found->path, parent, used);
    if (used > 0 && used < most) found->path[used++] = '.';
    size_t length = strnlen(key, most - used);
    memcpy(found->path + used, key, length);
    found->path[used + length] = 0;
}

enum accp_status accp_json_member(const struct accp_json *object, const char *key, json_type type,
                                  struct accp_json *member, struct accp_error *error)
{
    struct accp_json found = {.file = object->file, .value = json_object_get(object->value, key)};
    set_path(&found, object->path, key);
    ACCP_TRY(expect(&found, type, error));
    *member = found;
    return ACCP_STATUS_OK;
}

enum accp_status accp_json_element(const struct accp_json *array, size_t index, json_type type,
                                   struct accp_json *element, struct accp_error *error)
{
    struct accp_json found = {.file = array->file, .value = json_array_get(array->value, index)};
    snprintf(found.path, sizeof found.path, "%.*s[%zu]", ACCP_JSON_PATH_BYTES - 24, array->path,
             index);
    ACCP_TRY(expect(&found, type, error));
    *element = found;
    return ACCP_STATUS_OK;
}

bool accp_json_has(const struct accp_json *object, const char *key)
{
    return json_object_get(object->value, key) != NULL;
}

enum accp_status accp_json_string(const struct accp_json *object, const char *key, char *text,
                                  size_t text_bytes, struct accp_error *error)
{
    struct accp_json member;
    ACCP_TRY(accp_json_member(object, key, JSON_STRING, &member, error));
    const char *value = json_string_value(member.value);
    size_t length = json_string_length(member.value);
    if (length >= text_bytes)
        return accp_json_fail(&member, error, "has %zu bytes, at most %zu fit", length,
                              text_bytes - 1);
    const int hidden = strlen(value) < length ? (int)strlen(value) : accp_text_hidden_at(value);
    if (hidden >= 0)
        return accp_json_fail(&member, error, "holds a control character at byte %d", hidden);
    memcpy(text, value, length + 1);
    return ACCP_STATUS_OK;
}

enum accp_status accp_json_number(const struct accp_json *object, const char *key, double low,
                                  double high, double *number, struct accp_error *error)
{
    struct accp_json member;
    ACCP_TRY(accp_json_member(object, key, JSON_REAL, &member, error));
    double value = json_number_value(member.value);
    if (!isfinite(value) || value < low || value > high)
        return accp_json_fail(&member, error, "is %g, outside %g to %g", value, low, high);
    *number = value;
    return ACCP_STATUS_OK;
}

enum accp_status accp_json_integer(const struct accp_json *object, const char *key, int64_t low,
                                   int64_t high, int64_t *integer, struct accp_error *error)
{
    struct accp_json member;
    ACCP_TRY(accp_json_member(object, key, JSON_INTEGER, &member, error));
    int64_t value = json_integer_value(member.value);
    if (value < low || value > high)
        return accp_json_fail(&member, error, "is %lld, outside %lld to %lld", (long long)value,
                              (long long)low, (long long)high);
    *integer = value;
    return ACCP_STATUS_OK;
}
