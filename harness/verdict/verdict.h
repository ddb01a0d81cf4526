/* The verdict on a run: one line a claim, and one verdict and exit status over all of them. */
#ifndef ACCP_VERDICT_VERDICT_H
#define ACCP_VERDICT_VERDICT_H

#include "golden/environment.h"
#include "golden/expected.h"
#include "golden/golden.h"

/* VERDICT(id, exit status, text). In rising order of weight: the verdict over all lines is the
 * heaviest one. */
#define ACCP_VERDICT_TABLE(VERDICT) \
    VERDICT(SKIP, 77, "nothing was run") \
    VERDICT(PASS, 0, "proved to be as the golden says") \
    VERDICT(NO_GOLDEN, 0, "no baseline answers; the laws hold") \
    VERDICT(DRIFT, 2, "other SASS, same cycles: approve it") \
    VERDICT(WIN, 2, "faster: approve it") \
    VERDICT(INCONCLUSIVE, 3, "not proved either way") \
    VERDICT(ENVIRONMENT, 3, "the surroundings spoilt the measurement") \
    VERDICT(FAIL, 1, "worse, or broken")

enum accp_verdict {
#define VERDICT(id, status, text) ACCP_VERDICT_##id,
    ACCP_VERDICT_TABLE(VERDICT)
#undef VERDICT
        ACCP_VERDICT_COUNT
};

enum accp_reason {
#define REASON(id, text) ACCP_REASON_##id,
#include "verdict/reasons.def"
    ACCP_REASON_COUNT
};

/* STATIC(id, text): what the comparison of a role's SASS with its recorded shape said. */
#define ACCP_STATIC_TABLE(STATIC) \
    STATIC(UNKNOWN, "not compared") \
    STATIC(SAME, "the SASS is the recorded one") \
    STATIC(RENAMED, "the recorded SASS with other register names, or at another place") \
    STATIC(CHANGED, "the SASS differs") \
    STATIC(LAW_BROKEN, "the SASS breaks a law")

enum accp_static_state {
#define STATIC(id, text) ACCP_STATIC_##id,
    ACCP_STATIC_TABLE(STATIC)
#undef STATIC
        ACCP_STATIC_COUNT
};

/* The static side of a role. `text` names the first instruction that differs, or the law and where
 * it breaks. */
struct accp_static {
    char role[ACCP_NAME_BYTES];
    enum accp_static_state state;
    int spills; /* LDL and STL of its kernel; 0: none, or unknown */
    char text[320];
};

/* Everything a verdict is made from; all borrowed. */
struct accp_verdict_input {
    const struct accp_run *runs; /* one for each process; 1 or more */
    size_t run_count;
    const struct accp_golden_found *found; /* NULL: no golden answers */
    const struct accp_expected *expected;  /* NULL: no failure is expected */
    const struct accp_static *statics;     /* roles that are not listed are UNKNOWN */
    size_t static_count;
    const char *today;          /* YYYY-MM-DD, for expiry dates */
    const char *reference_role; /* the null control; NULL: only its two halves are compared */
    const bool *selected; /* [ACCP_ROLE_COUNT]: the roles that had to be run; NULL: every role of
                             the probes in the run */
};

enum { ACCP_LINE_TEXT_BYTES = 384 };

/* One judged claim. Numbers that a claim does not have are NaN. */
struct accp_line {
    char claim[ACCP_CLAIM_BYTES]; /* optimal.chain29.acc2.level@8 */
    char role[ACCP_NAME_BYTES];   /* the role, series or family that the claim speaks of */
    int warps;                    /* 0: any */
    enum accp_verdict verdict;
    enum accp_reason reason;
    enum accp_answer answer;
    char golden[ACCP_TEXT_BYTES]; /* name of the golden that answered; "" : none */
    const char *unit;             /* of value, low and high: cycles, percent, progress, roles, "" */
    double value, low, high;      /* found, and the bounds within which it had to lie */
    double change;                /* relative to the golden, with the interval's ends */
    double change_low, change_high;
    double least_visible; /* relative */
    size_t processes;     /* n: the unit of replication */
    uint64_t samples;
    char text[ACCP_LINE_TEXT_BYTES]; /* one line for people */
    char repeat[512];                /* the command that repeats it */
};

struct accp_judgement {
    struct accp_line *lines; /* owned */
    size_t line_count, line_capacity;
    size_t roles_judged;       /* (role, warps) that have a level line from samples */
    enum accp_verdict verdict; /* over all lines */
    enum accp_trouble trouble; /* of the surroundings, the first one met; and what was seen */
    char trouble_text[ACCP_TEXT_BYTES];
};

/* Adds to the command that repeats a line: `option`, with its spaces, and `value` as one word of a shell. Where that
 * does not fit, or would not be seen as it is, `name` stands in its place, to be filled in. */
void accp_line_repeat_with(struct accp_line *line, const char *option, const char *value,
                           const char *name);

/* Judges a run. Lines come in a fixed order: for each role and number of warps its level, then its
 * structure (if the static side is known) and laws; then order and peak of each series, growth of
 * each family, coverage, and arch where a run does not say it (INCONCLUSIVE). The rules:
 *   level     the equivalence test of golden/statistics.h, read together with the SASS (joint.def)
 *   claims    order, peak and growth as the golden that answers has them, beyond its margin
 *   laws      golden/laws.h, with or without a golden
 *   SKIP      growth of a family that the golden knows and claims none for: it did not grow
 *   NO_GOLDEN a level or claim that nothing answers for. A golden of another GPU of the arch
 * answers for claims only; one recorded with another protocol, or predicted by another model, for
 * nothing.
 *
 * Surroundings: FAIL, WIN and INCONCLUSIVE become ENVIRONMENT when the GPU was slowed, busy or
 * split, a launch was interrupted, or the reference role moved: then a run may pass, since what
 * lies inside its tolerance all the same was proved under worse conditions, and accuses nobody.
 * Structure is no measurement and fails all the same. A role without a sample and a selected role
 * that was not run are ENVIRONMENT always.
 *
 * Expected failures: a FAIL that is expected passes as EXPECTED_FAILURE; a PASS, WIN or DRIFT where
 * a failure is expected is a FAIL, and so is an expectation that has expired. A claim on several
 * roles is left out if a role that it needs is not in `selected`.
 *
 * `judgement` is initialised here; free it with accp_judgement_fini. Errors: INPUT (runs that do not
 * belong together), USAGE (no run), MEMORY; it is cleared then. */
enum accp_status accp_verdict_judge(const struct accp_verdict_input *input,
                                    struct accp_judgement *judgement, struct accp_error *error);
void accp_judgement_fini(struct accp_judgement *judgement);

/* Appends a cleared line (numbers NaN), owned by the judgement, valid until the next one. MEMORY.
 */
enum accp_status accp_judgement_append(struct accp_judgement *judgement, struct accp_line **line,
                                       struct accp_error *error);

/* Sets judgement->verdict to the heaviest of its lines; SKIP without lines. */
void accp_judgement_conclude(struct accp_judgement *judgement);

/* "FAIL"; "worse, or broken"; 1. */
const char *accp_verdict_name(enum accp_verdict verdict);
const char *accp_verdict_text(enum accp_verdict verdict);
int accp_verdict_exit(enum accp_verdict verdict);

/* "ORDER_BROKEN"; its sentence. */
const char *accp_reason_name(enum accp_reason reason);
const char *accp_reason_text(enum accp_reason reason);

#endif
