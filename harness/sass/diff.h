/* What changed between two compilations of one kernel: from nothing at all to the loss of what the
 * source asked for. */
#ifndef ACCP_SASS_DIFF_H
#define ACCP_SASS_DIFF_H

#include "sass/shape.h"

/* DIFF(id, name, meaning), from the least to the worst */
#define ACCP_DIFF_TABLE(DIFF) \
    DIFF(IDENTICAL, "identical", "same instructions, registers and control bits") \
    DIFF(REGISTERS, "registers renamed", "same instructions and control bits, other registers") \
    DIFF(CONTROL, "control bits only", "same instructions, other stall, yield, barrier or reuse") \
    DIFF(REORDERED, "instructions reordered", "the same instructions in another order") \
    DIFF(DIFFERENT, "instructions differ", "other instructions, the same structure") \
    DIFF(LOST, "structure lost", \
         "unrolling, contraction, accumulators, registers or half the blocks")

enum accp_diff_class {
#define DIFF(id, name, meaning) ACCP_DIFF_##id,
    ACCP_DIFF_TABLE(DIFF)
#undef DIFF
        ACCP_DIFF_COUNT
};

/* Room for everything that can be said of one kernel, each number with all its digits. */
enum { ACCP_DIFF_TEXT_BYTES = 768 };

struct accp_diff {
    enum accp_diff_class class;
    /* LOST: what was lost, as "unrolling lost: 4 FFMAs in the hot loop before, 1 now", whatever the
     * number of registers says. Occupancy is lost when half the resident blocks or fewer are left:
     * occupancy comes in whole blocks, and a block fewer of many costs little. Otherwise "". */
    char lost[ACCP_DIFF_TEXT_BYTES];
    /* What else moved: "registers 60 -> 104, resident blocks 4 -> 2; constant loads in the loop 0
     * -> 5". "": none. */
    char moved[ACCP_DIFF_TEXT_BYTES];
    /* The first instruction that differs (in its control bits, when only these do): index in either
     * kernel and text, normalised (sass/normal.h) where the texts are alike. SIZE_MAX and "" where
     * one side has ended, or when the shapes came without code. */
    size_t before_index, after_index;
    char before[ACCP_INSTRUCTION_TEXT_BYTES + 32], after[ACCP_INSTRUCTION_TEXT_BYTES + 32];
    bool in_loop;         /* the instruction stands in the hot loop of the kernel before */
    bool is_outside_only; /* the hot loops are equal, control bits included */
    bool has_shapes;      /* both kernels have a hot loop, so `lost` and `moved` were looked for */
};

/* Compares a kernel before and after. `options` as for accp_shape_make, for both; may be NULL. A
 * kernel without a hot loop is compared all the same. Errors: INPUT (different arches); as
 * accp_code_init. */
enum accp_status accp_diff_kernels(const struct accp_cubin *before_cubin,
                                   const struct accp_kernel *before,
                                   const struct accp_cubin *after_cubin,
                                   const struct accp_kernel *after,
                                   const struct accp_shape_options *options, struct accp_diff *diff,
                                   struct accp_error *error);

/* The same from two shapes: by hashes and counts. Cannot tell DIFFERENT from REORDERED (it says
 * DIFFERENT), nor IDENTICAL from REGISTERS (it says IDENTICAL). */
void accp_diff_shapes(const struct accp_shape *before, const struct accp_shape *after,
                      struct accp_diff *diff);

const char *accp_diff_name(enum accp_diff_class class);

#endif
