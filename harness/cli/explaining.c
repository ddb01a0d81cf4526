#include "cli/explaining.h"

#include "base/word.h"
#include "cli/changes.h"
#include "cli/explain_probe.h"
#include "cli/select.h"
#include "sass/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_WARPS = 8 };

static const struct accp_word changes[ACCP_CHANGE_COUNT] = {ACCP_CHANGE_TABLE(ACCP_WORD)};

/* Each behind ", ". */
static const char listed_probes[] =
#define EXPLAINED(probe, recordings, says) ", " #probe
    ACCP_EXPLAINED_TABLE(EXPLAINED);
#undef EXPLAINED
static const char *const probes = listed_probes + sizeof ", " - 1;

const char *accp_change_name(enum accp_change_kind kind)
{
    return changes[kind].name;
}

void accp_explained_fini(struct accp_explained *explained)
{
    accp_explanation_fini(&explained->explanation);
    free(explained->without);
    accp_code_fini(&explained->code);
    accp_opened_close(&explained->opened);
    memset(explained, 0, sizeof *explained);
}

void accp_explained_text(const struct accp_explained *explained, int instruction, char *text,
                         size_t text_bytes)
{
    const size_t index = explained->loop->head + (size_t)instruction;
    accp_instruction_text(&explained->code.instructions[index], index * ACCP_INSTRUCTION_BYTES,
                          text, text_bytes);
}

static enum accp_status open_role(const struct accp_options *options, const char *name,
                                  struct accp_explained *explained, struct accp_error *error)
{
    explained->role = accp_role_find(name);
    if (!explained->role)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "\"%.60s\" is no role (accprobe list shows them), nor a probe that can be "
                         "explained (%s); for a kernel of your own: --cubin FILE",
                         name, probes);
    if (explained->role->dispatch == ACCP_DISPATCH_MIXED)
        return accp_fail(
            error, ACCP_STATUS_INPUT, explained->role->name, -1,
            "its warps run different loops, and explain tells of one: predict gives its cycles; "
            "ask here for the role of the dispatch probe that has the same chain and acc");
    ACCP_TRY(accp_opened_built(options->arch ? options->arch : "sm_90",
                               accp_probe_names[explained->role->probe], &explained->opened,
                               error));
    return accp_cubin_pick(&explained->opened.cubin, explained->opened.path,
                           explained->role->kernel, &explained->kernel, error);
}

static enum accp_status open_cubin(const struct accp_options *options,
                                   struct accp_explained *explained, struct accp_error *error)
{
    ACCP_TRY(accp_opened_file(options->cubin, &explained->opened, error));
    const struct accp_cubin *cubin = &explained->opened.cubin;
    ACCP_TRY(accp_cubin_check_arch(options, options->cubin, cubin->arch_name, error));
    ACCP_TRY(accp_cubin_pick(cubin, options->cubin, options->kernel, &explained->kernel, error));
    explained->role = accp_role_find(explained->kernel->name);
    return ACCP_STATUS_OK;
}

static enum accp_status open_any(const struct accp_options *options,
                                 struct accp_explained *explained, struct accp_error *error)
{
    if (options->operand_count > 1)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "explain takes one role: it does not know what to do with \"%.60s\"",
                         options->operands[1]);
    if (options->cubin && options->operand_count > 0)
        return accp_fail(
            error, ACCP_STATUS_USAGE, NULL, -1,
            "explain takes a role, or --cubin FILE (and --kernel NAME where it has several), "
            "not both");
    if (options->kernel && !options->cubin)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--kernel names a kernel of --cubin FILE; a role is named without it");
    if (options->cubin) return open_cubin(options, explained, error);
    if (options->operand_count > 0)
        return open_role(options, options->operands[0], explained, error);
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                     "explain what? Name a role (accprobe list shows them), a probe (%s), "
                     "or --cubin FILE (and --kernel NAME where it has several kernels)",
                     probes);
}

/* Registers of an SM for each of so many threads: a warp gets them in units of `allocation`. */
static int shared_registers(const struct accp_arch *arch, int threads)
{
    const int of_thread = arch->allocation / 32;
    return arch->registers / threads / of_thread * of_thread;
}

static int product(const int sizes[3])
{
    int threads = 1;
    for (int i = 0; i < 3; ++i)
        threads *= sizes[i] > 0 ? sizes[i] : 1;
    return threads;
}

static void limit_by(struct accp_explained *explained, int limit, const char *by)
{
    if (limit < 1 || limit >= explained->register_limit) return;
    explained->register_limit = limit;
    explained->register_limit_by = by;
}

/* The least of what limits the registers of a thread; of equals the one named first. */
static void limit_registers(struct accp_explained *explained)
{
    enum { NAMED = 255 }; /* R0 to R254 */
    const struct accp_kernel *kernel = explained->kernel;
    const struct accp_arch *arch = explained->opened.cubin.arch;
    explained->register_limit = NAMED;
    explained->register_limit_by = "the instruction set names";
    if (arch && product(kernel->max_threads) > 1)
        limit_by(explained, shared_registers(arch, product(kernel->max_threads)),
                 "its launch bounds leave");
    if (arch && product(kernel->required_threads) > 1)
        limit_by(explained, shared_registers(arch, product(kernel->required_threads)),
                 "the threads that it requires leave");
    limit_by(explained, kernel->register_limit, "its compiler was allowed");
    if (arch)
        limit_by(explained, shared_registers(arch, 32 * explained->warps),
                 "so many warps leave on an SM");
}

static enum accp_status explain(const struct accp_options *options,
                                struct accp_explained *explained, struct accp_error *error)
{
    ACCP_TRY(open_any(options, explained, error));
    ACCP_TRY(accp_code_init(&explained->opened.cubin, explained->kernel, &explained->code, error));
    ACCP_TRY(accp_chain_find_loop(&explained->code, explained->role, options->loop,
                                  &explained->loop, error));
    explained->warps = options->warps > 0 ? (int)options->warps : DEFAULT_WARPS;
    limit_registers(explained);
    const struct accp_model_options model = accp_changes_options(explained);
    ACCP_TRY(
        accp_explain(&explained->code, explained->loop, &model, &explained->explanation, error));
    ACCP_TRY(accp_changes_find(explained, error));
    accp_changes_bottleneck(explained);
    return ACCP_STATUS_OK;
}

enum accp_status accp_explaining(const struct accp_options *options,
                                 struct accp_explained *explained, struct accp_error *error)
{
    memset(explained, 0, sizeof *explained);
    enum accp_status status = explain(options, explained, error);
    if (status != ACCP_STATUS_OK) accp_explained_fini(explained);
    return status;
}
