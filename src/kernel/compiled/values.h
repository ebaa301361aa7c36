/*
 * compiled: the values of registers, without an execution. A value is an address that the text names, plus an offset
 * whose low bits are known: the stage k of a buffer of 3 x 16 KiB is `smem + 0`, with 14 bits known. All writes of
 * a register are joined, so a value holds wherever the register is read.
 */
#pragma once

#include "compiled/ptx.h"

typedef enum ptx_base {
    PTX_BASE_NONE,      /* a number */
    PTX_BASE_VARIABLE,  /* the address of variable `index` */
    PTX_BASE_PARAMETER, /* the address of parameter `index` */
    PTX_BASE_CONTENT,   /* the pointer that parameter `index` holds at byte `at` */
} ptx_base;

/* The lowest n bits; all 64 for a larger n. */
static inline uint64_t ptx_low_bits(unsigned n) {
    return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

/*
 * base + offset. The low `known` bits of the offset are those of `offset`. If all 64 are known, `varies` is -1;
 * otherwise the offset is what register `varies` adds, plus `delta`: two values with equal base, `varies` and delta are
 * equal at the same time.
 */
typedef struct ptx_value {
    uint8_t base;
    bool defined; /* false: no write was seen yet */
    uint8_t known;
    int32_t index;
    uint32_t at;
    uint64_t offset;
    int32_t varies;
    uint64_t delta;
} ptx_value;

/* The values of all registers of the program, indexed as registers. */
typedef struct ptx_values {
    const ptx_program *program;
    ptx_value *of;
    uint8_t *writes; /* of each register: 0, 1, or 2 for more */
} ptx_values;

/* Returns false if there is no memory. Call ptx_values_free in every case. */
bool ptx_values_compute(const ptx_program *program, ptx_values *values);
void ptx_values_free(ptx_values *values);

/* The value of a register, number, variable or parameter, or the address in brackets. NULL: defined is false. */
ptx_value ptx_value_of(const ptx_values *values, const ptx_operand *operand);

static inline ptx_value ptx_number(uint64_t value) {
    return (ptx_value){.defined = true, .known = 64, .index = -1, .offset = value, .varies = -1, .delta = value};
}
static inline bool ptx_value_exact(const ptx_value *value) {
    return value->defined && value->varies < 0;
}
static inline bool ptx_value_is_number(const ptx_value *value) {
    return ptx_value_exact(value) && value->base == PTX_BASE_NONE;
}
bool ptx_value_same_base(const ptx_value *a, const ptx_value *b);
/* Whether two values are equal whenever both are read in the same round of a loop. */
bool ptx_value_equal(const ptx_value *a, const ptx_value *b);
