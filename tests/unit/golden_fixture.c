#include "golden_fixture.h"

#include "golden/statistics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cycles per iteration at 8 warps, in the order of optimal.def; about half of it, rounded, at 4. */
static const double cycles_at_8[FIXTURE_ROLES] = {
    78.4, 70.5, 72.1,  74.8,  81.3,  87.8,  90.6,  125.5, 101.1, 87.4,  84.1,  86.7,
    90.4, 99.5, 105.0, 149.8, 174.5, 129.1, 118.5, 118.6, 123.7, 136.0, 145.7, 199.6,
};

double fixture_uniform(struct accp_random *random)
{
    return ((double)(accp_random_next(random) >> 12) + 0.5) / 4503599627370496.0;
}

static void add_role(struct accp_run *run, size_t row, int warps, double cycles)
{
    struct accp_run_role *role;
    assert_int_equal(accp_run_append(run, &role, NULL), ACCP_STATUS_OK);
    strcpy(role->role, accp_roles[row].name);
    strcpy(role->kernel, accp_roles[row].kernel);
    role->chain = accp_roles[row].chain;
    role->acc = accp_roles[row].acc;
    role->effective = accp_roles[row].effective;
    role->warps = warps;
    role->cycles = (struct accp_cycles){.mean = cycles, .min = cycles, .max = cycles, .n = 1056};
    role->progress = 1e7 / cycles;
}

void fixture_run(struct accp_run *run, struct accp_random *random)
{
    accp_run_init(run);
    run->source = ACCP_SOURCE_MEASURED;
    strcpy(run->date, "2026-01-02T03:04:05Z");
    strcpy(run->tool, "0.1.0");
    strcpy(run->device.name, "A GPU");
    strcpy(run->device.arch, "sm_90");
    strcpy(run->device.pci_device, "10de:2335");
    strcpy(run->device.driver, "580.159");
    strcpy(run->device.throttle, "none");
    run->device.sm_count = 132;
    run->device.memory_bytes = 150754820096;
    run->device.other_processes = run->device.utilization_percent = 0;
    strcpy(run->compiler.name, "ptxas");
    strcpy(run->compiler.version, "13.0.88");
    strcpy(run->protocol.name, "gate");
    run->protocol.seed = accp_random_next(random) >> 1;
    run->protocol.blocks = 132;
    run->protocol.launches = 16;
    run->protocol.budget_cycles = 50000;
    run->protocol.skew_cycles = 4096;
    run->protocol.warmup_cycles = 2048;
    run->reference_first = run->reference_second = 59;
    for (size_t i = 0; i < FIXTURE_ROLES; ++i) {
        double z = accp_statistics_normal_quantile(fixture_uniform(random));
        add_role(run, i, 4, round(cycles_at_8[i] * 0.75));
        add_role(run, i, 8, cycles_at_8[i] * (1 + FIXTURE_NOISE * z));
    }
}

struct accp_run *fixture_sessions(size_t count, uint64_t seed)
{
    struct accp_random random = {seed};
    struct accp_run *runs = calloc(count, sizeof *runs);
    assert_non_null(runs);
    for (size_t i = 0; i < count; ++i)
        fixture_run(&runs[i], &random);
    return runs;
}

void fixture_sessions_free(struct accp_run *runs, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        accp_run_fini(&runs[i]);
    free(runs);
}

void fixture_scale(struct accp_run *runs, size_t count, const char *role, int warps, double factor)
{
    size_t scaled = 0;
    for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < runs[i].role_count; ++j) {
            struct accp_run_role *found = &runs[i].roles[j];
            if (strcmp(found->role, role) != 0 || (warps && found->warps != warps)) continue;
            found->cycles.mean *= factor;
            found->cycles.min *= factor;
            found->cycles.max *= factor;
            found->progress /= factor;
            ++scaled;
        }
    assert_true(scaled >= count);
}

struct accp_run_role *fixture_role(struct accp_run *run, const char *role, int warps)
{
    for (size_t i = 0; i < run->role_count; ++i)
        if (run->roles[i].warps == warps && strcmp(run->roles[i].role, role) == 0)
            return &run->roles[i];
    fail_msg("no %s at %d warps", role, warps);
    return NULL;
}

struct accp_record_request fixture_request(const struct accp_run *runs, size_t count,
                                           const char *folder)
{
    return (struct accp_record_request){
        .runs = runs,
        .run_count = count,
        .folder = folder,
        .reason = "first baseline",
        .commit = "0123456789abcdef",
        .date = "2026-01-02",
    };
}

void fixture_folder(char path[64])
{
    strcpy(path, "/tmp/accp_golden_XXXXXX");
    assert_non_null(mkdtemp(path));
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

void fixture_remove(const char *path)
{
    assert_int_equal(nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}
