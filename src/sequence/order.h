/*
 * sequence: which event happens before which one. The events of step s are the step itself, what it reads through the
 * async proxy, and what it writes there; a set of events is a row of bits. Accesses are held against all earlier ones.
 */
#pragma once

#include "sequence/machine.h"

typedef enum tmap_proxy { PROXY_GENERIC, PROXY_ASYNC, PROXY_TENSORMAP } tmap_proxy;

typedef struct tmap_event_access {
    uint32_t event; /* bit in the sets */
    uint32_t step;
    int region;
    tmap_proxy proxy;
    bool writes, atomic; /* atomic: of an mbarrier, which has no race with its like */
} tmap_event_access;

/* What is wrong with two accesses, the earlier one first. */
typedef enum tmap_pair_fault {
    PAIR_GOOD,
    PAIR_NO_ORDER,
    PAIR_NARROW, /* ordered, if the release and the acquire between them had a scope that reaches */
    PAIR_NO_ASYNC_FENCE,
    PAIR_NO_INIT_FENCE,
    PAIR_NO_RELEASE,
    PAIR_NO_ACQUIRE,
} tmap_pair_fault;

typedef struct tmap_order {
    const tmap_program *program;
    size_t words; /* of a set */
    /* A set has two halves where a step states a scope: what is ordered, and what is if every scope reaches; else one.
     */
    size_t half;
    uint64_t *threads; /* by thread: what happens before its next step */
    uint64_t *ops;     /* by step: what happens before its operation is complete, itself included */
    /* By barrier, of arrivals in its own thread block and of those in others: what happens before the end of its phase,
     * and the same of its last complete phase. */
    uint64_t *open, *complete;
    uint64_t *released; /* by thread, for its block and for the cluster: what happens before its last fence.acq_rel */
    uint64_t *observed; /* by thread, from its block and from others: what relaxed waits wait for */
    uint64_t *meeting;  /* what happens before a barrier of threads, while they meet there */
    uint32_t narrow;    /* the last step whose scope did not reach; UINT32_MAX: none */
    /* By step that is a fence: what happens before it, itself included; of an acquire, what happens before a release
     * that happens before it. */
    uint64_t *fences;
    uint32_t *fence_steps; /* those that were executed, fences_n of them */
    size_t fences_n;
    tmap_event_access *accesses;
    size_t accesses_n;
    uint64_t pairs_n;
    void *context;
    void (*found)(void *context, tmap_pair_fault fault, const tmap_event_access *earlier,
                  const tmap_event_access *later);
} tmap_order;

/* False when there is no memory. */
bool tmap_order_make(tmap_order *order, const tmap_program *program, tmap_arena *arena);
/* Before the machine runs the event, of a machine that has not run it. */
void tmap_order_before(tmap_order *order, const tmap_machine *machine, const tmap_event *event);
/* After it, when the machine knows whether a phase is complete. */
void tmap_order_after(tmap_order *order, const tmap_event *event);
/* The thread blocks end: calls `left` for each access to a block's shared memory that no thread of the block knows to
 * be complete. */
void tmap_order_end(tmap_order *order, void *context, void (*left)(void *context, const tmap_event_access *access));
