#include "cli/gate_devices.h"

#include "base/file.h"
#include "base/watchdog.h"
#include "cli/select.h"
#include "cli/verbs.h"
#include "golden/golden.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Levels of two unchanged GPUs of one SKU, a process each, lay within 0.2 % of each other on H200s
 * (docs/h200.md): what is farther apart is said. */
static const double agreement = 0.005;

enum {
    WORDS = 2 * ACCP_OPTION_COUNT + 8,
    WORD_BYTES = 32,
    OUTPUT_LIMIT_BYTES = 64 << 20,
    STOP_TIMEOUT_S = 2,
    TIMEOUTS = 10 /* of one wait: in so many a member has ended, or hangs */
};

/* One GPU's gate. */
struct member {
    char output[PATH_MAX + 16], complaint[PATH_MAX + 16], run_path[PATH_MAX + 16];
    pid_t process; /* -1: it has ended, or could not be started */
    int exit_status;
    struct accp_bytes said, complained; /* what it wrote; owned */
    struct accp_run run;                /* cleared where it left none */
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

/* Signals that end the gate: waited for with the members' ends, so that none comes in between and
 * leaves members or their folder behind. What is ignored (nohup) stays so. */
static void hold_signals(sigset_t *held, sigset_t *before)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    sigemptyset(held);
    sigaddset(held, SIGCHLD);
    signal(SIGCHLD, SIG_DFL); /* whoever ignores it has no children to wait for */
    for (size_t i = 0; i < sizeof ending / sizeof *ending; ++i)
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(held, ending[i]);
    sigprocmask(SIG_BLOCK, held, before);
}

static void start(const struct accp_options *options, int device, const sigset_t *mask,
                  struct member *member)
{
    struct words words;
    struct accp_options own = *options;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    own.device = device;
    own.out = member->run_path;
    if (own.seed >= 0) own.seed = (own.seed + device) & 0x7fffffff;
    spell(&own, &words);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, member->output, flags, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, member->complaint, flags, 0600);
    member->exit_status = ACCP_EXIT_USAGE;
    if (posix_spawn(&member->process, "/proc/self/exe", &actions, &attributes, words.argv,
                    environ) != 0)
        member->process = -1;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
}

/* How many members have not ended yet. */
static int reap(struct member *members, int count)
{
    int left = 0;
    for (int i = 0; i < count; ++i) {
        int status = 0;
        if (members[i].process < 0) continue;
        const pid_t ended = waitpid(members[i].process, &status, WNOHANG);
        left += ended == 0;
        if (ended == 0) continue;
        if (ended > 0 && WIFEXITED(status)) members[i].exit_status = WEXITSTATUS(status);
        members[i].process = -1;
    }
    return left;
}

static void pass_on(const struct member *members, int count, int number)
{
    for (int i = 0; i < count; ++i)
        if (members[i].process > 0) kill(members[i].process, number);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* One that does not end for it is killed, and one that a driver holds even then is left to it. */
static void end_all(struct member *members, int count, const sigset_t *held)
{
    static const struct timespec patience = {STOP_TIMEOUT_S, 0};
    static const int ending[] = {SIGTERM, SIGKILL};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; ++i) {
        pass_on(members, count, ending[i]);
        while (reap(members, count) > 0 && sigtimedwait(held, NULL, &patience) == SIGCHLD)
            continue;
    }
}

static void give_up(struct member *members, int count)
{
    for (int i = 0; i < count; ++i) {
        if (members[i].process < 0) continue;
        members[i].exit_status = ACCP_EXIT_ENVIRONMENT;
        fprintf(stderr,
                "accprobe: GPU %d: its gate has not ended in %.3g s; see dmesg and nvidia-smi, and "
                "restart the machine if it stays so\n",
                i, TIMEOUTS * accp_timeout_s());
    }
}

/* Until all have ended. A member has time-outs of its own for all that it waits for, but for what holds it itself: a driver in
 * the kernel, or a signal that stopped it. Returns the signal that ended them before that, or 0. */
static int wait_for_all(struct member *members, int count, const sigset_t *held)
{
    const double until_s = now_s() + TIMEOUTS * accp_timeout_s();
    while (reap(members, count) > 0) {
        const double left_s = until_s - now_s();
        const struct timespec left = {(time_t)fmax(left_s, 0),
                                      (long)(1e9 * fmax(fmod(left_s, 1), 0))};
        const int number = sigtimedwait(held, NULL, &left);
        if (number == SIGCHLD || (number < 0 && errno == EINTR)) continue;
        if (number < 0) give_up(members, count);
        end_all(members, count, held);
        return number > 0 ? number : 0;
    }
    return 0;
}

static void collect(struct member *member)
{
    struct accp_error error;
    accp_file_read(member->output, OUTPUT_LIMIT_BYTES, &member->said, NULL);
    accp_file_read(member->complaint, OUTPUT_LIMIT_BYTES, &member->complained, NULL);
    if (access(member->run_path, R_OK) == 0 &&
        accp_run_read(member->run_path, &member->run, &error) != ACCP_STATUS_OK)
        accp_exit_error(&error);
}

/* With whatever a member that was killed left there. */
static void remove_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries) closedir(entries);
    rmdir(folder);
}

/* What a member wrote, as it is. */
static void show(const struct accp_bytes *bytes, FILE *stream)
{
    if (bytes->size > 0) fwrite(bytes->data, 1, bytes->size, stream);
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
        show(&members[i].said, stdout);
        putchar('\n');
        fflush(stdout);
        show(&members[i].complained, stderr);
    }
    say_agreement(members, count, false);
}

static void report_json(const struct member *members, int count, int exit_status)
{
    printf("{\"format\": \"accprobe-verdicts/1\", \"exit_status\": %d,\n \"gpus\": [", exit_status);
    for (int i = 0; i < count; ++i) {
        printf("%s\n  {\"gpu\": %d, \"exit_status\": %d", i ? "," : "", i, members[i].exit_status);
        if (members[i].said.size > 0 && members[i].run.role_count > 0) {
            printf(", \"verdict\": ");
            fflush(stdout);
            show(&members[i].said, stdout);
        }
        printf("}");
        show(&members[i].complained, stderr);
    }
    printf("],\n \"agreement\": [");
    say_agreement(members, count, true);
    printf("]}\n");
}

/* Nothing of `folder` is left when it returns: a report may be cut short by whoever reads it. */
static void run_all(const struct accp_options *options, const char *folder, const sigset_t *held,
                    const sigset_t *before, struct member *members, int count)
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
        start(options, i, before, member);
    }
    const int ended_by = wait_for_all(members, count, held);
    for (int i = 0; i < count && ended_by == 0; ++i)
        collect(&members[i]);
    remove_folder(folder);
    if (ended_by) signal(ended_by, SIG_DFL);
    if (ended_by) raise(ended_by);
    sigprocmask(SIG_SETMASK, before, NULL);
}

int accp_gate_devices(const struct accp_options *options, int device_count)
{
    char folder[PATH_MAX];
    struct accp_error error;
    sigset_t held, before;
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/accprobe.XXXXXX", place && place[0] ? place : "/tmp");
    struct member *members = calloc((size_t)device_count, sizeof *members);
    hold_signals(&held, &before);
    if (!members || !mkdtemp(folder)) {
        accp_fail(&error, ACCP_STATUS_IO, folder, -1, "cannot make a folder for the GPUs' runs: %s",
                  strerror(errno));
        free(members);
        sigprocmask(SIG_SETMASK, &before, NULL);
        return accp_exit_error(&error);
    }
    run_all(options, folder, &held, &before, members, device_count);
    const int exit_status = heaviest(members, device_count);
    if (options->shape == ACCP_FORMAT_JSON)
        report_json(members, device_count, exit_status);
    else
        report_table(options, members, device_count);
    for (int i = 0; i < device_count; ++i) {
        accp_run_fini(&members[i].run);
        accp_bytes_fini(&members[i].said);
        accp_bytes_fini(&members[i].complained);
    }
    free(members);
    return exit_status;
}
