#include "report/export.h"
#include "report/markup.h"

#include <math.h>
#include <string.h>

/* How JUnit counts a verdict. What needs approval fails too: JUnit has no word for it, and a pass would hide it. */
enum outcome { OUTCOME_PASSED, OUTCOME_FAILURE, OUTCOME_ERROR, OUTCOME_SKIPPED, OUTCOME_COUNT };
static const enum outcome outcomes[] = {
    [ACCP_VERDICT_SKIP] = OUTCOME_SKIPPED,      [ACCP_VERDICT_PASS] = OUTCOME_PASSED,
    [ACCP_VERDICT_NO_GOLDEN] = OUTCOME_SKIPPED, [ACCP_VERDICT_DRIFT] = OUTCOME_FAILURE,
    [ACCP_VERDICT_WIN] = OUTCOME_FAILURE,       [ACCP_VERDICT_INCONCLUSIVE] = OUTCOME_ERROR,
    [ACCP_VERDICT_ENVIRONMENT] = OUTCOME_ERROR, [ACCP_VERDICT_FAIL] = OUTCOME_FAILURE,
};
_Static_assert(sizeof outcomes / sizeof *outcomes == ACCP_VERDICT_COUNT, "an outcome a verdict");

/* `skipped` is no attribute of the outer element in the schema of Jenkins. */
static void junit_counts(FILE *stream, const struct accp_judgement *judgement, bool is_outer)
{
    size_t counts[OUTCOME_COUNT] = {0};
    for (size_t i = 0; i < judgement->line_count; ++i)
        ++counts[outcomes[judgement->lines[i].verdict]];
    fprintf(stream, " name=\"accprobe\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"",
            judgement->line_count, counts[OUTCOME_FAILURE], counts[OUTCOME_ERROR]);
    if (!is_outer) fprintf(stream, " skipped=\"%zu\"", counts[OUTCOME_SKIPPED]);
}

static void junit_case(const struct accp_exporting *exporting, const struct accp_line *line)
{
    FILE *stream = exporting->stream;
    char claim[ACCP_CLAIM_BYTES], parts[ACCP_EXPORT_PARTS_BYTES] = "";
    static const char *const elements[] = {
        [OUTCOME_FAILURE] = "failure", [OUTCOME_ERROR] = "error", [OUTCOME_SKIPPED] = "skipped"};
    enum outcome outcome = outcomes[line->verdict];
    fputs("  <testcase classname=\"", stream);
    accp_markup_text(stream, line->role);
    fputs("\" name=\"", stream);
    accp_markup_text(stream, line->claim);
    fputs("\" time=\"0\">\n", stream);
    if (outcome == OUTCOME_SKIPPED) {
        fputs("   <skipped message=\"", stream);
        accp_markup_format(stream, "%s: %s", accp_verdict_name(line->verdict), line->text);
        fputs("\"/>\n", stream);
    } else if (outcome != OUTCOME_PASSED) {
        fprintf(stream, "   <%s type=\"%s\" message=\"", elements[outcome],
                accp_reason_name(line->reason));
        accp_markup_format(stream, "%s: %s", accp_verdict_name(line->verdict), line->text);
        fputs("\">", stream);
        accp_markup_format(stream, "repeat: %s", line->repeat);
        fprintf(stream, "</%s>\n", elements[outcome]);
    }
    fputs("   <system-out>", stream);
    accp_markup_format(stream, "%s %s: %s", accp_verdict_name(line->verdict),
                       accp_reason_name(line->reason), line->text);
    if (!isnan(line->value)) accp_markup_format(stream, "; value %.6g %s", line->value, line->unit);
    if (!isnan(line->low)) accp_markup_format(stream, "; from %.6g", line->low);
    if (!isnan(line->high)) accp_markup_format(stream, "; to %.6g", line->high);
    snprintf(claim, sizeof claim, "%s.level@%d", line->role, line->warps);
    if (strcmp(line->claim, claim) == 0)
        accp_export_parts(exporting, line->role, line->warps, parts);
    accp_markup_text(stream, parts);
    fputs("</system-out>\n  </testcase>\n", stream);
}

static void junit_property(FILE *stream, const char *name, const char *value)
{
    if (!value[0]) return;
    fprintf(stream, "   <property name=\"%s\" value=\"", name);
    accp_markup_text(stream, value);
    fputs("\"/>\n", stream);
}

enum accp_status accp_export_junit(const struct accp_exporting *exporting, struct accp_error *error)
{
    const struct accp_judgement *judgement = exporting->report->judgement;
    const struct accp_run *run = &exporting->report->runs[0];
    FILE *stream = exporting->stream;
    (void)error;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", stream);
    junit_counts(stream, judgement, true);
    fputs(">\n <testsuite", stream);
    junit_counts(stream, judgement, false);
    fputs(" time=\"0\"", stream);
    if (run->date[0]) { /* the type of this attribute has no zone */
        fputs(" timestamp=\"", stream);
        accp_markup_format(stream, "%.*s", (int)strcspn(run->date, "Z"), run->date);
        fputc('"', stream);
    }
    fputs(">\n  <properties>\n", stream);
    junit_property(stream, "source", accp_source_text(run->source));
    junit_property(stream, "verdict", accp_verdict_name(judgement->verdict));
    junit_property(stream, "device", run->device.name);
    junit_property(stream, "driver", run->device.driver);
    junit_property(stream, "compiler", run->compiler.version);
    fputs("  </properties>\n", stream);
    for (size_t i = 0; i < judgement->line_count; ++i)
        junit_case(exporting, &judgement->lines[i]);
    fputs(" </testsuite>\n</testsuites>\n", stream);
    return ACCP_STATUS_OK;
}

/* A field of a log whose fields end at '|'. */
static void reframe_field(FILE *stream, const char *text)
{
    for (; *text; ++text)
        fputc(*text == '|' || *text == '\n' ? '/' : *text, stream);
}

static void reframe_value(const struct accp_exporting *exporting, const struct accp_point *point)
{
    const struct accp_judgement *judgement = exporting->report->judgement;
    FILE *stream = exporting->stream;
    char claim[ACCP_CLAIM_BYTES];
    snprintf(claim, sizeof claim, "%s.level@%d", point->role, point->warps);
    fprintf(stream, "|%.6g|cycles", point->mean);
    for (size_t i = 0; i < judgement->line_count; ++i) {
        const struct accp_line *line = &judgement->lines[i];
        if (strcmp(line->claim, claim) != 0 || isnan(line->change)) continue;
        double golden = line->value / (1 + line->change);
        fprintf(stream, "|%.6g|%.4g|%.4g", golden, line->low / golden - 1, line->high / golden - 1);
        return;
    }
    fputs("|0|None|None", stream); /* as ReFrame writes a variable without a reference */
}

/* ReFrame 4's built-in format of a performance log, with those of its fields that a run can fill. */
enum accp_status accp_export_reframe(const struct accp_exporting *exporting,
                                     struct accp_error *error)
{
    static const char *const parts[] = {"value", "unit", "ref", "lower_thres", "upper_thres"};
    const struct accp_report *report = exporting->report;
    const struct accp_run *run = &report->runs[0];
    FILE *stream = exporting->stream;
    struct accp_sku sku = accp_sku_of(run);
    char name[ACCP_TEXT_BYTES];
    (void)error;
    accp_sku_name(&sku, name);
    fputs("result|job_completion_time|descr|environ|name|partition|system", stream);
    for (size_t i = 0; i < exporting->summary.point_count; ++i)
        for (size_t part = 0; part < sizeof parts / sizeof *parts; ++part) {
            const struct accp_point *point = &exporting->summary.points[i];
            if (point->processes == 0) continue;
            fputc('|', stream);
            reframe_field(stream, point->role);
            fprintf(stream, "@%d_%s", point->warps, parts[part]);
        }
    fprintf(stream, "\n%s|", accp_verdict_exit(report->judgement->verdict) == 0 ? "pass" : "fail");
    const char *const fields[] = {
        run->date,        accp_source_text(run->source),      run->compiler.version, "accprobe",
        run->device.arch, sku.sm_count > 0 ? name : "unknown"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
        if (i > 0) fputc('|', stream);
        reframe_field(stream, fields[i]);
    }
    for (size_t i = 0; i < exporting->summary.point_count; ++i)
        if (exporting->summary.points[i].processes > 0)
            reframe_value(exporting, &exporting->summary.points[i]);
    fputc('\n', stream);
    return ACCP_STATUS_OK;
}

static void ctest_measurement(FILE *stream, const struct accp_line *line, const char *what,
                              double value)
{
    if (isnan(value)) return;
    fputs("<CTestMeasurement type=\"numeric/double\" name=\"", stream);
    accp_markup_format(stream, "%s %s", line->claim, what);
    fprintf(stream, "\">%.7g</CTestMeasurement>\n", value);
}

enum accp_status accp_export_ctest(const struct accp_exporting *exporting, struct accp_error *error)
{
    const struct accp_judgement *judgement = exporting->report->judgement;
    (void)error;
    for (size_t i = 0; i < judgement->line_count; ++i) {
        const struct accp_line *line = &judgement->lines[i];
        ctest_measurement(exporting->stream, line, line->unit ? line->unit : "value", line->value);
        ctest_measurement(exporting->stream, line, "least visible", line->least_visible);
    }
    return ACCP_STATUS_OK;
}
