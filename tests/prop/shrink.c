/* A table of small simplifications, tried in turn until none of them leaves a failing case. */
#include "prop/shrink.h"

#include <string.h>

typedef struct shrink_case {
    tmap_map_params map;
    tmap_copy_params copy;
} shrink_case;

static void drop_rank(shrink_case *c, uint64_t i) {
    if (i != 0 || c->map.rank < 2) return;
    c->map.rank--;
    if (c->copy.at_n > 0) c->copy.at_n--;
}

static void drop_swizzle(shrink_case *c, uint64_t i) {
    if (i == 0) c->map.swizzle = TMAP_SWIZZLE_NONE;
}

static void drop_extras(shrink_case *c, uint64_t i) {
    if (i != 0) return;
    c->map.l2_promotion = TMAP_L2_PROMOTION_NONE;
    c->map.has_address = false;
    c->map.address = c->map.allocation_B = 0;
    c->map.ops = 0;
    c->copy.dst = TMAP_DST_CTA;
    c->copy.cta_group = c->copy.cta_mask = 0;
}

static void drop_fill(shrink_case *c, uint64_t i) {
    if (i == 0) c->map.oob_fill = TMAP_OOB_FILL_ZERO;
}

static void drop_element_stride(shrink_case *c, uint64_t i) {
    c->map.element_strides[i] = 1;
}

static void make_dense(shrink_case *c, uint64_t i) {
    if (i == 0) tmap_map_params_dense(&c->map);
}

static void halve_dim(shrink_case *c, uint64_t i) {
    if (c->map.dims_el[i] > 1) c->map.dims_el[i] /= 2;
}

static void lessen_dim(shrink_case *c, uint64_t i) {
    if (c->map.dims_el[i] > 1) c->map.dims_el[i]--;
}

static void halve_box(shrink_case *c, uint64_t i) {
    if (c->map.box_el[i] > 1) c->map.box_el[i] /= 2;
}

static void lessen_box(shrink_case *c, uint64_t i) {
    if (c->map.box_el[i] > 1) c->map.box_el[i]--;
}

static void drop_coordinate(shrink_case *c, uint64_t i) {
    c->copy.at[i] = 0;
    if (i == 0) c->copy.column = 0;
    if (i < 4) c->copy.rows[i] = 0;
}

static void halve_coordinate(shrink_case *c, uint64_t i) {
    c->copy.at[i] /= 2;
    if (i == 0) c->copy.column /= 2;
    if (i < 4) c->copy.rows[i] /= 2;
}

static void drop_shared(shrink_case *c, uint64_t i) {
    if (i == 0) c->copy.shared = 0;
}

static void halve_shared(shrink_case *c, uint64_t i) {
    if (i == 0) c->copy.shared = c->copy.shared / 256 * 128;
}

static void (*const steps[])(shrink_case *c, uint64_t i) = {
    drop_rank,  drop_swizzle, drop_extras, drop_fill,       drop_element_stride, make_dense,  halve_dim,
    lessen_dim, halve_box,    lessen_box,  drop_coordinate, halve_coordinate,    drop_shared, halve_shared,
};

/* Tries one step for one dimension; answers whether the case became a smaller failing one. */
static bool try_step(shrink_case *now, prop_failure *failure, shrink_fails fails, size_t step, uint64_t dim) {
    shrink_case next = *now;
    steps[step](&next, dim);
    if (memcmp(&next, now, sizeof next) == 0) return false;
    prop_failure why = {{0}};
    if (!fails(&next.map, &next.copy, &why)) return false;
    *now = next;
    *failure = why;
    return true;
}

static bool try_all(shrink_case *now, prop_failure *failure, shrink_fails fails) {
    bool smaller = false;
    for (size_t step = 0; step < sizeof steps / sizeof *steps; step++)
        for (uint64_t dim = 0; dim < TMAP_RANK_MAX; dim++) smaller |= try_step(now, failure, fails, step, dim);
    return smaller;
}

void shrink(tmap_map_params *map, tmap_copy_params *copy, prop_failure *failure, shrink_fails fails) {
    shrink_case now;
    memset(&now, 0, sizeof now);
    now.map = *map;
    now.copy = *copy;
    for (int round = 0; round < 64 && try_all(&now, failure, fails); round++) continue;
    *map = now.map;
    *copy = now.copy;
}
