/*
 * Copies without a tensor map for the oracle, byte by byte, from the texts of cp.async.bulk, cp.reduce.async.bulk and
 * cp.async.bulk.prefetch alone (PTX ISA 9.4).
 */
#ifndef TMAP_TESTS_ORACLE_LINEAR_H
#define TMAP_TESTS_ORACLE_LINEAR_H

#include "oracle/oracle.h"

typedef enum oracle_direction {
    ORACLE_TO_SHARED,
    ORACLE_FROM_SHARED,
    ORACLE_REDUCE_FROM_SHARED,
    ORACLE_NOWHERE, /* a prefetch */
} oracle_direction;

typedef struct oracle_linear {
    oracle_direction direction;
    oracle_reduction reduction; /* the last three: for reductions */
    oracle_number number;
    uint32_t bits;
    uint64_t there;  /* address in global memory, or in the shared memory of another CTA */
    uint64_t shared; /* address in the CTA's shared memory */
    uint64_t size;
    uint64_t ignore_left,
        ignore_right;   /* .ignore_oob: bytes without a specified value; the oracle does not write them */
    uint32_t byte_mask; /* .cp_mask; 0: no mask */
    bool remote;        /* the destination is .shared::cluster */
} oracle_linear;

/* Like oracle_error. */
int oracle_linear_error(const oracle_linear *copy);

/* Returns whether the barrier of another CTA never completes. Observed on an H100: tile-ai/tilelang issue 2506. */
bool oracle_linear_hangs(const oracle_linear *copy);

/* Like oracle_run; addresses of `there` are those of copy->there. */
oracle_result oracle_linear_run(const oracle_linear *copy, oracle_memory there, oracle_memory shared);

#endif
