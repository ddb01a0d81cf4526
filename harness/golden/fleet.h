/* Sessions of many GPUs: which GPUs are one model, and which of a model stands apart. A golden is of
 * a model, not of a board: a slow or misconfigured host must not become what the others are judged
 * by. */
#ifndef ACCP_GOLDEN_FLEET_H
#define ACCP_GOLDEN_FLEET_H

#include "golden/golden.h"
#include "golden/summary.h"

enum { ACCP_FLEET_TEXT_BYTES = 256 };

/* A GPU stands apart when its mean of a role leaves the median of its model's GPUs by more than
 * ACCP_LEVEL_TOLERANCE_LEAST, relative, and its modified z score, 0.6745 (x - median) / MAD, exceeds
 * this: Iglewicz and Hoaglin, "How to Detect and Handle Outliers", 1993. */
#define ACCP_FLEET_SCORE_LIMIT 3.5

/* One GPU: the runs of one UUID hash. */
struct accp_fleet_gpu {
    char uuid_hash[24];
    size_t first;                       /* index of its first run in the caller's array */
    size_t count;                       /* runs */
    bool kept_out;                      /* of the golden */
    char reason[ACCP_FLEET_TEXT_BYTES]; /* why, with the figure; "" when kept */
};

/* One GPU model: what shares a golden's key. */
struct accp_fleet_model {
    struct accp_sku sku;
    char name[ACCP_TEXT_BYTES];          /* "sm_90-132sm-140gib-10de.2335" */
    char refusal[ACCP_FLEET_TEXT_BYTES]; /* why its runs can make no golden; "" when they can */
    size_t gpu_count, kept;              /* GPUs, and those that are not kept out */
    struct accp_fleet_gpu *gpus;         /* owned, in the order of their first runs */
};

struct accp_fleet {
    const struct accp_run *runs; /* the caller's */
    size_t run_count;
    const struct accp_fleet_gpu **owners; /* owned; [run]: the GPU that it is of */
    size_t model_count;
    struct accp_fleet_model *models; /* owned, in the order of their first runs */
};

/* Sorts `count` >= 1 measured runs into models and GPUs, and keeps out, each with its reason:
 *   - GPUs with a run whose surroundings were at fault (throttled, busy, split, drifting);
 *   - GPUs with another driver, compiler, set of compiler flags or protocol than most GPUs of their model;
 *   - GPUs that stand apart in any role.
 * A model is refused when its GPUs do not agree: when not more than half are kept, or when the
 * median deviation of a role exceeds ACCP_LEVEL_TOLERANCE_LEAST. Two that differ cannot say which is
 * right. One GPU alone agrees with itself. Pair with accp_fleet_fini. Errors: REFUSED (a run that was
 * not measured, or that does not say which GPU it was), MEMORY; *fleet is cleared then. */
enum accp_status accp_fleet_init(const struct accp_run *runs, size_t count,
                                 struct accp_fleet *fleet, struct accp_error *error);
void accp_fleet_fini(struct accp_fleet *fleet);

/* The runs of a model's kept GPUs, as borrowed copies in a malloc'd array that the caller frees (NULL:
 * no memory), their number in *count. */
struct accp_run *accp_fleet_kept_runs(const struct accp_fleet *fleet,
                                      const struct accp_fleet_model *model, size_t *count);

#endif
