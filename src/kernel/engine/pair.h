/*
 * engine: two accesses of the same bytes, of which one writes, and what may be wrong between them. Source: PTX ISA 9.1,
 * Memory Consistency Model: the two are ordered by synchronization, and if they are by different proxies, a proxy fence
 * is between them in this order.
 */
#pragma once

#include "tmap/diag.h"

/* TENSOR: accesses to tensor memory, which tcgen05.fence orders. */
typedef enum tmap_proxy { PROXY_GENERIC, PROXY_ASYNC, PROXY_TENSORMAP, PROXY_TENSOR } tmap_proxy;

/* The fault between two accesses, the earlier access first. */
typedef enum tmap_pair_fault {
    PAIR_GOOD,
    PAIR_NO_ORDER,
    PAIR_IN_TIME, /* a read that is executed before the write, but no synchronization orders their memory accesses */
    PAIR_NARROW,  /* ordered if the release and the acquire between them had a larger scope */
    PAIR_NO_ASYNC_FENCE,
    PAIR_NO_REUSE_FENCE, /* between a read and the write that replaces the data */
    PAIR_NO_INIT_FENCE,
    PAIR_NO_INIT_FENCE_AFTER_SYNC, /* a sync separates the init from its use */
    PAIR_NO_RELEASE,
    PAIR_NO_ACQUIRE,
    PAIR_NO_TCGEN05_BEFORE, /* of the earlier thread */
    PAIR_NO_TCGEN05_AFTER,  /* of the later thread */
} tmap_pair_fault;

/* The fault of two ordered accesses to shared memory if no proxy fence is between them. */
static inline tmap_pair_fault tmap_pair_without_fence(tmap_proxy earlier, bool earlier_writes, tmap_proxy later) {
    if (earlier != PROXY_GENERIC || later != PROXY_ASYNC) return PAIR_GOOD;
    return earlier_writes ? PAIR_NO_ASYNC_FENCE : PAIR_NO_REUSE_FENCE;
}

/* The rule that a fault breaks. `init`: the earlier access is the init of an mbarrier. */
const char *tmap_pair_rule(tmap_pair_fault fault, bool init);

/* Two accesses in a message: the texts of the instructions that execute them, and the name of their bytes. */
typedef struct tmap_pair_text {
    const char *later, *earlier, *place;
    bool later_writes, earlier_writes, later_frees; /* frees: ends the use of tensor memory */
} tmap_pair_text;

/* Writes the message for PAIR_NO_ORDER, PAIR_NO_ASYNC_FENCE and PAIR_NO_REUSE_FENCE. */
void tmap_say_fault(tmap_diag *diag, tmap_pair_fault fault, tmap_pair_text pair);

/* A wait for all but `pending` of the groups that a thread made: the number of the last group that is then complete. */
static inline uint32_t tmap_groups_complete(uint32_t made, uint64_t pending) {
    return pending < made ? made - (uint32_t)pending : 0;
}
