#include "verdict/shapes.h"

#include <stdio.h>
#include <string.h>

bool accp_shape_broken_text(const struct accp_shape *shape, char *text, size_t text_bytes)
{
    enum accp_shape_law broken = accp_shape_first_broken(shape);
    text[0] = 0;
    if (broken == ACCP_SHAPE_LAW_COUNT) return false;
    snprintf(text, text_bytes, "law %s: %s", accp_shape_law_name(broken), shape->laws[broken].text);
    for (int law = (int)broken + 1; law < ACCP_SHAPE_LAW_COUNT; ++law) {
        size_t used = strlen(text);
        if (shape->laws[law].state == ACCP_SHAPE_LAW_BROKEN)
            snprintf(text + used, text_bytes - used, "; law %s too",
                     accp_shape_law_name((enum accp_shape_law)law));
    }
    return true;
}

static void add(struct accp_shape_verdict *verdict, const char *words)
{
    size_t used = strlen(verdict->text);
    if (words[0])
        snprintf(verdict->text + used, sizeof verdict->text - used, "%s%s", used ? "; " : "",
                 words);
}

/* The golden that is most like the shape, among those that have its kernel. */
static const struct accp_shape_golden *nearest(const struct accp_shape *shape,
                                               const struct accp_shape_goldens *goldens,
                                               const struct accp_shape **kernel,
                                               struct accp_diff *diff)
{
    const struct accp_shape_golden *best = NULL;
    for (size_t i = 0; i < goldens->count; ++i) {
        struct accp_diff found;
        const struct accp_shape *golden =
            accp_shapes_find(&goldens->items[i].shapes, accp_shape_key(shape));
        if (!golden) continue;
        accp_diff_shapes(golden, shape, &found);
        /* An equal loop weighs more than the class, which is of the whole kernel. */
        if (best &&
            (diff->is_outside_only > found.is_outside_only ||
             (diff->is_outside_only == found.is_outside_only && diff->class <= found.class)))
            continue;
        best = &goldens->items[i];
        *kernel = golden;
        *diff = found;
    }
    return best;
}

static void say_first_difference(const struct accp_shape *before, const struct accp_shape *after,
                                 const struct accp_listings *now,
                                 const struct accp_listings *recorded,
                                 struct accp_shape_verdict *verdict)
{
    const struct accp_listing *left = accp_listings_find(recorded, before->loop.control_hash);
    const struct accp_listing *right = accp_listings_find(now, after->loop.control_hash);
    char text[ACCP_LISTING_DIFFERENCE_BYTES] =
        "another hot loop, and no listing on record to say where it begins to differ";
    if (left && right) accp_listing_difference(left, right, text, NULL);
    add(verdict, text);
}

/* What differs although the hot loop is the recorded one. */
static void say_beside(const struct accp_shape *golden, const struct accp_shape *shape,
                       struct accp_shape_verdict *verdict)
{
    if (strcmp(golden->control_hash, shape->control_hash) != 0)
        add(verdict, "differs outside the hot loop only");
    if (strcmp(golden->loop.exact_hash, shape->loop.exact_hash) != 0)
        add(verdict, "hot loop with other register names or at another place in its line");
}

void accp_shape_judge(const struct accp_shape *shape, const struct accp_shape_goldens *goldens,
                      const struct accp_listings *now, const struct accp_listings *recorded,
                      struct accp_shape_verdict *verdict)
{
    const struct accp_shape *golden;
    struct accp_diff diff;
    *verdict = (struct accp_shape_verdict){.verdict = ACCP_VERDICT_NO_GOLDEN};
    const struct accp_shape_golden *best = nearest(shape, goldens, &golden, &diff);
    char broken[ACCP_SHAPE_LAW_TEXT_BYTES + 160];
    if (accp_shape_broken_text(shape, broken, sizeof broken)) verdict->verdict = ACCP_VERDICT_FAIL;
    add(verdict, broken);
    if (!best) return;
    snprintf(verdict->golden, sizeof verdict->golden, "%s", best->name);
    verdict->class = diff.class;
    bool is_same_loop = strcmp(golden->loop.control_hash, shape->loop.control_hash) == 0;
    bool is_drift = !is_same_loop || golden->resident_blocks != shape->resident_blocks;
    if (broken[0] && is_same_loop && strcmp(golden->control_hash, shape->control_hash) == 0)
        add(verdict, "so its golden has it");
    if (!broken[0])
        verdict->verdict = diff.lost[0] ? ACCP_VERDICT_FAIL
                           : is_drift   ? ACCP_VERDICT_DRIFT
                                        : ACCP_VERDICT_PASS;
    add(verdict, diff.lost);
    if (!is_same_loop) say_first_difference(golden, shape, now, recorded, verdict);
    if (is_drift) add(verdict, diff.moved);
    if (!is_drift) say_beside(golden, shape, verdict);
}
