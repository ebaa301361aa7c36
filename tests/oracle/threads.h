/*
 * Oracle: all executions of a small kernel of a few threads that share buffers and mbarriers. Written from PTX ISA 9.1
 * (mbarrier; cp.async.bulk; Memory Consistency Model: causality order, proxies) and shares no code with src/. Every
 * interleaving of the threads and of the pieces in which loads complete is executed; a state is visited once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    ORACLE_THREADS = 3,
    ORACLE_BARRIERS = 3,
    ORACLE_BUFFERS = 3,
    ORACLE_ACTIONS = 24, /* of a thread */
    ORACLE_COPIES = 8,   /* with the late arrivals */
    ORACLE_FENCES = 8,
};

typedef enum oracle_action_kind {
    ORACLE_READ,
    ORACLE_WRITE,
    ORACLE_LOAD,        /* cp.async.bulk to `buffer`; completes `pieces` pieces of bytes at `barrier` */
    ORACLE_STORE,       /* cp.async.bulk from `buffer` to memory that no other action accesses */
    ORACLE_COMMIT,      /* cp.async.bulk.commit_group */
    ORACLE_WAIT_GROUP,  /* cp.async.bulk.wait_group `pending`; .read if `reads` */
    ORACLE_SYNC,        /* bar.sync of all threads */
    ORACLE_FENCE,       /* fence.proxy.async */
    ORACLE_LATE_ARRIVE, /* tcgen05.commit without operations: arrives once at `barrier`, at any later time */
    ORACLE_ARRIVE,      /* mbarrier.arrive with `count`, after mbarrier.expect_tx of `pieces` pieces */
    ORACLE_WAIT,        /* mbarrier.try_wait.parity until it returns true */
} oracle_action_kind;

typedef struct oracle_action {
    oracle_action_kind kind;
    int buffer, barrier;
    int count, pieces, pending;
    unsigned parity;
    bool reads;
} oracle_action;

/* All barriers are initialised, and visible to all threads, before the first action. */
typedef struct oracle_kernel {
    int threads_n, barriers_n;
    int expected[ORACLE_BARRIERS]; /* arrivals of a phase */
    oracle_action actions[ORACLE_THREADS][ORACLE_ACTIONS];
    int actions_n[ORACLE_THREADS];
} oracle_kernel;

/* Whether some execution has the fault. An execution ends at an arrival too many, because its effect is undefined. */
typedef struct oracle_faults {
    bool race;         /* two conflicting accesses without a causality order */
    bool unfenced;     /* a generic access ordered before an asynchronous one, without a proxy fence between them */
    bool over_arrival; /* an arrival at a phase with too few pending arrivals */
    bool hang;         /* a thread never ends */
    uint64_t states_n;
    bool all; /* false: more states than the oracle has memory for */
} oracle_faults;

oracle_faults oracle_execute(const oracle_kernel *kernel);
