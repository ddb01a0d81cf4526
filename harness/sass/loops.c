#include "sass/loops.h"

#include <stdlib.h>
#include <string.h>

enum {
    ATTEMPTS = 4 * ACCP_CODE_LOOPS
}; /* to find a loop; beyond, a hostile kernel could take forever */

/* Where execution may go after an instruction. */
struct successors {
    int count;
    size_t next[2];
};

/* Successors of each instruction; and its predecessors, as one array of edges sorted by their end,
 * only what the entry reaches. */
struct edges {
    struct successors *to;
    size_t *first; /* count + 3, the counting needs two */
    size_t *from;
    bool *is_reached;
};

static void edges_fini(struct edges *edges)
{
    free(edges->to);
    free(edges->first);
    free(edges->from);
    free(edges->is_reached);
}

static enum accp_status out_of_memory(const struct accp_code *code, struct accp_error *error)
{
    return accp_fail(error, ACCP_STATUS_MEMORY, code->kernel->name, -1, "out of memory");
}

/* ptxas ends every kernel in a branch to itself that nothing reaches: no loop of anybody's. */
static void reach(const struct edges *edges, size_t *stack)
{
    size_t depth = 0;
    edges->is_reached[0] = true;
    stack[depth++] = 0;
    while (depth > 0) {
        const struct successors *to = &edges->to[stack[--depth]];
        for (int k = to->count; k > 0; --k) {
            if (edges->is_reached[to->next[k - 1]]) continue;
            edges->is_reached[to->next[k - 1]] = true;
            stack[depth++] = to->next[k - 1];
        }
    }
}

/* Those of what the entry does not reach lead nowhere. */
static void cut_unreached(const struct accp_code *code, struct edges *edges)
{
    for (size_t i = 0; i < code->count; ++i)
        if (!edges->is_reached[i]) edges->to[i].count = 0;
}

static enum accp_status edges_init(const struct accp_code *code, struct edges *edges, size_t *stack,
                                   struct accp_error *error)
{
    edges->first = calloc(code->count + 3, sizeof *edges->first);
    edges->from = malloc((2 * code->count + 1) * sizeof *edges->from);
    edges->is_reached = calloc(code->count, sizeof *edges->is_reached);
    if (!edges->first || !edges->from || !edges->is_reached) return out_of_memory(code, error);
    reach(edges, stack);
    cut_unreached(code, edges);
    for (size_t i = 0; i < code->count; ++i)
        for (int k = edges->to[i].count; k > 0; --k)
            ++edges->first[edges->to[i].next[k - 1] + 2];
    for (size_t i = 2; i < code->count + 3; ++i)
        edges->first[i] += edges->first[i - 1];
    for (size_t i = 0; i < code->count; ++i)
        for (int k = edges->to[i].count; k > 0; --k)
            edges->from[edges->first[edges->to[i].next[k - 1] + 1]++] = i;
    return ACCP_STATUS_OK;
}

/* Marks what reaches loop->latch without passing loop->head. False when the entry of the kernel
 * does: then the head does not dominate the branch, and this is no natural loop. */
static bool flood(const struct edges *edges, struct accp_loop *loop, size_t *stack)
{
    size_t depth = 0;
    loop->is_member[loop->head] = true;
    if (!loop->is_member[loop->latch]) {
        loop->is_member[loop->latch] = true;
        stack[depth++] = loop->latch;
    }
    while (depth > 0) {
        size_t at = stack[--depth];
        if (at == 0) return false;
        for (size_t e = edges->first[at]; e < edges->first[at + 1]; ++e)
            if (!loop->is_member[edges->from[e]]) {
                loop->is_member[edges->from[e]] = true;
                stack[depth++] = edges->from[e];
            }
    }
    return true;
}

static struct accp_loop *find_head(struct accp_code *code, size_t head)
{
    for (size_t i = 0; i < code->loop_count; ++i)
        if (code->loops[i].head == head) return &code->loops[i];
    return NULL;
}

/* Adds the loop of one backward branch, or widens the one that has the same head. */
static enum accp_status add_loop(struct accp_code *code, const struct edges *edges, size_t head,
                                 size_t latch, size_t *stack, struct accp_error *error)
{
    struct accp_loop *loop = find_head(code, head);
    if (loop) {
        loop->latch = latch;
        flood(edges, loop, stack);
        return ACCP_STATUS_OK;
    }
    if (code->loop_count == ACCP_CODE_LOOPS) {
        code->loops_cut = true;
        return ACCP_STATUS_OK;
    }
    loop = &code->loops[code->loop_count];
    *loop = (struct accp_loop){.head = head, .latch = latch};
    loop->is_member = calloc(code->count, sizeof *loop->is_member);
    if (!loop->is_member) return out_of_memory(code, error);
    if (flood(edges, loop, stack))
        ++code->loop_count;
    else
        free(loop->is_member);
    return ACCP_STATUS_OK;
}

static void measure_loop(const struct accp_code *code, struct accp_loop *loop)
{
    loop->instructions = 0;
    for (size_t i = 0; i < code->count; ++i)
        loop->instructions += loop->is_member[i];
}

static int by_head(const void *left, const void *right)
{
    const struct accp_loop *a = left, *b = right;
    if (a->head != b->head) return a->head < b->head ? -1 : 1;
    return a->instructions > b->instructions ? -1 : a->instructions < b->instructions;
}

/* The parent is the smallest other loop that holds the head and is larger. */
static void nest_loops(struct accp_code *code)
{
    for (size_t i = 0; i < code->loop_count; ++i) {
        struct accp_loop *loop = &code->loops[i];
        loop->parent = i;
        loop->nesting = 1;
        for (size_t k = 0; k < code->loop_count; ++k) {
            const struct accp_loop *other = &code->loops[k];
            if (k == i || !other->is_member[loop->head] ||
                other->instructions <= loop->instructions)
                continue;
            ++loop->nesting;
            if (loop->parent == i || other->instructions < code->loops[loop->parent].instructions)
                loop->parent = k;
        }
    }
}

/* An instruction counts for the smallest loop that it is in. */
static void count_floating_point(struct accp_code *code)
{
    for (size_t i = 0; i < code->count; ++i) {
        if (!accp_instruction_is_floating_point(&code->instructions[i])) continue;
        struct accp_loop *smallest = NULL;
        for (size_t k = 0; k < code->loop_count; ++k)
            if (code->loops[k].is_member[i] &&
                (!smallest || code->loops[k].instructions < smallest->instructions))
                smallest = &code->loops[k];
        int ffmas = accp_instruction_ffmas(&code->instructions[i]);
        if (smallest) smallest->floating_point += ffmas > 1 ? ffmas : 1;
    }
}

static enum accp_status find_all(struct accp_code *code, const struct edges *edges, size_t *stack,
                                 struct accp_error *error)
{
    size_t attempts = 0;
    for (size_t i = 0; i < code->count; ++i)
        for (int k = edges->to[i].count; k > 0; --k) {
            size_t next = edges->to[i].next[k - 1];
            if (next > i) continue;
            if (++attempts > ATTEMPTS) code->loops_cut = true;
            if (!code->loops_cut) ACCP_TRY(add_loop(code, edges, next, i, stack, error));
        }
    for (size_t i = 0; i < code->loop_count; ++i)
        measure_loop(code, &code->loops[i]);
    qsort(code->loops, code->loop_count, sizeof *code->loops, by_head);
    nest_loops(code);
    count_floating_point(code);
    return ACCP_STATUS_OK;
}

/* True when a branch goes backward. */
static bool find_successors(const struct accp_code *code, struct successors *to)
{
    bool is_backward = false;
    for (size_t i = 0; i < code->count; ++i) {
        to[i].count = accp_code_successors(code, i, to[i].next);
        for (int k = to[i].count; k > 0; --k)
            is_backward |= to[i].next[k - 1] <= i;
    }
    return is_backward;
}

static enum accp_status find_with(struct accp_code *code, struct edges *edges,
                                  struct accp_error *error)
{
    size_t *stack = malloc((code->count + 1) * sizeof *stack);
    code->loops = malloc(ACCP_CODE_LOOPS * sizeof *code->loops);
    enum accp_status status =
        stack && code->loops ? edges_init(code, edges, stack, error) : out_of_memory(code, error);
    if (status == ACCP_STATUS_OK) status = find_all(code, edges, stack, error);
    free(stack);
    return status;
}

enum accp_status accp_code_find_loops(struct accp_code *code, struct accp_error *error)
{
    struct edges edges = {.to = malloc((code->count + !code->count) * sizeof *edges.to)};
    enum accp_status status = ACCP_STATUS_OK;
    if (!edges.to)
        status = out_of_memory(code, error);
    else if (find_successors(code, edges.to))
        status = find_with(code, &edges, error);
    edges_fini(&edges);
    return status;
}
