#include "base/plural.h"
#include "cli/explaining.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMELINE_WIDTH = 96, TIMELINE_ROWS = 2, CHANGES_SHOWN = 6 };
static const double change_least = 0.002; /* relative; less is not shown unless all is asked for */

static void put_modes(const struct accp_cycles *cycles)
{
    printf("%.5g cycles an iteration", cycles->mean);
    if (cycles->mode_count > 1) {
        printf(" (%.5g to %.5g;", cycles->min, cycles->max);
        for (size_t i = 0; i < cycles->mode_count && i < 4; ++i)
            printf("%s %.0f in %.0f %%", i ? "," : "", cycles->modes[i].cycles,
                   100 * cycles->modes[i].weight);
        printf("%s)", cycles->mode_count > 4 ? " ..." : "");
    }
    putchar('\n');
}

static void print_head(const struct accp_explained *explained, bool markdown)
{
    const struct accp_cubin *cubin = &explained->opened.cubin;
    const struct accp_explanation *explanation = &explained->explanation;
    const char *end = markdown ? "\n\n" : "\n";
    const char *symbol = explained->kernel->name;
    char plain[256];
    const bool is_mangled = accp_kernel_plain_name(symbol, plain, sizeof plain);
    printf("predicted: %s at %d warp%s (%d on a scheduler), %s, ptxas %s, model %s on hardware%s",
           explained->role ? explained->role->name
           : is_mangled    ? plain
                           : symbol,
           explained->warps, ACCP_PLURAL(explained->warps, "s"), explanation->scheduler_warps,
           cubin->arch_name, cubin->compiler_version[0] ? cubin->compiler_version : "unknown",
           explanation->prediction.validated ? "calibrated" : "not validated", end);
    printf("loop 0x%zx to 0x%zx of %s: %d instruction%s; %d register%s a thread",
           explained->loop->head * ACCP_INSTRUCTION_BYTES,
           explained->loop->latch * ACCP_INSTRUCTION_BYTES, symbol, explanation->count,
           ACCP_PLURAL(explanation->count, "s"), explained->kernel->registers,
           ACCP_PLURAL(explained->kernel->registers, "s"));
    printf(" of %d that %s", explained->register_limit, explained->register_limit_by);
    printf("; %d warps fit on an SM%s", explanation->prediction.most_warps, end);
    if (explanation->prediction.known)
        put_modes(&explanation->prediction.cycles);
    else
        printf("UNKNOWN\n");
    if (explanation->prediction.has_stores)
        printf("stores to shared memory are timed as if no two lanes met in a bank\n");
    printf("%sbottleneck: %s\n", markdown ? "\n" : "", explained->bottleneck);
}

static enum accp_status finish(struct accp_table *table, enum accp_status status, const char *head,
                               bool markdown, struct accp_error *error)
{
    if (status == ACCP_STATUS_OK) {
        printf("\n%s\n%s", head, markdown ? "\n" : "");
        status = accp_table_print(table, stdout, markdown, error);
    }
    accp_table_destroy(table);
    return status;
}

static enum accp_status print_bounds(const struct accp_explained *explained, bool markdown,
                                     struct accp_error *error)
{
    static const struct accp_column columns[] = {{"unit", false, false},
                                                 {"cycles", true, false},
                                                 {"busy", true, false},
                                                 {"for", false, true}};
    const struct accp_explanation *explanation = &explained->explanation;
    struct accp_table *table;
    enum accp_status status = ACCP_STATUS_OK;
    if (!explanation->has_bounds) return ACCP_STATUS_OK;
    ACCP_TRY(accp_table_create(columns, 4, &table, error));
    for (int i = 0; i < ACCP_BOUND_COUNT && status == ACCP_STATUS_OK; ++i) {
        if (explanation->bounds[i] <= 0) continue;
        status = accp_table_row(table, error);
        if (status != ACCP_STATUS_OK) break;
        accp_table_cell(table, 0, "%s", accp_bound_name((enum accp_bound)i));
        accp_table_cell(table, 1, "%.1f", explanation->bounds[i]);
        if (explanation->prediction.known)
            accp_table_cell(table, 2, "%.0f %%",
                            100 * explanation->bounds[i] / explanation->cycles);
        accp_table_cell(table, 3, "%s", accp_bound_meaning((enum accp_bound)i));
    }
    return finish(table, status, "what an iteration of all warps of a scheduler needs at the least",
                  markdown, error);
}

static enum accp_status print_causes(const struct accp_explained *explained, bool markdown,
                                     struct accp_error *error)
{
    static const struct accp_column columns[] = {{"cause", false, false},
                                                 {"cycles", true, false},
                                                 {"share", true, false},
                                                 {"why the warp did not issue", false, true}};
    const struct accp_explanation *explanation = &explained->explanation;
    struct accp_table *table;
    enum accp_status status = ACCP_STATUS_OK;
    ACCP_TRY(accp_table_create(columns, 4, &table, error));
    for (int i = 0; i < ACCP_CAUSE_COUNT && status == ACCP_STATUS_OK; ++i) {
        if (explanation->causes[i] <= 0) continue;
        status = accp_table_row(table, error);
        if (status != ACCP_STATUS_OK) break;
        accp_table_cell(table, 0, "%s", i ? accp_cause_name((enum accp_cause)i) : "issued");
        accp_table_cell(table, 1, "%.2f", explanation->causes[i]);
        accp_table_cell(table, 2, "%.1f %%", 100 * explanation->causes[i] / explanation->cycles);
        accp_table_cell(table, 3, "%s", i ? accp_cause_meaning((enum accp_cause)i) : "");
    }
    return finish(table, status, "where the cycles of one warp's iteration go", markdown, error);
}

static void control_text(const struct accp_control *control, char *text, size_t bytes)
{
    char write[2] = "-", read[2] = "-";
    if (control->write_barrier < ACCP_SCOREBOARDS) write[0] = (char)('0' + control->write_barrier);
    if (control->read_barrier < ACCP_SCOREBOARDS) read[0] = (char)('0' + control->read_barrier);
    snprintf(text, bytes, "%2d%c w%s r%s m%02x", control->stall_cycles, control->yield ? 'Y' : '-',
             write, read, control->wait_mask);
}

/* The table of instructions: what has a column. Of a loop whose cycles are unknown there may be none to show, and no
 * change to tell. */
struct instruction_columns {
    struct accp_column columns[ACCP_CAUSE_COUNT + 6];
    size_t count;
    int causes[ACCP_CAUSE_COUNT]; /* those that take anything */
    size_t cause_count;
    bool has_cycles, has_without, has_producer;
};

static void add_column(struct instruction_columns *of, const char *name, bool right, bool trunc)
{
    of->columns[of->count++] = (struct accp_column){name, right, trunc};
}

static void instruction_columns(const struct accp_explained *explained,
                                struct instruction_columns *of)
{
    const struct accp_explanation *explanation = &explained->explanation;
    *of = (struct instruction_columns){.has_cycles = explanation->prediction.known};
    for (int i = 0; i < explanation->count; ++i) {
        if (!explanation->instructions[i].executed) of->has_cycles = true; /* marked there */
        if (!isnan(explained->without[i])) of->has_without = true;
        if (explanation->instructions[i].producer >= 0) of->has_producer = true;
    }
    add_column(of, "address", true, false);
    add_column(of, "control", false, false);
    if (of->has_cycles) add_column(of, "cycles", true, false);
    for (int c = 1; c < ACCP_CAUSE_COUNT; ++c) {
        if (explanation->causes[c] < 0.005) continue;
        of->causes[of->cause_count++] = c;
        add_column(of, accp_cause_name((enum accp_cause)c), true, false);
    }
    if (of->has_without) add_column(of, "without", true, false);
    add_column(of, "instruction", false, true);
    if (of->has_producer) add_column(of, "waits for", false, true);
}

static enum accp_status add_instruction(const struct accp_explained *explained, int i,
                                        const struct instruction_columns *of,
                                        struct accp_table *table, struct accp_error *error)
{
    const struct accp_explained_instruction *own = &explained->explanation.instructions[i];
    char text[ACCP_INSTRUCTION_TEXT_BYTES], control[32];
    double cycles = 0;
    size_t at = 0;
    ACCP_TRY(accp_table_row(table, error));
    for (int c = 0; c < ACCP_CAUSE_COUNT; ++c)
        cycles += own->cycles[c];
    const size_t index = explained->loop->head + (size_t)i;
    control_text(&explained->code.instructions[index].control, control, sizeof control);
    accp_table_cell(table, at++, "0x%zx", index * ACCP_INSTRUCTION_BYTES);
    accp_table_cell(table, at++, "%s", control);
    if (!own->executed)
        accp_table_cell(table, at, "-");
    else if (explained->explanation.prediction.known)
        accp_table_cell(table, at, "%.2f", cycles);
    at += of->has_cycles;
    for (size_t k = 0; k < of->cause_count; ++k, ++at)
        if (own->cycles[of->causes[k]] >= 0.005)
            accp_table_cell(table, at, "%.2f", own->cycles[of->causes[k]]);
    if (!isnan(explained->without[i])) accp_table_cell(table, at, "%+.2f", explained->without[i]);
    at += of->has_without;
    accp_explained_text(explained, i, text, sizeof text);
    accp_table_cell(table, at++, "%s", text);
    if (own->producer < 0) return ACCP_STATUS_OK;
    accp_explained_text(explained, own->producer, text, sizeof text);
    accp_table_cell(table, at, "%.60s", text);
    return ACCP_STATUS_OK;
}

static enum accp_status print_instructions(const struct accp_explained *explained, bool markdown,
                                           struct accp_error *error)
{
    struct instruction_columns of;
    struct accp_table *table;
    instruction_columns(explained, &of);
    enum accp_status status = ACCP_STATUS_OK;
    ACCP_TRY(accp_table_create(of.columns, of.count, &table, error));
    for (int i = 0; i < explained->explanation.count && status == ACCP_STATUS_OK; ++i)
        status = add_instruction(explained, i, &of, table, error);
    return finish(
        table, status,
        explained->explanation.prediction.known
            ? "instructions: cycles of one warp's iteration, by cause; without: what dropping it "
              "alone changes\n"
              "(stall is charged to the instruction that carries it, a branch's fetch to the "
              "branch, the rest to the one that waits)"
            : "instructions: their cycles are unknown, since those of the iteration are",
        markdown, error);
}

static enum accp_status print_changes(const struct accp_explained *explained, bool markdown,
                                      bool all, struct accp_error *error)
{
    static const struct accp_column columns[] = {
        {"change", true, false}, {"cycles", true, false}, {"what", false, true}};
    struct accp_table *table;
    enum accp_status status = ACCP_STATUS_OK;
    int shown[ACCP_CHANGE_COUNT] = {0};
    if (explained->change_count == 0) return ACCP_STATUS_OK;
    ACCP_TRY(accp_table_create(columns, 3, &table, error));
    for (size_t i = 0; i < explained->change_count && status == ACCP_STATUS_OK; ++i) {
        const struct accp_change *change = &explained->changes[i];
        if (!all && (shown[change->kind] >= CHANGES_SHOWN || fabs(change->relative) < change_least))
            continue;
        ++shown[change->kind];
        status = accp_table_row(table, error);
        if (status != ACCP_STATUS_OK) break;
        accp_table_cell(table, 0, "%+.1f %%", 100 * change->relative);
        accp_table_cell(table, 1, "%.1f", change->cycles);
        accp_table_cell(table, 2, "%s", change->what);
    }
    return finish(
        table, status,
        "what would change it, each predicted again (with other numbers of warps: time of "
        "an iteration over all warps)",
        markdown, error);
}

/* A letter for what issued; a sign for why nothing did. */
static char letter_of(const struct accp_explained *explained, const struct accp_timeline_cell *cell)
{
    static const char signs[ACCP_CAUSE_COUNT] = {
        [ACCP_CAUSE_NONE] = '?',       [ACCP_CAUSE_ANOTHER] = '-', [ACCP_CAUSE_STALL] = '.',
        [ACCP_CAUSE_SCOREBOARD] = 's', [ACCP_CAUSE_PIPE] = 'p',    [ACCP_CAUSE_PORTS] = 'r',
        [ACCP_CAUSE_BRANCH] = 'b',     [ACCP_CAUSE_LINE] = 'l'};
    if (cell->cause != ACCP_CAUSE_NONE) return signs[cell->cause];
    const size_t index = explained->loop->head + (size_t)cell->instruction;
    return accp_opcodes[explained->code.instructions[index].opcode].name[0];
}

static void print_timeline(const struct accp_explained *explained, bool markdown, bool all)
{
    const struct accp_explanation *explanation = &explained->explanation;
    const int warps = explanation->scheduler_warps, most = TIMELINE_WIDTH * TIMELINE_ROWS;
    int cycles = explanation->timeline_cycles;
    const bool is_cut = !all && cycles > most;
    if (is_cut) cycles = most;
    printf(
        "\ntimeline of scheduler 0 from a branch of its first warp on, the first of %s starts, a "
        "column a cycle%s\n(a letter: issued, the first of its opcode; . stall  - another warp "
        "served  s scoreboard  p pipe  r registers  b branch  l line)\n%s",
        warps > 1 ? "several" : "its", is_cut ? "; the rest with --all" : "",
        markdown ? "\n```\n" : "");
    for (int from = 0; from < cycles; from += TIMELINE_WIDTH) {
        for (int w = 0; w < warps; ++w) {
            printf("%5d warp %-2d ", from, w);
            for (int c = from; c < cycles && c < from + TIMELINE_WIDTH; ++c)
                putchar(letter_of(explained, &explanation->timeline[c * warps + w]));
            putchar('\n');
        }
        if (from + TIMELINE_WIDTH < cycles) putchar('\n');
    }
    if (markdown) puts("```");
}

enum accp_status accp_explained_print(const struct accp_explained *explained, bool markdown,
                                      bool all, struct accp_error *error)
{
    print_head(explained, markdown);
    ACCP_TRY(print_bounds(explained, markdown, error));
    if (explained->explanation.prediction.known) ACCP_TRY(print_causes(explained, markdown, error));
    ACCP_TRY(print_instructions(explained, markdown, error));
    ACCP_TRY(print_changes(explained, markdown, all, error));
    if (explained->explanation.prediction.known) print_timeline(explained, markdown, all);
    return ACCP_STATUS_OK;
}
