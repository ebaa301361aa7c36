/*
 * sequence: all executions of a sequence. A wait compares only one bit of the number of a barrier's phase, and an
 * arrival belongs to the phase that it finds: which phase a wait or an arrival meets may depend on the time of events.
 * The search runs every order of the events at barriers. All other events are executed as soon as possible: accesses
 * are judged by the order of synchronization, not by time, and a copy that is issued completes at any later time.
 */
#pragma once

#include "sequence/order.h"

typedef struct tmap_search {
    const tmap_program *program;
    void *context;
    tmap_pair_function *found;
    /* Before each event. Returns false if the effect of the event is undefined: the execution ends there. */
    bool (*judge)(void *context, const tmap_machine *machine, const tmap_event *event);
    /* No event is possible, and a thread waits at `step`. */
    void (*hangs)(void *context, const tmap_machine *machine, uint32_t step);
    bool is_brief;     /* an error is known: the search ends earlier */
    uint64_t states_n; /* out */
    bool all;          /* out: false if the search ended early */
} tmap_search;

/* Returns false when an allocation fails. */
bool tmap_search_run(tmap_search *search, tmap_arena *arena);
