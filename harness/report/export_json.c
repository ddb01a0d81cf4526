#include "base/json.h"
#include "report/export.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* "optimal.chain29.acc2@8": the name of a point in every JSON format but Google Benchmark's, which has its own way. */
static void name_of(const struct accp_point *point, char name[ACCP_CLAIM_BYTES])
{
    snprintf(name, ACCP_CLAIM_BYTES, "%s@%d", point->role, point->warps);
}

/* As many digits as a run file has. */
static json_t *rounded(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    return json_real(strtod(text, NULL));
}

/* Takes `root` over; a jansson constructor that found no memory leaves NULL somewhere, which json_dumpf refuses. */
static enum accp_status put(const struct accp_exporting *exporting, json_t *root,
                            struct accp_error *error)
{
    int failed =
        !root || json_dumpf(root, exporting->stream, JSON_INDENT(1) | JSON_REAL_PRECISION(7)) != 0;
    json_decref(root);
    fputc('\n', exporting->stream);
    return accp_json_written(exporting->stream, failed, "the export", error);
}

/* What the run says of its machine; texts that it does not know are left out. */
static void set_text(json_t *object, const char *key, const char *text)
{
    if (text[0]) json_object_set_new(object, key, json_string(text));
}

/* Google Benchmark knows times alone. A cycle becomes the time that it takes at the highest SM clock that the run
 * names, so that ratios of times are ratios of cycles, whatever the clock did; 1 ns where it names none. */
static double nanoseconds_per_cycle(const struct accp_run *run)
{
    return run->device.sm_clock_max_mhz > 0 ? 1000 / run->device.sm_clock_max_mhz : 1;
}

static json_t *google_context(const struct accp_exporting *exporting)
{
    const struct accp_run *run = &exporting->report->runs[0];
    double scale = nanoseconds_per_cycle(run);
    json_t *context = json_object();
    json_object_set_new(context, "date", json_string(run->date));
    json_object_set_new(context, "host_name", json_string(run->device.name));
    json_object_set_new(context, "executable", json_string("accprobe " ACCPROBE_VERSION));
    json_object_set_new(
        context, "num_cpus",
        json_integer(run->device.sm_count > 0 ? (json_int_t)run->device.sm_count : 1));
    json_object_set_new(context, "mhz_per_cpu", json_integer((json_int_t)(1000 / scale + 0.5)));
    json_object_set_new(context, "cpu_scaling_enabled", json_false());
    json_object_set_new(context, "caches", json_array());
    json_object_set_new(context, "load_avg", json_array());
    json_object_set_new(context, "library_build_type", json_string("release"));
    json_object_set_new(context, "accprobe_source", json_string(accp_source_text(run->source)));
    json_object_set_new(context, "accprobe_verdict",
                        json_string(accp_verdict_name(exporting->report->judgement->verdict)));
    json_object_set_new(
        context, "accprobe_time",
        json_string(
            "cycles per iteration at mhz_per_cpu; the counter cycles has them as they are"));
    set_text(context, "accprobe_compiler", run->compiler.version);
    set_text(context, "accprobe_driver", run->device.driver);
    return context;
}

static json_t *google_benchmark(const struct accp_exporting *exporting, size_t at, size_t process,
                                int index)
{
    const struct accp_point *point = &exporting->summary.points[at];
    const struct accp_run *run = &exporting->report->runs[process];
    const struct accp_run_role *role = accp_run_find(run, point->role, point->warps);
    char name[ACCP_CLAIM_BYTES];
    snprintf(name, sizeof name, "%s/warps:%d", point->role, point->warps);
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(name));
    json_object_set_new(object, "family_index", json_integer((json_int_t)at));
    json_object_set_new(object, "per_family_instance_index", json_integer(0));
    json_object_set_new(object, "run_name", json_string(name));
    json_object_set_new(object, "run_type", json_string("iteration"));
    json_object_set_new(object, "repetitions", json_integer((json_int_t)point->processes));
    json_object_set_new(object, "repetition_index", json_integer(index));
    json_object_set_new(object, "threads", json_integer(1));
    json_object_set_new(object, "iterations", json_integer(role ? (json_int_t)role->cycles.n : 0));
    json_t *time =
        rounded(point->values[process] * nanoseconds_per_cycle(&exporting->report->runs[0]));
    json_object_set(object, "real_time", time);
    json_object_set_new(object, "cpu_time", time);
    json_object_set_new(object, "time_unit", json_string("ns"));
    json_object_set_new(object, "cycles", rounded(point->values[process]));
    for (struct accp_export_part part = {0}; accp_export_next_part(exporting, point, &part);) {
        const double mean = accp_export_part_of(exporting, point, &part, process);
        snprintf(name, sizeof name, "cycles-%s", part.name);
        if (mean > 0) json_object_set_new(object, name, rounded(mean));
    }
    return object;
}

/* A process is a repetition: compare.py then tests for itself whether two sets of them differ. */
enum accp_status accp_export_google_benchmark(const struct accp_exporting *exporting,
                                              struct accp_error *error)
{
    json_t *root = json_object(), *benchmarks = json_array();
    for (size_t i = 0; i < exporting->summary.point_count; ++i) {
        int index = 0;
        for (size_t process = 0; process < exporting->summary.run_count; ++process)
            if (exporting->summary.points[i].values[process] > 0)
                json_array_append_new(benchmarks, google_benchmark(exporting, i, process, index++));
    }
    json_object_set_new(root, "context", google_context(exporting));
    json_object_set_new(root, "benchmarks", benchmarks);
    return put(exporting, root, error);
}

/* A measure each: the names of the benchmarks stay what they are. */
static void set_parts(const struct accp_exporting *exporting, const struct accp_point *point,
                      json_t *benchmark)
{
    char name[ACCP_CLAIM_BYTES];
    for (struct accp_export_part part = {0}; accp_export_next_part(exporting, point, &part);) {
        json_t *measure = json_object();
        snprintf(name, sizeof name, "cycles-%s", part.name);
        json_object_set_new(measure, "value", rounded(part.mean));
        json_object_set_new(benchmark, name, measure);
    }
}

enum accp_status accp_export_bencher(const struct accp_exporting *exporting,
                                     struct accp_error *error)
{
    json_t *root = json_object();
    for (size_t i = 0; i < exporting->summary.point_count; ++i) {
        const struct accp_point *point = &exporting->summary.points[i];
        char name[ACCP_CLAIM_BYTES];
        double low, high;
        if (point->processes == 0) continue;
        name_of(point, name);
        json_t *benchmark = json_object(), *measure = json_object();
        json_object_set_new(measure, "value", rounded(point->mean));
        if (accp_export_interval(exporting, point, &low, &high)) {
            json_object_set_new(measure, "lower_value", rounded(low));
            json_object_set_new(measure, "upper_value", rounded(high));
        }
        json_object_set_new(benchmark, "cycles", measure);
        set_parts(exporting, point, benchmark);
        json_object_set_new(root, name, benchmark);
    }
    return put(exporting, root, error);
}

enum accp_status accp_export_github_action_benchmark(const struct accp_exporting *exporting,
                                                     struct accp_error *error)
{
    const struct accp_run *run = &exporting->report->runs[0];
    json_t *root = json_array();
    for (size_t i = 0; i < exporting->summary.point_count; ++i) {
        const struct accp_point *point = &exporting->summary.points[i];
        char text[ACCP_TEXT_BYTES * 4 + ACCP_EXPORT_PARTS_BYTES], parts[ACCP_EXPORT_PARTS_BYTES];
        double low, high;
        if (point->processes == 0) continue;
        json_t *object = json_object();
        name_of(point, text);
        accp_export_parts(exporting, point->role, point->warps, parts);
        json_object_set_new(object, "name", json_string(text));
        json_object_set_new(object, "unit", json_string("cycles/iteration"));
        json_object_set_new(object, "value", rounded(point->mean));
        if (accp_export_interval(exporting, point, &low, &high)) {
            snprintf(text, sizeof text, "± %.2g", (high - low) / 2);
            json_object_set_new(object, "range", json_string(text));
        }
        snprintf(text, sizeof text, "%s, %s, driver %s, %s %s, n %zu%s",
                 accp_source_text(run->source),
                 run->device.name[0] ? run->device.name : "GPU not named",
                 run->device.driver[0] ? run->device.driver : "not named",
                 run->compiler.name[0] ? run->compiler.name : "compiler",
                 run->compiler.version[0] ? run->compiler.version : "not named", point->processes,
                 parts);
        json_object_set_new(object, "extra", json_string(text));
        json_array_append_new(root, object);
    }
    return put(exporting, root, error);
}

static json_t *lnt_tests(const struct accp_exporting *exporting)
{
    json_t *tests = json_array();
    for (size_t i = 0; i < exporting->summary.point_count; ++i) {
        const struct accp_point *point = &exporting->summary.points[i];
        char name[ACCP_CLAIM_BYTES];
        if (point->processes == 0) continue;
        name_of(point, name);
        json_t *test = json_object(), *samples = json_array();
        for (size_t process = 0; process < exporting->summary.run_count; ++process)
            if (point->values[process] > 0)
                json_array_append_new(samples, rounded(point->values[process]));
        json_object_set_new(test, "name", json_string(name));
        json_object_set_new(test, "cycles", samples);
        json_array_append_new(tests, test);
    }
    return tests;
}

/* "2026-11-30T05:54:47Z" as LNT has it, without the letter, and as a number by which LNT orders runs; of the present
 * time where a run has no date. */
static void lnt_time(const struct accp_run *run, char text[32], char revision[32])
{
    time_t now = time(NULL);
    size_t digits = 0;
    snprintf(text, 32, "%s", run->date);
    if (!text[0]) strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    text[strcspn(text, "Z")] = 0;
    for (const char *at = text; *at; ++at)
        if (*at >= '0' && *at <= '9') revision[digits++] = *at;
    revision[digits] = 0;
}

/* Of the test suite docs/lnt/accprobe.yaml. LNT orders runs by the field of this name and no other. */
enum accp_status accp_export_lnt(const struct accp_exporting *exporting, struct accp_error *error)
{
    const struct accp_report *report = exporting->report;
    const struct accp_run *run = &report->runs[0];
    char start[32], end[32], revision[32], last[32], name[ACCP_TEXT_BYTES];
    struct accp_sku sku = accp_sku_of(run);
    lnt_time(run, start, revision);
    lnt_time(&report->runs[report->run_count - 1], end, last);
    accp_sku_name(&sku, name);
    json_t *root = json_object(), *machine = json_object(), *about = json_object();
    json_object_set_new(machine, "name",
                        json_string(sku.sm_count > 0 ? name : accp_source_text(run->source)));
    set_text(machine, "device", run->device.name);
    set_text(machine, "arch", run->device.arch);
    json_object_set_new(about, "start_time", json_string(start));
    json_object_set_new(about, "end_time", json_string(end));
    json_object_set_new(about, "llvm_project_revision", json_string(revision));
    json_object_set_new(about, "source", json_string(accp_source_text(run->source)));
    json_object_set_new(about, "verdict",
                        json_string(accp_verdict_name(report->judgement->verdict)));
    set_text(about, "compiler", run->compiler.version);
    set_text(about, "driver", run->device.driver);
    json_object_set_new(root, "format_version", json_string("2"));
    json_object_set_new(root, "machine", machine);
    json_object_set_new(root, "run", about);
    json_object_set_new(root, "tests", lnt_tests(exporting));
    return put(exporting, root, error);
}
