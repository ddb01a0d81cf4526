#include "sass/shape.h"

#include "base/plural.h"
#include "sass/dealt.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const law_names[] = {
#define LAW(id, name, demand) [ACCP_SHAPE_LAW_##id] = name,
    ACCP_SHAPE_LAW_TABLE(LAW)
#undef LAW
};

const char *accp_shape_law_name(enum accp_shape_law law)
{
    return (unsigned)law < ACCP_SHAPE_LAW_COUNT ? law_names[law] : "";
}

int accp_resident_blocks(const struct accp_arch *arch, int registers, int warps)
{
    enum { LANES = 32, THREAD_GRANULE = 8, REGISTERS_MOST = 256 };
    if (registers < 0 || registers > REGISTERS_MOST || warps < 1 || !arch) return -1;
    int granted = (registers + THREAD_GRANULE - 1) / THREAD_GRANULE * THREAD_GRANULE;
    int of_warp = (granted * LANES + arch->allocation - 1) / arch->allocation * arch->allocation;
    int fitting = arch->warps;
    if (of_warp > 0) {
        /* Each scheduler has its own quarter of the registers. */
        int of_scheduler = arch->registers / arch->schedulers / of_warp;
        if (of_scheduler * arch->schedulers < fitting) fitting = of_scheduler * arch->schedulers;
    }
    return fitting / warps;
}

static void count_loop(const struct accp_code *code, const struct accp_loop *loop,
                       struct accp_shape *shape)
{
    size_t last = 0;
    for (size_t i = 0; i < code->count; ++i) {
        const struct accp_instruction *instruction = &code->instructions[i];
        if (!loop->is_member[i]) continue;
        last = i;
        shape->loop.stall_sum_cycles += instruction->control.stall_cycles;
        shape->loop.yields += instruction->control.yield;
        for (int bit = 0; bit < 3; ++bit)
            shape->loop.reuses += instruction->control.reuse >> bit & 1;
        bool is_load = accp_instruction_class(instruction) == ACCP_CLASS_CONSTANT;
        shape->constant_loads += is_load;
        for (int k = 0; k < instruction->operand_count && !is_load; ++k)
            shape->constant_operands += instruction->operands[k].kind == ACCP_OPERAND_CONSTANT;
    }
    size_t first = loop->head;
    for (size_t i = 0; i < loop->head; ++i)
        if (loop->is_member[i] && i < first) first = i;
    shape->loop.address = (int64_t)(loop->head * ACCP_INSTRUCTION_BYTES);
    shape->loop.instructions = (int)loop->instructions;
    shape->loop.bytes = (int64_t)((last + 1 - first) * ACCP_INSTRUCTION_BYTES);
    shape->loop.line_instructions_left =
        (int)((ACCP_LINE_BYTES - (size_t)shape->loop.address % ACCP_LINE_BYTES) /
              ACCP_INSTRUCTION_BYTES);
    for (size_t i = 0; i < code->loop_count; ++i)
        shape->loop.nested += &code->loops[i] != loop && loop->is_member[code->loops[i].head] &&
                              code->loops[i].instructions < loop->instructions;
}

/* `way`: what a warp of the role runs of a kernel that others share; NULL: all of it. */
static void count_kernel(const struct accp_cubin *cubin, const struct accp_code *code,
                         const bool *way, int warps, struct accp_shape *shape)
{
    const struct accp_kernel *kernel = code->kernel;
    for (size_t i = 0; i < code->count; ++i) {
        enum accp_class class = accp_instruction_class(&code->instructions[i]);
        if (way && !way[i]) continue;
        shape->local_loads += class == ACCP_CLASS_LOCAL_LOAD;
        shape->local_stores += class == ACCP_CLASS_LOCAL_STORE;
    }
    shape->registers = kernel->registers;
    shape->frame_bytes = kernel->frame_bytes;
    shape->shared_bytes = kernel->shared_bytes;
    shape->code_bytes = (int64_t)kernel->code_bytes;
    shape->instructions = (int)code->count;
    shape->unknown = (int)code->unknown;
    shape->warps = warps > 0 ? warps : ACCP_SHAPE_WARPS;
    shape->resident_blocks = accp_resident_blocks(cubin->arch, shape->registers, shape->warps);
    shape->resident_warps = shape->resident_blocks < 0 ? -1 : shape->resident_blocks * shape->warps;
    if (way)
        accp_normal_part_hash(code, way, shape->hash, shape->control_hash);
    else
        accp_normal_hash(code, NULL, shape->hash, shape->control_hash);
}

static void judge(struct accp_shape *shape, enum accp_shape_law law, bool is_kept,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

static void judge(struct accp_shape *shape, enum accp_shape_law law, bool is_kept,
                  const char *format, ...)
{
    struct accp_shape_law_result *result = &shape->laws[law];
    result->state = is_kept ? ACCP_SHAPE_LAW_KEPT : ACCP_SHAPE_LAW_BROKEN;
    if (is_kept) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->text, sizeof result->text, format, arguments);
    va_end(arguments);
}

static size_t first_local(const struct accp_code *code, const bool *way)
{
    for (size_t i = 0; i < code->count; ++i) {
        enum accp_class class = accp_instruction_class(&code->instructions[i]);
        if ((class == ACCP_CLASS_LOCAL_LOAD || class == ACCP_CLASS_LOCAL_STORE) && (!way || way[i]))
            return i * ACCP_INSTRUCTION_BYTES;
    }
    return SIZE_MAX;
}

static size_t first_unknown(const struct accp_code *code, const struct accp_loop *loop)
{
    for (size_t i = 0; i < code->count; ++i)
        if (loop->is_member[i] &&
            accp_instruction_class(&code->instructions[i]) == ACCP_CLASS_UNKNOWN)
            return i * ACCP_INSTRUCTION_BYTES;
    return SIZE_MAX;
}

/* "29 of 29 FFMAs stand outside the clock reads at 0x100 and 0x110, the first at 0x120" */
static void judge_chain(struct accp_shape *shape, const struct accp_chain *chain, int asked)
{
    int outside = chain->ffmas - chain->timed_ffmas;
    bool is_kept = chain->timed_ffmas == asked && outside == 0;
    if (chain->clock_reads == 0)
        judge(shape, ACCP_SHAPE_LAW_CHAIN, false,
              "%d FFMAs in the loop at 0x%" PRIx64 ", none of them between clock reads; asked: %d",
              chain->ffmas, (uint64_t)shape->loop.address, asked);
    else if (outside > 0)
        judge(shape, ACCP_SHAPE_LAW_CHAIN, is_kept,
              "%d FFMAs between the clock reads at 0x%zx and 0x%zx, asked: %d; %d stand outside, "
              "the first at 0x%zx",
              chain->timed_ffmas, chain->timed_begin * 16, chain->timed_end * 16, asked, outside,
              chain->first_outside * 16);
    else
        judge(shape, ACCP_SHAPE_LAW_CHAIN, is_kept,
              "%d FFMAs between two clock reads (0x%zx), asked: %d", chain->timed_ffmas,
              chain->timed_end * 16, asked);
}

static void apply_laws(const struct accp_code *code, const struct accp_loop *loop,
                       const struct accp_chain *chain, const struct accp_role *role,
                       const bool *way, struct accp_shape *shape)
{
    uint64_t address = (uint64_t)shape->loop.address;
    int depth = accp_links_of(role->placement, role->chain, role->effective).depth;
    judge(shape, ACCP_SHAPE_LAW_CLOCK, chain->clock_reads > 0,
          "the loop at 0x%" PRIx64 " reads no clock", address);
    judge_chain(shape, chain, role->chain);
    judge(shape, ACCP_SHAPE_LAW_ACCUMULATORS, chain->accumulators == role->effective,
          "%d accumulator%s in the loop at 0x%" PRIx64 ", asked: %d", chain->accumulators,
          ACCP_PLURAL(chain->accumulators, "s"), address, role->effective);
    judge(shape, ACCP_SHAPE_LAW_DEPTH, chain->depth == depth,
          "the longest chain in the loop at 0x%" PRIx64 " is %d FFMA%s deep, asked: %d", address,
          chain->depth, ACCP_PLURAL(chain->depth, "s"), depth);
    judge(shape, ACCP_SHAPE_LAW_SPILL, shape->local_loads + shape->local_stores == 0,
          "%d LDL and %d STL, the first at 0x%zx", shape->local_loads, shape->local_stores,
          first_local(code, way));
    judge(shape, ACCP_SHAPE_LAW_CONTRACTION, chain->split_pairs == 0,
          "%d multiply-add pairs, the first FMUL at 0x%zx", chain->split_pairs,
          chain->first_split * 16);
    size_t unknown = first_unknown(code, loop);
    judge(shape, ACCP_SHAPE_LAW_KNOWN, unknown == SIZE_MAX, "an unknown opcode at 0x%zx", unknown);
}

/* *way: NULL where the role has the kernel to itself; else the caller frees it. */
static enum accp_status find_way(const struct accp_code *code, const struct accp_loop *loop,
                                 const struct accp_role *role, bool **way, struct accp_error *error)
{
    *way = NULL;
    if (!role || role->dispatch == ACCP_DISPATCH_ALONE) return ACCP_STATUS_OK;
    *way = malloc((code->count + 1) * sizeof **way);
    if (!*way) return accp_fail(error, ACCP_STATUS_MEMORY, code->kernel->name, -1, "out of memory");
    enum accp_status status = accp_dealt_way(code, loop, *way, error);
    if (status != ACCP_STATUS_OK) free(*way);
    return status;
}

static void fill(const struct accp_code *code, const struct accp_loop *loop,
                 const struct accp_chain *chain, struct accp_shape *shape)
{
    count_loop(code, loop, shape);
    accp_normal_hash(code, loop, shape->loop.hash, shape->loop.control_hash);
    accp_exact_hash(code, loop, shape->loop.exact_hash);
    shape->ffma = chain->clock_reads > 0 ? chain->timed_ffmas : chain->ffmas;
    shape->ffma_in_loop = chain->ffmas;
    shape->accumulators = chain->accumulators;
    shape->depth = chain->depth;
    shape->clock_reads = chain->clock_reads;
    shape->split_pairs = chain->split_pairs;
}

enum accp_status accp_shape_of_code(const struct accp_cubin *cubin, const struct accp_code *code,
                                    const struct accp_role *role,
                                    const struct accp_shape_options *options,
                                    struct accp_shape *shape, struct accp_error *error)
{
    memset(shape, 0, sizeof *shape);
    if (strlen(code->kernel->name) >= sizeof shape->kernel)
        return accp_fail(error, ACCP_STATUS_UNSUPPORTED, NULL, -1,
                         "a kernel's symbol is longer than %zu bytes", sizeof shape->kernel - 1);
    const struct accp_loop *loop;
    struct accp_chain chain;
    bool *way;
    if (!role) role = accp_role_find(code->kernel->name);
    ACCP_TRY(accp_chain_find_loop(code, role, options ? options->loop_address : -1, &loop, error));
    ACCP_TRY(accp_chain_analyse(code, loop, &chain, error));
    ACCP_TRY(find_way(code, loop, role, &way, error));
    memcpy(shape->kernel, code->kernel->name, strlen(code->kernel->name) + 1);
    count_kernel(cubin, code, way, options ? options->warps : 0, shape);
    fill(code, loop, &chain, shape);
    if (role) {
        snprintf(shape->role, sizeof shape->role, "%s", role->name);
        apply_laws(code, loop, &chain, role, way, shape);
    }
    free(way);
    return ACCP_STATUS_OK;
}

enum accp_status accp_shape_make(const struct accp_cubin *cubin, const struct accp_kernel *kernel,
                                 const struct accp_role *role,
                                 const struct accp_shape_options *options, struct accp_shape *shape,
                                 struct accp_error *error)
{
    struct accp_code code;
    ACCP_TRY(accp_code_init(cubin, kernel, &code, error));
    enum accp_status status = accp_shape_of_code(cubin, &code, role, options, shape, error);
    accp_code_fini(&code);
    return status;
}

enum accp_shape_law accp_shape_first_broken(const struct accp_shape *shape)
{
    for (int law = 0; law < ACCP_SHAPE_LAW_COUNT; ++law)
        if (shape->laws[law].state == ACCP_SHAPE_LAW_BROKEN) return (enum accp_shape_law)law;
    return ACCP_SHAPE_LAW_COUNT;
}

bool accp_shape_is_shared(const struct accp_shape *shape)
{
    const struct accp_role *role = accp_role_find(shape->role);
    return role && role->dispatch != ACCP_DISPATCH_ALONE;
}

const char *accp_shape_key(const struct accp_shape *shape)
{
    return accp_shape_is_shared(shape) ? shape->role : shape->kernel;
}
