/*
 * Preloaded into a command: sleeping uses no real time. All processes of a command share a clock that is ahead of the
 * real clock by the total time slept; a wait for a file descriptor ends by this clock. A driver that starts in two
 * seconds, or a kernel that never ends, then costs a test no time, and the time limits of the code under test still
 * apply. VIRTUAL_TIME_LOG=FILE: the command appends the milliseconds that passed when it ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static _Atomic int64_t *ahead_ns; /* shared by the processes that the command forks */
static int64_t begin_ns;
static pid_t command;

static int64_t real_ns(clockid_t clock) {
    struct timespec now;
    syscall(SYS_clock_gettime, clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t now_ns(void) {
    return real_ns(CLOCK_MONOTONIC) + *ahead_ns;
}

static void log_time(void) {
    const char *path = getenv("VIRTUAL_TIME_LOG");
    FILE *file = path && getpid() == command ? fopen(path, "a") : NULL;
    if (!file) return;
    fprintf(file, "%lld\n", (long long)((now_ns() - begin_ns) / 1000000));
    fclose(file);
}

__attribute__((constructor)) static void begin(void) {
    void *shared = mmap(NULL, sizeof *ahead_ns, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) abort();
    ahead_ns = shared;
    begin_ns = now_ns();
    command = getpid();
    atexit(log_time);
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock != CLOCK_MONOTONIC) return (int)syscall(SYS_clock_gettime, clock, time);
    int64_t now = now_ns();
    *time = (struct timespec){.tv_sec = now / 1000000000, .tv_nsec = now % 1000000000};
    return 0;
}

/* Sleeps in parts, so that other waiting processes see the time pass and receive a message before it is late. */
EXPORT int nanosleep(const struct timespec *time, struct timespec *left) {
    const struct timespec turn = {.tv_nsec = 50000};
    const int64_t part_ns = 500000000;
    int64_t rest_ns = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
    (void)left;
    for (; rest_ns > 0; rest_ns -= part_ns) {
        *ahead_ns += rest_ns < part_ns ? rest_ns : part_ns;
        syscall(SYS_nanosleep, &turn, NULL);
    }
    return 0;
}

/*
 * The clock is read before the files: a process that sends a message and then sleeps advances the clock after the
 * message, so that a poll which finds the clock at its end also finds the message, however late it is scheduled.
 */
EXPORT int poll(struct pollfd *files, nfds_t files_n, int timeout_ms) {
    int64_t end_ns = now_ns() + (int64_t)timeout_ms * 1000000;
    const struct timespec slice = {.tv_nsec = 100000};
    for (;;) {
        bool ended = timeout_ms >= 0 && now_ns() >= end_ns;
        long ready = syscall(SYS_ppoll, files, files_n, &slice, NULL, 0);
        if (ready != 0 || ended) return (int)ready;
    }
}
