#include "golden/record.h"

#include "base/file.h"
#include "base/plural.h"
#include "golden/derive.h"
#include "golden/environment.h"
#include "golden/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum accp_status refuse(struct accp_error *error, const char *text)
{
    return accp_fail(error, ACCP_STATUS_REFUSED, NULL, -1, "%s", text);
}

static enum accp_status check_request(const struct accp_record_request *request,
                                      struct accp_error *error)
{
    size_t reason_length = request->reason ? strlen(request->reason) : 0;
    if (request->run_count == 0) return refuse(error, "no run was given");
    if (strspn(request->reason ? request->reason : "", " \t") == reason_length)
        return refuse(error, "no reason: say with --reason why the baseline changes");
    if (reason_length >= ACCP_GOLDEN_REASON_BYTES || strpbrk(request->reason, "\n\r"))
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, -1,
                         "the reason must be one line of at most %d bytes",
                         ACCP_GOLDEN_REASON_BYTES - 1);
    if (request->dirty)
        return refuse(error, "the tree holds changes that are in no commit: commit them, build and "
                             "measure again");
    if (!request->commit || !request->commit[0])
        return refuse(error, "the commit that was built is not known: git knows no checkout of "
                             "yours where the goldens are to lie (--golden)");
    if (request->broken_law)
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, -1, "a law is broken: %s",
                         request->broken_law);
    return ACCP_STATUS_OK;
}

/* tests/fake calls its driver so. */
static bool is_fake(const struct accp_run *run)
{
    static const char mark[] = "-fake";
    size_t length = strlen(run->device.driver), end = sizeof mark - 1;
    return length >= end && strcmp(run->device.driver + length - end, mark) == 0;
}

static enum accp_status check_device(const struct accp_run *first, const struct accp_run *run,
                                     size_t index, struct accp_error *error)
{
    struct accp_sku sku = accp_sku_of(run), first_sku = accp_sku_of(first);
    char text[ACCP_TEXT_BYTES];
    enum accp_trouble trouble = accp_environment_check(run, text, sizeof text);
    if (trouble != ACCP_TROUBLE_NONE)
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)index, "run %zu: %s (%s)",
                         index + 1, accp_trouble_text(trouble), text);
    if (!accp_arch_find(sku.arch))
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)index,
                         "run %zu: arch \"%s\" is not in the table of arches", index + 1, sku.arch);
    if (run->source == ACCP_SOURCE_PREDICTED) return ACCP_STATUS_OK;
    if (!accp_sku_same(&sku, &sku))
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)index,
                         "run %zu: SM count, PCI device or memory of the GPU are not known, and a "
                         "golden is keyed by them",
                         index + 1);
    if (!accp_sku_same(&sku, &first_sku) || strcmp(run->device.driver, first->device.driver) != 0)
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)index,
                         "run 1 and run %zu are of different GPU models or drivers", index + 1);
    return ACCP_STATUS_OK;
}

/* "-arch sm_90 -m 64": which arch the cubin says that it was compiled for; "": it does not say. */
static void arch_of_cubin(const struct accp_run *run, char arch[16])
{
    const char *at = strstr(run->compiler.flags, "-arch sm_");
    if (!at || sscanf(at, "-arch %15s", arch) != 1) arch[0] = 0;
}

/* Code runs on the arches of its major version from its minor version on, and with a suffix
 * (sm_90a) on that one alone. */
static bool runs_on(const char *code, const char *arch)
{
    int compiled = 0, device = 0, suffix = 0;
    if (sscanf(code, "sm_%d%n", &compiled, &suffix) != 1 || sscanf(arch, "sm_%d", &device) != 1)
        return false;
    return code[suffix] ? compiled == device
                        : compiled / 10 == device / 10 && compiled % 10 <= device % 10;
}

/* An arch that was edited, or a golden under it, would answer for other GPUs. */
static enum accp_status check_arch(const struct accp_record_request *request,
                                   const struct accp_run *run, size_t index,
                                   struct accp_error *error)
{
    char compiled[16], path[PATH_MAX], name[ACCP_TEXT_BYTES];
    struct accp_sku sku = accp_sku_of(run);
    arch_of_cubin(run, compiled);
    if (compiled[0] && !runs_on(compiled, run->device.arch))
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)index,
                         "run %zu: says arch %s, and its cubin was compiled for %s, which does not "
                         "run there",
                         index + 1, run->device.arch, compiled);
    for (int i = 0; i < ACCP_ARCH_COUNT && run->source == ACCP_SOURCE_MEASURED; ++i) {
        if (strcmp(accp_arches[i].name, run->device.arch) == 0) continue;
        snprintf(sku.arch, sizeof sku.arch, "%s", accp_arches[i].name);
        accp_sku_name(&sku, name);
        snprintf(path, sizeof path, "%s/%s/%s", request->folder, accp_source_text(run->source),
                 name);
        if (!accp_file_is_missing(path))
            return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)index,
                             "run %zu: says arch %s, and its GPU is on record as %s", index + 1,
                             run->device.arch, name);
    }
    return ACCP_STATUS_OK;
}

/* As `measure --broken` times them. */
static enum accp_status check_spills(const struct accp_run *run, size_t index,
                                     struct accp_error *error)
{
    for (size_t i = 0; i < run->role_count; ++i)
        if (run->roles[i].spills > 0 && accp_role_find(run->roles[i].role))
            return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)index,
                             "run %zu: a law is broken: %s has %d LDL and STL", index + 1,
                             run->roles[i].role, run->roles[i].spills);
    return ACCP_STATUS_OK;
}

static enum accp_status check_runs(const struct accp_record_request *request,
                                   struct accp_error *error)
{
    const struct accp_run *runs = request->runs;
    for (size_t i = 0; i < request->run_count; ++i) {
        if (runs[i].source == ACCP_SOURCE_DOCUMENT)
            return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)i,
                             "run %zu is from a document: only what was measured or predicted here "
                             "becomes a golden",
                             i + 1);
        if (runs[i].source != runs[0].source)
            return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)i,
                             "run 1 is %s and run %zu is %s: a golden holds one kind",
                             accp_source_text(runs[0].source), i + 1,
                             accp_source_text(runs[i].source));
        if (strcmp(runs[i].protocol.name, "gate") != 0)
            return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)i,
                             "run %zu was measured with protocol %s: what it would replace is what "
                             "the gate is judged by; measure with --protocol gate",
                             i + 1, runs[i].protocol.name);
        if (is_fake(&runs[i]) && !request->allow_fake)
            return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)i,
                             "run %zu was made with the fake driver of the tests (%s): a golden "
                             "holds what a GPU did",
                             i + 1, runs[i].device.driver);
        ACCP_TRY(check_device(&runs[0], &runs[i], i, error));
        ACCP_TRY(check_arch(request, &runs[i], i, error));
        ACCP_TRY(check_spills(&runs[i], i, error));
    }
    return accp_summary_seeds(runs, request->run_count, error);
}

/* What SASS the runs of a point were; "" when a run does not say. False: they differ. */
static bool find_sass(const struct accp_summary *summary, const char *role, int warps,
                      const struct accp_run_role **found)
{
    *found = NULL;
    bool all_say = true;
    for (size_t i = 0; i < summary->run_count; ++i) {
        const struct accp_run_role *here = accp_run_find(&summary->runs[i], role, warps);
        if (!here) continue;
        all_say = all_say && here->sass[0];
        if (*found && (strcmp((*found)->sass, here->sass) != 0 ||
                       strcmp((*found)->sass_exact, here->sass_exact) != 0))
            return false;
        *found = here;
    }
    if (!all_say) *found = NULL;
    return true;
}

static void copy_sass(const struct accp_summary *summary, struct accp_golden_level *level)
{
    const struct accp_run_role *role;
    if (!find_sass(summary, level->role, level->warps, &role) || !role) return;
    memcpy(level->sass, role->sass, sizeof level->sass);
    memcpy(level->sass_exact, role->sass_exact, sizeof level->sass_exact);
}

/* A level whose cycles agree is made again when its SASS changed: that approves a DRIFT. */
static bool same_sass(const struct accp_golden_level *before, const struct accp_golden_level *level)
{
    return !level->sass[0] || (strcmp(before->sass, level->sass) == 0 &&
                               strcmp(before->sass_exact, level->sass_exact) == 0);
}

/* A prediction may say of a loop that the model does not time it. */
static bool is_untimed(const struct accp_summary *summary, const struct accp_point *point)
{
    return summary->runs[0].source == ACCP_SOURCE_PREDICTED && point->processes == 0;
}

static enum accp_status check_points(const struct accp_summary *summary, struct accp_error *error)
{
    bool measured = summary->runs[0].source == ACCP_SOURCE_MEASURED;
    size_t least = measured ? ACCP_GOLDEN_SESSIONS_MIN : 1;
    for (size_t i = 0; i < summary->point_count; ++i) {
        const struct accp_point *point = &summary->points[i];
        if (!point->series[0])
            return accp_fail(error, ACCP_STATUS_REFUSED, NULL, -1,
                             "%s is no role of a probe: a golden holds roles of the tables only",
                             point->role);
        if (is_untimed(summary, point)) continue;
        if (point->empty > 0)
            return accp_fail(error, ACCP_STATUS_REFUSED, NULL, -1,
                             "%s at %d warp%s has no sample in %zu of the runs", point->role,
                             point->warps, ACCP_PLURAL(point->warps, "s"), point->empty);
        if (point->processes < least)
            return accp_fail(
                error, ACCP_STATUS_REFUSED, NULL, -1,
                "%s at %d warp%s has %zu session%s, and a golden needs %zu or more, each a "
                "process of its own",
                point->role, point->warps, ACCP_PLURAL(point->warps, "s"), point->processes,
                ACCP_PLURAL(point->processes, "s"), least);
        const struct accp_run_role *any;
        if (!find_sass(summary, point->role, point->warps, &any))
            return accp_fail(error, ACCP_STATUS_REFUSED, NULL, -1,
                             "the runs hold different SASS of %s: record one compiler at a time",
                             point->role);
        for (int law = 0; law < ACCP_LAW_COUNT; ++law) {
            struct accp_law_finding finding;
            if (accp_law_apply((enum accp_law)law, summary, point, &finding) && finding.broken)
                return accp_fail(
                    error, ACCP_STATUS_REFUSED, NULL, -1,
                    "a law is broken: %s: %s at %d warp%s costs %.6g cycles, below %.6g",
                    accp_law_text(finding.law), point->role, point->warps,
                    ACCP_PLURAL(point->warps, "s"), finding.value, finding.bound);
        }
    }
    return ACCP_STATUS_OK;
}

/* Lines that share the false-alarm rate: every role of the probe at every number of warps of the
 * protocol. Taken from the tables, so that recording a part of the roles does not loosen the rest.
 */
static int comparisons_of(const char *probe, const char *protocol)
{
    int roles = 0, rows = 0;
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i)
        roles += strcmp(accp_probe_names[accp_roles[i].probe], probe) == 0;
    for (size_t i = 0; i < ACCP_PROTOCOL_COUNT; ++i)
        rows += strcmp(accp_protocols[i].name, protocol) == 0;
    return roles * (rows > 0 ? rows : 1);
}

/* The merge of one probe: the old golden, the new one under construction, and what changed. */
struct merge {
    const struct accp_record_request *request;
    const struct accp_summary *summary;
    const char *probe;
    struct accp_confidence confidence;
    const struct accp_golden *old;
    struct accp_golden *new;
    size_t changed, kept;
};

static void start_header(struct merge *merge)
{
    const struct accp_run *run = &merge->summary->runs[0];
    struct accp_golden *new = merge->new;
    snprintf(new->probe, sizeof new->probe, "%s", merge->probe);
    new->source = run->source;
    new->sku = merge->old->level_count > 0 ? merge->old->sku : accp_sku_of(run);
    new->false_alarm_rate = ACCP_FALSE_ALARM_RATE;
    new->comparisons = comparisons_of(merge->probe, run->protocol.name);
    merge->confidence = accp_confidence_of(new->false_alarm_rate, (size_t) new->comparisons);
}

/* Room for every row of the old golden and of the runs. */
static enum accp_status make_room(struct merge *merge, struct accp_error *error)
{
    const struct accp_golden *old = merge->old;
    struct accp_golden *new = merge->new;
    size_t points = merge->summary->point_count + 1;
    new->records = calloc(old->record_count + 1, sizeof *new->records);
    new->levels = calloc(old->level_count + points, sizeof *new->levels);
    new->orders = calloc(old->order_count + points, sizeof *new->orders);
    new->growths = calloc(old->growth_count + points, sizeof *new->growths);
    if (new->records &&new->levels &&new->orders &&new->growths) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a golden");
}

/* Rows of a recording with another protocol say nothing about this one. */
static bool comparable(const struct merge *merge, int record)
{
    return accp_protocol_same(&merge->old->records[record].protocol,
                              &merge->summary->runs[0].protocol);
}

/* Recordings: those of the old golden keep their index until the unused ones are dropped; the new
 * one is the last. */
static int new_record(const struct merge *merge)
{
    return (int)merge->old->record_count;
}

static void name_untimed(const struct accp_point *point, struct accp_golden_level *level)
{
    memcpy(level->role, point->role, sizeof level->role);
    memcpy(level->kernel, point->kernel, sizeof level->kernel);
    level->warps = point->warps;
    level->sessions = (int)point->empty;
}

static void merge_levels(struct merge *merge)
{
    const struct accp_golden *old = merge->old;
    struct accp_golden *new = merge->new;
    for (size_t i = 0; i < old->level_count; ++i)
        if (!accp_summary_find(merge->summary, old->levels[i].role, old->levels[i].warps))
            new->levels[new->level_count++] = old->levels[i];
    merge->kept += new->level_count;
    for (size_t i = 0; i < merge->summary->point_count; ++i) {
        const struct accp_point *point = &merge->summary->points[i];
        const struct accp_role *role = accp_role_find(point->role);
        if (strcmp(accp_probe_names[role->probe], merge->probe) != 0) continue;
        struct accp_golden_level *level = &new->levels[new->level_count++];
        const struct accp_golden_level *before =
            accp_golden_level_find(old, point->role, point->warps);
        if (is_untimed(merge->summary, point))
            name_untimed(point, level);
        else
            accp_derive_level(point, merge->summary, &merge->confidence, level);
        copy_sass(merge->summary, level);
        level->record = new_record(merge);
        bool keep =
            before && same_sass(before, level) && comparable(merge, before->record) &&
            (before->mean > 0) == (level->mean > 0) &&
            (level->mean == 0 || accp_derive_level_agrees(before, level, &merge->confidence));
        if (keep) *level = *before;
        merge->kept += keep;
        merge->changed += !keep;
    }
}

static void merge_orders(struct merge *merge)
{
    const struct accp_golden *old = merge->old;
    struct accp_golden *new = merge->new;
    const struct accp_point *first;
    for (size_t at = 0; (first = accp_summary_next_series(merge->summary, &at));) {
        struct accp_golden_order *order = &new->orders[new->order_count];
        if (strcmp(accp_probe_names[accp_role_find(first->role)->probe], merge->probe) != 0 ||
            !accp_derive_order(merge->summary, first, &merge->confidence, order))
            continue;
        const struct accp_golden_order *before =
            accp_golden_order_find(old, first->series, first->warps);
        order->record = new_record(merge);
        bool keep =
            before && comparable(merge, before->record) && accp_derive_order_agrees(before, order);
        if (keep) *order = *before;
        merge->kept += keep;
        merge->changed += !keep;
        ++new->order_count;
    }
    for (size_t i = 0; i < old->order_count; ++i) {
        if (accp_golden_order_find(new, old->orders[i].series, old->orders[i].warps)) continue;
        new->orders[new->order_count++] = old->orders[i];
        ++merge->kept;
    }
}

/* Keeps, replaces or drops the growth of one family: a gap that no longer grows is no claim any
 * more. */
static void merge_growth(struct merge *merge, const char *family, int warps)
{
    struct accp_golden *new = merge->new;
    const struct accp_golden_growth *before = accp_golden_growth_find(merge->old, family, warps);
    struct accp_golden_growth *growth = &new->growths[new->growth_count];
    bool complete, grows;
    if (accp_golden_growth_find(new, family, warps)) return;
    grows =
        accp_derive_growth(merge->summary, family, warps, &merge->confidence, growth, &complete);
    growth->record = new_record(merge);
    bool keep = before && (!complete || (grows && comparable(merge, before->record) &&
                                         accp_derive_growth_agrees(before, growth)));
    if (keep) *growth = *before;
    merge->kept += keep;
    merge->changed += !keep && (grows || (before && complete));
    new->growth_count += keep || grows;
}

static bool touches(const struct accp_summary *summary, const char *family, int warps)
{
    for (size_t i = 0; i < summary->point_count; ++i)
        if (summary->points[i].warps == warps && strcmp(summary->points[i].family, family) == 0)
            return true;
    return false;
}

static void merge_growths(struct merge *merge)
{
    const struct accp_point *first;
    for (size_t at = 0; (first = accp_summary_next_series(merge->summary, &at));)
        if (strcmp(accp_probe_names[accp_role_find(first->role)->probe], merge->probe) == 0)
            merge_growth(merge, first->family, first->warps);
    /* Families that the runs do not touch: incomplete there, so kept. */
    for (size_t i = 0; i < merge->old->growth_count; ++i)
        if (!touches(merge->summary, merge->old->growths[i].family, merge->old->growths[i].warps))
            merge_growth(merge, merge->old->growths[i].family, merge->old->growths[i].warps);
}

static void fill_record(const struct merge *merge, struct accp_golden_provenance *record)
{
    const struct accp_record_request *request = merge->request;
    const struct accp_run *run = &merge->summary->runs[0];
    snprintf(record->date, sizeof record->date, "%s", request->date);
    snprintf(record->tool, sizeof record->tool, "%s", run->tool);
    snprintf(record->commit, sizeof record->commit, "%s", request->commit);
    snprintf(record->reason, sizeof record->reason, "%s", request->reason);
    snprintf(record->device, sizeof record->device, "%s", run->device.name);
    snprintf(record->driver, sizeof record->driver, "%s", run->device.driver);
    record->compiler = run->compiler;
    record->protocol = run->protocol;
    record->protocol.seed = 0;
}

/* Keeps the recordings that a row still points to, and renumbers the rows. */
static enum accp_status number_records(struct merge *merge, struct accp_error *error)
{
    struct accp_golden *new = merge->new;
    for (size_t i = 0; i <= merge->old->record_count; ++i) {
        int to = (int)new->record_count;
        bool used = false;
#define RENUMBER(rows, count) \
    for (size_t j = 0; j < new->count; ++j) { \
        if (new->rows[j].record != (int)i) continue; \
        new->rows[j].record = to; \
        used = true; \
    }
        RENUMBER(levels, level_count)
        RENUMBER(orders, order_count)
        RENUMBER(growths, growth_count)
#undef RENUMBER
        if (!used) continue;
        if (i < merge->old->record_count)
            new->records[to] = merge->old->records[i];
        else
            fill_record(merge, &new->records[to]);
        ++new->record_count;
    }
    if (new->record_count <= ACCP_GOLDEN_RECORDS) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_REFUSED, NULL, -1,
                     "the golden would be made of %zu recordings, at most %d: record every role",
                     new->record_count, ACCP_GOLDEN_RECORDS);
}

#define COMPARE_BY(rows, name) \
    static int compare_##rows(const void *left, const void *right) \
    { \
        const struct accp_golden_##rows *a = left, *b = right; \
        int order = strcmp(a->name, b->name); \
        return order ? order : a->warps - b->warps; \
    }
COMPARE_BY(level, role)
COMPARE_BY(order, series)
COMPARE_BY(growth, family)

static enum accp_status write_golden(const char *path, const struct accp_golden *golden,
                                     struct accp_error *error)
{
    char folder[PATH_MAX], *text;
    size_t bytes;
    int made = 0;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    ACCP_TRY(accp_golden_format(golden, &text, &bytes, error));
    /* What is written must be readable: better no golden than one that blocks the gate. */
    struct accp_golden again;
    enum accp_status status = accp_golden_parse(path, text, bytes, &again, error);
    accp_golden_fini(&again);
    if (status == ACCP_STATUS_OK) status = accp_folder_make(folder, &made, error);
    if (status == ACCP_STATUS_OK) status = accp_file_write_atomic(path, text, bytes, error);
    if (status != ACCP_STATUS_OK) accp_folder_unmake(folder, made);
    free(text);
    return status;
}

static enum accp_status merge_rows(struct merge *merge, struct accp_record_outcome *outcome,
                                   struct accp_error *error)
{
    struct accp_golden *new = merge->new;
    start_header(merge);
    ACCP_TRY(make_room(merge, error));
    merge_levels(merge);
    merge_orders(merge);
    merge_growths(merge);
    qsort(new->levels, new->level_count, sizeof *new->levels, compare_level);
    qsort(new->orders, new->order_count, sizeof *new->orders, compare_order);
    qsort(new->growths, new->growth_count, sizeof *new->growths, compare_growth);
    outcome->rows_changed += merge->changed;
    outcome->rows_kept += merge->kept;
    if (merge->changed == 0) return ACCP_STATUS_OK;
    ACCP_TRY(number_records(merge, error));
    ACCP_TRY(write_golden(outcome->path, new, error));
    outcome->written = true;
    return ACCP_STATUS_OK;
}

static enum accp_status record_probe(const struct accp_record_request *request,
                                     const struct accp_summary *summary, const char *probe,
                                     struct accp_record_outcome *outcome, struct accp_error *error)
{
    struct accp_golden_found found;
    struct accp_golden none, new;
    ACCP_TRY(accp_golden_find(request->folder, probe, &request->runs[0], &found, error));
    accp_golden_init(&none);
    accp_golden_init(&new);
    bool known = found.answer == ACCP_ANSWER_SKU;
    struct accp_sku sku = accp_sku_of(&request->runs[0]);
    accp_golden_path(request->folder, request->runs[0].source, known ? &found.golden.sku : &sku,
                     probe, outcome->path);
    struct merge merge = {.request = request,
                          .summary = summary,
                          .probe = probe,
                          .old = known ? &found.golden : &none,
                          .new = &new};
    enum accp_status status = merge_rows(&merge, outcome, error);
    accp_golden_fini(&new);
    accp_golden_fini(&found.golden);
    return status;
}

static bool holds_probe(const struct accp_summary *summary, int probe)
{
    for (size_t i = 0; i < summary->point_count; ++i)
        if ((int)accp_role_find(summary->points[i].role)->probe == probe) return true;
    return false;
}

enum accp_status accp_golden_record(const struct accp_record_request *request,
                                    struct accp_record_outcome *outcome, struct accp_error *error)
{
    memset(outcome, 0, sizeof *outcome);
    ACCP_TRY(check_request(request, error));
    ACCP_TRY(check_runs(request, error));
    struct accp_summary summary;
    enum accp_status status = accp_summary_init(&summary, request->runs, request->run_count, error);
    if (status == ACCP_STATUS_INPUT && error) error->code = ACCP_STATUS_REFUSED;
    if (status == ACCP_STATUS_INPUT) status = ACCP_STATUS_REFUSED;
    if (status == ACCP_STATUS_OK) status = check_points(&summary, error);
    for (int probe = 0; probe < ACCP_PROBE_COUNT && status == ACCP_STATUS_OK; ++probe)
        if (holds_probe(&summary, probe))
            status = record_probe(request, &summary, accp_probe_names[probe], outcome, error);
    accp_summary_fini(&summary);
    return status;
}
