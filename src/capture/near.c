/* Maps near the limits of the rules: a valid one with one number moved to, or just across, a limit. */
#include "capture/near.h"

#include <inttypes.h>
#include <stdio.h>

#include "capture/sweep.h"

/* Numbers at which one rule or another draws a line; `step` ones are added to what is there. */
typedef struct near_limit {
    tmap_field field;
    bool step;
    int values_n;
    uint64_t values[12];
} near_limit;

#define BACK(n) (UINT64_MAX - (n) + 1)

static const near_limit limits[] = {
    {TMAP_FIELD_RANK, false, 7, {0, 1, 2, 3, 4, 5, 6}},
    {TMAP_FIELD_ADDRESS, true, 6, {1, 4, 8, 16, 32, BACK(16)}},
    {TMAP_FIELD_DIMS, false, 6, {0, 1, 2, 0xffffffff, (uint64_t)1 << 32, ((uint64_t)1 << 32) + 1}},
    {TMAP_FIELD_DIMS, true, 4, {1, BACK(1), 64, 128}},
    {TMAP_FIELD_STRIDES, false, 6, {0, 8, 16, TMAP_STRIDE_LIMIT_B - 16, TMAP_STRIDE_LIMIT_B, TMAP_STRIDE_LIMIT_B - 32}},
    {TMAP_FIELD_STRIDES, true, 6, {1, 8, 16, 32, BACK(8), BACK(16)}},
    {TMAP_FIELD_BOX, false, 6, {0, 1, 128, 255, 256, 257}},
    {TMAP_FIELD_BOX, true, 6, {1, BACK(1), 8, 16, 32, 64}},
    {TMAP_FIELD_ELEMENT_STRIDES, false, 5, {0, 1, 2, 8, 9}},
    {TMAP_FIELD_LOWER_CORNER,
     false,
     10,
     {BACK(32769), BACK(32768), BACK(129), BACK(128), BACK(17), BACK(16), 15, 16, 127, 128}},
    {TMAP_FIELD_UPPER_CORNER, false, 10, {BACK(129), BACK(128), BACK(17), BACK(16), 15, 16, 127, 128, 32767, 32768}},
    {TMAP_FIELD_LOWER_CORNER, true, 4, {1, BACK(1), 8, 64}},
    {TMAP_FIELD_UPPER_CORNER, true, 4, {1, BACK(1), BACK(8), BACK(64)}},
    {TMAP_FIELD_CHANNELS_PER_PIXEL, false, 6, {0, 1, 128, 255, 256, 257}},
    {TMAP_FIELD_CHANNELS_PER_PIXEL, true, 4, {1, 8, 16, 32}},
    {TMAP_FIELD_PIXELS_PER_COLUMN, false, 6, {0, 1, 128, 1023, 1024, 1025}},
    {TMAP_FIELD_TYPE, false, 12, {0, 1, 2, 4, 6, 7, 8, 9, 11, 13, 14, 15}},
    {TMAP_FIELD_INTERLEAVE, false, 3, {0, 1, 2}},
    {TMAP_FIELD_SWIZZLE, false, 7, {0, 1, 2, 3, 4, 5, 6}},
    {TMAP_FIELD_L2_PROMOTION, false, 4, {0, 1, 2, 3}},
    {TMAP_FIELD_OOB_FILL, false, 2, {0, 1}},
};

/* What the map does not look at would tell nothing: a tile has no corners, a column no box. */
static bool applies(const near_limit *limit, const tmap_map_params *map) {
    bool box = limit->field == TMAP_FIELD_BOX;
    bool column = limit->field >= TMAP_FIELD_LOWER_CORNER && limit->field <= TMAP_FIELD_PIXELS_PER_COLUMN;
    return map->mode == TMAP_MODE_TILED ? !column : !box;
}

static const near_limit *draw_limit(tmap_random *random, const tmap_map_params *map) {
    for (;;) {
        const near_limit *limit = &limits[tmap_random_between(random, 0, sizeof limits / sizeof *limits - 1)];
        if (applies(limit, map)) return limit;
    }
}

static uint64_t moved(const near_limit *limit, uint64_t value, uint64_t now) {
    return limit->step ? now + value : value;
}

static uint64_t move_corner(const near_limit *limit, uint64_t value, int64_t *corner) {
    *corner = (int64_t)moved(limit, value, (uint64_t)*corner);
    return (uint64_t)*corner;
}

/* Moves the field; answers what it is now. Arrays at `dim`. */
static uint64_t move(const near_limit *limit, uint64_t value, uint64_t dim, tmap_map_params *map) {
    uint64_t *number = NULL;
    switch ((int)limit->field) {
    case TMAP_FIELD_RANK: number = &map->rank; break;
    case TMAP_FIELD_ADDRESS: number = &map->address; break;
    case TMAP_FIELD_DIMS: number = &map->dims_el[dim]; break;
    case TMAP_FIELD_STRIDES: number = &map->strides_B[dim % (TMAP_RANK_MAX - 1)]; break;
    case TMAP_FIELD_BOX: number = &map->box_el[dim]; break;
    case TMAP_FIELD_ELEMENT_STRIDES: number = &map->element_strides[dim]; break;
    case TMAP_FIELD_CHANNELS_PER_PIXEL: number = &map->channels_per_pixel; break;
    case TMAP_FIELD_PIXELS_PER_COLUMN: number = &map->pixels_per_column; break;
    case TMAP_FIELD_LOWER_CORNER: return move_corner(limit, value, &map->lower_corner[dim % (TMAP_RANK_MAX - 2)]);
    case TMAP_FIELD_UPPER_CORNER: return move_corner(limit, value, &map->upper_corner[dim % (TMAP_RANK_MAX - 2)]);
    case TMAP_FIELD_TYPE: map->type = (tmap_type)value; break;
    case TMAP_FIELD_INTERLEAVE: map->interleave = (tmap_interleave)value; break;
    case TMAP_FIELD_SWIZZLE: map->swizzle = (tmap_swizzle)value; break;
    case TMAP_FIELD_L2_PROMOTION: map->l2_promotion = (tmap_l2_promotion)value; break;
    default: map->oob_fill = (tmap_oob_fill)value; break;
    }
    if (number == NULL) return value;
    *number = moved(limit, value, *number);
    return *number;
}

void tmap_capture_near(tmap_random *random, uint64_t number, capture_case *out) {
    *out = (capture_case){.result = 0};
    tmap_random_map(random, false, &out->params);
    tmap_capture_clear_tails(&out->params);
    const near_limit *limit = draw_limit(random, &out->params);
    uint64_t value = limit->values[tmap_random_between(random, 0, (uint64_t)limit->values_n - 1)];
    uint64_t dim = tmap_random_between(random, 0, out->params.rank - 1);
    tmap_per per = tmap_field_get((int)limit->field)->per;
    uint64_t now = move(limit, value, dim, &out->params);
    if (per == TMAP_PER_SPATIAL)
        (void)snprintf(out->id, sizeof out->id, "near/%" PRIu64 " %s[%" PRIu64 "]=%" PRId64, number,
                       tmap_field_get((int)limit->field)->name, dim % (TMAP_RANK_MAX - 2), (int64_t)now);
    else if (per == TMAP_PER_ONE)
        (void)snprintf(out->id, sizeof out->id, "near/%" PRIu64 " %s=%" PRIu64, number,
                       tmap_field_get((int)limit->field)->name, now);
    else
        (void)snprintf(out->id, sizeof out->id, "near/%" PRIu64 " %s[%" PRIu64 "]=%" PRIu64, number,
                       tmap_field_get((int)limit->field)->name, dim, now);
}
