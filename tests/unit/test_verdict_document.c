#include "golden_fixture.h"
#include "verdict/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file[] = ACCP_SOURCE_DIR "/golden/document/optimal.json";

struct paper {
    struct accp_document document;
    struct accp_run run;
};

static void open_paper(struct paper *paper)
{
    struct accp_error error;
    if (accp_document_read(file, &paper->document, &error) != ACCP_STATUS_OK ||
        accp_run_read(file, &paper->run, &error) != ACCP_STATUS_OK)
        fail_msg("%s", error.text);
}

static void close_paper(struct paper *paper)
{
    accp_document_fini(&paper->document);
    accp_run_fini(&paper->run);
}

static struct accp_judgement judge(const struct paper *paper, bool enforced)
{
    struct accp_judgement judgement = {0};
    assert_int_equal(accp_verdict_document(&paper->document, &paper->run, 1, enforced, "X.json",
                                           &judgement, NULL),
                     ACCP_STATUS_OK);
    return judgement;
}

static const struct accp_line *line_of(const struct accp_judgement *judgement, const char *claim)
{
    for (size_t i = 0; i < judgement->line_count; ++i)
        if (strcmp(judgement->lines[i].claim, claim) == 0) return &judgement->lines[i];
    fail_msg("no line %s", claim);
    return NULL;
}

/* The document's table, typed from the document and not from our file of it. */
static const double table[3][8] = {
    {49078.0, 52404.9, 48837.6, 43621.8, 41025.7, 38082.8, 36047.8, 36048.0},
    {38814.2, 43579.5, 40377.4, 38458.5, 36869.0, 34252.2, 32010.2, 32148.6},
    {28719.5, 36146.7, 35195.5, 34312.4, 34439.9, 32414.5, 30032.7, 29276.0},
};

static void test_the_table_is_the_documents(void **state)
{
    (void)state;
    struct paper paper;
    open_paper(&paper);
    assert_int_equal(paper.run.source, ACCP_SOURCE_DOCUMENT);
    assert_int_equal(paper.run.role_count, sizeof table / sizeof **table);
    for (size_t i = 0; i < sizeof table / sizeof **table; ++i) {
        const struct accp_run_role *role = accp_run_find(&paper.run, accp_roles[i].name, 8);
        assert_non_null(role);
        assert_true(role->progress == table[i / 8][i % 8]);
        assert_true(fabs(role->cycles.mean * role->progress / 1e7 - 1) < 1e-5);
    }
    close_paper(&paper);
}

/* Every statement of sections 3 and 4, with what its line must show. */
static const struct {
    const char *claim, *shows;
} statements[] = {
    {"document.3.peak.chain7.acc2", "acc2 is (52404.9)"},
    {"document.3.peak.chain13.acc2", "acc2 is (43579.5)"},
    {"document.3.peak.chain29.acc2", "acc2 is (36146.7)"},
    {"document.3.progress.chain7.acc2", "found 52404.90"},
    {"document.3.progress.chain13.acc2", "found 43579.50"},
    {"document.3.progress.chain29.acc2", "found 36146.70"},
    {"document.3.percent.chain7.acc2", "stated 106.8 % of acc1, found 106.78 %"},
    {"document.3.percent.chain13.acc2", "stated 112.3 % of acc1, found 112.28 %"},
    {"document.3.percent.chain29.acc2", "stated 125.9 % of acc1, found 125.86 %"},
    {"document.3.below.acc2.from4", "15 of 15 from acc4 on are below acc2"},
    {"document.4.1.peak.chain7.acc2", "acc2 is"},
    {"document.4.1.peak.chain13.acc2", "acc2 is"},
    {"document.4.1.peak.chain29.acc2", "acc2 is"},
    {"document.4.1.order.chain7", "acc2 > acc1 > acc3 > acc4 > acc5 > acc7 > acc8 ≈ acc16"},
    {"document.4.1.order.chain13", "acc2 > acc3 > acc1 ≈ acc4 > acc5 > acc7 > acc16 ≈ acc8"},
    {"document.4.1.order.chain29", "acc2 > acc3 > acc5 ≈ acc4 > acc7 > acc8 > acc16 > acc1"},
    {"document.4.1.threshold",
     "the least > is 0.49 % (chain 7, acc1 > acc3), the greatest ≈ is 0.92 % (chain 13, "
     "acc1 ≈ acc4)"},
    {"document.4.1.below.acc2.from3", "18 of 18 from acc3 on are below acc2"},
    {"document.4.2.gain.chain7.acc2", "stated 6.8 % over acc1, found 6.78 %"},
    {"document.4.2.gain.chain13.acc2", "stated 12.3 % over acc1, found 12.28 %"},
    {"document.4.2.gain.chain29.acc2", "stated 25.9 % over acc1, found 25.86 %"},
    {"document.4.2.gain_grows.acc2", "acc2 +6.8 % at 7, acc2 +12.3 % at 13, acc2 +25.9 % at 29"},
    {"document.4.3.mostly_falls.from3", "12 of 15 steps"},
    {"document.4.3.compare.chain7.acc3_acc1", "acc3 < acc1, found -0.49 %"},
    {"document.4.3.compare.chain13.acc3_acc1", "acc3 > acc1, found +4.03 %"},
    {"document.4.3.compare.chain13.acc3_acc2", "acc3 < acc2, found -7.35 %"},
    {"document.4.3.compare.chain29.acc3_acc1", "acc3 > acc1, found +22.55 %"},
    {"document.4.3.compare.chain29.acc3_acc2", "acc3 < acc2, found -2.63 %"},
    {"document.4.3.mostly_below.acc3.from4", "15 of 15 from acc4 on are below acc3"},
    {"document.4.3.steepest.chain7.acc4", "acc3 to acc4 -10.7 % at 7, acc3 to acc4 -4.8 % at 13"},
};

enum { STATEMENTS = sizeof statements / sizeof *statements };

static void test_every_statement_is_reproduced(void **state)
{
    (void)state;
    struct paper paper;
    open_paper(&paper);
    struct accp_judgement judgement = judge(&paper, true);
    assert_int_equal(judgement.line_count, STATEMENTS);
    assert_int_equal(judgement.verdict, ACCP_VERDICT_PASS);
    for (size_t i = 0; i < STATEMENTS; ++i) {
        const struct accp_line *line = line_of(&judgement, statements[i].claim);
        if (line->verdict != ACCP_VERDICT_PASS || !strstr(line->text, statements[i].shows))
            fail_msg("%s: %s\nlacks: %s", line->claim, line->text, statements[i].shows);
        assert_string_equal(line->repeat, "accprobe check X.json");
    }
    assert_int_equal(line_of(&judgement, "document.4.1.threshold")->reason,
                     ACCP_REASON_NOT_ONE_THRESHOLD);
    accp_judgement_fini(&judgement);
    close_paper(&paper);
}

/* A number that is not the document's, and the statements that must then fail: each is computed,
 * none is canned. */
static const struct {
    const char *role;
    double progress;
    const char *fails[8];
} tampers[] = {
    {"optimal.chain7.acc3",
     53000,
     {"document.3.peak.chain7.acc2", "document.4.1.peak.chain7.acc2", "document.4.1.order.chain7",
      "document.4.1.below.acc2.from3", "document.4.3.compare.chain7.acc3_acc1"}},
    {"optimal.chain13.acc2",
     43650,
     {"document.3.progress.chain13.acc2", "document.3.percent.chain13.acc2",
      "document.4.2.gain.chain13.acc2"}},
    {"optimal.chain29.acc2",
     32000,
     {"document.3.peak.chain29.acc2", "document.3.percent.chain29.acc2",
      "document.3.below.acc2.from4", "document.4.2.gain.chain29.acc2",
      "document.4.2.gain_grows.acc2", "document.4.3.compare.chain29.acc3_acc2"}},
    {"optimal.chain13.acc4", 38000, {"document.4.1.order.chain13"}},
    {"optimal.chain13.acc3",
     38000,
     {"document.4.1.order.chain13", "document.4.3.compare.chain13.acc3_acc1"}},
    {"optimal.chain29.acc3",
     28000,
     {"document.4.1.order.chain29", "document.4.3.compare.chain29.acc3_acc1"}},
    {"optimal.chain13.acc3", 44000, {"document.4.3.compare.chain13.acc3_acc2"}},
    {"optimal.chain7.acc4", 48000, {"document.4.3.steepest.chain7.acc4"}},
};

static void test_other_numbers_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tampers / sizeof *tampers; ++i) {
        struct paper paper;
        open_paper(&paper);
        struct accp_run_role *role = fixture_role(&paper.run, tampers[i].role, 8);
        role->progress = tampers[i].progress;
        struct accp_judgement judgement = judge(&paper, true);
        assert_int_equal(judgement.verdict, ACCP_VERDICT_FAIL);
        for (size_t j = 0; j < 8 && tampers[i].fails[j]; ++j) {
            const struct accp_line *line = line_of(&judgement, tampers[i].fails[j]);
            if (line->verdict != ACCP_VERDICT_FAIL)
                fail_msg("%zu, %s: %s", i, line->claim, line->text);
            assert_int_equal(line->reason, ACCP_REASON_STATEMENT_FAILS);
        }
        accp_judgement_fini(&judgement);
        close_paper(&paper);
    }
}

/* The two that speak of most: they fail when most of the numbers change, and not only when all do.
 */
static void test_most_is_counted(void **state)
{
    (void)state;
    struct paper paper;
    open_paper(&paper);
    for (size_t i = 0; i < paper.run.role_count; ++i)
        if (paper.run.roles[i].acc > 3 && paper.run.roles[i].chain < 29)
            paper.run.roles[i].progress = 60000 + paper.run.roles[i].acc;
    struct accp_judgement judgement = judge(&paper, true);
    assert_int_equal(line_of(&judgement, "document.4.3.mostly_falls.from3")->verdict,
                     ACCP_VERDICT_FAIL);
    assert_int_equal(line_of(&judgement, "document.4.3.mostly_below.acc3.from4")->verdict,
                     ACCP_VERDICT_FAIL);
    accp_judgement_fini(&judgement);
    close_paper(&paper);
}

/* One threshold is found where there is one. */
static void test_one_threshold_is_seen(void **state)
{
    (void)state;
    struct paper paper;
    open_paper(&paper);
    fixture_role(&paper.run, "optimal.chain13.acc4", 8)->progress = 38800;
    struct accp_judgement judgement = judge(&paper, true);
    assert_int_equal(line_of(&judgement, "document.4.1.threshold")->reason,
                     ACCP_REASON_ONE_THRESHOLD);
    accp_judgement_fini(&judgement);
    close_paper(&paper);
}

/* On another GPU's run the statements are reported and enforced none; one about a role that was not
 * run is left out. */
static void test_elsewhere_they_are_reported(void **state)
{
    (void)state;
    struct paper paper;
    struct accp_random random = {3};
    open_paper(&paper);
    accp_run_fini(&paper.run);
    fixture_run(&paper.run, &random);
    struct accp_judgement judgement = judge(&paper, false);
    assert_int_equal(judgement.verdict, ACCP_VERDICT_NO_GOLDEN);
    assert_int_equal(judgement.line_count, STATEMENTS);
    assert_int_equal(line_of(&judgement, "document.3.peak.chain7.acc2")->reason,
                     ACCP_REASON_STATEMENT_HOLDS);
    assert_int_equal(line_of(&judgement, "document.3.peak.chain29.acc2")->reason,
                     ACCP_REASON_STATEMENT_FAILS);
    assert_int_equal(line_of(&judgement, "document.4.2.gain_grows.acc2")->reason,
                     ACCP_REASON_STATEMENT_HOLDS);
    accp_judgement_fini(&judgement);
    for (size_t i = 0; i < paper.run.role_count; ++i)
        if (paper.run.roles[i].chain == 29) paper.run.roles[i].cycles.n = 0;
    judgement = judge(&paper, false);
    assert_true(judgement.line_count < STATEMENTS);
    for (size_t i = 0; i < judgement.line_count; ++i) {
        assert_null(strstr(judgement.lines[i].claim, "chain29"));
        assert_int_equal(judgement.lines[i].verdict, ACCP_VERDICT_NO_GOLDEN);
    }
    accp_judgement_fini(&judgement);
    judgement = judge(&paper, true);
    assert_int_equal(line_of(&judgement, "document.3.peak.chain29.acc2")->verdict,
                     ACCP_VERDICT_ENVIRONMENT);
    accp_judgement_fini(&judgement);
    close_paper(&paper);
}

#define DOCUMENT(probe, statement) \
    "{\"format\": \"accprobe-run/1\", \"document\": {\"probe\": \"" probe \
    "\", \"warps\": 8, \"statements\": [{" \
    "\"section\": \"3\", " statement "}]}}"

static const struct {
    const char *text, *message;
} refused[] = {
    {"{\"format\": \"accprobe-run/2\"}", "format version 2"},
    {DOCUMENT("x", "\"statement\": \"threshold\""), "probe \"x\" is not known"},
    {DOCUMENT("optimal", "\"statement\": \"hope\""), "of no known kind"},
    {DOCUMENT("dependency", "\"statement\": \"threshold\""), "no family \"dependency\""},
    {DOCUMENT("tail\", \"family\": \"dependency.one", "\"statement\": \"threshold\""),
     "probe tail has no family \"dependency.one\""},
    {DOCUMENT("tail\", \"family\": \"tail.sideways", "\"statement\": \"threshold\""),
     "has no family \"tail.sideways\""},
    {DOCUMENT("dependency\", \"family\": \"dependency.one",
              "\"statement\": \"peak\", \"chain\": 29, \"acc\": 2"),
     "dependency.one has no acc2"},
    {DOCUMENT("optimal", "\"statement\": \"peak\", \"chain\": 8, \"acc\": 2"), "has no chain8"},
    {DOCUMENT("optimal", "\"statement\": \"peak\", \"chain\": 7, \"acc\": 6"), "has no acc6"},
    {DOCUMENT("optimal", "\"statement\": \"peak\", \"chain\": 7"), "acc: is missing"},
    {DOCUMENT("optimal", "\"statement\": \"percent\", \"chain\": 7, \"acc\": 2"),
     "percent: is missing"},
    {DOCUMENT("optimal", "\"statement\": \"compare\", \"chain\": 7, \"left\": 1, \"right\": 2, "
                         "\"relation\": \"=\""),
     "not < or >"},
    {DOCUMENT("optimal", "\"statement\": \"order\", \"chain\": 7, \"order\": \"acc2\""),
     "one acc is no order"},
    {DOCUMENT("optimal", "\"statement\": \"order\", \"chain\": 7, \"order\": \"acc2 > acc6\""),
     "accs of the family"},
    {DOCUMENT("optimal", "\"statement\": \"order\", \"chain\": 7, \"order\": \"acc2 = acc1\""),
     "> or ≈ is needed"},
    {DOCUMENT("optimal", "\"statement\": \"order\", \"chain\": 7, \"order\": \"acc2 > \""),
     "accs of the family"},
};

/* A run of a probe at 8 warps in which every role costs as many cycles as `cost` says. */
static void run_of_probe(enum accp_probe probe, double (*cost)(const struct accp_role *),
                         struct accp_run *run)
{
    accp_run_init(run);
    run->source = ACCP_SOURCE_MEASURED;
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        struct accp_run_role *role;
        if (accp_roles[i].probe != probe) continue;
        assert_int_equal(accp_run_append(run, &role, NULL), ACCP_STATUS_OK);
        strcpy(role->role, accp_roles[i].name);
        strcpy(role->kernel, accp_roles[i].kernel);
        role->chain = accp_roles[i].chain;
        role->acc = accp_roles[i].acc;
        role->effective = accp_roles[i].effective;
        role->warps = 8;
        role->cycles.mean = role->cycles.min = role->cycles.max = cost(&accp_roles[i]);
        role->cycles.n = 10;
        role->progress = 1e7 / role->cycles.mean;
    }
}

static double flat(const struct accp_role *role)
{
    (void)role;
    return 100;
}

/* As the document has the tail, but for the roles with another placement. */
static double as_stated_of_the_tail(const struct accp_role *role)
{
    static const int order[] = {2, 3, 1, 4, 7};
    int place = 0;
    while (order[place] != role->acc)
        ++place;
    return role->placement == ACCP_PLACEMENT_ROUND_ROBIN ? 60 + place : 60 - place;
}

/* Independent links are fast, but for trees, braids and halves. */
static double as_stated_of_dependency(const struct accp_role *role)
{
    bool is_fast = (role->acc > 1) == (role->placement == ACCP_PLACEMENT_ROUND_ROBIN);
    return is_fast ? 70 : 170;
}

static const struct {
    enum accp_probe probe;
    const char *file, *claim;
    double (*cost)(const struct accp_role *);
} others[] = {
    {ACCP_PROBE_tail, "tail", "document.6.1.order.chain7", as_stated_of_the_tail},
    {ACCP_PROBE_dependency, "dependency", "document.6.2.compare.chain29.acc29_acc1",
     as_stated_of_dependency},
};

/* What the document says of its other probes is about the plain series: the others, which have the
 * same chains and accs, say nothing here. */
static void test_the_other_probes_are_held_to_their_own_series(void **state)
{
    (void)state;
    /* As stated; all alike; and without a sample of the plain series, for which no other answers. */
    static const enum accp_verdict verdicts[] = {ACCP_VERDICT_PASS, ACCP_VERDICT_FAIL,
                                                 ACCP_VERDICT_ENVIRONMENT};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        for (int kind = 0; kind < 3; ++kind) {
            char path[512];
            struct paper paper;
            struct accp_error error;
            snprintf(path, sizeof path, "%s/golden/document/%s.json", ACCP_SOURCE_DIR,
                     others[i].file);
            if (accp_document_read(path, &paper.document, &error) != ACCP_STATUS_OK)
                fail_msg("%s", error.text);
            run_of_probe(others[i].probe, kind == 1 ? flat : others[i].cost, &paper.run);
            for (size_t j = 0; kind == 2 && j < paper.run.role_count; ++j)
                if (accp_role_find(paper.run.roles[j].role)->placement ==
                    ACCP_PLACEMENT_ROUND_ROBIN)
                    paper.run.roles[j].cycles.n = 0;
            struct accp_judgement judgement = judge(&paper, true);
            assert_int_equal(judgement.line_count, 1);
            assert_int_equal(line_of(&judgement, others[i].claim)->verdict, verdicts[kind]);
            accp_judgement_fini(&judgement);
            close_paper(&paper);
        }
}

static void test_bad_statements_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        struct accp_document document;
        struct accp_error error;
        assert_int_equal(
            accp_document_parse("f", refused[i].text, strlen(refused[i].text), &document, &error),
            ACCP_STATUS_INPUT);
        if (!strstr(error.text, refused[i].message))
            fail_msg("%s\nlacks: %s", error.text, refused[i].message);
        assert_null(document.statements);
    }
    struct accp_document document;
    const char none[] = "{\"format\": \"accprobe-run/1\"}";
    assert_int_equal(accp_document_parse("f", none, strlen(none), &document, NULL), ACCP_STATUS_OK);
    assert_int_equal(document.statement_count, 0);
    accp_document_fini(&document);
}

/* A file may be called as no word of a shell is. */
static void test_the_command_names_the_file(void **state)
{
    (void)state;
    struct paper paper;
    struct accp_judgement judgement = {0};
    open_paper(&paper);
    assert_int_equal(
        accp_verdict_document(&paper.document, &paper.run, 1, true, "a b's.json", &judgement, NULL),
        ACCP_STATUS_OK);
    assert_string_equal(judgement.lines[0].repeat, "accprobe check 'a b'\\''s.json'");
    accp_judgement_fini(&judgement);
    close_paper(&paper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_is_the_documents),
        cmocka_unit_test(test_every_statement_is_reproduced),
        cmocka_unit_test(test_the_command_names_the_file),
        cmocka_unit_test(test_other_numbers_fail),
        cmocka_unit_test(test_most_is_counted),
        cmocka_unit_test(test_one_threshold_is_seen),
        cmocka_unit_test(test_elsewhere_they_are_reported),
        cmocka_unit_test(test_the_other_probes_are_held_to_their_own_series),
        cmocka_unit_test(test_bad_statements_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
