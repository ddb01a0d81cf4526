#include "cli/statics.h"

#include "cli/shaping.h"
#include "golden/shapes.h"
#include "verdict/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the roles of one probe are compared with. */
struct comparing {
    const struct accp_run *runs;
    size_t run_count;
    const struct accp_golden *golden;
    struct accp_shapes built; /* of this arch and probe, with listings; empty: none */
    struct accp_listings recorded;
    struct accp_shape_goldens shapes; /* of the run's compiler and this probe */
    struct accp_statics *statics;
};

void accp_statics_fini(struct accp_statics *statics)
{
    free(statics->items);
    memset(statics, 0, sizeof *statics);
}

static enum accp_status check_runs(const struct comparing *comparing,
                                   const struct accp_run_role *role, struct accp_error *error)
{
    for (size_t i = 1; i < comparing->run_count; ++i) {
        const struct accp_run *run = &comparing->runs[i];
        const struct accp_run_role *other = accp_run_find(run, role->role, role->warps);
        if (other && strcmp(other->sass, role->sass) != 0)
            return accp_fail(error, ACCP_STATUS_INPUT, NULL, (int64_t)i,
                             "run 1 and run %zu hold different SASS of %s: judge them apart, or "
                             "compare them with accprobe diff",
                             i + 1, role->role);
    }
    return ACCP_STATUS_OK;
}

static const struct accp_listing *listing_of(const struct comparing *comparing, const char *hash)
{
    const struct accp_listing *found = accp_listings_find(&comparing->recorded, hash);
    return found ? found : accp_listings_find(&comparing->built.listings, hash);
}

/* The same as its compiler's golden has it; *build: whose golden that is (may be NULL). */
static const struct accp_shape *recorded_shape(const struct comparing *comparing,
                                               const struct accp_run_role *role, const char **build)
{
    for (size_t i = 0; i < comparing->shapes.count; ++i) {
        const struct accp_shapes *golden = &comparing->shapes.items[i].shapes;
        for (size_t k = 0; k < golden->count; ++k)
            if (strcmp(golden->shapes[k].role, role->role) == 0 &&
                strcmp(golden->shapes[k].loop.control_hash, role->sass) == 0) {
                if (build) *build = golden->compiler_version;
                return &golden->shapes[k];
            }
    }
    return NULL;
}

/* The compiler of the run; "13.0.88-nvrtc" where only NVRTC of that version makes what it ran. */
static const char *maker_of(const struct comparing *comparing, const struct accp_run_role *role)
{
    const char *build = "";
    const bool is_recorded = recorded_shape(comparing, role, &build) != NULL;
    return is_recorded && strchr(build, '-') ? build : comparing->runs[0].compiler.version;
}

static void say_change(const struct comparing *comparing, const struct accp_golden_level *level,
                       const struct accp_run_role *role, struct accp_static *entry)
{
    const struct accp_listing *before = listing_of(comparing, level->sass);
    const struct accp_listing *after = listing_of(comparing, role->sass);
    char difference[ACCP_LISTING_DIFFERENCE_BYTES] = "not known, for want of a listing";
    if (before && after) accp_listing_difference(before, after, difference, NULL);
    snprintf(entry->text, sizeof entry->text, "%s (ptxas %.16s, golden %.16s)", difference,
             maker_of(comparing, role), comparing->golden->records[level->record].compiler.version);
}

static void compare(const struct comparing *comparing, const struct accp_golden_level *level,
                    const struct accp_run_role *role, struct accp_static *entry)
{
    if (!level || !level->sass[0]) return;
    if (strcmp(level->sass, role->sass) != 0) {
        entry->state = ACCP_STATIC_CHANGED;
        say_change(comparing, level, role, entry);
    } else if (strcmp(level->sass_exact, role->sass_exact) != 0) {
        entry->state = ACCP_STATIC_RENAMED;
        snprintf(entry->text, sizeof entry->text,
                 "the same instructions with other register names, or at another place in their "
                 "line");
    } else {
        entry->state = ACCP_STATIC_SAME;
    }
}

/* The kernel that was run, if it is the built one. */
static const struct accp_shape *built_shape(const struct comparing *comparing,
                                            const struct accp_run_role *role)
{
    const struct accp_shape *shape = accp_shapes_find(&comparing->built, role->role);
    if (!shape) shape = accp_shapes_find(&comparing->built, role->kernel);
    return shape && strcmp(shape->loop.control_hash, role->sass) == 0 ? shape : NULL;
}

/* Golden shapes are read only where the built kernels do not answer for all. */
static bool has_other_kernels(const struct comparing *comparing)
{
    const struct accp_run *run = &comparing->runs[0];
    for (size_t i = 0; i < run->role_count; ++i)
        if (run->roles[i].sass[0] && !built_shape(comparing, &run->roles[i])) return true;
    return false;
}

/* Recorded listings are read only where the SASS of a level is another one. */
static bool has_changes(const struct comparing *comparing)
{
    const struct accp_run *run = &comparing->runs[0];
    for (size_t i = 0; comparing->golden && i < run->role_count; ++i) {
        const struct accp_run_role *role = &run->roles[i];
        const struct accp_golden_level *level =
            accp_golden_level_find(comparing->golden, role->role, role->warps);
        if (level && level->sass[0] && role->sass[0] && strcmp(level->sass, role->sass) != 0)
            return true;
    }
    return false;
}

/* Which compiler broke the law, and with which it was kept. */
static void say_compilers(const struct comparing *comparing, const struct accp_run_role *role,
                          struct accp_static *entry)
{
    const struct accp_golden_level *level =
        comparing->golden ? accp_golden_level_find(comparing->golden, role->role, role->warps)
                          : NULL;
    const size_t used = strlen(entry->text);
    if (!level || !level->sass[0]) return;
    snprintf(entry->text + used, sizeof entry->text - used, " (ptxas %.16s, golden %.16s)",
             comparing->runs[0].compiler.version,
             comparing->golden->records[level->record].compiler.version);
}

static void hold_laws(const struct comparing *comparing, const struct accp_run_role *role,
                      struct accp_static *entry)
{
    char broken[sizeof entry->text];
    const struct accp_shape *shape = built_shape(comparing, role);
    if (!shape) shape = recorded_shape(comparing, role, NULL);
    entry->spills = shape ? shape->local_loads + shape->local_stores : role->spills;
    if (shape && accp_shape_broken_text(shape, broken, sizeof broken))
        memcpy(entry->text, broken, sizeof broken);
    else if (!shape && role->spills > 0 && accp_role_find(role->role))
        snprintf(entry->text, sizeof entry->text, "law spill: %d LDL and STL", role->spills);
    else
        return;
    entry->state = ACCP_STATIC_LAW_BROKEN;
    say_compilers(comparing, role, entry);
}

static enum accp_status add_role(const struct comparing *comparing,
                                 const struct accp_run_role *role, struct accp_error *error)
{
    struct accp_statics *statics = comparing->statics;
    if (!role->sass[0]) return ACCP_STATUS_OK;
    ACCP_TRY(check_runs(comparing, role, error));
    for (size_t i = 0; i < statics->count; ++i)
        if (strcmp(statics->items[i].role, role->role) == 0) return ACCP_STATUS_OK;
    struct accp_static *entry = &statics->items[statics->count++];
    snprintf(entry->role, sizeof entry->role, "%s", role->role);
    if (comparing->golden)
        compare(comparing, accp_golden_level_find(comparing->golden, role->role, role->warps), role,
                entry);
    hold_laws(comparing, role, entry);
    return ACCP_STATUS_OK;
}

static enum accp_status add_roles(const struct comparing *comparing, struct accp_error *error)
{
    const struct accp_run *run = &comparing->runs[0];
    comparing->statics->items = calloc(run->role_count + 1, sizeof *comparing->statics->items);
    if (!comparing->statics->items)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the static side");
    for (size_t i = 0; i < run->role_count; ++i)
        ACCP_TRY(add_role(comparing, &run->roles[i], error));
    return ACCP_STATUS_OK;
}

/* Nothing is built for this arch, or what is there is no cubin: then the listings must do. */
static void open_built(const char *arch, const char *probe, struct accp_shapes *built)
{
    struct accp_opened opened;
    const struct accp_shape_options options = {.loop_address = -1, .with_listings = true};
    if (accp_opened_built(arch, probe, &opened, NULL) != ACCP_STATUS_OK) return;
    if (accp_shapes_of_cubin(opened.path, &opened.cubin, NULL, NULL, &options, built, NULL, NULL) !=
        ACCP_STATUS_OK)
        memset(built, 0, sizeof *built);
    accp_opened_close(&opened);
}

enum accp_status accp_statics_of(const char *folder, int probe, const struct accp_run *runs,
                                 size_t run_count, const struct accp_golden *golden,
                                 struct accp_statics *statics, struct accp_error *error)
{
    struct comparing comparing = {
        .runs = runs, .run_count = run_count, .golden = golden, .statics = statics};
    memset(statics, 0, sizeof *statics);
    if (!accp_arch_find(runs[0].device.arch)) return ACCP_STATUS_OK;
    open_built(runs[0].device.arch, accp_probe_names[probe], &comparing.built);
    enum accp_status status = ACCP_STATUS_OK;
    if (has_changes(&comparing))
        status = accp_golden_loops_read(folder, runs[0].device.arch, &comparing.recorded, error);
    if (status == ACCP_STATUS_OK && has_other_kernels(&comparing))
        status = accp_shape_goldens_of(folder, runs[0].device.arch, probe, runs[0].compiler.version,
                                       &comparing.shapes, error);
    if (status == ACCP_STATUS_OK) status = add_roles(&comparing, error);
    accp_shape_goldens_fini(&comparing.shapes);
    accp_listings_fini(&comparing.recorded);
    accp_shapes_fini(&comparing.built);
    if (status != ACCP_STATUS_OK) accp_statics_fini(statics);
    return status;
}
