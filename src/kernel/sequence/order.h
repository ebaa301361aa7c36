/*
 * sequence: the order of events. Step s has three events: the step itself, its reads through the async proxy, and its
 * writes through the async proxy. A set of events is a row of bits. Each access is compared with all earlier accesses.
 */
#pragma once

#include "sequence/machine.h"

typedef struct tmap_event_access {
    uint32_t event; /* bit in the sets */
    uint32_t step;
    int region;
    tmap_proxy proxy;
    bool writes, atomic; /* atomic: an access to an mbarrier, which does not race with another atomic access */
} tmap_event_access;

typedef struct tmap_order tmap_order;
typedef void tmap_pair_function(void *context, const tmap_order *order, tmap_pair_fault fault,
                                const tmap_event_access *earlier, const tmap_event_access *later);

struct tmap_order {
    const tmap_program *program;
    size_t words; /* words of a set */
    /* The first part of a set has the ordered events. If a step states a scope, a set has two more parts: the events
     * that would be ordered if every relaxed step were a release and an acquire; and the events that would be ordered
     * if, in addition, every scope reached every thread. The last part has the events that are executed before. */
    size_t part;
    uint64_t *sets; /* all sets except `meeting`: sets_n words; those of steps, `ops` and `fences`, are the last */
    size_t sets_n;
    uint64_t *threads; /* by thread: the events before its next step */
    uint64_t *ops;     /* by step: the events before the completion of its operation, including the completion */
    /* By barrier, first for arrivals in its own thread block, then for arrivals in other thread blocks: the events
     * before the end of the current phase, and before the end of the last complete phase. */
    uint64_t *open, *complete;
    uint64_t *previous; /* by barrier: the events before the end of the phase before the last complete phase */
    uint64_t *waits;    /* by barrier: the waits for the last complete phase */
    uint64_t *released; /* by thread, for its block and for the cluster: the events before its last fence.acq_rel */
    uint64_t *observed; /* by thread, from its block and from others: the events that relaxed waits wait for */
    uint64_t *meeting;  /* the events before a barrier of threads, while sync computes them */
    uint32_t narrow;    /* the last step whose scope did not reach; UINT32_MAX: no step */
    /* By step that is a fence: the events before it and itself; for an acquire, the events before a release that is
     * before the acquire. By step that is a sync: the events before the sync. */
    uint64_t *fences;
    uint32_t *fence_steps; /* the executed fences, fences_n of them */
    uint32_t *after;       /* by thread: the last executed tcgen05.fence::after_thread_sync; UINT32_MAX: none */
    size_t fences_n;
    tmap_event_access *accesses;
    size_t accesses_n;
    uint64_t pairs_n;
    uint32_t varies; /* the first step that may belong to another phase in another execution; UINT32_MAX: none */
    void *context;
    tmap_pair_function *found;
};

/* Returns false when an allocation fails. */
bool tmap_order_make(tmap_order *order, const tmap_program *program, tmap_arena *arena);
/* Copies an order of the same program, without its counts. */
void tmap_order_copy(tmap_order *to, const tmap_order *from);
/* Call before the machine runs the event, with the machine in its state before the event. */
void tmap_order_before(tmap_order *order, const tmap_machine *machine, const tmap_event *event);
/* Call after the machine has run the event and has set phase_of. */
void tmap_order_after(tmap_order *order, const tmap_event *event);
/* Whether every execution has the phases, waits and order of this one, which has ended. If not, sets `varies`. */
bool tmap_order_is_only(tmap_order *order, const tmap_machine *machine);
/* Whether an access to a block's memory may happen after the end of the block: no thread of the block waits for it. */
bool tmap_order_is_left(const tmap_order *order, const tmap_event_access *access);
