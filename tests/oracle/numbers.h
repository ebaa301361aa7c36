/*
 * The arithmetic of reductions for the oracle: floats of 32 bits and less are computed in double and rounded once more,
 * integers as whole numbers modulo 2^bits.
 */
#ifndef TMAP_TESTS_ORACLE_NUMBERS_H
#define TMAP_TESTS_ORACLE_NUMBERS_H

#include <stdint.h>

/* The number format of an element. */
typedef enum oracle_number {
    ORACLE_UNSIGNED,
    ORACLE_SIGNED,
    ORACLE_HALF,       /* 1, 5, 10 bits */
    ORACLE_BRAIN,      /* 1, 8, 7 */
    ORACLE_SINGLE,     /* 1, 8, 23 */
    ORACLE_SINGLE_FTZ, /* the same, with subnormals as zero */
    ORACLE_DOUBLE,     /* 1, 11, 52 */
} oracle_number;

typedef enum oracle_reduction {
    ORACLE_ADD,
    ORACLE_MIN,
    ORACLE_MAX,
    ORACLE_INC,
    ORACLE_DEC,
    ORACLE_AND,
    ORACLE_OR,
    ORACLE_XOR,
} oracle_reduction;

/* Returns the element after the reduction; `old`, `operand` and the result have `bits` bits. */
uint64_t oracle_reduce(oracle_reduction reduction, oracle_number number, uint32_t bits, uint64_t old, uint64_t operand);

#endif
