/* The verdict on a role's SASS: the laws, and the golden shape of its arch and compiler. */
#ifndef ACCP_VERDICT_SHAPES_H
#define ACCP_VERDICT_SHAPES_H

#include "golden/shapes.h"
#include "sass/diff.h"
#include "verdict/verdict.h"

enum { ACCP_SHAPE_TEXT_BYTES = 2 * ACCP_DIFF_TEXT_BYTES + 1024 };

struct accp_shape_verdict {
    enum accp_verdict verdict;  /* PASS, NO_GOLDEN, DRIFT or FAIL */
    char golden[64];            /* that it was held against: "sm_90/13.0.88"; "" : none */
    enum accp_diff_class class; /* against that golden */
    /* What broke, changed or is worth knowing, with the first instruction that differs; "" when
     * there is nothing to say. */
    char text[ACCP_SHAPE_TEXT_BYTES];
};

/* Judges one shape. FAIL: a law is broken, also where the golden has it so, and that is said; or
 * structure that the golden has is lost. DRIFT: the hot
 * loop differs in instructions or control bits from that of every golden that answers, or other
 * numbers of blocks fit on an SM. PASS: the hot loop is the recorded one; what differs outside it,
 * or in register names alone, is said. NO_GOLDEN: no golden answers or none has the kernel, and the
 * laws hold. A stranger's kernel is asked no law. `now` holds the listing of the shape, `recorded`
 * those of the goldens; where one is missing, the first instruction stays unnamed. */
void accp_shape_judge(const struct accp_shape *shape, const struct accp_shape_goldens *goldens,
                      const struct accp_listings *now, const struct accp_listings *recorded,
                      struct accp_shape_verdict *verdict);

/* "law chain: 28 FFMAs between two clock reads (0x3f0), asked: 29" of the first law that is broken,
 * and the names of the others; false, and "", when none is. */
bool accp_shape_broken_text(const struct accp_shape *shape, char *text, size_t text_bytes);

#endif
