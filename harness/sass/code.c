#include "sass/code.h"

#include "sass/loops.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool accp_instruction_is_floating_point(const struct accp_instruction *instruction)
{
    switch (accp_instruction_class(instruction)) {
    case ACCP_CLASS_FP32:
    case ACCP_CLASS_FP64:
    case ACCP_CLASS_TENSOR:
        return true;
    case ACCP_CLASS_HALF: /* HFMA2 R, -RZ, RZ, 0, 0 loads a constant */
        for (int i = 0; i < instruction->operand_count; ++i)
            if (instruction->operands[i].slot != ACCP_SLOT_NONE &&
                instruction->operands[i].index != ACCP_REGISTER_ZERO)
                return true;
        return false;
    default:
        return false;
    }
}

size_t accp_code_target(const struct accp_code *code, size_t index)
{
    const struct accp_instruction *instruction = &code->instructions[index];
    int64_t here = (int64_t)(index * ACCP_INSTRUCTION_BYTES);
    int64_t target = here + instruction->target_bytes;
    if (!instruction->has_target || target < 0 || target % ACCP_INSTRUCTION_BYTES != 0 ||
        (uint64_t)target / ACCP_INSTRUCTION_BYTES >= code->count)
        return SIZE_MAX;
    return (size_t)target / ACCP_INSTRUCTION_BYTES;
}

/* Executed by every thread that gets there: no guard, and no predicate or register among the
 * operands. */
static bool is_unconditional(const struct accp_instruction *instruction)
{
    if (instruction->guard != ACCP_PREDICATE_TRUE || instruction->guard_negated) return false;
    for (int i = 0; i < instruction->operand_count; ++i) {
        const struct accp_operand *operand = &instruction->operands[i];
        bool is_predicate = operand->kind == ACCP_OPERAND_PREDICATE ||
                            operand->kind == ACCP_OPERAND_UNIFORM_PREDICATE;
        if (is_predicate && (operand->index != ACCP_PREDICATE_TRUE || operand->negated))
            return false;
        if (operand->kind == ACCP_OPERAND_UNIFORM && instruction->opcode == ACCP_OPCODE_BRA)
            return false; /* BRA.DIV */
    }
    return true;
}

int accp_code_successors(const struct accp_code *code, size_t index, size_t next[2])
{
    const struct accp_instruction *instruction = &code->instructions[index];
    enum accp_opcode opcode = instruction->opcode;
    int count = 0;
    bool ends = opcode == ACCP_OPCODE_BRA || opcode == ACCP_OPCODE_BRX ||
                opcode == ACCP_OPCODE_BRXU || opcode == ACCP_OPCODE_RET ||
                opcode == ACCP_OPCODE_EXIT;
    if ((!ends || !is_unconditional(instruction)) && index + 1 < code->count)
        next[count++] = index + 1;
    if (opcode == ACCP_OPCODE_BRA || opcode == ACCP_OPCODE_WARPSYNC) {
        size_t target = accp_code_target(code, index);
        if (target != SIZE_MAX) next[count++] = target;
    }
    return count;
}

static enum accp_status decode_all(struct accp_code *code, struct accp_error *error)
{
    for (size_t i = 0; i < code->count; ++i) {
        ACCP_TRY(accp_sass_decode(code->sm, code->kernel->code + i * ACCP_INSTRUCTION_BYTES,
                                  &code->instructions[i], error));
        code->unknown += code->instructions[i].opcode == ACCP_OPCODE_UNKNOWN;
    }
    return ACCP_STATUS_OK;
}

enum accp_status accp_code_init(const struct accp_cubin *cubin, const struct accp_kernel *kernel,
                                struct accp_code *code, struct accp_error *error)
{
    *code = (struct accp_code){
        .kernel = kernel, .sm = cubin->sm, .count = kernel->code_bytes / ACCP_INSTRUCTION_BYTES};
    if (code->count > ACCP_CODE_INSTRUCTIONS)
        return accp_fail(error, ACCP_STATUS_UNSUPPORTED, kernel->name, -1,
                         "has %zu instructions, and this reads kernels of up to %d", code->count,
                         ACCP_CODE_INSTRUCTIONS);
    code->instructions = malloc((code->count + !code->count) * sizeof *code->instructions);
    enum accp_status status = code->instructions ? decode_all(code, error)
                                                 : accp_fail(error, ACCP_STATUS_MEMORY,
                                                             kernel->name, -1, "out of memory");
    if (status == ACCP_STATUS_OK) status = accp_code_find_loops(code, error);
    if (status != ACCP_STATUS_OK) accp_code_fini(code);
    return status;
}

void accp_code_fini(struct accp_code *code)
{
    for (size_t i = 0; i < code->loop_count; ++i)
        free(code->loops[i].is_member);
    free(code->loops);
    free(code->instructions);
    memset(code, 0, sizeof *code);
}

static void name_loops(const struct accp_code *code, char *text, size_t text_bytes)
{
    text[0] = 0;
    for (size_t i = 0; i < code->loop_count && i < 16; ++i) {
        size_t used = strlen(text);
        snprintf(text + used, text_bytes - used, "%s0x%zx (%d)", i ? ", " : "",
                 code->loops[i].head * ACCP_INSTRUCTION_BYTES, code->loops[i].floating_point);
    }
}

static enum accp_status loop_at(const struct accp_code *code, int64_t address,
                                const struct accp_loop **loop, struct accp_error *error)
{
    for (size_t i = 0; i < code->loop_count; ++i)
        if ((int64_t)(code->loops[i].head * ACCP_INSTRUCTION_BYTES) == address) {
            *loop = &code->loops[i];
            return ACCP_STATUS_OK;
        }
    char names[ACCP_ERROR_TEXT_BYTES / 2];
    name_loops(code, names, sizeof names);
    return accp_fail(error, ACCP_STATUS_INPUT, code->kernel->name, address,
                     "has no loop at 0x%" PRIx64 "; its loops (floating-point instructions): %s",
                     (uint64_t)address, names);
}

enum accp_status accp_code_hot_loop(const struct accp_code *code, int64_t address,
                                    const struct accp_loop **loop, struct accp_error *error)
{
    *loop = NULL;
    if (code->loop_count == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, code->kernel->name, -1,
                         "has no loop, and what is asked here is asked of a loop");
    if (address >= 0) return loop_at(code, address, loop, error);
    const struct accp_loop *best = &code->loops[0];
    size_t equals = 0;
    for (size_t i = 1; i < code->loop_count; ++i) {
        if (code->loops[i].floating_point == best->floating_point) ++equals;
        if (code->loops[i].floating_point <= best->floating_point) continue;
        best = &code->loops[i];
        equals = 0;
    }
    *loop = best;
    if (equals == 0) return ACCP_STATUS_OK;
    *loop = NULL;
    char names[ACCP_ERROR_TEXT_BYTES / 2];
    name_loops(code, names, sizeof names);
    return accp_fail(
        error, ACCP_STATUS_INPUT, code->kernel->name, -1,
        "has %zu loops, and none has more floating-point instructions than all others: "
        "choose one with --loop: %s",
        code->loop_count, names);
}

enum accp_status accp_code_list(const struct accp_code *code, const struct accp_loop *loop,
                                FILE *out, struct accp_error *error)
{
    for (size_t i = 0; i < code->count; ++i) {
        const struct accp_control *control = &code->instructions[i].control;
        char text[ACCP_INSTRUCTION_TEXT_BYTES];
        char write =
            control->write_barrier < ACCP_SCOREBOARDS ? (char)('0' + control->write_barrier) : '-';
        char read =
            control->read_barrier < ACCP_SCOREBOARDS ? (char)('0' + control->read_barrier) : '-';
        accp_instruction_text(&code->instructions[i], i * ACCP_INSTRUCTION_BYTES, text,
                              sizeof text);
        fprintf(out, "%c %05zx  %2d %c %c %c %02x  %s\n", loop && loop->is_member[i] ? '|' : ' ',
                i * ACCP_INSTRUCTION_BYTES, control->stall_cycles, control->yield ? 'Y' : '-',
                write, read, control->wait_mask, text);
    }
    if (fflush(out) == 0 && !ferror(out)) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_IO, NULL, -1, "cannot write the listing");
}
