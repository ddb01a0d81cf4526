/* Where the cycles of further accumulators go: the sink probe's question. Each step from one
 * accumulator count to the next is divided into the three explanations that the document offers:
 *
 *   loop body  D(to) - D(from). D is the role that carries all its accumulators: the same chain and
 *              loop, and no sink
 *   sink       what the full sum, F, costs beyond that: (F - D)(to) - (F - D)(from)
 *   registers  what of these two is waiting for register reads: the change of the prediction of F
 *              less its prediction with ports that never make anyone wait (ACCP_MECHANISM_PORTS)
 *
 * Body and sink are measured and add up to the step. The registers' share rests on the model, and
 * `off` says by how much the model misses the step. */
#ifndef ACCP_REPORT_DIVISION_H
#define ACCP_REPORT_DIVISION_H

#include "golden/summary.h"
#include "report/table.h"

/* PART(id, name, the document's explanation) */
#define ACCP_DIVISION_PART_TABLE(PART) \
    PART(BODY, "loop body", "issue and scheduling of the loop body") \
    PART(SINK, "sink", "the sum in the sink") \
    PART(REGISTERS, "registers", "registers and live ranges")

enum accp_division_part {
#define PART(id, name, explanation) ACCP_DIVISION_##id,
    ACCP_DIVISION_PART_TABLE(PART)
#undef PART
        ACCP_DIVISION_PART_COUNT
};

enum { ACCP_DIVISION_ACCS = 16 };

/* Cycles per iteration between two neighbouring accumulator counts. */
struct accp_division_step {
    int from, to; /* acc */
    int added;    /* accumulators that are really in use more; 0 where the chain has no more */
    double total, parts[ACCP_DIVISION_PART_COUNT];
    double off; /* predicted less measured */
};

/* A chain at one number of warps. `best` holds the fastest acc of each kind of sink; 0: not
 * measured. `after` is the sum of the steps behind the best acc of the full sum. */
struct accp_division {
    int chain, warps, best[ACCP_SINK_COUNT];
    size_t step_count;
    struct accp_division_step steps[ACCP_DIVISION_ACCS];
    double after, after_parts[ACCP_DIVISION_PART_COUNT], after_off;
};

/* Divides a chain at a number of warps. `predicted` and `portless` hold the predictions of the same
 * roles. INPUT: a role with the full sum, or that carries all, is missing from one of the three, or
 * has no sample there. */
enum accp_status accp_division_make(const struct accp_summary *measured,
                                    const struct accp_run *predicted,
                                    const struct accp_run *portless, int chain, int warps,
                                    struct accp_division *division, struct accp_error *error);

/* FINDING(id, how it is said) of an explanation */
#define ACCP_DIVISION_FINDING_TABLE(FINDING) \
    FINDING(HOLDS, "holds") \
    FINDING(IN_PART, "holds in part") \
    FINDING(FAILS, "does not hold") \
    FINDING(UNTOLD, "cannot be told: the model is off by as much")

enum accp_division_finding {
#define FINDING(id, text) ACCP_DIVISION_##id,
    ACCP_DIVISION_FINDING_TABLE(FINDING)
#undef FINDING
        ACCP_DIVISION_FINDING_COUNT
};

/* What an explanation has of the loss behind the best acc: half of it or more (HOLDS), a tenth or
 * more (IN_PART), less (FAILS). UNTOLD: registers where the model misses the loss by as much as it
 * gives them. FAILS where nothing is lost. */
enum accp_division_finding accp_division_find(const struct accp_division *division,
                                              enum accp_division_part part);

/* "chain 29, 8 warps: acc3 is best; ..." in plain words, with each explanation's finding. */
void accp_division_words(const struct accp_division *division, char *text, size_t text_bytes);

/* The steps as a table, owned by the caller. MEMORY. */
enum accp_status accp_division_table(const struct accp_division *divisions, size_t count,
                                     struct accp_table **table, struct accp_error *error);

#endif
