/* Sums of floating-point formats. */
#include "emu/float.h"

#include <stdbool.h>

#include "base/wide.h"

/*
 * Bits below the lowest bit of a fraction, whose last place is then 2^GUARD. An operand that is shifted right by 65 or
 * more loses bits, and is below 2^53. The lost bits do not change the rounding: half of a last place is 2^63, or 2^62
 * after a subtraction.
 */
#define GUARD 64u

static uint64_t sign_bit(tmap_float_format f) {
    return (uint64_t)1 << (f.exponent + f.fraction);
}

static uint64_t infinity(tmap_float_format f) {
    return sign_bit(f) - ((uint64_t)1 << f.fraction);
}

/* The canonical NaN of NVIDIA's arithmetic: no sign, all other bits 1. */
static uint64_t nan_of(tmap_float_format f) {
    return sign_bit(f) - 1;
}

static uint64_t magnitude(tmap_float_format f, uint64_t bits) {
    return bits & (sign_bit(f) - 1);
}

static bool is_nan(tmap_float_format f, uint64_t bits) {
    return magnitude(f, bits) > infinity(f);
}

/* |x| = significand x 2^(exponent - bias - fraction); subnormals have the exponent of the smallest normal numbers. */
typedef struct parts {
    uint64_t significand;
    unsigned exponent;
} parts;

static parts parts_of(tmap_float_format f, uint64_t bits) {
    unsigned exponent = (unsigned)(magnitude(f, bits) >> f.fraction);
    uint64_t fraction = bits & (((uint64_t)1 << f.fraction) - 1);
    if (exponent == 0) return (parts){fraction, 1};
    return (parts){fraction | (uint64_t)1 << f.fraction, exponent};
}

/*
 * Rounds sum x 2^(exponent - bias - fraction - GUARD), not 0, to the nearest number, ties to even. The lowest kept bit
 * is `fraction` bits below the highest, but not below the lowest bit of the subnormals, which is at GUARD for
 * exponent 1. With e the exponent of the kept part, the result is ((e - 1) << fraction) + kept part: the leading one of
 * a normal number increments the exponent. A carry of the rounding does the same, up to infinity.
 */
static uint64_t round_sum(tmap_float_format f, tmap_u128 sum, unsigned exponent) {
    uint64_t high = (uint64_t)(sum >> 64);
    unsigned highest = high ? 127u - (unsigned)__builtin_clzll(high) : 63u - (unsigned)__builtin_clzll((uint64_t)sum);
    unsigned lowest = highest > f.fraction ? highest - f.fraction : 0;
    if (lowest + exponent < GUARD + 1) lowest = GUARD + 1 - exponent;
    uint64_t kept = (uint64_t)(sum >> lowest);
    tmap_u128 rest = sum - ((tmap_u128)kept << lowest), half = lowest ? (tmap_u128)1 << (lowest - 1) : 1;
    kept += rest > half || (rest == half && (kept & 1));
    uint64_t bits = ((uint64_t)(exponent + lowest - GUARD - 1) << f.fraction) + kept;
    return bits < infinity(f) ? bits : infinity(f);
}

/* Adds finite numbers with |a| >= |b|. */
static uint64_t add_finite(tmap_float_format f, uint64_t a, uint64_t b) {
    parts large = parts_of(f, a), small = parts_of(f, b);
    tmap_u128 x = (tmap_u128)large.significand << GUARD;
    unsigned distance = large.exponent - small.exponent;
    tmap_u128 y = distance < 128 ? (tmap_u128)small.significand << GUARD >> distance : 0;
    bool same = ((a ^ b) & sign_bit(f)) == 0;
    tmap_u128 sum = same ? x + y : x - y;
    if (sum == 0) return same ? a & sign_bit(f) : 0;
    return (a & sign_bit(f)) | round_sum(f, sum, large.exponent);
}

uint64_t tmap_float_add(tmap_float_format f, uint64_t a, uint64_t b) {
    if (magnitude(f, a) < magnitude(f, b)) {
        uint64_t swap = a;
        a = b;
        b = swap;
    }
    if (is_nan(f, a)) return nan_of(f);
    if (magnitude(f, a) < infinity(f)) return add_finite(f, a, b);
    bool opposed = magnitude(f, b) == infinity(f) && a != b;
    return opposed ? nan_of(f) : a;
}

uint64_t tmap_float_flush(tmap_float_format f, uint64_t bits) {
    return magnitude(f, bits) >> f.fraction == 0 ? bits & sign_bit(f) : bits;
}
