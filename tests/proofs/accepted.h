/* A frozen map with arbitrary numbers in the ranges that the rules accept, for Eva. */
#ifndef TMAP_TESTS_PROOFS_ACCEPTED_H
#define TMAP_TESTS_PROOFS_ACCEPTED_H

#include "tmap/map.h"
#include "tmap/unstable/counts.h"

volatile uint64_t any_u64;
volatile int any_i32;

static uint64_t between(uint64_t least, uint64_t most) {
    uint64_t value = any_u64;
    return value >= least && value <= most ? value : least;
}

static void make_map(tmap_map *map, tmap_mode mode, uint64_t rank) {
    tmap_map_params *p = &map->params;
    p->mode = mode, p->rank = rank;
    p->channels_per_pixel = between(1, 256), p->pixels_per_column = between(1, 1024);
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++)
        p->lower_corner[i] = (int16_t)any_i32, p->upper_corner[i] = (int16_t)any_i32;
    p->type = (tmap_type)between(0, TMAP_TYPE_COUNT - 1);
    p->interleave = (tmap_interleave)between(0, TMAP_INTERLEAVE_COUNT - 1);
    p->swizzle = (tmap_swizzle)between(0, TMAP_SWIZZLE_COUNT - 1);
    for (uint64_t i = 0; i < TMAP_RANK_MAX; i++) {
        bool used = i < rank;
        p->dims_el[i] = used ? between(1, (uint64_t)1 << 32) : 1;
        p->box_el[i] = used && mode == TMAP_MODE_TILED ? between(1, 256) : 1;
        p->element_strides[i] = used ? between(1, 8) : 1;
        if (i > 0) p->strides_B[i - 1] = used ? between(0, ((uint64_t)1 << 40) - 1) : 0;
    }
    map->type = tmap_type_get((int)p->type);
    map->swizzle = tmap_swizzle_get((int)p->swizzle);
    map->derived = tmap_derive(p, false);
}

#endif
