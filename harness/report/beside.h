/* Whether the order of kernels of their own survives when each warp of a block runs another role: what mixed
 * launches measured, by the role that ran beside a warp on its scheduler (struct accp_run_mix). */
#ifndef ACCP_REPORT_BESIDE_H
#define ACCP_REPORT_BESIDE_H

#include "golden/summary.h"
#include "report/table.h"

enum { ACCP_BESIDE_ACCS = ACCP_RUN_BESIDE };

/* A role in mixed launches at one number of warps; cycles per iteration, means of the processes' means;
 * 0: not measured. */
struct accp_beside_cell {
    const struct accp_point *point; /* of the summary */
    int chain, warps, acc;
    double own, uniform, mixed; /* in a kernel of its own; in the shared kernel, alone; mixed */
    double beside[ACCP_BESIDE_ACCS]; /* where a warp of its scheduler ran accs[i] of the map */
    double by_warp[ACCP_RUN_WARPS];  /* of the block */
    double place;                    /* its slowest warp of the block over its fastest, relative */
};

/* Of all roles of mixed launches that the runs hold, in their order. */
struct accp_beside_map {
    struct accp_beside_cell *cells; /* owned */
    size_t cell_count;
    int accs[ACCP_BESIDE_ACCS]; /* that ran beside any, ascending */
    size_t acc_count;
    struct accp_column columns[ACCP_BESIDE_ACCS + 8]; /* of its table */
    char names[ACCP_BESIDE_ACCS][24];
};

/* How many ordered pairs of a chain at a number of warps stay ordered. Two accumulator counts are ordered
 * where their own kernels differ by ACCP_ORDER_EFFECT_LEAST or more, and reversed where they differ by as
 * much the other way round. */
struct accp_beside_orders {
    int pairs, reversed;  /* on the average of all mixed warps */
    int compared, turned; /* beside one and the same role each: pairs times what ran beside both */
    int fast, slow,
        acc;     /* the pair, as ordered, that is reversed most, and what ran beside it; 0: none */
    double most; /* by how much, relative */
};

/* Whether the runs hold a mixed role with what each warp measured. */
bool accp_beside_is_there(const struct accp_summary *summary);

/* Pair with accp_beside_fini; the summary must stay alive as long. INPUT: no run holds a mixed role with what each warp measured; MEMORY. */
enum accp_status accp_beside_init(const struct accp_summary *summary, struct accp_beside_map *map,
                                  struct accp_error *error);
void accp_beside_fini(struct accp_beside_map *map);

/* Of the cells with that chain and number of warps. */
void accp_beside_count(const struct accp_beside_map *map, int chain, int warps,
                       struct accp_beside_orders *orders);

/* What accp_beside_count says, as "3 of 25 ordered pairs turn round when mixed". */
void accp_beside_words(const struct accp_beside_map *map, int chain, int warps, char *text,
                       size_t text_bytes);

/* The table, and below it (but in JSON, "accprobe-beside/1") a sentence a chain and number of warps. */
enum accp_status accp_beside_print(struct accp_beside_map *map, FILE *stream, bool json,
                                   bool markdown, struct accp_error *error);

#endif
