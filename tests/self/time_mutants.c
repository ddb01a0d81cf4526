/* time_mutants CUBIN WARPS MUTATION[+N]...: times every mutant of the roles in a cubin of ours, on GPU 0, in one process:
 * one change of mutations.def to the loop of every role at once, at each place in turn. WARPS 0: as protocol gate says (4
 * and 8). MUTATION none: the kernels as they are. stall+N: N more cycles, not one. Prints a line that begins with #, the GPU and
 * the compiler, and a line each mutation, role and number of warps, as tests/data/mutants.tsv holds them: for each place in the loop, in order, the mean cycles per
 * iteration, - where the result was wrong (nothing is timed then), . where the change is not possible. */
#include "base/file.h"
#include "device/device.h"
#include "measure/measure.h"
#include "mutations.h"
#include "sass/chain.h"

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

/* One role's loop, and what became of its mutants. */
struct candidate {
    const struct accp_role *role;
    struct accp_code code;
    const struct accp_loop *loop;
    struct accp_subject subject;
    bool is_timed; /* in the cubin that is measured now */
    char state[PLACES];
    double mean[LOADS][PLACES];
};

struct bench {
    struct accp_bytes original, image;
    struct accp_cubin cubin; /* of `original` */
    struct accp_device *device;
    int warps, loads[LOADS];
    struct candidate *candidates;
    size_t count;
};

static bool is_taken(const struct bench *bench, const struct candidate *candidate,
                     const struct accp_loop *loop)
{
    for (size_t i = 0; i < bench->count; ++i)
        if (bench->candidates[i].code.kernel == candidate->code.kernel &&
            bench->candidates[i].loop->head == loop->head)
            return true;
    return false;
}

/* In a kernel that they share, roles with as many effective accumulators have loops of as many
 * instructions, which are not told apart: each gets one that no other has. Since all of them are
 * changed at one place at a time, each role runs a changed one. NULL: fewer loops than roles. */
static const struct accp_loop *free_copy(const struct bench *bench,
                                         const struct candidate *candidate)
{
    for (size_t i = 0; i < candidate->code.loop_count; ++i) {
        const struct accp_loop *loop = &candidate->code.loops[i];
        if (loop->instructions == candidate->loop->instructions &&
            loop->floating_point == candidate->loop->floating_point &&
            !is_taken(bench, candidate, loop))
            return loop;
    }
    return NULL;
}

static enum accp_status add_role(struct bench *bench, const struct accp_role *role,
                                 const struct accp_kernel *kernel, struct accp_error *error)
{
    struct candidate *candidate = &bench->candidates[bench->count];
    candidate->role = role;
    ACCP_TRY(accp_code_init(&bench->cubin, kernel, &candidate->code, error));
    enum accp_status status =
        accp_chain_find_loop(&candidate->code, role, -1, &candidate->loop, error);
    if (status == ACCP_STATUS_OK && is_taken(bench, candidate, candidate->loop))
        candidate->loop = free_copy(bench, candidate);
    if (status != ACCP_STATUS_OK || !candidate->loop) {
        accp_code_fini(&candidate->code);
        return status;
    }
    ++bench->count;
    candidate->subject =
        (struct accp_subject){bench->image.data + (kernel->code - bench->original.data),
                              &candidate->code, candidate->loop};
    return ACCP_STATUS_OK;
}

/* A cubin holds the roles of one probe; two probes share the names of no kernels. */
static enum accp_status find_roles(struct bench *bench, struct accp_error *error)
{
    bench->candidates = calloc(ACCP_ROLE_COUNT, sizeof *bench->candidates);
    bench->image.data = malloc(bench->original.size);
    bench->image.size = bench->original.size;
    if (!bench->candidates || !bench->image.data)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for its roles");
    for (int i = 0; i < ACCP_ROLE_COUNT; ++i) {
        const struct accp_kernel *kernel = accp_cubin_find(&bench->cubin, accp_roles[i].kernel);
        if (kernel) ACCP_TRY(add_role(bench, &accp_roles[i], kernel, error));
    }
    if (bench->count > 0) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, NULL, -1, "holds no kernel of the tables");
}

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
static size_t change(struct bench *bench, const char *mutation, unsigned more, unsigned place)
{
    size_t changed = 0;
    memcpy(bench->image.data, bench->original.data, bench->original.size);
    for (size_t i = 0; i < bench->count; ++i) {
        struct candidate *candidate = &bench->candidates[i];
        size_t address;
        candidate->is_timed = strcmp(mutation, "none") == 0
                                  ? place == 0
                                  : accp_mutate(&candidate->subject, mutation, place, &address);
        candidate->state[place] = 0;
        if (!candidate->is_timed) continue;
        ++changed;
        candidate->state[place] = 't';
        if (more == 0 || stall_longer(&candidate->subject, address / ACCP_INSTRUCTION_BYTES, more))
            continue;
        candidate->state[place] = '.';
        candidate->is_timed = false;
    }
    return changed;
}

static void keep(struct bench *bench, const struct accp_run *run, unsigned place)
{
    for (size_t i = 0; i < bench->count; ++i)
        for (int load = 0; load < LOADS && bench->candidates[i].is_timed; ++load) {
            const struct accp_run_role *role =
                accp_run_find(run, bench->candidates[i].role->name, bench->loads[load]);
            if (role) bench->candidates[i].mean[load][place] = role->cycles.mean;
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
    struct accp_measure_kernel kernels[ACCP_ROLE_COUNT];
    struct accp_measure_request request = {.cubin = bench->image.data,
                                           .cubin_bytes = bench->image.size,
                                           .kernels = kernels,
                                           .protocol = "gate",
                                           .warps = bench->warps,
                                           .seed = place + 1};
    struct accp_measure_times times;
    struct accp_run run;
    for (size_t i = 0; i < bench->count; ++i)
        if (bench->candidates[i].is_timed)
            kernels[request.kernel_count++] = (struct accp_measure_kernel){
                bench->candidates[i].role->kernel, bench->candidates[i].role};
    if (request.kernel_count == 0) return ACCP_STATUS_OK;
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

/* Leaves out, one by one, the roles that compute something else now. */
static enum accp_status measure_right_ones(struct bench *bench, unsigned place,
                                           struct accp_error *error)
{
    enum accp_status status;
    while ((status = measure(bench, place, error)) == ACCP_STATUS_WRONG) {
        size_t i = 0;
        while (i < bench->count && strcmp(bench->candidates[i].role->name, error->where) != 0)
            ++i;
        if (i == bench->count || !bench->candidates[i].is_timed) return status;
        bench->candidates[i].is_timed = false;
        bench->candidates[i].state[place] = '-';
    }
    return status;
}

static void print(const struct bench *bench, const char *mutation, unsigned places)
{
    for (size_t i = 0; i < bench->count; ++i)
        for (int load = 0; load < LOADS && bench->loads[load] > 0; ++load) {
            const struct candidate *candidate = &bench->candidates[i];
            if (!candidate->state[0]) continue;
            printf("%s\t%s\t%d\t", mutation, candidate->role->name, bench->loads[load]);
            for (unsigned place = 0; place < places && candidate->state[place]; ++place) {
                if (place > 0) putchar(' ');
                if (candidate->state[place] == 't')
                    printf("%.6g", candidate->mean[load][place]);
                else
                    putchar(candidate->state[place]);
            }
            putchar('\n');
        }
    fflush(stdout);
}

static enum accp_status time_mutation(struct bench *bench, const char *name,
                                      struct accp_error *error)
{
    char mutation[32];
    const char *plus = strchr(name, '+');
    const unsigned more = plus ? (unsigned)strtoul(plus + 1, NULL, 10) - 1 : 0;
    unsigned place = 0;
    snprintf(mutation, sizeof mutation, "%.*s", plus ? (int)(plus - name) : 31, name);
    if (strcmp(mutation, "none") != 0 && !accp_mutation_known(mutation))
        return accp_fail(error, ACCP_STATUS_USAGE, name, -1, "is not in mutations.def");
    while (place < PLACES && change(bench, mutation, more, place) > 0) {
        ACCP_TRY(measure_right_ones(bench, place, error));
        ++place;
    }
    print(bench, name, place);
    return ACCP_STATUS_OK;
}

static void print_where(const struct bench *bench)
{
    struct accp_run run;
    accp_run_init(&run);
    accp_device_facts(bench->device, &run.device);
    printf("# %s (%d SMs, driver %s), %s %s\n", run.device.name, (int)run.device.sm_count,
           run.device.driver, bench->cubin.compiler_name, bench->cubin.compiler_version);
    accp_run_fini(&run);
}

static enum accp_status run(int argc, char **argv, struct bench *bench, struct accp_error *error)
{
    ACCP_TRY(accp_file_read(argv[1], ACCP_CUBIN_LIMIT_BYTES, &bench->original, error));
    ACCP_TRY(
        accp_cubin_open(argv[1], bench->original.data, bench->original.size, &bench->cubin, error));
    ACCP_TRY(find_roles(bench, error));
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
    for (size_t i = 0; i < bench.count; ++i)
        accp_code_fini(&bench.candidates[i].code);
    accp_cubin_close(&bench.cubin);
    accp_bytes_fini(&bench.original);
    free(bench.candidates);
    free(bench.image.data);
    if (status == ACCP_STATUS_OK) return 0;
    fprintf(stderr, "time_mutants: %s: %s\n", error.where, error.text);
    return 4;
}
