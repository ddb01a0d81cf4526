#include "golden/shapes.h"

#include "base/file.h"
#include "golden/alias.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char loops_format[] = "accprobe-loops/1";

void accp_shape_goldens_fini(struct accp_shape_goldens *goldens)
{
    for (size_t i = 0; i < goldens->count; ++i)
        accp_shapes_fini(&goldens->items[i].shapes);
    free(goldens->items);
    memset(goldens, 0, sizeof *goldens);
}

static enum accp_status add_golden(const char *folder, const char *arch, const char *file,
                                   struct accp_shape_goldens *goldens, struct accp_error *error)
{
    struct accp_shape_golden *items =
        realloc(goldens->items, (goldens->count + 1) * sizeof *goldens->items);
    if (!items) return accp_fail(error, ACCP_STATUS_MEMORY, file, -1, "no memory for a golden");
    goldens->items = items;
    struct accp_shape_golden *golden = &items[goldens->count];
    memset(golden, 0, sizeof *golden);
    snprintf(golden->path, sizeof golden->path, "%s/%s", folder, file);
    ACCP_TRY(accp_shapes_read(golden->path, &golden->shapes, error));
    ++goldens->count;
    const char *version = golden->shapes.compiler_version;
    size_t length = strlen(version);
    snprintf(golden->name, sizeof golden->name, "%s/%.40s", arch, version);
    if (strcmp(golden->shapes.arch, arch) == 0 && strncmp(file, version, length) == 0 &&
        strcmp(file + length, ".json") == 0)
        return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, golden->path, -1,
                     "holds shapes of %s by compiler %.40s, which belong into shape/%s/%.40s.json",
                     golden->shapes.arch, version, golden->shapes.arch, version);
}

void accp_shape_goldens_place(const char *folder, const char *arch, int probe, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/shape/%s%s%s", folder, arch, probe > 0 ? "/" : "",
             probe > 0 ? accp_probe_names[probe] : "");
}

static bool is_of_probe(const struct accp_shape *shape, int probe)
{
    const struct accp_role *role = accp_role_find(shape->role);
    return role && (int)role->probe == probe;
}

static bool holds_probe(const struct accp_shapes *shapes, int probe)
{
    for (size_t i = 0; i < shapes->count; ++i)
        if (is_of_probe(&shapes->shapes[i], probe)) return true;
    return false;
}

/* Compilers before 13.0 write only their release into a cubin: two builds would share a golden. */
static bool is_build(const char *version)
{
    const size_t length = accp_build_version(version);
    int dots = 0;
    for (size_t i = 0; i < length; ++i)
        dots += version[i] == '.';
    return strlen(version) < 32 && dots == 2;
}

bool accp_shape_goldens_is_one(const char *file)
{
    char name[64];
    const size_t length = strlen(file);
    if (length < 6 || length >= sizeof name || strcmp(file + length - 5, ".json") != 0)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(length - 5), file);
    return accp_build_version(name) > 0;
}

/* "13.0.88.json" and "13.0.88-nvrtc.json" for 13.0. */
static bool answers(const char *file, const char *release)
{
    size_t length = strlen(release);
    return accp_shape_goldens_is_one(file) && length > 0 && strncmp(file, release, length) == 0 &&
           file[length] == '.';
}

/* What nvcc and NVRTC of a build made, the one before the other: which of them is asked of is not known
 * of a cubin. */
static enum accp_status find_build(const char *folder, const char *arch, const char *version,
                                   struct accp_shape_goldens *goldens, struct accp_error *error)
{
    static const char *const front_ends[] = {"", "-nvrtc"};
    for (size_t i = 0; i < sizeof front_ends / sizeof *front_ends; ++i) {
        char file[64], path[PATH_MAX];
        snprintf(file, sizeof file, "%.*s%s.json", (int)accp_build_version(version), version,
                 front_ends[i]);
        int length = snprintf(path, sizeof path, "%s/%s", folder, file);
        if (length > 0 && (size_t)length < sizeof path && accp_file_is_missing(path)) continue;
        ACCP_TRY(add_golden(folder, arch, file, goldens, error));
    }
    return ACCP_STATUS_OK;
}

static enum accp_status find_in(const char *path, const char *arch, const char *version,
                                struct accp_shape_goldens *goldens, struct accp_error *error)
{
    struct dirent **entries;
    if (is_build(version)) return find_build(path, arch, version, goldens, error);
    int count = scandir(path, &entries, NULL, versionsort);
    if (count < 0) {
        const int reason = errno;
        if (accp_file_is_missing(path)) return ACCP_STATUS_OK;
        return accp_fail(error, ACCP_STATUS_IO, path, -1, "cannot read: %s", strerror(reason));
    }
    enum accp_status status = ACCP_STATUS_OK;
    for (int i = 0; i < count; ++i) {
        if (status == ACCP_STATUS_OK && answers(entries[i]->d_name, version))
            status = add_golden(path, arch, entries[i]->d_name, goldens, error);
        free(entries[i]);
    }
    free(entries);
    return status;
}

enum accp_status accp_shape_goldens_of(const char *folder, const char *arch, int probe,
                                       const char *version, struct accp_shape_goldens *goldens,
                                       struct accp_error *error)
{
    char path[PATH_MAX];
    memset(goldens, 0, sizeof *goldens);
    accp_shape_goldens_place(folder, arch, probe, path);
    enum accp_status status = find_in(path, arch, version, goldens, error);
    if (status != ACCP_STATUS_OK) accp_shape_goldens_fini(goldens);
    return status;
}

enum accp_status accp_shape_goldens_find(const char *folder, const struct accp_shapes *shapes,
                                         struct accp_shape_goldens *goldens,
                                         struct accp_error *error)
{
    char path[PATH_MAX];
    enum accp_status status = ACCP_STATUS_OK;
    memset(goldens, 0, sizeof *goldens);
    for (int probe = 0; probe < ACCP_PROBE_COUNT && status == ACCP_STATUS_OK; ++probe) {
        if (!holds_probe(shapes, probe)) continue;
        accp_shape_goldens_place(folder, shapes->arch, probe, path);
        status = find_in(path, shapes->arch, shapes->compiler_version, goldens, error);
    }
    if (status != ACCP_STATUS_OK) accp_shape_goldens_fini(goldens);
    return status;
}

static void loops_path(const char *folder, const char *arch, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/shape/%s/loops.json", folder, arch);
}

static enum accp_status read_loops(const struct accp_json *root, const char *arch,
                                   struct accp_listings *listings, struct accp_error *error)
{
    char named[16];
    struct accp_json object;
    ACCP_TRY(accp_json_string(root, "arch", named, sizeof named, error));
    if (strcmp(named, arch) != 0)
        return accp_json_fail(root, error, "holds loops of %s, not of %s", named, arch);
    ACCP_TRY(accp_json_member(root, "listings", JSON_OBJECT, &object, error));
    return accp_listings_read(&object, listings, error);
}

static enum accp_status open_loops(const char *path, const char *arch,
                                   struct accp_listings *listings, struct accp_error *error)
{
    json_t *json;
    struct accp_json root;
    if (accp_file_is_missing(path)) return ACCP_STATUS_OK;
    ACCP_TRY(accp_json_open(path, loops_format, &json, &root, error));
    enum accp_status status = read_loops(&root, arch, listings, error);
    json_decref(json);
    return status;
}

enum accp_status accp_golden_loops_read(const char *folder, const char *arch,
                                        struct accp_listings *listings, struct accp_error *error)
{
    char path[PATH_MAX];
    loops_path(folder, arch, path);
    return open_loops(path, arch, listings, error);
}

enum accp_status accp_golden_loops_beside(const char *file, const struct accp_shapes *shapes,
                                          struct accp_listings *listings, struct accp_error *error)
{
    static const char *const places[] = {"loops.json", "../loops.json"};
    const char *name = strrchr(file, '/');
    const int length = name ? (int)(name + 1 - file) : 0;
    if (!shapes->record.reason[0] || shapes->listings.count > 0) return ACCP_STATUS_OK;
    for (size_t i = 0; i < sizeof places / sizeof *places && listings->count == 0; ++i) {
        char path[PATH_MAX];
        const int bytes = snprintf(path, sizeof path, "%.*s%s", length, file, places[i]);
        if (bytes > 0 && (size_t)bytes < sizeof path)
            ACCP_TRY(open_loops(path, shapes->arch, listings, error));
    }
    return ACCP_STATUS_OK;
}

static enum accp_status write_loops(const char *path, const char *arch,
                                    const struct accp_listings *listings, struct accp_error *error)
{
    char *text;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream) return accp_fail(error, ACCP_STATUS_MEMORY, path, -1, "no memory to write it");
    fprintf(stream, "{\"format\": \"%s\", \"arch\": \"%s\",\n \"listings\": ", loops_format, arch);
    accp_listings_put(stream, listings);
    fputs("}\n", stream);
    enum accp_status status = fclose(stream) == 0 ? accp_file_write_atomic(path, text, bytes, error)
                                                  : accp_fail(error, ACCP_STATUS_MEMORY, path, -1,
                                                              "no memory to write it");
    free(text);
    return status;
}

static enum accp_status refuse_tree(const struct accp_shape_record_request *request,
                                    struct accp_error *error)
{
    const char *reason = request->reason ? request->reason : "";
    if (strspn(reason, " \t") == strlen(reason))
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, -1,
                         "no reason: say with --reason why the baseline changes");
    if (strlen(reason) >= sizeof((struct accp_shapes_record *)0)->reason || strpbrk(reason, "\n\r"))
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, -1,
                         "the reason must be one line of at most %zu bytes",
                         sizeof((struct accp_shapes_record *)0)->reason - 1);
    if (request->dirty)
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, -1,
                         "the tree holds changes that are in no commit: commit them, build and "
                         "shape again");
    if (!request->commit || !request->commit[0])
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, -1,
                         "the commit that was built is not known: git knows no checkout of yours "
                         "where the goldens are to lie (--golden)");
    return ACCP_STATUS_OK;
}

static enum accp_status check_shape(const struct accp_shape_record_request *request,
                                    const struct accp_shapes *shapes,
                                    const struct accp_shape *shape, struct accp_error *error)
{
    enum accp_shape_law broken = accp_shape_first_broken(shape);
    const struct accp_role *role = accp_role_find(accp_shape_key(shape));
    if (!role || strcmp(role->name, shape->role) != 0)
        return accp_fail(error, ACCP_STATUS_REFUSED, shape->kernel, -1,
                         "is of no role: a golden holds roles of the tables only");
    if (broken != ACCP_SHAPE_LAW_COUNT && !request->with_broken)
        return accp_fail(error, ACCP_STATUS_REFUSED, shape->role, -1,
                         "a law is broken (%s, by %s for %s): %s; --broken records it as such",
                         accp_shape_law_name(broken), shapes->compiler_version, shapes->arch,
                         shape->laws[broken].text);
    for (int law = 0; law < ACCP_SHAPE_LAW_COUNT; ++law)
        if (shape->laws[law].state == ACCP_SHAPE_LAW_NOT_ASKED)
            return accp_fail(error, ACCP_STATUS_REFUSED, shape->role, -1,
                             "law %s was not asked of it: shape it again",
                             accp_shape_law_name((enum accp_shape_law)law));
    if (!request->hashes_only && !accp_listings_find(&shapes->listings, shape->loop.control_hash))
        return accp_fail(error, ACCP_STATUS_REFUSED, shape->role, -1,
                         "the listing of its hot loop is missing: write the shape file with "
                         "`accprobe shape --out FILE`");
    return ACCP_STATUS_OK;
}

static enum accp_status check_shapes(const struct accp_shape_record_request *request,
                                     const struct accp_shapes *shapes, struct accp_error *error)
{
    if (!accp_arch_find(shapes->arch))
        return accp_fail(error, ACCP_STATUS_REFUSED, shapes->arch, -1,
                         "is not in the table of arches");
    if (!is_build(shapes->compiler_version))
        return accp_fail(error, ACCP_STATUS_REFUSED, shapes->arch, -1,
                         "compiler \"%.40s\" is a release, not a build, and a golden is keyed by "
                         "builds: shape it with --compiler, as in --compiler 12.4.131",
                         shapes->compiler_version);
    for (size_t i = 0; i < shapes->count; ++i)
        ACCP_TRY(check_shape(request, shapes, &shapes->shapes[i], error));
    return ACCP_STATUS_OK;
}

static int by_key(const void *left, const void *right)
{
    const struct accp_shape *a = left, *b = right;
    return strcmp(accp_shape_key(a), accp_shape_key(b));
}

/* `into` becomes the old golden with the new shapes in it; *changed counts those that differ. */
static enum accp_status merge(const struct accp_shapes *old, const struct accp_shapes *new,
                              struct accp_shapes *into, size_t *changed, struct accp_error *error)
{
    *changed = 0;
    *into = *new;
    memset(&into->listings, 0, sizeof into->listings);
    into->count = 0;
    into->shapes = calloc(old->count + new->count, sizeof *into->shapes);
    if (!into->shapes)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a golden");
    for (size_t i = 0; i < old->count; ++i)
        if (!accp_shapes_find(new, accp_shape_key(&old->shapes[i])))
            into->shapes[into->count++] = old->shapes[i];
    for (size_t i = 0; i < new->count; ++i) {
        const struct accp_shape *before = accp_shapes_find(old, accp_shape_key(&new->shapes[i]));
        *changed += !before || !accp_alias_is_same(before, &new->shapes[i]);
        into->shapes[into->count++] = new->shapes[i];
    }
    qsort(into->shapes, into->count, sizeof *into->shapes, by_key);
    return ACCP_STATUS_OK;
}

static enum accp_status add_loops(const struct accp_shape_record_request *request,
                                  const struct accp_shapes *shapes,
                                  struct accp_shape_record_outcome *outcome,
                                  struct accp_error *error)
{
    struct accp_listings listings = {0};
    char path[PATH_MAX];
    size_t added = 0;
    loops_path(request->folder, shapes->arch, path);
    enum accp_status status =
        accp_golden_loops_read(request->folder, shapes->arch, &listings, error);
    if (status == ACCP_STATUS_OK)
        status = accp_listings_merge(&listings, &shapes->listings, &added, error);
    if (status == ACCP_STATUS_OK && added > 0)
        status = write_loops(path, shapes->arch, &listings, error);
    outcome->loops_added += added;
    accp_listings_fini(&listings);
    return status;
}

static enum accp_status write_golden(const struct accp_shape_record_request *request,
                                     const char *path, struct accp_shapes *shapes,
                                     struct accp_error *error)
{
    struct accp_shapes_record *record = &shapes->record;
    snprintf(record->date, sizeof record->date, "%s", request->date);
    snprintf(record->tool, sizeof record->tool, "%s", request->tool);
    snprintf(record->commit, sizeof record->commit, "%s", request->commit);
    snprintf(record->reason, sizeof record->reason, "%s", request->reason);
    return accp_shapes_write(path, shapes, error);
}

static enum accp_status record_part(const struct accp_shape_record_request *request,
                                    const struct accp_shapes *shapes, int probe,
                                    struct accp_shape_record_outcome *outcome,
                                    struct accp_error *error)
{
    char folder[PATH_MAX], path[PATH_MAX], loops[PATH_MAX];
    struct accp_shapes old = {0}, merged = {0};
    size_t changed = 0;
    int made = 0;
    accp_shape_goldens_place(request->folder, shapes->arch, probe, folder);
    loops_path(request->folder, shapes->arch, loops);
    const bool has_loops = !accp_file_is_missing(loops);
    int length = snprintf(path, sizeof path, "%s/%s.json", folder, shapes->compiler_version);
    if (length < 0 || (size_t)length >= sizeof path)
        return accp_fail(error, ACCP_STATUS_IO, request->folder, -1, "the path is too long");
    if (!accp_file_is_missing(path)) ACCP_TRY(accp_shapes_read(path, &old, error));
    enum accp_status status = merge(&old, shapes, &merged, &changed, error);
    if (status == ACCP_STATUS_OK && changed > 0) status = accp_folder_make(folder, &made, error);
    if (status == ACCP_STATUS_OK && !request->hashes_only)
        status = add_loops(request, shapes, outcome, error);
    if (status == ACCP_STATUS_OK && changed > 0) {
        if (old.count > 0) status = accp_alias_free(folder, shapes->compiler_version, error);
        if (status == ACCP_STATUS_OK) status = accp_alias_find(folder, &merged, error);
        if (status == ACCP_STATUS_OK) status = write_golden(request, path, &merged, error);
        snprintf(outcome->last_written, sizeof outcome->last_written, "%s", path);
    }
    if (status != ACCP_STATUS_OK && !has_loops) unlink(loops); /* nothing points to them */
    if (status != ACCP_STATUS_OK) accp_folder_unmake(folder, made);
    outcome->written += changed > 0;
    outcome->kept += changed == 0;
    outcome->kernels_changed += changed;
    free(merged.shapes);
    accp_shapes_fini(&old);
    return status;
}

/* One shape file: a golden for each probe in it. */
static enum accp_status record_one(const struct accp_shape_record_request *request,
                                   const struct accp_shapes *shapes,
                                   struct accp_shape_record_outcome *outcome,
                                   struct accp_error *error)
{
    struct accp_shapes part = *shapes;
    part.shapes = calloc(shapes->count + 1, sizeof *part.shapes);
    if (!part.shapes)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a golden");
    enum accp_status status = ACCP_STATUS_OK;
    for (int probe = 0; probe < ACCP_PROBE_COUNT && status == ACCP_STATUS_OK; ++probe) {
        part.count = 0;
        for (size_t i = 0; i < shapes->count; ++i)
            if (is_of_probe(&shapes->shapes[i], probe))
                part.shapes[part.count++] = shapes->shapes[i];
        if (part.count > 0) status = record_part(request, &part, probe, outcome, error);
    }
    free(part.shapes);
    return status;
}

enum accp_status accp_shapes_record(const struct accp_shape_record_request *request,
                                    struct accp_shape_record_outcome *outcome,
                                    struct accp_error *error)
{
    memset(outcome, 0, sizeof *outcome);
    ACCP_TRY(refuse_tree(request, error));
    for (size_t i = 0; i < request->count; ++i)
        ACCP_TRY(check_shapes(request, &request->shapes[i], error));
    for (size_t i = 0; i < request->count; ++i)
        ACCP_TRY(record_one(request, &request->shapes[i], outcome, error));
    return ACCP_STATUS_OK;
}
