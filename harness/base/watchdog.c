#include "base/watchdog.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICKS_PER_S = 10, TIMEOUT_LIMIT_S = 1000000 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_started;
static atomic_int exit_with;
static atomic_uint ticks_left; /* 0: nobody is watched */
static atomic_uint ticks_given;
static _Atomic(const char *) last;

static bool read_timeout(double *given_s)
{
    char *end;
    const char *text = getenv("ACCPROBE_TIMEOUT_S");
    *given_s = ACCP_TIMEOUT_S;
    if (!text || !text[0]) return true;
    const double value = strtod(text, &end);
    if (*end || !(value > 0 && value < TIMEOUT_LIMIT_S)) return false;
    *given_s = value;
    return true;
}

double accp_timeout_s(void)
{
    double given_s;
    (void)read_timeout(&given_s);
    return given_s;
}

enum accp_status accp_timeout_check(struct accp_error *error)
{
    double given_s;
    if (read_timeout(&given_s)) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                     "ACCPROBE_TIMEOUT_S=%.40s: must be a number of seconds above 0 and below %d",
                     getenv("ACCPROBE_TIMEOUT_S"), TIMEOUT_LIMIT_S);
}

/* _exit, since what hangs may hold locks that exit would want. */
static void bite(void)
{
    char line[256];
    const char *what = atomic_load(&last);
    int length = snprintf(line, sizeof line,
                          "accprobe: GPU: the driver has not come back for %.3g s, %s%s; see dmesg "
                          "and nvidia-smi, and restart the machine if it stays so\n",
                          (double)(atomic_load(&ticks_given) - 1) / TICKS_PER_S,
                          what ? "since " : "from its first call on", what ? what : "");
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        _exit(atomic_load(&exit_with));
    _exit(atomic_load(&exit_with));
}

static void *watch(void *argument)
{
    static const struct timespec tick = {0, 1000000000 / TICKS_PER_S};
    (void)argument;
    for (;;) {
        nanosleep(&tick, NULL);
        unsigned left = atomic_load(&ticks_left);
        /* Whoever feeds meanwhile is right. */
        if (left > 0 && atomic_compare_exchange_strong(&ticks_left, &left, left - 1) && left == 1)
            bite();
    }
    return NULL;
}

static void start(void)
{
    pthread_t thread;
    atomic_store(&is_started, pthread_create(&thread, NULL, watch, NULL) == 0);
    if (atomic_load(&is_started)) pthread_detach(thread);
}

void accp_watchdog_watch(double timeout_s, int exit_status)
{
    pthread_once(&once, start);
    atomic_store(&exit_with, exit_status);
    atomic_store(&ticks_given, (unsigned)(timeout_s * TICKS_PER_S) + 1);
    atomic_store(&ticks_left, atomic_load(&ticks_given));
}

void accp_watchdog_feed(const char *what)
{
    atomic_store(&last, what);
    unsigned left = atomic_load(&ticks_left);
    while (left > 0 && !atomic_compare_exchange_weak(&ticks_left, &left, atomic_load(&ticks_given)))
        continue;
}

void accp_watchdog_rest(void)
{
    atomic_store(&ticks_left, 0);
}

void accp_watchdog_leave(double timeout_s, int exit_status)
{
    if (!atomic_load(&is_started)) return;
    accp_watchdog_feed("the end of its work");
    accp_watchdog_watch(timeout_s, exit_status);
}
