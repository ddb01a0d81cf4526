#include "golden/golden.h"
#include "golden/statistics.h"
#include "run/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char format_name[] = "accprobe-golden/1";

enum { WARPS_MAX = 32, SESSIONS_MAX = 1 << 20, COUNT_MAX = 1 << 30 };
static const double cycles_max = 1e12, margin_max = 1;

static enum accp_status read_int(const struct accp_json *object, const char *key, int low, int high,
                                 int *value, struct accp_error *error)
{
    int64_t wide;
    ACCP_TRY(accp_json_integer(object, key, low, high, &wide, error));
    *value = (int)wide;
    return ACCP_STATUS_OK;
}

static enum accp_status read_sku(const struct accp_json *root, struct accp_golden *golden,
                                 struct accp_error *error)
{
    struct accp_json object;
    struct accp_sku *sku = &golden->sku;
    ACCP_TRY(accp_json_member(root, "sku", JSON_OBJECT, &object, error));
    ACCP_TRY(accp_json_string(&object, "arch", sku->arch, sizeof sku->arch, error));
    if (!accp_arch_find(sku->arch))
        return accp_json_fail(&object, error, "arch \"%s\" is not in the table of arches",
                              sku->arch);
    if (golden->source == ACCP_SOURCE_PREDICTED) return ACCP_STATUS_OK;
    ACCP_TRY(
        accp_json_string(&object, "pci_device", sku->pci_device, sizeof sku->pci_device, error));
    if (!accp_fact_is_pci_device(sku->pci_device))
        return accp_json_fail(&object, error,
                              "pci_device: is not a vendor and device like 10de:2335");
    ACCP_TRY(accp_json_integer(&object, "sm_count", 1, COUNT_MAX, &sku->sm_count, error));
    return accp_json_integer(&object, "memory_bytes", 1, INT64_MAX, &sku->memory_bytes, error);
}

static enum accp_status read_protocol(const struct accp_json *record,
                                      struct accp_run_protocol *protocol, struct accp_error *error)
{
    struct accp_json object;
    ACCP_TRY(accp_json_member(record, "protocol", JSON_OBJECT, &object, error));
    ACCP_TRY(accp_json_string(&object, "name", protocol->name, sizeof protocol->name, error));
#define INT(member) ACCP_TRY(read_int(&object, #member, 0, COUNT_MAX, &protocol->member, error))
    INT(blocks);
    INT(launches);
    INT(budget_cycles);
    INT(skew_cycles);
    INT(warmup_cycles);
#undef INT
    return ACCP_STATUS_OK;
}

static enum accp_status read_record(const struct accp_json *object,
                                    struct accp_golden_provenance *record, struct accp_error *error)
{
    struct accp_json compiler;
#define TEXT(member) \
    ACCP_TRY(accp_json_string(object, #member, record->member, sizeof record->member, error))
    TEXT(date);
    TEXT(reason);
    TEXT(commit);
    TEXT(tool);
    TEXT(device);
    TEXT(driver);
#undef TEXT
    ACCP_TRY(accp_json_member(object, "compiler", JSON_OBJECT, &compiler, error));
#define TEXT(member) \
    ACCP_TRY(accp_json_string(&compiler, #member, record->compiler.member, \
                              sizeof record->compiler.member, error))
    TEXT(name);
    TEXT(version);
    TEXT(flags);
#undef TEXT
    return read_protocol(object, &record->protocol, error);
}

static enum accp_status read_cycles(const struct accp_json *object, struct accp_golden_level *level,
                                    struct accp_error *error)
{
    ACCP_TRY(accp_json_number(object, "mean", 1e-3, cycles_max, &level->mean, error));
    ACCP_TRY(accp_json_number(object, "sd", 0, cycles_max, &level->sd, error));
    ACCP_TRY(accp_json_number(object, "tolerance", 1e-6, cycles_max, &level->tolerance, error));
    /* The floor is written with two digits, rounded up. */
    double floor_sd = accp_statistics_floor(0, accp_statistics_quantum(level->mean));
    if (level->sd < floor_sd)
        return accp_json_fail(object, error, "sd is %g, below the %.2g that rounding alone makes",
                              level->sd, floor_sd);
    return ACCP_STATUS_OK;
}

static enum accp_status read_level(const struct accp_json *object, const struct accp_golden *golden,
                                   struct accp_golden_level *level, struct accp_error *error)
{
    ACCP_TRY(accp_json_string(object, "role", level->role, sizeof level->role, error));
    ACCP_TRY(accp_json_string(object, "kernel", level->kernel, sizeof level->kernel, error));
    const struct accp_role *role = accp_role_find(level->role);
    if (!role || strcmp(role->name, level->role) != 0 ||
        strcmp(accp_probe_names[role->probe], golden->probe) != 0)
        return accp_json_fail(object, error, "role \"%s\" is not in the table of probe %s",
                              level->role, golden->probe);
    if (strcmp(role->kernel, level->kernel) != 0)
        return accp_json_fail(object, error, "kernel is \"%s\", where the table has \"%s\"",
                              level->kernel, role->kernel);
    int least = golden->source == ACCP_SOURCE_MEASURED ? ACCP_GOLDEN_SESSIONS_MIN : 1;
    ACCP_TRY(read_int(object, "warps", 1, WARPS_MAX, &level->warps, error));
    ACCP_TRY(read_int(object, "sessions", least, SESSIONS_MAX, &level->sessions, error));
    ACCP_TRY(accp_run_sass_read(object, level->sass, level->sass_exact, error));
    ACCP_TRY(read_int(object, "record", 0, (int)golden->record_count - 1, &level->record, error));
    const bool is_timed = accp_json_has(object, "mean") || accp_json_has(object, "sd") ||
                          accp_json_has(object, "tolerance");
    if (golden->source == ACCP_SOURCE_PREDICTED && !is_timed) return ACCP_STATUS_OK;
    return read_cycles(object, level, error);
}

/* Whether the series, or one of its accs (acc >= 0), stands in the tables. */
static bool series_known(const char *probe, const char *series, int acc)
{
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        char name[ACCP_NAME_BYTES];
        accp_series_name(accp_roles[i].name, name);
        if (strcmp(name, series) == 0 && (acc < 0 || accp_roles[i].acc == acc) &&
            strcmp(accp_probe_names[accp_roles[i].probe], probe) == 0)
            return true;
    }
    return false;
}

static bool family_known(const char *probe, const char *family, int chain)
{
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        char name[ACCP_NAME_BYTES];
        accp_family_name(accp_roles[i].name, name);
        if (strcmp(name, family) == 0 && (chain < 0 || accp_roles[i].chain == chain) &&
            strcmp(accp_probe_names[accp_roles[i].probe], probe) == 0)
            return true;
    }
    return false;
}

/* A list of at most `capacity` whole numbers, none twice. */
static enum accp_status read_list(const struct accp_json *object, const char *key, size_t least,
                                  size_t capacity, int *values, size_t *count,
                                  struct accp_error *error)
{
    struct accp_json list, element;
    ACCP_TRY(accp_json_member(object, key, JSON_ARRAY, &list, error));
    *count = json_array_size(list.value);
    if (*count < least || *count > capacity)
        return accp_json_fail(&list, error, "has %zu entries, %zu to %zu fit", *count, least,
                              capacity);
    for (size_t i = 0; i < *count; ++i) {
        ACCP_TRY(accp_json_element(&list, i, JSON_INTEGER, &element, error));
        json_int_t value = json_integer_value(element.value);
        if (value < 1 || value > COUNT_MAX)
            return accp_json_fail(&element, error, "is out of range");
        values[i] = (int)value;
        for (size_t j = 0; j < i; ++j)
            if (values[j] == values[i])
                return accp_json_fail(&element, error, "%d stands there twice", values[i]);
    }
    return ACCP_STATUS_OK;
}

static bool listed(const int *values, size_t count, int value)
{
    for (size_t i = 0; i < count; ++i)
        if (values[i] == value) return true;
    return false;
}

static enum accp_status read_ties(const struct accp_json *object, struct accp_golden_order *order,
                                  struct accp_error *error)
{
    struct accp_json ties;
    ACCP_TRY(accp_json_member(object, "ties", JSON_ARRAY, &ties, error));
    order->tie_count = json_array_size(ties.value);
    if (order->tie_count > sizeof order->ties / sizeof *order->ties)
        return accp_json_fail(&ties, error, "has %zu entries, at most %zu fit", order->tie_count,
                              sizeof order->ties / sizeof *order->ties);
    for (size_t i = 0; i < order->tie_count; ++i) {
        struct accp_json pair;
        ACCP_TRY(accp_json_element(&ties, i, JSON_ARRAY, &pair, error));
        if (json_array_size(pair.value) != 2)
            return accp_json_fail(&pair, error, "must be a pair of accs");
        for (size_t j = 0; j < 2; ++j) {
            struct accp_json acc;
            ACCP_TRY(accp_json_element(&pair, j, JSON_INTEGER, &acc, error));
            json_int_t value = json_integer_value(acc.value);
            order->ties[i][j] = value < 1 || value > COUNT_MAX ? 0 : (int)value;
            if (!listed(order->accs, order->acc_count, order->ties[i][j]))
                return accp_json_fail(&acc, error, "is not in the order");
        }
    }
    return ACCP_STATUS_OK;
}

static enum accp_status read_order(const struct accp_json *object, const struct accp_golden *golden,
                                   struct accp_golden_order *order, struct accp_error *error)
{
    ACCP_TRY(accp_json_string(object, "series", order->series, sizeof order->series, error));
    if (!series_known(golden->probe, order->series, -1))
        return accp_json_fail(object, error, "series \"%s\" is not in the table of probe %s",
                              order->series, golden->probe);
    ACCP_TRY(read_int(object, "warps", 1, WARPS_MAX, &order->warps, error));
    ACCP_TRY(
        read_list(object, "order", 2, ACCP_GOLDEN_ACCS, order->accs, &order->acc_count, error));
    for (size_t i = 0; i < order->acc_count; ++i)
        if (!series_known(golden->probe, order->series, order->accs[i]))
            return accp_json_fail(object, error, "order[%zu]: %s has no acc%d", i, order->series,
                                  order->accs[i]);
    ACCP_TRY(read_ties(object, order, error));
    ACCP_TRY(
        read_list(object, "peak", 1, ACCP_GOLDEN_ACCS, order->peaks, &order->peak_count, error));
    for (size_t i = 0; i < order->peak_count; ++i)
        if (!listed(order->accs, order->acc_count, order->peaks[i]))
            return accp_json_fail(object, error, "peak[%zu]: is not in the order", i);
    ACCP_TRY(accp_json_number(object, "margin", 1e-6, margin_max, &order->margin, error));
    return read_int(object, "record", 0, (int)golden->record_count - 1, &order->record, error);
}

static enum accp_status read_growth(const struct accp_json *object,
                                    const struct accp_golden *golden,
                                    struct accp_golden_growth *growth, struct accp_error *error)
{
    ACCP_TRY(accp_json_string(object, "family", growth->family, sizeof growth->family, error));
    if (!family_known(golden->probe, growth->family, -1))
        return accp_json_fail(object, error, "family \"%s\" is not in the table of probe %s",
                              growth->family, golden->probe);
    ACCP_TRY(read_int(object, "warps", 1, WARPS_MAX, &growth->warps, error));
    ACCP_TRY(read_list(object, "chains", 2, ACCP_GOLDEN_CHAINS, growth->chains,
                       &growth->chain_count, error));
    for (size_t i = 0; i < growth->chain_count; ++i) {
        if (!family_known(golden->probe, growth->family, growth->chains[i]))
            return accp_json_fail(object, error, "chains[%zu]: %s has no chain%d", i,
                                  growth->family, growth->chains[i]);
        if (i > 0 && growth->chains[i] <= growth->chains[i - 1])
            return accp_json_fail(object, error, "chains[%zu]: is not above the one before", i);
    }
    ACCP_TRY(accp_json_number(object, "margin", 1e-6, margin_max, &growth->margin, error));
    return read_int(object, "record", 0, (int)golden->record_count - 1, &growth->record, error);
}

/* An array of objects: opens it, checks its length and gives room for it. */
static enum accp_status open_rows(const struct accp_json *root, const char *key, size_t least,
                                  size_t most, size_t row_bytes, struct accp_json *rows,
                                  void *storage, size_t *count, struct accp_error *error)
{
    ACCP_TRY(accp_json_member(root, key, JSON_ARRAY, rows, error));
    *count = json_array_size(rows->value);
    if (*count < least || *count > most) {
        size_t found = *count;
        *count = 0;
        return accp_json_fail(rows, error, "has %zu entries, %zu to %zu fit", found, least, most);
    }
    void *memory = calloc(*count + 1, row_bytes);
    if (!memory) {
        *count = 0;
        return accp_fail(error, ACCP_STATUS_MEMORY, root->file, -1, "no memory for its rows");
    }
    memcpy(storage, &memory, sizeof memory);
    return ACCP_STATUS_OK;
}

/* Rows stand sorted by their name and number of warps, so that a diff of two goldens is short, and
 * doubles show. */
static enum accp_status check_sorted(const struct accp_json *row, const char *before,
                                     int warps_before, const char *name, int warps,
                                     struct accp_error *error)
{
    int order = strcmp(before, name);
    if (order == 0 && warps_before == warps)
        return accp_json_fail(row, error, "\"%s\" at %d warps stands there twice", name, warps);
    if (order > 0 || (order == 0 && warps_before > warps))
        return accp_json_fail(row, error, "\"%s\" at %d warps is out of order: rows are sorted",
                              name, warps);
    return ACCP_STATUS_OK;
}

#define READ_ROWS(key, least, rows_, count_, name, read) \
    do { \
        struct accp_json rows, row; \
        ACCP_TRY(open_rows(root, key, least, ACCP_GOLDEN_ROWS, sizeof *golden->rows_, &rows, \
                           &golden->rows_, &golden->count_, error)); \
        for (size_t i = 0; i < golden->count_; ++i) { \
            ACCP_TRY(accp_json_element(&rows, i, JSON_OBJECT, &row, error)); \
            ACCP_TRY(read(&row, golden, &golden->rows_[i], error)); \
            if (i == 0) continue; \
            ACCP_TRY(check_sorted(&row, golden->rows_[i - 1].name, golden->rows_[i - 1].warps, \
                                  golden->rows_[i].name, golden->rows_[i].warps, error)); \
        } \
    } while (0)

static enum accp_status read_header(const struct accp_json *root, struct accp_golden *golden,
                                    struct accp_error *error)
{
    char source[16];
    ACCP_TRY(accp_json_format(root, format_name, error));
    ACCP_TRY(accp_json_string(root, "probe", golden->probe, sizeof golden->probe, error));
    if (accp_probe_find(golden->probe) < 0)
        return accp_json_fail(root, error, "probe \"%s\" is not known", golden->probe);
    ACCP_TRY(accp_json_string(root, "source", source, sizeof source, error));
    if (strcmp(source, accp_source_text(ACCP_SOURCE_PREDICTED)) == 0)
        golden->source = ACCP_SOURCE_PREDICTED;
    else if (strcmp(source, accp_source_text(ACCP_SOURCE_MEASURED)) != 0)
        return accp_json_fail(root, error, "source is \"%s\", not measured or predicted", source);
    ACCP_TRY(read_sku(root, golden, error));
    ACCP_TRY(
        accp_json_number(root, "false_alarm_rate", 1e-9, 0.5, &golden->false_alarm_rate, error));
    return read_int(root, "comparisons", 1, ACCP_GOLDEN_ROWS, &golden->comparisons, error);
}

static enum accp_status read_root(const struct accp_json *root, struct accp_golden *golden,
                                  struct accp_error *error)
{
    struct accp_json records, record;
    ACCP_TRY(read_header(root, golden, error));
    ACCP_TRY(open_rows(root, "records", 1, ACCP_GOLDEN_RECORDS, sizeof *golden->records, &records,
                       &golden->records, &golden->record_count, error));
    for (size_t i = 0; i < golden->record_count; ++i) {
        ACCP_TRY(accp_json_element(&records, i, JSON_OBJECT, &record, error));
        ACCP_TRY(read_record(&record, &golden->records[i], error));
    }
    READ_ROWS("levels", 1, levels, level_count, role, read_level);
    READ_ROWS("orders", 0, orders, order_count, series, read_order);
    READ_ROWS("growths", 0, growths, growth_count, family, read_growth);
    return ACCP_STATUS_OK;
}

enum accp_status accp_golden_parse(const char *file, const void *data, size_t size,
                                   struct accp_golden *golden, struct accp_error *error)
{
    json_t *json;
    struct accp_json root;
    accp_golden_init(golden);
    ACCP_TRY(accp_json_parse(file, data, size, &json, &root, error));
    enum accp_status status = read_root(&root, golden, error);
    json_decref(json);
    if (status != ACCP_STATUS_OK) accp_golden_fini(golden);
    return status;
}

enum accp_status accp_golden_read(const char *file, struct accp_golden *golden,
                                  struct accp_error *error)
{
    struct accp_bytes bytes;
    accp_golden_init(golden);
    ACCP_TRY(accp_file_read(file, ACCP_JSON_FILE_LIMIT_BYTES, &bytes, error));
    enum accp_status status = accp_golden_parse(file, bytes.data, bytes.size, golden, error);
    accp_bytes_fini(&bytes);
    return status;
}
