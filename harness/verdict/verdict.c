#include "verdict/verdict.h"

#include "base/text.h"
#include "verdict/judge.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *text;
    int status;
} verdicts[] = {
#define VERDICT(id, status, text) [ACCP_VERDICT_##id] = {#id, text, status},
    ACCP_VERDICT_TABLE(VERDICT)
#undef VERDICT
};

static const struct {
    const char *name, *text;
} reasons[] = {
#define REASON(id, text) [ACCP_REASON_##id] = {#id, text},
#include "verdict/reasons.def"
};

/* The reason of a line that the surroundings spoilt: both tables use the same ids. */
static const enum accp_reason trouble_reasons[] = {
#define ACCP_REASON_NONE  ACCP_REASON_COUNT
#define TROUBLE(id, text) [ACCP_TROUBLE_##id] = ACCP_REASON_##id,
    ACCP_TROUBLE_TABLE(TROUBLE)
#undef TROUBLE
#undef ACCP_REASON_NONE
};

const char *accp_verdict_name(enum accp_verdict verdict)
{
    return verdicts[verdict].name;
}

const char *accp_verdict_text(enum accp_verdict verdict)
{
    return verdicts[verdict].text;
}

int accp_verdict_exit(enum accp_verdict verdict)
{
    return verdicts[verdict].status;
}

const char *accp_reason_name(enum accp_reason reason)
{
    return reasons[reason].name;
}

const char *accp_reason_text(enum accp_reason reason)
{
    return reasons[reason].text;
}

void accp_judgement_fini(struct accp_judgement *judgement)
{
    free(judgement->lines);
    *judgement = (struct accp_judgement){0};
}

enum accp_status accp_judgement_append(struct accp_judgement *judgement, struct accp_line **line,
                                       struct accp_error *error)
{
    if (judgement->line_count == judgement->line_capacity) {
        size_t capacity = judgement->line_capacity ? 2 * judgement->line_capacity : 64;
        struct accp_line *lines = realloc(judgement->lines, capacity * sizeof *lines);
        if (!lines)
            return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a verdict");
        judgement->lines = lines;
        judgement->line_capacity = capacity;
    }
    *line = &judgement->lines[judgement->line_count++];
    memset(*line, 0, sizeof **line);
    (*line)->unit = "";
    (*line)->value = (*line)->low = (*line)->high = NAN;
    (*line)->change = (*line)->change_low = (*line)->change_high = NAN;
    (*line)->least_visible = NAN;
    return ACCP_STATUS_OK;
}

void accp_judgement_conclude(struct accp_judgement *judgement)
{
    judgement->verdict = ACCP_VERDICT_SKIP;
    for (size_t i = 0; i < judgement->line_count; ++i)
        if (judgement->lines[i].verdict > judgement->verdict)
            judgement->verdict = judgement->lines[i].verdict;
}

/* Whether `name` is a kernel of a cubin that is not ours: rows of those go by the kernel's name. */
static bool is_strange(const struct accp_run *run, const char *name)
{
    if (accp_role_find(name)) return false;
    for (size_t i = 0; i < run->role_count; ++i)
        if (strcmp(run->roles[i].role, name) == 0) return strcmp(run->roles[i].kernel, name) == 0;
    return false;
}

void accp_line_repeat_with(struct accp_line *line, const char *option, const char *value,
                           const char *name)
{
    char word[4 * PATH_MAX + 8];
    const size_t used = strlen(line->repeat), left = sizeof line->repeat - used;
    accp_text_word(value, word, sizeof word);
    snprintf(line->repeat + used, left, "%s%s", option,
             accp_text_hidden_at(value) < 0 && strlen(option) + strlen(word) < left ? word : name);
}

/* `name` as a regular expression that matches it and, for a series or family, all its roles; one word of a shell, whatever
 * a run of somebody else's calls a role. */
static void add_filter(const char *name, struct accp_line *line)
{
    char pattern[2 * ACCP_NAME_BYTES];
    size_t used = 0;
    for (const char *at = name; *at && used + 5 < sizeof pattern; ++at) {
        if (*at == '.') pattern[used++] = '\\';
        pattern[used++] = *at;
        if (*at != '\'') continue;
        memcpy(pattern + used, "\\''", 3);
        used += 3;
    }
    pattern[used] = 0;
    bool one = accp_role_find(name) != NULL;
    used = strlen(line->repeat);
    snprintf(line->repeat + used, sizeof line->repeat - used, " --filter '^%s%s'", pattern,
             one ? "$" : "\\.");
}

/* What is predicted is predicted again, also where there is a GPU. Of a kernel that is not ours no role's name matches, and
 * no run says which file it was in. */
static void write_repeat(const struct accp_run *run, const char *name, struct accp_line *line)
{
    snprintf(line->repeat, sizeof line->repeat, "accprobe gate");
    if (run->source == ACCP_SOURCE_PREDICTED && run->device.arch[0])
        accp_line_repeat_with(line, " --arch ", run->device.arch, "ARCH");
    if (is_strange(run, name))
        accp_line_repeat_with(line, " --cubin ", "FILE", "FILE");
    else
        add_filter(name, line);
}

enum accp_status accp_judge_line(struct accp_judge *judge, const char *subject, const char *kind,
                                 int warps, struct accp_line **line, struct accp_error *error)
{
    char at[16] = "";
    ACCP_TRY(accp_judgement_append(judge->judgement, line, error));
    if (warps > 0) snprintf(at, sizeof at, "@%d", warps);
    snprintf((*line)->claim, sizeof(*line)->claim, "%s.%s%s", subject, kind, at);
    snprintf((*line)->role, sizeof(*line)->role, "%s", subject);
    (*line)->warps = warps;
    (*line)->answer = judge->answer;
    if (judge->golden)
        snprintf((*line)->golden, sizeof(*line)->golden, "%s", judge->input->found->name);
    write_repeat(judge->input->runs, subject, *line);
    return ACCP_STATUS_OK;
}

void accp_judge_say(struct accp_line *line, enum accp_verdict verdict, enum accp_reason reason,
                    const char *format, ...)
{
    line->verdict = verdict;
    line->reason = reason;
    int used = snprintf(line->text, sizeof line->text, "%s", reasons[reason].text);
    if (used < 0 || (size_t)used + 2 >= sizeof line->text) return;
    va_list arguments;
    va_start(arguments, format);
    char *rest = line->text + used;
    size_t left = sizeof line->text - (size_t)used;
    int more = vsnprintf(rest + 2, left - 2, format, arguments);
    va_end(arguments);
    if (more > 0) memcpy(rest, ": ", 2);
}

bool accp_judge_unanswered(const struct accp_judge *judge, int record, enum accp_reason *reason)
{
    static const enum accp_reason why[] = {[ACCP_ANSWER_LAWS] = ACCP_REASON_NO_BASELINE,
                                           [ACCP_ANSWER_ARCH] = ACCP_REASON_OTHER_SKU,
                                           [ACCP_ANSWER_SKU] = ACCP_REASON_NO_ROW};
    *reason = why[judge->answer];
    if (record < 0 || !judge->golden) return true;
    *reason = ACCP_REASON_OTHER_MODEL;
    if (judge->is_other_model) return true;
    *reason = ACCP_REASON_OTHER_PROTOCOL;
    return !accp_protocol_same(&judge->golden->records[record].protocol,
                               &judge->summary.runs[0].protocol);
}

bool accp_judge_untimed(const struct accp_judge *judge, const struct accp_point *point)
{
    if (judge->input->runs[0].source != ACCP_SOURCE_PREDICTED || point->processes > 0 ||
        !judge->golden || judge->answer != ACCP_ANSWER_SKU)
        return false;
    const struct accp_golden_level *row =
        accp_golden_level_find(judge->golden, point->role, point->warps);
    return row && row->mean == 0;
}

struct accp_static accp_judge_static(const struct accp_verdict_input *input, const char *role)
{
    for (size_t i = 0; i < input->static_count; ++i)
        if (strcmp(input->statics[i].role, role) == 0) return input->statics[i];
    return (struct accp_static){.state = ACCP_STATIC_UNKNOWN};
}

/* The reference role is the null control: if it left its level although its SASS did not change,
 * then so may have any other, and for the same cause. Its exact level counts, which stands first.
 */
static void check_reference(struct accp_judge *judge)
{
    struct accp_judgement *judgement = judge->judgement;
    const char *reference = judge->input->reference_role;
    for (size_t i = 0; reference && i < judgement->line_count; ++i) {
        const struct accp_line *line = &judgement->lines[i];
        if (strcmp(line->role, reference) != 0 || !strstr(line->claim, ".level@")) continue;
        if (line->reason == ACCP_REASON_SLOWER_SAME_SASS ||
            line->reason == ACCP_REASON_FASTER_SAME_SASS) {
            judgement->trouble = ACCP_TROUBLE_REFERENCE_MOVED;
            snprintf(judgement->trouble_text, sizeof judgement->trouble_text,
                     "%.6g cycles, %+.2f %%", line->value, 100 * line->change);
        }
        return;
    }
}

static void find_trouble(struct accp_judge *judge)
{
    struct accp_judgement *judgement = judge->judgement;
    for (size_t i = 0; i < judge->input->run_count; ++i) {
        judgement->trouble = accp_environment_check(&judge->input->runs[i], judgement->trouble_text,
                                                    sizeof judgement->trouble_text);
        if (judgement->trouble != ACCP_TROUBLE_NONE) return;
    }
    check_reference(judge);
}

/* No slow clock, load or other process makes a loop cheaper than its pipe can issue it: such a run
 * timed something else. */
static bool is_issue_limit(const struct accp_line *line)
{
    return line->reason == ACCP_REASON_LAW_BROKEN &&
           strstr(line->claim, accp_law_name(ACCP_LAW_ISSUE_LIMIT)) != NULL;
}

static void blame_surroundings(struct accp_judgement *judgement)
{
    if (judgement->trouble == ACCP_TROUBLE_NONE) return;
    for (size_t i = 0; i < judgement->line_count; ++i) {
        struct accp_line *line = &judgement->lines[i];
        bool accuses = line->verdict == ACCP_VERDICT_FAIL || line->verdict == ACCP_VERDICT_WIN ||
                       line->verdict == ACCP_VERDICT_INCONCLUSIVE;
        if (!accuses || line->reason == ACCP_REASON_STRUCTURE_LOST || is_issue_limit(line))
            continue;
        char text[ACCP_LINE_TEXT_BYTES];
        memcpy(text, line->text, sizeof text);
        accp_judge_say(line, ACCP_VERDICT_ENVIRONMENT, trouble_reasons[judgement->trouble],
                       "%s; without that: %s", judgement->trouble_text, text);
    }
}

static void apply_expected(const struct accp_verdict_input *input, struct accp_judgement *judgement)
{
    for (size_t i = 0; input->expected && i < judgement->line_count; ++i) {
        struct accp_line *line = &judgement->lines[i];
        const struct accp_expected_failure *failure =
            accp_expected_find(input->expected, line->claim);
        char text[ACCP_LINE_TEXT_BYTES];
        if (!failure) continue;
        memcpy(text, line->text, sizeof text);
        if (accp_expected_expired(failure, input->today))
            accp_judge_say(line, ACCP_VERDICT_FAIL, ACCP_REASON_EXPECTATION_EXPIRED,
                           "on %s (%s); %s", failure->expires, failure->reason, text);
        else if (line->verdict == ACCP_VERDICT_FAIL)
            accp_judge_say(line, ACCP_VERDICT_PASS, ACCP_REASON_EXPECTED_FAILURE,
                           "until %s (%s); %s", failure->expires, failure->reason, text);
        else if (line->verdict == ACCP_VERDICT_PASS || line->verdict == ACCP_VERDICT_WIN ||
                 line->verdict == ACCP_VERDICT_DRIFT)
            accp_judge_say(line, ACCP_VERDICT_FAIL, ACCP_REASON_UNEXPECTED_PASS, "%s (%s); %s",
                           failure->claim, failure->reason, text);
    }
}

static enum accp_status judge_all(struct accp_judge *judge, struct accp_error *error)
{
    ACCP_TRY(accp_judge_roles(judge, error));
    ACCP_TRY(accp_judge_claims(judge, error));
    find_trouble(judge);
    blame_surroundings(judge->judgement);
    apply_expected(judge->input, judge->judgement);
    accp_judgement_conclude(judge->judgement);
    return ACCP_STATUS_OK;
}

/* A prediction is computed from the SASS alone: where the same SASS has other cycles, the model has
 * changed, and what it said before answers for nothing that it says now. */
static bool is_other_model(const struct accp_judge *judge)
{
    if (judge->input->runs[0].source != ACCP_SOURCE_PREDICTED || !judge->golden) return false;
    for (size_t i = 0; i < judge->summary.point_count; ++i) {
        const struct accp_point *point = &judge->summary.points[i];
        const struct accp_golden_level *row =
            accp_golden_level_find(judge->golden, point->role, point->warps);
        if (row && row->mean > 0 && point->processes > 0 &&
            accp_judge_static(judge->input, point->role).state == ACCP_STATIC_SAME &&
            fabs(point->mean - row->mean) > row->tolerance)
            return true;
    }
    return false;
}

enum accp_status accp_verdict_judge(const struct accp_verdict_input *input,
                                    struct accp_judgement *judgement, struct accp_error *error)
{
    struct accp_judge judge = {.input = input, .judgement = judgement};
    *judgement = (struct accp_judgement){0};
    ACCP_TRY(accp_summary_init(&judge.summary, input->runs, input->run_count, error));
    if (input->found && input->found->answer != ACCP_ANSWER_LAWS) {
        judge.golden = &input->found->golden;
        judge.answer = input->found->answer;
        judge.confidence =
            accp_confidence_of(judge.golden->false_alarm_rate, (size_t)judge.golden->comparisons);
    }
    judge.is_other_model = is_other_model(&judge);
    enum accp_status status = judge_all(&judge, error);
    accp_summary_fini(&judge.summary);
    if (status != ACCP_STATUS_OK) accp_judgement_fini(judgement);
    return status;
}
