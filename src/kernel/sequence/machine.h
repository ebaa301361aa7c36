/*
 * sequence: the machine that executes the steps of a sequence: the place of each thread, the phases of barriers,
 * groups, and the progress of the operations of the async proxy. tmap_machine_ready lists all events that may happen
 * next; the caller chooses one.
 */
#pragma once

#include "base/arena.h"
#include "engine/mbarrier.h"
#include "engine/pair.h"
#include "tmap/unstable/sequence.h"

enum { GROUP_KINDS = 6 }; /* bulk, wgmma, tcgen05.mma, tcgen05.ld, tcgen05.st, cp.async */

/* The part that does not change while a sequence runs. */
typedef struct tmap_program {
    const tmap_sequence *sequence;
    const tmap_step *steps;
    uint32_t *order;  /* the steps, sorted by thread */
    uint32_t *begin;  /* threads_n + 1 indices in `order` */
    uint32_t *launch; /* by thread: the index in `order` of its launch; UINT32_MAX: it starts at once */
    int *barrier_of;  /* by region: number of the barrier, -1 if the region is not a barrier */
    int *region_of;   /* by barrier */
    int barriers_n;
    uint8_t *overlap; /* regions_n x regions_n: enum tmap_overlap of the second by the first */
} tmap_program;

enum tmap_overlap { APART, PARTLY, COVERED };

enum tmap_op_state { OP_NONE, OP_ISSUED, OP_READ, OP_DONE };

/* The whole state is one block of `size` bytes, so it can be copied and compared. */
typedef struct tmap_machine {
    const tmap_program *program;
    size_t size;
    tmap_mbarrier *barriers;
    uint32_t *next;   /* by thread: index in `order` */
    uint32_t *groups; /* by step: number of the group, from 1; 0: in no group yet */
    uint32_t *made;   /* by thread and kind: number of groups so far */
    uint8_t *ops;     /* by step: enum tmap_op_state */
} tmap_machine;

/* The barrier of a step that has one. */
static inline tmap_mbarrier *tmap_machine_barrier(const tmap_machine *machine, const tmap_step *step) {
    return &machine->barriers[machine->program->barrier_of[step->barrier]];
}

typedef enum tmap_event_kind {
    EVENT_STEP, /* the next step of a thread */
    EVENT_SYNC, /* the step of all threads of a barrier at once */
    EVENT_READ, /* the end of a read of shared memory by a copy */
    EVENT_DONE, /* the completion of an operation */
    /* Copies complete in pieces, in any order. `step` is one of the copies that complete at the barrier. */
    EVENT_BYTES,  /* the bytes that the phase expects: the phase ends */
    EVENT_EXCESS, /* more bytes than the phase expects: the phase never ends */
} tmap_event_kind;

typedef struct tmap_event {
    tmap_event_kind kind;
    uint32_t step;
    int phase_of; /* set by tmap_machine_run: the barrier whose phase became complete; -1: no barrier */
} tmap_event;

/* Whether all numbers name things that exist and are within the limits. */
bool tmap_sequence_is_valid(const tmap_sequence *sequence);

/* Sorts steps and regions. Returns false when an allocation fails. */
bool tmap_program_make(tmap_program *program, const tmap_sequence *sequence, tmap_arena *arena);
enum tmap_overlap tmap_program_overlap(const tmap_program *program, int first, int second);

/* A machine before the first event. Returns false when an allocation fails. */
bool tmap_machine_make(tmap_machine *machine, const tmap_program *program, tmap_arena *arena);
/* The current step of a thread; UINT32_MAX after its last step. */
uint32_t tmap_machine_at(const tmap_machine *machine, int thread);
/* Writes the possible events: events of threads first, in the order of threads. Returns their number, at most
 * `most`. */
size_t tmap_machine_ready(const tmap_machine *machine, tmap_event *events, size_t most);
/* The next event of a thread, and of an incomplete operation, if they are possible. */
tmap_event tmap_machine_thread_event(const tmap_machine *machine, int thread);
tmap_event tmap_machine_op_event(const tmap_machine *machine, uint32_t op);
/* Whether a thread has executed all its steps, but steps are missing. */
bool tmap_machine_is_cut(const tmap_machine *machine);
/* Whether a thread has not started, or waits for the end of other threads. */
bool tmap_machine_is_held(const tmap_machine *machine, int thread);
/* Whether the next step of a thread may happen now. */
bool tmap_machine_can_step(const tmap_machine *machine, int thread);
/* The first step, at or after step `from`, with an operation that has begun and is not complete; UINT32_MAX: none. */
uint32_t tmap_machine_unfinished(const tmap_machine *machine, uint32_t from);
void tmap_machine_run(tmap_machine *machine, tmap_event *event);
/* Whether the next event of an incomplete operation is the end of its reads. */
bool tmap_machine_is_reading(const tmap_machine *machine, uint32_t op);
/* A tcgen05.commit, or a cp.async.mbarrier.arrive, arrives when the earlier operations of its thread are complete. */
bool tmap_machine_commit_complete(const tmap_machine *machine, uint32_t commit);
/* The number of groups that the thread of a step has made of the kind of the step. */
uint32_t *tmap_machine_groups(const tmap_machine *machine, const tmap_step *step);
/* The number of arrivals of a step, or of its completion. */
uint32_t tmap_step_arrivals(const tmap_step *step);
/* Whether a step is a copy that completes bytes at a barrier. */
bool tmap_step_delivers(const tmap_step *step);
/* The bytes that issued copies have not yet completed at the barrier of a step. */
int64_t tmap_machine_undelivered(const tmap_machine *machine, const tmap_step *step);
bool tmap_step_allocates(const tmap_step *step);
/* Whether an operation of the thread is one of the operations that a WAIT_GROUP waits for. */
bool tmap_machine_waits_for(const tmap_machine *machine, const tmap_step *wait, uint32_t op);

/* The wait of step `number` may depend on a step at which another thread waits. Returns the number of that step.
 * Returns `number` if no such step exists. Of two steps that depend on each other, only a first wait with parity 0 at a
 * barrier without copies is a cause. */
uint32_t tmap_hang_cause(const tmap_machine *machine, uint32_t number);
/* Writes the message and the fix of a step that waits forever: in every run, and in a run with a slow thread. */
void tmap_say_hang(tmap_diag *diag, const tmap_machine *machine, uint32_t number, uint32_t cause);
void tmap_say_slow(tmap_diag *diag, const tmap_machine *machine, uint32_t number);
