#include "sass/dealt.h"

#include "sass/selected.h"

#include <stdlib.h>
#include <string.h>

enum { NOTHING = -1 };

struct dealing {
    const struct accp_code *code;
    struct accp_chain *chains;  /* of each loop; only of those with floating point */
    int flaws[ACCP_CODE_LOOPS]; /* of each: what no role may have in its loop */
    int role_count;
    const struct accp_role *roles[ACCP_ROLE_COUNT];
    int loops[ACCP_ROLE_COUNT];     /* index of the loop of each, or NOTHING */
    bool is_loose[ACCP_CODE_LOOPS]; /* with floating point, no role's links, and not dealt yet */
};

/* 0: the loop is what the role asks for. */
static int distance(const struct dealing *dealing, int role, int loop)
{
    const struct accp_role *asked = dealing->roles[role];
    const struct accp_chain *chain = &dealing->chains[loop];
    const int depth = accp_links_of(asked->placement, asked->chain, asked->effective).depth;
    return abs(chain->timed_ffmas - asked->chain) + abs(chain->accumulators - asked->effective) +
           abs(chain->depth - depth) + dealing->flaws[loop];
}

static bool has_floating_point(const struct dealing *dealing, int loop)
{
    return dealing->code->loops[loop].floating_point > 0;
}

/* The first of the nearest, of all or of the loose ones. */
static int nearest(const struct dealing *dealing, int role, bool is_of_all)
{
    int best = NOTHING;
    for (int i = 0; i < (int)dealing->code->loop_count; ++i) {
        if (!(is_of_all ? has_floating_point(dealing, i) : dealing->is_loose[i])) continue;
        if (best == NOTHING || distance(dealing, role, i) < distance(dealing, role, best)) best = i;
    }
    return best;
}

static void deal_to(struct dealing *dealing, int role, int loop)
{
    dealing->loops[role] = loop;
    dealing->is_loose[loop] = false;
}

static bool is_of_some_role(const struct dealing *dealing, int loop)
{
    for (int i = 0; i < dealing->role_count; ++i)
        if (distance(dealing, i, loop) == 0) return true;
    return false;
}

/* Whether fewer loops have the links of the role than there are roles up to it that ask for them. */
static bool is_short_of_loops(const struct dealing *dealing, int role)
{
    int asking = 0, having = 0;
    for (int i = 0; i <= role; ++i)
        asking += dealing->loops[i] == dealing->loops[role];
    for (int i = 0; i < (int)dealing->code->loop_count; ++i)
        having += has_floating_point(dealing, i) && distance(dealing, role, i) == 0;
    return asking > having;
}

static void deal(struct dealing *dealing)
{
    for (int i = 0; i < (int)dealing->code->loop_count; ++i)
        dealing->is_loose[i] = has_floating_point(dealing, i) && !is_of_some_role(dealing, i);
    for (int i = 0; i < dealing->role_count; ++i) {
        const int own = nearest(dealing, i, true);
        if (own != NOTHING && distance(dealing, i, own) == 0) dealing->loops[i] = own;
    }
    for (int i = 0; i < dealing->role_count; ++i) {
        const int left = nearest(dealing, i, false);
        if (dealing->loops[i] == NOTHING && left != NOTHING) deal_to(dealing, i, left);
    }
    /* ptxas makes a loop of each of several roles with the same links, or one of them all. */
    for (int i = dealing->role_count - 1; i >= 0; --i) {
        const int left = nearest(dealing, i, false);
        if (dealing->loops[i] == NOTHING)
            dealing->loops[i] = nearest(dealing, i, true);
        else if (left != NOTHING && is_short_of_loops(dealing, i))
            deal_to(dealing, i, left);
    }
}

/* What a loop with the links of a role may have, and breaks a law all the same. */
static int flaws_of(const struct accp_code *code, const struct accp_loop *loop,
                    const struct accp_chain *chain)
{
    int flaws = chain->split_pairs + chain->ffmas - chain->timed_ffmas;
    for (size_t i = 0; i < code->count; ++i) {
        if (!loop->is_member[i]) continue;
        const enum accp_class class = accp_instruction_class(&code->instructions[i]);
        flaws += class == ACCP_CLASS_LOCAL_LOAD || class == ACCP_CLASS_LOCAL_STORE ||
                 class == ACCP_CLASS_UNKNOWN;
    }
    return flaws;
}

static enum accp_status analyse_loops(struct dealing *dealing, struct accp_error *error)
{
    for (size_t i = 0; i < dealing->code->loop_count; ++i) {
        const struct accp_loop *loop = &dealing->code->loops[i];
        if (loop->floating_point == 0) continue;
        ACCP_TRY(accp_chain_analyse(dealing->code, loop, &dealing->chains[i], error));
        dealing->flaws[i] = flaws_of(dealing->code, loop, &dealing->chains[i]);
    }
    return ACCP_STATUS_OK;
}

/* By links, accumulators and depth: what is left where no selector says it. */
static enum accp_status deal_by_links(const struct accp_code *code, const struct accp_role *role,
                                      const struct accp_loop **loop, struct accp_error *error)
{
    struct dealing dealing = {.code = code};
    int found = NOTHING;
    dealing.chains = calloc(code->loop_count + 1, sizeof *dealing.chains);
    if (!dealing.chains)
        return accp_fail(error, ACCP_STATUS_MEMORY, code->kernel->name, -1, "out of memory");
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i)
        if (strcmp(accp_roles[i].kernel, role->kernel) == 0) {
            dealing.loops[dealing.role_count] = NOTHING;
            dealing.roles[dealing.role_count++] = &accp_roles[i];
        }
    enum accp_status status = analyse_loops(&dealing, error);
    if (status == ACCP_STATUS_OK) deal(&dealing);
    for (int i = 0; i < dealing.role_count; ++i)
        if (dealing.roles[i] == role) found = dealing.loops[i];
    free(dealing.chains);
    ACCP_TRY(status);
    if (found == NOTHING) return accp_code_hot_loop(code, -1, loop, error);
    *loop = &code->loops[found];
    return ACCP_STATUS_OK;
}

enum accp_status accp_dealt_loop(const struct accp_code *code, const struct accp_role *role,
                                 const struct accp_loop **loop, struct accp_error *error)
{
    ACCP_TRY(accp_selected_loop(code, role->acc, loop, error));
    return *loop ? ACCP_STATUS_OK : deal_by_links(code, role, loop, error);
}

static bool has_indirect_branch(const struct accp_code *code)
{
    for (size_t i = 0; i < code->count; ++i)
        if (code->instructions[i].opcode == ACCP_OPCODE_BRX ||
            code->instructions[i].opcode == ACCP_OPCODE_BRXU)
            return true;
    return false;
}

/* Marks what is reached from `start`; `stack` has room for code->count. */
static void mark_from(const struct accp_code *code, size_t start, bool *reached, size_t *stack)
{
    size_t depth = 0, next[2];
    memset(reached, 0, code->count * sizeof *reached);
    reached[start] = true;
    stack[depth++] = start;
    while (depth > 0) {
        const int count = accp_code_successors(code, stack[--depth], next);
        for (int i = 0; i < count; ++i)
            if (!reached[next[i]]) {
                reached[next[i]] = true;
                stack[depth++] = next[i];
            }
    }
}

/* Marks what reaches `end`: against the order of addresses, so that one pass does but for loops. */
static void mark_to(const struct accp_code *code, size_t end, bool *reaching)
{
    bool is_changed = true;
    size_t next[2];
    memset(reaching, 0, code->count * sizeof *reaching);
    reaching[end] = true;
    while (is_changed) {
        is_changed = false;
        for (size_t i = code->count; i-- > 0;) {
            const int count = reaching[i] ? 0 : accp_code_successors(code, i, next);
            for (int k = 0; k < count; ++k)
                if (reaching[next[k]]) reaching[i] = is_changed = true;
        }
    }
}

enum accp_status accp_dealt_way(const struct accp_code *code, const struct accp_loop *loop,
                                bool *is_member, struct accp_error *error)
{
    if (has_indirect_branch(code)) {
        for (size_t i = 0; i < code->count; ++i)
            is_member[i] = true;
        return ACCP_STATUS_OK;
    }
    size_t *stack = malloc((code->count + 1) * sizeof *stack);
    bool *reached = malloc(2 * (code->count + 1) * sizeof *reached);
    enum accp_status status = stack && reached ? ACCP_STATUS_OK
                                               : accp_fail(error, ACCP_STATUS_MEMORY,
                                                           code->kernel->name, -1, "out of memory");
    if (status == ACCP_STATUS_OK) {
        bool *reaching = reached + code->count;
        mark_to(code, loop->head, reaching);
        mark_from(code, 0, reached, stack);
        for (size_t i = 0; i < code->count; ++i)
            is_member[i] = reached[i] && reaching[i];
        mark_from(code, loop->head, reached, stack);
        for (size_t i = 0; i < code->count; ++i)
            is_member[i] |= reached[i];
    }
    free(stack);
    free(reached);
    return status;
}
