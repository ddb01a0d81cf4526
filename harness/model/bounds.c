#include "model/bounds.h"

#include "base/word.h"

#include <string.h>

static const struct accp_word words[ACCP_BOUND_COUNT] = {ACCP_BOUND_TABLE(ACCP_WORD)};

const char *accp_bound_name(enum accp_bound bound)
{
    return words[bound].name;
}

const char *accp_bound_meaning(enum accp_bound bound)
{
    return words[bound].meaning;
}

/* Registers that a warp alone reads from each bank in an iteration. A branch leaves the latches empty. */
static void count_reads(const struct accp_model_program *program, int reads[ACCP_MODEL_BANKS])
{
    int held[ACCP_MODEL_LATCHES];
    memset(held, -1, sizeof held);
    for (int i = 0; i < program->count; ++i) {
        const struct accp_model_instruction *instruction = &program->instructions[i];
        if (instruction->jumps) memset(held, -1, sizeof held);
        if (!instruction->executed || instruction->unit >= ACCP_UNIT_CONSTANT) continue;
        for (int k = 0; k < instruction->read_count; ++k) {
            const struct accp_model_read *read = &instruction->reads[k];
            bool needed = !read->latches;
            for (int latch = 0; latch < ACCP_MODEL_LATCHES; ++latch)
                needed |= read->latches >> latch & 1 && held[latch] != read->reg;
            reads[read->reg % ACCP_MODEL_BANKS] += needed;
        }
        for (int k = 0; k < instruction->read_count; ++k)
            for (int latch = 0; latch < ACCP_MODEL_LATCHES; ++latch)
                if (instruction->reads[k].latches >> latch & 1)
                    held[latch] = instruction->kept >> latch & 1 ? instruction->reads[k].reg : -1;
    }
}

void accp_bounds_fill(const struct accp_model_program *program,
                      const struct accp_model_parameters *parameters, int scheduler_warps,
                      int warps, double bounds[ACCP_BOUND_COUNT])
{
    int of[ACCP_UNIT_COUNT] = {0}, reads[ACCP_MODEL_BANKS] = {0}, stalls = 0, issued = 0;
    for (int i = 0; i < program->count; i = program->instructions[i].next) {
        ++of[program->instructions[i].unit];
        stalls += program->instructions[i].wait_cycles + program->instructions[i].pauses;
        ++issued;
    }
    count_reads(program, reads);
    const int heavy = of[ACCP_UNIT_HEAVY] * parameters->fma_cycles +
                      of[ACCP_UNIT_WIDE] * (parameters->fma_cycles + parameters->wide_held_cycles) +
                      of[ACCP_UNIT_HALF] * parameters->fma_cycles;
    const int halves = parameters->fma_pipes > 1 ? of[ACCP_UNIT_HALF] : 0;
    const int fma = heavy + (of[ACCP_UNIT_FMA] + halves) * parameters->fma_cycles;
    const double each = scheduler_warps;
    bounds[ACCP_BOUND_ISSUE] = each * issued;
    bounds[ACCP_BOUND_FMA] = each * fma / parameters->fma_pipes;
    bounds[ACCP_BOUND_HEAVY] = parameters->fma_pipes > 1 ? each * heavy : 0;
    bounds[ACCP_BOUND_ALU] = each * of[ACCP_UNIT_ALU] * parameters->alu_cycles;
    bounds[ACCP_BOUND_UNIFORM] = each * of[ACCP_UNIT_UNIFORM] * parameters->uniform_cycles;
    bounds[ACCP_BOUND_FP64] = each * of[ACCP_UNIT_FP64] * parameters->fp64_cycles;
    bounds[ACCP_BOUND_SFU] = each * of[ACCP_UNIT_SFU] * parameters->sfu_cycles;
    const int queue =
        (of[ACCP_UNIT_CONSTANT] + of[ACCP_UNIT_SPECIAL_UNIFORM]) * parameters->shared_cycles +
        of[ACCP_UNIT_SPECIAL] * parameters->special_shared_cycles;
    const int special = of[ACCP_UNIT_SPECIAL] * parameters->shared_cycles;
    bounds[ACCP_BOUND_SHARED] = (double)warps * (queue > special ? queue : special);
    bounds[ACCP_BOUND_EVEN] = each * reads[0];
    bounds[ACCP_BOUND_ODD] = each * reads[1];
    bounds[ACCP_BOUND_STALLS] = stalls;
}
