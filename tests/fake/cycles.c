#include "cycles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE_BYTES = 4096 };

/* Made up, and whole: enough for a launch to have a shape where no run was given. */
static double made_up_cycles(const struct accp_role *role)
{
    if (!role) return 100;
    int depth = (role->chain + role->effective - 1) / role->effective;
    return 40 + 4 * depth + 4 * role->effective;
}

/* ACCP_FAKE_SCALE is "NAME=CHANGE,...": NAME a kernel symbol or *, with @WARPS behind it or not;
 * CHANGE a factor, or a number of cycles with its sign. */
static double changed(double cycles, const char *symbol, int warps)
{
    char text[SCALE_BYTES], at_warps[ACCP_NAME_BYTES + 16];
    const char *variable = getenv("ACCP_FAKE_SCALE");
    snprintf(text, sizeof text, "%s", variable ? variable : "");
    snprintf(at_warps, sizeof at_warps, "%s@%d", symbol, warps);
    char *rest;
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        char *change = strchr(word, '=');
        if (!change) continue;
        *change++ = 0;
        if (strcmp(word, "*") != 0 && strcmp(word, symbol) != 0 && strcmp(word, at_warps) != 0)
            continue;
        double number = strtod(change, NULL);
        cycles = change[0] == '+' || change[0] == '-' ? cycles + number : cycles * number;
    }
    return cycles;
}

/* A role by its name, since several can share a kernel; a stranger's kernel by its symbol. */
static const struct accp_run_role *find_role(const struct accp_run *run, const char *symbol,
                                             const struct accp_role *role, int warps)
{
    for (size_t i = 0; run && i < run->role_count; ++i) {
        const struct accp_run_role *recorded = &run->roles[i];
        const bool is_it =
            role ? strcmp(recorded->role, role->name) == 0 : strcmp(recorded->kernel, symbol) == 0;
        if (recorded->warps == warps && is_it) return recorded;
    }
    return NULL;
}

/* A run keeps the heaviest modes only: what is left is moved so that the mean is the recorded one.
 */
static void copy_modes(const struct accp_cycles *recorded, struct accp_fake_cycles *cycles)
{
    double weight = 0, mean = 0;
    cycles->count = recorded->mode_count;
    for (size_t i = 0; i < cycles->count; ++i) {
        cycles->modes[i] = recorded->modes[i];
        weight += recorded->modes[i].weight;
        mean += recorded->modes[i].weight * recorded->modes[i].cycles;
    }
    if (cycles->count == 0 || weight <= 0) {
        cycles->count = 1;
        cycles->modes[0] = (struct accp_mode){recorded->mean, 1};
        return;
    }
    for (size_t i = 0; i < cycles->count; ++i) {
        cycles->modes[i].weight /= weight;
        cycles->modes[i].cycles += recorded->mean - mean / weight;
    }
}

static bool is_kernel(const struct accp_run *run, const char *symbol)
{
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i)
        if (strcmp(accp_roles[i].kernel, symbol) == 0) return true;
    for (size_t i = 0; run && i < run->role_count; ++i)
        if (strcmp(run->roles[i].kernel, symbol) == 0) return true;
    return false;
}

/* Cuts the word; false: it would change nothing, or something else than was meant. */
static bool is_change(const struct accp_run *run, char *word)
{
    char *change = strchr(word, '='), *at = strchr(word, '@'), *end = word;
    if (!change || (at && at > change)) return false;
    *change++ = 0;
    if (at) {
        *at++ = 0;
        const long warps = strtol(at, &end, 10);
        if (*end || warps < 1 || warps > ACCP_RUN_WARPS) return false;
    }
    const double number = strtod(change, &end);
    return end != change && !*end && isfinite(number) &&
           ((!at && strcmp(word, "*") == 0) || is_kernel(run, word));
}

bool accp_fake_cycles_check(const struct accp_run *run)
{
    char text[SCALE_BYTES], word_text[SCALE_BYTES];
    const char *variable = getenv("ACCP_FAKE_SCALE");
    if (!variable) return true;
    if (snprintf(text, sizeof text, "%s", variable) >= (int)sizeof text) {
        fprintf(stderr, "ACCP_FAKE_SCALE: has more than %d bytes\n", SCALE_BYTES - 1);
        return false;
    }
    char *rest;
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        strcpy(word_text, word);
        if (is_change(run, word)) continue;
        fprintf(
            stderr,
            "ACCP_FAKE_SCALE: \"%s\" is not KERNEL=CHANGE, KERNEL@WARPS=CHANGE or *=CHANGE of a "
            "kernel of the tables or of ACCP_FAKE_RUN\n",
            word_text);
        return false;
    }
    return true;
}

void accp_fake_cycles_find(const struct accp_run *run, const char *symbol,
                           const struct accp_role *role, int warps, struct accp_fake_cycles *cycles)
{
    memset(cycles, 0, sizeof *cycles);
    const struct accp_run_role *recorded = find_role(run, symbol, role, warps);
    if (recorded && recorded->cycles.n == 0) return;
    if (recorded) {
        copy_modes(&recorded->cycles, cycles);
    } else {
        cycles->count = 1;
        cycles->modes[0] = (struct accp_mode){made_up_cycles(role), 1};
    }
    for (size_t i = 0; i < cycles->count; ++i)
        cycles->modes[i].cycles = changed(cycles->modes[i].cycles, symbol, warps);
}

double accp_fake_cycles_draw(const struct accp_fake_cycles *cycles, struct accp_random *random)
{
    double point = (double)(accp_random_next(random) >> 11) * 0x1p-53;
    size_t i = 0;
    while (i + 1 < cycles->count && point >= cycles->modes[i].weight)
        point -= cycles->modes[i++].weight;
    return cycles->modes[i].cycles;
}
