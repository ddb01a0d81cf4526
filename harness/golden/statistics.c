#include "golden/statistics.h"

#include <math.h>

double accp_statistics_normal_quantile(double p)
{
    if (!(p > 0 && p < 1)) return NAN;
    if (p > 0.5) return -accp_statistics_normal_quantile(1 - p);
    /* Start left of the root, where the CDF is convex: Newton's steps then never leave that side.
     */
    double z = -sqrt(-2 * log(p)), root_two_pi = sqrt(2 * acos(-1.0));
    for (int i = 0; i < 64; ++i) {
        double step = (0.5 * erfc(-z / sqrt(2.0)) - p) * root_two_pi * exp(z * z / 2);
        z = fmin(z - step, 0);
        if (fabs(step) < 1e-14 * (1 + fabs(z))) break;
    }
    return z;
}

/* The continued fraction of the incomplete beta function, by Lentz's method; converges fast for
 * x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < 10000; ++m) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double terms[] = {even, odd}, change = 1;
        for (int i = 0; i < 2; ++i) {
            d = 1 + terms[i] * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + terms[i] / c;
            if (fabs(c) < tiny) c = tiny;
            change = c * d;
            value *= change;
        }
        if (fabs(change - 1) < 1e-15) break;
    }
    return value;
}

/* lgamma writes a global; its _r form does not. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double accp_statistics_student_cdf(double t, double degrees)
{
    if (!(degrees > 0) || isnan(t)) return NAN;
    double tail = 0.5 * incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
    return t > 0 ? 1 - tail : tail;
}

double accp_statistics_student_quantile(double p, double degrees)
{
    if (!(p > 0 && p < 1) || !(degrees > 0)) return NAN;
    if (p == 0.5) return 0;
    /* By the lower tail, which keeps its digits where the upper one is near 1. */
    double tail = p < 0.5 ? p : 1 - p, low = -1, high = 0;
    while (accp_statistics_student_cdf(low, degrees) > tail && low > -1e300)
        low *= 2;
    for (int i = 0; i < 200 && high - low > 1e-13 * -low; ++i) {
        double middle = (low + high) / 2;
        if (accp_statistics_student_cdf(middle, degrees) < tail)
            low = middle;
        else
            high = middle;
    }
    double t = (low + high) / 2;
    return p < 0.5 ? t : -t;
}

struct accp_spread accp_statistics_spread(const double *values, size_t count)
{
    struct accp_spread spread = {.count = count, .mean = NAN};
    if (count == 0) return spread;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; ++i)
        sum += values[i];
    spread.mean = sum / (double)count;
    for (size_t i = 0; i < count; ++i)
        squares += (values[i] - spread.mean) * (values[i] - spread.mean);
    if (count > 1) spread.sd = sqrt(squares / (double)(count - 1));
    return spread;
}

double accp_statistics_quantum(double value)
{
    return value == 0 ? 0 : pow(10, floor(log10(fabs(value))) - 5);
}

double accp_statistics_floor(double sd, double quantum)
{
    return sqrt(sd * sd + quantum * quantum / 12);
}

struct accp_confidence accp_confidence_of(double family_rate, size_t lines)
{
    return (struct accp_confidence){.line_rate = family_rate / (double)lines};
}

static void take_degrees(struct accp_confidence *confidence, double degrees)
{
    if (confidence->degrees == degrees) return;
    confidence->degrees = degrees;
    confidence->quantile = accp_statistics_student_quantile(1 - confidence->line_rate / 2, degrees);
    confidence->power_quantile = accp_statistics_student_quantile(0.9, degrees);
}

/* One session is a value that was computed, not drawn: its deviation is rounding alone, which is
 * known. */
static double golden_degrees(size_t sessions)
{
    return sessions > 1 ? (double)(sessions - 1) : 1e6;
}

double accp_level_half_width(double sd, size_t sessions, struct accp_confidence *confidence)
{
    take_degrees(confidence, golden_degrees(sessions));
    return confidence->quantile * sd * sqrt(1 + 1 / (double)sessions);
}

struct accp_level_judgement accp_level_judge(const struct accp_level *level,
                                             struct accp_confidence *confidence)
{
    double of_golden = golden_degrees(level->sessions);
    double of_run = (double)(level->processes - 1), degrees = of_golden + of_run;
    double variance =
        (of_golden * level->sd * level->sd + of_run * level->run_sd * level->run_sd) / degrees;
    double error = sqrt(variance * (1 / (double)level->processes + 1 / (double)level->sessions));
    take_degrees(confidence, degrees);
    struct accp_level_judgement judgement = {
        .change = level->run_mean - level->mean,
        .half_width = confidence->quantile * error,
        .least_visible = (confidence->quantile + confidence->power_quantile) * error,
    };
    double low = judgement.change - judgement.half_width;
    double high = judgement.change + judgement.half_width;
    if (low > level->tolerance)
        judgement.result = ACCP_LEVEL_SLOWER;
    else if (high < -level->tolerance)
        judgement.result = ACCP_LEVEL_FASTER;
    else if (!(low >= -level->tolerance && high <= level->tolerance))
        judgement.result = ACCP_LEVEL_UNDECIDED;
    else if (judgement.least_visible > level->tolerance)
        judgement.result = ACCP_LEVEL_BLIND;
    else
        judgement.result = ACCP_LEVEL_INSIDE;
    return judgement;
}
