/* time_mutants CUBIN WARPS MUTATION[+N]...: times every mutant of the roles in a cubin of ours, on GPU 0, in one process:
 * one change of mutations.def to the loop of every role at once (of one role a kernel, where a change reaches beyond its loop), at
 * each place in turn. All roles are measured each time, the unchanged too: with two warps a scheduler, a level depends on its
 * company. WARPS 0: as protocol gate says (4 and 8). MUTATION none: the kernels as they are. stall+N: N more cycles, not one.
 * Prints a line that begins with #, the GPU and the compiler, and a line each mutation, role and number of warps, as
 * tests/data/mutants.tsv holds them: for each place in the loop, in order, the mean cycles per iteration, - where the result was
 * wrong (nothing is timed then), . where the change is not possible. */
#include "candidates.h"
#include "device/device.h"
#include "measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLACES = 160,
    LOADS = 2,
    STALL_BIT = 41,
    STALL_MOST = 15,
    STALL_MOST_KEEPING = 11,
    TRIES = 3
};
/* A warp that took so many times as long as another was interrupted (docs/trust.md). */
static const double interrupted = 8;

/* What became of one role's mutants. */
struct result {
    char state[PLACES]; /* 't' timed, '-' wrong, '.' not possible, 0 no such place */
    double mean[LOADS][PLACES];
};

/* The change that is tried now. */
struct trial {
    const char *mutation; /* a name of mutations.def, or none */
    unsigned more;        /* stall cycles beside the first */
    unsigned place, turn;
};

struct bench {
    struct accp_candidates candidates;
    struct result *results; /* of each candidate */
    struct accp_device *device;
    int warps, loads[LOADS];
};

static bool stall_longer(const struct accp_subject *subject, size_t index, unsigned by)
{
    const struct accp_control *control = &subject->decoded->instructions[index].control;
    uint64_t words[2];
    if (control->stall_cycles + (int)by + 1 > (control->yield ? STALL_MOST : STALL_MOST_KEEPING))
        return false;
    accp_subject_get(subject, index, words);
    words[1] += (uint64_t)by << STALL_BIT;
    accp_subject_put(subject, index, words);
    return true;
}

/* Changes the image of every role that has such a place; returns how many have. */
static size_t change(struct bench *bench, const struct trial *trial)
{
    struct accp_candidates *candidates = &bench->candidates;
    const bool is_none = strcmp(trial->mutation, "none") == 0;
    size_t changed = accp_candidates_change(candidates, is_none ? "" : trial->mutation,
                                            trial->place, trial->turn);
    for (size_t i = 0; i < candidates->count; ++i) {
        struct accp_candidate *one = &candidates->all[i];
        if (is_none && trial->place == 0 && trial->turn == 0) {
            one->is_changed = true;
            ++changed;
        }
        if (!one->is_changed) continue;
        char *state = &bench->results[i].state[trial->place];
        *state = 't';
        if (trial->more == 0 ||
            stall_longer(&one->subject, one->address / ACCP_INSTRUCTION_BYTES, trial->more))
            continue;
        *state = '.';
        one->is_changed = false;
    }
    return changed;
}

static void keep(struct bench *bench, const struct accp_run *run, unsigned place)
{
    for (size_t i = 0; i < bench->candidates.count; ++i)
        for (int load = 0; load < LOADS && bench->candidates.all[i].is_changed; ++load) {
            const struct accp_run_role *role =
                accp_run_find(run, bench->candidates.all[i].role->name, bench->loads[load]);
            if (role) bench->results[i].mean[load][place] = role->cycles.mean;
        }
}

static bool was_interrupted(const struct accp_run *run)
{
    for (size_t i = 0; i < run->role_count; ++i)
        if (run->roles[i].cycles.max > interrupted * run->roles[i].cycles.min) return true;
    return false;
}

static enum accp_status measure(struct bench *bench, unsigned place, struct accp_error *error)
{
    const struct accp_candidates *candidates = &bench->candidates;
    struct accp_measure_kernel kernels[ACCP_ROLE_COUNT];
    const struct accp_measure_request request = {.cubin = candidates->image.data,
                                                 .cubin_bytes = candidates->image.size,
                                                 .kernels = kernels,
                                                 .kernel_count = candidates->count,
                                                 .protocol = "gate",
                                                 .warps = bench->warps,
                                                 .seed = place + 1};
    struct accp_measure_times times;
    struct accp_run run;
    for (size_t i = 0; i < candidates->count; ++i)
        kernels[i] =
            (struct accp_measure_kernel){candidates->all[i].role->kernel, candidates->all[i].role};
    enum accp_status status = ACCP_STATUS_OK;
    bool again = true;
    for (int tried = 0; tried < TRIES && status == ACCP_STATUS_OK && again; ++tried) {
        accp_run_init(&run);
        status = accp_measure(bench->device, &request, &run, &times, error);
        again = status == ACCP_STATUS_OK && was_interrupted(&run);
        if (status == ACCP_STATUS_OK) keep(bench, &run, place);
        accp_run_fini(&run);
    }
    return status;
}

/* The change that made this role compute something else: its own, or that of the kernel it shares. */
static size_t culprit(const struct accp_candidates *candidates, const char *role)
{
    const struct accp_kernel *kernel = NULL;
    for (size_t i = 0; i < candidates->count; ++i) {
        if (strcmp(candidates->all[i].role->name, role) != 0) continue;
        if (candidates->all[i].is_changed) return i;
        kernel = candidates->all[i].code.kernel;
    }
    size_t i = 0;
    while (i < candidates->count &&
           (candidates->all[i].code.kernel != kernel || !candidates->all[i].is_changed))
        ++i;
    return i;
}

/* Takes the change back, one by one, of the roles that compute something else now. */
static enum accp_status measure_right_ones(struct bench *bench, const struct trial *trial,
                                           struct accp_error *error)
{
    struct accp_candidates *candidates = &bench->candidates;
    enum accp_status status;
    while ((status = measure(bench, trial->place, error)) == ACCP_STATUS_WRONG) {
        const size_t i = culprit(candidates, error->where);
        if (i == candidates->count) return status;
        bench->results[i].state[trial->place] = '-';
        accp_candidates_spare(candidates, trial->mutation, trial->place, &candidates->all[i]);
    }
    return status;
}

static void print(const struct bench *bench, const char *mutation)
{
    for (size_t i = 0; i < bench->candidates.count; ++i)
        for (int load = 0; load < LOADS && bench->loads[load] > 0; ++load) {
            const struct result *result = &bench->results[i];
            if (!result->state[0]) continue;
            printf("%s\t%s\t%d\t", mutation, bench->candidates.all[i].role->name,
                   bench->loads[load]);
            for (unsigned place = 0; place < PLACES && result->state[place]; ++place) {
                if (place > 0) putchar(' ');
                if (result->state[place] == 't')
                    printf("%.6g", result->mean[load][place]);
                else
                    putchar(result->state[place]);
            }
            putchar('\n');
        }
    fflush(stdout);
}

/* Every place, one role of a kernel after the other where they cannot be changed at once. */
static enum accp_status time_places(struct bench *bench, struct trial *trial,
                                    struct accp_error *error)
{
    for (trial->turn = 0; trial->turn < bench->candidates.turns; ++trial->turn)
        for (trial->place = 0; change(bench, trial) > 0; ++trial->place) {
            if (trial->place + 1 == PLACES)
                return accp_fail(error, ACCP_STATUS_UNSUPPORTED, trial->mutation, -1,
                                 "a loop has more than %d places for it", PLACES - 2);
            ACCP_TRY(measure_right_ones(bench, trial, error));
        }
    return ACCP_STATUS_OK;
}

static enum accp_status time_mutation(struct bench *bench, const char *name,
                                      struct accp_error *error)
{
    char mutation[32];
    const char *plus = strchr(name, '+');
    struct trial trial = {.mutation = mutation,
                          .more = plus ? (unsigned)strtoul(plus + 1, NULL, 10) - 1 : 0};
    snprintf(mutation, sizeof mutation, "%.*s", plus ? (int)(plus - name) : 31, name);
    if (strcmp(mutation, "none") != 0 && !accp_mutation_known(mutation))
        return accp_fail(error, ACCP_STATUS_USAGE, name, -1, "is not in mutations.def");
    memset(bench->results, 0, bench->candidates.count * sizeof *bench->results);
    ACCP_TRY(time_places(bench, &trial, error));
    print(bench, name);
    return ACCP_STATUS_OK;
}

static void print_where(const struct bench *bench)
{
    struct accp_run run;
    accp_run_init(&run);
    accp_device_facts(bench->device, &run.device);
    printf("# %s (%d SMs, driver %s), %s %s\n", run.device.name, (int)run.device.sm_count,
           run.device.driver, bench->candidates.cubin.compiler_name,
           bench->candidates.cubin.compiler_version);
    accp_run_fini(&run);
}

static enum accp_status run(int argc, char **argv, struct bench *bench, struct accp_error *error)
{
    ACCP_TRY(accp_candidates_init(&bench->candidates, argv[1], error));
    bench->results = calloc(bench->candidates.count, sizeof *bench->results);
    if (!bench->results)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for its results");
    bench->warps = (int)strtol(argv[2], NULL, 10);
    bench->loads[0] =
        bench->warps > 0 ? bench->warps : accp_protocols[ACCP_PROTOCOL_GATE_EXACT].warps;
    bench->loads[1] = bench->warps > 0 ? 0 : accp_protocols[ACCP_PROTOCOL_GATE_LOAD].warps;
    ACCP_TRY(accp_device_open(0, &bench->device, error));
    print_where(bench);
    for (int i = 3; i < argc; ++i)
        ACCP_TRY(time_mutation(bench, argv[i], error));
    return ACCP_STATUS_OK;
}

int main(int argc, char **argv)
{
    struct accp_error error;
    struct bench bench = {0};
    if (argc < 4) {
        fputs("usage: time_mutants CUBIN WARPS MUTATION[+N]...\n", stderr);
        return 4;
    }
    const enum accp_status status = run(argc, argv, &bench, &error);
    accp_device_close(bench.device);
    accp_candidates_fini(&bench.candidates);
    free(bench.results);
    if (status == ACCP_STATUS_OK) return 0;
    fprintf(stderr, "time_mutants: %s: %s\n", error.where, error.text);
    return 4;
}
