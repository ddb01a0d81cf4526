/* Predicts recorded calibration loops (calibration.h) and says how far off the model is.
 *   calibrate LOOPS                      by group and load, all loops
 *   calibrate LOOPS --without MECHANISM  without it (none: with all), a row of the ablation table:
 *                                        mean (worst) error in percent at 4, 8 and 16 warps, of
 *                                        the random loops, then of those that were held out; and
 *                                        of a group whose loops it is for, with it and without
 *   calibrate LOOPS --bounds BOUNDS      every fourth loop at the loads that BOUNDS names; it has a
 *                                        row for each group and load: group, warps, bound of the
 *                                        mean error and of the worst, in percent
 *   calibrate LOOPS --measure TEMPLATE OUT SEED [CYCLES]
 *                                        runs all of them on the GPU here, in the kernel of the cubin
 *                                        TEMPLATE, with starts drawn from SEED, and writes OUT: LOOPS
 *                                        with the cycles of this GPU; for about CYCLES (40000), few of
 *                                        which say little of a loop, but end soon under a sanitizer
 *   calibrate LOOPS --against OTHER      in how many loops two recordings agree
 *   calibrate LOOPS --patch TEMPLATE GROUP NUMBER OUT
 *                                        writes TEMPLATE with one of the loops in it
 *   calibrate --mechanisms               their names
 * Exit status: 0; 1 where an error is beyond its bound, after a line each; 4 after one line that
 * says what is wrong; 77 after one that says why nothing can be measured here. */
#include "base/file.h"
#include "calibration.h"
#include "calibration_compare.h"
#include "calibration_measure.h"
#include "calibration_parameters.h"
#include "calibration_template.h"
#include "calibration_text.h"
#include "model/model.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SM = 90, REGISTERS = 32, GROUPS = 64, BOUNDS_LIMIT_BYTES = 1 << 16, SLICE = 4 };

/* A prediction within this of what was measured is exact: at a warp a scheduler iterations take
 * whole numbers of cycles. */
static const double exact_cycles = 0.1;

/* One group of loops at one load. */
struct tally {
    int count, exact, worst_number;
    double sum, worst; /* of relative errors */
};

struct group {
    const char *name;
    struct tally tallies[CALIBRATION_LOADS];
};

struct groups {
    struct group all[GROUPS];
    size_t count;
};

static struct group *find_group(struct groups *groups, const char *name)
{
    for (size_t i = 0; i < groups->count; ++i)
        if (!strcmp(groups->all[i].name, name)) return &groups->all[i];
    if (groups->count == GROUPS) return NULL;
    groups->all[groups->count].name = name;
    return &groups->all[groups->count++];
}

/* What a group is for. The tables of mechanisms stand on the random loops and on those held out. */
enum kind { RANDOM, HELD_OUT, ADDED, KINDS };
static const char *const kind_names[KINDS] = {"all random", "all held out", "all added"};

static enum kind kind_of(const char *group)
{
    static const char *const added[] = {"jump", "store", "long", "tree", "wide", "uniform", "fp64"};
    for (size_t i = 0; i < sizeof added / sizeof *added; ++i)
        if (!strcmp(group, added[i])) return ADDED;
    return strncmp(group, "kept_", 5) != 0 ? RANDOM : HELD_OUT;
}

/* A kernel that holds nothing but the loop, at its position in the line. */
static enum accp_status predict(const struct calibration_loop *loop, int warps, uint32_t without,
                                struct accp_prediction *prediction, struct accp_error *error)
{
    static struct accp_instruction instructions[CALIBRATION_LINE + CALIBRATION_INSTRUCTIONS];
    memset(instructions, 0, sizeof instructions);
    const size_t head = (size_t)loop->position;
    for (size_t i = 0; i < loop->count; ++i)
        ACCP_TRY(accp_sass_decode(SM, loop->code[i], &instructions[head + i], error));
    struct accp_kernel kernel = {.name = loop->group, .registers = REGISTERS};
    struct accp_loop bounds = {
        .head = head, .latch = head + loop->count - 1, .instructions = loop->count};
    const struct accp_code code = {.kernel = &kernel,
                                   .sm = SM,
                                   .count = head + loop->count,
                                   .instructions = instructions,
                                   .loop_count = 1,
                                   .loops = &bounds};
    const struct accp_model_options options = {.warps = warps, .seed = 1, .without = without};
    ACCP_TRY(accp_model_predict(&code, &bounds, &options, prediction, error));
    if (prediction->known) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_UNSUPPORTED, loop->group, loop->number,
                     "loop %d: the model does not time it: %s", loop->number, prediction->unknown);
}

static void count(struct tally *tally, const struct calibration_loop *loop, double measured,
                  double predicted)
{
    const double error = fabs(predicted - measured) / measured;
    ++tally->count;
    tally->exact += fabs(predicted - measured) < exact_cycles;
    tally->sum += error;
    if (error <= tally->worst) return;
    tally->worst = error;
    tally->worst_number = loop->number;
}

/* Tallies every `step`th loop of `only`, or of all groups where that is NULL, at every load of `loads`
 * (bit i: calibration_warps[i]). */
static enum accp_status tally_all(const struct calibration *calibration, const char *only,
                                  size_t step, unsigned loads, uint32_t without,
                                  struct groups *groups, struct accp_error *error)
{
    for (size_t k = 0; k < calibration->count; k += step) {
        const struct calibration_loop *loop = &calibration->loops[k];
        if (only && strcmp(loop->group, only) != 0) continue;
        struct group *group = find_group(groups, loop->group);
        if (!group)
            return accp_fail(error, ACCP_STATUS_INPUT, loop->group, -1, "one group too many");
        for (size_t i = 0; i < CALIBRATION_LOADS; ++i) {
            struct accp_prediction prediction;
            if (!(loads >> i & 1) || loop->cycles[i] == 0) continue;
            ACCP_TRY(predict(loop, calibration_warps[i], without, &prediction, error));
            count(&group->tallies[i], loop, loop->cycles[i], prediction.cycles.mean);
        }
    }
    return ACCP_STATUS_OK;
}

/* What all groups of a kind come to. */
static struct tally sum_up(const struct groups *groups, size_t load, enum kind kind)
{
    struct tally sum = {0};
    for (size_t i = 0; i < groups->count; ++i) {
        const struct tally *tally = &groups->all[i].tallies[load];
        if (kind_of(groups->all[i].name) != kind) continue;
        sum.count += tally->count;
        sum.exact += tally->exact;
        sum.sum += tally->sum;
        sum.worst = fmax(sum.worst, tally->worst);
    }
    return sum;
}

static double mean_percent(const struct tally *tally)
{
    return tally->count ? 100 * tally->sum / tally->count : 0;
}

static void print_groups(const struct groups *groups)
{
    puts("| group | warps | loops | exact | mean % | worst % | worst loop |\n"
         "|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < CALIBRATION_LOADS; ++i) {
        for (size_t k = 0; k < groups->count; ++k) {
            const struct tally *tally = &groups->all[k].tallies[i];
            if (tally->count)
                printf("| %s | %d | %d | %d | %.2f | %.2f | %d |\n", groups->all[k].name,
                       calibration_warps[i], tally->count, tally->exact, mean_percent(tally),
                       100 * tally->worst, tally->worst_number);
        }
        for (int kind = 0; kind < KINDS; ++kind) {
            const struct tally sum = sum_up(groups, i, (enum kind)kind);
            if (sum.count)
                printf("| **%s** | %d | %d | %d | %.2f | %.2f | |\n", kind_names[kind],
                       calibration_warps[i], sum.count, sum.exact, mean_percent(&sum),
                       100 * sum.worst);
        }
    }
}

/* The loops that show what a mechanism is for where the others do not, and at which load. */
static const struct own {
    enum accp_mechanism mechanism;
    const char *group;
    size_t load;
} owns[] = {{ACCP_MECHANISM_WIDE, "wide", 0},          {ACCP_MECHANISM_UNIFORM, "uniform", 0},
            {ACCP_MECHANISM_CACHE, "long", 0},         {ACCP_MECHANISM_QUEUES, "scoreboards", 0},
            {ACCP_MECHANISM_SHARED, "scoreboards", 0}, {ACCP_MECHANISM_FETCH, "nop", 1},
            {ACCP_MECHANISM_WRITES, "fp64", 0}};

static enum accp_status print_own(const struct calibration *calibration, int mechanism,
                                  struct accp_error *error)
{
    for (size_t k = 0; k < sizeof owns / sizeof *owns; ++k) {
        const struct own *own = &owns[k];
        if ((int)own->mechanism != mechanism) continue;
        printf(" | %s, %d:", own->group, calibration_warps[own->load]);
        for (int left_out = 0; left_out < 2; ++left_out) {
            struct groups groups = {.count = 0};
            ACCP_TRY(tally_all(calibration, own->group, 1, 1U << own->load,
                               left_out ? 1U << mechanism : 0, &groups, error));
            if (!groups.count)
                return accp_fail(error, ACCP_STATUS_INPUT, own->group, -1, "no loop is of it");
            const struct tally *tally = &groups.all[0].tallies[own->load];
            printf("%s %.2f (%.1f)", left_out ? ";" : "", mean_percent(tally), 100 * tally->worst);
        }
        return ACCP_STATUS_OK;
    }
    fputs(" |", stdout);
    return ACCP_STATUS_OK;
}

/* A row of the table of ablations: without one mechanism, or, with -1, with all of them. */
static enum accp_status print_without(const struct calibration *calibration, int mechanism,
                                      struct accp_error *error)
{
    static const size_t loads[] = {0, 1, 3};
    enum { COLUMNS = sizeof loads / sizeof *loads };
    static struct groups groups;
    unsigned which = 0;
    for (size_t i = 0; i < COLUMNS; ++i)
        which |= 1U << loads[i];
    ACCP_TRY(tally_all(calibration, NULL, 1, which, mechanism < 0 ? 0 : 1U << mechanism, &groups,
                       error));
    printf("| %s", mechanism < 0 ? "none" : accp_mechanism_name((enum accp_mechanism)mechanism));
    for (int kind = RANDOM; kind <= HELD_OUT; ++kind)
        for (size_t i = 0; i < COLUMNS; ++i) {
            const struct tally sum = sum_up(&groups, loads[i], (enum kind)kind);
            printf(" | %.2f (%.1f)", mean_percent(&sum), 100 * sum.worst);
        }
    ACCP_TRY(print_own(calibration, mechanism, error));
    puts(" |");
    return ACCP_STATUS_OK;
}

struct bound {
    const char *group;
    size_t load;
    double mean_percent, worst_percent;
};

enum { BOUNDS = GROUPS * CALIBRATION_LOADS };

static enum accp_status read_bound(const char *path, long long line, char *text,
                                   struct bound *bound, struct accp_error *error)
{
    bound->group = calibration_cut(&text, '\t');
    int warps, end = 0;
    if (!text ||
        sscanf(text, "%d\t%lf\t%lf%n", &warps, &bound->mean_percent, &bound->worst_percent, &end) !=
            3 ||
        text[end])
        return accp_fail(error, ACCP_STATUS_INPUT, path, line,
                         "line %lld: needs a group, warps and two bounds in percent", line);
    for (bound->load = 0; bound->load < CALIBRATION_LOADS; ++bound->load)
        if (calibration_warps[bound->load] == warps) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, path, line,
                     "line %lld: no loop was measured at %d warps", line, warps);
}

/* Fills bounds[BOUNDS] from `text`, which they go on pointing into. */
static enum accp_status read_bounds(const char *path, char *text, struct bound *bounds,
                                    size_t *bound_count, struct accp_error *error)
{
    long long number = 0;
    *bound_count = 0;
    for (char *line; (line = calibration_cut(&text, '\n'));) {
        ++number;
        if (!*line || *line == '#') continue;
        if (*bound_count == BOUNDS)
            return accp_fail(error, ACCP_STATUS_INPUT, path, number, "too many bounds");
        ACCP_TRY(read_bound(path, number, line, &bounds[(*bound_count)++], error));
    }
    return *bound_count ? ACCP_STATUS_OK
                        : accp_fail(error, ACCP_STATUS_INPUT, path, -1, "holds no bound");
}

/* Says which errors have grown beyond their bounds, and which group has none. */
static bool within(const struct groups *groups, unsigned loads, const struct bound *bounds,
                   size_t bound_count)
{
    bool good = true;
    for (size_t g = 0; g < groups->count; ++g)
        for (size_t i = 0; i < CALIBRATION_LOADS; ++i) {
            if (!(loads >> i & 1)) continue;
            const struct bound *bound = NULL;
            for (size_t k = 0; k < bound_count; ++k)
                if (!strcmp(bounds[k].group, groups->all[g].name) && bounds[k].load == i)
                    bound = &bounds[k];
            const struct tally *tally = &groups->all[g].tallies[i];
            if (!bound && !tally->count) continue;
            if (bound && tally->count && mean_percent(tally) <= bound->mean_percent &&
                100 * tally->worst <= bound->worst_percent)
                continue;
            printf("%s, %d warps: mean error %.3f %%, worst %.2f %% (loop %d) of %d loops; ",
                   groups->all[g].name, calibration_warps[i], mean_percent(tally),
                   100 * tally->worst, tally->worst_number, tally->count);
            if (bound)
                printf("the bounds are %g and %g\n", bound->mean_percent, bound->worst_percent);
            else
                puts("no bound stands for it");
            good = false;
        }
    return good;
}

static enum accp_status judge(const struct calibration *calibration, const char *path, char *text,
                              struct accp_error *error)
{
    static struct bound bounds[BOUNDS];
    static struct groups groups;
    size_t bound_count;
    ACCP_TRY(read_bounds(path, text, bounds, &bound_count, error));
    unsigned loads = 0;
    for (size_t i = 0; i < bound_count; ++i)
        loads |= 1U << bounds[i].load;
    ACCP_TRY(tally_all(calibration, NULL, SLICE, loads, 0, &groups, error));
    for (size_t i = 0; i < bound_count; ++i) {
        const size_t known = groups.count;
        find_group(&groups, bounds[i].group);
        if (groups.count > known)
            return accp_fail(error, ACCP_STATUS_INPUT, path, -1, "no loop is of the group '%s'",
                             bounds[i].group);
    }
    if (within(&groups, loads, bounds, bound_count)) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_WRONG, path, -1,
                     "the model's error has grown; ci/calibrate shows all of it");
}

static enum accp_status check(const struct calibration *calibration, const char *path,
                              struct accp_error *error)
{
    struct accp_bytes bytes;
    ACCP_TRY(accp_file_read(path, BOUNDS_LIMIT_BYTES, &bytes, error));
    const enum accp_status status = judge(calibration, path, (char *)bytes.data, error);
    accp_bytes_fini(&bytes);
    return status;
}

static enum accp_status ablate(const struct calibration *calibration, const char *name,
                               struct accp_error *error)
{
    const int mechanism = accp_mechanism_find(name);
    if (mechanism < 0 && strcmp(name, "none") != 0)
        return accp_fail(error, ACCP_STATUS_USAGE, name, -1,
                         "is no mechanism; calibrate --mechanisms lists them");
    return print_without(calibration, mechanism, error);
}

static enum accp_status compare(const struct calibration *calibration, const char *other,
                                struct accp_error *error)
{
    struct calibration right;
    ACCP_TRY(calibration_read(other, &right, error));
    const enum accp_status status = calibration_compare(calibration, &right, error);
    calibration_fini(&right);
    return status;
}

/* How long the phase that counts is to be: as in recordings where `text` is NULL. */
static enum accp_status read_cycles(const char *text, int *cycles, struct accp_error *error)
{
    *cycles = CALIBRATION_PHASE_CYCLES;
    if (!text) return ACCP_STATUS_OK;
    char *end;
    const long number = strtol(text, &end, 10);
    if (end == text || *end || number < 1 || number > CALIBRATION_PHASE_CYCLES)
        return accp_fail(error, ACCP_STATUS_USAGE, text, -1, "must be a number of cycles up to %d",
                         CALIBRATION_PHASE_CYCLES);
    *cycles = (int)number;
    return ACCP_STATUS_OK;
}

static enum accp_status measure_opened(struct accp_device *device, struct calibration *calibration,
                                       struct calibration_template *template, char **argv,
                                       struct accp_error *error)
{
    char measured[CALIBRATION_MEASURED_BYTES];
    struct accp_run_device facts = {0};
    int cycles;
    ACCP_TRY(read_cycles(argv[6], &cycles, error));
    ACCP_TRY(calibration_measure(device, template, calibration, strtoull(argv[5], NULL, 10), cycles,
                                 error));
    accp_device_facts(device, &facts);
    calibration_measured(template, &facts, measured);
    return calibration_write(argv[1], calibration, measured, argv[4], error);
}

static enum accp_status measure(struct calibration *calibration,
                                struct calibration_template *template, char **argv,
                                struct accp_error *error)
{
    struct accp_device *device;
    ACCP_TRY(accp_device_open(0, &device, error));
    const enum accp_status status = measure_opened(device, calibration, template, argv, error);
    accp_device_close(device);
    return status;
}

static enum accp_status patch(const struct calibration *calibration,
                              struct calibration_template *template, const char *group,
                              const char *number, const char *out, struct accp_error *error)
{
    for (size_t i = 0; i < calibration->count; ++i) {
        const struct calibration_loop *loop = &calibration->loops[i];
        char text[16];
        snprintf(text, sizeof text, "%d", loop->number);
        if (strcmp(loop->group, group) != 0 || strcmp(text, number) != 0) continue;
        ACCP_TRY(calibration_patch(template, loop, error));
        return accp_file_write_atomic(out, template->cubin.data, template->cubin.size, error);
    }
    return accp_fail(error, ACCP_STATUS_USAGE, group, -1, "there is no loop %s of that group",
                     number);
}

/* LOOPS --measure TEMPLATE OUT SEED [CYCLES], or LOOPS --patch TEMPLATE GROUP NUMBER OUT */
static enum accp_status fill_template(struct calibration *calibration, char **argv,
                                      struct accp_error *error)
{
    struct calibration_template template;
    ACCP_TRY(calibration_template_init(argv[3], "accp_calibration", ACCP_CALIBRATION_SLOTS,
                                       ACCP_CALIBRATION_REGISTERS, &template, error));
    const enum accp_status status =
        !strcmp(argv[2], "--measure")
            ? measure(calibration, &template, argv, error)
            : patch(calibration, &template, argv[4], argv[5], argv[6], error);
    calibration_template_fini(&template);
    return status;
}

static enum accp_status calibrate(struct calibration *calibration, char **argv,
                                  struct accp_error *error)
{
    static struct groups groups;
    const char *option = argv[2];
    if (option && !strcmp(option, "--bounds")) return check(calibration, argv[3], error);
    if (option && !strcmp(option, "--without")) return ablate(calibration, argv[3], error);
    if (option && !strcmp(option, "--against")) return compare(calibration, argv[3], error);
    if (option) return fill_template(calibration, argv, error);
    ACCP_TRY(tally_all(calibration, NULL, 1, ~0U, 0, &groups, error));
    print_groups(&groups);
    return ACCP_STATUS_OK;
}

static int print_mechanisms(void)
{
    for (int i = 0; i < ACCP_MECHANISM_COUNT; ++i)
        puts(accp_mechanism_name((enum accp_mechanism)i));
    return 0;
}

/* Whether LOOPS and what follows it is one of the forms above. */
static bool is_usage(int argc, char **argv)
{
    static const struct {
        const char *option;
        int least, most; /* argc */
    } forms[] = {{"--without", 4, 4},
                 {"--bounds", 4, 4},
                 {"--against", 4, 4},
                 {"--measure", 6, 7},
                 {"--patch", 7, 7}};
    for (size_t i = 0; argc > 2 && i < sizeof forms / sizeof *forms; ++i)
        if (!strcmp(argv[2], forms[i].option))
            return argc >= forms[i].least && argc <= forms[i].most;
    return argc == 2;
}

int main(int argc, char **argv)
{
    struct calibration calibration;
    struct accp_error error;
    if (argc == 2 && !strcmp(argv[1], "--mechanisms")) return print_mechanisms();
    if (!is_usage(argc, argv)) {
        fputs("usage: calibrate LOOPS [--bounds BOUNDS | --without MECHANISM | --against OTHER | "
              "--measure TEMPLATE OUT SEED [CYCLES] | --patch TEMPLATE GROUP NUMBER OUT]\n",
              stderr);
        return 4;
    }
    enum accp_status status = calibration_read(argv[1], &calibration, &error);
    if (status == ACCP_STATUS_OK) {
        status = calibrate(&calibration, argv, &error);
        calibration_fini(&calibration);
    }
    if (status == ACCP_STATUS_OK) return 0;
    char line[ACCP_ERROR_TEXT_BYTES + ACCP_ERROR_WHERE_BYTES];
    accp_error_line(&error, line, sizeof line);
    fprintf(stderr, "calibrate: %s\n", line);
    return status == ACCP_STATUS_WRONG ? 1 : status == ACCP_STATUS_SKIP ? 77 : 4;
}
