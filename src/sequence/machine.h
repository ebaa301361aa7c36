/*
 * sequence: the machine that executes the steps of a sequence: where each thread is, the phases of barriers, groups,
 * and how far the operations of the async proxy are. A caller chooses what happens next; all that may happen next is
 * said by tmap_machine_ready.
 */
#pragma once

#include "base/arena.h"
#include "tmap/unstable/sequence.h"

enum { GROUP_KINDS = 3 }; /* bulk, wgmma, tcgen05 */

/* What never changes while a sequence runs. */
typedef struct tmap_program {
    const tmap_sequence *sequence;
    const tmap_step *steps;
    uint32_t *order; /* the steps by thread */
    uint32_t *begin; /* threads_n + 1 places in `order` */
    int *barrier_of; /* by region: number of the barrier, -1 for none */
    int *region_of;  /* by barrier */
    int barriers_n;
    uint8_t *overlap; /* regions_n x regions_n: enum tmap_overlap of the second by the first */
} tmap_program;

enum tmap_overlap { APART, PARTLY, COVERED };

typedef struct tmap_barrier_state {
    bool ready;
    uint32_t count;  /* arrivals a phase */
    uint32_t phases; /* complete ones */
    int64_t pending; /* arrivals that the phase lacks */
    int64_t tx_B;    /* expected and not complete; below 0: complete and not expected */
} tmap_barrier_state;

enum tmap_op_state { OP_NONE, OP_ISSUED, OP_READ, OP_DONE };

/* All of a state is in one block of `size` bytes, so that it can be copied and compared. */
typedef struct tmap_machine {
    const tmap_program *program;
    size_t size;
    tmap_barrier_state *barriers;
    uint32_t *next;   /* by thread: place in `order` */
    uint32_t *groups; /* by step: number of the group from 1 on; 0: none yet */
    uint32_t *made;   /* by thread and kind: groups so far */
    uint8_t *ops;     /* by step: enum tmap_op_state */
} tmap_machine;

typedef enum tmap_event_kind {
    EVENT_STEP, /* the next step of a thread */
    EVENT_SYNC, /* of all threads of a barrier at once */
    EVENT_READ, /* a copy from shared memory has read it */
    EVENT_DONE, /* an operation is complete */
} tmap_event_kind;

typedef struct tmap_event {
    tmap_event_kind kind;
    uint32_t step;
    int phase_of; /* filled in by tmap_machine_run: the barrier whose phase became complete; -1: none */
} tmap_event;

/* Sorts steps and regions; false when there is no memory. */
bool tmap_program_make(tmap_program *program, const tmap_sequence *sequence, tmap_arena *arena);
enum tmap_overlap tmap_program_overlap(const tmap_program *program, int first, int second);

bool tmap_machine_make(tmap_machine *machine, const tmap_program *program, tmap_arena *arena);
void tmap_machine_start(tmap_machine *machine);
/* The step at which a thread is; UINT32_MAX at its end. */
uint32_t tmap_machine_at(const tmap_machine *machine, int thread);
/* The threads' events first, in order of threads. Answers how many of at most `most`. */
size_t tmap_machine_ready(const tmap_machine *machine, tmap_event *events, size_t most);
/* Whether one may happen now. */
bool tmap_machine_can_step(const tmap_machine *machine, int thread);
bool tmap_machine_can_end(const tmap_machine *machine, uint32_t step);
void tmap_machine_run(tmap_machine *machine, tmap_event *event);
/* Whether an operation of the thread is one of those that a WAIT_GROUP waits for. */
bool tmap_machine_waits_for(const tmap_machine *machine, const tmap_step *wait, uint32_t op);
