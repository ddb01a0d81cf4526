#include "golden/fleet.h"
#include "golden_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SESSIONS = 4 /* of a GPU */ };

/* Sessions of `gpus` GPUs of one model, one GPU after another. */
static struct accp_run *sessions_of(size_t gpus)
{
    struct accp_run *runs = fixture_sessions(gpus * SESSIONS, 7);
    for (size_t i = 0; i < gpus * SESSIONS; ++i)
        snprintf(runs[i].device.uuid_hash, sizeof runs[i].device.uuid_hash, "gpu%zu", i / SESSIONS);
    return runs;
}

static struct accp_fleet fleet_of(const struct accp_run *runs, size_t gpus)
{
    struct accp_fleet fleet;
    struct accp_error error;
    if (accp_fleet_init(runs, gpus * SESSIONS, &fleet, &error) != ACCP_STATUS_OK)
        fail_msg("%s", error.text);
    return fleet;
}

static void test_equal_gpus_are_all_kept(void **state)
{
    (void)state;
    for (size_t gpus = 1; gpus <= 8; ++gpus) {
        struct accp_run *runs = sessions_of(gpus);
        struct accp_fleet fleet = fleet_of(runs, gpus);
        assert_int_equal(fleet.model_count, 1);
        assert_int_equal(fleet.models[0].gpu_count, gpus);
        for (size_t i = 0; i < gpus; ++i)
            if (fleet.models[0].gpus[i].kept_out) fail_msg("%s", fleet.models[0].gpus[i].reason);
        assert_int_equal(fleet.models[0].kept, gpus);
        assert_string_equal(fleet.models[0].refusal, "");
        size_t count;
        struct accp_run *kept = accp_fleet_kept_runs(&fleet, &fleet.models[0], &count);
        assert_int_equal(count, gpus * SESSIONS);
        free(kept);
        accp_fleet_fini(&fleet);
        fixture_sessions_free(runs, gpus * SESSIONS);
    }
}

/* One role of one GPU, slower or faster by 1 %, at one of the loads. */
static void test_a_gpu_that_stands_apart_is_kept_out(void **state)
{
    (void)state;
    static const double factors[] = {1.01, 0.99, 1.3};
    for (size_t i = 0; i < 3; ++i)
        for (size_t odd = 0; odd < 4; ++odd) {
            struct accp_run *runs = sessions_of(4);
            fixture_scale(runs + odd * SESSIONS, SESSIONS, "optimal.chain29.acc2", 8, factors[i]);
            struct accp_fleet fleet = fleet_of(runs, 4);
            const struct accp_fleet_model *model = &fleet.models[0];
            assert_int_equal(model->kept, 3);
            assert_true(model->gpus[odd].kept_out);
            assert_non_null(strstr(model->gpus[odd].reason, "optimal.chain29.acc2 at 8 warps"));
            size_t count;
            struct accp_run *kept = accp_fleet_kept_runs(&fleet, model, &count);
            assert_int_equal(count, 3 * SESSIONS);
            for (size_t run = 0; run < count; ++run)
                assert_string_not_equal(kept[run].device.uuid_hash, model->gpus[odd].uuid_hash);
            free(kept);
            accp_fleet_fini(&fleet);
            fixture_sessions_free(runs, 4 * SESSIONS);
        }
}

/* Less than anybody would act on. */
static void test_a_small_difference_is_no_reason(void **state)
{
    (void)state;
    struct accp_run *runs = sessions_of(4);
    fixture_scale(runs, SESSIONS, "optimal.chain29.acc2", 8, 1.003);
    struct accp_fleet fleet = fleet_of(runs, 4);
    assert_int_equal(fleet.models[0].kept, 4);
    accp_fleet_fini(&fleet);
    fixture_sessions_free(runs, 4 * SESSIONS);
}

static void test_two_that_differ_cannot_say_who_is_right(void **state)
{
    (void)state;
    struct accp_run *runs = sessions_of(4);
    fixture_scale(runs, SESSIONS, "optimal.chain29.acc2", 8, 1.05);
    struct accp_fleet fleet = fleet_of(runs, 2);
    assert_non_null(
        strstr(fleet.models[0].refusal, "do not agree on optimal.chain29.acc2 at 8 warps"));
    accp_fleet_fini(&fleet);
    fixture_scale(runs + SESSIONS, SESSIONS, "optimal.chain29.acc2", 8, 1.1);
    fixture_scale(runs + 2 * SESSIONS, SESSIONS, "optimal.chain29.acc2", 8, 1.15);
    fleet = fleet_of(runs, 4);
    assert_non_null(strstr(fleet.models[0].refusal, "do not agree"));
    accp_fleet_fini(&fleet);
    fixture_sessions_free(runs, 4 * SESSIONS);
}

static void test_surroundings_and_terms_keep_out(void **state)
{
    (void)state;
    struct accp_run *runs = sessions_of(5);
    strcpy(runs[SESSIONS + 2].device.throttle, "hw_thermal_slowdown");
    for (size_t i = 0; i < SESSIONS; ++i)
        strcpy(runs[3 * SESSIONS + i].device.driver, "570.1");
    struct accp_fleet fleet = fleet_of(runs, 5);
    const struct accp_fleet_model *model = &fleet.models[0];
    assert_int_equal(model->kept, 3);
    assert_true(model->gpus[1].kept_out && model->gpus[3].kept_out);
    assert_non_null(strstr(model->gpus[1].reason, "hw_thermal_slowdown"));
    assert_non_null(strstr(model->gpus[3].reason, "570.1"));
    assert_string_equal(model->refusal, "");
    accp_fleet_fini(&fleet);
    fixture_sessions_free(runs, 5 * SESSIONS);
}

/* The term is named, with both values, also where it is that of one of a GPU's runs alone. */
static void test_the_term_that_differs_is_named(void **state)
{
    (void)state;
    struct accp_run *runs = sessions_of(4);
    strcpy(runs[SESSIONS + 2].compiler.flags, "-arch sm_90 -m 64");
    runs[2 * SESSIONS + 1].protocol.launches = 7;
    struct accp_fleet fleet = fleet_of(runs, 4);
    const struct accp_fleet_gpu *gpus = fleet.models[0].gpus;
    assert_int_equal(fleet.models[0].kept, 2);
    assert_non_null(strstr(
        gpus[1].reason, "another set of compiler flags than most: -arch sm_90 -m 64; most have "));
    assert_non_null(strstr(gpus[2].reason, "another protocol than most: "));
    assert_non_null(strstr(gpus[2].reason, ", 7 launches of "));
    accp_fleet_fini(&fleet);
    fixture_sessions_free(runs, 4 * SESSIONS);
}

static void test_models_are_told_apart(void **state)
{
    (void)state;
    struct accp_run *runs = sessions_of(4);
    for (size_t i = 0; i < SESSIONS; ++i) {
        runs[2 * SESSIONS + i].device.sm_count = 78;
        fixture_scale(&runs[2 * SESSIONS + i], 1, "optimal.chain29.acc2", 8, 1.2);
    }
    struct accp_fleet fleet = fleet_of(runs, 4);
    assert_int_equal(fleet.model_count, 2);
    assert_int_equal(fleet.models[0].kept, 3);
    assert_int_equal(fleet.models[1].kept, 1);
    assert_string_equal(fleet.models[1].gpus[0].uuid_hash, "gpu2");
    assert_true(strncmp(fleet.models[1].name, "sm_90-78sm-", 11) == 0);
    accp_fleet_fini(&fleet);
    fixture_sessions_free(runs, 4 * SESSIONS);
}

static void test_a_run_that_names_no_gpu_is_refused(void **state)
{
    (void)state;
    struct accp_fleet fleet;
    struct accp_error error;
    struct accp_run *runs = sessions_of(2);
    runs[3].device.uuid_hash[0] = 0;
    assert_int_equal(accp_fleet_init(runs, 8, &fleet, &error), ACCP_STATUS_REFUSED);
    assert_non_null(strstr(error.text, "run 4"));
    assert_null(fleet.models);
    strcpy(runs[3].device.uuid_hash, "gpu0");
    runs[5].source = ACCP_SOURCE_PREDICTED;
    assert_int_equal(accp_fleet_init(runs, 8, &fleet, &error), ACCP_STATUS_REFUSED);
    assert_non_null(strstr(error.text, "predicted"));
    fixture_sessions_free(runs, 2 * SESSIONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_gpus_are_all_kept),
        cmocka_unit_test(test_a_gpu_that_stands_apart_is_kept_out),
        cmocka_unit_test(test_a_small_difference_is_no_reason),
        cmocka_unit_test(test_two_that_differ_cannot_say_who_is_right),
        cmocka_unit_test(test_surroundings_and_terms_keep_out),
        cmocka_unit_test(test_the_term_that_differs_is_named),
        cmocka_unit_test(test_models_are_told_apart),
        cmocka_unit_test(test_a_run_that_names_no_gpu_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
