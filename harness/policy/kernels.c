#include "policy/kernels.h"

#include "model/explain.h"
#include "policy/answer.h"
#include "sass/code.h"
#include "sass/shape.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, ACC_MOST = 64, WARPS_UNSTATED = 4, GROUPS_MOST = 256 };

bool accp_policy_kernels_name(const char *symbol, char name[ACCP_NAME_BYTES], int *acc)
{
    const char *at = symbol;
    while ((at = strstr(at, "acc")) != NULL && !isdigit((unsigned char)at[3]))
        at += 3;
    if (!at || strlen(symbol) >= ACCP_NAME_BYTES) return false;
    char *end;
    const unsigned long number = strtoul(at + 3, &end, 10);
    if (number < 1 || number > ACC_MOST || at[3] == '0') return false;
    *acc = (int)number;
    snprintf(name, ACCP_NAME_BYTES, "%.*s*%s", (int)(at + 3 - symbol), symbol, end);
    return true;
}

/* Cycles that an access of a whole warp keeps the SM's path to shared memory and L1: 128 bytes in a cycle (32 banks of 4
 * bytes; CUDA C++ Programming Guide, "Shared Memory"), as if no two lanes asked for the same word. */
static int memory_path_cycles(const struct accp_instruction *instruction)
{
    char mnemonic[64];
    switch (accp_instruction_class(instruction)) {
    case ACCP_CLASS_LOAD:
    case ACCP_CLASS_STORE:
    case ACCP_CLASS_LOCAL_LOAD:
    case ACCP_CLASS_LOCAL_STORE:
    case ACCP_CLASS_ATOMIC:
    case ACCP_CLASS_WARP:
        break;
    default:
        return 0;
    }
    accp_instruction_mnemonic(instruction, mnemonic, sizeof mnemonic);
    return strstr(mnemonic, ".128") ? 4 : strstr(mnemonic, ".64") ? 2 : 1;
}

/* Reads of shared memory that are issued behind a special function: of several in a row the first. */
static int reads_behind(const struct accp_code *code, const struct accp_loop *loop, int *functions)
{
    int reads = 0;
    bool is_behind = false;
    *functions = 0;
    for (size_t i = 0; i < code->count; ++i) {
        const struct accp_instruction *instruction = &code->instructions[i];
        const bool is_never =
            instruction->guard == ACCP_PREDICATE_TRUE && instruction->guard_negated;
        char mnemonic[64];
        if (!loop->is_member[i] || is_never) continue;
        if (accp_instruction_class(instruction) == ACCP_CLASS_SFU) {
            ++*functions;
            is_behind = true;
            continue;
        }
        accp_instruction_mnemonic(instruction, mnemonic, sizeof mnemonic);
        if (strncmp(mnemonic, "LDS", 3) != 0) continue;
        reads += is_behind;
        is_behind = false;
    }
    return reads;
}

/* Units that are busy for as long as a lone warp's iteration takes of them. */
static enum accp_status read_loop(const struct accp_code *code, const struct accp_loop *loop,
                                  int schedulers, struct accp_policy_kernel *kernel,
                                  struct accp_error *error)
{
    double bounds[ACCP_BOUND_COUNT] = {0};
    bool hold = false;
    const enum accp_status status = accp_explain_bounds(code, loop, 1, bounds, &hold, error);
    if (status != ACCP_STATUS_OK && status != ACCP_STATUS_UNSUPPORTED) return status;
    kernel->busy = (double)loop->instructions;
    for (int i = 0; i < ACCP_BOUND_COUNT && hold; ++i)
        if (i != ACCP_BOUND_STALLS) kernel->busy = fmax(kernel->busy, bounds[i]);
    int functions;
    const int reads = reads_behind(code, loop, &functions);
    if (hold && functions > 0) kernel->queued = reads * bounds[ACCP_BOUND_SFU] / functions;
    double path = 0, outside_path = 0;
    for (size_t i = 0; i < code->count; ++i) {
        const struct accp_instruction *instruction = &code->instructions[i];
        const bool is_member = loop->is_member[i];
        *(is_member ? &kernel->stalls : &kernel->outside_stalls) +=
            instruction->control.stall_cycles;
        char mnemonic[64];
        accp_instruction_mnemonic(instruction, mnemonic, sizeof mnemonic);
        kernel->ffmas += is_member && strncmp(mnemonic, "FFMA", 4) == 0;
        *(is_member ? &path : &outside_path) += memory_path_cycles(instruction);
        kernel->outside_busy += !is_member;
    }
    /* A warp of each of the other schedulers goes the same path. */
    kernel->busy = fmax(kernel->busy, path * schedulers);
    kernel->is_special = hold && functions > 0 && bounds[ACCP_BOUND_SFU] >= kernel->busy;
    kernel->outside_busy = fmax(kernel->outside_busy, outside_path * schedulers);
    return ACCP_STATUS_OK;
}

static enum accp_status read_kernel(const struct accp_cubin *cubin,
                                    const struct accp_kernel *source,
                                    struct accp_policy_kernel *kernel, struct accp_error *error)
{
    struct accp_code code;
    const struct accp_loop *loop;
    const int threads = source->max_threads[0] > 0        ? source->max_threads[0]
                        : source->required_threads[0] > 0 ? source->required_threads[0]
                                                          : WARPS_UNSTATED * LANES;
    kernel->registers = source->registers;
    kernel->warps = (threads + LANES - 1) / LANES;
    ACCP_TRY(accp_code_init(cubin, source, &code, error));
    enum accp_status status = accp_code_hot_loop(&code, -1, &loop, error);
    if (status == ACCP_STATUS_OK)
        status = read_loop(&code, loop, cubin->arch->schedulers, kernel, error);
    accp_code_fini(&code);
    return status;
}

/* The group of that name, a new one if there is none; NULL: there are too many. */
static struct accp_policy_kernels *group_of(struct accp_policy_kernels *groups, size_t *count,
                                            const char *name, const struct accp_arch *arch)
{
    for (size_t i = 0; i < *count; ++i)
        if (strcmp(groups[i].name, name) == 0) return &groups[i];
    if (*count == GROUPS_MOST) return NULL;
    struct accp_policy_kernels *group = &groups[(*count)++];
    snprintf(group->name, sizeof group->name, "%s", name);
    group->arch = arch;
    return group;
}

/* Where a kernel of that many accumulators belongs, and room made for it; NULL: it is there already, or there are too
 * many. */
static struct accp_policy_kernel *insert(struct accp_policy_kernels *group, int acc)
{
    size_t at = 0;
    while (at < group->count && group->kernels[at].acc < acc)
        ++at;
    if (group->count == ACCP_POLICY_ACCS || (at < group->count && group->kernels[at].acc == acc))
        return NULL;
    memmove(group->kernels + at + 1, group->kernels + at,
            (group->count - at) * sizeof *group->kernels);
    ++group->count;
    group->kernels[at] = (struct accp_policy_kernel){.acc = acc};
    return &group->kernels[at];
}

static enum accp_status read_all(const struct accp_cubin *cubin, const char *file,
                                 bool (*wants)(const void *, const char *), const void *context,
                                 struct accp_policy_kernels *groups, size_t *count,
                                 struct accp_error *error)
{
    for (size_t i = 0; i < cubin->kernel_count; ++i) {
        char name[ACCP_NAME_BYTES];
        int acc;
        const char *symbol = cubin->kernels[i].name;
        if ((wants && !wants(context, symbol)) || !accp_policy_kernels_name(symbol, name, &acc))
            continue;
        struct accp_policy_kernels *group = group_of(groups, count, name, cubin->arch);
        struct accp_policy_kernel *kernel = group ? insert(group, acc) : NULL;
        if (!kernel)
            return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                             "%.80s: more kernels, or kernels called alike, than can be told apart "
                             "(%d of a name, %d names): leave some out with --filter",
                             symbol, ACCP_POLICY_ACCS, GROUPS_MOST);
        ACCP_TRY(read_kernel(cubin, &cubin->kernels[i], kernel, error));
    }
    return ACCP_STATUS_OK;
}

/* Groups of one kernel leave nothing to choose. */
static void drop_lone(struct accp_policy_kernels *groups, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; ++i)
        if (groups[i].count > 1) groups[kept++] = groups[i];
    *count = kept;
}

/* Loops are compared by what one iteration takes. A compiler that unrolls some of the candidates further than others makes
 * iterations that do several times the work; a split itself changes no number of FFMAs. */
static enum accp_status compare_work(const struct accp_policy_kernels *group, const char *file,
                                     struct accp_error *error)
{
    const struct accp_policy_kernel *least = group->kernels, *most = group->kernels;
    for (size_t i = 1; i < group->count; ++i) {
        if (group->kernels[i].ffmas < least->ffmas) least = &group->kernels[i];
        if (group->kernels[i].ffmas > most->ffmas) most = &group->kernels[i];
    }
    if (least->ffmas == 0 || most->ffmas < 2 * least->ffmas) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                     "%.80s: an iteration has %d FFMAs with acc%d and %d with acc%d: their times "
                     "cannot be compared; unroll the loops alike (#pragma unroll)",
                     group->name, least->ffmas, least->acc, most->ffmas, most->acc);
}

enum accp_status accp_policy_kernels_read(const struct accp_cubin *cubin, const char *file,
                                          bool (*wants)(const void *context, const char *symbol),
                                          const void *context, struct accp_policy_kernels **groups,
                                          size_t *count, struct accp_error *error)
{
    *count = 0;
    *groups = NULL;
    if (!cubin->arch)
        return accp_fail(error, ACCP_STATUS_UNSUPPORTED, file, -1,
                         "its arch, %s, has no row in matrix/arches.def", cubin->arch_name);
    const size_t most = cubin->kernel_count < GROUPS_MOST ? cubin->kernel_count : GROUPS_MOST;
    *groups = calloc(most + 1, sizeof **groups);
    if (!*groups) return accp_fail(error, ACCP_STATUS_MEMORY, file, -1, "no memory for it");
    enum accp_status status = read_all(cubin, file, wants, context, *groups, count, error);
    drop_lone(*groups, count);
    if (status == ACCP_STATUS_OK && *count == 0)
        status =
            accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                      "holds no two kernels that differ in a number behind \"acc\" alone, such "
                      "as mine_acc1 and mine_acc4: compile the candidates under such names");
    for (size_t i = 0; i < *count && status == ACCP_STATUS_OK; ++i)
        status = compare_work(&(*groups)[i], file, error);
    if (status == ACCP_STATUS_OK) return ACCP_STATUS_OK;
    free(*groups);
    *groups = NULL;
    *count = 0;
    return status;
}

/* Time for each of `warps` warps to go round once, when each takes `busy` cycles of the one server and `thinks` cycles
 * elsewhere: how long a warp waits follows from the queue that one warp fewer makes. */
static double round_trip(int warps, double busy, double thinks)
{
    double queue = 0, trip = busy + thinks;
    for (int i = 1; i <= warps; ++i) {
        const double served = busy * (1 + queue);
        trip = served + thinks;
        queue = i * served / trip;
    }
    return trip;
}

static double memory_cycles(const struct accp_policy_kernels *group,
                            const struct accp_policy_conditions *conditions)
{
    if (!(conditions->bytes > 0)) return 0;
    return conditions->bytes * LANES * group->arch->schedulers / conditions->bandwidth;
}

/* Warps on each scheduler that stay resident: 0 where not one block fits, else 1 or more. */
static int resident(const struct accp_arch *arch, const struct accp_policy_kernel *kernel)
{
    const int blocks = accp_resident_blocks(arch, kernel->registers, kernel->warps);
    if (blocks < 0) return arch->warps / arch->schedulers; /* the cubin does not say */
    const int stays = blocks * kernel->warps / arch->schedulers;
    return blocks > 0 && stays < 1 ? 1 : stays;
}

int accp_policy_kernels_fit(const struct accp_policy_kernels *group)
{
    int most = 0;
    for (size_t i = 0; i < group->count; ++i) {
        const int stays = resident(group->arch, &group->kernels[i]);
        if (stays > most) most = stays;
    }
    return most;
}

static struct accp_policy_choice choose(const struct accp_policy_kernels *group,
                                        const struct accp_policy_conditions *conditions,
                                        const struct accp_policy_kernel *kernel)
{
    struct accp_policy_choice choice = {.acc = kernel->acc, .load = conditions->load, .time = NAN};
    const int stays = resident(group->arch, kernel);
    if (stays == 0) return choice;
    if (stays < choice.load) choice.load = stays;
    const double turns = conditions->iterations > 0 ? conditions->iterations : 1;
    const double waits = fmax(0, conditions->waits);
    const int others = kernel->is_special && choice.load > 1 ? 1 : choice.load - 1;
    double busy = turns * kernel->busy,
           alone = turns * (kernel->stalls + waits + others * kernel->queued);
    if (conditions->iterations > 0) {
        busy += kernel->outside_busy;
        alone += kernel->outside_stalls + waits;
    }
    choice.time = round_trip(choice.load, busy, fmax(0, alone - busy)) / choice.load / turns;
    choice.time = fmax(choice.time, memory_cycles(group, conditions));
    choice.is_open = conditions->registers_left < 0 ||
                     kernel->registers - group->kernels[0].registers <= conditions->registers_left;
    return choice;
}

static enum accp_status check_conditions(const struct accp_policy_kernels *group,
                                         const struct accp_policy_conditions *conditions,
                                         struct accp_error *error)
{
    const int fits = group->arch->warps / group->arch->schedulers;
    if (conditions->load < 1 || conditions->load > fits)
        return accp_fail(error, ACCP_STATUS_INPUT, "warps per scheduler", -1,
                         "%d do not fit: a scheduler of %s holds 1 to %d", conditions->load,
                         group->arch->name, fits);
    if (conditions->independent >= 0 || conditions->surrounding >= 0 || conditions->latency >= 0 ||
        conditions->registers_used >= 0)
        return accp_fail(error, ACCP_STATUS_USAGE, "policy", -1,
                         "independent, surrounding, latency and registers-used stand in the SASS: "
                         "with --cubin, leave them out");
    return accp_policy_conditions_check_memory(conditions, error);
}

static enum accp_policy_rule rule_of(const struct accp_policy_kernels *group,
                                     const struct accp_policy_conditions *conditions,
                                     const struct accp_policy_answer *answer)
{
    const struct accp_policy_choice *first = &answer->choices[0],
                                    *best = accp_answer_choice(answer, answer->best_at_all),
                                    *split = accp_answer_choice(answer, answer->split);
    const double memory = memory_cycles(group, conditions);
    if (memory > 0 && first->time <= memory) return ACCP_POLICY_MEMORY;
    if (!best->is_open && best->time * (1 + accp_answer_tie(best, split)) < split->time)
        return ACCP_POLICY_REGISTERS;
    for (size_t i = 0; i < answer->choice_count; ++i)
        if (answer->choices[i].acc > split->acc && answer->choices[i].load < split->load)
            return ACCP_POLICY_OCCUPANCY;
    if (answer->split != first->acc) return ACCP_POLICY_SPLIT;
    return answer->best == first->acc ? ACCP_POLICY_KEEP_ONE : ACCP_POLICY_NO_DIFFERENCE;
}

enum accp_status accp_policy_kernels_ask(const struct accp_policy_kernels *group,
                                         const struct accp_policy_conditions *conditions,
                                         struct accp_policy_answer *answer,
                                         struct accp_error *error)
{
    ACCP_TRY(check_conditions(group, conditions, error));
    memset(answer, 0, sizeof *answer);
    for (size_t i = 0; i < group->count; ++i)
        answer->choices[answer->choice_count++] = choose(group, conditions, &group->kernels[i]);
    if (!accp_answer_pick(answer))
        return accp_fail(error, ACCP_STATUS_INPUT, group->name, -1,
                         "no kernel meets the conditions: not one block stays resident, or all "
                         "take more registers than are left");
    answer->rule = rule_of(group, conditions, answer);
    accp_answer_say(answer);
    return ACCP_STATUS_OK;
}
