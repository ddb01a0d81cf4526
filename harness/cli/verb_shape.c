#include "cli/select.h"
#include "cli/shape_judging.h"
#include "cli/shaping.h"
#include "cli/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --compiler completes what a cubin says of its compiler, and names the front end; it may not contradict it. */
static enum accp_status name_compiler(const struct accp_options *options,
                                      struct accp_shapes *shapes, struct accp_error *error)
{
    const char *said = shapes->compiler_version, *given = options->compiler;
    size_t length = strlen(said);
    if (!given) return ACCP_STATUS_OK;
    if (accp_build_version(given) == 0 || strlen(given) > 31)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--compiler %.40s: must be a version such as 12.4.131, or 13.0.88-nvrtc "
                         "where NVRTC makes other code than nvcc",
                         given);
    if (strncmp(said, given, length) != 0 ||
        (length != accp_build_version(given) && given[length] != '.'))
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--compiler %.40s: the cubin says that it was compiled by %s", given,
                         said);
    snprintf(shapes->compiler_version, sizeof shapes->compiler_version, "%s", given);
    return ACCP_STATUS_OK;
}

static bool has_role(const struct accp_shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; ++i)
        if (shapes->shapes[i].role[0]) return true;
    return false;
}

static void judge_all(struct accp_shaped *shaped, const struct accp_shape_goldens *goldens,
                      const struct accp_listings *recorded)
{
    const struct accp_shapes *shapes = &shaped->shapes;
    for (size_t i = 0; i < shapes->count; ++i)
        accp_shape_judge(&shapes->shapes[i], goldens, &shapes->listings, recorded,
                         &shaped->verdicts[i]);
}

/* Whether a golden answered and differs: only then are its listings worth reading. */
static bool has_difference(const struct accp_shaped *shaped)
{
    for (size_t i = 0; i < shaped->shapes.count; ++i)
        if (shaped->verdicts[i].golden[0] && shaped->verdicts[i].verdict != ACCP_VERDICT_PASS)
            return true;
    return false;
}

static enum accp_status shape_stranger(const struct accp_options *options, bool with_listings,
                                       struct accp_shaped *shaped, struct accp_error *error)
{
    struct accp_opened opened;
    ACCP_TRY(accp_opened_file(options->cubin, &opened, error));
    enum accp_status status =
        accp_cubin_check_arch(options, options->cubin, opened.cubin.arch_name, error);
    if (status == ACCP_STATUS_OK)
        status = accp_shaping_cubin(options, &opened, with_listings, &shaped->shapes,
                                    &shaped->left_out, error);
    accp_opened_close(&opened);
    return status;
}

/* `arch`: NULL for a stranger's cubin. */
static enum accp_status make_shapes(const struct accp_options *options, const char *arch,
                                    bool with_listings, struct accp_shaped *shaped,
                                    struct accp_error *error)
{
    return arch ? accp_shaping_built(options, arch, with_listings, &shaped->shapes, error)
                : shape_stranger(options, with_listings, shaped, error);
}

/* Listings are a fifth of the work, and wanted by few: they are made when a difference asks. */
static enum accp_status add_listings(const struct accp_options *options, const char *arch,
                                     struct accp_shaped *shaped, struct accp_error *error)
{
    struct accp_shaped again = {0};
    if (shaped->shapes.listings.count > 0) return ACCP_STATUS_OK;
    ACCP_TRY(make_shapes(options, arch, true, &again, error));
    shaped->shapes.listings = again.shapes.listings;
    memset(&again.shapes.listings, 0, sizeof again.shapes.listings);
    accp_shapes_fini(&again.shapes);
    return ACCP_STATUS_OK;
}

static enum accp_status judge_with(const struct accp_options *options, const char *arch,
                                   const char *folder, struct accp_shaped *shaped,
                                   struct accp_error *error)
{
    const struct accp_shapes *shapes = &shaped->shapes;
    struct accp_shape_goldens goldens = {0};
    struct accp_listings recorded = {0};
    enum accp_status status = ACCP_STATUS_OK;
    if (has_role(shapes)) ACCP_TRY(accp_shape_goldens_find(folder, shapes, &goldens, error));
    judge_all(shaped, &goldens, &recorded);
    if (has_difference(shaped)) {
        status = add_listings(options, arch, shaped, error);
        if (status == ACCP_STATUS_OK)
            status = accp_golden_loops_read(folder, shapes->arch, &recorded, error);
        if (status == ACCP_STATUS_OK) judge_all(shaped, &goldens, &recorded);
    }
    accp_listings_fini(&recorded);
    accp_shape_goldens_fini(&goldens);
    return status;
}

static enum accp_status judge(const struct accp_options *options, const char *arch,
                              struct accp_shaped *shaped, struct accp_error *error)
{
    char folder[PATH_MAX] = "";
    if (has_role(&shaped->shapes)) ACCP_TRY(accp_golden_folder(options, folder, error));
    shaped->verdicts = calloc(shaped->shapes.count, sizeof *shaped->verdicts);
    if (!shaped->verdicts)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the verdicts");
    return judge_with(options, arch, folder, shaped, error);
}

void accp_shaped_fini(struct accp_shaped *shaped)
{
    accp_shapes_fini(&shaped->shapes);
    free(shaped->verdicts);
    shaped->verdicts = NULL;
}

enum accp_status accp_shape_judging(const struct accp_options *options, const char *arch,
                                    struct accp_shaped *shaped, struct accp_error *error)
{
    ACCP_TRY(make_shapes(options, arch, options->out || options->listing, shaped, error));
    ACCP_TRY(name_compiler(options, &shaped->shapes, error));
    return judge(options, arch, shaped, error);
}

/* A shape file holds one arch: that of every other verb, where it is built. */
static enum accp_status choose_one(const char *arches[ACCP_ARCH_COUNT], size_t *count,
                                   struct accp_error *error)
{
    static const char usual[] = "sm_90";
    for (size_t i = 0; i < *count; ++i) {
        if (strcmp(arches[i], usual) != 0) continue;
        fprintf(stderr, "accprobe: of the %zu arches that are built, %s; --arch takes another\n",
                *count, usual);
        arches[0] = arches[i];
        *count = 1;
        return ACCP_STATUS_OK;
    }
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                     "a shape file holds one arch, several are built, and none is %s: choose one "
                     "with --arch",
                     usual);
}

/* The arches that are asked for: a cubin's own (one NULL), --arch, or all that were built. */
static enum accp_status arches_of(const struct accp_options *options,
                                  const char *arches[ACCP_ARCH_COUNT], size_t *count,
                                  struct accp_error *error)
{
    *count = 0;
    if (options->kernel && !options->cubin)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--kernel names a kernel of --cubin FILE; the built ones are chosen with "
                         "--filter");
    if (options->cubin || options->arch) {
        arches[(*count)++] = options->cubin ? NULL : options->arch;
        return ACCP_STATUS_OK;
    }
    for (int i = 0; i < ACCP_ARCH_COUNT; ++i)
        if (accp_arch_is_built(accp_arches[i].name)) arches[(*count)++] = accp_arches[i].name;
    if (*count == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, NULL, -1,
                         "no kernels are built: build with ci/gate, or name a cubin with --cubin");
    if (*count > 1 && (options->out || options->shape == ACCP_FORMAT_JSON))
        return choose_one(arches, count, error);
    return ACCP_STATUS_OK;
}

static enum accp_status shape(const struct accp_options *options, struct accp_shaped *shaped,
                              size_t *count, struct accp_error *error)
{
    const char *arches[ACCP_ARCH_COUNT];
    ACCP_TRY(arches_of(options, arches, count, error));
    for (size_t i = 0; i < *count; ++i)
        ACCP_TRY(accp_shape_judging(options, arches[i], &shaped[i], error));
    if (options->out) ACCP_TRY(accp_shapes_write(options->out, &shaped[0].shapes, error));
    return accp_shape_print(options, shaped, *count, error);
}

static int exit_status_of(const struct accp_shaped *shaped, size_t count)
{
    enum accp_verdict heaviest = ACCP_VERDICT_PASS;
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < shaped[i].shapes.count; ++k)
            if (shaped[i].verdicts[k].verdict > heaviest) heaviest = shaped[i].verdicts[k].verdict;
        if (shaped[i].left_out.role_count > 0) heaviest = ACCP_VERDICT_FAIL;
    }
    return accp_verdict_exit(heaviest);
}

int accp_verb_shape(const struct accp_options *options)
{
    struct accp_error error;
    size_t count = 0;
    struct accp_shaped *shaped = calloc(ACCP_ARCH_COUNT, sizeof *shaped);
    if (!shaped) return ACCP_EXIT_USAGE;
    enum accp_status status = shape(options, shaped, &count, &error);
    int exit_status = status == ACCP_STATUS_OK ? exit_status_of(shaped, count) : 0;
    for (size_t i = 0; i < count; ++i)
        accp_shaped_fini(&shaped[i]);
    free(shaped);
    return status == ACCP_STATUS_OK ? exit_status : accp_exit_error(&error);
}
