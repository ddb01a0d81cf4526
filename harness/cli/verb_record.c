#include "base/json.h"
#include "base/plural.h"
#include "base/text.h"
#include "base/watchdog.h"
#include "cli/fleet.h"
#include "cli/select.h"
#include "cli/shaping.h"
#include "cli/verbs.h"
#include "golden/record.h"
#include "golden/shapes.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The first line that git prints in the golden's folder; "" when it fails or prints none. */
static void ask_git(const char *folder, const char *arguments, char *line, size_t bytes)
{
    char word[4 * PATH_MAX + 8], command[sizeof word + 128];
    line[0] = 0;
    accp_text_word(folder, word, sizeof word);
    snprintf(command, sizeof command, "timeout 60 git -C %s %s 2>/dev/null </dev/null", word,
             arguments);
    FILE *stream = popen(command, "r");
    if (!stream) return;
    if (!fgets(line, (int)bytes, stream)) line[0] = 0;
    pclose(stream);
    line[strcspn(line, "\n")] = 0;
}

/* What every golden says of its making. */
struct origin {
    char folder[PATH_MAX], commit[64], change[256], date[32];
    int lock; /* of the folder: what two read at once, the later would write without the other's */
};

static enum accp_status find_origin(const struct accp_options *options, struct origin *origin,
                                    struct accp_error *error)
{
    ACCP_TRY(accp_golden_folder(options, origin->folder, error));
    ACCP_TRY(accp_folder_lock(origin->folder, accp_timeout_s() / ACCP_TIMEOUT_SHARE, &origin->lock,
                              error));
    ask_git(origin->folder, "rev-parse HEAD", origin->commit, sizeof origin->commit);
    /* Goldens that were just recorded, and files that are in no commit, do not change what was
     * built. */
    ask_git(origin->folder,
            "status --porcelain --untracked-files=no -- ':(top)' ':(top,exclude)golden'",
            origin->change, sizeof origin->change);
    time_t now = time(NULL);
    strftime(origin->date, sizeof origin->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    return ACCP_STATUS_OK;
}

/* Takes over what happened, as JSON. */
static enum accp_status print_json(json_t *outcome, struct accp_error *error)
{
    bool failed = !outcome || json_dumpf(outcome, stdout, 0) != 0;
    json_decref(outcome);
    putchar('\n');
    return accp_json_written(stdout, failed, "what was recorded", error);
}

static enum accp_status record_runs(const struct accp_options *options, const struct accp_run *runs,
                                    struct accp_error *error)
{
    struct origin origin;
    struct accp_record_outcome outcome;
    const char *fake = getenv("ACCPROBE_RECORD_FAKE"); /* tests/fake/README.md */
    ACCP_TRY(find_origin(options, &origin, error));
    const struct accp_record_request request = {
        .runs = runs,
        .run_count = (size_t)options->operand_count,
        .folder = origin.folder,
        .reason = options->reason,
        .commit = origin.commit,
        .dirty = origin.change[0] != 0,
        .allow_fake = fake && strcmp(fake, "1") == 0,
        .date = origin.date,
    };
    if (options->fleet) {
        size_t refused;
        enum accp_status recorded = accp_fleet_record(options, &request, &refused, error);
        accp_folder_unlock(origin.lock);
        ACCP_TRY(recorded);
        return refused == 0 ? ACCP_STATUS_OK
                            : accp_fail(error, ACCP_STATUS_REFUSED, NULL, -1,
                                        "%zu GPU model%s without a new golden; the table says why",
                                        refused, ACCP_PLURAL(refused, "s"));
    }
    enum accp_status status = accp_golden_record(&request, &outcome, error);
    accp_folder_unlock(origin.lock);
    ACCP_TRY(status);
    if (options->shape == ACCP_FORMAT_JSON)
        return print_json(json_pack("{s:s, s:s, s:b, s:I, s:I}", "format", "accprobe-record/1",
                                    "path", outcome.path, "written", outcome.written,
                                    "rows_changed", (json_int_t)outcome.rows_changed, "rows_kept",
                                    (json_int_t)outcome.rows_kept),
                          error);
    accp_text_show(outcome.path);
    printf("%s: %s (%zu rows changed, %zu kept)\n", outcome.path,
           outcome.written ? "written" : "as it was", outcome.rows_changed, outcome.rows_kept);
    return ACCP_STATUS_OK;
}

static enum accp_status record_shapes(const struct accp_options *options,
                                      const struct accp_shapes *shapes, struct accp_error *error)
{
    struct origin origin;
    struct accp_shape_record_outcome outcome;
    ACCP_TRY(find_origin(options, &origin, error));
    const struct accp_shape_record_request request = {
        .shapes = shapes,
        .count = (size_t)options->operand_count,
        .folder = origin.folder,
        .reason = options->reason,
        .commit = origin.commit,
        .dirty = origin.change[0] != 0,
        .hashes_only = options->hashes,
        .with_broken = options->broken,
        .date = origin.date,
        .tool = ACCPROBE_VERSION,
    };
    enum accp_status status = accp_shapes_record(&request, &outcome, error);
    accp_folder_unlock(origin.lock);
    ACCP_TRY(status);
    if (options->shape == ACCP_FORMAT_JSON)
        return print_json(json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "format", "accprobe-record/1",
                                    "path", origin.folder, "goldens_written",
                                    (json_int_t)outcome.written, "goldens_kept",
                                    (json_int_t)outcome.kept, "kernels_changed",
                                    (json_int_t)outcome.kernels_changed, "loops_added",
                                    (json_int_t)outcome.loops_added),
                          error);
    accp_text_show(origin.folder);
    printf("%s/shape: %zu golden%s written, %zu unchanged (%zu kernel%s changed, %zu loop%s new)\n",
           origin.folder, outcome.written, ACCP_PLURAL(outcome.written, "s"), outcome.kept,
           outcome.kernels_changed, ACCP_PLURAL(outcome.kernels_changed, "s"), outcome.loops_added,
           ACCP_PLURAL(outcome.loops_added, "s"));
    return ACCP_STATUS_OK;
}

static enum accp_status read_and_record_runs(const struct accp_options *options,
                                             struct accp_error *error)
{
    size_t count = (size_t)options->operand_count, read = 0;
    enum accp_status status = ACCP_STATUS_OK;
    struct accp_run *runs = calloc(count, sizeof *runs);
    if (!runs) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the runs");
    for (; read < count && status == ACCP_STATUS_OK; ++read)
        status = accp_run_read(options->operands[read], &runs[read], error);
    if (status == ACCP_STATUS_OK) status = record_runs(options, runs, error);
    for (size_t i = 0; i < read; ++i)
        accp_run_fini(&runs[i]);
    free(runs);
    return status;
}

static enum accp_status read_and_record_shapes(const struct accp_options *options,
                                               struct accp_error *error)
{
    size_t count = (size_t)options->operand_count, read = 0;
    enum accp_status status = ACCP_STATUS_OK;
    struct accp_shapes *shapes = calloc(count, sizeof *shapes);
    if (!shapes) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the shapes");
    for (; read < count && status == ACCP_STATUS_OK; ++read)
        status = accp_shapes_read(options->operands[read], &shapes[read], error);
    if (status == ACCP_STATUS_OK) status = record_shapes(options, shapes, error);
    for (size_t i = 0; i < read; ++i)
        accp_shapes_fini(&shapes[i]);
    free(shapes);
    return status;
}

static enum accp_status record(const struct accp_options *options, struct accp_error *error)
{
    enum accp_content first, content;
    if (!options->reason)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "record needs --reason TEXT: it stands in the golden");
    ACCP_TRY(accp_content_of(options->operands[0], &first, error));
    if (options->broken && first == ACCP_CONTENT_RUN)
        return accp_fail(error, ACCP_STATUS_USAGE, options->operands[0], -1,
                         "is a run, and --broken is for shape files: no level is kept of a role "
                         "whose laws are broken");
    if (options->hashes && first == ACCP_CONTENT_RUN)
        return accp_fail(
            error, ACCP_STATUS_USAGE, options->operands[0], -1,
            "is a run, and --hashes leaves the listings out of shape files: leave it out");
    if (options->fleet && first != ACCP_CONTENT_RUN)
        return accp_fail(error, ACCP_STATUS_INPUT, options->operands[0], -1,
                         "is no run: --fleet sorts runs by GPU");
    if (first == ACCP_CONTENT_CUBIN)
        return accp_fail(error, ACCP_STATUS_INPUT, options->operands[0], -1,
                         "is no run and no shape file: write one with `accprobe measure --out` or "
                         "`accprobe shape --out`");
    for (int i = 1; i < options->operand_count; ++i) {
        ACCP_TRY(accp_content_of(options->operands[i], &content, error));
        if (content != first)
            return accp_fail(error, ACCP_STATUS_INPUT, options->operands[i], -1,
                             "is of another kind than %.100s: record runs or shape files at a time",
                             options->operands[0]);
    }
    return first == ACCP_CONTENT_RUN ? read_and_record_runs(options, error)
                                     : read_and_record_shapes(options, error);
}

int accp_verb_record(const struct accp_options *options)
{
    struct accp_error error;
    enum accp_status status = record(options, &error);
    return status == ACCP_STATUS_OK ? ACCP_EXIT_PASS : accp_exit_error(&error);
}
