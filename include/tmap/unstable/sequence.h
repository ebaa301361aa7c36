/*
 * sequence: what the threads of a kernel do with memory, step by step: accesses, copies, fences, barriers and waits. A
 * sequence is judged by the memory consistency model of PTX: which pair of accesses has no order, which pair of proxies
 * lacks a fence, which barrier never completes, which bytes a barrier waits for in vain.
 *
 * A step happens before another one by program order, by a barrier (arrivals happen before what follows the wait), and
 * by a completion that a thread waits for. Two accesses of the same bytes, one of which writes, need such an order; two
 * accesses by different proxies also need a proxy fence on the way.
 * Source: PTX ISA 9.1, Memory Consistency Model, Async proxy, mbarrier, cp.async.bulk.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_SEQUENCE_H
#define TMAP_SEQUENCE_H

#include "tmap/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_SEQUENCE_STEPS_MAX   4096 /* of all threads together */
#define TMAP_SEQUENCE_THREADS_MAX 64
#define TMAP_SEQUENCE_REGIONS_MAX 4096

typedef enum tmap_step_kind {
    TMAP_STEP_ACCESS = 0,     /* reads and writes through the generic proxy: ld, st, ldmatrix, tensormap.replace */
    TMAP_STEP_ASYNC = 1,      /* an operation of the async proxy: a copy, a wgmma, a tcgen05.mma */
    TMAP_STEP_COMMIT = 2,     /* the thread's operations so far become a group; of tcgen05 they arrive at barriers */
    TMAP_STEP_WAIT_GROUP = 3, /* until at most `pending` groups of the thread are incomplete */
    TMAP_STEP_INIT = 4,       /* mbarrier.init with `count` arrivals a phase */
    TMAP_STEP_ARRIVE = 5, /* mbarrier.arrive, `count` times, after mbarrier.expect_tx of `tx_B` where that is not 0 */
    TMAP_STEP_WAIT = 6,   /* mbarrier.try_wait.parity until the phase of `parity` is complete */
    TMAP_STEP_FENCE = 7,
    TMAP_STEP_SYNC = 8, /* bar.sync, barrier.cluster: until all threads of `threads` are there */
} tmap_step_kind;

typedef enum tmap_step_fence {
    TMAP_FENCE_PROXY_ASYNC = 0,       /* fence.proxy.async */
    TMAP_FENCE_MBARRIER_INIT = 1,     /* fence.mbarrier_init.release.cluster */
    TMAP_FENCE_TENSORMAP_RELEASE = 2, /* fence.proxy.tensormap::generic.release, and that of cp_fenceproxy */
    TMAP_FENCE_TENSORMAP_ACQUIRE = 3, /* fence.proxy.tensormap::generic.acquire of one map, the step's `map` */
} tmap_step_fence;

/* How an operation of the async proxy is known to be complete. */
typedef enum tmap_completion {
    TMAP_COMPLETES_TX = 0,      /* complete_tx at an mbarrier: copies to shared memory */
    TMAP_COMPLETES_BULK = 1,    /* a bulk group of the thread: copies from shared memory */
    TMAP_COMPLETES_WGMMA = 2,   /* a wgmma group of the thread */
    TMAP_COMPLETES_TCGEN05 = 3, /* tcgen05.commit, which arrives at an mbarrier */
} tmap_completion;

/* The bytes [begin_B, end_B) of a memory. */
typedef struct tmap_piece {
    uint64_t begin_B, end_B;
} tmap_piece;

/*
 * Bytes of one memory, which is a number of the caller's: shared memory of a thread block, a tensor, a map, a barrier.
 * Memories have no bytes in common. Pieces rise and are disjoint.
 */
typedef struct tmap_region {
    const char *name; /* for findings: "a[2]" */
    int memory;
    const tmap_piece *pieces;
    size_t pieces_n;
    bool of_block; /* shared memory, which is gone when the thread block ends */
} tmap_region;

typedef struct tmap_step {
    tmap_step_kind kind;
    int thread;       /* from 0 */
    const char *text; /* for findings: "copy load_a (k = 1)" */
    tmap_mark mark;
    int reads[4], writes[4]; /* numbers of regions, reads_n and writes_n of them */
    int reads_n, writes_n;
    bool atomic;               /* what it writes it adds to, as reductions do: two of them need no order */
    int map;                   /* the region of the map that a copy uses or an acquire fence names; -1: none */
    tmap_completion completes; /* of ASYNC, COMMIT and WAIT_GROUP */
    int barrier;               /* of ASYNC, COMMIT, INIT, ARRIVE and WAIT: its region; -1: none */
    uint32_t count;            /* of INIT and ARRIVE */
    uint32_t pending;          /* of WAIT_GROUP */
    bool reads_only;           /* of WAIT_GROUP: .read */
    uint64_t tx_B;             /* of ARRIVE: expected; of ASYNC: what the copy completes */
    unsigned parity;           /* of WAIT: 0 or 1 */
    tmap_step_fence fence;
    uint64_t threads; /* of SYNC: a bit each */
} tmap_step;

/* Everything is borrowed. The steps of a thread are in its order; those of different threads may be mixed. */
typedef struct tmap_sequence {
    const char *const *threads; /* names */
    int threads_n;
    const tmap_region *regions;
    size_t regions_n;
    const tmap_step *steps;
    size_t steps_n;
} tmap_sequence;

typedef struct tmap_sequence_result {
    uint64_t pairs_n;   /* of accesses that have bytes in common and were judged */
    uint64_t states_n;  /* of the model, that were visited; 0: no pair without order, so that there is one result */
    bool all_states;    /* false: the bound on states was reached first */
    uint64_t results_n; /* different contents that some step may read, beyond the first */
} tmap_sequence_result;

/*
 * Judges a sequence: findings go to `diags`, each with the step's place, its text and, as a note, the other step.
 * TMAP_REFUSED where there is an error; TMAP_BAD_ARGUMENT for numbers that name nothing or exceed the limits;
 * TMAP_NO_MEMORY (NULL: the C library's allocator). `judge` as in tmap_check_map.
 */
TMAP_API tmap_status tmap_sequence_check(const tmap_sequence *sequence, const tmap_judge *judge,
                                         const tmap_allocator *allocator, tmap_diags *diags,
                                         tmap_sequence_result *result) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
