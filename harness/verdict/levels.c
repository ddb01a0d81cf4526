#include "verdict/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct joint {
    enum accp_verdict verdict;
    enum accp_reason reason;
    bool filled;
};

enum { LEVEL_RESULTS = ACCP_LEVEL_BLIND + 1 };

static const struct joint joints[ACCP_STATIC_COUNT][LEVEL_RESULTS] = {
#define JOINT(state, result, verdict, reason) \
    [ACCP_STATIC_## \
        state][ACCP_LEVEL_##result] = {ACCP_VERDICT_##verdict, ACCP_REASON_##reason, true},
#include "verdict/joint.def"
};

enum {
    JOINT_ROWS = 0
#define JOINT(state, result, verdict, reason) +1
#include "verdict/joint.def"
};
_Static_assert(JOINT_ROWS == ACCP_STATIC_COUNT * LEVEL_RESULTS, "one row for each pair");

/* No level to compare with: the SASS may still say something. */
static void say_unanswered(struct accp_line *line, const struct accp_static *shape,
                           enum accp_reason reason)
{
    if (shape->state == ACCP_STATIC_LAW_BROKEN)
        accp_judge_say(line, ACCP_VERDICT_FAIL, ACCP_REASON_STRUCTURE_LOST, "%s", shape->text);
    else if (shape->state == ACCP_STATIC_CHANGED)
        accp_judge_say(line, ACCP_VERDICT_DRIFT, ACCP_REASON_SHAPE_UNBASED, "%s", shape->text);
    else
        accp_judge_say(line, ACCP_VERDICT_NO_GOLDEN, reason, "%.6g cycles", line->value);
}

static void compare_level(struct accp_judge *judge, const struct accp_point *point,
                          const struct accp_golden_level *row, struct accp_line *line)
{
    const struct accp_level level = {
        .mean = row->mean,
        .sd = row->sd,
        .sessions = (size_t)row->sessions,
        .tolerance = row->tolerance,
        .run_mean = point->mean,
        .run_sd = point->sd,
        .processes = point->processes,
    };
    struct accp_level_judgement judged = accp_level_judge(&level, &judge->confidence);
    line->low = row->mean - row->tolerance;
    line->high = row->mean + row->tolerance;
    line->change = judged.change / row->mean;
    line->change_low = (judged.change - judged.half_width) / row->mean;
    line->change_high = (judged.change + judged.half_width) / row->mean;
    line->least_visible = judged.least_visible / row->mean;
    struct accp_static shape = accp_judge_static(judge->input, point->role);
    const struct joint *joint = &joints[shape.state][judged.result];
    bool tell = shape.text[0] && shape.state != ACCP_STATIC_SAME &&
                (shape.state != ACCP_STATIC_RENAMED || judged.result != ACCP_LEVEL_INSIDE);
    accp_judge_say(line, joint->verdict, joint->reason,
                   "%.6g cycles against %.6g, %+.3f %% [%+.3f, %+.3f], tolerance %.3g %%%s%s",
                   point->mean, row->mean, 100 * line->change, 100 * line->change_low,
                   100 * line->change_high, 100 * row->tolerance / row->mean,
                   !tell                                ? ""
                   : shape.state == ACCP_STATIC_CHANGED ? "; first difference: "
                                                        : "; ",
                   tell ? shape.text : "");
}

static enum accp_status judge_level(struct accp_judge *judge, const struct accp_point *point,
                                    struct accp_error *error)
{
    struct accp_line *line;
    ACCP_TRY(accp_judge_line(judge, point->role, "level", point->warps, &line, error));
    line->unit = "cycles";
    line->processes = point->processes;
    line->samples = point->samples;
    if (point->processes > 0) line->value = point->mean;
    const bool is_predicted = judge->input->runs[0].source == ACCP_SOURCE_PREDICTED;
    if (accp_judge_untimed(judge, point)) {
        accp_judge_say(line, ACCP_VERDICT_SKIP, ACCP_REASON_NOT_TIMED_ON_RECORD, "%s", "");
        return ACCP_STATUS_OK;
    }
    if (is_predicted && point->processes == 0) {
        accp_judge_say(line, ACCP_VERDICT_ENVIRONMENT, ACCP_REASON_NOT_TIMED, "%s", "");
        return ACCP_STATUS_OK;
    }
    if (point->processes == 0 || point->empty > 0) {
        accp_judge_say(line, ACCP_VERDICT_ENVIRONMENT, ACCP_REASON_ZERO_SAMPLES,
                       "%zu of %zu processes have no sample", point->empty,
                       point->empty + point->processes);
        return ACCP_STATUS_OK;
    }
    ++judge->judgement->roles_judged;
    const struct accp_golden_level *row =
        judge->golden && judge->answer == ACCP_ANSWER_SKU
            ? accp_golden_level_find(judge->golden, point->role, point->warps)
            : NULL;
    if (row && row->mean == 0) row = NULL; /* the model times it now, and did not before */
    enum accp_reason reason;
    struct accp_static shape = accp_judge_static(judge->input, point->role);
    if (accp_judge_unanswered(judge, row ? row->record : -1, &reason))
        say_unanswered(line, &shape, reason);
    else
        compare_level(judge, point, row, line);
    return ACCP_STATUS_OK;
}

static enum accp_status judge_structure(struct accp_judge *judge, const struct accp_point *point,
                                        struct accp_error *error)
{
    struct accp_static shape = accp_judge_static(judge->input, point->role);
    struct accp_line *line;
    if (shape.state == ACCP_STATIC_UNKNOWN) return ACCP_STATUS_OK;
    ACCP_TRY(accp_judge_line(judge, point->role, "structure", 0, &line, error));
    if (shape.state == ACCP_STATIC_LAW_BROKEN)
        accp_judge_say(line, ACCP_VERDICT_FAIL, ACCP_REASON_STRUCTURE_LOST, "%s", shape.text);
    else
        accp_judge_say(line, ACCP_VERDICT_PASS, ACCP_REASON_STRUCTURE_HOLDS, "%s", "");
    return ACCP_STATUS_OK;
}

static enum accp_status judge_law(struct accp_judge *judge, enum accp_law law,
                                  const struct accp_point *point, struct accp_error *error)
{
    struct accp_law_finding finding;
    struct accp_line *line;
    if (!accp_law_apply(law, &judge->summary, point, &finding)) return ACCP_STATUS_OK;
    ACCP_TRY(accp_judge_line(judge, point->role, accp_law_name(law), point->warps, &line, error));
    line->unit = "cycles";
    line->value = finding.value;
    line->low = finding.bound;
    line->processes = point->processes;
    line->samples = point->samples;
    accp_judge_say(line, finding.broken ? ACCP_VERDICT_FAIL : ACCP_VERDICT_PASS,
                   finding.broken ? ACCP_REASON_LAW_BROKEN : ACCP_REASON_LAW_HOLDS,
                   "%s: %.6g cycles, at least %.6g needed%s%s", accp_law_text(law), finding.value,
                   finding.bound, finding.other ? " by " : "",
                   finding.other ? finding.other->role : "");
    return ACCP_STATUS_OK;
}

enum accp_status accp_judge_roles(struct accp_judge *judge, struct accp_error *error)
{
    const struct accp_summary *summary = &judge->summary;
    for (size_t i = 0; i < summary->point_count; ++i) {
        const struct accp_point *point = &summary->points[i];
        ACCP_TRY(judge_level(judge, point, error));
        bool last =
            i + 1 == summary->point_count || strcmp(summary->points[i + 1].role, point->role) != 0;
        if (last) ACCP_TRY(judge_structure(judge, point, error));
        for (int law = 0; law < ACCP_LAW_COUNT; ++law)
            ACCP_TRY(judge_law(judge, (enum accp_law)law, point, error));
    }
    return ACCP_STATUS_OK;
}
