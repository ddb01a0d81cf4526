/* Made-up roles of the sink probe, whose cycles are told by three numbers an accumulator. */
#include "report/division.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

enum { WARPS = 8, CHAIN = 29 };

/* Cycles at acc1, and what each further accumulator adds: to the chain, by the sink, by registers
 * (which the chain with the sum has and the carried one has not); and by how much the model misses
 * the last. */
struct made_up {
    double body[5], sink, registers, off;
};

static const int accs[] = {1, 2, 3, 4, 8};

static void add(struct accp_run *run, const struct accp_role *role, double cycles)
{
    struct accp_run_role *row;
    assert_int_equal(accp_run_append(run, &row, NULL), ACCP_STATUS_OK);
    strcpy(row->role, role->name);
    row->chain = role->chain;
    row->acc = role->acc;
    row->effective = role->effective;
    row->warps = WARPS;
    row->cycles = (struct accp_cycles){.mean = cycles, .min = cycles, .max = cycles, .n = 1};
}

struct scene {
    struct accp_run measured, predicted, portless;
    struct accp_summary summary;
    struct accp_division division;
};

static void open_scene(struct scene *scene, const struct made_up *made_up)
{
    memset(scene, 0, sizeof *scene);
    accp_run_init(&scene->measured);
    accp_run_init(&scene->predicted);
    accp_run_init(&scene->portless);
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        const struct accp_role *role = &accp_roles[i];
        size_t place = 0;
        if (role->probe != ACCP_PROBE_sink || role->chain != CHAIN) continue;
        while (accs[place] != role->acc)
            ++place;
        const double body = 100 + made_up->body[place];
        const bool is_summed = role->sink == ACCP_SINK_FULL;
        const double registers = is_summed ? made_up->registers * (role->acc - 1) : 0;
        const double off = is_summed && role->acc == 8 ? made_up->off : 0;
        const double sink = is_summed ? made_up->sink * role->acc : 0;
        add(&scene->measured, role, body + sink + registers);
        if (!is_summed && role->sink != ACCP_SINK_CARRIED) continue;
        add(&scene->predicted, role, body + sink + registers + off);
        add(&scene->portless, role, body + sink + off);
    }
    assert_int_equal(accp_summary_init(&scene->summary, &scene->measured, 1, NULL), ACCP_STATUS_OK);
}

static void close_scene(struct scene *scene)
{
    accp_summary_fini(&scene->summary);
    accp_run_fini(&scene->measured);
    accp_run_fini(&scene->predicted);
    accp_run_fini(&scene->portless);
}

static enum accp_status divide(struct scene *scene, struct accp_error *error)
{
    return accp_division_make(&scene->summary, &scene->predicted, &scene->portless, CHAIN, WARPS,
                              &scene->division, error);
}

/* Best at acc2 of the full sum but for the last; then a loss of which the sink, the chain or the
 * registers have most. */
static const struct made_up sink_bound = {{0, -40, -41, -42, -42}, 3, 0, 0};
static const struct made_up body_bound = {{0, -40, -30, -20, -10}, 0.1, 0, 0};
static const struct made_up register_bound = {{0, -40, -40, -40, -40}, 0.1, 3, 1};
static const struct made_up untold = {{0, -40, -40, -40, -40}, 2, 1, -7};
static const struct made_up gaining = {{0, -40, -60, -70, -90}, 3, 0, 0};

static const struct {
    const struct made_up *made_up;
    int best;
    enum accp_division_finding findings[ACCP_DIVISION_PART_COUNT]; /* body, sink, registers */
    const char *words;
} cases[] = {
    {&sink_bound,
     2,
     {ACCP_DIVISION_FAILS, ACCP_DIVISION_HOLDS, ACCP_DIVISION_FAILS},
     "acc2 is best; from there to acc8 +16.0 cycles: loop body -2.0, sink +18.0"},
    {&body_bound,
     2,
     {ACCP_DIVISION_HOLDS, ACCP_DIVISION_FAILS, ACCP_DIVISION_FAILS},
     "\"issue and scheduling of the loop body\" holds."},
    {&register_bound,
     2,
     {ACCP_DIVISION_FAILS, ACCP_DIVISION_HOLDS, ACCP_DIVISION_HOLDS},
     "of these registers +18.0 by the model, which is off by +1.0"},
    {&untold,
     2,
     {ACCP_DIVISION_FAILS, ACCP_DIVISION_HOLDS, ACCP_DIVISION_UNTOLD},
     "\"registers and live ranges\" cannot be told"},
    {&gaining,
     8,
     {ACCP_DIVISION_FAILS, ACCP_DIVISION_FAILS, ACCP_DIVISION_FAILS},
     "acc8 is best, and nothing is lost behind it"},
};

static void test_the_loss_is_divided(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct scene scene;
        char words[1024];
        open_scene(&scene, cases[i].made_up);
        assert_int_equal(divide(&scene, NULL), ACCP_STATUS_OK);
        assert_int_equal(scene.division.best[ACCP_SINK_FULL], cases[i].best);
        for (int part = 0; part < ACCP_DIVISION_PART_COUNT; ++part)
            if (accp_division_find(&scene.division, (enum accp_division_part)part) !=
                cases[i].findings[part])
                fail_msg("case %zu, part %d", i, part);
        accp_division_words(&scene.division, words, sizeof words);
        if (!strstr(words, cases[i].words)) fail_msg("%s\nlacks: %s", words, cases[i].words);
        close_scene(&scene);
    }
}

static void test_steps_add_up(void **state)
{
    (void)state;
    const struct made_up made_up = {{0, -40, -41, -42, -45}, 3, 0.5, 2};
    struct scene scene;
    open_scene(&scene, &made_up);
    assert_int_equal(divide(&scene, NULL), ACCP_STATUS_OK);
    const struct accp_division *division = &scene.division;
    assert_int_equal(division->step_count, 4);
    for (size_t i = 0; i < division->step_count; ++i) {
        const struct accp_division_step *step = &division->steps[i];
        assert_int_equal(step->from, accs[i]);
        assert_int_equal(step->to, accs[i + 1]);
        assert_int_equal(step->added, accs[i + 1] - accs[i]);
        const double body = made_up.body[i + 1] - made_up.body[i];
        assert_true(fabs(step->parts[ACCP_DIVISION_BODY] - body) < 1e-9);
        assert_true(fabs(step->parts[ACCP_DIVISION_SINK] - 3.5 * step->added) < 1e-9);
        assert_true(fabs(step->parts[ACCP_DIVISION_REGISTERS] - 0.5 * step->added) < 1e-9);
        assert_true(fabs(step->total - body - 3.5 * step->added) < 1e-9);
        assert_true(fabs(step->off - (step->to == 8 ? 2 : 0)) < 1e-9);
    }
    close_scene(&scene);
}

/* The words are cut where they do not fit, and nothing is written behind. */
static void test_short_buffers_are_kept(void **state)
{
    (void)state;
    struct scene scene;
    char words[64];
    open_scene(&scene, &sink_bound);
    assert_int_equal(divide(&scene, NULL), ACCP_STATUS_OK);
    memset(words, 'x', sizeof words);
    accp_division_words(&scene.division, words, 40);
    assert_int_equal(strlen(words), 39);
    assert_int_equal(words[40], 'x');
    close_scene(&scene);
}

static void test_what_is_missing_is_named(void **state)
{
    (void)state;
    struct scene scene;
    struct accp_error error;
    open_scene(&scene, &sink_bound);
    scene.portless.roles[3].cycles.n = 0;
    assert_int_equal(divide(&scene, &error), ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "was not predicted"));
    assert_string_equal(error.where, scene.portless.roles[3].role);
    close_scene(&scene);
    open_scene(&scene, &sink_bound);
    for (size_t i = 0; i < scene.summary.point_count; ++i)
        if (strcmp(scene.summary.points[i].role, "sink.chain29.acc4.carried") == 0)
            scene.summary.points[i].processes = 0;
    assert_int_equal(divide(&scene, &error), ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "was not measured"));
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_loss_is_divided),
        cmocka_unit_test(test_steps_add_up),
        cmocka_unit_test(test_short_buffers_are_kept),
        cmocka_unit_test(test_what_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
