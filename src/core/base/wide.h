/* Arithmetic that does not wrap: 128-bit integers, and 64-bit integers that saturate. */
#pragma once

#include <stdint.h>

__extension__ typedef unsigned __int128 tmap_u128;
__extension__ typedef __int128 tmap_i128;

#ifndef TMAP_HIGH /* tests/proofs/eva.h, which has no 128-bit integers, defines its own TMAP_HIGH */
#define TMAP_HIGH(x) ((uint64_t)((x) >> 64))
#endif

static inline uint64_t tmap_u64_saturate(tmap_u128 x) {
    return x > UINT64_MAX ? UINT64_MAX : (uint64_t)x;
}

static inline uint64_t tmap_mul_saturate(uint64_t a, uint64_t b) {
    return tmap_u64_saturate((tmap_u128)a * b);
}

static inline uint64_t tmap_add_saturate(uint64_t a, uint64_t b) {
    return tmap_u64_saturate((tmap_u128)a + b);
}

/* `value` modulo `step`, from 0 to step - 1, also for a negative `value`. */
static inline int64_t tmap_past_multiple(tmap_i128 value, int64_t step) {
    int64_t past = (int64_t)(value % step);
    return past < 0 ? past + step : past;
}

/* Returns 0 for a divisor of 0, because numbers are also derived from parameters that no rule has checked. */
static inline uint64_t tmap_ceil_div(uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a / b + (a % b != 0);
}

static inline uint64_t tmap_round_up(uint64_t x, uint64_t step) {
    return tmap_mul_saturate(tmap_ceil_div(x, step), step);
}

/* The greatest common divisor. The divisor of 0 and b is b. */
static inline uint64_t tmap_gcd(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The number of values from, from + step, ... that are below `end`: ceil((end - from) / step), from 0 to `most`. */
static inline uint64_t tmap_steps_below(int64_t end, int64_t from, int64_t step, uint64_t most) {
    uint64_t way = end > from ? (uint64_t)end - (uint64_t)from : 0;
    uint64_t n = step == 1 ? way : tmap_ceil_div(way, (uint64_t)step);
    return n < most ? n : most;
}
