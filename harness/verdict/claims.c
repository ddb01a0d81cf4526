#include "verdict/judge.h"

#include "base/plural.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands in the way of a claim on several roles. */
enum gap { GAP_NONE, GAP_NOT_SELECTED, GAP_UNTIMED, GAP_MISSING };

static bool wanted(const struct accp_judge *judge, size_t row)
{
    return !judge->input->selected || judge->input->selected[row];
}

/* Roles of a series (or of a family, by `of_family`) that the tables have and the runs do not. */
static enum gap find_gap(const struct accp_judge *judge, const char *name, bool of_family,
                         int warps)
{
    enum gap gap = GAP_NONE;
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        char own[ACCP_NAME_BYTES];
        if (of_family)
            accp_family_name(accp_roles[i].name, own);
        else
            accp_series_name(accp_roles[i].name, own);
        if (strcmp(own, name) != 0) continue;
        const struct accp_point *point =
            accp_summary_find(&judge->summary, accp_roles[i].name, warps);
        if (point && point->processes > 0 && point->empty == 0) continue;
        if (!point && !wanted(judge, i)) return GAP_NOT_SELECTED;
        if (!point || !accp_judge_untimed(judge, point))
            gap = GAP_MISSING;
        else if (gap == GAP_NONE)
            gap = GAP_UNTIMED;
    }
    return gap;
}

static int compare_means(const void *left, const void *right)
{
    const struct accp_point *a = *(const struct accp_point *const *)left;
    const struct accp_point *b = *(const struct accp_point *const *)right;
    if (a->mean != b->mean) return a->mean < b->mean ? -1 : 1;
    return a->acc - b->acc;
}

/* "acc2 > acc1 > acc3": as the means of the runs have it, fastest first. */
static void found_order(const struct accp_judge *judge, const char *series, int warps, char *text,
                        size_t text_bytes)
{
    const struct accp_point *points[ACCP_GOLDEN_ACCS];
    size_t count = 0, used = 0;
    for (size_t i = 0; i < judge->summary.point_count && count < ACCP_GOLDEN_ACCS; ++i) {
        const struct accp_point *point = &judge->summary.points[i];
        if (point->warps == warps && point->processes > 0 && strcmp(point->series, series) == 0)
            points[count++] = point;
    }
    qsort(points, count, sizeof *points, compare_means);
    if (text_bytes > 0) text[0] = 0;
    for (size_t i = 0; i < count && used < text_bytes; ++i) {
        int put =
            snprintf(text + used, text_bytes - used, "%sacc%d", i ? " > " : "", points[i]->acc);
        used += put > 0 ? (size_t)put : 0;
    }
}

/* The most reversed of the ordered pairs: by how much the one recorded as faster is slower,
 * relative. */
struct reversal {
    int faster, slower;
    double relative;
    size_t pairs;
};

static struct reversal worst_reversal(const struct accp_judge *judge,
                                      const struct accp_golden_order *order)
{
    struct reversal worst = {.relative = -INFINITY};
    for (size_t i = 0; i < order->acc_count; ++i)
        for (size_t j = i + 1; j < order->acc_count; ++j) {
            if (accp_golden_tied(order, order->accs[i], order->accs[j])) continue;
            const struct accp_point *faster = accp_summary_in_series(&judge->summary, order->series,
                                                                     order->accs[i], order->warps);
            const struct accp_point *slower = accp_summary_in_series(&judge->summary, order->series,
                                                                     order->accs[j], order->warps);
            if (!faster || !slower) continue;
            double relative = faster->mean / slower->mean - 1;
            ++worst.pairs;
            if (relative <= worst.relative) continue;
            worst.relative = relative;
            worst.faster = order->accs[i];
            worst.slower = order->accs[j];
        }
    return worst;
}

static void say_order(const struct accp_judge *judge, const struct accp_golden_order *order,
                      struct accp_line *line)
{
    char recorded[128], found[128];
    struct reversal worst = worst_reversal(judge, order);
    accp_golden_order_text(order, recorded, sizeof recorded);
    found_order(judge, order->series, order->warps, found, sizeof found);
    line->unit = "percent";
    if (worst.pairs > 0) line->value = 100 * worst.relative;
    line->high = 100 * order->margin;
    line->least_visible = order->margin;
    if (worst.relative > order->margin)
        accp_judge_say(line, ACCP_VERDICT_FAIL, ACCP_REASON_ORDER_BROKEN,
                       "acc%d is %.2f %% slower than acc%d, margin %.2g %%; recorded %s; found %s",
                       worst.faster, 100 * worst.relative, worst.slower, 100 * order->margin,
                       recorded, found);
    else
        accp_judge_say(line, ACCP_VERDICT_PASS, ACCP_REASON_ORDER_HOLDS,
                       "%zu pairs, margin %.2g %%: %s", worst.pairs, 100 * order->margin, recorded);
}

static void say_peak(const struct accp_judge *judge, const struct accp_golden_order *order,
                     struct accp_line *line)
{
    char recorded[96] = "";
    size_t used = 0;
    const struct accp_point *best = accp_summary_best(&judge->summary, order->series, order->warps);
    double nearest = INFINITY;
    for (size_t i = 0; i < order->peak_count; ++i) {
        const struct accp_point *peak =
            accp_summary_in_series(&judge->summary, order->series, order->peaks[i], order->warps);
        if (peak) nearest = fmin(nearest, peak->mean / best->mean - 1);
        if (used < sizeof recorded)
            used += (size_t)snprintf(recorded + used, sizeof recorded - used, "%sacc%d",
                                     i ? ", " : "", order->peaks[i]);
    }
    bool lost = !(nearest <= order->margin);
    line->unit = "percent";
    line->value = 100 * nearest;
    line->high = 100 * order->margin;
    line->least_visible = order->margin;
    accp_judge_say(line, lost ? ACCP_VERDICT_FAIL : ACCP_VERDICT_PASS,
                   lost ? ACCP_REASON_PEAK_LOST : ACCP_REASON_PEAK_HOLDS,
                   "recorded %s, found acc%d, %.2f %% apart, margin %.2g %%", recorded, best->acc,
                   100 * nearest, 100 * order->margin);
}

static size_t least_processes(const struct accp_judge *judge, const char *name, bool of_family,
                              int warps)
{
    size_t least = 0;
    for (size_t i = 0; i < judge->summary.point_count; ++i) {
        const struct accp_point *point = &judge->summary.points[i];
        if (point->warps != warps || strcmp(of_family ? point->family : point->series, name) != 0)
            continue;
        if (least == 0 || point->processes < least) least = point->processes;
    }
    return least;
}

static enum accp_status judge_series(struct accp_judge *judge, const struct accp_point *first,
                                     struct accp_error *error)
{
    static const char *const kinds[] = {"order", "peak"};
    static void (*const say[])(const struct accp_judge *, const struct accp_golden_order *,
                               struct accp_line *) = {say_order, say_peak};
    enum gap gap = find_gap(judge, first->series, false, first->warps);
    if (gap == GAP_NOT_SELECTED) return ACCP_STATUS_OK;
    const struct accp_golden_order *order =
        judge->golden ? accp_golden_order_find(judge->golden, first->series, first->warps) : NULL;
    for (int i = 0; i < 2; ++i) {
        struct accp_line *line;
        enum accp_reason reason;
        ACCP_TRY(accp_judge_line(judge, first->series, kinds[i], first->warps, &line, error));
        line->processes = least_processes(judge, first->series, false, first->warps);
        if (gap == GAP_MISSING) {
            accp_judge_say(line, ACCP_VERDICT_ENVIRONMENT, ACCP_REASON_INCOMPLETE, "%s", "");
        } else if (gap == GAP_UNTIMED) {
            accp_judge_say(line, ACCP_VERDICT_SKIP, ACCP_REASON_NOT_TIMED_ON_RECORD,
                           "some of its roles");
        } else if (accp_judge_unanswered(judge, order ? order->record : -1, &reason)) {
            char found[128];
            found_order(judge, first->series, first->warps, found, sizeof found);
            accp_judge_say(line, ACCP_VERDICT_NO_GOLDEN, reason, "found %s", found);
        } else {
            say[i](judge, order, line);
        }
    }
    return ACCP_STATUS_OK;
}

/* acc1 over the best acc of the family's series of that chain; 0 where there is none. */
static double gap_at(const struct accp_judge *judge, const char *family, int chain, int warps)
{
    for (size_t i = 0; i < judge->summary.point_count; ++i) {
        const struct accp_point *point = &judge->summary.points[i];
        if (point->warps != warps || point->chain != chain || point->acc != 1 ||
            strcmp(point->family, family) != 0)
            continue;
        const struct accp_point *best = accp_summary_best(&judge->summary, point->series, warps);
        return best ? point->mean / best->mean : 0;
    }
    return 0;
}

static void say_growth(const struct accp_judge *judge, const struct accp_golden_growth *growth,
                       struct accp_line *line)
{
    char gaps[160] = "";
    size_t used = 0;
    double least = INFINITY, before = 0;
    for (size_t i = 0; i < growth->chain_count; ++i) {
        double gap = gap_at(judge, growth->family, growth->chains[i], growth->warps);
        if (i > 0) least = fmin(least, gap / before - 1);
        before = gap;
        if (used < sizeof gaps)
            used += (size_t)snprintf(gaps + used, sizeof gaps - used, "%s%+.1f %% at %d",
                                     i ? ", " : "", 100 * (gap - 1), growth->chains[i]);
    }
    bool broken = !(least >= -growth->margin);
    line->unit = "percent";
    line->value = 100 * least;
    line->low = -100 * growth->margin;
    line->least_visible = growth->margin;
    accp_judge_say(line, broken ? ACCP_VERDICT_FAIL : ACCP_VERDICT_PASS,
                   broken ? ACCP_REASON_GROWTH_BROKEN : ACCP_REASON_GROWTH_HOLDS,
                   "acc1 over the best: %s; margin %.2g %%", gaps, 100 * growth->margin);
}

/* Whether the golden knows every role of the family at that load, recorded with the run's protocol:
 * then a growth that it lacks was looked for, and not found. */
static bool knows_family(const struct accp_judge *judge, const char *family, int warps)
{
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        char own[ACCP_NAME_BYTES];
        enum accp_reason reason;
        accp_family_name(accp_roles[i].name, own);
        if (strcmp(own, family) != 0) continue;
        const struct accp_golden_level *level =
            judge->golden ? accp_golden_level_find(judge->golden, accp_roles[i].name, warps) : NULL;
        if (accp_judge_unanswered(judge, level ? level->record : -1, &reason)) return false;
    }
    return true;
}

static enum accp_status judge_family(struct accp_judge *judge, const struct accp_point *first,
                                     struct accp_error *error)
{
    struct accp_line *line;
    enum accp_reason reason;
    enum gap gap = find_gap(judge, first->family, true, first->warps);
    if (gap == GAP_NOT_SELECTED) return ACCP_STATUS_OK;
    const struct accp_golden_growth *growth =
        judge->golden ? accp_golden_growth_find(judge->golden, first->family, first->warps) : NULL;
    ACCP_TRY(accp_judge_line(judge, first->family, "gap_growth", first->warps, &line, error));
    line->processes = least_processes(judge, first->family, true, first->warps);
    if (gap == GAP_MISSING)
        accp_judge_say(line, ACCP_VERDICT_ENVIRONMENT, ACCP_REASON_INCOMPLETE, "%s", "");
    else if (gap == GAP_UNTIMED)
        accp_judge_say(line, ACCP_VERDICT_SKIP, ACCP_REASON_NOT_TIMED_ON_RECORD,
                       "some of its roles");
    else if (!growth && knows_family(judge, first->family, first->warps))
        accp_judge_say(line, ACCP_VERDICT_SKIP, ACCP_REASON_NOT_CLAIMED, "%s", "");
    else if (accp_judge_unanswered(judge, growth ? growth->record : -1, &reason))
        accp_judge_say(line, ACCP_VERDICT_NO_GOLDEN, reason, "%s", "");
    else
        say_growth(judge, growth, line);
    return ACCP_STATUS_OK;
}

static bool runs_probe_at(const struct accp_judge *judge, int probe, int warps)
{
    for (size_t i = 0; i < judge->summary.point_count; ++i) {
        const struct accp_point *point = &judge->summary.points[i];
        if (point->series[0] && (warps == 0 || point->warps == warps) &&
            (int)accp_role_find(point->role)->probe == probe)
            return true;
    }
    return false;
}

static enum accp_status judge_coverage(struct accp_judge *judge, int probe,
                                       struct accp_error *error)
{
    struct accp_line *line;
    const char *missing = NULL;
    int missing_warps = 0;
    size_t covered = 0, needed = 0, untimed = 0;
    for (int warps = 1; warps <= 32; ++warps) {
        if (!runs_probe_at(judge, probe, warps)) continue;
        for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
            if ((int)accp_roles[i].probe != probe || !wanted(judge, i)) continue;
            const struct accp_point *point =
                accp_summary_find(&judge->summary, accp_roles[i].name, warps);
            if (point && accp_judge_untimed(judge, point)) {
                ++untimed;
                continue;
            }
            ++needed;
            if (point && point->processes > 0) {
                ++covered;
            } else if (!missing) {
                missing = accp_roles[i].name;
                missing_warps = warps;
            }
        }
    }
    ACCP_TRY(accp_judge_line(judge, accp_probe_names[probe], "coverage", 0, &line, error));
    line->unit = "roles";
    line->value = (double)covered;
    line->low = line->high = (double)needed;
    if (missing)
        accp_judge_say(line, ACCP_VERDICT_ENVIRONMENT, ACCP_REASON_ROLE_MISSING,
                       "%zu of %zu, the first without a sample is %s at %d warp%s", covered, needed,
                       missing, missing_warps, ACCP_PLURAL(missing_warps, "s"));
    else if (untimed > 0)
        accp_judge_say(line, needed > 0 ? ACCP_VERDICT_PASS : ACCP_VERDICT_SKIP,
                       needed > 0 ? ACCP_REASON_COVERED : ACCP_REASON_NOT_TIMED_ON_RECORD,
                       "%zu of %zu, and %zu are not timed on record either", covered, needed,
                       untimed);
    else
        accp_judge_say(line, ACCP_VERDICT_PASS, ACCP_REASON_COVERED, "%zu of %zu", covered, needed);
    return ACCP_STATUS_OK;
}

/* Whoever measures or predicts knows it. Without, everything that is looked up by it would be left
 * out in silence. */
static enum accp_status judge_arch(struct accp_judge *judge, int probe, struct accp_error *error)
{
    const struct accp_run *run = &judge->input->runs[0];
    struct accp_line *line;
    if (run->source == ACCP_SOURCE_DOCUMENT || run->device.arch[0]) return ACCP_STATUS_OK;
    ACCP_TRY(accp_judge_line(judge, accp_probe_names[probe], "arch", 0, &line, error));
    accp_judge_say(line, ACCP_VERDICT_INCONCLUSIVE, ACCP_REASON_NO_ARCH, "measure again");
    return ACCP_STATUS_OK;
}

enum accp_status accp_judge_claims(struct accp_judge *judge, struct accp_error *error)
{
    const struct accp_summary *summary = &judge->summary;
    const struct accp_point *first;
    for (size_t at = 0; (first = accp_summary_next_series(summary, &at));)
        ACCP_TRY(judge_series(judge, first, error));
    for (size_t at = 0; (first = accp_summary_next_series(summary, &at));) {
        bool done = false;
        for (const struct accp_point *before = summary->points; before < first && !done; ++before)
            done = before->warps == first->warps && strcmp(before->family, first->family) == 0;
        if (!done) ACCP_TRY(judge_family(judge, first, error));
    }
    for (int probe = 0; probe < ACCP_PROBE_COUNT; ++probe) {
        if (!runs_probe_at(judge, probe, 0)) continue;
        ACCP_TRY(judge_coverage(judge, probe, error));
        ACCP_TRY(judge_arch(judge, probe, error));
    }
    return ACCP_STATUS_OK;
}
