/* Replays recorded straight codes (codes.h) in the issue model and says in how many timelines every read comes in the
 * cycle in which it came.
 *   calibrate_codes CODES                  by group
 *   calibrate_codes CODES --differences    the first read of each timeline that the model has in another cycle
 *   calibrate_codes CODES --bounds BOUNDS  every eighth timeline, against BOUNDS; it has a row a group: the group, and
 *                                          how many of a hundred timelines are exact at least
 *   calibrate_codes CODES --measure TEMPLATE OUT SEED
 *                                          runs all of them on the GPU here, in the kernel of the cubin TEMPLATE, with
 *                                          what is drawn from SEED, and writes OUT: CODES with the timelines of this GPU
 *   calibrate_codes CODES --predict OUT SEED
 *                                          writes OUT: CODES with timelines that the model makes, from starts and counts
 *                                          drawn from SEED: what share of these is exact is what the search is worth
 *   calibrate_codes CODES --patch TEMPLATE GROUP NUMBER OUT
 *                                          writes TEMPLATE with one of the sets in it
 * Exit status: 0; 1 where fewer timelines of a group are exact than its bound says, after a line each; 4 after one line
 * that says what is wrong; 77 after one that says why nothing can be measured here. */
#include "base/file.h"
#include "calibration_text.h"
#include "codes.h"
#include "codes_measure.h"
#include "codes_replay.h"
#include "codes_template.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 64, BOUNDS_LIMIT_BYTES = 1 << 16, SLICE = 8, LATE_RETRY = 3 };

/* Where the first difference of a timeline is, and by how many cycles. */
enum place { BEFORE, AT_TARGET, BEHIND, PLACES };
enum distance { ONE, RETRY, OTHER, DISTANCES };

struct group {
    const char *name;
    int sets, timelines, exact;
    int places[PLACES], distances[DISTANCES]; /* of those that are not */
    double bound_percent;                     /* below 0: none */
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
    groups->all[groups->count] = (struct group){.name = name, .bound_percent = -1};
    return &groups->all[groups->count++];
}

/* Behind a branch, and whether it is the first read there. */
static enum place place_of(const struct codes_code *code, int read)
{
    const size_t last = code->read_at[read], before = read ? code->read_at[read - 1] : 0;
    enum place place = BEFORE;
    for (size_t i = CODES_QUIET; i < last; ++i) {
        struct accp_instruction at;
        if (accp_sass_decode(90, code->bytes[i - CODES_QUIET], &at, NULL) != ACCP_STATUS_OK ||
            !at.has_target)
            continue;
        place = i >= before ? AT_TARGET : BEHIND;
    }
    return place;
}

static void count(struct group *group, const struct codes_set *set,
                  const struct codes_difference *difference)
{
    ++group->timelines;
    group->exact += difference->exact;
    if (difference->exact) return;
    const int late = abs(difference->late_cycles);
    ++group->places[place_of(&set->codes[difference->warp], difference->read)];
    ++group->distances[late == 1 ? ONE : late == LATE_RETRY ? RETRY : OTHER];
}

static void print_difference(const struct codes_set *set, size_t timeline,
                             const struct codes_difference *difference)
{
    const struct codes_code *code = &set->codes[difference->warp];
    printf("%s %d, timeline %zu (%d times): warp %d, read %d, instruction %d, in cycle %d: ",
           set->group, set->number, timeline, set->timelines[timeline].times, difference->warp,
           difference->read, code->read_at[difference->read], difference->is_cycle);
    if (difference->late_cycles)
        printf("predicted %+d\n", difference->late_cycles);
    else
        puts("never predicted");
}

/* Tallies every `step`th timeline of all sets, and prints the differences if they are asked for. */
static enum accp_status tally_all(const struct codes *codes, size_t step, bool prints,
                                  struct groups *groups, struct accp_error *error)
{
    size_t number = 0;
    for (size_t k = 0; k < codes->count; ++k) {
        const struct codes_set *set = &codes->sets[k];
        struct codes_replay replay;
        struct group *group = find_group(groups, set->group);
        if (!group)
            return accp_fail(error, ACCP_STATUS_INPUT, set->group, -1, "one group too many");
        ++group->sets;
        ACCP_TRY(codes_replay_init(set, &replay, error));
        for (size_t i = 0; i < set->timeline_count; ++i) {
            if (number++ % step != 0) continue;
            const struct codes_difference difference =
                codes_replay_run(&replay, &set->timelines[i]);
            count(group, set, &difference);
            if (prints && !difference.exact) print_difference(set, i, &difference);
        }
        codes_replay_fini(&replay);
    }
    return number ? ACCP_STATUS_OK
                  : accp_fail(error, ACCP_STATUS_INPUT, codes->sets[0].group, -1,
                              "no timeline stands with any codes: they have to be measured first");
}

static double exact_percent(const struct group *group)
{
    return group->timelines ? 100.0 * group->exact / group->timelines : 0;
}

static void print_groups(const struct groups *groups)
{
    puts("| group | sets | timelines | exact | % | first off before a branch | at a target | "
         "behind it | by 1 | by 3 | by others |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < groups->count; ++i) {
        const struct group *group = &groups->all[i];
        printf("| %s | %d | %d | %d | %.1f |", group->name, group->sets, group->timelines,
               group->exact, exact_percent(group));
        for (int k = 0; k < PLACES; ++k)
            printf(" %d |", group->places[k]);
        for (int k = 0; k < DISTANCES; ++k)
            printf(" %d |", group->distances[k]);
        putchar('\n');
    }
}

/* Puts the bounds of `text` into the groups that they name. */
static enum accp_status read_bounds(const char *path, char *text, struct groups *groups,
                                    struct accp_error *error)
{
    long long number = 0;
    for (char *line; (line = calibration_cut(&text, '\n'));) {
        int end = 0;
        double percent;
        ++number;
        if (!*line || *line == '#') continue;
        const char *name = calibration_cut(&line, '\t');
        if (!line || sscanf(line, "%lf%n", &percent, &end) != 1 || line[end] ||
            !(percent >= 0 && percent <= 100))
            return accp_fail(error, ACCP_STATUS_INPUT, path, number,
                             "line %lld: needs a group and a share in percent", number);
        const size_t known = groups->count;
        struct group *group = find_group(groups, name);
        if (!group || groups->count > known)
            return accp_fail(error, ACCP_STATUS_INPUT, path, number,
                             "line %lld: no codes are of the group '%s'", number, name);
        group->bound_percent = percent;
    }
    return ACCP_STATUS_OK;
}

static enum accp_status judge(const struct codes *codes, const char *path, char *text,
                              struct accp_error *error)
{
    static struct groups groups;
    bool good = true;
    ACCP_TRY(tally_all(codes, SLICE, false, &groups, error));
    ACCP_TRY(read_bounds(path, text, &groups, error));
    for (size_t i = 0; i < groups.count; ++i) {
        const struct group *group = &groups.all[i];
        if (group->bound_percent >= 0 && exact_percent(group) >= group->bound_percent) continue;
        printf("%s: %d of %d timelines are exact, %.2f %%; ", group->name, group->exact,
               group->timelines, exact_percent(group));
        if (group->bound_percent >= 0)
            printf("the bound is %g\n", group->bound_percent);
        else
            puts("no bound stands for it");
        good = false;
    }
    if (good) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_WRONG, path, -1,
                     "fewer timelines come out exact; ci/calibrate --codes shows all of it");
}

static enum accp_status check(const struct codes *codes, const char *path, struct accp_error *error)
{
    struct accp_bytes bytes;
    ACCP_TRY(accp_file_read(path, BOUNDS_LIMIT_BYTES, &bytes, error));
    const enum accp_status status = judge(codes, path, (char *)bytes.data, error);
    accp_bytes_fini(&bytes);
    return status;
}

static enum accp_status read_seed(const char *text, uint64_t *seed, struct accp_error *error)
{
    char *end;
    *seed = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_USAGE, text, -1, "is no seed: it must be a number");
}

static enum accp_status measure_opened(struct accp_device *device, struct codes *codes,
                                       struct codes_template *template, char **argv,
                                       struct accp_error *error)
{
    char measured[CALIBRATION_MEASURED_BYTES];
    struct accp_run_device facts = {0};
    uint64_t seed;
    ACCP_TRY(read_seed(argv[5], &seed, error));
    ACCP_TRY(codes_measure(device, template, codes, seed, error));
    accp_device_facts(device, &facts);
    calibration_measured(&template->base, &facts, measured);
    return codes_write(argv[1], codes, measured, argv[4], error);
}

static enum accp_status measure(struct codes *codes, struct codes_template *template, char **argv,
                                struct accp_error *error)
{
    struct accp_device *device;
    ACCP_TRY(accp_device_open(0, &device, error));
    const enum accp_status status = measure_opened(device, codes, template, argv, error);
    accp_device_close(device);
    return status;
}

static enum accp_status patch(const struct codes *codes, struct codes_template *template,
                              char **argv, struct accp_error *error)
{
    const char *group = argv[4], *number = argv[5], *out = argv[6];
    for (size_t i = 0; i < codes->count; ++i) {
        const struct codes_set *set = &codes->sets[i];
        char text[16];
        snprintf(text, sizeof text, "%d", set->number);
        if (strcmp(set->group, group) != 0 || strcmp(text, number) != 0) continue;
        ACCP_TRY(codes_patch(template, set, error));
        const struct accp_bytes *cubin = &template->base.cubin;
        return accp_file_write_atomic(out, cubin->data, cubin->size, error);
    }
    return accp_fail(error, ACCP_STATUS_USAGE, group, -1, "there are no codes %s of that group",
                     number);
}

static enum accp_status fill_template(struct codes *codes, char **argv, struct accp_error *error)
{
    struct codes_template template;
    ACCP_TRY(codes_template_init(argv[3], &template, error));
    const enum accp_status status = !strcmp(argv[2], "--measure")
                                        ? measure(codes, &template, argv, error)
                                        : patch(codes, &template, argv, error);
    codes_template_fini(&template);
    return status;
}

/* CODES --predict OUT SEED */
static enum accp_status predict(struct codes *codes, char **argv, struct accp_error *error)
{
    struct accp_random random;
    ACCP_TRY(read_seed(argv[4], &random.state, error));
    for (size_t k = 0; k < codes->count; ++k) {
        struct codes_set *set = &codes->sets[k];
        struct codes_replay replay;
        ACCP_TRY(codes_replay_init(set, &replay, error));
        set->starts = set->distinct = CODES_TIMELINES;
        set->timeline_count = CODES_TIMELINES;
        for (int i = 0; i < CODES_TIMELINES; ++i)
            codes_replay_predict(&replay, &random, &set->timelines[i]);
        codes_replay_fini(&replay);
    }
    return codes_write(argv[1], codes, "never: the model made the timelines", argv[3], error);
}

static enum accp_status calibrate(struct codes *codes, char **argv, struct accp_error *error)
{
    static struct groups groups;
    const char *option = argv[2];
    const bool prints = option && !strcmp(option, "--differences");
    if (option && !strcmp(option, "--bounds")) return check(codes, argv[3], error);
    if (option && !strcmp(option, "--predict")) return predict(codes, argv, error);
    if (option && !prints) return fill_template(codes, argv, error);
    ACCP_TRY(tally_all(codes, 1, prints, &groups, error));
    if (!prints) print_groups(&groups);
    return ACCP_STATUS_OK;
}

/* Whether CODES and what follows it is one of the forms above. */
static bool is_usage(int argc, char **argv)
{
    static const struct {
        const char *option;
        int argc;
    } forms[] = {
        {"--differences", 3}, {"--bounds", 4}, {"--predict", 5}, {"--measure", 6}, {"--patch", 7}};
    for (size_t i = 0; argc > 2 && i < sizeof forms / sizeof *forms; ++i)
        if (!strcmp(argv[2], forms[i].option)) return argc == forms[i].argc;
    return argc == 2;
}

int main(int argc, char **argv)
{
    struct codes codes;
    struct accp_error error;
    if (!is_usage(argc, argv)) {
        fputs("usage: calibrate_codes CODES [--differences | --bounds BOUNDS | --measure TEMPLATE "
              "OUT SEED | "
              "--predict OUT SEED | --patch TEMPLATE GROUP NUMBER OUT]\n",
              stderr);
        return 4;
    }
    enum accp_status status = codes_read(argv[1], &codes, &error);
    if (status == ACCP_STATUS_OK) {
        status = calibrate(&codes, argv, &error);
        codes_fini(&codes);
    }
    if (status == ACCP_STATUS_OK) return 0;
    char line[ACCP_ERROR_TEXT_BYTES + ACCP_ERROR_WHERE_BYTES];
    accp_error_line(&error, line, sizeof line);
    fprintf(stderr, "calibrate_codes: %s\n", line);
    return status == ACCP_STATUS_WRONG ? 1 : status == ACCP_STATUS_SKIP ? 77 : 4;
}
