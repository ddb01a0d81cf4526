/* A judgement for people, for a review and for programs. */
#ifndef ACCP_REPORT_JUDGEMENT_H
#define ACCP_REPORT_JUDGEMENT_H

#include "verdict/verdict.h"

#include <stdbool.h>
#include <stdio.h>

/* Everything a report is made from; borrowed. */
struct accp_report {
    const struct accp_run *runs; /* one for each process */
    size_t run_count;
    const struct accp_golden_found *found;
    const struct accp_judgement *judgement;
    const char *note; /* what the reader must know first ("replayed from ..."); NULL: nothing */
    bool all;         /* every line, not only those that say something */
};

enum { ACCP_REPORT_RUNS_BYTES = 48 };

/* What the verdict says: "worse, or broken"; of a prediction never that its surroundings spoilt it. Static. */
const char *accp_report_verdict_text(const struct accp_report *report);

/* How many runs there are, and of which kind: "3 processes"; "1 prediction". */
void accp_report_runs(const struct accp_report *report, char text[ACCP_REPORT_RUNS_BYTES]);

/* Writes how many lines have each verdict, the heaviest first: "2 FAIL, 35 PASS". */
void accp_report_counts(FILE *stream, const struct accp_judgement *judgement);

/* The first line of the verdict's kind, whose command shows it again; NULL: a pass, or no golden, which would come out
 * the same. */
const struct accp_line *accp_report_first_to_repeat(const struct accp_judgement *judgement);

/* Whether people came for this claim: it did not pass, or is an order, a peak, a growth or a statement of the document. */
bool accp_report_is_prominent(const struct accp_line *line);

/* The verdict; then the seed's kind of table (chains by accumulators, best marked) for each number of warps; then the
 * prominent lines, the heaviest first. For people (not in Markdown, and not with `all`) runs of several probes are put
 * briefly: a line for each family, the tables of families that did not pass if they are few, and the lines that did not: those of
 * a cause that many share in one line (report/causes.h). INPUT, MEMORY. */
enum accp_status accp_report_text(const struct accp_report *report, FILE *stream, bool markdown,
                                  struct accp_error *error);

/* "accprobe-verdict/1": the verdict, its exit status and every line, one a line. MEMORY. */
enum accp_status accp_report_json(const struct accp_report *report, FILE *stream,
                                  struct accp_error *error);

#endif
