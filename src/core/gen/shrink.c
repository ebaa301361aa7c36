/* Shrinks a failing case: tries a table of small simplifications in turn until every simplification ends the
 * failure. */
#include <string.h>

#include "base/wide.h"
#include "tmap/unstable/gen.h"
#include "tmap/unstable/tables.h"

typedef struct shrink_case {
    tmap_map_params map;
    tmap_copy_params copy;
} shrink_case;

static void drop_rank(shrink_case *c, uint64_t i) {
    if (i != 0 || c->map.rank < 2) return;
    c->map.rank--;
    if (c->copy.at_n > 0) c->copy.at_n--;
}

/* Replaces a column of pixels by a tile with the same number of channels. */
static void make_tiled(shrink_case *c, uint64_t i) {
    if (i != 0 || !tmap_mode_get((int)c->map.mode)->im2col) return;
    c->map.mode = TMAP_MODE_TILED;
    for (int dim = 0; dim < TMAP_RANK_MAX; dim++) c->map.box_el[dim] = 1;
    c->map.box_el[0] = c->map.channels_per_pixel;
    for (int k = 0; k < TMAP_RANK_MAX - 2; k++) c->copy.offsets[k] = 0;
    c->copy.w_halo = c->copy.w_offset = 0;
}

static void drop_interleave(shrink_case *c, uint64_t i) {
    if (i == 0) c->map.interleave = TMAP_INTERLEAVE_NONE;
}

/* Replaces packed values by bytes, with the same number of elements in a row. */
static void make_bytes(shrink_case *c, uint64_t i) {
    const tmap_type_info *type = tmap_type_get((int)c->map.type);
    if (i != 0 || !type || type->bits >= 8) return;
    c->map.type = TMAP_TYPE_U8;
    tmap_map_params_dense(&c->map);
}

static void drop_corner(shrink_case *c, uint64_t i) {
    if (i < TMAP_RANK_MAX - 2) c->map.lower_corner[i] = c->map.upper_corner[i] = 0;
}

static void drop_filter(shrink_case *c, uint64_t i) {
    if (i < TMAP_RANK_MAX - 2) c->copy.offsets[i] = 0;
    if (i == 0) c->copy.w_halo = c->copy.w_offset = 0;
}

static void halve_filter(shrink_case *c, uint64_t i) {
    if (i < TMAP_RANK_MAX - 2) c->copy.offsets[i] /= 2;
    if (i == 0) c->copy.w_halo /= 2;
    if (i == 1) c->copy.w_offset /= 2;
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
    c->copy.has_dst = false;
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

/* The elements in 16 bytes: a row of the box and the start of a copy are multiples of this number. */
static uint64_t row_step(const shrink_case *c, uint64_t i) {
    const tmap_type_info *type = tmap_type_get((int)c->map.type);
    return i == 0 && type ? 128 / (uint64_t)type->bits : 1;
}

static void halve_box(shrink_case *c, uint64_t i) {
    uint64_t step = row_step(c, i);
    if (c->map.box_el[i] > step) c->map.box_el[i] = tmap_round_up(c->map.box_el[i] / 2, step);
}

static void lessen_box(shrink_case *c, uint64_t i) {
    if (c->map.box_el[i] > row_step(c, i)) c->map.box_el[i] -= row_step(c, i);
}

static void halve_column(shrink_case *c, uint64_t i) {
    uint64_t step = row_step(c, 0), half = tmap_round_up(c->map.channels_per_pixel / 2, step);
    if (i == 0 && c->map.channels_per_pixel > step) c->map.channels_per_pixel = half;
    if (i == 1 && c->map.pixels_per_column > 1) c->map.pixels_per_column /= 2;
    if (i == 2 && c->map.pixels_per_column > 1) c->map.pixels_per_column--;
}

static void drop_coordinate(shrink_case *c, uint64_t i) {
    c->copy.at[i] = 0;
    if (i == 0) c->copy.column = 0;
    if (i < 4) c->copy.rows[i] = 0;
}

static int64_t halved(int64_t coordinate, int64_t step) {
    return coordinate / 2 / step * step;
}

static void halve_coordinate(shrink_case *c, uint64_t i) {
    int64_t step = (int64_t)row_step(c, i);
    c->copy.at[i] = halved(c->copy.at[i], step);
    if (i == 0) c->copy.column = halved(c->copy.column, step);
    if (i < 4) c->copy.rows[i] /= 2;
}

/* Removes the operands of copies without a tensor map. */
static void drop_operand(shrink_case *c, uint64_t i) {
    if (i == 0) c->copy.byte_mask = 0;
    if (i == 1) c->copy.ignore_left_B = 0;
    if (i == 2) c->copy.ignore_right_B = 0;
}

static void halve_size(shrink_case *c, uint64_t i) {
    if (i == 0) c->copy.size_B = c->copy.size_B / 32 * 16;
    if (i == 1 && c->copy.size_B > 16) c->copy.size_B -= 16;
}

static void drop_shared(shrink_case *c, uint64_t i) {
    if (i == 0) c->copy.shared = 0;
}

static void halve_shared(shrink_case *c, uint64_t i) {
    if (i == 0) c->copy.shared = c->copy.shared / 256 * 128;
}

static const tmap_replaceable_info *replaced(const shrink_case *c) {
    return c->copy.op == TMAP_OP_REPLACE ? tmap_replaceable_get((int)c->copy.field) : NULL;
}

static void lessen_ordinal(shrink_case *c, uint64_t i) {
    if (i == 0 && replaced(c) && c->copy.ordinal > 0) c->copy.ordinal--;
}

/* Removes the last dimension and lowers the ordinal, for ordinals that count from the last dimension. */
static void drop_rank_and_ordinal(shrink_case *c, uint64_t i) {
    if (!replaced(c) || c->copy.ordinal == 0) return;
    drop_rank(c, i);
    lessen_ordinal(c, i);
}

/* Sets the value to the least value, half of the value, or one step less, in multiples of the field. */
static void lessen_value(shrink_case *c, uint64_t i) {
    const tmap_replaceable_info *info = replaced(c);
    uint64_t step = info && info->multiple ? info->multiple : 1, value = c->copy.value;
    if (!info || value <= info->min) return;
    if (i == 0) c->copy.value = info->min;
    if (i == 1 && value / 2 >= info->min) c->copy.value = value / 2 / step * step;
    if (i == 2 && value >= step) c->copy.value = value - step;
}

static void (*const steps[])(shrink_case *c, uint64_t i) = {
    make_tiled,   drop_interleave,     make_bytes,      drop_rank,        drop_swizzle,
    drop_extras,  drop_fill,           drop_corner,     drop_filter,      halve_filter,
    halve_column, drop_element_stride, make_dense,      halve_dim,        lessen_dim,
    halve_box,    lessen_box,          drop_coordinate, halve_coordinate, drop_operand,
    halve_size,   drop_shared,         halve_shared,    lessen_ordinal,   drop_rank_and_ordinal,
    lessen_value,
};

typedef struct shrinking {
    shrink_case now;
    tmap_still_fails *fails;
    void *context;
    size_t tries; /* the number of remaining attempts */
} shrinking;

/* Copies of a case include the padding between members, so equal cases have equal bytes. */
static bool same_bytes(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size) == 0;
}

/* Tries one step for one dimension. Returns whether the result is smaller and still fails. */
static bool try_step(shrinking *s, size_t step, uint64_t dim) {
    shrink_case next;
    memcpy(&next, &s->now, sizeof next);
    steps[step](&next, dim);
    if (s->tries == 0 || same_bytes(&next, &s->now, sizeof next)) return false;
    s->tries--;
    if (!s->fails(s->context, &next.map, &next.copy)) return false;
    memcpy(&s->now, &next, sizeof next);
    return true;
}

static bool try_all(shrinking *s) {
    bool smaller = false;
    for (size_t step = 0; step < sizeof steps / sizeof *steps; step++)
        for (uint64_t dim = 0; dim < TMAP_RANK_MAX; dim++) smaller |= try_step(s, step, dim);
    return smaller;
}

void tmap_shrink(tmap_map_params *map, tmap_copy_params *copy, tmap_still_fails *fails, void *context, size_t tries) {
    shrinking s;
    memset(&s, 0, sizeof s);
    s.now.map = *map;
    s.now.copy = *copy;
    s.fails = fails;
    s.context = context;
    s.tries = tries;
    while (try_all(&s)) continue;
    *map = s.now.map;
    *copy = s.now.copy;
}
