/*
 * Floating-point sums in integer arithmetic: exact, then rounded to nearest even. The result does not depend on the
 * mode of the machine's float unit.
 */
#pragma once

#include <stdint.h>

/* An IEEE 754 interchange format: bits of its exponent and of its fraction. */
typedef struct tmap_float_format {
    unsigned exponent, fraction;
} tmap_float_format;

#define TMAP_FORMAT_F16  ((tmap_float_format){5, 10})
#define TMAP_FORMAT_BF16 ((tmap_float_format){8, 7})
#define TMAP_FORMAT_F32  ((tmap_float_format){8, 23})
#define TMAP_FORMAT_F64  ((tmap_float_format){11, 52})

/* a + b, all as bits. Every NaN becomes the canonical NaN. */
uint64_t tmap_float_add(tmap_float_format format, uint64_t a, uint64_t b);
/* A subnormal number becomes zero with its sign. */
uint64_t tmap_float_flush(tmap_float_format format, uint64_t bits);
