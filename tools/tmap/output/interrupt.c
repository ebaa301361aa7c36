/* Commands that run for long. */
#include "output/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "output/exit_code.h"
#include "output/signals.h"

static atomic_int heard; /* the signal; 0: none */
static unsigned limit_s; /* 0: none */

/* Who asks twice does not want to wait, for a pipe for instance. */
static void interrupt(int signal_number) {
    if (heard != 0) leaving_end_by(signal_number);
    heard = signal_number;
    if (limit_s != 0) (void)alarm(limit_s);
}

static void end_late(int signal_number) {
    static const char said[] = "tmap: interrupted, and what runs does not end: it is left out\n";
    (void)signal_number;
    (void)!write(STDERR_FILENO, said, sizeof said - 1);
    leaving_end_by(heard);
}

static void handle(int signal_number, void (*handler)(int)) {
    /* Not signal(): under _XOPEN_SOURCE it would hear one signal only. One that is ignored, as nohup does, stays so. */
    struct sigaction now, then = {.sa_handler = handler, .sa_flags = SA_RESTART};
    if (sigaction(signal_number, NULL, &now) != 0 || now.sa_handler == SIG_IGN) return;
    (void)sigemptyset(&then.sa_mask);
    (void)sigaction(signal_number, &then, NULL);
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
