/* From sessions to the rows of a golden. Used by record.c alone; apart from it so that it can be
 * tested on numbers. */
#ifndef ACCP_GOLDEN_DERIVE_H
#define ACCP_GOLDEN_DERIVE_H

#include "golden/golden.h"
#include "golden/statistics.h"

/* `value` > 0 with `digits` significant digits, rounded up. */
double accp_derive_round_up(double value, int digits);

/* Level of a point with one session or more: record.h says how. Only as many digits as the standard
 * error warrants: the mean's last one is worth half of it or less. */
void accp_derive_level(const struct accp_point *point, const struct accp_summary *summary,
                       struct accp_confidence *confidence, struct accp_golden_level *level);

/* Order and peak of a series. False if a (role, warps) of the series was not timed in two sessions
 * (one, if predicted). */
bool accp_derive_order(const struct accp_summary *summary, const struct accp_point *first,
                       struct accp_confidence *confidence, struct accp_golden_order *order);

/* Growth of the gap in a family. *complete: every role of the family was timed; the result: the gap
 * grows with every chain, beyond its noise. */
bool accp_derive_growth(const struct accp_summary *summary, const char *family, int warps,
                        struct accp_confidence *confidence, struct accp_golden_growth *growth,
                        bool *complete);

/* Whether a new row says the same as the old one within the noise of both. */
bool accp_derive_level_agrees(const struct accp_golden_level *old,
                              const struct accp_golden_level *new,
                              struct accp_confidence *confidence);
bool accp_derive_order_agrees(const struct accp_golden_order *old,
                              const struct accp_golden_order *new);
bool accp_derive_growth_agrees(const struct accp_golden_growth *old,
                               const struct accp_golden_growth *new);

#endif
