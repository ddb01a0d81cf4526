#include "golden/golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Writes a JSON string with its quotes; jansson knows how to escape. */
static int put_text(FILE *stream, const char *before, const char *text)
{
    json_t *value = json_string(text);
    int failed =
        !value || fputs(before, stream) < 0 || json_dumpf(value, stream, JSON_ENCODE_ANY) != 0;
    json_decref(value);
    return failed;
}

static int put_record(FILE *stream, const struct accp_golden_provenance *record)
{
    const struct accp_run_protocol *protocol = &record->protocol;
    int failed = put_text(stream, "{\"date\": ", record->date);
    failed |= put_text(stream, ", \"reason\": ", record->reason);
    failed |= put_text(stream, ",\n   \"commit\": ", record->commit);
    failed |= put_text(stream, ", \"tool\": ", record->tool);
    failed |= put_text(stream, ", \"device\": ", record->device);
    failed |= put_text(stream, ", \"driver\": ", record->driver);
    failed |= put_text(stream, ",\n   \"compiler\": {\"name\": ", record->compiler.name);
    failed |= put_text(stream, ", \"version\": ", record->compiler.version);
    failed |= put_text(stream, ", \"flags\": ", record->compiler.flags);
    failed |= put_text(stream, "},\n   \"protocol\": {\"name\": ", protocol->name);
    return failed | (fprintf(stream,
                             ", \"blocks\": %d, \"launches\": %d, \"budget_cycles\": %d, "
                             "\"skew_cycles\": %d, \"warmup_cycles\": %d}}",
                             protocol->blocks, protocol->launches, protocol->budget_cycles,
                             protocol->skew_cycles, protocol->warmup_cycles) < 0);
}

static int put_list(FILE *stream, const char *before, const int *values, size_t count)
{
    int failed = fputs(before, stream) < 0;
    for (size_t i = 0; i < count; ++i)
        failed |= fprintf(stream, "%s%d", i ? ", " : "", values[i]) < 0;
    return failed | (fputs("]", stream) < 0);
}

static int put_level(FILE *stream, const struct accp_golden_level *level)
{
    int failed = put_text(stream, "{\"role\": ", level->role);
    failed |= put_text(stream, ", \"kernel\": ", level->kernel);
    if (level->sass[0]) {
        failed |= put_text(stream, ", \"sass\": ", level->sass);
        failed |= put_text(stream, ", \"sass_exact\": ", level->sass_exact);
    }
    failed |=
        fprintf(stream, ", \"warps\": %d, \"sessions\": %d", level->warps, level->sessions) < 0;
    if (level->mean > 0)
        failed |= fprintf(stream, ", \"mean\": %.10g, \"sd\": %.10g, \"tolerance\": %.10g",
                          level->mean, level->sd, level->tolerance) < 0;
    return failed | (fprintf(stream, ", \"record\": %d}", level->record) < 0);
}

static int put_order(FILE *stream, const struct accp_golden_order *order)
{
    int failed = put_text(stream, "{\"series\": ", order->series);
    failed |= fprintf(stream, ", \"warps\": %d", order->warps) < 0;
    failed |= put_list(stream, ", \"order\": [", order->accs, order->acc_count);
    failed |= fputs(", \"ties\": [", stream) < 0;
    for (size_t i = 0; i < order->tie_count; ++i)
        failed |=
            fprintf(stream, "%s[%d, %d]", i ? ", " : "", order->ties[i][0], order->ties[i][1]) < 0;
    failed |= put_list(stream, "], \"peak\": [", order->peaks, order->peak_count);
    return failed | (fprintf(stream, ", \"margin\": %.10g, \"record\": %d}", order->margin,
                             order->record) < 0);
}

static int put_growth(FILE *stream, const struct accp_golden_growth *growth)
{
    int failed = put_text(stream, "{\"family\": ", growth->family);
    failed |= fprintf(stream, ", \"warps\": %d", growth->warps) < 0;
    failed |= put_list(stream, ", \"chains\": [", growth->chains, growth->chain_count);
    return failed | (fprintf(stream, ", \"margin\": %.10g, \"record\": %d}", growth->margin,
                             growth->record) < 0);
}

static int put_golden(FILE *stream, const struct accp_golden *golden)
{
    int failed = put_text(stream, "{\"format\": \"accprobe-golden/1\", \"probe\": ", golden->probe);
    failed |= put_text(stream, ", \"source\": ", accp_source_text(golden->source));
    failed |= put_text(stream, ",\n \"sku\": {\"arch\": ", golden->sku.arch);
    if (golden->source == ACCP_SOURCE_MEASURED) {
        failed |= fprintf(stream, ", \"sm_count\": %" PRId64, golden->sku.sm_count) < 0;
        failed |= put_text(stream, ", \"pci_device\": ", golden->sku.pci_device);
        failed |= fprintf(stream, ", \"memory_bytes\": %" PRId64, golden->sku.memory_bytes) < 0;
    }
    failed |=
        fprintf(stream, "},\n \"false_alarm_rate\": %.10g, \"comparisons\": %d,\n \"records\": [",
                golden->false_alarm_rate, golden->comparisons) < 0;
#define PUT_ROWS(rows, count, put_row) \
    for (size_t i = 0; i < golden->count; ++i) { \
        failed |= fputs(i ? ",\n  " : "\n  ", stream) < 0; \
        failed |= put_row(stream, &golden->rows[i]); \
    }
    PUT_ROWS(records, record_count, put_record)
    failed |= fputs("],\n \"levels\": [", stream) < 0;
    PUT_ROWS(levels, level_count, put_level)
    failed |= fputs("],\n \"orders\": [", stream) < 0;
    PUT_ROWS(orders, order_count, put_order)
    failed |= fputs("],\n \"growths\": [", stream) < 0;
    PUT_ROWS(growths, growth_count, put_growth)
#undef PUT_ROWS
    return failed | (fputs("]}\n", stream) < 0);
}

enum accp_status accp_golden_format(const struct accp_golden *golden, char **text,
                                    size_t *text_bytes, struct accp_error *error)
{
    *text = NULL;
    FILE *stream = open_memstream(text, text_bytes);
    int failed = !stream || put_golden(stream, golden);
    if (stream && fclose(stream) != 0) failed = 1;
    if (!failed) return ACCP_STATUS_OK;
    free(*text);
    *text = NULL;
    return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory to write a golden");
}
