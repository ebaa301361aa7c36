/*
 * Floating-point sums in integers: exact, rounded to nearest even, whatever the mode of the machine's own unit is.
 */
#pragma once

#include <stdint.h>

/* Of an IEEE 754 interchange format: bits of its exponent and of its fraction. */
typedef struct tmap_float_format {
    unsigned exponent, fraction;
} tmap_float_format;

#define TMAP_FORMAT_F16  ((tmap_float_format){5, 10})
#define TMAP_FORMAT_BF16 ((tmap_float_format){8, 7})
#define TMAP_FORMAT_F32  ((tmap_float_format){8, 23})
#define TMAP_FORMAT_F64  ((tmap_float_format){11, 52})

/* a + b, all as bits. Any NaN becomes the one with no sign and all ones. */
uint64_t tmap_float_add(tmap_float_format format, uint64_t a, uint64_t b);
/* A subnormal becomes zero of its sign. */
uint64_t tmap_float_flush(tmap_float_format format, uint64_t bits);
