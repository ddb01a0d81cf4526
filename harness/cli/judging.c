#include "cli/judging.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/select.h"
#include "cli/shape_judging.h"
#include "cli/shaping.h"
#include "cli/statics.h"
#include "golden/record.h"
#include "report/export.h"
#include "report/judgement.h"
#include "report/table.h"
#include "verdict/document.h"
#include "verdict/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What one invocation judges, and where it gathers its lines. */
struct judging {
    const struct accp_options *options;
    const struct accp_run *runs;
    size_t run_count;
    const char *file;
    bool selected[ACCP_ROLE_COUNT];
    bool is_selective; /* fewer roles than the tables have are needed */
    struct accp_judged *judged;
};

/* -1: the role is a stranger's. */
static int probe_of(const struct accp_run_role *role)
{
    const struct accp_role *known = accp_role_find(role->role);
    return known ? (int)known->probe : -1;
}

/* A copy of the run with the roles of one probe (or with the strangers' alone); roles owned. */
static enum accp_status subset_of(const struct accp_run *run, int probe, struct accp_run *subset,
                                  struct accp_error *error)
{
    *subset = *run;
    subset->roles = NULL;
    subset->role_count = 0;
    for (size_t i = 0; i < run->role_count; ++i) {
        struct accp_run_role *role;
        if (probe_of(&run->roles[i]) != probe) continue;
        ACCP_TRY(accp_run_append(subset, &role, error));
        *role = run->roles[i];
    }
    return ACCP_STATUS_OK;
}

static bool has_probe(const struct judging *judging, int probe)
{
    for (size_t i = 0; i < judging->run_count; ++i)
        for (size_t j = 0; j < judging->runs[i].role_count; ++j)
            if (probe_of(&judging->runs[i].roles[j]) == probe) return true;
    return false;
}

/* A document is its own golden: that no other answers for it says nothing. */
static bool is_of_interest(const struct judging *judging, const struct accp_line *line)
{
    return judging->runs[0].source != ACCP_SOURCE_DOCUMENT ||
           line->verdict != ACCP_VERDICT_NO_GOLDEN;
}

static enum accp_status take_lines(struct judging *judging, const struct accp_judgement *from,
                                   struct accp_error *error)
{
    for (size_t i = 0; i < from->line_count; ++i) {
        struct accp_line *line;
        if (!is_of_interest(judging, &from->lines[i])) continue;
        ACCP_TRY(accp_judgement_append(&judging->judged->judgement, &line, error));
        *line = from->lines[i];
    }
    judging->judged->judgement.roles_judged += from->roles_judged;
    if (judging->judged->judgement.trouble == ACCP_TROUBLE_NONE &&
        from->trouble != ACCP_TROUBLE_NONE) {
        judging->judged->judgement.trouble = from->trouble;
        snprintf(judging->judged->judgement.trouble_text,
                 sizeof judging->judged->judgement.trouble_text, "%s", from->trouble_text);
    }
    return ACCP_STATUS_OK;
}

/* The document's statements: enforced on its own run; elsewhere, where no golden answers, only
 * reported. */
static enum accp_status judge_document(struct judging *judging, const char *file, bool enforced,
                                       const struct accp_run *runs,
                                       struct accp_judgement *judgement, struct accp_error *error)
{
    struct accp_document document;
    ACCP_TRY(accp_document_read(file, &document, error));
    enum accp_status status =
        accp_verdict_document(&document, runs, judging->run_count, enforced,
                              judging->file ? judging->file : file, judgement, error);
    accp_document_fini(&document);
    return status;
}

static enum accp_status judge_with(struct judging *judging, int probe, const struct accp_run *runs,
                                   const struct accp_expected *expected,
                                   const struct accp_statics *statics, struct accp_error *error)
{
    char today[16], path[PATH_MAX];
    time_t now = time(NULL);
    strftime(today, sizeof today, "%Y-%m-%d", gmtime(&now));
    bool is_document = runs[0].source == ACCP_SOURCE_DOCUMENT;
    struct accp_judgement judgement;
    const struct accp_verdict_input input = {
        .runs = runs,
        .run_count = judging->run_count,
        .found = judging->judged->last->answer == ACCP_ANSWER_LAWS ? NULL : judging->judged->last,
        .expected = expected,
        .statics = statics->items,
        .static_count = statics->count,
        .reference_role = runs[0].source == ACCP_SOURCE_MEASURED && runs[0].role_count > 0
                              ? runs[0].roles[0].role
                              : NULL,
        .today = today,
        .selected = judging->is_selective ? judging->selected : NULL,
    };
    ACCP_TRY(accp_verdict_judge(&input, &judgement, error));
    enum accp_status status = ACCP_STATUS_OK;
    snprintf(path, sizeof path, "%s/document/%s.json", judging->judged->golden_folder,
             probe >= 0 ? accp_probe_names[probe] : "");
    if (is_document)
        status = judge_document(judging, judging->file, true, runs, &judgement, error);
    else if (probe >= 0 && judging->judged->last->answer != ACCP_ANSWER_SKU &&
             !accp_file_is_missing(path))
        status = judge_document(judging, path, false, runs, &judgement, error);
    if (status == ACCP_STATUS_OK) status = take_lines(judging, &judgement, error);
    accp_judgement_fini(&judgement);
    return status;
}

/* What is known of the SASS only beside the run: a warp of a role that spills may take long by itself. */
static void mark_spills(const struct accp_statics *statics, struct accp_run *run)
{
    for (size_t i = 0; i < run->role_count; ++i)
        for (size_t k = 0; k < statics->count; ++k)
            if (strcmp(statics->items[k].role, run->roles[i].role) == 0)
                run->roles[i].spills = statics->items[k].spills;
}

/* Runs from which the roles of a probe were left out have none to judge; they still count as
 * processes. */
static enum accp_status judge_probe(struct judging *judging, int probe, struct accp_error *error)
{
    struct accp_run *subsets = calloc(judging->run_count, sizeof *subsets);
    struct accp_expected expected = {0};
    struct accp_statics statics = {0};
    if (!subsets) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the runs");
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 0; i < judging->run_count && status == ACCP_STATUS_OK; ++i)
        status = subset_of(&judging->runs[i], probe, &subsets[i], error);
    judging->judged->last = &judging->judged->found[probe + 1];
    if (status == ACCP_STATUS_OK && probe >= 0)
        status = accp_golden_find(judging->judged->golden_folder, accp_probe_names[probe],
                                  &subsets[0], judging->judged->last, error);
    if (status == ACCP_STATUS_OK && judging->judged->last->answer == ACCP_ANSWER_SKU)
        status = accp_expected_beside(judging->judged->last->path, &expected, error);
    bool has_levels = judging->judged->last->answer == ACCP_ANSWER_SKU;
    if (status == ACCP_STATUS_OK && probe >= 0)
        status =
            accp_statics_of(judging->judged->golden_folder, probe, subsets, judging->run_count,
                            has_levels ? &judging->judged->last->golden : NULL, &statics, error);
    for (size_t i = 0; i < judging->run_count && status == ACCP_STATUS_OK; ++i)
        mark_spills(&statics, &subsets[i]);
    if (status == ACCP_STATUS_OK)
        status = judge_with(judging, probe, subsets, &expected, &statics, error);
    accp_statics_fini(&statics);
    accp_expected_fini(&expected);
    for (size_t i = 0; i < judging->run_count; ++i)
        free(subsets[i].roles);
    free(subsets);
    return status;
}

/* --claim: keeps the lines that match, and the verdict over them. */
static enum accp_status keep_claims(struct judging *judging, struct accp_error *error)
{
    struct accp_pattern pattern;
    ACCP_TRY(accp_pattern_init(&pattern, "claim", judging->options->claim, error));
    size_t kept = 0;
    struct accp_judgement *judgement = &judging->judged->judgement;
    for (size_t i = 0; i < judgement->line_count; ++i)
        if (accp_pattern_matches(&pattern, judgement->lines[i].claim))
            judgement->lines[kept++] = judgement->lines[i];
    accp_pattern_fini(&pattern);
    judgement->line_count = kept;
    if (kept == 0)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--claim %.80s: matches no claim of this run; without it all are listed",
                         judging->options->claim ? judging->options->claim : "");
    accp_judgement_conclude(judgement);
    return ACCP_STATUS_OK;
}

/* Which roles must be in the runs: those asked for. */
static enum accp_status select_roles(struct judging *judging, struct accp_error *error)
{
    struct accp_selection selection;
    judging->is_selective = judging->options->filter || judging->options->probe;
    if (!judging->is_selective) return ACCP_STATUS_OK;
    ACCP_TRY(accp_select(judging->options, &selection, error));
    for (size_t i = 0; i < selection.count; ++i)
        judging->selected[selection.roles[i] - accp_roles] = true;
    return ACCP_STATUS_OK;
}

static enum accp_status add_shape(struct judging *judging, const char *arch, const char *subject,
                                  const struct accp_shape_verdict *verdict, enum accp_reason reason,
                                  struct accp_error *error)
{
    struct accp_line *line;
    ACCP_TRY(accp_judgement_append(&judging->judged->judgement, &line, error));
    line->verdict = reason == ACCP_REASON_NO_SHAPE ? ACCP_VERDICT_SKIP : verdict->verdict;
    line->reason = reason;
    line->answer = verdict->golden[0] ? ACCP_ANSWER_SKU : ACCP_ANSWER_LAWS;
    snprintf(line->claim, sizeof line->claim, "%s.shape", subject);
    snprintf(line->role, sizeof line->role, "%s", subject);
    snprintf(line->golden, sizeof line->golden, "%s", verdict->golden);
    snprintf(line->text, sizeof line->text, "%s%s%.300s", accp_reason_text(reason),
             verdict->text[0] ? ": " : "", verdict->text);
    snprintf(line->repeat, sizeof line->repeat, "accprobe shape --arch %s --filter '%s%s'", arch,
             reason == ACCP_REASON_NO_SHAPE ? "" : "^",
             reason == ACCP_REASON_NO_SHAPE ? "." : subject);
    return ACCP_STATUS_OK;
}

/* A line a role whose SASS is on record, and one over those whose is not. */
static enum accp_status add_shapes(struct judging *judging, const struct accp_shaped *shaped,
                                   struct accp_error *error)
{
    static const enum accp_reason reasons[ACCP_VERDICT_COUNT] = {
        [ACCP_VERDICT_PASS] = ACCP_REASON_SHAPE_HOLDS,
        [ACCP_VERDICT_DRIFT] = ACCP_REASON_SHAPE_LEFT,
        [ACCP_VERDICT_FAIL] = ACCP_REASON_STRUCTURE_LOST};
    struct accp_shape_verdict none = {.verdict = ACCP_VERDICT_NO_GOLDEN};
    size_t unrecorded = 0;
    for (size_t i = 0; i < shaped->shapes.count; ++i) {
        const struct accp_shape *shape = &shaped->shapes.shapes[i];
        const struct accp_shape_verdict *verdict = &shaped->verdicts[i];
        if (verdict->verdict == ACCP_VERDICT_NO_GOLDEN)
            ++unrecorded;
        else
            ACCP_TRY(add_shape(judging, shaped->shapes.arch, shape->role, verdict,
                               reasons[verdict->verdict], error));
    }
    if (unrecorded == 0) return ACCP_STATUS_OK;
    snprintf(none.text, sizeof none.text, "%zu roles, ptxas %s", unrecorded,
             shaped->shapes.compiler_version);
    return add_shape(judging, shaped->shapes.arch, "unrecorded", &none, ACCP_REASON_NO_SHAPE,
                     error);
}

/* Beside a prediction that was made here, the SASS of the built kernels that it was made from. */
static enum accp_status judge_shapes(struct judging *judging, struct accp_error *error)
{
    struct accp_options options = *judging->options;
    struct accp_shaped shaped = {0};
    const struct accp_run *run = &judging->runs[0];
    if (run->source != ACCP_SOURCE_PREDICTED || judging->file || options.cubin)
        return ACCP_STATUS_OK;
    options.out = NULL; /* that of the run */
    enum accp_status status = accp_shape_judging(&options, run->device.arch, &shaped, error);
    if (status == ACCP_STATUS_OK) status = add_shapes(judging, &shaped, error);
    accp_shaped_fini(&shaped);
    return status;
}

static enum accp_status judge_all(struct judging *judging, struct accp_error *error)
{
    ACCP_TRY(accp_golden_folder(judging->options, judging->judged->golden_folder, error));
    ACCP_TRY(select_roles(judging, error));
    for (int probe = -1; probe < ACCP_PROBE_COUNT; ++probe)
        if (has_probe(judging, probe)) ACCP_TRY(judge_probe(judging, probe, error));
    ACCP_TRY(judge_shapes(judging, error));
    accp_judgement_conclude(&judging->judged->judgement);
    return keep_claims(judging, error);
}

/* A command that repeats a line asks the same baselines, and the gate takes the same kernels and GPU. */
static void complete_repeats(const struct judging *judging)
{
    const struct accp_options *options = judging->options;
    const bool measured = judging->runs[0].source == ACCP_SOURCE_MEASURED;
    struct accp_judgement *judgement = &judging->judged->judgement;
    for (size_t i = 0; i < judgement->line_count; ++i) {
        struct accp_line *line = &judgement->lines[i];
        const bool of_gate = strncmp(line->repeat, "accprobe gate", 13) == 0;
        char *file = strstr(line->repeat, " --cubin FILE"), device[16];
        if (of_gate && options->cubin) {
            if (file) *file = 0;
            accp_line_repeat_with(line, " --cubin ", options->cubin, "FILE");
        }
        snprintf(device, sizeof device, "%d", (int)options->device);
        if (of_gate && measured && options->device >= 0)
            accp_line_repeat_with(line, " --device ", device, "N");
        if (options->golden) accp_line_repeat_with(line, " --golden ", options->golden, "DIR");
    }
}

enum accp_status accp_judging_judge(const struct accp_options *options, const struct accp_run *runs,
                                    size_t run_count, const char *file, struct accp_judged **judged,
                                    struct accp_error *error)
{
    struct judging judging = {
        .options = options, .runs = runs, .run_count = run_count, .file = file};
    *judged = judging.judged = calloc(1, sizeof **judged);
    if (!*judged) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory to judge");
    (*judged)->last = &(*judged)->found[0];
    enum accp_status status = judge_all(&judging, error);
    if (status == ACCP_STATUS_OK) complete_repeats(&judging);
    if (status == ACCP_STATUS_OK) return status;
    accp_judged_destroy(*judged);
    *judged = NULL;
    return status;
}

void accp_judged_destroy(struct accp_judged *judged)
{
    if (!judged) return;
    for (size_t i = 0; i < ACCP_JUDGED_PROBES; ++i)
        accp_golden_fini(&judged->found[i].golden);
    accp_judgement_fini(&judged->judgement);
    free(judged);
}

/* How to accept what no golden answers for stands in `text`; "" where there is nothing. A verdict does not depend on whether a
 * folder that nobody named can be written. */
static enum accp_status leave_pending(const struct accp_options *options,
                                      const struct accp_run *run, const struct accp_judged *judged,
                                      char *text, size_t text_bytes, struct accp_error *error)
{
    char folder[PATH_MAX], reason[ACCP_ERROR_TEXT_BYTES + ACCP_ERROR_WHERE_BYTES + 8];
    struct accp_error kept;
    if (run->source != ACCP_SOURCE_MEASURED || judged->last->answer == ACCP_ANSWER_SKU ||
        judged->judgement.verdict != ACCP_VERDICT_NO_GOLDEN || options->cubin ||
        strcmp(run->protocol.name, "gate") != 0)
        return ACCP_STATUS_OK;
    if (options->pending) {
        snprintf(folder, sizeof folder, "%s", options->pending);
    } else {
        ACCP_TRY(accp_tool_folder(folder, error));
        if (accp_tool_is_built(folder))
            strncat(folder, "/pending", sizeof folder - strlen(folder) - 1);
        else
            snprintf(folder, sizeof folder, "pending");
    }
    const enum accp_status status = accp_golden_pending(folder, run, text, text_bytes, &kept);
    if (status != ACCP_STATUS_OK && !options->pending) {
        accp_error_line(&kept, reason, sizeof reason);
        snprintf(text, text_bytes, "the run is not kept: %s; --pending names another folder",
                 reason);
        return ACCP_STATUS_OK;
    }
    if (status != ACCP_STATUS_OK && error) *error = kept;
    ACCP_TRY(status);
    if (!options->golden) return ACCP_STATUS_OK;
    char word[4 * PATH_MAX + 8];
    const size_t used = strlen(text);
    accp_text_word(options->golden, word, sizeof word);
    snprintf(text + used, text_bytes - used, " --golden %s", word);
    return ACCP_STATUS_OK;
}

static enum accp_status print(const struct accp_options *options, const struct accp_report *report,
                              const char *pending, struct accp_error *error)
{
    if (options->shape == ACCP_FORMAT_JSON) return accp_report_json(report, stdout, error);
    ACCP_TRY(accp_report_text(report, stdout, options->shape == ACCP_FORMAT_MARKDOWN, error));
    if (pending[0]) {
        fputs("pending: ", stdout);
        accp_text_put(stdout, pending, options->shape == ACCP_FORMAT_MARKDOWN);
        putchar('\n');
    }
    return options->measurements ? accp_export_write(ACCP_EXPORT_ctest, report, stdout, error)
                                 : ACCP_STATUS_OK;
}

enum accp_status accp_judging(const struct accp_options *options, const struct accp_run *runs,
                              size_t run_count, const char *file, const char *note,
                              int *exit_status, struct accp_error *error)
{
    char pending[10 * PATH_MAX] =
        ""; /* a command to copy: the folder as it is, and two in quotes */
    struct accp_judged *judged;
    ACCP_TRY(accp_judging_judge(options, runs, run_count, file, &judged, error));
    const struct accp_report report = {
        .runs = runs,
        .run_count = run_count,
        .found = judged->last,
        .judgement = &judged->judgement,
        .note = note,
        .all = options->all || options->claim,
    };
    *exit_status = accp_verdict_exit(judged->judgement.verdict);
    enum accp_status status = leave_pending(options, runs, judged, pending, sizeof pending, error);
    if (status == ACCP_STATUS_OK) status = print(options, &report, pending, error);
    accp_judged_destroy(judged);
    return status;
}

/* `measure --out F` that skipped left F.skip: what was to be made of F is skipped with the same
 * reason. */
static bool was_skipped(const char *file, struct accp_error *error)
{
    char path[PATH_MAX], text[ACCP_ERROR_TEXT_BYTES] = "";
    snprintf(path, sizeof path, "%s.skip", file);
    FILE *stream = fopen(path, "r");
    if (!stream) return false;
    if (!fgets(text, sizeof text, stream)) text[0] = 0;
    fclose(stream);
    text[strcspn(text, "\n")] = 0;
    accp_fail(error, ACCP_STATUS_SKIP, file, -1, "nothing was measured: %s", text);
    return true;
}

static enum accp_status read_all(char *const *files, size_t count, struct accp_run *runs,
                                 struct accp_error *error)
{
    for (size_t i = 0; i < count; ++i) {
        if (was_skipped(files[i], error)) return ACCP_STATUS_SKIP;
        ACCP_TRY(accp_run_read(files[i], &runs[i], error));
    }
    return accp_summary_seeds(runs, count, error);
}

enum accp_status accp_judging_read(char *const *files, size_t count, struct accp_run **runs,
                                   struct accp_error *error)
{
    *runs = calloc(count, sizeof **runs);
    if (!*runs) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the runs");
    for (size_t i = 0; i < count; ++i)
        accp_run_init(&(*runs)[i]);
    enum accp_status status = read_all(files, count, *runs, error);
    if (status == ACCP_STATUS_OK) return status;
    accp_judging_free(*runs, count);
    *runs = NULL;
    return status;
}

void accp_judging_free(struct accp_run *runs, size_t count)
{
    for (size_t i = 0; runs && i < count; ++i)
        accp_run_fini(&runs[i]);
    free(runs);
}
