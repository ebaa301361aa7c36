/* Maps near the limits of the rules: a valid map with one number at, or just across, a limit. */
#include "capture/boundary_maps.h"

#include <inttypes.h>
#include <stdio.h>

#include "capture/planned_maps.h"
#include "params/fields.h"

/* Numbers at which a verdict changes. Numbers with `step` are added to the present value. */
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

static const near_limit *choose_limit(tmap_random *random, const tmap_map_params *map) {
    for (;;) {
        const near_limit *limit = &limits[tmap_random_between(random, 0, sizeof limits / sizeof *limits - 1)];
        if (tmap_field_applies(map, NULL, limit->field)) return limit;
    }
}

/* Changes the field and returns its new value. */
static uint64_t move(const near_limit *limit, uint64_t value, int dim, tmap_map_params *map) {
    if (limit->step) value += (uint64_t)tmap_field_value(map, NULL, limit->field, dim);
    tmap_field_set(map, NULL, limit->field, dim, value);
    return value;
}

void tmap_capture_near(tmap_random *random, uint64_t number, capture_case *out) {
    *out = (capture_case){.result = 0};
    tmap_random_map(random, false, &out->params);
    tmap_capture_clear_tails(&out->params);
    const near_limit *limit = choose_limit(random, &out->params);
    uint64_t value = limit->values[tmap_random_between(random, 0, (uint64_t)limit->values_n - 1)];
    const tmap_field_info *field = tmap_field_get((int)limit->field);
    int dim = (int)tmap_random_between(random, 0, out->params.rank - 1) % tmap_field_room(limit->field);
    uint64_t now = move(limit, value, dim, &out->params);
    char entry[16] = "";
    if (field->per != TMAP_PER_ONE) (void)snprintf(entry, sizeof entry, "[%d]", dim);
    (void)snprintf(out->id, sizeof out->id,
                   field->per == TMAP_PER_SPATIAL ? "near/%" PRIu64 " %s%s=%" PRId64 : "near/%" PRIu64 " %s%s=%" PRIu64,
                   number, field->name, entry, now);
}
