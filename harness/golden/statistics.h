/* Quantiles of the normal and of Student's t distribution, and the equivalence test that every
 * level is judged by. Pure functions: no allocation, no errors; an argument out of range gives NaN.
 */
#ifndef ACCP_GOLDEN_STATISTICS_H
#define ACCP_GOLDEN_STATISTICS_H

#include <stddef.h>

/* The p quantile of the standard normal, 0 < p < 1: Newton steps on erfc, to about 1e-12. */
double accp_statistics_normal_quantile(double p);

/* P(T <= t) for Student's t with `degrees` > 0 degrees of freedom: the regularised incomplete beta
 * function by its continued fraction (NIST DLMF 8.17.22 and 8.17.5), to about 1e-13. */
double accp_statistics_student_cdf(double t, double degrees);

/* Its inverse, 0 < p < 1, by bisection. About 10 microseconds: take it once, not once a role. */
double accp_statistics_student_quantile(double p, double degrees);

/* Mean and sample standard deviation (n - 1) of `count` values; sd is 0 for one value, mean NaN for
 * none. */
struct accp_spread {
    size_t count;
    double mean, sd;
};
struct accp_spread accp_statistics_spread(const double *values, size_t count);

/* The step between neighbouring numbers of 6 significant digits near `value`, which is what run
 * files hold. */
double accp_statistics_quantum(double value);

/* sd, but not less than rounding to `quantum` makes it: sqrt(sd^2 + quantum^2 / 12). N equal
 * sessions do not prove that there is no noise, only that there is less than the file can show. */
double accp_statistics_floor(double sd, double quantum);

/* How a level is judged.
 *
 * A golden holds N sessions (processes) of a role: mean and standard deviation s between them. A
 * run of m processes with mean x is judged by d = x - mean, whose standard error is
 *     e = s * sqrt(1/m + 1/N)
 * where s is pooled with the spread of the run itself if m > 1. d / e is Student's t with N - 1
 * degrees (N + m - 2 if pooled; a golden of one session is a computed value whose deviation,
 * rounding, is known: 10^6). With the half width h = t(1 - a/2) * e, the interval d +- h is
 *     inside +-tolerance: PASS
 *     above it: FAIL
 *     below it: WIN
 *     else: INCONCLUSIVE
 * (two one-sided tests: Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987).
 *
 * False alarms: with no change, a tolerance of 2h or more makes "not PASS" an event of probability
 * a or less; with a change of up to the tolerance, FAIL or WIN is one of a/2 or less. Each of K
 * lines takes a = family rate / K (Bonferroni), so that any false alarm in a whole gate has at
 * most the family rate, however the lines depend on each other.
 *
 * Detection: a change of tolerance + 2h is FAIL or WIN with a probability above 1 - a/2.
 *
 * The least visible effect, (t(1 - a/2) + t(0.9)) * e, is the change that would be told from none
 * in 9 of 10 runs. Where it exceeds the tolerance, a pass would be for want of proof, and is
 * INCONCLUSIVE. FAIL and WIN stand: they are proved whatever the resolution. */
enum accp_level_result {
    ACCP_LEVEL_INSIDE,
    ACCP_LEVEL_SLOWER,
    ACCP_LEVEL_FASTER,
    ACCP_LEVEL_UNDECIDED,
    ACCP_LEVEL_BLIND /* inside, but the least visible effect exceeds the tolerance */
};

/* All in cycles per iteration. */
struct accp_level {
    double mean, sd; /* of the golden's sessions */
    size_t sessions; /* N >= 1 */
    double tolerance;
    double run_mean, run_sd; /* of the run's processes */
    size_t processes;        /* m >= 1 */
};

struct accp_level_judgement {
    enum accp_level_result result;
    double change;        /* x - mean, cycles */
    double half_width;    /* h, cycles */
    double least_visible; /* cycles */
};

/* Quantiles of one line's error rate, kept between calls that share the degrees of freedom. */
struct accp_confidence {
    double line_rate; /* a */
    double degrees;   /* those of the quantiles below; 0: none yet */
    double quantile, power_quantile;
};

/* A confidence for a family of `lines` >= 1 lines of which any may err at `family_rate` in (0, 1).
 */
struct accp_confidence accp_confidence_of(double family_rate, size_t lines);

struct accp_level_judgement accp_level_judge(const struct accp_level *level,
                                             struct accp_confidence *confidence);

/* h of one process against `sessions` sessions of standard deviation `sd`. */
double accp_level_half_width(double sd, size_t sessions, struct accp_confidence *confidence);

#endif
