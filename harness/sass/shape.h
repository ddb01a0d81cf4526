/* The static shape of a kernel: what its hot loop is made of, what it needs of an SM, and whether
 * it is what its role asked for. Needs no GPU and no baseline. */
#ifndef ACCP_SASS_SHAPE_H
#define ACCP_SASS_SHAPE_H

#include "matrix.h"
#include "sass/chain.h"
#include "sass/code.h"
#include "sass/normal.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    ACCP_KERNEL_NAME_BYTES = 1024, /* a symbol with its NUL; longer ones are refused */
    ACCP_SHAPE_LAW_TEXT_BYTES = 160,
    ACCP_SHAPE_WARPS = 8 /* of a block, for the occupancy, unless the caller says otherwise */
};

/* LAW(id, name in files, what it demands of the cubin of a role). From the design: laws that need
 * no baseline. */
#define ACCP_SHAPE_LAW_TABLE(LAW) \
    LAW(CLOCK, "clock", "the hot loop reads the clock") \
    LAW(CHAIN, "chain", "exactly `chain` FFMAs between two clock reads") \
    LAW(ACCUMULATORS, "accumulators", "spread over exactly `effective` accumulators") \
    LAW(DEPTH, "depth", \
        "no chain deeper than the role's links make it: ceil(chain / effective) when dealt " \
        "evenly") \
    LAW(SPILL, "spill", "no LDL and no STL") \
    LAW(CONTRACTION, "contraction", "no FMUL and FADD where an FFMA was asked for") \
    LAW(KNOWN, "known", "no opcode in the hot loop that the tables do not hold")

enum accp_shape_law {
#define LAW(id, name, demand) ACCP_SHAPE_LAW_##id,
    ACCP_SHAPE_LAW_TABLE(LAW)
#undef LAW
        ACCP_SHAPE_LAW_COUNT
};

enum accp_shape_law_state {
    ACCP_SHAPE_LAW_NOT_ASKED, /* the kernel is of no role */
    ACCP_SHAPE_LAW_KEPT,
    ACCP_SHAPE_LAW_BROKEN
};

struct accp_shape_law_result {
    enum accp_shape_law_state state;
    char text[ACCP_SHAPE_LAW_TEXT_BYTES]; /* when broken: what was found, and at which address */
};

struct accp_shape_loop {
    int64_t address; /* of the loop's head, in bytes from the kernel's first instruction */
    int instructions;
    int stall_sum_cycles;       /* of the stall counts as written */
    int64_t bytes;              /* from the head to behind the last backward branch */
    int line_instructions_left; /* from the head to the end of its 128-byte line, itself included */
    int yields, reuses;         /* instructions with the yield bit set; reuse bits */
    int nested;                 /* loops inside it */
    char hash[ACCP_HASH_BYTES], control_hash[ACCP_HASH_BYTES]; /* of its instructions alone */
    char exact_hash[ACCP_HASH_BYTES];                          /* accp_exact_hash */
};

/* One kernel. Counts are of the hot loop, but for those of local memory, which are of the whole
 * kernel. Of a kernel that several roles share, local memory and the hashes are of what a warp of
 * the role runs (sass/dealt.h): its loop and what all roles run, not what is of the others alone. */
struct accp_shape {
    char kernel[ACCP_KERNEL_NAME_BYTES];
    char role[ACCP_NAME_BYTES]; /* "" when the kernel is of no role */
    struct accp_shape_loop loop;
    int ffma; /* between the two clock reads; without a clock read, in the loop. FFMA2 is two */
    int ffma_in_loop;
    int accumulators, depth;
    int clock_reads, split_pairs;
    int constant_loads;    /* LDC, ULDC, LDCU in the loop */
    int constant_operands; /* other operands read from a constant bank in the loop */
    int local_loads, local_stores;
    int registers;       /* of a thread; -1: the cubin does not say */
    int64_t frame_bytes; /* of a thread; -1: the cubin does not say */
    int64_t shared_bytes;
    int warps;           /* of a block, for what follows */
    int resident_blocks; /* on one SM; -1: unknown */
    int resident_warps;
    int64_t code_bytes;
    int instructions, unknown; /* of the kernel */
    char hash[ACCP_HASH_BYTES], control_hash[ACCP_HASH_BYTES];
    struct accp_shape_law_result laws[ACCP_SHAPE_LAW_COUNT];
};

/* What a caller may choose. */
struct accp_shape_options {
    int64_t loop_address; /* --loop; -1: the hot loop */
    int warps;            /* of a block; 0: ACCP_SHAPE_WARPS */
    bool with_listings;   /* accp_shapes_of_cubin: keep the listings of the hot loops too */
};

/* Shapes one kernel. When its symbol is that of a role (or the caller passes one), the laws are
 * applied. `options` may be NULL. Errors: as accp_code_init and accp_code_hot_loop, and UNSUPPORTED
 * for a name that is too long. A broken law is no error. */
enum accp_status accp_shape_make(const struct accp_cubin *cubin, const struct accp_kernel *kernel,
                                 const struct accp_role *role,
                                 const struct accp_shape_options *options, struct accp_shape *shape,
                                 struct accp_error *error);

/* The same from decoded code, for callers that have it. */
enum accp_status accp_shape_of_code(const struct accp_cubin *cubin, const struct accp_code *code,
                                    const struct accp_role *role,
                                    const struct accp_shape_options *options,
                                    struct accp_shape *shape, struct accp_error *error);

/* Blocks of `warps` warps that fit on one SM at the same time: limited by its warps and by its
 * registers, which a warp gets in multiples of `allocation`. Shared memory and the limit on blocks
 * do not enter. -1 when `registers` < 0. Source: CUDA C++ Programming Guide, "Compute
 * Capabilities"; the occupancy calculator. */
int accp_resident_blocks(const struct accp_arch *arch, int registers, int warps);

/* The first broken law, or ACCP_SHAPE_LAW_COUNT. */
enum accp_shape_law accp_shape_first_broken(const struct accp_shape *shape);

/* What tells a shape from the others of its file: its role where several share the kernel, else the
 * kernel. */
const char *accp_shape_key(const struct accp_shape *shape);

/* Whether it is of a role that shares its kernel; no golden is held of these. */
bool accp_shape_is_shared(const struct accp_shape *shape);

/* "chain" and "exactly `chain` FFMAs ..."; static. */
const char *accp_shape_law_name(enum accp_shape_law law);

#endif
