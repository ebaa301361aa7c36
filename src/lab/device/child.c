#define _GNU_SOURCE /* prctl */

#include "device/child.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef TMAP_COVERAGE
extern void __gcov_dump(void);
#endif

#define END_LIMIT_MS     5000
#define OWN_END_LIMIT_MS 100 /* the time to close its device */

static int64_t now_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Ignores signals to the whole process group: the parent handles them, and decides when to end this process. */
static void live(child_work *work, const void *context, int socket, pid_t parent) {
    static const int parents[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) (void)signal(parents[i], SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) work(context, socket); /* otherwise the parent died before prctl */
#ifdef TMAP_COVERAGE
    __gcov_dump(); /* SIGKILL would lose the coverage counts */
#endif
    for (;;) (void)kill(getpid(), SIGKILL);
}

bool tmap_child_start(child_process *child, child_work *work, const void *context, tmap_diag *refusal) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        (void)tmap_fail(TMAP_UNAVAILABLE, refusal, "cannot make a pair of sockets: %s", strerror(errno));
        return false;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        (void)close(sockets[0]);
        live(work, context, sockets[1], parent);
    }
    (void)close(sockets[1]);
    if (pid < 0) {
        (void)tmap_fail(TMAP_UNAVAILABLE, refusal, "cannot start a process: %s", strerror(errno));
        (void)close(sockets[0]);
        return false;
    }
    *child = (child_process){pid, sockets[0]};
    return true;
}

bool tmap_child_send(int socket, const void *message, size_t size) {
    return send(socket, message, size, MSG_NOSIGNAL) == (ssize_t)size;
}

child_answer tmap_child_await(const child_process *child, int64_t limit_ms, void *message, size_t size) {
    struct pollfd poll_for = {.fd = child->socket, .events = POLLIN};
    int64_t end_ms = now_ms() + limit_ms, left_ms = limit_ms;
    int ready = 0;
    do {
        ready = poll(&poll_for, 1, left_ms < INT_MAX ? (int)left_ms : INT_MAX);
        left_ms = end_ms - now_ms();
    } while (ready < 0 && errno == EINTR && left_ms > 0);
    if (ready <= 0) return CHILD_SILENT;
    return recv(child->socket, message, size, 0) == (ssize_t)size ? CHILD_ANSWERS : CHILD_DIED;
}

/* Whether the process ends within the time. */
static bool ends_within(pid_t pid, int64_t limit_ms, int *status) {
    const struct timespec nap = {.tv_nsec = 1000000};
    int64_t end_ms = now_ms() + limit_ms;
    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) return true;
        if (now_ms() > end_ms) return false;
        (void)nanosleep(&nap, NULL);
    }
}

/* A process that hangs inside the kernel's driver survives SIGKILL: after a time limit this function abandons it. */
static void end(child_process *child, int *status) {
    (void)kill(child->pid, SIGKILL);
    (void)ends_within(child->pid, END_LIMIT_MS, status);
}

void tmap_child_kill(child_process *child) {
    int status = 0;
    if (child->pid == 0) return;
    (void)close(child->socket);
    end(child, &status);
    child->pid = 0;
}

void tmap_child_stop(child_process *child, char how[64]) {
    int status = 0;
    if (child->pid == 0) return;
    (void)close(child->socket);
    if (!ends_within(child->pid, OWN_END_LIMIT_MS, &status)) end(child, &status);
    child->pid = 0;
    if (!how) return;
    (void)snprintf(how, 64, "ended");
    if (WIFSIGNALED(status)) (void)snprintf(how, 64, "was ended by signal %d", WTERMSIG(status));
    if (WIFEXITED(status)) (void)snprintf(how, 64, "ended with status %d", WEXITSTATUS(status));
}
