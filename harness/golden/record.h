/* The only writer of golden/: from sessions to a baseline. */
#ifndef ACCP_GOLDEN_RECORD_H
#define ACCP_GOLDEN_RECORD_H

#include "golden/golden.h"

/* Chance that a gate of an unchanged system says anything but PASS, over all its lines. */
#define ACCP_FALSE_ALARM_RATE 0.01
/* The least change of a level that anyone would act on, relative; and for a role that costs the
 * same whole number of cycles in every process (one warp a scheduler), in cycles. */
#define ACCP_LEVEL_TOLERANCE_LEAST  0.005
#define ACCP_EXACT_TOLERANCE_CYCLES 0.25
/* The least difference between two accumulator counts that counts as an order, relative. */
#define ACCP_ORDER_EFFECT_LEAST 0.002

/* All texts borrowed. */
struct accp_record_request {
    const struct accp_run *runs; /* one for each process */
    size_t run_count;
    const char *folder; /* golden/ */
    const char *reason; /* why the baseline changes: one line, kept in it */
    const char *commit; /* of the source that was built; "" : unknown, which is refused */
    bool dirty;         /* the tree held changes that are in no commit */
    bool allow_fake;    /* runs of the fake driver are taken too: for tests of the tool itself */
    const char *date;   /* of today, ISO 8601 */
    const char *broken_law; /* what static law is broken, in words; NULL: none */
};

struct accp_record_outcome {
    char path[PATH_MAX]; /* of the golden (of the last one, if the runs hold several probes) */
    bool written;        /* false: nothing differs beyond noise, and the file is as it was */
    size_t rows_changed, rows_kept;
};

/* Derives levels and claims from the sessions and merges them into the golden of their GPU: a row
 * that agrees with the recorded one within its noise stays as it is, byte for byte. Writes
 * atomically: killed at any moment, it leaves the old file or the new one.
 *   level   mean and standard deviation between sessions. Tolerance: the larger of
 *           ACCP_LEVEL_TOLERANCE_LEAST and twice the half width of one process's interval
 *           (statistics.h says why); ACCP_EXACT_TOLERANCE_CYCLES in place of the first where every
 *           session has the same whole number at one warp a scheduler
 *   order   by mean. Two accs tie when the interval of their paired difference holds 0, or the
 *           difference is below ACCP_ORDER_EFFECT_LEAST. Margin: the larger of that and the widest
 *           interval that one process has for an ordered pair
 *   peak    the fastest acc and all that tie with it
 *   growth  recorded if the gap grows with every chain, beyond its noise
 * Predicted runs go to golden/predicted/<arch>/, from one session on.
 * Errors: REFUSED (the fake driver of tests/fake; busy or slowed GPU, MIG, drifting reference; fewer than ACCP_GOLDEN_SESSIONS_MIN
 * sessions of a role; one session twice; zero samples; dirty tree or no commit; a broken law;
 * document or mixed sources; devices, drivers, compilers or protocols that differ; a
 * protocol that is not the gate's; unknown SKU; no
 * reason), INPUT (the golden that is there is bad), IO, MEMORY. Nothing is written then. */
enum accp_status accp_golden_record(const struct accp_record_request *request,
                                    struct accp_record_outcome *outcome, struct accp_error *error);

/* Keeps a run of a GPU that has no golden as `folder`/<sku>/<date>-<seed>.json, so that ten of them
 * can be accepted with `accprobe record`. Says in `text` how, and how many there are. Errors: IO,
 * MEMORY. */
enum accp_status accp_golden_pending(const char *folder, const struct accp_run *run, char *text,
                                     size_t text_bytes, struct accp_error *error);

#endif
