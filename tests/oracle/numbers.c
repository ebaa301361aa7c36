/*
 * Reductions of one element.
 *
 * Floats: a double represents both operands exactly. Their sum in double is rounded to 53 bits. A second rounding to
 * the at most 24 bits of the format gives the same result as rounding the exact sum once: 53 >= 2 x 24 + 2 (S.
 * Figueroa, When is double rounding innocuous?, 1995), and sums that are subnormal in the format are exact.
 */
#include "oracle/numbers.h"

#include <math.h>
#include <stdbool.h>

typedef struct shape {
    int exponent_bits, fraction_bits;
} shape;

static shape shape_of(oracle_number number) {
    if (number == ORACLE_HALF) return (shape){5, 10};
    return number == ORACLE_BRAIN ? (shape){8, 7} : (shape){8, 23};
}

static int bias_of(shape s) {
    return (1 << (s.exponent_bits - 1)) - 1;
}

/* Fields by division, as the formats are printed: sign, exponent, fraction. */
typedef struct fields {
    bool negative;
    int exponent;
    uint64_t fraction;
} fields;

static fields fields_of(shape s, uint64_t bits) {
    uint64_t fractions = (uint64_t)1 << s.fraction_bits, exponents = (uint64_t)1 << s.exponent_bits;
    return (fields){
        .negative = bits / fractions / exponents % 2 == 1,
        .exponent = (int)(bits / fractions % exponents),
        .fraction = bits % fractions,
    };
}

static uint64_t bits_of(shape s, fields f) {
    uint64_t fractions = (uint64_t)1 << s.fraction_bits, exponents = (uint64_t)1 << s.exponent_bits;
    return ((f.negative ? exponents : 0) + (uint64_t)f.exponent) * fractions + f.fraction;
}

static int highest_exponent(shape s) {
    return (1 << s.exponent_bits) - 1;
}

static double value_of(shape s, uint64_t bits) {
    fields f = fields_of(s, bits);
    double value;
    if (f.exponent == highest_exponent(s))
        value = f.fraction == 0 ? INFINITY : NAN;
    else if (f.exponent == 0)
        value = ldexp((double)f.fraction, 1 - bias_of(s) - s.fraction_bits);
    else
        value = ldexp(1.0 + (double)f.fraction / (double)((uint64_t)1 << s.fraction_bits), f.exponent - bias_of(s));
    return f.negative ? -value : value;
}

/* No sign and all ones. */
static uint64_t nan_bits(shape s) {
    return bits_of(s, (fields){false, highest_exponent(s), ((uint64_t)1 << s.fraction_bits) - 1});
}

static uint64_t nearest(shape s, double value) {
    fields f = {.negative = signbit(value) != 0};
    if (isnan(value)) return nan_bits(s);
    int exponent = 0;
    double size = fabs(value);
    (void)frexp(size, &exponent);
    if (exponent - 1 < 1 - bias_of(s) || size == 0) exponent = 2 - bias_of(s);
    /* size = steps x 2^(exponent - 1 - fraction_bits); the machine rounds to nearest even. */
    double steps = isinf(size) ? 0 : nearbyint(ldexp(size, s.fraction_bits + 1 - exponent));
    double ones = ldexp(1.0, s.fraction_bits);
    if (steps == 2 * ones) {
        steps = ones;
        exponent++;
    }
    if (steps >= ones) f.exponent = exponent - 1 + bias_of(s);
    if (isinf(size) || f.exponent >= highest_exponent(s))
        return bits_of(s, (fields){f.negative, highest_exponent(s), 0});
    f.fraction = (uint64_t)(steps >= ones ? steps - ones : steps);
    return bits_of(s, f);
}

static uint64_t without_subnormal(shape s, uint64_t bits) {
    fields f = fields_of(s, bits);
    if (f.exponent == 0) f.fraction = 0;
    return bits_of(s, f);
}

static uint64_t add_floats(oracle_number number, uint64_t a, uint64_t b) {
    shape s = shape_of(number);
    if (number != ORACLE_SINGLE_FTZ) return nearest(s, value_of(s, a) + value_of(s, b));
    double sum = value_of(s, without_subnormal(s, a)) + value_of(s, without_subnormal(s, b));
    return without_subnormal(s, nearest(s, sum));
}

static bool less(double a, double b) {
    if (a == 0 && b == 0) return signbit(a) && !signbit(b);
    return a < b;
}

static uint64_t choose_float(oracle_number number, uint64_t a, uint64_t b, bool smaller) {
    shape s = shape_of(number);
    double x = value_of(s, a), y = value_of(s, b);
    if (isnan(x) && isnan(y)) return nan_bits(s);
    if (isnan(x) || isnan(y)) return isnan(x) ? b : a;
    return less(x, y) == smaller ? a : b;
}

/* Compares the bits as unsigned numbers, so that two's complement requires no implementation-defined cast. */
static bool integer_less(oracle_number number, uint32_t bits, uint64_t a, uint64_t b) {
    uint64_t half = (uint64_t)1 << (bits - 1);
    if (number == ORACLE_SIGNED && (a >= half) != (b >= half)) return a >= half;
    return a < b;
}

static uint64_t wrapped(uint64_t value, uint32_t bits) {
    return bits == 64 ? value : value % ((uint64_t)1 << bits);
}

static uint64_t reduce_integer(oracle_reduction reduction, oracle_number number, uint32_t bits, uint64_t old,
                               uint64_t x) {
    switch (reduction) {
    case ORACLE_ADD: return wrapped(old + x, bits);
    case ORACLE_MIN: return integer_less(number, bits, x, old) ? x : old;
    case ORACLE_MAX: return integer_less(number, bits, old, x) ? x : old;
    case ORACLE_INC: return old >= x ? 0 : old + 1;
    case ORACLE_DEC: return old == 0 || old > x ? x : old - 1;
    case ORACLE_AND: return old & x;
    case ORACLE_OR: return old | x;
    case ORACLE_XOR: return old ^ x;
    }
    return old;
}

/* The machine's sum, rounded to nearest even; any NaN becomes the NaN without sign and with all ones. */
static uint64_t add_doubles(uint64_t a, uint64_t b) {
    union {
        uint64_t bits;
        double value;
    } x = {a}, y = {b}, sum;
    sum.value = x.value + y.value;
    return isnan(sum.value) ? 0x7fffffffffffffff : sum.bits;
}

uint64_t oracle_reduce(oracle_reduction reduction, oracle_number number, uint32_t bits, uint64_t old, uint64_t x) {
    if (number == ORACLE_UNSIGNED || number == ORACLE_SIGNED) return reduce_integer(reduction, number, bits, old, x);
    if (number == ORACLE_DOUBLE) return add_doubles(old, x);
    if (reduction == ORACLE_ADD) return add_floats(number, old, x);
    return choose_float(number, old, x, reduction == ORACLE_MIN);
}
