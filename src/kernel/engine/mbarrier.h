/*
 * engine: what the two executions have in common, that of a sequence's steps (room sequence) and that of the
 * instructions of a compiled kernel (room execute). Here: an mbarrier, with the arrivals and the bytes that its phase
 * lacks. Source: PTX ISA 9.1, mbarrier.
 */
#pragma once

#include "tmap/diag.h"

/* Without padding, because states are compared as bytes. */
typedef struct tmap_mbarrier {
    int64_t pending; /* arrivals that are missing in the phase */
    int64_t tx_B;    /* bytes expected and not complete; negative: bytes complete and not expected */
    int64_t early_B; /* bytes that copies still in flight have completed in earlier phases */
    uint32_t count;  /* arrivals in a phase */
    uint32_t phases; /* number of complete phases */
    uint64_t ready;  /* 1 from the init to the inval */
} tmap_mbarrier;

/* An mbarrier after its init, as if it had completed `phases` phases before. */
static inline tmap_mbarrier tmap_mbarrier_init(uint32_t count, uint32_t phases) {
    return (tmap_mbarrier){.ready = 1, .count = count, .pending = (int64_t)count, .phases = phases};
}

/* Whether a wait for a parity returns. */
static inline bool tmap_mbarrier_passes(const tmap_mbarrier *barrier, unsigned parity) {
    return barrier->ready && (barrier->phases & 1) != parity;
}

/* Whether a wait would end with the right number of bytes. */
static inline bool tmap_mbarrier_lacks_bytes(const tmap_mbarrier *barrier) {
    return barrier->ready && barrier->tx_B != 0 && barrier->pending == 0;
}

/* Whether a new init now loses what the phase has. */
static inline bool tmap_mbarrier_loses(const tmap_mbarrier *barrier) {
    return barrier->pending != barrier->count || barrier->tx_B != 0;
}
#define TMAP_MBARRIER_LOSES ": its phase loses arrivals or bytes" /* for a message */

/* Arrivals, and bytes that are expected, or complete (negative). Returns whether they end the phase. */
bool tmap_mbarrier_take(tmap_mbarrier *barrier, int64_t arrivals, int64_t tx_B);
/* The bytes that the phase expects with `tx_B` more, if the hardware cannot count them; 0: it can. */
int64_t tmap_mbarrier_overflow(const tmap_mbarrier *barrier, uint64_t tx_B);

/* Write the message of a finding: `who` waits for a parity that never completes; `who` arrives more often than the
 * phase expects; a phase expects too many bytes, with a fix. */
void tmap_say_waits(tmap_diag *diag, const char *who, const tmap_mbarrier *barrier, const char *name, unsigned parity);
void tmap_say_many(tmap_diag *diag, const char *who, long long count, const char *name, const tmap_mbarrier *barrier);
void tmap_say_overflow(tmap_diag *diag, const char *name, int64_t tx_B);
/* The fix for a wait: the arrivals and the bytes that the phase lacks. `alone`: the parity of the wait may be wrong. */
void tmap_say_lacks(tmap_diag *diag, const tmap_mbarrier *barrier, unsigned parity, bool alone);
