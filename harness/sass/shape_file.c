#include "sass/shape_file.h"

#include "base/json.h"
#include "sass/shape_fields.h"
#include "sass/shape_rows.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char format_name[] = "accprobe-shape/1";
enum { KERNELS = 65536 };

void accp_shapes_fini(struct accp_shapes *shapes)
{
    free(shapes->shapes);
    accp_listings_fini(&shapes->listings);
    memset(shapes, 0, sizeof *shapes);
}

size_t accp_build_version(const char *name)
{
    const size_t length = strspn(name, "0123456789.");
    return name[length] == 0 || strcmp(name + length, "-nvrtc") == 0 ? length : 0;
}

const struct accp_shape *accp_shapes_find(const struct accp_shapes *shapes, const char *name)
{
    for (size_t i = 0; i < shapes->count; ++i)
        if (strcmp(shapes->shapes[i].kernel, name) == 0 ||
            strcmp(shapes->shapes[i].role, name) == 0)
            return &shapes->shapes[i];
    return NULL;
}

/* Shapes one kernel, or the loop of one of the roles that share it, into the next place of *shapes. */
static enum accp_status shape_one(const struct accp_cubin *cubin, const struct accp_kernel *kernel,
                                  const struct accp_role *role,
                                  const struct accp_shape_options *options,
                                  struct accp_shapes *shapes, struct accp_error *error)
{
    struct accp_code code;
    const struct accp_loop *loop;
    ACCP_TRY(accp_code_init(cubin, kernel, &code, error));
    enum accp_status status =
        accp_shape_of_code(cubin, &code, role, options, &shapes->shapes[shapes->count], error);
    if (status == ACCP_STATUS_OK && options && options->with_listings)
        status = accp_chain_find_loop(&code, role, options->loop_address, &loop, error);
    if (status == ACCP_STATUS_OK && options && options->with_listings)
        status = accp_listings_add(&shapes->listings, &code, loop, error);
    accp_code_fini(&code);
    return status;
}

/* A cubin on its way into *shapes. */
struct adding {
    const struct accp_cubin *cubin;
    accp_shape_wants *wants;
    void *context;
    const struct accp_shape_options *options;
    struct accp_shapes *shapes;
    size_t skipped;
    struct accp_error first; /* why the first one was left out */
};

static enum accp_status add_one(struct adding *adding, const struct accp_kernel *kernel,
                                const struct accp_role *role, struct accp_error *error)
{
    struct accp_error problem;
    if (adding->wants && !adding->wants(kernel->name, role, adding->context)) return ACCP_STATUS_OK;
    enum accp_status status =
        shape_one(adding->cubin, kernel, role, adding->options, adding->shapes, &problem);
    if (status == ACCP_STATUS_OK) {
        ++adding->shapes->count;
    } else if (status == ACCP_STATUS_INPUT) {
        ++adding->skipped;
        if (adding->first.code == ACCP_STATUS_OK) adding->first = problem;
    } else {
        if (error) *error = problem;
        return status;
    }
    return ACCP_STATUS_OK;
}

static bool is_shared_by(const struct accp_role *role, const struct accp_kernel *kernel)
{
    return role->dispatch != ACCP_DISPATCH_ALONE && strcmp(role->kernel, kernel->name) == 0;
}

/* A kernel, or each of the roles that share it. A loop that is chosen by its address is of no
 * certain role. */
static enum accp_status add_kernel(struct adding *adding, const struct accp_kernel *kernel,
                                   struct accp_error *error)
{
    size_t sharing = 0;
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        if (!is_shared_by(&accp_roles[i], kernel)) continue;
        if (adding->options && adding->options->loop_address >= 0) break;
        ++sharing;
        ACCP_TRY(add_one(adding, kernel, &accp_roles[i], error));
    }
    return sharing > 0 ? ACCP_STATUS_OK : add_one(adding, kernel, NULL, error);
}

static enum accp_status shape_each(const char *file, struct adding *adding,
                                   struct accp_error *error)
{
    const struct accp_error *first = &adding->first;
    for (size_t i = 0; i < adding->cubin->kernel_count; ++i)
        ACCP_TRY(add_kernel(adding, &adding->cubin->kernels[i], error));
    if (adding->shapes->count > 0) return ACCP_STATUS_OK;
    if (first->code == ACCP_STATUS_OK)
        return accp_fail(error, ACCP_STATUS_INPUT, file, -1, "has no kernel of that name");
    return accp_fail(error, ACCP_STATUS_INPUT, file, first->offset, "%.100s %.350s", first->where,
                     first->text);
}

static size_t most_shapes(const struct accp_cubin *cubin)
{
    size_t count = cubin->kernel_count;
    for (size_t i = 0; i < cubin->kernel_count; ++i)
        for (size_t k = 0; k < ACCP_ROLE_COUNT; ++k)
            count += is_shared_by(&accp_roles[k], &cubin->kernels[i]);
    return count;
}

enum accp_status accp_shapes_of_cubin(const char *file, const struct accp_cubin *cubin,
                                      accp_shape_wants *wants, void *context,
                                      const struct accp_shape_options *options,
                                      struct accp_shapes *shapes, size_t *skipped,
                                      struct accp_error *error)
{
    struct adding adding = {cubin, wants, context, options, shapes, 0, {0}};
    memset(shapes, 0, sizeof *shapes);
    memcpy(shapes->arch, cubin->arch_name, sizeof shapes->arch);
    memcpy(shapes->compiler_name, cubin->compiler_name, sizeof shapes->compiler_name);
    memcpy(shapes->compiler_version, cubin->compiler_version, sizeof shapes->compiler_version);
    memcpy(shapes->compiler_flags, cubin->compiler_flags, sizeof shapes->compiler_flags);
    shapes->shapes = calloc(most_shapes(cubin), sizeof *shapes->shapes);
    if (!shapes->shapes) return accp_fail(error, ACCP_STATUS_MEMORY, file, -1, "out of memory");
    enum accp_status status = shape_each(file, &adding, error);
    if (skipped) *skipped = adding.skipped;
    if (status != ACCP_STATUS_OK) accp_shapes_fini(shapes);
    return status;
}

static void put_text(FILE *stream, const char *before, const char *text)
{
    json_t *value = json_string(text);
    fputs(before, stream);
    if (!value || json_dumpf(value, stream, JSON_ENCODE_ANY) != 0) fputs("\"\"", stream);
    json_decref(value);
}

/* A law that was asked of the kernel: true, or what was found. */
static void put_laws(FILE *stream, const struct accp_shape *shape)
{
    const char *separator = "";
    fputs(", \"laws\": {", stream);
    for (int law = 0; law < ACCP_SHAPE_LAW_COUNT; ++law) {
        const struct accp_shape_law_result *result = &shape->laws[law];
        if (result->state == ACCP_SHAPE_LAW_NOT_ASKED) continue;
        fprintf(stream, "%s\"%s\": ", separator, accp_shape_law_name((enum accp_shape_law)law));
        if (result->state == ACCP_SHAPE_LAW_KEPT)
            fputs("true", stream);
        else
            put_text(stream, "", result->text);
        separator = ", ";
    }
    fputs("}", stream);
}

/* As of those of every golden. */
static bool is_asked_all_laws(const struct accp_shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; ++i)
        for (int law = 0; law < ACCP_SHAPE_LAW_COUNT; ++law)
            if (shapes->shapes[i].laws[law].state == ACCP_SHAPE_LAW_NOT_ASKED) return false;
    return true;
}

static void put_shape(FILE *stream, const struct accp_shape *shape)
{
    const char *separator = "";
    put_text(stream, "  {\"kernel\": ", shape->kernel);
    if (shape->role[0]) put_text(stream, ", \"role\": ", shape->role);
    fputs(", \"loop\": {", stream);
#define FIELD(member, key, low) \
    fprintf(stream, "%s\"%s\": %" PRId64, separator, key, (int64_t)shape->loop.member); \
    separator = ", ";
    ACCP_SHAPE_LOOP_FIELDS(FIELD)
#undef FIELD
    put_text(stream, ", \"hash\": ", shape->loop.hash);
    put_text(stream, ", \"control_hash\": ", shape->loop.control_hash);
    put_text(stream, ", \"exact_hash\": ", shape->loop.exact_hash);
    fputs("}", stream);
#define FIELD(member, key, low) fprintf(stream, ", \"%s\": %" PRId64, key, (int64_t)shape->member);
    ACCP_SHAPE_KERNEL_FIELDS(FIELD)
#undef FIELD
    put_laws(stream, shape);
    put_text(stream, ", \"hash\": ", shape->hash);
    put_text(stream, ", \"control_hash\": ", shape->control_hash);
    fputs("}", stream);
}

static void put_kernels(FILE *stream, const struct accp_shapes *shapes)
{
    if (shapes->as[0]) {
        put_text(stream, ",\n \"as\": ", shapes->as);
        return;
    }
    if (shapes->record.reason[0] && is_asked_all_laws(shapes)) {
        accp_shape_rows_put(stream, shapes);
        return;
    }
    fputs(",\n \"kernels\": [\n", stream);
    for (size_t i = 0; i < shapes->count; ++i) {
        put_shape(stream, &shapes->shapes[i]);
        fputs(i + 1 < shapes->count ? ",\n" : "\n", stream);
    }
    fputs(" ]", stream);
}

enum accp_status accp_shapes_format(const struct accp_shapes *shapes, char **text,
                                    size_t *text_bytes, struct accp_error *error)
{
    *text = NULL;
    FILE *stream = open_memstream(text, text_bytes);
    if (!stream) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory to write shapes");
    fprintf(stream, "{\"format\": \"%s\"", format_name);
    put_text(stream, ", \"arch\": ", shapes->arch);
    put_text(stream, ",\n \"compiler\": {\"name\": ", shapes->compiler_name);
    put_text(stream, ", \"version\": ", shapes->compiler_version);
    put_text(stream, ", \"flags\": ", shapes->compiler_flags);
    fputs("}", stream);
    if (shapes->record.reason[0]) {
        put_text(stream, ",\n \"record\": {\"date\": ", shapes->record.date);
        put_text(stream, ", \"tool\": ", shapes->record.tool);
        put_text(stream, ", \"commit\": ", shapes->record.commit);
        put_text(stream, ", \"reason\": ", shapes->record.reason);
        fputs("}", stream);
    }
    put_kernels(stream, shapes);
    if (shapes->listings.count > 0) {
        fputs(",\n \"listings\": ", stream);
        accp_listings_put(stream, &shapes->listings);
    }
    fputs("}\n", stream);
    int failed = ferror(stream);
    if (fclose(stream) == 0 && !failed) return ACCP_STATUS_OK;
    free(*text);
    *text = NULL;
    return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory to write shapes");
}

enum accp_status accp_shapes_write(const char *file, const struct accp_shapes *shapes,
                                   struct accp_error *error)
{
    char *text;
    size_t bytes;
    ACCP_TRY(accp_shapes_format(shapes, &text, &bytes, error));
    enum accp_status status = accp_file_write_atomic(file, text, bytes, error);
    free(text);
    return status;
}

static enum accp_status read_hash(const struct accp_json *object, const char *key,
                                  char hash[ACCP_HASH_BYTES], struct accp_error *error)
{
    ACCP_TRY(accp_json_string(object, key, hash, ACCP_HASH_BYTES, error));
    if (strlen(hash) == ACCP_HASH_BYTES - 1 && strspn(hash, "0123456789abcdef") == strlen(hash))
        return ACCP_STATUS_OK;
    return accp_json_fail(object, error, "%s: is not 16 hexadecimal digits", key);
}

static enum accp_status read_law(const struct accp_json *laws, enum accp_shape_law law,
                                 struct accp_shape_law_result *result, struct accp_error *error)
{
    const char *name = accp_shape_law_name(law);
    if (!accp_json_has(laws, name)) return ACCP_STATUS_OK;
    if (json_is_true(json_object_get(laws->value, name))) {
        result->state = ACCP_SHAPE_LAW_KEPT;
        return ACCP_STATUS_OK;
    }
    result->state = ACCP_SHAPE_LAW_BROKEN;
    return accp_json_string(laws, name, result->text, sizeof result->text, error);
}

static enum accp_status read_laws(const struct accp_json *kernel, struct accp_shape *shape,
                                  struct accp_error *error)
{
    struct accp_json laws;
    ACCP_TRY(accp_json_member(kernel, "laws", JSON_OBJECT, &laws, error));
    for (int law = 0; law < ACCP_SHAPE_LAW_COUNT; ++law)
        ACCP_TRY(read_law(&laws, (enum accp_shape_law)law, &shape->laws[law], error));
    return ACCP_STATUS_OK;
}

static enum accp_status read_loop(const struct accp_json *kernel, struct accp_shape_loop *loop,
                                  struct accp_error *error)
{
    struct accp_json object;
    int64_t value;
    ACCP_TRY(accp_json_member(kernel, "loop", JSON_OBJECT, &object, error));
#define FIELD(member, key, low) \
    ACCP_TRY(accp_json_integer(&object, key, low, ACCP_SHAPE_FIELD_MOST, &value, error)); \
    loop->member = (__typeof__(loop->member))value;
    ACCP_SHAPE_LOOP_FIELDS(FIELD)
#undef FIELD
    ACCP_TRY(read_hash(&object, "hash", loop->hash, error));
    ACCP_TRY(read_hash(&object, "control_hash", loop->control_hash, error));
    return read_hash(&object, "exact_hash", loop->exact_hash, error);
}

static enum accp_status read_shape(const struct accp_json *kernel, struct accp_shape *shape,
                                   struct accp_error *error)
{
    int64_t value;
    ACCP_TRY(accp_json_string(kernel, "kernel", shape->kernel, sizeof shape->kernel, error));
    if (accp_json_has(kernel, "role"))
        ACCP_TRY(accp_json_string(kernel, "role", shape->role, sizeof shape->role, error));
    ACCP_TRY(read_loop(kernel, &shape->loop, error));
#define FIELD(member, key, low) \
    ACCP_TRY(accp_json_integer(kernel, key, low, ACCP_SHAPE_FIELD_MOST, &value, error)); \
    shape->member = (__typeof__(shape->member))value;
    ACCP_SHAPE_KERNEL_FIELDS(FIELD)
#undef FIELD
    ACCP_TRY(read_laws(kernel, shape, error));
    ACCP_TRY(read_hash(kernel, "hash", shape->hash, error));
    return read_hash(kernel, "control_hash", shape->control_hash, error);
}

static int by_key(const void *left, const void *right)
{
    const struct accp_shape *const *a = left, *const *b = right;
    return strcmp(accp_shape_key(*a), accp_shape_key(*b));
}

static enum accp_status check_twice(const struct accp_json *root, const struct accp_shapes *shapes,
                                    struct accp_error *error)
{
    const struct accp_shape **sorted = malloc(shapes->count * sizeof *sorted);
    if (!sorted) return accp_fail(error, ACCP_STATUS_MEMORY, root->file, -1, "out of memory");
    for (size_t i = 0; i < shapes->count; ++i)
        sorted[i] = &shapes->shapes[i];
    qsort(sorted, shapes->count, sizeof *sorted, by_key);
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 1; i < shapes->count && status == ACCP_STATUS_OK; ++i)
        if (by_key(&sorted[i - 1], &sorted[i]) == 0)
            status = accp_json_fail(root, error, "kernels: %.100s stands there twice",
                                    accp_shape_key(sorted[i]));
    free(sorted);
    return status;
}

static enum accp_status read_kernels(const struct accp_json *root, struct accp_shapes *shapes,
                                     struct accp_error *error)
{
    struct accp_json kernels;
    ACCP_TRY(accp_json_member(root, "kernels", JSON_ARRAY, &kernels, error));
    size_t count = json_array_size(kernels.value);
    if (count == 0 || count > KERNELS)
        return accp_json_fail(&kernels, error, "holds %zu kernels; 1 to %d are read", count,
                              KERNELS);
    shapes->shapes = calloc(count, sizeof *shapes->shapes);
    if (!shapes->shapes)
        return accp_fail(error, ACCP_STATUS_MEMORY, root->file, -1, "out of memory");
    for (; shapes->count < count; ++shapes->count) {
        struct accp_json kernel;
        ACCP_TRY(accp_json_element(&kernels, shapes->count, JSON_OBJECT, &kernel, error));
        ACCP_TRY(read_shape(&kernel, &shapes->shapes[shapes->count], error));
    }
    return ACCP_STATUS_OK;
}

/* A golden's own: the build whose golden beside it holds the rows. */
static enum accp_status read_alias(const struct accp_json *root, struct accp_shapes *shapes,
                                   struct accp_error *error)
{
    ACCP_TRY(accp_json_string(root, "as", shapes->as, sizeof shapes->as, error));
    if (accp_build_version(shapes->as) > 0) return ACCP_STATUS_OK;
    return accp_json_fail(root, error, "as: \"%s\" is no version such as 12.4.131", shapes->as);
}

static enum accp_status read_content(const struct accp_json *root, struct accp_shapes *shapes,
                                     struct accp_error *error)
{
    const bool is_alias = accp_json_has(root, "as"), has_rows = accp_json_has(root, "rows");
    if ((is_alias || has_rows) && !shapes->record.reason[0])
        return accp_json_fail(root, error, "record: is missing, and a golden must have it");
    if (is_alias) return read_alias(root, shapes, error);
    ACCP_TRY(has_rows ? accp_shape_rows_read(root, shapes, error)
                      : read_kernels(root, shapes, error));
    return check_twice(root, shapes, error);
}

static enum accp_status read_record(const struct accp_json *root, struct accp_shapes_record *record,
                                    struct accp_error *error)
{
    struct accp_json object;
    if (!accp_json_has(root, "record")) return ACCP_STATUS_OK;
    ACCP_TRY(accp_json_member(root, "record", JSON_OBJECT, &object, error));
#define TEXT(member) \
    ACCP_TRY(accp_json_string(&object, #member, record->member, sizeof record->member, error))
    TEXT(date);
    TEXT(tool);
    TEXT(commit);
    TEXT(reason);
#undef TEXT
    return ACCP_STATUS_OK;
}

static enum accp_status read_listings(const struct accp_json *root, struct accp_listings *listings,
                                      struct accp_error *error)
{
    struct accp_json object;
    if (!accp_json_has(root, "listings")) return ACCP_STATUS_OK;
    ACCP_TRY(accp_json_member(root, "listings", JSON_OBJECT, &object, error));
    return accp_listings_read(&object, listings, error);
}

static enum accp_status read_root(const struct accp_json *root, struct accp_shapes *shapes,
                                  struct accp_error *error)
{
    struct accp_json compiler;
    ACCP_TRY(accp_json_string(root, "arch", shapes->arch, sizeof shapes->arch, error));
    ACCP_TRY(accp_json_member(root, "compiler", JSON_OBJECT, &compiler, error));
    ACCP_TRY(accp_json_string(&compiler, "name", shapes->compiler_name,
                              sizeof shapes->compiler_name, error));
    ACCP_TRY(accp_json_string(&compiler, "version", shapes->compiler_version,
                              sizeof shapes->compiler_version, error));
    ACCP_TRY(accp_json_string(&compiler, "flags", shapes->compiler_flags,
                              sizeof shapes->compiler_flags, error));
    ACCP_TRY(read_record(root, &shapes->record, error));
    ACCP_TRY(read_listings(root, &shapes->listings, error));
    return read_content(root, shapes, error);
}

enum accp_status accp_shapes_parse(const char *file, const void *data, size_t size,
                                   struct accp_shapes *shapes, struct accp_error *error)
{
    json_t *root;
    struct accp_json reader;
    memset(shapes, 0, sizeof *shapes);
    ACCP_TRY(accp_json_parse(file, data, size, &root, &reader, error));
    enum accp_status status = accp_json_format(&reader, format_name, error);
    if (status == ACCP_STATUS_OK) status = read_root(&reader, shapes, error);
    json_decref(root);
    if (status != ACCP_STATUS_OK) accp_shapes_fini(shapes);
    return status;
}

static enum accp_status read_file(const char *file, struct accp_shapes *shapes,
                                  struct accp_error *error)
{
    struct accp_bytes bytes;
    memset(shapes, 0, sizeof *shapes);
    ACCP_TRY(accp_file_read(file, ACCP_JSON_FILE_LIMIT_BYTES, &bytes, error));
    enum accp_status status = accp_shapes_parse(file, bytes.data, bytes.size, shapes, error);
    accp_bytes_fini(&bytes);
    return status;
}

/* Puts NAME.json in the place of the last part of `path`. */
static bool set_name(char path[PATH_MAX], const char *name)
{
    char *last = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    size_t left = (size_t)(path + PATH_MAX - last);
    int length = snprintf(last, left, "%s.json", name);
    return length > 0 && (size_t)length < left;
}

/* Takes the rows of the golden that `shapes` names, which lies beside it, or beside what it links
 * to. */
static enum accp_status follow_alias(const char *file, struct accp_shapes *shapes,
                                     struct accp_error *error)
{
    char path[PATH_MAX], target[PATH_MAX];
    struct accp_shapes other;
    snprintf(path, sizeof path, "%s", file);
    if (!set_name(path, shapes->as))
        return accp_fail(error, ACCP_STATUS_IO, file, -1, "the path is too long");
    if (access(path, F_OK) != 0 && realpath(file, target) && set_name(target, shapes->as))
        memcpy(path, target, sizeof path);
    if (accp_file_is_missing(path))
        return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                         "as: has the rows of %s.json, which is not beside it: copy both",
                         shapes->as);
    ACCP_TRY(read_file(path, &other, error));
    enum accp_status status = ACCP_STATUS_OK;
    if (other.as[0] || strcmp(other.arch, shapes->arch) != 0 ||
        strcmp(other.compiler_version, shapes->as) != 0)
        status = accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                           "as: %s.json beside it is no golden of %s by %s with rows of its own",
                           shapes->as, shapes->arch, shapes->as);
    if (status == ACCP_STATUS_OK) {
        shapes->shapes = other.shapes;
        shapes->count = other.count;
        other.shapes = NULL;
        shapes->as[0] = 0;
    }
    accp_shapes_fini(&other);
    return status;
}

enum accp_status accp_shapes_read(const char *file, struct accp_shapes *shapes,
                                  struct accp_error *error)
{
    ACCP_TRY(read_file(file, shapes, error));
    enum accp_status status = shapes->as[0] ? follow_alias(file, shapes, error) : ACCP_STATUS_OK;
    if (status != ACCP_STATUS_OK) accp_shapes_fini(shapes);
    return status;
}
