/* quantities: the numbers of a map and a copy, and what the comparisons of comparisons.h do with them. */
#pragma once

#include "params/allocation.h"
#include "params/derive.h"
#include "params/fields.h"
#include "rule/trial.h"

typedef tmap_i128 quantity;

static inline quantity constant(const tmap_trial *trial, tmap_i128 value) {
    (void)trial;
    return value;
}

static inline quantity dim_of(const tmap_trial *trial, int dim) {
    return trial->map->dims_el[dim];
}

/* The stride of a dimension from 1 on. */
static inline quantity stride_of(const tmap_trial *trial, int dim) {
    return trial->map->strides_B[dim - 1];
}

static inline quantity box_of(const tmap_trial *trial, int dim) {
    return trial->map->box_el[dim];
}

static inline quantity address_of(const tmap_trial *trial) {
    return trial->map->has_address ? trial->map->address : 0;
}

static inline quantity at_of(const tmap_trial *trial, int dim) {
    return trial->copy->at[dim];
}

static inline quantity column_of(const tmap_trial *trial) {
    return trial->copy->column;
}

static inline quantity rows_of(const tmap_trial *trial, int row) {
    return trial->copy->rows[row];
}

/* The bytes of a row of dimension 0. */
static inline quantity row_B_of(const tmap_trial *trial) {
    return tmap_trial_row_B(trial);
}

static inline quantity span_of(const tmap_trial *trial) {
    return trial->derived.span_B;
}

/* Whether the stride is a multiple of the row because of its expression. */
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

static inline quantity rounded_up(quantity of, uint64_t step) {
    return tmap_round_up((uint64_t)of, step);
}

static inline bool at_least(quantity value, tmap_i128 bound) {
    return value >= bound;
}

static inline bool is_multiple(quantity value, int64_t of) {
    return of <= 1 || (uint64_t)(value < 0 ? -value : value) % (uint64_t)of == 0;
}

/* The comparisons after this call matter only if the last one before it is false. */
static inline void unless_reached(const tmap_trial *trial) {
    (void)trial;
}
