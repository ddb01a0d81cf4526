#include "policy/judge.h"

#include "operator_parameters.h"
#include "operators.h"
#include "policy/answer.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int independent, registers;
    double surrounding, latency, bytes;
} operator_conditions[ACCP_OPERATOR_COUNT] = {
#define OPERATOR_CONDITIONS(operator, independent, registers, surrounding, latency, bytes) \
    [ACCP_OPERATOR_##operator] = {independent, registers, surrounding, latency, bytes},
#include "operator_conditions.def"
};

/* More than any GPU of arches.def has of L2 cache (126 MB, B200; NVIDIA's data sheets): a launch that reads more
 * waits for memory. */
static const double cache_bytes = 128 << 20;
enum { LANES = 32, CELLS_MOST = 4096 };

/* A role's name without ".acc4" or "_acc4", and that number; false: it has none. */
static bool cell_name(const struct accp_run_role *role, char cell[ACCP_NAME_BYTES], int *acc)
{
    snprintf(cell, ACCP_NAME_BYTES, "%s", role->role);
    char *at = strstr(cell, "acc"), *end;
    if (!at || at == cell || !strchr("._", at[-1]) || !isdigit((unsigned char)at[3])) return false;
    *acc = (int)strtol(at + 3, &end, 10);
    memmove(at - 1, end, strlen(end) + 1);
    return true;
}

/* The size of a cell that operators.def and operator_sizes.def have, at any length; NULL: none. */
static const struct accp_operator_size *size_of(const struct accp_run_role *role, const char *cell,
                                                enum accp_operator_id *op)
{
    for (int o = 0; o < ACCP_OPERATOR_COUNT; ++o)
        for (int s = 0; s < ACCP_OPERATOR_SIZE_COUNT; ++s) {
            char name[ACCP_NAME_BYTES];
            if (role->warps != accp_operator_sizes[s].warps) continue;
            snprintf(name, sizeof name, "ops.%s.%s.n%d", accp_operators[o].name,
                     accp_operator_sizes[s].name, role->chain);
            if (strcmp(cell, name) != 0) continue;
            *op = (enum accp_operator_id)o;
            return &accp_operator_sizes[s];
        }
    return NULL;
}

/* Of an operator that reads more than a cache holds. */
static void set_memory(const struct accp_policy_source *source, const struct accp_run *run,
                       const struct accp_operator_size *size, enum accp_operator_id op, int length,
                       struct accp_policy_conditions *conditions)
{
    const double sms = size->sms == ACCP_OPERATOR_SMS_EVERY ? (double)run->device.sm_count : 1;
    const double lanes = sms * size->blocks * size->warps * LANES;
    const double bytes = operator_conditions[op].bytes;
    if (!(source->bandwidth > 0) || lanes * length * bytes <= cache_bytes) return;
    conditions->bytes = source->groups ? bytes * ACCP_OPERATOR_TURN : bytes;
    conditions->bandwidth = source->bandwidth;
}

double accp_policy_bandwidth_of(const struct accp_run *run, char role[ACCP_NAME_BYTES])
{
    double most = 0;
    for (size_t i = 0; i < run->role_count; ++i) {
        char cell[ACCP_NAME_BYTES];
        int acc;
        enum accp_operator_id op;
        const struct accp_run_role *one = &run->roles[i];
        if (one->cycles.n == 0 || !(one->cycles.mean > 0) || !cell_name(one, cell, &acc)) continue;
        const struct accp_operator_size *size = size_of(one, cell, &op);
        if (!size || op != ACCP_OPERATOR_stream || size->sms != ACCP_OPERATOR_SMS_EVERY) continue;
        const double bytes =
            operator_conditions[op].bytes * size->blocks * size->warps * LANES * one->chain;
        const double rate = bytes / one->cycles.mean;
        if (bytes * (double)run->device.sm_count <= cache_bytes || rate <= most) continue;
        most = rate;
        snprintf(role, ACCP_NAME_BYTES, "%s", one->role);
    }
    return most;
}

/* A lane's turns are the iterations of an operator; what they come to is merged once. */
static bool operator_conditions_of(const struct accp_policy_source *source,
                                   const struct accp_run *run, const struct accp_run_role *role,
                                   const char *cell, struct accp_policy_conditions *conditions)
{
    enum accp_operator_id op;
    const struct accp_operator_size *size = size_of(role, cell, &op);
    if (!size) return false;
    const struct accp_arch *arch = source->groups ? source->groups->arch : source->chains->arch;
    accp_policy_conditions_init(conditions);
    conditions->load = (size->blocks * size->warps + arch->schedulers - 1) / arch->schedulers;
    set_memory(source, run, size, op, role->chain, conditions);
    if (source->groups) {
        const int turns = role->chain / ACCP_OPERATOR_TURN;
        conditions->iterations = turns > 0 ? turns : 1;
        conditions->waits = source->waits;
        return true;
    }
    const int resident =
        accp_policy_resident_load(source->chains, operator_conditions[op].registers);
    conditions->chain = ACCP_OPERATOR_TURN;
    if (conditions->load > resident) conditions->load = resident;
    conditions->registers_used = operator_conditions[op].registers;
    conditions->iterations = (role->chain + ACCP_OPERATOR_TURN - 1) / ACCP_OPERATOR_TURN;
    conditions->independent = operator_conditions[op].independent;
    conditions->surrounding = operator_conditions[op].surrounding;
    conditions->latency = operator_conditions[op].latency;
    return true;
}

static bool chain_conditions_of(const struct accp_policy *policy, const struct accp_run_role *role,
                                struct accp_policy_conditions *conditions)
{
    struct accp_policy_point point;
    if (!accp_policy_point_of(policy->arch, role, &point)) return false;
    accp_policy_conditions_init(conditions);
    conditions->chain = point.chain;
    conditions->load = point.load;
    conditions->iterations = point.sink == ACCP_POLICY_CARRIED ? 0 : 1;
    return true;
}

static bool is_choice(const struct accp_policy_answer *answer, int acc)
{
    for (size_t i = 0; i < answer->choice_count; ++i)
        if (answer->choices[i].acc == acc) return !isnan(answer->choices[i].time);
    return false;
}

/* A role that was timed, by its cell. */
struct entry {
    char cell[ACCP_NAME_BYTES];
    int warps, acc;
    size_t role;
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    const int order = strcmp(a->cell, b->cell);
    if (order != 0) return order;
    if (a->warps != b->warps) return a->warps < b->warps ? -1 : 1;
    return (a->role > b->role) - (a->role < b->role);
}

static bool is_same_cell(const struct entry *a, const struct entry *b)
{
    return a->warps == b->warps && strcmp(a->cell, b->cell) == 0;
}

static bool holds(const struct entry *entries, size_t count, int acc)
{
    for (size_t i = 0; i < count; ++i)
        if (entries[i].acc == acc) return true;
    return false;
}

/* A split that the run has no kernel of is none to whoever compiled these: then the best of those that there are. */
static void restrict_to(const struct entry *entries, size_t count,
                        struct accp_policy_answer *answer)
{
    if (holds(entries, count, answer->split)) return;
    for (size_t i = 0; i < answer->choice_count; ++i) {
        struct accp_policy_choice *choice = &answer->choices[i];
        if (holds(entries, count, choice->acc)) continue;
        choice->time = NAN;
        choice->is_open = false;
    }
    accp_answer_pick(answer);
}

/* Fills the regrets from the entries of the cell. */
static void compare(const struct accp_run *run, const struct entry *entries, size_t count,
                    int chain, const struct accp_policy_answer *answer,
                    struct accp_policy_regret *regret)
{
    const int habit = chain > 0 && chain < 4 ? chain : 4; /* "always 4" of a chain of 3 is 3 */
    double split = NAN, one = NAN, two = NAN, four = NAN, least = INFINITY;
    for (size_t i = 0; i < count; ++i) {
        const int acc = entries[i].acc;
        if (!is_choice(answer, acc)) continue;
        const double cycles = run->roles[entries[i].role].cycles.mean;
        if (acc == answer->split) {
            split = cycles;
            regret->split_role = entries[i].role;
        }
        if (acc == 1) one = cycles;
        if (acc == 2) two = cycles;
        if (acc == habit) four = cycles;
        if (!(cycles < least)) continue;
        least = cycles;
        regret->best = acc;
        regret->best_role = entries[i].role;
    }
    regret->least_cycles = least;
    regret->of_split = split / least - 1;
    regret->of_one = one / least - 1;
    regret->of_two = two / least - 1;
    regret->of_four = four / least - 1;
}

static const struct accp_policy_kernels *group_of(const struct accp_policy_source *source,
                                                  const char *symbol)
{
    char name[ACCP_NAME_BYTES];
    int acc;
    if (!accp_policy_kernels_name(symbol, name, &acc)) return NULL;
    for (size_t i = 0; i < source->group_count; ++i)
        if (strcmp(source->groups[i].name, name) == 0) return &source->groups[i];
    return NULL;
}

/* A cell of the run that the source knows: under which conditions, and what it answers. */
static enum accp_status ask(const struct accp_policy_source *source, const struct accp_run *run,
                            const struct accp_run_role *role, struct accp_policy_regret *regret,
                            struct accp_policy_conditions *conditions,
                            struct accp_policy_answer *answer, bool *is_cell,
                            struct accp_error *error)
{
    const struct accp_policy_kernels *group = group_of(source, role->kernel);
    regret->is_operator = operator_conditions_of(source, run, role, regret->cell, conditions);
    *is_cell = source->groups
                   ? regret->is_operator && group
                   : regret->is_operator || chain_conditions_of(source->chains, role, conditions);
    if (!*is_cell) return ACCP_STATUS_OK;
    if (source->groups) return accp_policy_kernels_ask(group, conditions, answer, error);
    return accp_policy_ask(source->chains, conditions, answer, error);
}

static enum accp_status judge_cell(const struct accp_policy_source *source,
                                   const struct accp_run *run, const struct entry *entries,
                                   size_t count, struct accp_policy_regret *regret, bool *is_cell,
                                   struct accp_error *error)
{
    struct accp_policy_conditions conditions;
    struct accp_policy_answer answer;
    const struct accp_run_role *role = &run->roles[entries->role];
    *regret = (struct accp_policy_regret){.first_role = entries->role, .error = NAN};
    memcpy(regret->cell, entries->cell, sizeof regret->cell);
    ACCP_TRY(ask(source, run, role, regret, &conditions, &answer, is_cell, error));
    if (!*is_cell) return ACCP_STATUS_OK;
    regret->load = conditions.load;
    if (regret->is_operator) restrict_to(entries, count, &answer);
    regret->rule = answer.rule;
    regret->split = answer.split;
    compare(run, entries, count, conditions.chain, &answer, regret);
    if (!isnan(regret->of_split + regret->of_one + regret->of_two + regret->of_four))
        return ACCP_STATUS_OK;
    return accp_fail(
        error, ACCP_STATUS_INPUT, regret->cell, -1,
        "the run lacks some of 1, 2, 4 and %d accumulators at %d warps a block: to judge, "
        "measure all of them",
        answer.split, role->warps);
}

static int compare_regrets(const void *left, const void *right)
{
    const struct accp_policy_regret *a = left, *b = right;
    return (a->first_role > b->first_role) - (a->first_role < b->first_role);
}

static enum accp_status judge_all(const struct accp_policy_source *source, const char *file,
                                  const struct accp_run *run, struct entry *entries,
                                  struct accp_policy_regret *regrets, size_t *count,
                                  struct accp_error *error)
{
    size_t filled = 0;
    for (size_t i = 0; i < run->role_count; ++i) {
        const struct accp_run_role *role = &run->roles[i];
        struct entry *entry = &entries[filled];
        if (role->cycles.n == 0 || !cell_name(role, entry->cell, &entry->acc)) continue;
        entry->warps = role->warps;
        entry->role = i;
        ++filled;
    }
    if (filled > 0) qsort(entries, filled, sizeof *entries, compare_entries);
    for (size_t first = 0, end; first < filled; first = end) {
        bool is_cell;
        for (end = first + 1; end < filled && is_same_cell(&entries[first], &entries[end]);)
            ++end;
        if (*count == CELLS_MOST)
            return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                             "more than %d cells: judge by parts of it", CELLS_MOST);
        ACCP_TRY(judge_cell(source, run, &entries[first], end - first, &regrets[*count], &is_cell,
                            error));
        *count += is_cell;
    }
    if (*count > 0) qsort(regrets, *count, sizeof *regrets, compare_regrets);
    return ACCP_STATUS_OK;
}

enum accp_status accp_policy_judge(const struct accp_policy_source *source, const char *file,
                                   const struct accp_run *run, struct accp_policy_regret **regrets,
                                   size_t *count, struct accp_error *error)
{
    *count = 0;
    *regrets = NULL;
    if (source->groups && strcmp(run->device.arch, source->groups->arch->name) != 0)
        return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                         "it is of %s, the cubin of %s: give the cubin that was measured",
                         run->device.arch[0] ? run->device.arch : "an unknown arch",
                         source->groups->arch->name);
    *regrets = calloc(run->role_count + 1, sizeof **regrets);
    struct entry *entries = calloc(run->role_count + 1, sizeof *entries);
    enum accp_status status =
        *regrets && entries
            ? judge_all(source, file, run, entries, *regrets, count, error)
            : accp_fail(error, ACCP_STATUS_MEMORY, file, -1, "no memory for its cells");
    free(entries);
    if (status == ACCP_STATUS_OK && *count == 0)
        status = accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                           "holds no cell to judge by: roles of optimal, sink's carried ones, or "
                           "of ops");
    if (status == ACCP_STATUS_OK) return status;
    free(*regrets);
    *regrets = NULL;
    return status;
}

struct accp_policy_verdict accp_policy_verdict_of(const struct accp_policy_regret *regrets,
                                                  size_t count, bool of_operators)
{
    struct accp_policy_verdict verdict = {0};
    for (size_t i = 0; i < count; ++i) {
        const struct accp_policy_regret *regret = &regrets[i];
        if (regret->is_operator != of_operators) continue;
        ++verdict.cells;
        verdict.within_one_percent += regret->of_split <= 0.01;
        verdict.mean_split += regret->of_split;
        verdict.mean_one += regret->of_one;
        verdict.mean_two += regret->of_two;
        verdict.mean_four += regret->of_four;
        verdict.worst_split = fmax(verdict.worst_split, regret->of_split);
        verdict.worst_one = fmax(verdict.worst_one, regret->of_one);
        verdict.worst_two = fmax(verdict.worst_two, regret->of_two);
        verdict.worst_four = fmax(verdict.worst_four, regret->of_four);
    }
    const double cells = verdict.cells ? (double)verdict.cells : 1;
    verdict.mean_split /= cells;
    verdict.mean_one /= cells;
    verdict.mean_two /= cells;
    verdict.mean_four /= cells;
    return verdict;
}
