/* A kernel's SASS as decoded instructions, and the loops in it. */
#ifndef ACCP_SASS_CODE_H
#define ACCP_SASS_CODE_H

#include "sass/cubin.h"
#include "sass/decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    ACCP_CODE_INSTRUCTIONS = 1 << 20, /* a kernel may have at the most */
    ACCP_CODE_LOOPS = 256,
    ACCP_LINE_BYTES = 128 /* of the instruction cache */
};

/* A natural loop: the instructions on the ways from its head back to its head. Addresses are bytes
 * from the kernel's first instruction; index i of `is_member` is the instruction at address 16 * i.
 */
struct accp_loop {
    size_t head, latch; /* indices: the branch target, and the last backward branch to it */
    size_t parent;      /* index of the loop around it; its own index when there is none */
    int nesting;        /* 1: in no other loop */
    size_t instructions;
    int floating_point; /* f16, f32, f64 and tensor instructions that are in no loop inside this
                           one; FFMA2 counts twice, and moves written as arithmetic on RZ do not
                           count */
    bool *is_member;    /* owned by the code */
};

struct accp_code {
    const struct accp_kernel *kernel; /* borrowed, like the cubin it is of */
    int sm;
    size_t count;   /* instructions */
    size_t unknown; /* of these, not in the tables */
    struct accp_instruction *instructions;
    size_t loop_count;
    struct accp_loop *loops; /* in the order of their heads, outer ones first */
    bool loops_cut;          /* there are more than ACCP_CODE_LOOPS */
};

/* Decodes a kernel and finds its loops. On success the caller owns *code (accp_code_fini) and keeps
 * the cubin open; on failure it is cleared. Errors: UNSUPPORTED (arch, or too many instructions),
 * MEMORY. */
enum accp_status accp_code_init(const struct accp_cubin *cubin, const struct accp_kernel *kernel,
                                struct accp_code *code, struct accp_error *error);
void accp_code_fini(struct accp_code *code);

/* The hot loop: the one with the most floating-point instructions; or, with `address` >= 0, the one
 * whose head stands there (--loop). INPUT: no loop at all; several and none with floating point, or
 * two with equally many (names their addresses, and offers --loop); no loop at that address. */
enum accp_status accp_code_hot_loop(const struct accp_code *code, int64_t address,
                                    const struct accp_loop **loop, struct accp_error *error);

/* Where execution may go after instruction `index`: up to two indices into `next`; returns how
 * many. Indirect branches and ends have none. */
int accp_code_successors(const struct accp_code *code, size_t index, size_t next[2]);

/* True for f16, f32, f64 and tensor arithmetic that is no move in disguise. */
bool accp_instruction_is_floating_point(const struct accp_instruction *instruction);

/* Index of the instruction that a branch jumps to, or SIZE_MAX when it is outside the kernel. */
size_t accp_code_target(const struct accp_code *code, size_t index);

/* Prints address, control bits and instruction, a line each; members of `loop` (may be NULL) are
 * marked. Columns: address, stall, Y for yield, write and read barrier, wait mask. IO when `out`
 * fails. */
enum accp_status accp_code_list(const struct accp_code *code, const struct accp_loop *loop,
                                FILE *out, struct accp_error *error);

#endif
