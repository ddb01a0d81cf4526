#include "calibration_compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct difference {
    int both, one, equal, close, near;
    double sum, worst;
    const struct calibration_loop *worst_loop;
};

static bool same(const struct calibration_loop *left, const struct calibration_loop *right)
{
    return !strcmp(left->group, right->group) && left->number == right->number &&
           left->position == right->position && left->count == right->count &&
           !memcmp(left->code, right->code, left->count * sizeof *left->code);
}

static void count(struct difference *difference, const struct calibration_loop *loop, double left,
                  double right)
{
    const double apart = fabs(right - left), relative = left > 0 ? apart / left : 0;
    if (left <= 0 || right <= 0) {
        difference->one += left > 0 || right > 0;
        return;
    }
    ++difference->both;
    difference->equal += apart < 0.1;
    difference->close += relative <= 0.005;
    difference->near += relative <= 0.02;
    difference->sum += relative;
    if (relative <= difference->worst) return;
    difference->worst = relative;
    difference->worst_loop = loop;
}

enum accp_status calibration_compare(const struct calibration *left,
                                     const struct calibration *right, struct accp_error *error)
{
    for (size_t k = 0; k < left->count || k < right->count; ++k)
        if (k >= left->count || k >= right->count || !same(&left->loops[k], &right->loops[k]))
            return accp_fail(
                error, ACCP_STATUS_INPUT, NULL, (int64_t)k,
                "the recordings hold %zu and %zu loops, and number %zu is not the same",
                left->count, right->count, k + 1);
    puts("| warps | loops in both | in one only | equal | within 0.5 % | within 2 % | mean % | "
         "worst % | "
         "worst loop |\n|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < CALIBRATION_LOADS; ++i) {
        struct difference sum = {0};
        for (size_t k = 0; k < left->count; ++k)
            count(&sum, &left->loops[k], left->loops[k].cycles[i], right->loops[k].cycles[i]);
        printf("| %d | %d | %d | %d | %d | %d | %.3f | %.2f | %s %d |\n", calibration_warps[i],
               sum.both, sum.one, sum.equal, sum.close, sum.near,
               sum.both ? 100 * sum.sum / sum.both : 0, 100 * sum.worst,
               sum.worst_loop ? sum.worst_loop->group : "-",
               sum.worst_loop ? sum.worst_loop->number : 0);
    }
    return ACCP_STATUS_OK;
}
