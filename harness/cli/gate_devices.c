#include "cli/gate_devices.h"

#include "base/file.h"
#include "cli/select.h"
#include "cli/verbs.h"
#include "golden/golden.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Levels of two unchanged GPUs of one SKU, a process each, lay within 0.2 % of each other on H200s
 * (docs/h200.md): what is farther apart is said. */
static const double agreement = 0.005;

enum { WORDS = 2 * ACCP_OPTION_COUNT + 8, WORD_BYTES = 32, OUTPUT_LIMIT_BYTES = 64 << 20 };

/* One GPU's gate. */
struct member {
    char output[PATH_MAX + 16], complaint[PATH_MAX + 16], run_path[PATH_MAX + 16];
    pid_t process; /* -1: it could not be started */
    int exit_status;
    struct accp_run run; /* cleared where it left none */
};

/* argv of a member: the options that were given, with its own device, seed and files. */
struct words {
    char *argv[WORDS];
    char numbers[ACCP_OPTION_COUNT][WORD_BYTES], names[ACCP_OPTION_COUNT][WORD_BYTES];
    int count;
};

static void add_text(struct words *words, int option, const char *text)
{
    if (!text) return;
    snprintf(words->names[option], WORD_BYTES, "--%s", accp_option_rows[option].name);
    words->argv[words->count++] = words->names[option];
    memcpy(&words->argv[words->count++], &text, sizeof text); /* exec takes them without const */
}

static void add_number(struct words *words, int option, long number)
{
    if (number < 0) return;
    snprintf(words->numbers[option], WORD_BYTES, "%ld", number);
    add_text(words, option, words->numbers[option]);
}

static void add_flag(struct words *words, int option, bool flag)
{
    if (!flag) return;
    snprintf(words->names[option], WORD_BYTES, "--%s", accp_option_rows[option].name);
    words->argv[words->count++] = words->names[option];
}

static void spell(const struct accp_options *options, struct words *words)
{
    static char tool[] = "accprobe", verb[] = "gate";
    memset(words, 0, sizeof *words);
    words->argv[words->count++] = tool;
    words->argv[words->count++] = verb;
#define ADD_TEXT(id)                                      add_text(words, ACCP_OPTION_##id, options->id)
#define ADD_NUMBER(id)                                    add_number(words, ACCP_OPTION_##id, options->id)
#define ADD_DEVICE(id)                                    ADD_NUMBER(id)
#define ADD_FLAG(id)                                      add_flag(words, ACCP_OPTION_##id, options->id)
#define OPTION(id, name, kind, low, high, argument, help) ADD_##kind(id);
#include "cli/options.def"
}

static void start(const struct accp_options *options, int device, struct member *member)
{
    struct words words;
    struct accp_options own = *options;
    posix_spawn_file_actions_t actions;
    own.device = device;
    own.out = member->run_path;
    if (own.seed >= 0) own.seed = (own.seed + device) & 0x7fffffff;
    spell(&own, &words);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, member->output, flags, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, member->complaint, flags, 0600);
    if (posix_spawn(&member->process, "/proc/self/exe", &actions, NULL, words.argv, environ) != 0)
        member->process = -1;
    posix_spawn_file_actions_destroy(&actions);
}

/* A member has time-outs of its own for all that it waits for. */
static void finish(struct member *member)
{
    int status = 0;
    struct accp_error error;
    member->exit_status = ACCP_EXIT_USAGE;
    if (member->process < 0) return;
    while (waitpid(member->process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) member->exit_status = WEXITSTATUS(status);
    if (access(member->run_path, R_OK) == 0 &&
        accp_run_read(member->run_path, &member->run, &error) != ACCP_STATUS_OK)
        accp_exit_error(&error);
}

/* Copies a member's file to a stream, as it is. */
static void show(const char *path, FILE *stream)
{
    struct accp_bytes bytes;
    if (accp_file_read(path, OUTPUT_LIMIT_BYTES, &bytes, NULL) != ACCP_STATUS_OK) return;
    fwrite(bytes.data, 1, bytes.size, stream);
    accp_bytes_fini(&bytes);
}

/* Usage weighs most, since then nothing was judged; a skip less than whatever was found elsewhere. */
static int heaviest(const struct member *members, int count)
{
    static const int order[] = {ACCP_EXIT_USAGE,       ACCP_EXIT_FAIL, ACCP_EXIT_APPROVAL,
                                ACCP_EXIT_ENVIRONMENT, ACCP_EXIT_SKIP, ACCP_EXIT_PASS};
    for (size_t i = 0; i < sizeof order / sizeof *order; ++i)
        for (int k = 0; k < count; ++k)
            if (members[k].exit_status == order[i]) return order[i];
    return ACCP_EXIT_USAGE; /* one died */
}

static bool same_sku(const struct accp_run *left, const struct accp_run *right)
{
    const struct accp_sku one = accp_sku_of(left), other = accp_sku_of(right);
    return left->role_count > 0 && right->role_count > 0 && accp_sku_same(&one, &other);
}

/* How often two runs disagree, and in *worst the role of `left` where they do so most; NULL: nowhere. */
static size_t disagreements(const struct accp_run *left, const struct accp_run *right,
                            const struct accp_run_role **worst, double *change)
{
    size_t count = 0;
    *worst = NULL;
    *change = 0;
    for (size_t i = 0; i < left->role_count; ++i) {
        const struct accp_run_role *role = &left->roles[i],
                                   *other = accp_run_find(right, role->role, role->warps);
        if (!other || role->cycles.n == 0 || other->cycles.n == 0) continue;
        const double here = other->cycles.mean / role->cycles.mean - 1;
        if (fabs(here) <= agreement) continue;
        ++count;
        if (*worst && fabs(here) <= fabs(*change)) continue;
        *worst = role;
        *change = here;
    }
    return count;
}

static void say_agreement(const struct member *members, int count, bool as_json)
{
    bool is_first = true;
    for (int i = 0; i < count; ++i) {
        int before = 0;
        while (before < i && !same_sku(&members[before].run, &members[i].run))
            ++before;
        if (before == i) continue; /* the first of its SKU */
        const struct accp_run_role *worst;
        double change;
        const size_t found = disagreements(&members[before].run, &members[i].run, &worst, &change);
        if (as_json) {
            printf("%s\n  {\"gpus\": [%d, %d], \"disagreements\": %zu", is_first ? "" : ",", before,
                   i, found);
            if (worst)
                printf(", \"role\": \"%s\", \"warps\": %d, \"change\": %.6g", worst->role,
                       worst->warps, change);
            printf("}");
        } else if (worst) {
            printf("GPUs %d and %d are of one SKU and disagree in %zu levels, most in %s@%d: %+.2f "
                   "%%\n",
                   before, i, found, worst->role, worst->warps, 100 * change);
        } else {
            printf("GPUs %d and %d are of one SKU and agree within %.1f %%\n", before, i,
                   100 * agreement);
        }
        is_first = false;
    }
}

static void report_table(const struct accp_options *options, const struct member *members,
                         int count)
{
    for (int i = 0; i < count; ++i) {
        printf(options->shape == ACCP_FORMAT_MARKDOWN ? "## GPU %d\n\n" : "GPU %d\n", i);
        fflush(stdout);
        show(members[i].output, stdout);
        putchar('\n');
        fflush(stdout);
        show(members[i].complaint, stderr);
    }
    say_agreement(members, count, false);
}

static void report_json(const struct member *members, int count, int exit_status)
{
    printf("{\"format\": \"accprobe-verdicts/1\", \"exit_status\": %d,\n \"gpus\": [", exit_status);
    for (int i = 0; i < count; ++i) {
        printf("%s\n  {\"gpu\": %d, \"exit_status\": %d", i ? "," : "", i, members[i].exit_status);
        if (access(members[i].output, R_OK) == 0 && members[i].run.role_count > 0) {
            printf(", \"verdict\": ");
            fflush(stdout);
            show(members[i].output, stdout);
        }
        printf("}");
        show(members[i].complaint, stderr);
    }
    printf("],\n \"agreement\": [");
    say_agreement(members, count, true);
    printf("]}\n");
}

static void run_all(const struct accp_options *options, const char *folder, struct member *members,
                    int count)
{
    for (int i = 0; i < count; ++i) {
        struct member *member = &members[i];
        accp_run_init(&member->run);
        snprintf(member->output, sizeof member->output, "%s/%d.out", folder, i);
        snprintf(member->complaint, sizeof member->complaint, "%s/%d.err", folder, i);
        if (options->out)
            snprintf(member->run_path, sizeof member->run_path, "%s.%d", options->out, i);
        else
            snprintf(member->run_path, sizeof member->run_path, "%s/%d.json", folder, i);
        start(options, i, member);
    }
    for (int i = 0; i < count; ++i)
        finish(&members[i]);
}

int accp_gate_devices(const struct accp_options *options, int device_count)
{
    char folder[PATH_MAX];
    struct accp_error error;
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/accprobe.XXXXXX", place && place[0] ? place : "/tmp");
    struct member *members = calloc((size_t)device_count, sizeof *members);
    if (!members || !mkdtemp(folder)) {
        free(members);
        accp_fail(&error, ACCP_STATUS_IO, folder, -1, "cannot make a folder for the GPUs' runs: %s",
                  strerror(errno));
        return accp_exit_error(&error);
    }
    run_all(options, folder, members, device_count);
    const int exit_status = heaviest(members, device_count);
    if (options->shape == ACCP_FORMAT_JSON)
        report_json(members, device_count, exit_status);
    else
        report_table(options, members, device_count);
    for (int i = 0; i < device_count; ++i) {
        accp_run_fini(&members[i].run);
        unlink(members[i].output);
        unlink(members[i].complaint);
        if (!options->out) unlink(members[i].run_path);
    }
    rmdir(folder);
    free(members);
    return exit_status;
}
