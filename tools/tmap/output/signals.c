/* Everything that runs in a handler is async-signal-safe: atomic reads, unlink, signal, raise, alarm, write, _exit. */
#include "output/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "output/exit_code.h"

#define PATHS_MAX 16 /* a command has at most two files open; after a signal it may have one more */

static _Atomic(const char *) paths[PATHS_MAX];
static atomic_int heard; /* the signal; 0: none */
static unsigned limit_s; /* 0: none */

static void remove_all(void) {
    for (size_t i = 0; i < PATHS_MAX; i++) {
        const char *path = atomic_exchange(&paths[i], NULL);
        if (path) (void)unlink(path);
    }
}

/* Ends the process with the signal's default action. */
static void end_by(int signal_number) {
    remove_all();
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

/* The write that caused the signal fails with EFBIG, which is reported. */
static void let_write_fail(int signal_number) {
    (void)signal_number;
}

static void end_by_map(int signal_number) {
    static const char said[] =
        "tmap: an input file became shorter while tmap read it, or the disk of an output file is full\n";
    (void)signal_number;
    remove_all();
    (void)!write(STDERR_FILENO, said, sizeof said - 1);
    _exit(EXIT_FILE);
}

/* The second interrupt ends the process: the command may be waiting, for example for a pipe. */
static void interrupt(int signal_number) {
    if (heard != 0) end_by(signal_number);
    heard = signal_number;
    if (limit_s != 0) (void)alarm(limit_s);
}

static void end_late(int signal_number) {
    static const char said[] = "tmap: interrupted; the running copy did not end and is skipped\n";
    (void)signal_number;
    (void)!write(STDERR_FILENO, said, sizeof said - 1);
    end_by(heard);
}

/* Keeps ignored signals ignored, as nohup requires. The handler blocks all signals, so a signal that it raises arrives
 * when it returns. Does not use signal(): under _XOPEN_SOURCE its handler would run only once. */
static void handle(int signal_number, void (*handler)(int)) {
    struct sigaction now, then = {.sa_handler = handler, .sa_flags = SA_RESTART};
    if (sigaction(signal_number, NULL, &now) != 0 || now.sa_handler == SIG_IGN) return;
    if (now.sa_handler != SIG_DFL && handler == end_by) return; /* a handler that only sets a flag ends no process */
    (void)sigfillset(&then.sa_mask);
    (void)sigaction(signal_number, &then, NULL);
}

void temporary_register(const char *path) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) handle(ending[i], end_by);
    handle(SIGXFSZ, let_write_fail);
    for (size_t i = 0; i < PATHS_MAX; i++) {
        const char *none = NULL;
        if (atomic_compare_exchange_strong(&paths[i], &none, path)) return;
    }
}

/* Blocks signals, so that none arrives between the creation of the file and its registration. */
int temporary_make(char *path) {
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    int descriptor = mkstemp(path), error = errno;
    if (descriptor >= 0) temporary_register(path);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return descriptor;
}

void temporary_forget(const char *path) {
    for (size_t i = 0; i < PATHS_MAX; i++) {
        const char *own = path;
        if (atomic_compare_exchange_strong(&paths[i], &own, NULL)) return;
    }
}

void watch_mapped_files(void) {
    handle(SIGBUS, end_by_map);
}

void listen_for_interrupt(void) {
    handle(SIGINT, interrupt);
}

void listen_for_interrupt_within(unsigned seconds) {
    limit_s = seconds;
    handle(SIGALRM, end_late);
    handle(SIGINT, interrupt);
    handle(SIGTERM, interrupt);
}

void listen_for_end(void) {
    handle(SIGINT, interrupt);
    handle(SIGTERM, interrupt);
    handle(SIGHUP, interrupt);
}

bool was_interrupted(void) {
    return heard != 0;
}

int interrupted_code(void) {
    return heard == SIGTERM ? EXIT_TERMINATED : EXIT_INTERRUPTED;
}

double now_s(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
