#include "verdict/document.h"

#include "verdict/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a statement is computed from. `missing` is set when a role was asked for that has no sample.
 */
struct evidence {
    const struct accp_document *document;
    const struct accp_summary *summary;
    int chains[ACCP_GOLDEN_CHAINS], accs[ACCP_GOLDEN_ACCS]; /* of the family, ascending */
    size_t chain_count, acc_count;
    bool missing;
};

/* What came out. */
struct finding {
    bool holds;
    double value, low, high; /* percent, or progress */
    char text[256];
};

static void insert_sorted(int *values, size_t *count, size_t capacity, int value)
{
    size_t at = 0;
    while (at < *count && values[at] < value)
        ++at;
    if ((at < *count && values[at] == value) || *count == capacity) return;
    memmove(&values[at + 1], &values[at], (*count - at) * sizeof *values);
    values[at] = value;
    ++*count;
}

static void list_axes(struct evidence *evidence)
{
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        char family[ACCP_NAME_BYTES];
        accp_family_name(accp_roles[i].name, family);
        if (strcmp(family, evidence->document->family) != 0) continue;
        insert_sorted(evidence->chains, &evidence->chain_count, ACCP_GOLDEN_CHAINS,
                      accp_roles[i].chain);
        insert_sorted(evidence->accs, &evidence->acc_count, ACCP_GOLDEN_ACCS, accp_roles[i].acc);
    }
}

/* Progress of a role; NaN, and `missing`, if it has none. */
static double progress_of(struct evidence *evidence, int chain, int acc)
{
    for (size_t i = 0; i < evidence->summary->point_count; ++i) {
        const struct accp_point *point = &evidence->summary->points[i];
        if (point->chain == chain && point->acc == acc && point->processes > 0 &&
            point->empty == 0 && point->warps == evidence->document->warps &&
            strcmp(point->family, evidence->document->family) == 0)
            return point->progress;
    }
    evidence->missing = true;
    return NAN;
}

/* progress(left) / progress(right) - 1, in percent. */
static double percent_above(struct evidence *evidence, int chain, int left, int right)
{
    return 100 * (progress_of(evidence, chain, left) / progress_of(evidence, chain, right) - 1);
}

static void find_peak(struct evidence *evidence, const struct accp_statement *statement,
                      struct finding *finding)
{
    int best = evidence->accs[0];
    for (size_t i = 1; i < evidence->acc_count; ++i)
        if (percent_above(evidence, statement->chain, evidence->accs[i], best) > 0)
            best = evidence->accs[i];
    finding->value = percent_above(evidence, statement->chain, statement->acc, best);
    finding->low = 0;
    finding->holds = best == statement->acc;
    snprintf(finding->text, sizeof finding->text, "acc%d is stated to be best, acc%d is (%.1f)",
             statement->acc, best, progress_of(evidence, statement->chain, best));
}

/* Whether `value` is what was stated with one decimal. */
static void check_rounded(struct finding *finding, double value, double stated, const char *unit)
{
    finding->value = value;
    finding->low = stated - 0.05;
    finding->high = stated + 0.05;
    finding->holds = fabs(value - stated) <= 0.05 * (1 + 1e-9);
    snprintf(finding->text, sizeof finding->text, "stated %.1f%s, found %.2f%s", stated, unit,
             value, unit);
}

static void find_progress(struct evidence *evidence, const struct accp_statement *statement,
                          struct finding *finding)
{
    check_rounded(finding, progress_of(evidence, statement->chain, statement->acc),
                  statement->progress, "");
}

static void find_percent(struct evidence *evidence, const struct accp_statement *statement,
                         struct finding *finding)
{
    check_rounded(finding, 100 + percent_above(evidence, statement->chain, statement->acc, 1),
                  statement->percent, " % of acc1");
}

static void find_gain(struct evidence *evidence, const struct accp_statement *statement,
                      struct finding *finding)
{
    check_rounded(finding, percent_above(evidence, statement->chain, statement->acc, 1),
                  statement->percent, " % over acc1");
}

static void find_gain_grows(struct evidence *evidence, const struct accp_statement *statement,
                            struct finding *finding)
{
    double before = -INFINITY;
    size_t used = 0;
    finding->holds = true;
    finding->value = INFINITY;
    finding->low = 0;
    for (size_t i = 0; i < evidence->chain_count; ++i) {
        double gain = percent_above(evidence, evidence->chains[i], statement->acc, 1);
        if (!(gain > before)) finding->holds = false;
        if (i > 0) finding->value = fmin(finding->value, gain - before);
        before = gain;
        if (used < sizeof finding->text)
            used += (size_t)snprintf(finding->text + used, sizeof finding->text - used,
                                     "%sacc%d %+.1f %% at %d", i ? ", " : "", statement->acc, gain,
                                     evidence->chains[i]);
    }
}

static void find_order(struct evidence *evidence, const struct accp_statement *statement,
                       struct finding *finding)
{
    const char *broken = NULL;
    finding->holds = true;
    for (size_t i = 0; i + 1 < statement->order_count; ++i) {
        double above =
            percent_above(evidence, statement->chain, statement->accs[i], statement->accs[i + 1]);
        bool tied = statement->tied_with_next[i];
        bool holds = tied ? fabs(above) <= 100 * ACCP_DOCUMENT_TIE : above > 0;
        if (holds || broken) continue;
        broken = tied ? "≈" : ">";
        finding->holds = false;
        finding->value = above;
        snprintf(finding->text, sizeof finding->text, "%s; acc%d %s acc%d is not so: %+.2f %%",
                 statement->order, statement->accs[i], broken, statement->accs[i + 1], above);
    }
    if (finding->holds) snprintf(finding->text, sizeof finding->text, "%s", statement->order);
}

static void find_compare(struct evidence *evidence, const struct accp_statement *statement,
                         struct finding *finding)
{
    double above = percent_above(evidence, statement->chain, statement->left, statement->right);
    finding->value = above;
    finding->holds = statement->relation == '>' ? above > 0 : above < 0;
    *(statement->relation == '>' ? &finding->low : &finding->high) = 0;
    snprintf(finding->text, sizeof finding->text, "acc%d %c acc%d, found %+.2f %%", statement->left,
             statement->relation, statement->right, above);
}

/* How many accs from `from` on are slower than acc, over all chains, and the one that comes closest
 * to it. */
static size_t count_below(struct evidence *evidence, const struct accp_statement *statement,
                          size_t *total, struct finding *finding)
{
    size_t below = 0;
    int chain = 0, acc = 0;
    finding->value = -INFINITY;
    finding->high = 0;
    for (size_t i = 0; i < evidence->chain_count; ++i)
        for (size_t j = 0; j < evidence->acc_count; ++j) {
            if (evidence->accs[j] < statement->from) continue;
            double above =
                percent_above(evidence, evidence->chains[i], evidence->accs[j], statement->acc);
            ++*total;
            below += above < 0;
            if (above <= finding->value) continue;
            finding->value = above;
            chain = evidence->chains[i];
            acc = evidence->accs[j];
        }
    snprintf(finding->text, sizeof finding->text,
             "%zu of %zu from acc%d on are below acc%d; nearest is acc%d at chain %d, %+.2f %%",
             below, *total, statement->from, statement->acc, acc, chain, finding->value);
    return below;
}

static void find_below(struct evidence *evidence, const struct accp_statement *statement,
                       struct finding *finding)
{
    size_t total = 0;
    finding->holds = count_below(evidence, statement, &total, finding) == total && total > 0;
}

static void find_mostly_below(struct evidence *evidence, const struct accp_statement *statement,
                              struct finding *finding)
{
    size_t total = 0;
    finding->holds = 2 * count_below(evidence, statement, &total, finding) > total;
    finding->high = NAN;
}

static void find_mostly_falls(struct evidence *evidence, const struct accp_statement *statement,
                              struct finding *finding)
{
    size_t total = 0, falls = 0;
    for (size_t i = 0; i < evidence->chain_count; ++i)
        for (size_t j = 0; j + 1 < evidence->acc_count; ++j) {
            if (evidence->accs[j] < statement->from) continue;
            ++total;
            falls += percent_above(evidence, evidence->chains[i], evidence->accs[j + 1],
                                   evidence->accs[j]) < 0;
        }
    finding->holds = 2 * falls > total;
    finding->value = total > 0 ? 100 * (double)falls / (double)total : NAN;
    finding->low = 50;
    snprintf(finding->text, sizeof finding->text, "%zu of %zu steps from acc%d on lose progress",
             falls, total, statement->from);
}

static void find_steepest(struct evidence *evidence, const struct accp_statement *statement,
                          struct finding *finding)
{
    int before = 0;
    size_t used = 0;
    for (size_t i = 0; i < evidence->acc_count && evidence->accs[i] < statement->acc; ++i)
        before = evidence->accs[i];
    double own = percent_above(evidence, statement->chain, statement->acc, before);
    finding->holds = own < 0;
    finding->value = own;
    finding->high = 0;
    for (size_t i = 0; i < evidence->chain_count; ++i) {
        double step = percent_above(evidence, evidence->chains[i], statement->acc, before);
        if (evidence->chains[i] != statement->chain && step <= own) finding->holds = false;
        if (evidence->chains[i] != statement->chain) finding->high = fmin(finding->high, step);
        if (used < sizeof finding->text)
            used += (size_t)snprintf(finding->text + used, sizeof finding->text - used,
                                     "%sacc%d to acc%d %+.1f %% at %d", i ? ", " : "", before,
                                     statement->acc, step, evidence->chains[i]);
    }
}

/* The pair at one end of what was written as > or as ≈. */
struct extreme {
    int chain, left, right;
    double difference;
};

static void find_threshold(struct evidence *evidence, const struct accp_statement *statement,
                           struct finding *finding)
{
    struct extreme least = {.difference = INFINITY}, greatest = {.difference = -INFINITY};
    (void)statement;
    for (size_t i = 0; i < evidence->document->statement_count; ++i) {
        const struct accp_statement *order = &evidence->document->statements[i];
        if (order->kind != ACCP_STATEMENT_ORDER) continue;
        for (size_t j = 0; j + 1 < order->order_count; ++j) {
            double above =
                percent_above(evidence, order->chain, order->accs[j], order->accs[j + 1]);
            struct extreme pair = {order->chain, order->accs[j], order->accs[j + 1], fabs(above)};
            if (order->tied_with_next[j] && pair.difference > greatest.difference) greatest = pair;
            if (!order->tied_with_next[j] && pair.difference < least.difference) least = pair;
        }
    }
    finding->holds = least.difference > greatest.difference;
    finding->value = least.difference;
    finding->low = greatest.difference;
    snprintf(
        finding->text, sizeof finding->text,
        "the least > is %.2f %% (chain %d, acc%d > acc%d), the greatest ≈ is %.2f %% (chain %d, "
        "acc%d ≈ acc%d)",
        least.difference, least.chain, least.left, least.right, greatest.difference, greatest.chain,
        greatest.left, greatest.right);
}

/* The functions above, by kind: their names are those of the table. */
static void (*const find[])(struct evidence *, const struct accp_statement *, struct finding *) = {
#define STATEMENT(id, name, needs) [ACCP_STATEMENT_##id] = find_##name,
    ACCP_STATEMENT_TABLE(STATEMENT)
#undef STATEMENT
};

void accp_document_claim(const struct accp_statement *statement, char claim[ACCP_CLAIM_BYTES])
{
    char chain[24] = "", acc[24] = "", from[24] = "", pair[40] = "";
    if (statement->chain) snprintf(chain, sizeof chain, ".chain%d", statement->chain);
    if (statement->acc) snprintf(acc, sizeof acc, ".acc%d", statement->acc);
    if (statement->from) snprintf(from, sizeof from, ".from%d", statement->from);
    if (statement->left)
        snprintf(pair, sizeof pair, ".acc%d_acc%d", statement->left, statement->right);
    snprintf(claim, ACCP_CLAIM_BYTES, "document.%s.%s%s%s%s%s", statement->section,
             accp_statement_name(statement->kind), chain, acc, from, pair);
}

static void name_claim(const struct accp_document *document, const struct accp_statement *statement,
                       struct accp_line *line)
{
    char chain[24] = "", acc[24] = "";
    if (statement->chain) snprintf(chain, sizeof chain, ".chain%d", statement->chain);
    if (statement->acc) snprintf(acc, sizeof acc, ".acc%d", statement->acc);
    accp_document_claim(statement, line->claim);
    snprintf(line->role, sizeof line->role, "%s%s%s", document->family, chain, acc);
    line->warps = document->warps;
}

static void say(const struct accp_statement *statement, const struct finding *finding,
                const struct evidence *evidence, bool enforced, struct accp_line *line)
{
    bool observation = statement->kind == ACCP_STATEMENT_THRESHOLD;
    enum accp_reason reason =
        finding->holds ? ACCP_REASON_STATEMENT_HOLDS : ACCP_REASON_STATEMENT_FAILS;
    enum accp_verdict verdict =
        finding->holds || observation ? ACCP_VERDICT_PASS : ACCP_VERDICT_FAIL;
    if (observation)
        reason = finding->holds ? ACCP_REASON_ONE_THRESHOLD : ACCP_REASON_NOT_ONE_THRESHOLD;
    if (!enforced) verdict = ACCP_VERDICT_NO_GOLDEN;
    line->unit = statement->kind == ACCP_STATEMENT_PROGRESS ? "progress" : "percent";
    if (evidence->missing) {
        accp_judge_say(line, ACCP_VERDICT_ENVIRONMENT, ACCP_REASON_INCOMPLETE, "%s", "");
        return;
    }
    line->value = finding->value;
    line->low = finding->low;
    line->high = finding->high;
    accp_judge_say(line, verdict, reason, "%s", finding->text);
}

static enum accp_status judge_statements(struct evidence *evidence, bool enforced, const char *file,
                                         struct accp_judgement *judgement, struct accp_error *error)
{
    const struct accp_document *document = evidence->document;
    list_axes(evidence);
    for (size_t i = 0; i < document->statement_count; ++i) {
        const struct accp_statement *statement = &document->statements[i];
        struct finding finding = {.value = NAN, .low = NAN, .high = NAN};
        struct accp_line *line;
        evidence->missing = false;
        find[statement->kind](evidence, statement, &finding);
        if (evidence->missing && !enforced) continue;
        ACCP_TRY(accp_judgement_append(judgement, &line, error));
        name_claim(document, statement, line);
        line->processes = evidence->summary->run_count;
        snprintf(line->golden, sizeof line->golden, "document");
        snprintf(line->repeat, sizeof line->repeat, "accprobe check");
        accp_line_repeat_with(line, " ", file, "RUN.json");
        say(statement, &finding, evidence, enforced, line);
    }
    accp_judgement_conclude(judgement);
    return ACCP_STATUS_OK;
}

enum accp_status accp_verdict_document(const struct accp_document *document,
                                       const struct accp_run *runs, size_t run_count, bool enforced,
                                       const char *file, struct accp_judgement *judgement,
                                       struct accp_error *error)
{
    struct accp_summary summary;
    ACCP_TRY(accp_summary_init(&summary, runs, run_count, error));
    struct evidence evidence = {.document = document, .summary = &summary};
    enum accp_status status = judge_statements(&evidence, enforced, file, judgement, error);
    accp_summary_fini(&summary);
    if (status != ACCP_STATUS_OK) accp_judgement_fini(judgement);
    return status;
}
