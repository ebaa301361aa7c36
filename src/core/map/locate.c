/*
 * The closed form: the addresses of one element of a box.
 *   row      = sum over i >= 1 of index[i] x product of counts[1..i-1]
 *   box_B    = row x pitch + units of dimension 0 x their pitch in shared memory
 *   shared   = (shared + box_B) with its low 7 bits XORed by the swizzle's mask of that line
 *   global_B = floor(c0 x bits / 8) + sum of c_i x strides[i-1], modulo 2^64
 */
#include "map/coordinate.h"

typedef struct box_shape {
    const tmap_map *map;
    const tmap_unit *unit;
    const uint64_t *counts;
    uint64_t shared;
} box_shape;

static uint64_t box_offset(const box_shape *box, const uint32_t *index) {
    const tmap_unit *unit = box->unit;
    uint64_t row = 0;
    for (int i = TMAP_RANK_MAX - 1; i >= 1; i--) row = row * box->counts[i] + index[i];
    return row * box->map->derived.pitch_B + (uint64_t)(index[0] / unit->values) * unit->pitch_B +
           index[0] % unit->values * unit->shared_value_bits / 8;
}

static uint32_t outside(const tmap_map *map, const int64_t *at) {
    uint32_t dims = 0;
    for (int i = 0; i < TMAP_RANK_MAX; i++)
        dims |= (uint32_t)(at[i] < 0 || (uint64_t)at[i] >= map->params.dims_el[i]) << i;
    return dims;
}

static uint64_t global_offset(const box_shape *box, const int64_t *at) {
    uint64_t offset = (uint64_t)at[0] * box->unit->value_bits / 8; /* dims are at most 2^32, slices 256 bits */
    for (int i = 1; i < TMAP_RANK_MAX; i++) offset += (uint64_t)at[i] * box->map->params.strides_B[i - 1];
    return offset;
}

/* Requires place->at. */
static void locate(const box_shape *box, const uint32_t *index, tmap_place *place) {
    place->outside = outside(box->map, place->at);
    place->inside = place->outside == 0;
    place->global_B = place->inside ? global_offset(box, place->at) : 0;
    place->box_B = box_offset(box, index);
    uint64_t address = box->shared + place->box_B;
    place->shared = address ^ tmap_swizzle_mask(box->map->swizzle, address);
    place->line = place->shared / TMAP_LINE_B;
    place->unit = (uint32_t)(place->shared % TMAP_LINE_B / 16);
    place->bank = (uint32_t)(place->shared % TMAP_LINE_B / 4);
}

void tmap_copy_locate(const tmap_copy *copy, const uint32_t index[TMAP_RANK_MAX], tmap_place *place) {
    uint64_t counts[TMAP_RANK_MAX];
    for (int i = 0; i < TMAP_RANK_MAX; i++) counts[i] = copy->counts[i];
    tmap_copy_at(copy, index, place->at);
    locate(&(box_shape){&copy->map, &copy->unit, counts, copy->params.shared}, index, place);
}

static void im2col_at(const tmap_map *map, const int64_t *at, const uint32_t *index, int64_t *out) {
    tmap_copy_params copy = {.op = TMAP_OP_LOAD};
    for (uint64_t i = 0; i < map->params.rank; i++) copy.at[i] = at[i];
    tmap_pixel_walk walk = tmap_pixel_walk_of(&map->params, &copy);
    tmap_pixel_at(&walk, copy.at, index[1], out);
    out[walk.channel] += index[0];
}

void tmap_map_locate(const tmap_map *map, const int64_t at[TMAP_RANK_MAX], uint64_t shared,
                     const uint32_t index[TMAP_RANK_MAX], tmap_place *place) {
    tmap_unit unit = tmap_unit_of(&map->params, false);
    bool im2col = tmap_mode_get((int)map->params.mode)->im2col;
    if (im2col) im2col_at(map, at, index, place->at);
    for (int i = 0; !im2col && i < TMAP_RANK_MAX; i++) {
        bool used = (uint64_t)i < map->params.rank;
        place->at[i] = used ? at[i] + (int64_t)index[i] * (int64_t)map->params.element_strides[i] : 0;
    }
    locate(&(box_shape){map, &unit, map->derived.counts, shared}, index, place);
}
