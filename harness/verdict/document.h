/* The statements of the document (golden/document/optimal.json), each computed from numbers. On the
 * document's own run they are verified; on another run they are reported: holds, or does not hold.
 */
#ifndef ACCP_VERDICT_DOCUMENT_H
#define ACCP_VERDICT_DOCUMENT_H

#include "verdict/verdict.h"

/* STATEMENT(id, name in the file, members that it needs). All numbers are progress: iterations in
 * 10,000,000 cycles.
 *   peak          acc is the fastest of the chain
 *   progress      the progress is the number stated, as rounded
 *   percent       progress(acc) / progress(acc1) in percent is the number stated, as rounded
 *   gain          the same less 100
 *   gain_grows    that gain grows with every chain
 *   order         every neighbouring pair: > faster, ≈ within ACCP_DOCUMENT_TIE
 *   compare       relation < or > between the progress of left and right
 *   below         every acc from `from` on is slower than acc, at every chain
 *   mostly_falls  more than half of the steps from one acc to the next, from `from` on, over all
 *                 chains, lose progress
 *   mostly_below  more than half of the accs from `from` on, over all chains, are slower than acc
 *   steepest      the step to acc from the acc before it loses most at this chain
 *   threshold     over all orders: is the least > above the greatest ≈? An observation, not a claim
 */
#define ACCP_STATEMENT_TABLE(STATEMENT) \
    STATEMENT(PEAK, peak, NEEDS_CHAIN | NEEDS_ACC) \
    STATEMENT(PROGRESS, progress, NEEDS_CHAIN | NEEDS_ACC | NEEDS_PROGRESS) \
    STATEMENT(PERCENT, percent, NEEDS_CHAIN | NEEDS_ACC | NEEDS_PERCENT) \
    STATEMENT(GAIN, gain, NEEDS_CHAIN | NEEDS_ACC | NEEDS_PERCENT) \
    STATEMENT(GAIN_GROWS, gain_grows, NEEDS_ACC) \
    STATEMENT(ORDER, order, NEEDS_CHAIN | NEEDS_ORDER) \
    STATEMENT(COMPARE, compare, NEEDS_CHAIN | NEEDS_PAIR) \
    STATEMENT(BELOW, below, NEEDS_ACC | NEEDS_FROM) \
    STATEMENT(MOSTLY_FALLS, mostly_falls, NEEDS_FROM) \
    STATEMENT(MOSTLY_BELOW, mostly_below, NEEDS_ACC | NEEDS_FROM) \
    STATEMENT(STEEPEST, steepest, NEEDS_CHAIN | NEEDS_ACC) \
    STATEMENT(THRESHOLD, threshold, 0)

enum accp_statement_kind {
#define STATEMENT(id, name, needs) ACCP_STATEMENT_##id,
    ACCP_STATEMENT_TABLE(STATEMENT)
#undef STATEMENT
        ACCP_STATEMENT_COUNT
};

/* The largest difference that may be written as a tie: the document never says, and uses it up to
 * 0.92 %. */
#define ACCP_DOCUMENT_TIE 0.01

enum { ACCP_ORDER_TEXT_BYTES = 128, ACCP_STATEMENTS = 256 };

/* One statement; members that its kind does not need are 0 or "". */
struct accp_statement {
    enum accp_statement_kind kind;
    char section[16]; /* of the document: "4.3" */
    int chain, acc, from, left, right;
    char relation;                     /* '<' or '>' between left and right */
    char order[ACCP_ORDER_TEXT_BYTES]; /* "acc2 > acc1 ≈ acc3" */
    size_t order_count;
    int accs[ACCP_GOLDEN_ACCS];            /* of the order */
    bool tied_with_next[ACCP_GOLDEN_ACCS]; /* ≈ stands behind it */
    double percent, progress;
};

struct accp_document {
    char probe[ACCP_NAME_BYTES];
    char family[ACCP_NAME_BYTES]; /* of its roles that the statements speak of: "dependency.one" */
    int warps;
    struct accp_statement *statements; /* owned */
    size_t statement_count;
};

/* "mostly_falls"; static. */
const char *accp_statement_name(enum accp_statement_kind kind);

/* "document.4.3.compare.chain7.acc3_acc1": section, kind, and what it speaks of. */
void accp_document_claim(const struct accp_statement *statement, char claim[ACCP_CLAIM_BYTES]);

/* Reads the member "document" of a run file. A run file without it gives no statements; a document
 * that gives no numbers has a list of no roles, and is no run. Its "family" is the probe if left out.
 * INPUT: statements of no known kind, members missing or out of range, a family that is not one of
 * the probe, chains and accs that the family does not have. Pair with _fini. */
enum accp_status accp_document_read(const char *file, struct accp_document *document,
                                    struct accp_error *error);
enum accp_status accp_document_parse(const char *file, const void *data, size_t size,
                                     struct accp_document *document, struct accp_error *error);
void accp_document_fini(struct accp_document *document);

/* Adds one line for each statement to *judgement (which the caller initialised: by
 * accp_verdict_judge, or cleared) and concludes it again. With `enforced` a statement that the
 * numbers contradict is a FAIL, and one that they confirm a PASS; without it both are NO_GOLDEN,
 * with the reason that says which. A statement about a role that the runs lack, or have no sample
 * of, is left out if not enforced and ENVIRONMENT otherwise. `file` is named in the command that
 * repeats the line. Errors: as accp_verdict_judge. */
enum accp_status accp_verdict_document(const struct accp_document *document,
                                       const struct accp_run *runs, size_t run_count, bool enforced,
                                       const char *file, struct accp_judgement *judgement,
                                       struct accp_error *error);

#endif
