/* Commands that run for long. */
#include "patience.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "leavings.h"

static atomic_bool interrupted;

/* Who asks twice does not want to wait, for a pipe for instance. */
static void interrupt(int signal_number) {
    if (interrupted) leaving_end_by(signal_number);
    interrupted = true;
}

void listen_for_interrupt(void) {
    /* Not signal(): under _XOPEN_SOURCE it would hear one interrupt only. */
    struct sigaction then = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    (void)sigemptyset(&then.sa_mask);
    (void)sigaction(SIGINT, &then, NULL);
}

bool was_interrupted(void) {
    return interrupted;
}

double now_s(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
