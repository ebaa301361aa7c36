/*
 * Floating-point sums in integers: exact, rounded to nearest even, whatever the mode of the machine's own unit is.
 */
#ifndef TMAP_EMU_FLOAT_H
#define TMAP_EMU_FLOAT_H

#include <stdint.h>

/* Of an IEEE 754 interchange format: bits of its exponent and of its fraction. */
typedef struct tmap_float_format {
    unsigned exponent, fraction;
} tmap_float_format;

#define TMAP_FORMAT_F16  ((tmap_float_format){5, 10})
#define TMAP_FORMAT_BF16 ((tmap_float_format){8, 7})
#define TMAP_FORMAT_F32  ((tmap_float_format){8, 23})

/* a + b, all as bits. Any NaN becomes the one with no sign and all ones. */
uint32_t tmap_float_add(tmap_float_format format, uint32_t a, uint32_t b);
/* A subnormal becomes zero of its sign. */
uint32_t tmap_float_flush(tmap_float_format format, uint32_t bits);
/* As numbers, -0 below +0; a NaN gives way to a number, two of them give the NaN above. */
uint32_t tmap_float_min(tmap_float_format format, uint32_t a, uint32_t b);
uint32_t tmap_float_max(tmap_float_format format, uint32_t a, uint32_t b);

#endif
