#include "cli/explain_probe.h"

#include "base/plural.h"
#include "cli/select.h"
#include "model/model.h"
#include "report/beside.h"
#include "report/division.h"
#include "report/occupancy.h"
#include "report/table.h"
#include "sass/chain.h"
#include "sass/code.h"
#include "sass/normal.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDINGS = 3 }; /* of a probe, at the most */

/* What is explained, and from what. */
struct explaining {
    const struct accp_options *options;
    struct accp_run *runs; /* owned */
    size_t run_count;
    char note[512]; /* "" : the runs are the user's own */
    const char *says;
    struct accp_summary summary;
};

/* The two predictions that a division needs: as it is, and with register ports that never make
 * anyone wait. */
struct ports {
    struct accp_run with, without;
    size_t roles, other_sass; /* predicted; and of them, whose SASS is not what was measured */
};

static void print_head(const struct explaining *explaining)
{
    const struct accp_run *run = &explaining->runs[0];
    if (explaining->options->shape == ACCP_FORMAT_JSON) return;
    if (explaining->note[0]) printf("%s\n", explaining->note);
    char text[640];
    snprintf(text, sizeof text, "%s: %s (%s, driver %s), %s %s%s%.10s, %zu process%s",
             explaining->says, run->device.name[0] ? run->device.name : "an unnamed GPU",
             run->device.arch[0] ? run->device.arch : "arch unknown",
             run->device.driver[0] ? run->device.driver : "unknown",
             run->compiler.name[0] ? run->compiler.name : "compiler",
             run->compiler.version[0] ? run->compiler.version : "unknown", run->date[0] ? ", " : "",
             run->date, explaining->run_count, ACCP_PLURAL(explaining->run_count, "es"));
    accp_text_put(stdout, text, explaining->options->shape == ACCP_FORMAT_MARKDOWN);
    putchar('\n');
}

/* Whether a run says that a role's loop was another one. */
static bool is_other_sass(const struct accp_run *run, const struct accp_role *role,
                          const struct accp_code *code, const struct accp_loop *loop)
{
    char plain[ACCP_HASH_BYTES], control[ACCP_HASH_BYTES];
    const struct accp_run_role *measured = accp_run_find(run, role->name, -1);
    accp_normal_hash(code, loop, plain, control);
    return measured && measured->sass[0] && strcmp(measured->sass, control) != 0;
}

static enum accp_status predict_into(const struct accp_code *code, const struct accp_loop *loop,
                                     const struct accp_role *role, int warps, uint32_t left_out,
                                     struct accp_run *run, struct accp_error *error)
{
    const struct accp_model_options options = {.warps = warps, .seed = 1, .without = left_out};
    struct accp_prediction prediction;
    struct accp_run_role *row;
    ACCP_TRY(accp_model_predict(code, loop, &options, &prediction, error));
    ACCP_TRY(accp_run_append(run, &row, error));
    snprintf(row->role, sizeof row->role, "%s", role->name);
    row->warps = warps;
    if (prediction.known) row->cycles = prediction.cycles;
    return ACCP_STATUS_OK;
}

/* A role at every number of warps at which it was measured. */
static enum accp_status predict_role(const struct explaining *explaining,
                                     const struct accp_cubin *cubin, const char *path,
                                     const struct accp_role *role, struct ports *ports,
                                     struct accp_error *error)
{
    const struct accp_kernel *kernel;
    struct accp_code code;
    const struct accp_loop *loop;
    ACCP_TRY(accp_cubin_pick(cubin, path, role->kernel, &kernel, error));
    ACCP_TRY(accp_code_init(cubin, kernel, &code, error));
    enum accp_status status = accp_chain_find_loop(&code, role, -1, &loop, error);
    if (status == ACCP_STATUS_OK) {
        ++ports->roles;
        ports->other_sass += is_other_sass(&explaining->runs[0], role, &code, loop);
    }
    for (size_t i = 0; i < explaining->summary.point_count && status == ACCP_STATUS_OK; ++i) {
        const struct accp_point *point = &explaining->summary.points[i];
        if (strcmp(point->role, role->name) != 0) continue;
        status = predict_into(&code, loop, role, point->warps, 0, &ports->with, error);
        if (status == ACCP_STATUS_OK)
            status = predict_into(&code, loop, role, point->warps, 1u << ACCP_MECHANISM_PORTS,
                                  &ports->without, error);
    }
    accp_code_fini(&code);
    return status;
}

static enum accp_status predict_sink(const struct explaining *explaining, struct ports *ports,
                                     struct accp_error *error)
{
    char path[PATH_MAX];
    struct accp_bytes bytes;
    struct accp_cubin cubin;
    ACCP_TRY(accp_cubin_read(explaining->runs[0].device.arch, accp_probe_names[ACCP_PROBE_sink],
                             path, &bytes, error));
    enum accp_status status = accp_cubin_open(path, bytes.data, bytes.size, &cubin, error);
    if (status == ACCP_STATUS_OK) {
        for (size_t i = 0; i < ACCP_ROLE_COUNT && status == ACCP_STATUS_OK; ++i) {
            const struct accp_role *role = &accp_roles[i];
            if (role->probe == ACCP_PROBE_sink &&
                (role->sink == ACCP_SINK_FULL || role->sink == ACCP_SINK_CARRIED))
                status = predict_role(explaining, &cubin, path, role, ports, error);
        }
        accp_cubin_close(&cubin);
    }
    accp_bytes_fini(&bytes);
    return status;
}

/* Every chain and number of warps of the full sum; in the order of the run. */
static enum accp_status divide_all(const struct explaining *explaining, const struct ports *ports,
                                   struct accp_division *divisions, size_t *count,
                                   struct accp_error *error)
{
    const struct accp_point *first;
    for (size_t at = 0; (first = accp_summary_next_series(&explaining->summary, &at));) {
        const struct accp_role *role = accp_role_find(first->role);
        if (role->probe != ACCP_PROBE_sink || role->sink != ACCP_SINK_FULL) continue;
        ACCP_TRY(accp_division_make(&explaining->summary, &ports->with, &ports->without,
                                    first->chain, first->warps, &divisions[*count], error));
        ++*count;
    }
    if (*count > 0) return ACCP_STATUS_OK;
    return accp_fail(
        error, ACCP_STATUS_INPUT, NULL, -1,
        "the run holds no role of the sink probe that sums every accumulator: measure it "
        "with --probe sink");
}

static enum accp_status print_divisions(const struct explaining *explaining,
                                        const struct ports *ports,
                                        const struct accp_division *divisions, size_t count,
                                        struct accp_error *error)
{
    struct accp_table *table;
    const enum accp_format format = explaining->options->shape;
    print_head(explaining);
    if (ports->other_sass > 0 && format != ACCP_FORMAT_JSON)
        printf("note: %zu of %zu roles were measured with other SASS than this build has: what is "
               "predicted of them, the registers, is of other code\n",
               ports->other_sass, ports->roles);
    if (format != ACCP_FORMAT_JSON) putchar('\n');
    ACCP_TRY(accp_division_table(divisions, count, &table, error));
    enum accp_status status =
        format == ACCP_FORMAT_JSON
            ? accp_table_print_json(table, "accprobe-sink/1", stdout, error)
            : accp_table_print(table, stdout, format == ACCP_FORMAT_MARKDOWN, error);
    accp_table_destroy(table);
    if (format == ACCP_FORMAT_JSON) return status;
    puts("\nCycles of an iteration that each step of accumulators costs. Loop body (roles that "
         "carry all)\n"
         "and sink (the full sum less those) are measured and add up; what of them is waiting for\n"
         "registers is predicted, and \"model off\" is by how much it misses the step. \"each\": "
         "by\n"
         "accumulators that are really in use more.\n");
    for (size_t i = 0; i < count; ++i) {
        char words[1024];
        accp_division_words(&divisions[i], words, sizeof words);
        printf("%s%s\n", format == ACCP_FORMAT_MARKDOWN ? "- " : "", words);
    }
    return status;
}

static enum accp_status explain_sink(const struct explaining *explaining, struct accp_error *error)
{
    struct ports ports = {0};
    size_t count = 0;
    accp_run_init(&ports.with);
    accp_run_init(&ports.without);
    struct accp_division *divisions =
        calloc(explaining->summary.point_count + 1, sizeof *divisions);
    enum accp_status status = divisions ? predict_sink(explaining, &ports, error)
                                        : accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1,
                                                    "no memory to divide the cycles");
    if (status == ACCP_STATUS_OK) status = divide_all(explaining, &ports, divisions, &count, error);
    if (status == ACCP_STATUS_OK)
        status = print_divisions(explaining, &ports, divisions, count, error);
    free(divisions);
    accp_run_fini(&ports.with);
    accp_run_fini(&ports.without);
    return status;
}

static enum accp_status explain_optimal(const struct explaining *explaining,
                                        struct accp_error *error)
{
    const enum accp_format format = explaining->options->shape;
    struct accp_occupancy_cell *cells = calloc(explaining->summary.point_count + 1, sizeof *cells);
    size_t count;
    if (!cells) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the map");
    enum accp_status status = accp_occupancy_map(&explaining->summary, cells, &count, error);
    if (status == ACCP_STATUS_OK) {
        print_head(explaining);
        if (format != ACCP_FORMAT_JSON) putchar('\n');
        status = accp_occupancy_print(cells, count, stdout, format == ACCP_FORMAT_JSON,
                                      format == ACCP_FORMAT_MARKDOWN, error);
    }
    free(cells);
    return status;
}

static enum accp_status explain_mixed(const struct explaining *explaining, struct accp_error *error)
{
    const enum accp_format format = explaining->options->shape;
    struct accp_beside_map map;
    ACCP_TRY(accp_beside_init(&explaining->summary, &map, error));
    print_head(explaining);
    if (format != ACCP_FORMAT_JSON) putchar('\n');
    enum accp_status status = accp_beside_print(&map, stdout, format == ACCP_FORMAT_JSON,
                                                format == ACCP_FORMAT_MARKDOWN, error);
    accp_beside_fini(&map);
    return status;
}

static const struct {
    const char *probe, *recordings, *says;
    enum accp_status (*explain)(const struct explaining *explaining, struct accp_error *error);
} explained[] = {
#define EXPLAINED(probe, recordings, says) {#probe, recordings, says, explain_##probe},
    ACCP_EXPLAINED_TABLE(EXPLAINED)
#undef EXPLAINED
};

/* The row of the first operand; -1: it is none. */
static int row_of(const struct accp_options *options)
{
    for (size_t i = 0; options->operand_count > 0 && i < sizeof explained / sizeof *explained; ++i)
        if (strcmp(options->operands[0], explained[i].probe) == 0) return (int)i;
    return -1;
}

bool accp_explain_is_probe(const struct accp_options *options)
{
    return row_of(options) >= 0;
}

static enum accp_status find_recording(const struct accp_options *options, const char *recording,
                                       char path[PATH_MAX], struct accp_error *error)
{
    char folder[PATH_MAX], place[2 * PATH_MAX], pattern[sizeof place + 128];
    glob_t found;
    ACCP_TRY(accp_golden_folder(options, folder, error));
    accp_file_pattern(folder, place, sizeof place);
    snprintf(pattern, sizeof pattern, "%s/measured/*/%s", place, recording);
    if (glob(pattern, 0, NULL, &found) != 0)
        return accp_fail(error, ACCP_STATUS_INPUT, folder, -1,
                         "holds no recording %s: name runs of your own behind the probe",
                         recording);
    snprintf(path, PATH_MAX, "%s", found.gl_pathv[0]);
    const size_t count = found.gl_pathc;
    globfree(&found);
    if (count == 1) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, folder, -1,
                     "holds %zu recordings measured/*/%s, one a GPU: name the one that is meant "
                     "behind the probe",
                     count, recording);
}

/* Whether a role says something to the question: it is of that probe, or does the work of one that is, in a kernel of its
 * own or alone in a shared one. */
static bool is_told_by(const char *probe, const struct accp_role *role)
{
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        const struct accp_role *of = &accp_roles[i];
        if (strcmp(accp_probe_names[of->probe], probe) != 0) continue;
        if (of == role ||
            (of->dispatch == ACCP_DISPATCH_MIXED && of->chain == role->chain &&
             of->acc == role->acc && of->sink == role->sink && of->placement == role->placement))
            return true;
    }
    return false;
}

/* A run without a word to say would be counted as a process all the same. */
static enum accp_status check_roles(const struct explaining *explaining, const struct accp_run *run,
                                    const char *path, struct accp_error *error)
{
    const char *probe = explaining->options->operands[0];
    for (size_t i = 0; i < run->role_count; ++i) {
        const struct accp_role *role = accp_role_find(run->roles[i].role);
        if (role && is_told_by(probe, role)) return ACCP_STATUS_OK;
    }
    return accp_fail(error, ACCP_STATUS_INPUT, path, -1,
                     "holds no role that explain %s is told by: leave it out, or measure it with "
                     "--probe %s",
                     probe, probe);
}

static enum accp_status read_run(struct explaining *explaining, const char *path,
                                 struct accp_error *error)
{
    struct accp_run *run = &explaining->runs[explaining->run_count];
    ACCP_TRY(accp_run_read(path, run, error));
    ++explaining->run_count;
    if (run->source == ACCP_SOURCE_MEASURED) return check_roles(explaining, run, path, error);
    return accp_fail(error, ACCP_STATUS_INPUT, path, -1, "is %s: what was measured is explained",
                     accp_source_text(run->source));
}

/* `recordings` are words. */
static enum accp_status read_recordings(struct explaining *explaining, const char *recordings,
                                        struct accp_error *error)
{
    char path[PATH_MAX], recording[ACCP_TEXT_BYTES];
    for (int length; sscanf(recordings, "%127s%n", recording, &length) == 1; recordings += length) {
        ACCP_TRY(find_recording(explaining->options, recording, path, error));
        ACCP_TRY(read_run(explaining, path, error));
        if (explaining->run_count == 1)
            snprintf(explaining->note, sizeof explaining->note,
                     "RECORDED, nothing was measured here: %s", strstr(path, "measured/"));
    }
    return ACCP_STATUS_OK;
}

static enum accp_status read_runs(struct explaining *explaining, const char *recordings,
                                  struct accp_error *error)
{
    const struct accp_options *options = explaining->options;
    explaining->runs =
        calloc((size_t)options->operand_count + RECORDINGS, sizeof *explaining->runs);
    if (!explaining->runs)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the runs");
    if (options->operand_count == 1) return read_recordings(explaining, recordings, error);
    for (int i = 1; i < options->operand_count; ++i)
        ACCP_TRY(read_run(explaining, options->operands[i], error));
    return accp_summary_seeds(explaining->runs, explaining->run_count, error);
}

/* What chooses a loop to predict says nothing to runs: ignored, it would seem to have been heard. */
static enum accp_status check_options(const struct accp_options *options, struct accp_error *error)
{
    const char *given = options->arch         ? "--arch"
                        : options->cubin      ? "--cubin"
                        : options->kernel     ? "--kernel"
                        : options->loop >= 0  ? "--loop"
                        : options->warps >= 0 ? "--warps"
                                              : NULL;
    if (!given) return ACCP_STATUS_OK;
    return accp_fail(
        error, ACCP_STATUS_USAGE, NULL, -1,
        "%s: %s is a probe, and what runs of it measured is explained: leave it out, or "
        "name a role instead (accprobe list)",
        given, options->operands[0]);
}

enum accp_status accp_explain_probe(const struct accp_options *options, struct accp_error *error)
{
    const int row = row_of(options);
    struct explaining explaining = {.options = options, .says = explained[row].says};
    ACCP_TRY(check_options(options, error));
    enum accp_status status = read_runs(&explaining, explained[row].recordings, error);
    if (status == ACCP_STATUS_OK)
        status =
            accp_summary_init(&explaining.summary, explaining.runs, explaining.run_count, error);
    if (status == ACCP_STATUS_OK) {
        status = explained[row].explain(&explaining, error);
        accp_summary_fini(&explaining.summary);
    }
    for (size_t i = 0; i < explaining.run_count; ++i)
        accp_run_fini(&explaining.runs[i]);
    free(explaining.runs);
    return status;
}
