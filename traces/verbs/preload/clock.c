/* The clocks that a program can look at show virtual time. */
#include "traces/verbs/preload/shim.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define FREE_LOOKS 4       /* of one place, without another call between them */
#define LOOKS_IN_ALL 64    /* and of several: then it is a loop too */
#define LOOP_LEAST_PS INT64_C(1000000)
#define LOOP_SHARE 4 /* time goes on by so large a part of what the loop has taken; else millions of looks would be needed */

int64_t shim_look(const void *where, int64_t least_ps, int64_t share)
{
    static const void *place;
    static int64_t began_ps;
    static uint32_t looks, all;
    static uint64_t last;
    int is_next = shim.entries == last + 1;
    last = shim.entries;
    all = is_next ? all + 1 : 0;
    looks = is_next && where == place ? looks + 1 : 0;
    place = where;
    if (looks == 0)
        began_ps = shim.now_ps;
    if (looks < FREE_LOOKS && all < LOOKS_IN_ALL)
        return shim.now_ps;
    int64_t step_ps = (shim.now_ps - began_ps) / share;
    step_ps = step_ps > least_ps ? step_ps : least_ps;
    if (shim.alarm_ps != SHIM_NEVER && shim.now_ps + step_ps > shim.alarm_ps)
        step_ps = shim.alarm_ps > shim.now_ps ? shim.alarm_ps - shim.now_ps : 0;
    return shim.now_ps += step_ps;
}

static int64_t look_ns(const void *where)
{
    shim_enter();
    int64_t at_ns = shim_look(where, LOOP_LEAST_PS, LOOP_SHARE) / PS_PER_NS;
    shim_leave();
    shim_alarm_due();
    return at_ns;
}

static int is_virtual(clockid_t clock)
{
    return shim_is_joined() && !shim.inside && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID;
}

static int is_of_day(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

SHIM_EXPORT int clock_gettime(clockid_t clock, struct timespec *at)
{
    if (!is_virtual(clock))
        return (int)syscall(SYS_clock_gettime, clock, at);
    int64_t ns = look_ns(__builtin_return_address(0)) + (is_of_day(clock) ? shim.real_ns : NS_PER_S);
    *at = (struct timespec){ns / NS_PER_S, ns % NS_PER_S};
    return 0;
}

SHIM_EXPORT int gettimeofday(struct timeval *restrict at, void *restrict zone)
{
    if (!is_virtual(CLOCK_REALTIME))
        return (int)syscall(SYS_gettimeofday, at, zone);
    int64_t ns = look_ns(__builtin_return_address(0)) + shim.real_ns;
    *at = (struct timeval){ns / NS_PER_S, ns % NS_PER_S / 1000};
    return 0;
}

SHIM_EXPORT time_t time(time_t *at)
{
    time_t now = is_virtual(CLOCK_REALTIME) ? (time_t)((look_ns(__builtin_return_address(0)) + shim.real_ns) / NS_PER_S)
                                            : (time_t)syscall(SYS_time, NULL);
    if (at != NULL)
        *at = now;
    return now;
}

static void sleep_until(int64_t until_ps)
{
    struct verbs_request request = {.kind = VERBS_SLEEP};
    while (shim.now_ps < until_ps) { /* an alarm ends a sleep before */
        shim_enter();
        shim_is_active();
        request.until_ps = until_ps;
        shim_ask(&request, sizeof request, NULL);
        shim_leave();
    }
}

SHIM_EXPORT int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    if (!is_virtual(CLOCK_REALTIME))
        return (int)syscall(SYS_nanosleep, wanted, left);
    sleep_until(shim.now_ps + (wanted->tv_sec * NS_PER_S + wanted->tv_nsec) * PS_PER_NS);
    return 0;
}

SHIM_EXPORT int usleep(useconds_t us)
{
    struct timespec wanted = {us / 1000000, us % 1000000 * 1000};
    return nanosleep(&wanted, NULL);
}

SHIM_EXPORT unsigned int sleep(unsigned int seconds)
{
    struct timespec wanted = {seconds, 0};
    nanosleep(&wanted, NULL);
    return 0;
}

SHIM_EXPORT unsigned int alarm(unsigned int seconds)
{
    if (!shim_is_joined())
        return (unsigned int)syscall(SYS_alarm, seconds);
    int64_t left_ps = shim.alarm_ps == SHIM_NEVER ? 0 : shim.alarm_ps - shim.now_ps;
    shim.alarm_ps = seconds == 0 ? SHIM_NEVER : shim.now_ps + seconds * NS_PER_S * PS_PER_NS;
    return (unsigned int)((left_ps + NS_PER_S * PS_PER_NS - 1) / (NS_PER_S * PS_PER_NS));
}

void shim_alarm_due(void)
{
    if (shim.now_ps < shim.alarm_ps)
        return;
    shim.alarm_ps = SHIM_NEVER;
    raise(SIGALRM);
}

/* The frequency of the counter is read here; it is the model's. */
static FILE *open_cpuinfo(void)
{
    static char text[128];
    snprintf(text, sizeof text, "processor\t: 0\ncpu MHz\t\t: %lld.%06lld\n", (long long)(shim.tsc_hz / 1000000),
             (long long)(shim.tsc_hz % 1000000));
    return fmemopen(text, strlen(text), "r");
}

SHIM_EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
    FILE *(*next)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    return shim_is_joined() && strcmp(path, "/proc/cpuinfo") == 0 ? open_cpuinfo() : next(path, mode);
}
