/* A library to preload: the clock of the day leaps by ten years, forwards and back in turn, at every look. The
 * monotonic clock goes on, as it does on a machine whose time is set. */
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static long leap_s(void)
{
    static int looks;
    return __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED) % 2 ? 315360000L : -315360000L;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *now);
EXPORT time_t time(time_t *now);
EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone);

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += leap_s();
    return result;
}

time_t time(time_t *now)
{
    struct timespec read;
    clock_gettime(CLOCK_REALTIME, &read);
    if (now) *now = read.tv_sec;
    return read.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec read;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &read);
    now->tv_sec = read.tv_sec;
    now->tv_usec = read.tv_nsec / 1000;
    return 0;
}
