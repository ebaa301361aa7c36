/*
 * One plane of a walk, for proofs: an element of the plane, the run that contains the element, and the result of
 * tmap_map_locate for the element. A proof that includes this header proves walk.c and locate.c, not its own code.
 */
#ifndef TMAP_TESTS_PROOFS_PLANE_H
#define TMAP_TESTS_PROOFS_PLANE_H

#include "proof.h"
#include "tmap/unstable/walk.h"

/* The sums that wrap on purpose. */
#define MODULO_2_64 __attribute__((no_sanitize("unsigned-integer-overflow")))
typedef struct box_shape box_shape;
MODULO_2_64 static void place_in_tensor(const tmap_copy *copy, tmap_run *run);
MODULO_2_64 static uint64_t global_offset(const box_shape *box, const int64_t *at);

#include "map/locate.c"
#include "walk/walk.c"

/* The code below is not part of the proof. */
#pragma clang attribute push(__attribute__((no_sanitize("all"))), apply_to = function)

enum { PITCH_B = 1024 };

static tmap_copy copy;
static tmap_map *const map = &copy.map;
static uint32_t element[TMAP_RANK_MAX]; /* any element of the plane */
static tmap_place place;
static tmap_walk walk;
static unsigned runs_n; /* number of runs that contain the element */

static uint64_t any_between(uint64_t least, uint64_t most) {
    ANY(uint64_t, value);
    ASSUME((value >= least) & (value <= most));
    return value;
}

/* Proof `bounds`, for one index of the box. */
static void assume_bounds(int dim, uint32_t index) {
    int64_t at = copy.params.at[dim] + (int64_t)index * (int64_t)map->params.element_strides[dim];
    bool below = (index < copy.inside_first[dim]) == (at < 0);
    bool before_end = (index < copy.inside_end[dim]) == (at < (int64_t)map->params.dims_el[dim]);
    ASSUME((index >= copy.counts[dim]) | (below & before_end));
}

static void begin_copy(void) {
    map->params.type = TMAP_TYPE_U32, map->params.rank = RANK;
    map->type = tmap_type_get(TMAP_TYPE_U32), map->swizzle = tmap_swizzle_get(TMAP_SWIZZLE_NONE);
    map->derived.pitch_B = copy.pitch_B = PITCH_B;
    copy.op = tmap_op_get(TMAP_OP_LOAD), copy.unit = tmap_unit_of(&map->params, false);
}

/* Compares a run with the closed form; rows are `step` apart along dimension 1 of the tensor. */
static void compare(const tmap_run *run, uint64_t step) {
    uint32_t unit = element[0] - run->index[0], row = element[1] - run->index[1];
    bool has = (element[0] >= run->index[0]) & (element[0] - (uint64_t)run->index[0] < run->units_n) &
               (element[1] >= run->index[1]) & (element[1] - (uint64_t)run->index[1] < run->rows_n);
    runs_n += has;
    bool same = (run->kind == TMAP_RUN_DATA) == place.inside;
    same &= run->at[0] + unit == place.at[0];
    same &= run->at[1] + (int64_t)(row * step) == place.at[1];
    for (int i = 2; i < TMAP_RANK_MAX; i++) same &= run->at[i] == place.at[i];
    PROVE(!has | same);
    PROVE(!has | (run->box_B + (uint64_t)row * run->box_step_B + unit * 4 == place.box_B));
    uint64_t global_B = run->global_B + row * run->global_step_B + unit * 4;
    PROVE(!has | !place.inside | (global_B == place.global_B));
    PROVE((run->units_n > 0) & ((uint64_t)run->index[0] + run->units_n <= copy.counts[0]));
    PROVE((run->rows_n > 0) & ((uint64_t)run->index[1] + run->rows_n <= copy.counts[1]));
}

#pragma clang attribute pop

#endif
