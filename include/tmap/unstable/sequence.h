/*
 * sequence: checks the memory accesses of a kernel's threads, step by step: accesses, copies, fences, barriers and
 * waits. A check by the memory consistency model of PTX finds pairs of accesses without an order, pairs of proxies
 * without a fence, barriers that never complete, and bytes that a barrier expects but that never arrive.
 *
 * A step happens before another one by program order, by a barrier (arrivals happen before the steps after the wait),
 * and by a completion for which a thread waits. Two accesses of the same bytes, one of which writes, need such an
 * order; two accesses by different proxies also need a proxy fence between them. The threads are in the thread blocks
 * of one cluster, or of several kernels and the host: a launch and the end of a kernel order their threads, for all
 * proxies. A release or an acquire orders the threads that its scope contains.
 *
 * Source: PTX ISA 9.1, Memory Consistency Model, Async proxy, mbarrier, cp.async.bulk, barrier.cluster, griddepcontrol.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
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
#define TMAP_SEQUENCE_READS_MAX   8  /* regions that a step reads */
#define TMAP_SEQUENCE_BLOCKS_MAX  64 /* thread blocks of all kernels; a cluster has at most 16 */

/* The kind of a step. */
typedef enum tmap_step_kind {
    TMAP_STEP_ACCESS = 0, /* reads and writes through the generic proxy: ld, st, ldmatrix, tensormap.replace */
    TMAP_STEP_ASYNC = 1,  /* an asynchronous operation: a copy, wgmma, tcgen05.mma, cp, ld or st */
    TMAP_STEP_COMMIT =
        2, /* the thread's operations so far become a group; tcgen05: their completion arrives at barriers */
    TMAP_STEP_WAIT_GROUP = 3, /* waits until at most `pending` groups of the thread are incomplete */
    TMAP_STEP_INIT = 4,       /* mbarrier.init with `count` arrivals for each phase */
    TMAP_STEP_ARRIVE = 5,     /* mbarrier.arrive, `count` times, after mbarrier.expect_tx of `tx_B` if tx_B is not 0 */
    TMAP_STEP_WAIT = 6,       /* mbarrier.try_wait.parity until the phase of `parity` is complete */
    TMAP_STEP_FENCE = 7,
    TMAP_STEP_SYNC = 8,     /* bar.sync, barrier.cluster: waits until all threads of `threads` arrive */
    TMAP_STEP_ALLOC = 9,    /* tcgen05.alloc of the region writes[0] */
    TMAP_STEP_DEALLOC = 10, /* tcgen05.dealloc of the region writes[0] */
    TMAP_STEP_INVAL = 11,   /* mbarrier.inval, after which the barrier requires a new init */
    TMAP_STEP_LAUNCH = 12,  /* starts `threads`, after the end of the threads `after`: a launch by the host */
    TMAP_STEP_JOIN = 13,    /* waits for the end of `threads`: griddepcontrol.wait, or the host's wait for a stream */
} tmap_step_kind;

typedef enum tmap_step_fence {
    TMAP_FENCE_PROXY_ASYNC = 0,       /* fence.proxy.async */
    TMAP_FENCE_MBARRIER_INIT = 1,     /* fence.mbarrier_init.release.cluster */
    TMAP_FENCE_TENSORMAP_RELEASE = 2, /* fence.proxy.tensormap::generic.release, also as part of cp_fenceproxy */
    TMAP_FENCE_TENSORMAP_ACQUIRE = 3, /* fence.proxy.tensormap::generic.acquire of one map, the step's `map` */
    TMAP_FENCE_ACQ_REL = 4,           /* fence.acq_rel, which relaxed arrivals, waits and barrier.cluster require */
    TMAP_FENCE_TCGEN05_BEFORE = 5,    /* tcgen05.fence::before_thread_sync */
    TMAP_FENCE_TCGEN05_AFTER = 6,     /* tcgen05.fence::after_thread_sync */
} tmap_step_fence;

/* The threads that a release or an acquire orders. */
typedef enum tmap_step_reach {
    TMAP_REACHES_ENOUGH = 0, /* not stated: every thread that the step must reach */
    TMAP_REACHES_CTA = 1,    /* the threads of the same thread block */
    TMAP_REACHES_CLUSTER = 2,
    TMAP_REACHES_GPU = 3,
    TMAP_REACHES_SYS = 4,
} tmap_step_reach;

/* The mechanism that reports the completion of an operation of the async proxy. */
typedef enum tmap_completion {
    TMAP_COMPLETES_TX = 0,         /* complete_tx at an mbarrier: copies to shared memory */
    TMAP_COMPLETES_BULK = 1,       /* a bulk group of the thread: copies from shared memory */
    TMAP_COMPLETES_WGMMA = 2,      /* a wgmma group of the thread */
    TMAP_COMPLETES_TCGEN05 = 3,    /* tcgen05.commit, which arrives at an mbarrier */
    TMAP_COMPLETES_TCGEN05_LD = 4, /* tcgen05.wait::ld of the thread: each operation is a group */
    TMAP_COMPLETES_TCGEN05_ST = 5, /* tcgen05.wait::st of the thread: each operation is a group */
    TMAP_COMPLETES_CP_ASYNC = 6,   /* cp.async: a group of the thread, or cp.async.mbarrier.arrive at an mbarrier */
} tmap_completion;

/* The bytes [begin_B, end_B) of a memory. */
typedef struct tmap_piece {
    uint64_t begin_B, end_B;
} tmap_piece;

/*
 * Bytes of one memory. The caller numbers the memories: shared memory of a thread block, a tensor, a map, a barrier.
 * Memories have no bytes in common. Pieces are in rising order and disjoint.
 */
typedef struct tmap_region {
    const char *name; /* for findings: "a[2]" */
    int memory;
    const tmap_piece *pieces;
    size_t pieces_n;
    int block;          /* memory of this thread block, which exists until the block ends; -1: other memory */
    bool tensor_memory; /* tensor memory of the block; false: shared memory */
} tmap_region;

/* One step of one thread. */
typedef struct tmap_step {
    tmap_step_kind kind;
    int thread;       /* from 0 */
    const char *text; /* for findings: "copy load_a (k = 1)" */
    tmap_mark mark;
    int reads[TMAP_SEQUENCE_READS_MAX], writes[4]; /* indices of regions, reads_n and writes_n of them */
    int reads_n, writes_n;
    bool tensor_copy;          /* of ASYNC that completes by TCGEN05: a tcgen05.cp; false: a tcgen05.mma */
    bool atomic;               /* writes are atomic, as for reductions: two such steps need no order */
    int map;                   /* the region of the map of a copy or of an acquire fence; -1: none */
    tmap_completion completes; /* of ASYNC, COMMIT and WAIT_GROUP */
    int barrier;               /* of ASYNC, COMMIT, INIT, INVAL, ARRIVE and WAIT: the barrier's region; -1: none */
    uint32_t count;            /* of INIT, ARRIVE and a COMMIT of CP_ASYNC with a barrier */
    uint32_t pending;          /* of WAIT_GROUP */
    bool reads_only;           /* of WAIT_GROUP: .read */
    uint64_t tx_B;             /* of ARRIVE: expected bytes; of ASYNC: bytes that the copy completes */
    unsigned parity;           /* of WAIT: 0 or 1 */
    tmap_step_fence fence;
    tmap_step_reach scope; /* of ARRIVE, WAIT and FENCE */
    bool relaxed;          /* of ARRIVE, WAIT and SYNC: .relaxed, which orders nothing without a fence */
    bool aligned;          /* of SYNC: a .sync.aligned of a warp group, which orders no memory accesses */
    uint64_t threads;      /* of SYNC, LAUNCH and JOIN: bit i is thread i */
    uint64_t after;        /* of LAUNCH */
} tmap_step;

typedef struct tmap_sequence_thread {
    const char *name;
    int block;  /* number of the thread's block: the rank in its cluster, plus the blocks of earlier kernels */
    int kernel; /* the kernels in the order of their launches, from 0; -1: the host */
    /* A part of a loop, from step `loop_begin` of the thread to `loop_end`, which repeats after `period` steps (0:
     * none) and has `missing` more periods than are written. */
    uint32_t loop_begin, loop_end, period, missing;
    bool is_cut; /* the last steps are missing, and later steps are not judged */
} tmap_sequence_thread;

/*
 * A sequence. All pointers are borrowed. The steps of one thread are in program order; steps of different threads may
 * be mixed.
 */
typedef struct tmap_sequence {
    const tmap_sequence_thread *threads;
    int threads_n;
    const tmap_region *regions;
    size_t regions_n;
    const tmap_step *steps;
    size_t steps_n;
    /* Optional, for notes: writes the contents of a region after step `writer` - 1 (0: before the sequence) as text
     * that follows the step's name, for example " (00010203)". */
    void (*print_bytes)(void *context, uint32_t writer, int region, char *text, size_t size);
    void *context;
} tmap_sequence;

/* Counts of a check. */
typedef struct tmap_sequence_result {
    uint64_t pairs_n; /* checked pairs of accesses with common bytes */
    /* States of the model that were visited; 0: every pair has an order, so only one result is possible. */
    uint64_t visited_states_n;
    bool all_states;    /* false: the bound on states was reached first */
    uint64_t results_n; /* sum over all reads: different contents that the read may return, less one */
    bool repeats;       /* the periods of loops that are not written have no other findings */
} tmap_sequence_result;

/*
 * Checks a sequence. Findings are added to `diags`; each has the step's position, its text and, as a note, the other
 * step. Returns TMAP_REFUSED if a finding is an error; TMAP_BAD_ARGUMENT for indices that do not exist or numbers that
 * exceed the limits; TMAP_NO_MEMORY (`allocator` NULL: the C library's allocator). `judge` is as in tmap_check_map.
 */
TMAP_API tmap_status tmap_sequence_check(const tmap_sequence *sequence, const tmap_judge *judge,
                                         const tmap_allocator *allocator, tmap_diags *diags,
                                         tmap_sequence_result *result) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
