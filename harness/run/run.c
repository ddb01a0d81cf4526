#include "run/run.h"

#include "base/plural.h"
#include "run/facts.h"
#include "run/mix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const source_text[] = {
#define SOURCE(id, text) [ACCP_SOURCE_##id] = text,
    ACCP_SOURCE_TABLE(SOURCE)
#undef SOURCE
};

static const char format_name[] = "accprobe-run/1";

enum { COUNT_MAX = 1 << 30, REGISTERS_MAX = 256 };
static const double cycles_max = 1e12;

const char *accp_source_text(enum accp_source source)
{
    return source_text[source];
}

void accp_run_init(struct accp_run *run)
{
    memset(run, 0, sizeof *run);
    struct accp_run_device *device = &run->device;
    device->sm_count = device->memory_bytes = -1;
    device->sm_clock_mhz = device->sm_clock_max_mhz = device->memory_clock_mhz = -1;
    device->achieved_mhz_before = device->achieved_mhz_after = -1;
    device->other_processes = device->utilization_percent = -1;
    run->reference_first = run->reference_second = -1;
}

void accp_run_fini(struct accp_run *run)
{
    free(run->roles);
    free(run->mixes);
    accp_run_init(run);
}

enum accp_status accp_run_append(struct accp_run *run, struct accp_run_role **role,
                                 struct accp_error *error)
{
    /* Capacity is the power of two at or above the count: grow exactly when the count is one. */
    size_t count = run->role_count;
    if ((count & (count - 1)) == 0) {
        size_t capacity = count ? count * 2 : 1;
        struct accp_run_role *roles = realloc(run->roles, capacity * sizeof *roles);
        if (!roles) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a run");
        run->roles = roles;
    }
    *role = &run->roles[count];
    memset(*role, 0, sizeof **role);
    ++run->role_count;
    return ACCP_STATUS_OK;
}

const struct accp_run_role *accp_run_find(const struct accp_run *run, const char *role, int warps)
{
    for (size_t i = 0; i < run->role_count; ++i)
        if ((warps < 0 || run->roles[i].warps == warps) && strcmp(run->roles[i].role, role) == 0)
            return &run->roles[i];
    return NULL;
}

/* Unknown facts are left out of the file, so every member of device, compiler and protocol is
 * optional. */

static enum accp_status read_text(const struct accp_json *object, const char *key, char *text,
                                  size_t bytes, struct accp_error *error)
{
    return accp_json_has(object, key) ? accp_json_string(object, key, text, bytes, error)
                                      : ACCP_STATUS_OK;
}

static enum accp_status read_real(const struct accp_json *object, const char *key, double *number,
                                  struct accp_error *error)
{
    return accp_json_has(object, key) ? accp_json_number(object, key, 0, 1e15, number, error)
                                      : ACCP_STATUS_OK;
}

static enum accp_status read_count(const struct accp_json *object, const char *key, int64_t *count,
                                   struct accp_error *error)
{
    return accp_json_has(object, key) ? accp_json_integer(object, key, 0, INT64_MAX, count, error)
                                      : ACCP_STATUS_OK;
}

static enum accp_status read_int(const struct accp_json *object, const char *key, int low, int high,
                                 int *value, struct accp_error *error)
{
    if (!accp_json_has(object, key)) return ACCP_STATUS_OK;
    int64_t wide;
    ACCP_TRY(accp_json_integer(object, key, low, high, &wide, error));
    *value = (int)wide;
    return ACCP_STATUS_OK;
}

/* A fact that is left out where it is unknown, and is of one form where it is there. */
static enum accp_status read_fact(const struct accp_json *object, const char *key,
                                  bool (*is_one)(const char *), const char *form, char *text,
                                  size_t bytes, struct accp_error *error)
{
    ACCP_TRY(read_text(object, key, text, bytes, error));
    if (!accp_json_has(object, key) || is_one(text)) return ACCP_STATUS_OK;
    return accp_json_fail(object, error, "%s: is not %s; leave it out where it is unknown", key,
                          form);
}

/* Members of device, compiler and protocol: FIELD(kind, member). The file's key is the member's
 * name. */
#define DEVICE_FIELDS(TEXT, REAL, COUNT) \
    TEXT(name) \
    TEXT(arch) \
    COUNT(sm_count) \
    COUNT(memory_bytes) \
    TEXT(pci_id) \
    TEXT(pci_device) \
    TEXT(uuid_hash) \
    TEXT(driver) \
    REAL(sm_clock_mhz) \
    REAL(sm_clock_max_mhz) \
    REAL(memory_clock_mhz) \
    REAL(achieved_mhz_before) \
    REAL(achieved_mhz_after) \
    TEXT(mig) \
    TEXT(ecc) \
    TEXT(throttle) \
    COUNT(other_processes) \
    COUNT(utilization_percent)

static enum accp_status read_device(const struct accp_json *root, struct accp_run_device *device,
                                    struct accp_error *error)
{
    struct accp_json object;
    ACCP_TRY(accp_json_member(root, "device", JSON_OBJECT, &object, error));
#define TEXT(member) \
    ACCP_TRY(read_text(&object, #member, device->member, sizeof device->member, error));
#define REAL(member)  ACCP_TRY(read_real(&object, #member, &device->member, error));
#define COUNT(member) ACCP_TRY(read_count(&object, #member, &device->member, error));
    DEVICE_FIELDS(TEXT, REAL, COUNT)
#undef TEXT
#undef REAL
#undef COUNT
#define FACT(member, is_one, form) \
    ACCP_TRY( \
        read_fact(&object, #member, is_one, form, device->member, sizeof device->member, error))
    FACT(arch, accp_fact_is_arch, "an arch like sm_90");
    FACT(pci_id, accp_fact_is_bus_address, "a domain, bus, device and function like 0000:19:00.0");
    FACT(pci_device, accp_fact_is_pci_device, "a vendor and device like 10de:2335");
    FACT(mig, accp_fact_is_mode, "on or off");
    FACT(ecc, accp_fact_is_mode, "on or off");
#undef FACT
    return ACCP_STATUS_OK;
}

static enum accp_status read_compiler(const struct accp_json *root,
                                      struct accp_run_compiler *compiler, struct accp_error *error)
{
    struct accp_json object;
    ACCP_TRY(accp_json_member(root, "compiler", JSON_OBJECT, &object, error));
    ACCP_TRY(read_text(&object, "name", compiler->name, sizeof compiler->name, error));
    ACCP_TRY(read_text(&object, "version", compiler->version, sizeof compiler->version, error));
    return read_text(&object, "flags", compiler->flags, sizeof compiler->flags, error);
}

static enum accp_status read_protocol(const struct accp_json *root,
                                      struct accp_run_protocol *protocol, struct accp_error *error)
{
    struct accp_json object;
    ACCP_TRY(accp_json_member(root, "protocol", JSON_OBJECT, &object, error));
    ACCP_TRY(read_text(&object, "name", protocol->name, sizeof protocol->name, error));
    if (accp_json_has(&object, "seed")) {
        int64_t seed;
        ACCP_TRY(accp_json_integer(&object, "seed", 0, INT64_MAX, &seed, error));
        protocol->seed = (uint64_t)seed;
    }
#define INT(member) ACCP_TRY(read_int(&object, #member, 0, COUNT_MAX, &protocol->member, error))
    INT(blocks);
    INT(launches);
    INT(budget_cycles);
    INT(skew_cycles);
    INT(warmup_cycles);
#undef INT
    return ACCP_STATUS_OK;
}

static enum accp_status read_modes(const struct accp_json *object, struct accp_cycles *cycles,
                                   struct accp_error *error)
{
    if (!accp_json_has(object, "modes")) return ACCP_STATUS_OK;
    struct accp_json modes;
    ACCP_TRY(accp_json_member(object, "modes", JSON_ARRAY, &modes, error));
    cycles->mode_count = json_array_size(modes.value);
    if (cycles->mode_count > ACCP_RUN_MODES)
        return accp_json_fail(&modes, error, "has %zu entries, at most %d fit", cycles->mode_count,
                              ACCP_RUN_MODES);
    for (size_t i = 0; i < cycles->mode_count; ++i) {
        struct accp_json mode;
        ACCP_TRY(accp_json_element(&modes, i, JSON_ARRAY, &mode, error));
        const json_t *value = json_array_get(mode.value, 0),
                     *weight = json_array_get(mode.value, 1);
        if (json_array_size(mode.value) != 2 || !json_is_number(value) || !json_is_number(weight))
            return accp_json_fail(&mode, error, "must be [cycles, weight]");
        struct accp_mode read = {json_number_value(value), json_number_value(weight)};
        if (!(read.cycles > 0 && accp_run_round(read.cycles) < cycles_max && read.weight > 0 &&
              read.weight <= 1))
            return accp_json_fail(&mode, error,
                                  "has cycles not above 0, or a weight outside 0 to 1");
        cycles->modes[i] = read;
    }
    return ACCP_STATUS_OK;
}

static enum accp_status read_cycles(const struct accp_json *role, struct accp_cycles *cycles,
                                    struct accp_error *error)
{
    struct accp_json object;
    int64_t n;
    ACCP_TRY(accp_json_member(role, "cycles", JSON_OBJECT, &object, error));
    ACCP_TRY(accp_json_integer(&object, "n", 0, INT64_MAX, &n, error));
    cycles->n = (uint64_t)n;
    if (n == 0) return ACCP_STATUS_OK;
    ACCP_TRY(accp_json_number(&object, "mean", 0, cycles_max, &cycles->mean, error));
    ACCP_TRY(accp_json_number(&object, "min", 0, cycles_max, &cycles->min, error));
    ACCP_TRY(accp_json_number(&object, "max", 0, cycles_max, &cycles->max, error));
    const double mean = accp_run_round(cycles->mean), max = accp_run_round(cycles->max);
    const double slack = ACCP_RUN_SLACK * max; /* a mean may step over its bounds by a last digit */
    if (mean <= 0 || accp_run_round(cycles->min) > mean + slack || mean > max + slack)
        return accp_json_fail(&object, error, "must have min <= mean <= max, and a mean above 0");
    return read_modes(&object, cycles, error);
}

/* A role that carries one of our probes' names must be one of theirs; others are strangers'
 * symbols. */
static enum accp_status check_known(const struct accp_json *object,
                                    const struct accp_run_role *role, struct accp_error *error)
{
    char probe[ACCP_NAME_BYTES];
    snprintf(probe, sizeof probe, "%s", role->role);
    char *dot = strchr(probe, '.');
    if (dot) *dot = 0;
    if (!dot || accp_probe_find(probe) < 0) return ACCP_STATUS_OK;
    const struct accp_role *known = accp_role_find(role->role);
    if (!known || strcmp(known->name, role->role) != 0)
        return accp_json_fail(object, error, "role \"%s\" is not in the table of probe %s",
                              role->role, probe);
    if (known->chain != role->chain || known->acc != role->acc ||
        known->effective != role->effective || strcmp(known->kernel, role->kernel) != 0)
        return accp_json_fail(
            object, error, "role \"%s\" differs from the table in chain, acc, effective or kernel",
            role->role);
    return ACCP_STATUS_OK;
}

static enum accp_status read_hash(const struct accp_json *object, const char *key,
                                  char hash[ACCP_SASS_HASH_BYTES], struct accp_error *error)
{
    ACCP_TRY(accp_json_string(object, key, hash, ACCP_SASS_HASH_BYTES, error));
    if (strlen(hash) == ACCP_SASS_HASH_BYTES - 1 &&
        strspn(hash, "0123456789abcdef") == strlen(hash))
        return ACCP_STATUS_OK;
    return accp_json_fail(object, error, "%s: is not 16 hexadecimal digits", key);
}

enum accp_status accp_run_sass_read(const struct accp_json *object, char sass[ACCP_SASS_HASH_BYTES],
                                    char sass_exact[ACCP_SASS_HASH_BYTES], struct accp_error *error)
{
    if (!accp_json_has(object, "sass") && !accp_json_has(object, "sass_exact"))
        return ACCP_STATUS_OK;
    ACCP_TRY(read_hash(object, "sass", sass, error));
    return read_hash(object, "sass_exact", sass_exact, error);
}

static enum accp_status read_role(const struct accp_json *object, struct accp_run_role *role,
                                  struct accp_error *error)
{
    ACCP_TRY(accp_json_string(object, "role", role->role, sizeof role->role, error));
    ACCP_TRY(accp_json_string(object, "kernel", role->kernel, sizeof role->kernel, error));
    if (!role->role[0] || !role->kernel[0])
        return accp_json_fail(object, error, "role or kernel has an empty name");
    ACCP_TRY(read_int(object, "chain", 0, COUNT_MAX, &role->chain, error));
    ACCP_TRY(read_int(object, "acc", 0, COUNT_MAX, &role->acc, error));
    ACCP_TRY(read_int(object, "effective", 0, COUNT_MAX, &role->effective, error));
    int64_t warps;
    ACCP_TRY(accp_json_integer(object, "warps", 1, ACCP_RUN_WARPS, &warps, error));
    role->warps = (int)warps;
    ACCP_TRY(accp_run_sass_read(object, role->sass, role->sass_exact, error));
    ACCP_TRY(read_int(object, "spills", 1, COUNT_MAX, &role->spills, error));
    ACCP_TRY(read_int(object, "registers", 1, REGISTERS_MAX, &role->registers, error));
    ACCP_TRY(read_cycles(object, &role->cycles, error));
    if (role->cycles.n > 0)
        ACCP_TRY(accp_json_number(object, "progress", 0, cycles_max, &role->progress, error));
    return check_known(object, role, error);
}

static int compare_roles(const void *left, const void *right)
{
    const struct accp_run_role *a = *(const struct accp_run_role *const *)left;
    const struct accp_run_role *b = *(const struct accp_run_role *const *)right;
    int order = strcmp(a->role, b->role);
    return order ? order : a->warps - b->warps;
}

static enum accp_status refuse_doubles(const char *file, const struct accp_run *run,
                                       struct accp_error *error)
{
    const struct accp_run_role **sorted = malloc(run->role_count * sizeof *sorted);
    if (!sorted) return accp_fail(error, ACCP_STATUS_MEMORY, file, -1, "no memory for its roles");
    for (size_t i = 0; i < run->role_count; ++i)
        sorted[i] = &run->roles[i];
    qsort(sorted, run->role_count, sizeof *sorted, compare_roles);
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 1; i < run->role_count && status == ACCP_STATUS_OK; ++i)
        if (compare_roles(&sorted[i - 1], &sorted[i]) == 0)
            status = accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                               "role \"%s\" at %d warp%s stands there twice", sorted[i]->role,
                               sorted[i]->warps, ACCP_PLURAL(sorted[i]->warps, "s"));
    free(sorted);
    return status;
}

static enum accp_status read_source(const struct accp_json *root, enum accp_source *source,
                                    struct accp_error *error)
{
    char text[32];
    ACCP_TRY(accp_json_string(root, "source", text, sizeof text, error));
    for (int i = 0; i < ACCP_SOURCE_COUNT; ++i) {
        if (strcmp(text, source_text[i]) != 0) continue;
        *source = (enum accp_source)i;
        return ACCP_STATUS_OK;
    }
    return accp_json_fail(root, error, "source is \"%s\", not measured, predicted or document",
                          text);
}

static enum accp_status read_reference(const struct accp_json *root, struct accp_run *run,
                                       struct accp_error *error)
{
    if (!accp_json_has(root, "reference")) return ACCP_STATUS_OK;
    struct accp_json object;
    ACCP_TRY(accp_json_member(root, "reference", JSON_OBJECT, &object, error));
    ACCP_TRY(accp_json_number(&object, "first_half", 0, cycles_max, &run->reference_first, error));
    return accp_json_number(&object, "second_half", 0, cycles_max, &run->reference_second, error);
}

static enum accp_status read_root(const struct accp_json *root, struct accp_run *run,
                                  struct accp_error *error)
{
    ACCP_TRY(accp_json_format(root, format_name, error));
    ACCP_TRY(read_source(root, &run->source, error));
    ACCP_TRY(read_fact(root, "date", accp_fact_is_date, "a time like 2026-11-30T05:54:47Z",
                       run->date, sizeof run->date, error));
    ACCP_TRY(read_fact(root, "tool", accp_fact_is_version, "a version of accprobe", run->tool,
                       sizeof run->tool, error));
    ACCP_TRY(read_device(root, &run->device, error));
    ACCP_TRY(read_compiler(root, &run->compiler, error));
    ACCP_TRY(read_protocol(root, &run->protocol, error));
    ACCP_TRY(read_reference(root, run, error));
    struct accp_json roles;
    ACCP_TRY(accp_json_member(root, "roles", JSON_ARRAY, &roles, error));
    size_t count = json_array_size(roles.value);
    if (count == 0) return accp_json_fail(&roles, error, "is empty: nothing was run");
    if (count > ACCP_RUN_ROLES)
        return accp_json_fail(&roles, error, "has %zu entries, at most %d fit", count,
                              ACCP_RUN_ROLES);
    for (size_t i = 0; i < count; ++i) {
        struct accp_json object;
        struct accp_run_role *role;
        ACCP_TRY(accp_json_element(&roles, i, JSON_OBJECT, &object, error));
        ACCP_TRY(accp_run_append(run, &role, error));
        ACCP_TRY(read_role(&object, role, error));
        ACCP_TRY(accp_mix_read(&object, role, run, error));
    }
    return refuse_doubles(root->file, run, error);
}

enum accp_status accp_run_parse(const char *file, const void *data, size_t size,
                                struct accp_run *run, struct accp_error *error)
{
    json_t *json;
    struct accp_json root;
    accp_run_init(run);
    ACCP_TRY(accp_json_parse(file, data, size, &json, &root, error));
    enum accp_status status = read_root(&root, run, error);
    json_decref(json);
    if (status != ACCP_STATUS_OK) accp_run_fini(run);
    return status;
}

enum accp_status accp_run_read(const char *file, struct accp_run *run, struct accp_error *error)
{
    struct accp_bytes bytes;
    accp_run_init(run);
    ACCP_TRY(accp_file_read(file, ACCP_JSON_FILE_LIMIT_BYTES, &bytes, error));
    enum accp_status status = accp_run_parse(file, bytes.data, bytes.size, run, error);
    accp_bytes_fini(&bytes);
    return status;
}

double accp_run_round(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    return strtod(text, NULL);
}

json_t *accp_run_rounded(double value)
{
    return json_real(accp_run_round(value));
}

static json_t *device_json(const struct accp_run_device *device)
{
    json_t *object = json_object();
#define TEXT(member) \
    if (device->member[0]) json_object_set_new(object, #member, json_string(device->member));
#define REAL(member) \
    if (device->member >= 0) json_object_set_new(object, #member, accp_run_rounded(device->member));
#define COUNT(member) \
    if (device->member >= 0) json_object_set_new(object, #member, json_integer(device->member));
    DEVICE_FIELDS(TEXT, REAL, COUNT)
#undef TEXT
#undef REAL
#undef COUNT
    return object;
}

static json_t *compiler_json(const struct accp_run_compiler *compiler)
{
    json_t *object = json_object();
    if (compiler->name[0]) json_object_set_new(object, "name", json_string(compiler->name));
    if (compiler->version[0])
        json_object_set_new(object, "version", json_string(compiler->version));
    if (compiler->flags[0]) json_object_set_new(object, "flags", json_string(compiler->flags));
    return object;
}

static json_t *protocol_json(const struct accp_run_protocol *protocol)
{
    json_t *object = json_object();
    if (!protocol->name[0]) return object;
    json_object_set_new(object, "name", json_string(protocol->name));
    json_object_set_new(object, "seed", json_integer((json_int_t)protocol->seed));
    json_object_set_new(object, "blocks", json_integer(protocol->blocks));
    json_object_set_new(object, "launches", json_integer(protocol->launches));
    json_object_set_new(object, "budget_cycles", json_integer(protocol->budget_cycles));
    json_object_set_new(object, "skew_cycles", json_integer(protocol->skew_cycles));
    json_object_set_new(object, "warmup_cycles", json_integer(protocol->warmup_cycles));
    return object;
}

static json_t *cycles_json(const struct accp_cycles *cycles)
{
    json_t *object = json_object();
    if (cycles->n > 0) {
        json_object_set_new(object, "mean", accp_run_rounded(cycles->mean));
        json_object_set_new(object, "min", accp_run_rounded(cycles->min));
        json_object_set_new(object, "max", accp_run_rounded(cycles->max));
    }
    json_object_set_new(object, "n", json_integer((json_int_t)cycles->n));
    json_t *modes = json_array();
    for (size_t i = 0; i < cycles->mode_count; ++i) {
        json_t *mode = json_array();
        json_array_append_new(mode, accp_run_rounded(cycles->modes[i].cycles));
        json_array_append_new(mode, accp_run_rounded(cycles->modes[i].weight));
        json_array_append_new(modes, mode);
    }
    if (cycles->mode_count > 0)
        json_object_set_new(object, "modes", modes);
    else
        json_decref(modes);
    return object;
}

static json_t *role_json(const struct accp_run *run, const struct accp_run_role *role)
{
    const struct accp_run_mix *mix = accp_run_find_mix(run, role->role, role->warps);
    json_t *object = json_object();
    json_object_set_new(object, "role", json_string(role->role));
    json_object_set_new(object, "kernel", json_string(role->kernel));
    if (role->chain > 0) {
        json_object_set_new(object, "chain", json_integer(role->chain));
        json_object_set_new(object, "acc", json_integer(role->acc));
        json_object_set_new(object, "effective", json_integer(role->effective));
    }
    json_object_set_new(object, "warps", json_integer(role->warps));
    if (role->sass[0]) json_object_set_new(object, "sass", json_string(role->sass));
    if (role->sass_exact[0])
        json_object_set_new(object, "sass_exact", json_string(role->sass_exact));
    if (role->registers > 0)
        json_object_set_new(object, "registers", json_integer(role->registers));
    if (role->spills > 0) json_object_set_new(object, "spills", json_integer(role->spills));
    json_object_set_new(object, "cycles", cycles_json(&role->cycles));
    if (role->cycles.n > 0)
        json_object_set_new(object, "progress", accp_run_rounded(role->progress));
    if (mix) accp_mix_write(object, mix);
    return object;
}

/* Writes `value` behind `before` and takes it over. jansson has no "one element a line". */
static int put(FILE *stream, const char *before, json_t *value)
{
    int failed = !value || fputs(before, stream) < 0 ||
                 json_dumpf(value, stream, JSON_ENCODE_ANY | JSON_REAL_PRECISION(7)) != 0;
    json_decref(value);
    return failed;
}

static int put_run(FILE *stream, const struct accp_run *run)
{
    int failed = fprintf(stream, "{\"format\": \"%s\", \"source\": \"%s\"", format_name,
                         source_text[run->source]) < 0;
    if (run->date[0]) failed |= put(stream, ", \"date\": ", json_string(run->date));
    if (run->tool[0]) failed |= put(stream, ", \"tool\": ", json_string(run->tool));
    failed |= put(stream, ",\n \"device\": ", device_json(&run->device));
    failed |= put(stream, ",\n \"compiler\": ", compiler_json(&run->compiler));
    failed |= put(stream, ",\n \"protocol\": ", protocol_json(&run->protocol));
    if (run->reference_first >= 0) {
        json_t *reference = json_object();
        json_object_set_new(reference, "first_half", accp_run_rounded(run->reference_first));
        json_object_set_new(reference, "second_half", accp_run_rounded(run->reference_second));
        failed |= put(stream, ",\n \"reference\": ", reference);
    }
    failed |= fputs(",\n \"roles\": [", stream) < 0;
    for (size_t i = 0; i < run->role_count; ++i)
        failed |= put(stream, i ? ",\n  " : "\n  ", role_json(run, &run->roles[i]));
    return failed | (fputs("]}\n", stream) < 0);
}

enum accp_status accp_run_format(const struct accp_run *run, char **text, size_t *text_bytes,
                                 struct accp_error *error)
{
    *text = NULL;
    FILE *stream = open_memstream(text, text_bytes);
    int failed = !stream || put_run(stream, run);
    if (stream && fclose(stream) != 0) failed = 1;
    if (!failed) return ACCP_STATUS_OK;
    free(*text);
    *text = NULL;
    return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory to write a run");
}

enum accp_status accp_run_write(const char *file, const struct accp_run *run,
                                struct accp_error *error)
{
    char *text;
    size_t bytes;
    ACCP_TRY(accp_run_format(run, &text, &bytes, error));
    enum accp_status status = accp_file_write_atomic(file, text, bytes, error);
    free(text);
    return status;
}
