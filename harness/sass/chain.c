#include "sass/chain.h"

#include "sass/dealt.h"

#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 256, NOTHING = -1 };

/* What the last writer of a register was, for one 32-bit register. */
struct definition {
    int depth;    /* FMAs in the chain that ends here; 0: not an FMA */
    int clock;    /* number of the clock read whose value this is; NOTHING */
    int multiply; /* index into `products` of the FMUL whose result this is; NOTHING */
};

/* An FMUL of the iteration, and who read its product. */
struct product {
    size_t index;
    int adds, others;
};

struct analysis {
    const struct accp_code *code;
    struct accp_chain *chain;
    struct definition general[REGISTERS], uniform[REGISTERS];
    struct product *products;
    int product_count;
    size_t *clock_index;   /* of each clock read */
    size_t *ffma_position; /* place in the order of execution, of each FMA lane */
    size_t *ffma_index;
    size_t *clock_position;
    int subtracted_from, subtracted; /* clock reads in the first subtraction of one from another */
};

static struct definition *definition_of(struct analysis *analysis,
                                        const struct accp_operand *operand, int lane)
{
    bool is_register = operand->kind == ACCP_OPERAND_REGISTER;
    if ((!is_register && operand->kind != ACCP_OPERAND_UNIFORM) ||
        operand->index == ACCP_REGISTER_ZERO || operand->index + lane >= ACCP_REGISTER_ZERO)
        return NULL;
    return &(is_register ? analysis->general : analysis->uniform)[operand->index + lane];
}

static struct definition plain_definition(void)
{
    return (struct definition){.depth = 0, .clock = NOTHING, .multiply = NOTHING};
}

static void define(struct analysis *analysis, const struct accp_operand *operand,
                   struct definition definition)
{
    for (int lane = 0; lane < operand->count; ++lane) {
        struct definition *slot = definition_of(analysis, operand, lane);
        if (slot) *slot = definition;
    }
}

/* Lane `lane` of an FMA: its chain is the longest of those that it reads, and one more. */
static struct definition fma_lane(struct analysis *analysis,
                                  const struct accp_instruction *instruction, int lane)
{
    int depth = 0;
    for (int i = 0; i < instruction->operand_count; ++i) {
        const struct accp_operand *operand = &instruction->operands[i];
        const struct definition *source =
            operand->written ? NULL
                             : definition_of(analysis, operand, lane < operand->count ? lane : 0);
        if (source && source->depth > depth) depth = source->depth;
    }
    struct accp_chain *chain = analysis->chain;
    ++chain->ffmas;
    chain->accumulators += depth == 0;
    if (depth + 1 > chain->depth) chain->depth = depth + 1;
    struct definition definition = plain_definition();
    definition.depth = depth + 1;
    return definition;
}

static void step_fma(struct analysis *analysis, const struct accp_instruction *instruction,
                     size_t index, size_t position)
{
    struct definition lanes[2];
    int count = accp_instruction_ffmas(instruction);
    for (int lane = 0; lane < count; ++lane) {
        lanes[lane] = fma_lane(analysis, instruction, lane);
        analysis->ffma_position[analysis->chain->ffmas - 1] = position;
        analysis->ffma_index[analysis->chain->ffmas - 1] = index;
    }
    for (int lane = 0; lane < count; ++lane) {
        struct definition *slot = definition_of(analysis, &instruction->operands[0], lane);
        if (slot) *slot = lanes[lane];
    }
}

/* A copy, in any of the ways in which ptxas writes one: the register that is copied, else NULL. */
static const struct accp_operand *copied_operand(const struct accp_instruction *instruction)
{
    const struct accp_operand *found = NULL;
    bool is_multiply = instruction->opcode == ACCP_OPCODE_IMAD;
    if (accp_instruction_class(instruction) != ACCP_CLASS_MOVE &&
        instruction->opcode != ACCP_OPCODE_UMOV && !is_multiply)
        return NULL;
    for (int i = 0; i < instruction->operand_count; ++i) {
        const struct accp_operand *operand = &instruction->operands[i];
        if (operand->written ||
            (operand->kind != ACCP_OPERAND_REGISTER && operand->kind != ACCP_OPERAND_UNIFORM))
            continue;
        if (is_multiply && (operand->slot == ACCP_SLOT_A || operand->slot == ACCP_SLOT_B)) {
            if (operand->index != ACCP_REGISTER_ZERO) return NULL;
            continue;
        }
        if (found) return NULL;
        found = operand;
    }
    return found;
}

/* Two clock reads in one subtraction: the negated one is where the timed work begins. */
static void note_subtraction(struct analysis *analysis, const struct accp_instruction *instruction)
{
    int from = NOTHING, taken = NOTHING;
    for (int i = 0; i < instruction->operand_count; ++i) {
        const struct accp_operand *operand = &instruction->operands[i];
        const struct definition *source =
            operand->written ? NULL : definition_of(analysis, operand, 0);
        if (!source || source->clock == NOTHING) continue;
        if (operand->negated)
            taken = source->clock;
        else
            from = source->clock;
    }
    if (from == NOTHING || taken == NOTHING || from == taken || analysis->subtracted != NOTHING)
        return;
    analysis->subtracted_from = from;
    analysis->subtracted = taken;
}

static void note_product_reads(struct analysis *analysis,
                               const struct accp_instruction *instruction)
{
    bool is_add = instruction->opcode == ACCP_OPCODE_FADD;
    for (int i = 0; i < instruction->operand_count; ++i) {
        const struct accp_operand *operand = &instruction->operands[i];
        if (operand->written) continue;
        for (int lane = 0; lane < operand->count; ++lane) {
            const struct definition *source = definition_of(analysis, operand, lane);
            if (!source || source->multiply == NOTHING) continue;
            struct product *product = &analysis->products[source->multiply];
            ++*(is_add ? &product->adds : &product->others);
        }
    }
}

static struct definition result_of(struct analysis *analysis,
                                   const struct accp_instruction *instruction, size_t index,
                                   size_t position)
{
    struct definition result = plain_definition();
    const struct accp_operand *copied = copied_operand(instruction);
    const struct definition *source = copied ? definition_of(analysis, copied, 0) : NULL;
    if (source) result = *source;
    if (accp_instruction_reads_clock(instruction)) {
        result.clock = analysis->chain->clock_reads++;
        analysis->clock_index[result.clock] = index;
        analysis->clock_position[result.clock] = position;
    }
    if (instruction->opcode == ACCP_OPCODE_FMUL) {
        result.multiply = analysis->product_count++;
        analysis->products[result.multiply] = (struct product){.index = index};
    }
    return result;
}

static void step(struct analysis *analysis, size_t index, size_t position)
{
    const struct accp_instruction *instruction = &analysis->code->instructions[index];
    note_product_reads(analysis, instruction);
    note_subtraction(analysis, instruction);
    if (accp_instruction_ffmas(instruction) > 0) {
        step_fma(analysis, instruction, index, position);
        return;
    }
    struct definition result = result_of(analysis, instruction, index, position);
    for (int i = 0; i < instruction->operand_count; ++i)
        if (instruction->operands[i].written) define(analysis, &instruction->operands[i], result);
}

/* Is `position` on the way from `begin` to `end`, both of which may lie either way round in the
 * cycle? */
static bool is_between(size_t begin, size_t position, size_t end)
{
    return begin < end ? position > begin && position < end : position > begin || position < end;
}

static void time_ffmas(struct analysis *analysis)
{
    struct accp_chain *chain = analysis->chain;
    if (chain->clock_reads == 0) {
        if (chain->ffmas > 0) chain->first_outside = analysis->ffma_index[0];
        return;
    }
    int begin = 0, end = chain->clock_reads > 1 ? 1 : 0;
    if (analysis->subtracted != NOTHING) {
        begin = analysis->subtracted;
        end = analysis->subtracted_from;
    }
    chain->timed_begin = analysis->clock_index[begin];
    chain->timed_end = analysis->clock_index[end];
    for (int i = 0; i < chain->ffmas; ++i)
        if (is_between(analysis->clock_position[begin], analysis->ffma_position[i],
                       analysis->clock_position[end]))
            ++chain->timed_ffmas;
        else if (chain->first_outside == SIZE_MAX)
            chain->first_outside = analysis->ffma_index[i];
}

static void count_split_pairs(const struct analysis *analysis)
{
    struct accp_chain *chain = analysis->chain;
    for (int i = 0; i < analysis->product_count; ++i) {
        const struct product *product = &analysis->products[i];
        if (product->adds == 0 || product->others > 0) continue;
        if (chain->split_pairs++ == 0) chain->first_split = product->index;
    }
}

static void walk(struct analysis *analysis, const struct accp_loop *loop)
{
    size_t position = 0;
    for (size_t i = 0; i < REGISTERS; ++i)
        analysis->general[i] = analysis->uniform[i] = plain_definition();
    for (size_t i = loop->head; i < analysis->code->count; ++i)
        if (loop->is_member[i]) step(analysis, i, position++);
    for (size_t i = 0; i < loop->head; ++i)
        if (loop->is_member[i]) step(analysis, i, position++);
    time_ffmas(analysis);
    count_split_pairs(analysis);
}

enum accp_status accp_chain_analyse(const struct accp_code *code, const struct accp_loop *loop,
                                    struct accp_chain *chain, struct accp_error *error)
{
    *chain = (struct accp_chain){.first_split = SIZE_MAX,
                                 .timed_begin = SIZE_MAX,
                                 .timed_end = SIZE_MAX,
                                 .first_outside = SIZE_MAX};
    size_t count = loop->instructions + 1;
    struct analysis *analysis = malloc(sizeof *analysis);
    struct product *products = malloc(count * sizeof *products);
    size_t *sizes = malloc(6 * count * sizeof *sizes);
    if (analysis && products && sizes) {
        *analysis = (struct analysis){.code = code,
                                      .chain = chain,
                                      .products = products,
                                      .clock_index = sizes,
                                      .clock_position = sizes + count,
                                      .ffma_position = sizes + 2 * count, /* two lanes each */
                                      .ffma_index = sizes + 4 * count,
                                      .subtracted_from = NOTHING,
                                      .subtracted = NOTHING};
        walk(analysis, loop);
    }
    bool failed = !analysis || !products || !sizes;
    free(analysis);
    free(products);
    free(sizes);
    return failed ? accp_fail(error, ACCP_STATUS_MEMORY, code->kernel->name, -1, "out of memory")
                  : ACCP_STATUS_OK;
}

enum accp_status accp_chain_find_loop(const struct accp_code *code, const struct accp_role *role,
                                      int64_t address, const struct accp_loop **loop,
                                      struct accp_error *error)
{
    if (!role || role->dispatch == ACCP_DISPATCH_ALONE || address >= 0)
        return accp_code_hot_loop(code, address, loop, error);
    return accp_dealt_loop(code, role, loop, error);
}
