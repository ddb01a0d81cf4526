#include "policy/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Made up: two accumulators take 20 of 100 cycles of stalls away, and keep the scheduler busy for 4 more; what they hold
 * is added up outside of the loop. */
static struct accp_policy_kernels made_up(void)
{
    return (struct accp_policy_kernels){
        .name = "made_acc*",
        .arch = accp_arch_find("sm_90"),
        .count = 2,
        .kernels = {{.acc = 1, .registers = 64, .warps = 8, .stalls = 100, .busy = 50},
                    {.acc = 2,
                     .registers = 68,
                     .warps = 8,
                     .stalls = 80,
                     .busy = 54,
                     .outside_stalls = 60,
                     .outside_busy = 10}},
    };
}

static enum accp_status try_ask(const struct accp_policy_kernels *group, int load,
                                const char *given, struct accp_policy_answer *answer,
                                struct accp_error *error)
{
    struct accp_policy_conditions conditions;
    accp_policy_conditions_init(&conditions);
    conditions.load = load;
    ACCP_TRY(accp_policy_conditions_read(given, &conditions, error));
    return accp_policy_kernels_ask(group, &conditions, answer, error);
}

static struct accp_policy_answer ask(const struct accp_policy_kernels *group, int load,
                                     const char *given)
{
    struct accp_policy_answer answer;
    struct accp_error error;
    if (try_ask(group, load, given, &answer, &error) != ACCP_STATUS_OK)
        fail_msg("%s: %s", error.where, error.text);
    return answer;
}

static void refuses(int load, const char *given, enum accp_status status, const char *words)
{
    const struct accp_policy_kernels group = made_up();
    struct accp_policy_answer answer;
    struct accp_error error;
    assert_int_equal(try_ask(&group, load, given, &answer, &error), status);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static void near(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-9) fail_msg("%.12g, not %.12g", got, wanted);
}

static void test_a_lone_warp_takes_its_stalls_and_waits(void **state)
{
    const struct accp_policy_kernels group = made_up();
    (void)state;
    const struct accp_policy_answer answer = ask(&group, 1, "iterations=0,waits=500");
    near(answer.choices[0].time, 600);
    near(answer.choices[1].time, 580);
    assert_int_equal(answer.split, 2);
    assert_int_equal(answer.rule, ACCP_POLICY_SPLIT);
}

/* Two warps, 50 of 100 cycles busy: one finds the other there half of the time, 75 + 50, for two. */
static void test_warps_queue_for_the_busiest_unit(void **state)
{
    const struct accp_policy_kernels group = made_up();
    (void)state;
    struct accp_policy_answer answer = ask(&group, 2, "iterations=0");
    near(answer.choices[0].time, 62.5);
    near(answer.choices[1].time, (54 * (1 + 54.0 / 80) + 26) / 2);
    assert_int_equal(answer.split, 2);
    answer = ask(&group, 6, "iterations=0");
    assert_true(answer.choices[0].time > 50 && answer.choices[0].time < 52);
    assert_int_equal(answer.split, 1);
    assert_int_equal(answer.rule, ACCP_POLICY_KEEP_ONE);
}

/* 10 cycles for each other warp: a wait of its own, which those who keep the unit busy cover. */
static void test_reads_wait_behind_special_functions_of_other_warps(void **state)
{
    struct accp_policy_kernels group = made_up();
    (void)state;
    group.kernels[1].queued = 10;
    near(ask(&group, 1, "iterations=0").choices[1].time, 80);
    near(ask(&group, 2, "iterations=0").choices[1].time, (54 * (1 + 54.0 / 90) + 36) / 2);
    const double others = 54 * (1 + 54.0 / 100) + 46, third = 2 * 54 * (1 + 54.0 / 100) / others;
    near(ask(&group, 3, "iterations=0").choices[1].time, (54 * (1 + third) + 46) / 3);
}

/* Where special functions are the busiest unit, further warps are counted there. */
static void test_reads_wait_for_one_other_warp_where_special_functions_are_busiest(void **state)
{
    struct accp_policy_kernels group = made_up();
    (void)state;
    group.kernels[1].queued = 10;
    group.kernels[1].is_special = true;
    near(ask(&group, 1, "iterations=0").choices[1].time, 80);
    near(ask(&group, 2, "iterations=0").choices[1].time, (54 * (1 + 54.0 / 90) + 36) / 2);
    near(ask(&group, 3, "iterations=0").choices[1].time, (54 * (1 + 2 * 86.4 / 122.4) + 36) / 3);
    const double many = ask(&group, 16, "iterations=0").choices[1].time;
    assert_true(many > 54 && many < 59);
    /* Charged for both others, two accumulators would wait longer than one: 104 cycles, not 92. */
    group.kernels[1].busy = 50;
    group.kernels[1].queued = 12;
    assert_int_equal(ask(&group, 3, "iterations=0").split, 2);
    group.kernels[1].is_special = false;
    assert_int_equal(ask(&group, 3, "iterations=0").split, 1);
}

static void test_what_is_outside_of_the_loop_is_shared(void **state)
{
    const struct accp_policy_kernels group = made_up();
    (void)state;
    struct accp_policy_answer answer = ask(&group, 1, "iterations=1");
    near(answer.choices[1].time, 140);
    assert_int_equal(answer.split, 1);
    answer = ask(&group, 1, "iterations=10");
    near(answer.choices[1].time, 86);
    assert_int_equal(answer.split, 2);
}

/* 65536 registers: 4 blocks of 8 warps with 64 a thread, one with 130. */
static void test_registers_that_cost_warps_are_charged(void **state)
{
    struct accp_policy_kernels group = made_up();
    (void)state;
    assert_int_equal(ask(&group, 4, "iterations=0,waits=900").split, 2);
    assert_int_equal(accp_policy_kernels_fit(&group), 8);
    group.kernels[1].registers = 130;
    assert_int_equal(accp_policy_kernels_fit(&group), 8);
    group.kernels[0].registers = 130;
    assert_int_equal(accp_policy_kernels_fit(&group), 2);
    group.kernels[0].registers = 64;
    struct accp_policy_answer answer = ask(&group, 4, "iterations=0,waits=900");
    assert_int_equal(answer.choices[0].load, 4);
    assert_int_equal(answer.choices[1].load, 2);
    near(answer.choices[1].time, (54 * (1 + 54.0 / 980) + 926) / 2);
    assert_int_equal(answer.split, 1);
    assert_int_equal(answer.rule, ACCP_POLICY_OCCUPANCY);
    answer = ask(&group, 1, "iterations=0,registers-left=65");
    assert_int_equal(answer.split, 1);
    assert_int_equal(answer.rule, ACCP_POLICY_REGISTERS);
    assert_int_equal(ask(&group, 1, "iterations=0,registers-left=66").split, 2);
}

/* 96 bytes a lane and iteration, 16 in a cycle for 4 schedulers: 768 cycles. */
static void test_no_split_is_faster_than_memory(void **state)
{
    const struct accp_policy_kernels group = made_up();
    (void)state;
    const struct accp_policy_answer answer = ask(&group, 1, "iterations=0,bytes=96,bandwidth=16");
    near(answer.choices[1].time, 768);
    assert_int_equal(answer.split, 1);
    assert_int_equal(answer.rule, ACCP_POLICY_MEMORY);
}

static void test_what_cannot_be_answered_is_refused(void **state)
{
    (void)state;
    refuses(17, "iterations=0", ACCP_STATUS_INPUT, "holds 1 to 16");
    refuses(0, "iterations=0", ACCP_STATUS_INPUT, "holds 1 to 16");
    refuses(1, "latency=4", ACCP_STATUS_USAGE, "stand in the SASS");
    refuses(1, "bytes=4", ACCP_STATUS_INPUT, "bytes is given without bandwidth");
}

static void test_kernels_are_told_apart_by_acc(void **state)
{
    static const struct {
        const char *symbol, *name;
        int acc;
    } cases[] = {{"ops_dot_acc4", "ops_dot_acc*", 4},
                 {"account_acc16_b", "account_acc*_b", 16},
                 {"acc", NULL, 0},
                 {"dot4", NULL, 0},
                 {"dot_acc0", NULL, 0},
                 {"dot_acc65", NULL, 0},
                 {"dot_acc04", NULL, 0},
                 {"dot_acc99999999999999999999", NULL, 0}};
    char name[ACCP_NAME_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        int acc = 0;
        const bool is_one = accp_policy_kernels_name(cases[i].symbol, name, &acc);
        if (is_one != (cases[i].name != NULL)) fail_msg("%s", cases[i].symbol);
        if (!is_one) continue;
        assert_string_equal(name, cases[i].name);
        assert_int_equal(acc, cases[i].acc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lone_warp_takes_its_stalls_and_waits),
        cmocka_unit_test(test_warps_queue_for_the_busiest_unit),
        cmocka_unit_test(test_reads_wait_behind_special_functions_of_other_warps),
        cmocka_unit_test(test_reads_wait_for_one_other_warp_where_special_functions_are_busiest),
        cmocka_unit_test(test_what_is_outside_of_the_loop_is_shared),
        cmocka_unit_test(test_registers_that_cost_warps_are_charged),
        cmocka_unit_test(test_no_split_is_faster_than_memory),
        cmocka_unit_test(test_what_cannot_be_answered_is_refused),
        cmocka_unit_test(test_kernels_are_told_apart_by_acc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
