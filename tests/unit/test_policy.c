#include "policy/judge.h"
#include "policy/policy.h"
#include "policy/processes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Made up: at 4 warps the chain costs 4 cycles a link of the longest way, and 3 for each
 * accumulator that an iteration sums; each further warp of a scheduler adds `more` a link. */
static double made_up(const struct accp_role *role, int warps, double more)
{
    const double depth = ceil((double)role->chain / role->effective);
    const double sums = role->probe == ACCP_PROBE_optimal ? 3.0 * role->effective : 0;
    return 30 + 4 * depth + sums + more * role->chain * (warps / 4.0 - 1);
}

static void add_roles(struct accp_run *run, int warps, double more, double factor)
{
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        const struct accp_role *known = &accp_roles[i];
        struct accp_run_role *role;
        if (known->probe != ACCP_PROBE_optimal &&
            !(known->probe == ACCP_PROBE_sink && known->sink == ACCP_SINK_CARRIED))
            continue;
        assert_int_equal(accp_run_append(run, &role, NULL), ACCP_STATUS_OK);
        snprintf(role->role, sizeof role->role, "%s", known->name);
        snprintf(role->kernel, sizeof role->kernel, "%s", known->kernel);
        role->chain = known->chain;
        role->acc = known->acc;
        role->effective = known->effective;
        role->warps = warps;
        role->cycles.n = 1;
        role->cycles.mean = made_up(known, warps, more) * factor;
    }
}

static void begin_run(struct accp_run *run)
{
    accp_run_init(run);
    run->source = ACCP_SOURCE_MEASURED;
    snprintf(run->device.arch, sizeof run->device.arch, "sm_90");
    snprintf(run->compiler.version, sizeof run->compiler.version, "13.0.88");
    run->device.sm_count = 132;
}

/* Runs at 1, 2 and 8 warps a scheduler, one for each factor. */
static void make_policy(struct accp_policy *policy, const double *factors, size_t count)
{
    *policy = (struct accp_policy){0};
    for (size_t i = 0; i < count; ++i) {
        struct accp_run run;
        begin_run(&run);
        add_roles(&run, 4, 0.5, factors[i]);
        add_roles(&run, 8, 0.5, factors[i]);
        add_roles(&run, 32, 0.5, factors[i]);
        assert_int_equal(accp_policy_add(policy, "run.json", &run, NULL), ACCP_STATUS_OK);
        accp_run_fini(&run);
    }
}

static void make_exact_policy(struct accp_policy *policy)
{
    static const double same[] = {1, 1};
    make_policy(policy, same, 2);
}

static struct accp_policy_answer ask(const struct accp_policy *policy, int chain, int load,
                                     const char *given)
{
    struct accp_policy_conditions conditions;
    struct accp_policy_answer answer;
    struct accp_error error;
    accp_policy_conditions_init(&conditions);
    conditions.chain = chain;
    conditions.load = load;
    if (given)
        assert_int_equal(accp_policy_conditions_read(given, &conditions, &error), ACCP_STATUS_OK);
    if (accp_policy_ask(policy, &conditions, &answer, &error) != ACCP_STATUS_OK)
        fail_msg("%s: %s", error.where, error.text);
    return answer;
}

static void refuses(const struct accp_policy *policy, int chain, int load, const char *given,
                    const char *words)
{
    struct accp_policy_conditions conditions;
    struct accp_policy_answer answer;
    struct accp_error error;
    accp_policy_conditions_init(&conditions);
    conditions.chain = chain;
    conditions.load = load;
    enum accp_status status =
        given ? accp_policy_conditions_read(given, &conditions, &error) : ACCP_STATUS_OK;
    if (status == ACCP_STATUS_OK) status = accp_policy_ask(policy, &conditions, &answer, &error);
    assert_int_not_equal(status, ACCP_STATUS_OK);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

/* chain 29, summed: 30 + 116 + 3, + 60 + 6, + 40 + 9, + 32 + 12, + 24 + 15, + 20 + 21: 5 is best. */
static void test_the_least_time_is_taken_with_its_margins(void **state)
{
    struct accp_policy policy;
    (void)state;
    make_exact_policy(&policy);
    const struct accp_policy_answer answer = ask(&policy, 29, 1, NULL);
    assert_int_equal(answer.split, 5);
    assert_int_equal(answer.rule, ACCP_POLICY_SPLIT);
    assert_true(fabs(accp_policy_margin(&answer, 1) - (149.0 / 69 - 1)) < 1e-12);
    assert_true(fabs(accp_policy_margin(&answer, 4) - (74.0 / 69 - 1)) < 1e-12);
    assert_true(isnan(accp_policy_margin(&answer, 6)));
    assert_non_null(strstr(answer.words, "1 would take 115.9 % more"));
    accp_policy_fini(&policy);
}

/* Isolated, 8 accumulators are best: 30 + 16. Summed once in 10 iterations, 8: 30 + 16 + 2.4. */
static void test_the_sink_sets_how_wide_a_split_pays(void **state)
{
    struct accp_policy policy;
    (void)state;
    make_exact_policy(&policy);
    assert_int_equal(ask(&policy, 29, 1, "iterations=0").split, 8);
    const struct accp_policy_answer answer = ask(&policy, 29, 1, "iterations=10");
    assert_int_equal(answer.split, 8);
    for (size_t i = 0; i < answer.choice_count; ++i)
        if (answer.choices[i].acc == 8) assert_true(fabs(answer.choices[i].time - 48.4) < 1e-9);
    accp_policy_fini(&policy);
}

static void test_what_the_noise_does_not_tell_apart_is_a_tie(void **state)
{
    static const double noisy[] = {1, 1.04};
    struct accp_policy policy;
    (void)state;
    make_policy(&policy, noisy, 2);
    /* 69 against 71 (7), 74 (4): 2.8 % of noise, 3 x sqrt 2 times that is 11.8 %: 79 (3) is not told from 69. */
    const struct accp_policy_answer answer = ask(&policy, 29, 1, NULL);
    assert_int_equal(answer.best, 5);
    assert_int_equal(answer.split, 4);
    accp_policy_fini(&policy);
    make_exact_policy(&policy);
    assert_int_equal(ask(&policy, 29, 1, NULL).split, 5);
    accp_policy_fini(&policy);
}

static void test_registers_bound_the_split(void **state)
{
    struct accp_policy policy;
    (void)state;
    make_exact_policy(&policy);
    const struct accp_policy_answer answer = ask(&policy, 29, 1, "registers-left=2");
    assert_int_equal(answer.split, 3);
    assert_int_equal(answer.rule, ACCP_POLICY_REGISTERS);
    assert_int_equal(ask(&policy, 29, 1, "registers-left=0").split, 1);
    assert_int_equal(ask(&policy, 29, 1, "registers-left=4").split, 5);
    accp_policy_fini(&policy);
}

/* 128 registers keep 16 warps of an SM resident; 129 to 136 keep 15, which is 3 a scheduler. Then 4 accumulators would
 * take (30 + 8 + 12 + 7) / 3 cycles of it, and one (30 + 28 + 3 + 10.5) / 4. */
static void test_a_split_that_costs_warps_is_charged_for_them(void **state)
{
    struct accp_policy policy;
    (void)state;
    make_exact_policy(&policy);
    assert_int_equal(ask(&policy, 7, 4, NULL).split, 4);
    assert_int_equal(ask(&policy, 7, 4, "registers-used=40").split, 4);
    const struct accp_policy_answer answer = ask(&policy, 7, 4, "registers-used=128");
    assert_int_equal(answer.split, 1);
    assert_int_equal(answer.rule, ACCP_POLICY_OCCUPANCY);
    for (size_t i = 0; i < answer.choice_count; ++i)
        assert_int_equal(answer.choices[i].load, answer.choices[i].acc == 1 ? 4 : 3);
    accp_policy_fini(&policy);
}

/* 255 registers leave 2 warps a scheduler, and loads were measured up to 8. */
static void test_loads_that_do_not_fit_are_not_answered(void **state)
{
    struct accp_policy policy;
    struct accp_policy_conditions conditions;
    (void)state;
    make_exact_policy(&policy);
    accp_policy_conditions_init(&conditions);
    assert_int_equal(accp_policy_highest_load(&policy, &conditions), 8);
    conditions.registers_used = 32;
    assert_int_equal(accp_policy_highest_load(&policy, &conditions), 8);
    conditions.registers_used = 255;
    assert_int_equal(accp_policy_highest_load(&policy, &conditions), 2);
    assert_int_equal(ask(&policy, 29, 2, "registers-used=255").split, 1);
    refuses(&policy, 29, 3, "registers-used=255", "it holds 2; ask for --warps 2");
    accp_policy_fini(&policy);
}

static void test_other_work_covers_the_latency(void **state)
{
    struct accp_policy policy;
    (void)state;
    make_exact_policy(&policy);
    const char *const covering[] = {"independent=16", "surrounding=20",
                                    "independent=4,surrounding=2"};
    for (size_t i = 0; i < sizeof covering / sizeof *covering; ++i) {
        const struct accp_policy_answer answer = ask(&policy, 29, 1, covering[i]);
        assert_int_equal(answer.split, 1);
        assert_int_equal(answer.rule, ACCP_POLICY_COVERED);
        assert_true(accp_policy_margin(&answer, 4) > 0);
    }
    /* What covers a warp's latency only in part is looked up as that many warps. */
    const struct accp_policy_answer twice = ask(&policy, 29, 1, "independent=2"),
                                    two = ask(&policy, 29, 2, NULL);
    assert_int_equal(twice.split, two.split);
    assert_true(fabs(twice.choices[0].time - two.choices[0].time) < 1e-12);
    accp_policy_fini(&policy);
}

/* 29 x 4 bytes of 32 lanes over a quarter of 64 bytes a cycle: 232 cycles, above all splits. */
static void test_where_memory_binds_a_split_changes_nothing(void **state)
{
    struct accp_policy policy;
    (void)state;
    make_exact_policy(&policy);
    const struct accp_policy_answer bound = ask(&policy, 29, 1, "bytes=4,bandwidth=64");
    assert_int_equal(bound.split, 1);
    assert_int_equal(bound.rule, ACCP_POLICY_MEMORY);
    assert_true(accp_policy_margin(&bound, 8) == 0);
    /* 74.24 cycles: 4 accumulators are as fast as memory lets them be, and 3 are not. */
    const struct accp_policy_answer partly = ask(&policy, 29, 1, "bytes=4,bandwidth=200");
    assert_int_equal(partly.split, 4);
    assert_int_equal(partly.rule, ACCP_POLICY_SPLIT);
    accp_policy_fini(&policy);
}

/* Between the measured ones, here straight lines, it is exact. */
static void test_between_chains_and_loads_it_goes_along_lines(void **state)
{
    struct accp_policy policy;
    (void)state;
    make_exact_policy(&policy);
    const struct accp_policy_answer load = ask(&policy, 13, 5, NULL);
    assert_true(fabs(load.choices[0].time - (30 + 52 + 3 + 0.5 * 13 * 4) / 5) < 1e-12);
    const struct accp_policy_answer chain = ask(&policy, 10, 1, NULL);
    assert_true(fabs(chain.choices[0].time - (30 + 40 + 3)) < 1e-12);
    for (size_t i = 0; i < chain.choice_count; ++i)
        assert_true(chain.choices[i].acc <= 10 || isnan(chain.choices[i].time));
    accp_policy_fini(&policy);
}

static void test_what_was_not_measured_is_not_answered(void **state)
{
    struct accp_policy policy, empty = {0};
    (void)state;
    make_exact_policy(&policy);
    refuses(&policy, 0, 1, NULL, "7 to 29");
    refuses(&policy, 6, 1, NULL, "7 to 29");
    refuses(&policy, 1000000, 1, NULL, "7 to 29");
    refuses(&policy, 13, 0, NULL, "1 to 8");
    refuses(&policy, 13, 9, NULL, "1 to 8");
    refuses(&policy, 13, 17, NULL, "holds 16 at the most");
    refuses(&policy, 13, 1, "bytes=4", "bytes is given without bandwidth");
    refuses(&policy, 13, 1, "bandwidth=64", "bandwidth is given without bytes");
    refuses(&policy, 13, 1, "registers-left=-1", "whole number from 0");
    refuses(&policy, 13, 1, "surrounding=nan", "number from 0");
    refuses(&policy, 13, 1, "independent=1.5", "whole number from 1");
    refuses(&policy, 13, 1, "registers=3", "registers-left, registers-used");
    refuses(&policy, 13, 1, "iterations", "whole number");
    refuses(&empty, 13, 1, NULL, "no run");
    accp_policy_fini(&policy);
}

static enum accp_status add_changed(void (*change)(struct accp_run *), struct accp_error *error)
{
    struct accp_policy policy;
    struct accp_run run;
    make_exact_policy(&policy);
    begin_run(&run);
    add_roles(&run, 4, 0.5, 1);
    change(&run);
    const enum accp_status status = accp_policy_add(&policy, "other.json", &run, error);
    accp_run_fini(&run);
    accp_policy_fini(&policy);
    return status;
}

static void predict(struct accp_run *run)
{
    run->source = ACCP_SOURCE_PREDICTED;
}

static void move_gpu(struct accp_run *run)
{
    run->device.sm_count = 114;
}

static void update_compiler(struct accp_run *run)
{
    snprintf(run->compiler.version, sizeof run->compiler.version, "13.1.1");
}

static void put_between(struct accp_run *run)
{
    for (size_t i = 0; i < run->role_count; ++i)
        run->roles[i].warps = 6; /* two schedulers with two warps, two with one */
}

static void test_runs_that_differ_make_no_policy(void **state)
{
    static const struct {
        void (*change)(struct accp_run *);
        const char *words;
    } cases[] = {{predict, "source is predicted"},
                 {move_gpu, "number of SMs is 114"},
                 {update_compiler, "compiler is 13.1.1"},
                 {put_between, "holds no role"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct accp_error error;
        assert_int_equal(add_changed(cases[i].change, &error), ACCP_STATUS_INPUT);
        if (!strstr(error.text, cases[i].words)) fail_msg("'%s'", error.text);
    }
}

/* Judged by a run in which 2 accumulators are made the best by a tenth. */
static void test_a_regret_is_over_the_best_of_the_other_run(void **state)
{
    struct accp_policy policy;
    struct accp_policy_regret *regrets;
    struct accp_run run;
    size_t count, judged = 0;
    (void)state;
    make_exact_policy(&policy);
    begin_run(&run);
    add_roles(&run, 4, 0.5, 1);
    for (size_t i = 0; i < run.role_count; ++i)
        if (strcmp(run.roles[i].role, "optimal.chain29.acc2") == 0) run.roles[i].cycles.mean = 60;
    assert_int_equal(accp_policy_judge(&(struct accp_policy_source){.chains = &policy}, "run.json",
                                       &run, &regrets, &count, NULL),
                     ACCP_STATUS_OK);
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(regrets[i].cell, "optimal.chain29") != 0) {
            assert_true(regrets[i].of_split <= 1e-12);
            continue;
        }
        assert_int_equal(regrets[i].best, 2);
        assert_true(fabs(regrets[i].of_split - 9.0 / 60) < 1e-12);
        assert_true(regrets[i].of_two == 0);
        ++judged;
    }
    assert_int_equal(judged, 1);
    const struct accp_policy_verdict verdict = accp_policy_verdict_of(regrets, count, false);
    assert_int_equal(verdict.within_one_percent, 5);
    assert_true(fabs(verdict.worst_split - 0.15) < 1e-12);
    free(regrets);
    accp_run_fini(&run);
    accp_policy_fini(&policy);
}

static void test_a_cell_that_lacks_a_choice_is_not_judged(void **state)
{
    struct accp_policy policy;
    struct accp_policy_regret *regrets;
    struct accp_error error;
    struct accp_run run;
    size_t count;
    (void)state;
    make_exact_policy(&policy);
    begin_run(&run);
    add_roles(&run, 4, 0.5, 1);
    run.roles[1].cycles.n = 0; /* optimal.chain7.acc2 */
    assert_int_equal(accp_policy_judge(&(struct accp_policy_source){.chains = &policy}, "run.json",
                                       &run, &regrets, &count, &error),
                     ACCP_STATUS_INPUT);
    assert_string_equal(error.where, "optimal.chain7");
    assert_null(regrets);
    accp_run_fini(&run);
    accp_policy_fini(&policy);
}

/* The best of chain 29 takes 60, 62 and 64 cycles in three processes, the policy's 5 accumulators 69: 69 / 62 of the mean;
 * the ratios are 1.15, 1.1129 and 1.0781, whose standard deviation is 0.035944. */
static void test_processes_are_judged_by_their_mean(void **state)
{
    struct accp_policy policy;
    struct accp_policy_regret *regrets;
    struct accp_policy_processes processes;
    struct accp_run runs[3];
    size_t count, judged = 0;
    (void)state;
    make_exact_policy(&policy);
    for (size_t i = 0; i < 3; ++i) {
        begin_run(&runs[i]);
        runs[i].protocol.seed = i + 1;
        add_roles(&runs[i], 4, 0.5, 1);
        for (size_t k = 0; k < runs[i].role_count; ++k)
            if (strcmp(runs[i].roles[k].role, "optimal.chain29.acc2") == 0)
                runs[i].roles[k].cycles.mean = 60 + 2 * (double)i;
    }
    assert_int_equal(accp_policy_processes_init(&processes, runs, 3, NULL), ACCP_STATUS_OK);
    assert_int_equal(accp_policy_judge(&(struct accp_policy_source){.chains = &policy}, "runs",
                                       &processes.mean, &regrets, &count, NULL),
                     ACCP_STATUS_OK);
    accp_policy_processes_spread(&processes, regrets, count);
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(regrets[i].processes, 3);
        if (strcmp(regrets[i].cell, "optimal.chain29") != 0) {
            assert_true(regrets[i].error < 1e-7);
            continue;
        }
        assert_true(fabs(regrets[i].of_split - (69.0 / 62 - 1)) < 1e-12);
        assert_true(fabs(regrets[i].error - 0.035944 / sqrt(3)) < 1e-6);
        ++judged;
    }
    assert_int_equal(judged, 1);
    free(regrets);
    accp_policy_processes_fini(&processes);
    runs[2].protocol.seed = 1;
    assert_int_equal(accp_policy_processes_init(&processes, runs, 3, NULL), ACCP_STATUS_REFUSED);
    for (size_t i = 0; i < 3; ++i)
        accp_run_fini(&runs[i]);
    accp_policy_fini(&policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_least_time_is_taken_with_its_margins),
        cmocka_unit_test(test_the_sink_sets_how_wide_a_split_pays),
        cmocka_unit_test(test_what_the_noise_does_not_tell_apart_is_a_tie),
        cmocka_unit_test(test_registers_bound_the_split),
        cmocka_unit_test(test_a_split_that_costs_warps_is_charged_for_them),
        cmocka_unit_test(test_loads_that_do_not_fit_are_not_answered),
        cmocka_unit_test(test_other_work_covers_the_latency),
        cmocka_unit_test(test_processes_are_judged_by_their_mean),
        cmocka_unit_test(test_where_memory_binds_a_split_changes_nothing),
        cmocka_unit_test(test_between_chains_and_loads_it_goes_along_lines),
        cmocka_unit_test(test_what_was_not_measured_is_not_answered),
        cmocka_unit_test(test_runs_that_differ_make_no_policy),
        cmocka_unit_test(test_a_regret_is_over_the_best_of_the_other_run),
        cmocka_unit_test(test_a_cell_that_lacks_a_choice_is_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
