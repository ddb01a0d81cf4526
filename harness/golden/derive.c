#include "golden/derive.h"

#include "golden/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Means that lie closer to a whole number than this, in every session, are that number: at one warp
 * a scheduler an iteration costs whole cycles. */
static const double exact_cycles = 0.01;

double accp_derive_round_up(double value, int digits)
{
    double scale = pow(10, digits - 1 - floor(log10(value)));
    return ceil(value * scale * (1 - 1e-12)) / scale;
}

static double round_to(double value, double quantum)
{
    return round(value / quantum) * quantum;
}

static bool is_exact(const struct accp_point *point, const struct accp_summary *summary)
{
    const struct accp_arch *arch = accp_arch_find(summary->runs[0].device.arch);
    if (summary->runs[0].source == ACCP_SOURCE_PREDICTED) return true;
    if (!arch || point->warps > arch->schedulers) return false;
    for (size_t i = 0; i < summary->run_count; ++i)
        if (point->values[i] > 0 && fabs(point->values[i] - round(point->mean)) > exact_cycles)
            return false;
    return true;
}

void accp_derive_level(const struct accp_point *point, const struct accp_summary *summary,
                       struct accp_confidence *confidence, struct accp_golden_level *level)
{
    memset(level, 0, sizeof *level);
    memcpy(level->role, point->role, sizeof level->role);
    memcpy(level->kernel, point->kernel, sizeof level->kernel);
    level->warps = point->warps;
    level->sessions = (int)point->processes;
    double quantum = accp_statistics_quantum(point->mean);
    double error = accp_statistics_floor(point->sd, quantum) / sqrt((double)point->processes);
    quantum = fmax(quantum, pow(10, floor(log10(error / 2))));
    level->mean = round_to(point->mean, quantum);
    level->sd = accp_derive_round_up(accp_statistics_floor(point->sd, quantum), 2);
    double noise = 2 * accp_level_half_width(level->sd, point->processes, confidence);
    double least = is_exact(point, summary) ? ACCP_EXACT_TOLERANCE_CYCLES
                                            : ACCP_LEVEL_TOLERANCE_LEAST * level->mean;
    level->tolerance = accp_derive_round_up(fmax(least, noise), 2);
}

/* The paired difference of two points over the sessions that timed both. */
static struct accp_spread difference(const struct accp_summary *summary,
                                     const struct accp_point *left, const struct accp_point *right)
{
    struct accp_spread spread = {0};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < summary->run_count; ++i) {
        if (left->values[i] <= 0 || right->values[i] <= 0) continue;
        sum += right->values[i] - left->values[i];
        ++spread.count;
    }
    if (spread.count == 0) return spread;
    spread.mean = sum / (double)spread.count;
    for (size_t i = 0; i < summary->run_count; ++i) {
        if (left->values[i] <= 0 || right->values[i] <= 0) continue;
        double off = right->values[i] - left->values[i] - spread.mean;
        squares += off * off;
    }
    if (spread.count > 1) spread.sd = sqrt(squares / (double)(spread.count - 1));
    /* Two roundings, of one value each. */
    double quantum = accp_statistics_quantum(right->mean) * sqrt(2);
    spread.sd = accp_statistics_floor(spread.sd, quantum);
    return spread;
}

static int compare_means(const void *left, const void *right)
{
    const struct accp_point *a = *(const struct accp_point *const *)left;
    const struct accp_point *b = *(const struct accp_point *const *)right;
    if (a->mean != b->mean) return a->mean < b->mean ? -1 : 1;
    return a->acc - b->acc;
}

/* Every timed point of the series, fastest first. False if one that the tables have is not there.
 */
static bool gather_series(const struct accp_summary *summary, const struct accp_point *first,
                          const struct accp_point *points[ACCP_GOLDEN_ACCS], size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        char series[ACCP_NAME_BYTES];
        accp_series_name(accp_roles[i].name, series);
        if (strcmp(series, first->series) != 0) continue;
        const struct accp_point *point =
            accp_summary_find(summary, accp_roles[i].name, first->warps);
        if (!point || point->processes == 0 || *count == ACCP_GOLDEN_ACCS) return false;
        points[(*count)++] = point;
    }
    qsort(points, *count, sizeof *points, compare_means);
    return *count > 1;
}

static bool is_peak(const struct accp_golden_order *order, int acc)
{
    return acc == order->accs[0] || accp_golden_tied(order, order->accs[0], acc);
}

bool accp_derive_order(const struct accp_summary *summary, const struct accp_point *first,
                       struct accp_confidence *confidence, struct accp_golden_order *order)
{
    const struct accp_point *points[ACCP_GOLDEN_ACCS];
    memset(order, 0, sizeof *order);
    memcpy(order->series, first->series, sizeof order->series);
    order->warps = first->warps;
    if (!gather_series(summary, first, points, &order->acc_count)) return false;
    double margin = ACCP_ORDER_EFFECT_LEAST;
    for (size_t i = 0; i < order->acc_count; ++i) {
        order->accs[i] = points[i]->acc;
        for (size_t j = i + 1; j < order->acc_count; ++j) {
            struct accp_spread between = difference(summary, points[i], points[j]);
            if (between.count == 0) return false;
            double count = (double)between.count;
            double single = accp_level_half_width(between.sd, between.count, confidence);
            double of_mean = single * sqrt(1 / (count + 1));
            if (between.mean <= of_mean ||
                between.mean < ACCP_ORDER_EFFECT_LEAST * points[i]->mean) {
                int *tie = order->ties[order->tie_count++];
                tie[0] = points[i]->acc;
                tie[1] = points[j]->acc;
            } else {
                margin = fmax(margin, single / points[i]->mean);
            }
        }
    }
    for (size_t i = 0; i < order->acc_count; ++i)
        if (is_peak(order, order->accs[i])) order->peaks[order->peak_count++] = order->accs[i];
    order->margin = accp_derive_round_up(margin, 2);
    return true;
}

/* acc1 over the best acc of a series, session by session. */
static struct accp_spread gap_of(const struct accp_summary *summary,
                                 const struct accp_point *const *points, size_t count)
{
    const struct accp_point *one = NULL;
    for (size_t i = 0; i < count; ++i)
        if (points[i]->acc == 1) one = points[i];
    double *gaps = calloc(summary->run_count, sizeof *gaps);
    struct accp_spread spread = {0};
    size_t sessions = 0;
    for (size_t run = 0; one && gaps && run < summary->run_count; ++run) {
        double best = one->values[run];
        for (size_t i = 0; i < count; ++i)
            if (points[i]->values[run] > 0) best = fmin(best, points[i]->values[run]);
        if (best > 0) gaps[sessions++] = one->values[run] / best;
    }
    if (sessions > 0) {
        spread = accp_statistics_spread(gaps, sessions);
        spread.sd = accp_statistics_floor(spread.sd, 2 * accp_statistics_quantum(spread.mean));
    }
    free(gaps);
    return spread;
}

struct chain_gap {
    int chain;
    struct accp_spread gap;
};

static int compare_chains(const void *left, const void *right)
{
    return ((const struct chain_gap *)left)->chain - ((const struct chain_gap *)right)->chain;
}

/* Gaps of every chain of the family, ascending; false if a role of the tables was not timed. */
static bool gather_gaps(const struct accp_summary *summary, const char *family, int warps,
                        struct chain_gap gaps[ACCP_GOLDEN_CHAINS], size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        char name[ACCP_NAME_BYTES];
        const struct accp_point *points[ACCP_GOLDEN_ACCS];
        size_t point_count;
        accp_family_name(accp_roles[i].name, name);
        if (strcmp(name, family) != 0 || accp_roles[i].acc != 1) continue;
        const struct accp_point *first = accp_summary_find(summary, accp_roles[i].name, warps);
        if (!first || *count == ACCP_GOLDEN_CHAINS ||
            !gather_series(summary, first, points, &point_count))
            return false;
        gaps[*count].chain = accp_roles[i].chain;
        gaps[*count].gap = gap_of(summary, points, point_count);
        if (gaps[(*count)++].gap.count == 0) return false;
    }
    qsort(gaps, *count, sizeof *gaps, compare_chains);
    return *count > 1;
}

bool accp_derive_growth(const struct accp_summary *summary, const char *family, int warps,
                        struct accp_confidence *confidence, struct accp_golden_growth *growth,
                        bool *complete)
{
    struct chain_gap gaps[ACCP_GOLDEN_CHAINS];
    memset(growth, 0, sizeof *growth);
    snprintf(growth->family, sizeof growth->family, "%s", family);
    growth->warps = warps;
    *complete = gather_gaps(summary, family, warps, gaps, &growth->chain_count);
    if (!*complete) return false;
    double margin = ACCP_ORDER_EFFECT_LEAST;
    for (size_t i = 0; i < growth->chain_count; ++i) {
        growth->chains[i] = gaps[i].chain;
        if (i == 0) continue;
        /* The chains may come from different processes: independent, and as many as the fewer. */
        const struct accp_spread *shorter = &gaps[i - 1].gap, *longer = &gaps[i].gap;
        size_t count = shorter->count < longer->count ? shorter->count : longer->count;
        double sd = hypot(shorter->sd, longer->sd);
        double single = accp_level_half_width(sd, count, confidence);
        double of_mean = single * sqrt(1 / ((double)count + 1));
        if (longer->mean - shorter->mean <= of_mean) return false;
        margin = fmax(margin, single / shorter->mean);
    }
    growth->margin = accp_derive_round_up(margin, 2);
    return true;
}

/* Estimates of one standard deviation from ten sessions each differ by a factor of two in one of 30
 * cases. */
static bool same_size(double left, double right)
{
    return left <= 2 * right && right <= 2 * left;
}

bool accp_derive_level_agrees(const struct accp_golden_level *old,
                              const struct accp_golden_level *new,
                              struct accp_confidence *confidence)
{
    size_t fewer = (size_t)(old->sessions < new->sessions ? old->sessions : new->sessions);
    /* The half width for one process, brought to the difference of two means. */
    double single = accp_level_half_width(fmax(old->sd, new->sd), fewer, confidence);
    double errors = 1 / (double)old->sessions + 1 / (double)new->sessions;
    double width = single * sqrt(errors / (1 + 1 / (double)fewer));
    return strcmp(old->kernel, new->kernel) == 0 && fabs(old->mean - new->mean) <= width &&
           same_size(old->sd, new->sd) && same_size(old->tolerance, new->tolerance);
}

static size_t place_of(const struct accp_golden_order *order, int acc)
{
    size_t place = 0;
    while (place < order->acc_count && order->accs[place] != acc)
        ++place;
    return place;
}

bool accp_derive_order_agrees(const struct accp_golden_order *old,
                              const struct accp_golden_order *new)
{
    if (old->acc_count != new->acc_count || old->tie_count != new->tie_count ||
        !same_size(old->margin, new->margin))
        return false;
    for (size_t i = 0; i < old->acc_count; ++i) {
        size_t left = place_of(new, old->accs[i]);
        if (left == new->acc_count) return false;
        for (size_t j = i + 1; j < old->acc_count; ++j) {
            bool tied = accp_golden_tied(old, old->accs[i], old->accs[j]);
            if (tied != accp_golden_tied(new, old->accs[i], old->accs[j])) return false;
            if (!tied && place_of(new, old->accs[j]) < left) return false;
        }
    }
    /* The peak follows from the ties unless the fastest of several tied accs changed. */
    if (old->peak_count != new->peak_count) return false;
    for (size_t i = 0; i < old->peak_count; ++i) {
        bool found = false;
        for (size_t j = 0; j < new->peak_count; ++j)
            found |= new->peaks[j] == old->peaks[i];
        if (!found) return false;
    }
    return true;
}

bool accp_derive_growth_agrees(const struct accp_golden_growth *old,
                               const struct accp_golden_growth *new)
{
    return old->chain_count ==
               new->chain_count &&memcmp(old->chains, new->chains,
                                         old->chain_count * sizeof *old->chains) == 0 &&
           same_size(old->margin, new->margin);
}
