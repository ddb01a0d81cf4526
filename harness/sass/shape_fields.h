/* FIELD(member, key, lowest value): the integers of a shape's loop and of its kernel, in the order of
 * shape files. */
#ifndef ACCP_SASS_SHAPE_FIELDS_H
#define ACCP_SASS_SHAPE_FIELDS_H

#include <stdint.h>

#define ACCP_SHAPE_FIELD_MOST INT32_MAX

#define ACCP_SHAPE_LOOP_FIELDS(FIELD) \
    FIELD(address, "address", 0) \
    FIELD(instructions, "instructions", 1) \
    FIELD(stall_sum_cycles, "stall_sum", 0) \
    FIELD(bytes, "bytes", 16) \
    FIELD(line_instructions_left, "line_instructions_left", 1) \
    FIELD(yields, "yields", 0) \
    FIELD(reuses, "reuses", 0) \
    FIELD(nested, "nested", 0)

#define ACCP_SHAPE_KERNEL_FIELDS(FIELD) \
    FIELD(ffma, "ffma", 0) \
    FIELD(ffma_in_loop, "ffma_in_loop", 0) \
    FIELD(accumulators, "accumulators", 0) \
    FIELD(depth, "depth", 0) \
    FIELD(clock_reads, "clock_reads", 0) \
    FIELD(split_pairs, "split_pairs", 0) \
    FIELD(registers, "registers", -1) \
    FIELD(frame_bytes, "frame_bytes", -1) \
    FIELD(shared_bytes, "shared_bytes", 0) \
    FIELD(warps, "warps", 1) \
    FIELD(resident_blocks, "resident_blocks", -1) \
    FIELD(resident_warps, "resident_warps", -1) \
    FIELD(local_loads, "local_loads", 0) \
    FIELD(local_stores, "local_stores", 0) \
    FIELD(constant_loads, "constant_loads_in_loop", 0) \
    FIELD(constant_operands, "constant_operands_in_loop", 0) \
    FIELD(instructions, "instructions", 1) \
    FIELD(unknown, "unknown", 0) \
    FIELD(code_bytes, "code_bytes", 16)

#endif
