/* Dataflow of one iteration: which FFMA feeds which, and so how many chains there are and how deep
 * they go. By the definitions and uses of registers, not by their names: ptxas uses a register for
 * several accumulators in turn, and several registers for one. */
#ifndef ACCP_SASS_CHAIN_H
#define ACCP_SASS_CHAIN_H

#include "matrix.h"
#include "sass/code.h"

/* What one iteration of a loop does, read in the order of execution from the loop's head on. */
struct accp_chain {
    int ffmas;          /* f32 FMAs, two for each FFMA2 */
    int accumulators;   /* FMAs that no other FMA of this iteration feeds: the starts of chains */
    int depth;          /* FMAs in the longest chain */
    int split_pairs;    /* FMUL whose product only an FADD reads: an FMA that was not contracted */
    size_t first_split; /* index of the first such FMUL; SIZE_MAX: none */
    int clock_reads;
    /* FMAs between the two reads that time the work. One read in the loop: those of a whole turn,
     * from the read to itself. Several: those from the read that is subtracted to the one that it
     * is subtracted from. No read: 0. */
    int timed_ffmas;
    size_t timed_begin, timed_end; /* indices of these reads; SIZE_MAX: none */
    size_t first_outside;          /* index of the first FFMA that is not timed; SIZE_MAX: none */
};

/* Analyses the loop. Branches inside it are followed as they are laid out: each instruction of the
 * loop is taken to run once an iteration. MEMORY. */
enum accp_status accp_chain_analyse(const struct accp_code *code, const struct accp_loop *loop,
                                    struct accp_chain *chain, struct accp_error *error);

/* The loop that runs a role. In a kernel that several roles share: the one with the role's links,
 * accumulators and depth, or else the nearest that no other role has (sass/dealt.h). In a kernel of
 * its own, with no role, or with `address` >= 0: accp_code_hot_loop, with its errors. MEMORY. */
enum accp_status accp_chain_find_loop(const struct accp_code *code, const struct accp_role *role,
                                      int64_t address, const struct accp_loop **loop,
                                      struct accp_error *error);

#endif
