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
    oracle_reduction reduction; /* the last three: of reductions */
    oracle_number number;
    uint32_t bits;
    uint64_t there;  /* address in global memory, or in the shared memory of another CTA */
    uint64_t shared; /* address in the CTA's shared memory */
    uint64_t size;
    uint64_t ignore_left, ignore_right; /* .ignore_oob: bytes without a certain value, which are left alone here */
    uint32_t byte_mask;                 /* .cp_mask; 0: there is none */
    bool remote;                        /* to .shared::cluster */
} oracle_linear;

/* As oracle_error. */
int oracle_linear_error(const oracle_linear *copy);

/* Whether the barrier of another CTA never completes, as an H100 was seen to do: tile-ai/tilelang issue 2506. */
bool oracle_linear_hangs(const oracle_linear *copy);

/* As oracle_run; addresses of `there` are those of copy->there. */
oracle_result oracle_linear_run(const oracle_linear *copy, oracle_memory there, oracle_memory shared);

#endif
