#include "golden/statistics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static void assert_near(double value, double wanted, double error)
{
    if (!(fabs(value - wanted) <= error))
        fail_msg("%.12g is not %.12g +- %g", value, wanted, error);
}

/* NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.1 and 1.3.6.7.2; the last of the normal
 * ones from Odeh and Evans, Applied Statistics 23, 1974. */
static const struct {
    double p, degrees, t; /* degrees 0: the normal */
} published[] = {
    {0.975, 0, 1.959964},  {0.999, 0, 3.090232}, {0.9999, 0, 3.719016}, {0.5, 0, 0},
    {1e-10, 0, -6.361341}, {0.975, 1, 12.706},   {0.9, 1, 3.078},       {0.95, 2, 2.920},
    {0.999, 5, 5.893},     {0.975, 10, 2.228},   {0.995, 29, 2.756},    {0.999, 30, 3.385},
    {0.025, 10, -2.228},   {0.999, 100, 3.174},  {0.9, 60, 1.296},      {0.975, 1e6, 1.95997},
};

static void test_quantiles_are_the_published_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; ++i) {
        double p = published[i].p, degrees = published[i].degrees;
        double found = degrees > 0 ? accp_statistics_student_quantile(p, degrees)
                                   : accp_statistics_normal_quantile(p);
        assert_near(found, published[i].t, degrees > 0 && degrees < 1e5 ? 5.1e-4 : 1e-5);
        if (degrees > 0) assert_near(accp_statistics_student_cdf(found, degrees), p, 1e-9);
    }
    assert_true(isnan(accp_statistics_normal_quantile(0)));
    assert_true(isnan(accp_statistics_student_quantile(1, 3)));
    assert_true(isnan(accp_statistics_student_cdf(1, 0)));
}

/* One degree of freedom is the Cauchy distribution, two has a closed form: checks at other places
 * than tables. */
static void test_cdf_has_its_closed_forms(void **state)
{
    (void)state;
    for (double t = -50; t <= 50; t += 0.37) {
        assert_near(accp_statistics_student_cdf(t, 1), 0.5 + atan(t) / acos(-1.0), 1e-12);
        assert_near(accp_statistics_student_cdf(t, 2), 0.5 + t / (2 * sqrt(2 + t * t)), 1e-12);
    }
}

static void test_spread_and_floor(void **state)
{
    (void)state;
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct accp_spread spread = accp_statistics_spread(values, 8);
    assert_near(spread.mean, 5, 0);
    assert_near(spread.sd, sqrt(32.0 / 7), 1e-14);
    assert_near(accp_statistics_spread(values, 1).sd, 0, 0);
    assert_true(isnan(accp_statistics_spread(values, 0).mean));
    assert_near(accp_statistics_quantum(129.123), 0.001, 1e-12);
    assert_near(accp_statistics_quantum(59), 0.0001, 1e-12);
    assert_near(accp_statistics_floor(0, 0.0001), 0.0001 / sqrt(12), 1e-15);
    assert_near(accp_statistics_floor(3, 0), 3, 0);
}

static const struct {
    double run_mean, run_sd;
    size_t processes;
    double sd, tolerance;
    enum accp_level_result result;
} levels[] = {
    {100.0, 0, 1, 0.05, 0.5, ACCP_LEVEL_INSIDE},
    {100.2, 0, 1, 0.05, 0.5, ACCP_LEVEL_INSIDE},
    {99.8, 0, 1, 0.05, 0.5, ACCP_LEVEL_INSIDE},
    {100.5, 0, 1, 0.05, 0.5, ACCP_LEVEL_UNDECIDED},
    {99.5, 0, 1, 0.05, 0.5, ACCP_LEVEL_UNDECIDED},
    {101.0, 0, 1, 0.05, 0.5, ACCP_LEVEL_SLOWER},
    {99.0, 0, 1, 0.05, 0.5, ACCP_LEVEL_FASTER},
    /* Three sessions' worth of noise in the tolerance: no pass by want of proof, but a huge change
       is proved. */
    {100.0, 0, 1, 0.105, 0.5, ACCP_LEVEL_BLIND},
    {100.0, 0, 1, 0.20, 0.5, ACCP_LEVEL_UNDECIDED},
    {110.0, 0, 1, 0.20, 0.5, ACCP_LEVEL_SLOWER},
    /* Four processes see more than one; but not if they disagree among themselves. */
    {100.0, 0.105, 4, 0.105, 0.5, ACCP_LEVEL_INSIDE},
    {100.0, 2.0, 4, 0.105, 0.5, ACCP_LEVEL_UNDECIDED},
    /* Whole cycles: the noise is what the digits of a file hide. */
    {100.0, 0, 1, 2.9e-5, 0.25, ACCP_LEVEL_INSIDE},
    {101.0, 0, 1, 2.9e-5, 0.25, ACCP_LEVEL_SLOWER},
    {99.0, 0, 1, 2.9e-5, 0.25, ACCP_LEVEL_FASTER},
    {100.3, 0, 1, 2.9e-5, 0.25, ACCP_LEVEL_SLOWER},
};

static void test_levels_are_judged(void **state)
{
    (void)state;
    struct accp_confidence confidence = accp_confidence_of(0.01, 48);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i) {
        const struct accp_level level = {
            .mean = 100,
            .sd = levels[i].sd,
            .sessions = 30,
            .tolerance = levels[i].tolerance,
            .run_mean = levels[i].run_mean,
            .run_sd = levels[i].run_sd,
            .processes = levels[i].processes,
        };
        struct accp_level_judgement judged = accp_level_judge(&level, &confidence);
        if (judged.result != levels[i].result)
            fail_msg("level %zu: result %d, wanted %d (half width %g, least visible %g)", i,
                     (int)judged.result, (int)levels[i].result, judged.half_width,
                     judged.least_visible);
    }
}

/* One session is a computed value: its interval is that of the normal, not that of no degrees of
 * freedom. */
static void test_one_session_has_a_known_deviation(void **state)
{
    (void)state;
    struct accp_confidence confidence = accp_confidence_of(0.01, 1);
    double z = accp_statistics_normal_quantile(0.995);
    assert_near(accp_level_half_width(1, 1, &confidence), z * sqrt(2), 1e-4);
    const struct accp_level level = {.mean = 100,
                                     .sd = 0.001,
                                     .sessions = 1,
                                     .tolerance = 0.25,
                                     .run_mean = 100.2,
                                     .processes = 1};
    const struct accp_level_judgement judged = accp_level_judge(&level, &confidence);
    assert_near(judged.half_width, 0.001 * z * sqrt(2), 1e-7);
    assert_int_equal(judged.result, ACCP_LEVEL_INSIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles_are_the_published_ones),
        cmocka_unit_test(test_cdf_has_its_closed_forms),
        cmocka_unit_test(test_spread_and_floor),
        cmocka_unit_test(test_levels_are_judged),
        cmocka_unit_test(test_one_session_has_a_known_deviation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
