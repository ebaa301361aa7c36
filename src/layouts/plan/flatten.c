/*
 * plan: joins neighbouring dimensions. Dimension d continues dimension d + 1 if the tile contains the whole of d + 1
 * and a step of d equals the length of d + 1 in global memory. Both are then one dimension whose size is the product of
 * their sizes: the same elements are inside the tensor, and rows of the map may be cut anywhere.
 */
#include <string.h>

#include "plan/layout_parts.h"

static bool continues(const tmap_plan_request *r, int d) {
    int64_t size = tmap_times(r->shape.at[d], r->shape.at[d + 1]), row = r->shape.at[d + 1];
    int64_t begin;
    return r->tile.at[d + 1] == row && r->begin.at[d + 1] == 0 && size <= (int64_t)TMAP_DIM_MAX &&
           r->strides_el[d] == tmap_times(r->strides_el[d + 1], row) &&
           tmap_times(r->tile.at[d], row) <= (int64_t)TMAP_DIM_MAX &&
           !__builtin_mul_overflow(r->begin.at[d], row, &begin) && begin >= INT32_MIN && begin <= INT32_MAX;
}

static void remove_from(tmap_shape *shape, int d) {
    memmove(&shape->at[d], &shape->at[d + 1], (size_t)(shape->rank - d - 1) * sizeof shape->at[0]);
    shape->rank--;
}

/* Merges dimension d + 1 into d. */
static void merge(tmap_plan_request *r, int d) {
    int64_t row = r->shape.at[d + 1];
    r->shape.at[d] *= row, r->tile.at[d] *= row, r->begin.at[d] *= row;
    memmove(&r->strides_el[d], &r->strides_el[d + 1], (size_t)(r->shape.rank - d - 1) * sizeof r->strides_el[0]);
    remove_from(&r->shape, d + 1);
    remove_from(&r->tile, d + 1);
    remove_from(&r->begin, d + 1);
}

bool tmap_plan_flatten(const tmap_plan_request *request, tmap_plan_request *flat) {
    *flat = *request;
    for (int d = flat->shape.rank - 2; d >= 0; d--)
        if (continues(flat, d)) merge(flat, d);
    return flat->shape.rank < request->shape.rank;
}
