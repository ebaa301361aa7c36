/* Sums of small floating-point formats. */
#include "emu/float.h"

#include <stdbool.h>

/*
 * Bits below the lowest of a fraction. An operand that is shifted so far right that it loses bits (33 or more) is below
 * 2^24 of 2^GUARD: what is lost decides nothing, as half of a last place is 2^31, or 2^30 after a subtraction.
 */
#define GUARD 32u

static uint32_t sign_bit(tmap_float_format f) {
    return (uint32_t)1 << (f.exponent + f.fraction);
}

static uint32_t infinity(tmap_float_format f) {
    return sign_bit(f) - ((uint32_t)1 << f.fraction);
}

/* Canonical: what NVIDIA's arithmetic gives, no sign and all ones. */
static uint32_t nan_of(tmap_float_format f) {
    return sign_bit(f) - 1;
}

static uint32_t magnitude(tmap_float_format f, uint32_t bits) {
    return bits & (sign_bit(f) - 1);
}

static bool is_nan(tmap_float_format f, uint32_t bits) {
    return magnitude(f, bits) > infinity(f);
}

/* |x| = significand x 2^(exponent - bias - fraction); subnormals have the exponent of the smallest normal numbers. */
typedef struct parts {
    uint64_t significand;
    unsigned exponent;
} parts;

static parts parts_of(tmap_float_format f, uint32_t bits) {
    uint32_t exponent = magnitude(f, bits) >> f.fraction;
    uint64_t fraction = bits & (((uint32_t)1 << f.fraction) - 1);
    if (exponent == 0) return (parts){fraction, 1};
    return (parts){fraction | (uint64_t)1 << f.fraction, exponent};
}

/*
 * sum x 2^(exponent - bias - fraction - GUARD), not 0, to the nearest number, ties to even. The lowest bit that can be
 * kept is `fraction` below the highest, but not below that of the subnormals, which lies at GUARD for exponent 1.
 * With e the exponent of the kept part, (e - 1) << fraction plus the kept part is the result, as the leading one of a
 * normal number counts the exponent up; so does a carry of the rounding, up to infinity.
 */
static uint32_t round_sum(tmap_float_format f, uint64_t sum, unsigned exponent) {
    unsigned highest = 63u - (unsigned)__builtin_clzll(sum);
    unsigned lowest = highest > f.fraction ? highest - f.fraction : 0;
    if (lowest + exponent < GUARD + 1) lowest = GUARD + 1 - exponent;
    uint64_t kept = sum >> lowest, rest = sum - (kept << lowest), half = lowest ? (uint64_t)1 << (lowest - 1) : 1;
    kept += rest > half || (rest == half && (kept & 1));
    uint64_t bits = ((uint64_t)(exponent + lowest - GUARD - 1) << f.fraction) + kept;
    return bits < infinity(f) ? (uint32_t)bits : infinity(f);
}

/* Finite numbers, |a| >= |b|. */
static uint32_t add_finite(tmap_float_format f, uint32_t a, uint32_t b) {
    parts large = parts_of(f, a), small = parts_of(f, b);
    uint64_t x = large.significand << GUARD;
    unsigned distance = large.exponent - small.exponent;
    uint64_t y = distance < 64 ? small.significand << GUARD >> distance : 0;
    bool same = ((a ^ b) & sign_bit(f)) == 0;
    uint64_t sum = same ? x + y : x - y;
    if (sum == 0) return same ? a & sign_bit(f) : 0;
    return (a & sign_bit(f)) | round_sum(f, sum, large.exponent);
}

uint32_t tmap_float_add(tmap_float_format f, uint32_t a, uint32_t b) {
    if (magnitude(f, a) < magnitude(f, b)) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    if (is_nan(f, a)) return nan_of(f);
    if (magnitude(f, a) < infinity(f)) return add_finite(f, a, b);
    bool opposed = magnitude(f, b) == infinity(f) && a != b;
    return opposed ? nan_of(f) : a;
}

uint32_t tmap_float_flush(tmap_float_format f, uint32_t bits) {
    return magnitude(f, bits) >> f.fraction == 0 ? bits & sign_bit(f) : bits;
}
