/* Everything below that runs in a handler is async-signal-safe: atomic reads, unlink, signal, raise, write, _exit. */
#include "output/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "output/exit_code.h"

#define PATHS_MAX 16 /* a command has a file or two open; one more would only stay behind */

static _Atomic(const char *) paths[PATHS_MAX];

static void remove_all(void) {
    for (size_t i = 0; i < PATHS_MAX; i++) {
        const char *path = atomic_exchange(&paths[i], NULL);
        if (path != NULL) (void)unlink(path);
    }
}

void leaving_end_by(int signal_number) {
    remove_all();
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

/* The write that it comes from fails with EFBIG, which is said. */
static void let_write_fail(int signal_number) {
    (void)signal_number;
}

static void end_by_map(int signal_number) {
    static const char said[] =
        "tmap: a file became shorter while it was read, or the disk is full under one that is written\n";
    (void)signal_number;
    remove_all();
    (void)!write(STDERR_FILENO, said, sizeof said - 1);
    _exit(EXIT_FILE);
}

/* Signals that are ignored, as nohup does, stay so; those that are heard already too. With all of them blocked in the
 * handler, what it raises comes when it returns. */
static void handle(int signal_number, void (*handler)(int)) {
    struct sigaction now, then = {.sa_handler = handler, .sa_flags = SA_RESTART};
    if (sigaction(signal_number, NULL, &now) != 0 || now.sa_handler != SIG_DFL) return;
    (void)sigfillset(&then.sa_mask);
    (void)sigaction(signal_number, &then, NULL);
}

static void leaving_register(const char *path) {
    static const int ending[] = {SIGINT,  SIGTERM, SIGHUP,  SIGPIPE,   SIGQUIT, SIGXCPU,
                                 SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) handle(ending[i], leaving_end_by);
    handle(SIGXFSZ, let_write_fail);
    for (size_t i = 0; i < PATHS_MAX; i++) {
        const char *none = NULL;
        if (atomic_compare_exchange_strong(&paths[i], &none, path)) return;
    }
}

/* With signals blocked: none comes between the file and its entry. */
int leaving_make(char *path) {
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    int descriptor = mkstemp(path), error = errno;
    if (descriptor >= 0) leaving_register(path);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return descriptor;
}

void leaving_forget(const char *path) {
    for (size_t i = 0; i < PATHS_MAX; i++) {
        const char *own = path;
        if (atomic_compare_exchange_strong(&paths[i], &own, NULL)) return;
    }
}

void leaving_watch_maps(void) {
    handle(SIGBUS, end_by_map);
}
