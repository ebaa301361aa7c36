/* sequence: the texts of a wait that never ends. */
#include <stdlib.h>

#include "diag/refuse.h"
#include "sequence/machine.h"

/* Suggests the arrivals and the bytes that a phase lacks. */
static void say_missing(tmap_diag *diag, const tmap_barrier_state *barrier, const tmap_step *step) {
    long long pending = (long long)barrier->pending, tx_B = (long long)barrier->tx_B;
    const char *s = pending == 1 ? "" : "s";
    if (pending > 0 && tx_B < 0)
        tmap_say_fix(diag, "before the wait, add %lld arrival%s, with expect_tx: %lld in all", pending, s, -tx_B);
    else if (pending > 0 && tx_B > 0)
        tmap_say_fix(diag, "before the wait, add %lld arrival%s, and copy %lld B more", pending, s, tx_B);
    else if (tx_B != 0)
        tmap_say_fix(diag, "in phase %u, expect %lld B %s, or copy %lld B %s", barrier->phases, llabs(tx_B),
                     tx_B < 0 ? "more" : "less", llabs(tx_B), tx_B < 0 ? "less" : "more");
    else if (pending < (long long)barrier->count)
        tmap_say_fix(diag, "before the wait, add %lld arrival%s; or init the barrier with %lld less", pending, s,
                     pending);
    else
        tmap_say_fix(diag, "before the wait, add %lld arrival%s; or wait for parity %u, of the phase before", pending,
                     s, step->parity ^ 1);
}

void tmap_say_hang(tmap_diag *diag, const tmap_barrier_state *barrier, const tmap_step *step, const char *name) {
    if (!barrier->ready) {
        TMAP_SAY(diag->message, "'%s' waits forever: %s has no init", step->text, name);
        tmap_say_fix(diag, "init %s first", name);
        return;
    }
    TMAP_SAY(diag->message,
             "'%s' waits forever for parity %u of %s: phase %u still requires %lld of %u arrivals and %lld B",
             step->text, step->parity, name, barrier->phases, (long long)barrier->pending, barrier->count,
             (long long)barrier->tx_B);
    if (barrier->pending < 0)
        TMAP_SAY(diag->message, "'%s' waits forever for parity %u of %s: phase %u has %lld arrivals too many",
                 step->text, step->parity, name, barrier->phases, (long long)-barrier->pending);
    bool untouched = barrier->phases == 0 && barrier->pending == (int64_t)barrier->count && barrier->tx_B == 0;
    if (barrier->pending < 0)
        tmap_say_fix(diag, "wait for the phase before, or init %s with the number of arrivals of a phase", name);
    else if (untouched && step->parity == 0)
        tmap_say_fix(diag, "to pass the first wait, wait for parity 1; otherwise a thread must arrive first");
    else
        say_missing(diag, barrier, step);
}
