/* quantities: the numbers of a map and a copy, and what the comparisons of comparisons.h do with them. */
#pragma once

#include "params/allocation.h"
#include "params/derive.h"
#include "rule/trial.h"

typedef tmap_i128 quantity;

static inline quantity constant(const tmap_trial *trial, tmap_i128 value) {
    (void)trial;
    return value;
}

/* Number `entry` of a field that may be an expression. */
static inline quantity quantity_of(const tmap_trial *trial, tmap_field field, int entry) {
    if (field == TMAP_FIELD_DIMS) return trial->map->dims_el[entry];
    if (field == TMAP_FIELD_STRIDES) return trial->map->strides_B[entry];
    if (field == TMAP_FIELD_BOX) return trial->map->box_el[entry];
    if (field == TMAP_FIELD_ADDRESS) return trial->map->address;
    if (field == TMAP_FIELD_AT) return trial->copy->at[entry];
    return field == TMAP_FIELD_ROWS ? trial->copy->rows[entry] : trial->copy->column;
}

static inline quantity span_of(const tmap_trial *trial) {
    return trial->derived.span_B;
}

/* Whether the expression of the stride is a multiple of the row; numbers are compared instead. */
static inline bool is_dense_stride(const tmap_trial *trial) {
    (void)trial;
    return false;
}

static inline quantity sum(quantity a, quantity b) {
    return a + b;
}

static inline quantity difference(quantity a, quantity b) {
    return a - b;
}

static inline quantity scaled(int64_t factor, quantity of) {
    return factor * of;
}

/* The quotient, rounded down. */
static inline quantity divided(quantity of, int64_t divisor) {
    return of / divisor - (of % divisor < 0);
}

static inline quantity rounded_up(quantity of, uint64_t step) {
    return tmap_round_up((uint64_t)of, step);
}

static inline bool at_least(quantity value, tmap_i128 bound) {
    return value >= bound;
}

static inline bool is_multiple(quantity value, int64_t of) {
    return of <= 1 || (uint64_t)(value < 0 ? -value : value) % (uint64_t)of == 0;
}

/* Later comparisons count only if the last one is true (if_reached) or false (unless_reached). cuts.c records this. */
static inline void if_reached(const tmap_trial *trial) {
    (void)trial;
}

static inline void unless_reached(const tmap_trial *trial) {
    (void)trial;
}
