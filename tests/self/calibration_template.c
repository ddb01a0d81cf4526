#include "calibration_template.h"

#include "calibration_parameters.h"
#include "calibration_text.h"
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Stall counts that let any result be read: MICRO 2025 (arXiv 2503.20481) and sass/decode.h. */
enum { SAFE_STALL = 6, BRANCH_STALL = 5, WAIT_STALL = 2, WAIT_FOR_ALL = 0x3f };
/* The last two registers are the system's: a loop that wrote them ended in a fault on an H200. */
enum { OWN_REGISTERS = ACCP_CALIBRATION_REGISTERS - 2 };
enum { KINDS = ACCP_OPERAND_UNIFORM_PREDICATE + 1 };

/* Registers and predicates by kind and number. */
struct set {
    bool has[KINDS][ACCP_REGISTER_ZERO + 1];
};

/* What a patch needs to know of a loop. */
struct plan {
    struct set written, named; /* by the loop */
    int aside[ACCP_CALIBRATION_REGISTERS],
        kept[ACCP_CALIBRATION_REGISTERS]; /* register, its place */
    int count;                            /* of these */
};

static uint64_t control(unsigned stall, unsigned wait_mask)
{
    return (uint64_t)(stall | 1U << 4 | 7U << 5 | 7U << 8 | wait_mask << 11) << 41;
}

/* The operand of an FFMA that reads what the FFMA before it wrote; -1: not so. */
static int find_link(const struct accp_instruction *previous, const struct accp_instruction *at)
{
    if (previous->opcode != ACCP_OPCODE_FFMA || at->opcode != ACCP_OPCODE_FFMA) return -1;
    for (int i = 1; i < at->operand_count; ++i)
        if (at->operands[i].kind == ACCP_OPERAND_REGISTER &&
            at->operands[i].index == previous->operands[0].index)
            return i;
    return -1;
}

/* The longest chain of FFMAs, one after the other. */
static void find_slots(struct calibration_template *template)
{
    const struct accp_code *code = &template->code;
    for (size_t i = 0, end; i + 1 < code->count; i = end) {
        const struct accp_instruction *first = &code->instructions[i];
        const int link = find_link(first, first + 1);
        end = i + 1;
        while (link > 0 && end < code->count &&
               find_link(&code->instructions[end - 1], &code->instructions[end]) > 0)
            ++end;
        if (link < 0 || end - i <= template->count) continue;
        template->first = i;
        template->count = end - i;
        template->counter_in = first->operands[link].index;
        template->counter_out = code->instructions[end - 1].operands[0].index;
    }
}

static enum accp_status read_template(const char *path, const char *symbol, size_t slots,
                                      int registers, struct calibration_template *template,
                                      struct accp_error *error)
{
    const struct accp_kernel *kernel;
    ACCP_TRY(accp_cubin_open(path, template->cubin.data, template->cubin.size, &template->opened,
                             error));
    ACCP_TRY(accp_cubin_pick(&template->opened, path, symbol, &kernel, error));
    if (template->opened.sm != 90)
        return accp_fail(error, ACCP_STATUS_INPUT, path, -1,
                         "is for %s; loops and codes are written in the instructions of sm_90",
                         template->opened.arch_name);
    ACCP_TRY(accp_code_init(&template->opened, kernel, &template->code, error));
    find_slots(template);
    if (template->count < slots || kernel->registers < registers)
        return accp_fail(error, ACCP_STATUS_INPUT, path, -1,
                         "holds %zu FFMAs in a row and %d registers, where %zu and %d are needed: "
                         "compile kernels/calibration anew",
                         template->count, kernel->registers, slots, registers);
    template->compiled = malloc(kernel->code_bytes);
    if (!template->compiled)
        return accp_fail(error, ACCP_STATUS_MEMORY, path, -1, "no memory for its code");
    memcpy(template->compiled, kernel->code, kernel->code_bytes);
    return ACCP_STATUS_OK;
}

enum accp_status calibration_template_init(const char *path, const char *symbol, size_t slots,
                                           int registers, struct calibration_template *template,
                                           struct accp_error *error)
{
    *template = (struct calibration_template){0};
    ACCP_TRY(accp_file_read(path, ACCP_CUBIN_LIMIT_BYTES, &template->cubin, error));
    const enum accp_status status = read_template(path, symbol, slots, registers, template, error);
    if (status != ACCP_STATUS_OK) calibration_template_fini(template);
    return status;
}

void calibration_template_fini(struct calibration_template *template)
{
    accp_code_fini(&template->code);
    accp_cubin_close(&template->opened);
    accp_bytes_fini(&template->cubin);
    free(template->compiled);
    *template = (struct calibration_template){0};
}

static bool names(const struct accp_operand *operand, int kind, int index)
{
    return (int)operand->kind == kind && index >= operand->index &&
           index < operand->index + operand->count;
}

/* What instruction `at` does to a register or predicate. */
static void look(const struct accp_instruction *at, int kind, int index, bool *reads, bool *writes)
{
    const int guard = at->guard_uniform ? ACCP_OPERAND_UNIFORM_PREDICATE : ACCP_OPERAND_PREDICATE;
    *reads = kind == guard && at->guard == index;
    *writes = false;
    for (int i = 0; i < at->operand_count; ++i) {
        if (!names(&at->operands[i], kind, index)) continue;
        if (at->operands[i].written)
            *writes = at->guard == ACCP_PREDICATE_TRUE;
        else
            *reads = true;
    }
}

bool calibration_template_needs(const struct calibration_template *template, int kind, int index)
{
    const struct accp_code *code = &template->code;
    const size_t end = template->first + template->count;
    bool *seen = calloc(code->count, sizeof *seen);
    size_t *todo = calloc(2 * code->count + 1, sizeof *todo), waiting = 0;
    bool needed = !seen || !todo; /* no memory: say the worst */
    if (!needed) todo[waiting++] = end;
    while (waiting > 0 && !needed) {
        const size_t at = todo[--waiting];
        if (at >= code->count || seen[at] || (at >= template->first && at < end)) continue;
        bool reads, writes;
        size_t next[2];
        seen[at] = true;
        look(&code->instructions[at], kind, index, &reads, &writes);
        needed = reads;
        const int ways = writes ? 0 : accp_code_successors(code, at, next);
        for (int i = 0; i < ways; ++i)
            todo[waiting++] = next[i];
    }
    free(seen);
    free(todo);
    return needed;
}

static enum accp_status survey(const struct calibration_loop *loop, struct plan *plan,
                               struct accp_error *error)
{
    for (size_t i = 0; i < loop->count; ++i) {
        struct accp_instruction at;
        ACCP_TRY(accp_sass_decode(90, loop->code[i], &at, error));
        for (int k = 0; k < at.operand_count; ++k) {
            const struct accp_operand *operand = &at.operands[k];
            if ((int)operand->kind >= KINDS) continue;
            for (int index = operand->index;
                 index < operand->index + operand->count && index < ACCP_REGISTER_ZERO; ++index) {
                if (operand->kind == ACCP_OPERAND_REGISTER && index >= OWN_REGISTERS)
                    return accp_fail(error, ACCP_STATUS_INPUT, loop->group, loop->number,
                                     "loop %d names R%d, and the template has %d registers to give",
                                     loop->number, index, OWN_REGISTERS);
                plan->named.has[operand->kind][index] = true;
                if (operand->written) plan->written.has[operand->kind][index] = true;
            }
        }
    }
    return ACCP_STATUS_OK;
}

/* A register that neither the loop names nor the kernel needs; -1: none. */
static int find_free(const struct calibration_template *template, const struct plan *plan)
{
    for (int index = OWN_REGISTERS - 1; index > 0; --index) {
        bool is_free = !plan->named.has[ACCP_OPERAND_REGISTER][index] &&
                       index != CALIBRATION_COUNTER && index != template->counter_in &&
                       !calibration_template_needs(template, ACCP_OPERAND_REGISTER, index);
        for (int i = 0; i < plan->count && is_free; ++i)
            is_free = plan->kept[i] != index;
        if (is_free) return index;
    }
    return -1;
}

static enum accp_status make_plan(const struct calibration_template *template,
                                  const struct calibration_loop *loop, struct plan *plan,
                                  struct accp_error *error)
{
    ACCP_TRY(survey(loop, plan, error));
    plan->written.has[ACCP_OPERAND_REGISTER][CALIBRATION_COUNTER] = true;
    for (int kind = 0; kind < KINDS; ++kind)
        for (int index = 0; index < ACCP_REGISTER_ZERO; ++index) {
            const bool is_predicate =
                kind == ACCP_OPERAND_PREDICATE || kind == ACCP_OPERAND_UNIFORM_PREDICATE;
            if (!plan->written.has[kind][index] || (is_predicate && index == ACCP_PREDICATE_TRUE) ||
                (kind == ACCP_OPERAND_REGISTER && index == template->counter_out) ||
                !calibration_template_needs(template, kind, index))
                continue;
            const int place =
                kind == ACCP_OPERAND_REGISTER && plan->count < ACCP_CALIBRATION_REGISTERS
                    ? find_free(template, plan)
                    : -1;
            if (place < 0)
                return accp_fail(error, ACCP_STATUS_INPUT, loop->group, loop->number,
                                 "loop %d overwrites %s%d, which the template still needs",
                                 loop->number, kind == ACCP_OPERAND_REGISTER ? "R" : "UR or P ",
                                 index);
            plan->aside[plan->count] = index;
            plan->kept[plan->count++] = place;
        }
    return ACCP_STATUS_OK;
}

static void move(const struct accp_subject *subject, size_t at, int to, int from)
{
    const uint64_t words[2] = {0x7202 | (uint64_t)to << 16 | (uint64_t)from << 32,
                               0x0f00 | control(SAFE_STALL, 0)};
    accp_subject_put(subject, at, words);
}

static void wait_for_all(const struct accp_subject *subject, size_t at)
{
    const uint64_t words[2] = {0x7918, control(WAIT_STALL, WAIT_FOR_ALL)};
    accp_subject_put(subject, at, words);
}

static void jump(const struct accp_subject *subject, size_t at, size_t to)
{
    uint64_t words[2] = {0x7947, 0x03800000 | control(BRANCH_STALL, 0)};
    calibration_aim(words, (int64_t)to - (int64_t)at);
    accp_subject_put(subject, at, words);
}

enum accp_status calibration_patch(struct calibration_template *template,
                                   const struct calibration_loop *loop, struct accp_error *error)
{
    const struct accp_kernel *kernel = template->code.kernel;
    const size_t offset = (size_t)(kernel->code - template->cubin.data);
    const struct accp_subject subject = {.code = template->cubin.data + offset,
                                         .decoded = &template->code};
    const size_t end = template->first + template->count;
    struct plan plan = {.count = 0};
    memcpy(subject.code, template->compiled, kernel->code_bytes);
    ACCP_TRY(make_plan(template, loop, &plan, error));

    size_t at = template->first;
    wait_for_all(&subject, at++);
    for (int i = 0; i < plan.count; ++i)
        move(&subject, at++, plan.kept[i], plan.aside[i]);
    move(&subject, at++, CALIBRATION_COUNTER, template->counter_in);
    size_t head = at + 1;
    while (head % CALIBRATION_LINE != (size_t)loop->position)
        ++head;
    if (head + loop->count + (size_t)plan.count + 3 > end)
        return accp_fail(error, ACCP_STATUS_INPUT, loop->group, loop->number,
                         "loop %d has %zu instructions: the template has no room for it",
                         loop->number, loop->count);
    jump(&subject, at, head);
    memcpy(subject.code + head * ACCP_INSTRUCTION_BYTES, loop->code,
           loop->count * ACCP_INSTRUCTION_BYTES);
    at = head + loop->count;
    wait_for_all(&subject, at++);
    move(&subject, at++, template->counter_out, CALIBRATION_COUNTER);
    for (int i = 0; i < plan.count; ++i)
        move(&subject, at++, plan.aside[i], plan.kept[i]);
    jump(&subject, at, end);
    return ACCP_STATUS_OK;
}

void calibration_measured(const struct calibration_template *template,
                          const struct accp_run_device *facts,
                          char text[CALIBRATION_MEASURED_BYTES])
{
    char date[16];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    snprintf(text, CALIBRATION_MEASURED_BYTES,
             "%s: %s (%lld SMs, %s, %.0f MHz), driver %s; template kernel of %s %s", date,
             facts->name, (long long)facts->sm_count, facts->arch, facts->sm_clock_max_mhz,
             facts->driver, template->opened.compiler_name, template->opened.compiler_version);
}
