/* engine: the phases of mbarriers, and the texts about missing arrivals and bytes. */
#include "engine/mbarrier.h"

#include <stdlib.h>

#include "diag/refuse.h"
#include "hw/mbarrier.h"

bool tmap_mbarrier_take(tmap_mbarrier *barrier, int64_t arrivals, int64_t tx_B) {
    barrier->pending -= arrivals;
    barrier->tx_B += tx_B;
    if (!barrier->ready || barrier->pending > 0 || barrier->tx_B != 0) return false;
    barrier->phases++;
    barrier->pending += barrier->count;
    return true;
}

int64_t tmap_mbarrier_overflow(const tmap_mbarrier *barrier, uint64_t tx_B) {
    int64_t all_B = barrier->tx_B + (int64_t)tx_B;
    return tx_B > TMAP_TX_MOST_B || all_B > TMAP_TX_MOST_B ? all_B : 0;
}

void tmap_say_overflow(tmap_diag *diag, const char *name, int64_t tx_B) {
    TMAP_SAY(diag->message, "%s expects %lld B in a phase", name, (long long)tx_B);
    TMAP_SAY(diag->allowed, "at most %d B, 2^20 - 1", TMAP_TX_MOST_B);
    tmap_say_fix(diag, "use more mbarriers, or copy less in one phase");
}

void tmap_say_many(tmap_diag *diag, const char *who, long long count, const char *name, const tmap_mbarrier *barrier) {
    TMAP_SAY(diag->message, "'%s' arrives %lld time%s at %s, whose pending count is %lld", who, count,
             TMAP_PLURAL(count), name, (long long)barrier->pending);
}

void tmap_say_waits(tmap_diag *diag, const char *who, const tmap_mbarrier *barrier, const char *name, unsigned parity) {
    long long pending = (long long)barrier->pending, tx_B = (long long)barrier->tx_B;
    char arrivals[64] = "", bytes[64] = "";
    if (pending > 0) TMAP_SAY(arrivals, " 1 arrival");
    if (pending > 0 && barrier->count > 1) TMAP_SAY(arrivals, " %lld of %u arrivals", pending, barrier->count);
    if (tx_B != 0)
        TMAP_SAY(bytes, "%s%s %lld B", pending > 0 ? " and" : "", tx_B < 0 ? " an expect_tx of" : "", llabs(tx_B));
    if (pending == 0 && tx_B < 0)
        TMAP_SAY(diag->message,
                 "'%s' may end before the last %lld B of phase %u arrive at %s, or never: it expects too few bytes",
                 who, -tx_B, barrier->phases, name);
    else
        TMAP_SAY(diag->message, "'%s' waits forever for parity %u of %s: phase %u still requires%s%s", who, parity,
                 name, barrier->phases, arrivals, bytes);
}

void tmap_say_lacks(tmap_diag *diag, const tmap_mbarrier *barrier, unsigned parity, bool alone) {
    long long pending = (long long)barrier->pending, tx_B = (long long)barrier->tx_B;
    const char *s = TMAP_PLURAL(pending), *after = barrier->phases ? ", after all waits for the previous phase" : "";
    if (pending > 0 && tx_B != 0)
        tmap_say_fix(diag, "before the wait, add %lld arrival%s, %s %lld B", pending, s,
                     tx_B < 0 ? "with an expect_tx of" : "and copy another", llabs(tx_B));
    else if (tx_B != 0)
        tmap_say_fix(diag, "in phase %u, expect %lld B %s, or copy %lld B %s", barrier->phases, llabs(tx_B),
                     tx_B < 0 ? "more" : "less", llabs(tx_B), tx_B < 0 ? "less" : "more");
    else if (pending < (long long)barrier->count)
        tmap_say_fix(diag, "before the wait, add %lld arrival%s; or init with %lld less", pending, s, pending);
    else if (alone)
        tmap_say_fix(diag, "before the wait, add %lld arrival%s%s; or wait for parity %u, of the previous phase",
                     pending, s, after, parity ^ 1);
    else
        tmap_say_fix(diag, "before the wait, add %lld arrival%s%s", pending, s, after);
}
