/* layout: tiles and sums of layouts, and their inverses. */
#include <inttypes.h>

#include "layout/iter_lists.h"

/* ---- Products --------------------------------------------------------------------------------------------------- */

/* Multiplies by spans of `inner`, or by 1 if `inner` is NULL. */
static bool scale_iter(tmap_iter *iter, const tmap_layout *inner) {
    return !inner || !__builtin_mul_overflow(iter->stride, tmap_layout_span(inner, iter->axis), &iter->stride);
}

static bool scale(tmap_iters *iters, const tmap_layout *inner) {
    for (int i = 0; i < iters->n; i++)
        if (!scale_iter(&iters->at[i], inner)) return false;
    return true;
}

static bool add_offsets(tmap_axis_values *to, const tmap_axis_values *more, const tmap_layout *inner) {
    for (int i = 0; i < more->n; i++) {
        int64_t value = more->at[i].value, span = inner ? tmap_layout_span(inner, more->at[i].axis) : 1;
        if (__builtin_mul_overflow(value, span, &value) || !tmap_values_add(to, more->at[i].axis, value)) return false;
    }
    return true;
}

/* For each dimension the slow run, then the fast run. Scales the slow layout. */
static bool interleave(tmap_grouped *slow, const tmap_grouped *fast, int rank, const tmap_layout *spans,
                       tmap_layout *out) {
    const tmap_iters *replica = &slow->layout.replica;
    out->shard.n = 0;
    if (!scale(&slow->layout.shard, spans) || !scale(&slow->layout.replica, spans)) return false;
    for (int d = 0; d < rank; d++)
        if (!tmap_grouped_append(slow, d, &out->shard) || !tmap_grouped_append(fast, d, &out->shard)) return false;
    return tmap_iters_append(&out->replica, replica->at, replica->n) &&
           add_offsets(&out->offset, &slow->layout.offset, spans);
}

static tmap_status check_ranks(const tmap_shape *a, const tmap_shape *b, int operand, tmap_diag *error) {
    if (a->rank == b->rank) return TMAP_OK;
    return tmap_refuse_with(error, operand, "shapes of the same rank: as many dimensions on both sides",
                            "the shapes have ranks %d and %d", a->rank, b->rank);
}

/* `scaled`: a tile, whose slow strides are multiplied by the spans of the fast layout; false: a sum. */
static tmap_status multiply(const tmap_layout *fast, const tmap_layout *slow, const tmap_shape *slow_shape,
                            const tmap_shape *fast_shape, bool scaled, tmap_layout *out, tmap_diag *error) {
    tmap_grouped s, f;
    if (slow->has_swizzle)
        return tmap_refuse_with(error, 1, "swizzle the product instead: swizzle(…) o …",
                                "the outer layout has a swizzle");
    if (check_ranks(slow_shape, fast_shape, 3, error) != TMAP_OK) return TMAP_REFUSED;
    if (tmap_layout_split(fast, fast_shape, 0, &f, error) != TMAP_OK) return TMAP_REFUSED;
    if (tmap_layout_split(slow, slow_shape, 1, &s, error) != TMAP_OK) return TMAP_REFUSED;
    tmap_layout made = f.layout; /* its replicas, offset and swizzle stay */
    if (!interleave(&s, &f, slow_shape->rank, scaled ? fast : NULL, &made))
        return tmap_refuse_with(error, TMAP_NO_OPERAND, "smaller strides, or fewer iters",
                                "the product has strides beyond 64 bits, or more than %d iters", TMAP_ITERS_MAX);
    if (tmap_layout_check(&made, error) != TMAP_OK) return TMAP_REFUSED;
    tmap_layout_canonical(&made, out);
    return TMAP_OK;
}

tmap_status tmap_layout_tile(const tmap_layout *inner, const tmap_layout *outer, const tmap_shape *outer_shape,
                             const tmap_shape *inner_shape, tmap_layout *out, tmap_diag *error) {
    return multiply(inner, outer, outer_shape, inner_shape, true, out, error);
}

tmap_status tmap_layout_direct_sum(const tmap_layout *right, const tmap_layout *left, const tmap_shape *left_shape,
                                   const tmap_shape *right_shape, tmap_layout *out, tmap_diag *error) {
    return multiply(right, left, left_shape, right_shape, false, out, error);
}

tmap_status tmap_shape_divide(const tmap_shape *whole, const tmap_shape *part, int operand, tmap_shape *quotient,
                              int64_t *size, tmap_diag *error) {
    if (tmap_shape_check(part, operand, size, error) != TMAP_OK) return TMAP_REFUSED;
    if (tmap_shape_check(whole, operand - 1, size, error) != TMAP_OK) return TMAP_REFUSED;
    if (check_ranks(whole, part, operand, error) != TMAP_OK) return TMAP_REFUSED;
    quotient->rank = whole->rank;
    for (int d = 0; d < whole->rank; d++) {
        if (whole->at[d] % part->at[d] != 0)
            return tmap_refuse_with(error, operand, "a shape whose dimensions are multiples of the part's",
                                    "dimension %d: %" PRId64 " does not divide %" PRId64, d, part->at[d], whole->at[d]);
        quotient->at[d] = whole->at[d] / part->at[d];
    }
    return TMAP_OK;
}

tmap_status tmap_layout_tile_to(const tmap_layout *inner, const tmap_shape *to, const tmap_shape *inner_shape,
                                tmap_layout *out, tmap_diag *error) {
    tmap_shape outer_shape;
    tmap_layout outer;
    int64_t size;
    if (tmap_shape_divide(to, inner_shape, 2, &outer_shape, &size, error) != TMAP_OK) return TMAP_REFUSED;
    if (tmap_layout_row_major(outer_shape.at, outer_shape.rank, &outer, error) != TMAP_OK) return TMAP_REFUSED;
    return tmap_layout_tile(inner, &outer, &outer_shape, inner_shape, out, error);
}

/* ---- Their inverses --------------------------------------------------------------------------------------------- */

/*
 * The inverse of a product: `known` is one factor, `whole` the product, grouped by (slow_0, fast_0, slow_1, ...). The
 * runs of the product give the other factor's shard. Its replicas and its offset are those of the product without those
 * of the known factor. The result is valid only if multiplying again gives the same function.
 */
typedef struct quotient {
    const tmap_layout *known, *whole;
    tmap_shape slow_shape, fast_shape;
    bool known_is_fast, scaled;
    tmap_grouped parts;
} quotient;

/* *found is false if a boundary that the shapes require is missing: then `whole` is not a product of these shapes. */
static tmap_status begin(quotient *q, const tmap_shape *whole_shape, const tmap_shape *known_shape, bool *found,
                         tmap_diag *error) {
    tmap_shape *known = q->known_is_fast ? &q->fast_shape : &q->slow_shape;
    tmap_shape *other = q->known_is_fast ? &q->slow_shape : &q->fast_shape;
    int64_t size;
    *known = *known_shape;
    if (tmap_shape_divide(whole_shape, known_shape, 3, other, &size, error) != TMAP_OK) return TMAP_REFUSED;
    if (2 * known->rank > TMAP_ITERS_MAX)
        return tmap_refuse_with(error, 3, "a shape of fewer dimensions", "a shape of %d dimensions, more than %d",
                                known->rank, TMAP_ITERS_MAX / 2);
    if (size != tmap_layout_size(q->whole)) return tmap_refuse_size(q->whole, size, 2, error);
    tmap_shape both = {.rank = 2 * known->rank};
    for (int d = 0; d < known->rank; d++)
        both.at[(size_t)2 * (size_t)d] = q->slow_shape.at[d], both.at[(size_t)2 * (size_t)d + 1] = q->fast_shape.at[d];
    *found = tmap_layout_split(q->whole, &both, 1, &q->parts, NULL) == TMAP_OK;
    return TMAP_OK;
}

static tmap_iters other_shard(const quotient *q) {
    tmap_iters shard = {0};
    for (int d = 0; d < q->slow_shape.rank; d++) /* a part of one list: there is room */
        (void)tmap_grouped_append(&q->parts, 2 * d + (q->known_is_fast ? 0 : 1), &shard);
    return shard;
}

/* Splits `known` out of a longer iter: the steps outside it stay in the iter, those inside it become another. */
static bool cut_out(tmap_iters *from, tmap_iter *iter, const tmap_iter *known) {
    if (iter->stride == 0 || !tmap_axis_same(iter->axis, known->axis)) return false;
    tmap_i128 inner = (tmap_i128)known->stride / iter->stride;
    if (inner * iter->stride != known->stride || inner < 1 || inner > iter->extent) return false;
    if (iter->extent % (inner * known->extent) != 0) return false;
    if (inner > 1) (void)tmap_iters_add(from, (tmap_iter){(int64_t)inner, iter->stride, iter->axis});
    iter->extent /= known->extent * (int64_t)inner;
    (void)__builtin_mul_overflow(known->stride, known->extent, &iter->stride); /* fits if the extent is not 1 */
    return true;
}

/* Removes a replica that equals `known`, or cuts `known` out of a longer replica. If no replica contains it, `from`
 * does not change, and verify rejects the result. */
static void remove_replica(tmap_iters *from, const tmap_iter *known) {
    for (int i = 0; i < from->n; i++)
        if (tmap_iter_same(&from->at[i], known)) {
            from->at[i] = from->at[--from->n];
            return;
        }
    for (int i = 0; i < from->n && known->extent > 1; i++)
        if (cut_out(from, &from->at[i], known)) return;
}

static void unscale(tmap_iters *iters, const tmap_layout *inner) {
    for (int i = 0; i < iters->n; i++) iters->at[i].stride /= tmap_layout_span(inner, iters->at[i].axis);
}

/*
 * Finds the slow factor. The fast factor and its spans are known. If a span does not divide or a number does not fit,
 * then no factor exists, and verify rejects the result.
 */
static void find_slow(const quotient *q, tmap_layout *slow) {
    const tmap_layout *fast = q->known;
    tmap_axis_values rest = q->whole->offset;
    *slow = (tmap_layout){.shard = other_shard(q), .replica = q->parts.layout.replica};
    for (int i = 0; i < fast->replica.n; i++) remove_replica(&slow->replica, &fast->replica.at[i]);
    for (int i = 0; i < fast->offset.n; i++)
        (void)tmap_values_add(&rest, fast->offset.at[i].axis, -fast->offset.at[i].value);
    for (int i = 0; i < rest.n; i++) {
        int64_t span = q->scaled ? tmap_layout_span(fast, rest.at[i].axis) : 1;
        (void)tmap_values_add(&slow->offset, rest.at[i].axis, rest.at[i].value / span);
    }
    if (!q->scaled) return;
    unscale(&slow->shard, fast);
    unscale(&slow->replica, fast);
}

/*
 * The factor by which the product scaled the strides of the known slow factor on an axis: from a stride of its shard
 * that the product has multiplied. Otherwise from the numbers of coordinates, from the lowest to the highest, which the
 * product multiplies if 0 is among those of the fast factor; or else the span of the fast shard.
 */
static int64_t scale_of(const quotient *q, const tmap_layout *fast, const tmap_axis *axis) {
    tmap_grouped known;
    if (tmap_layout_split(q->known, &q->slow_shape, 0, &known, NULL) != TMAP_OK) return 1;
    for (int d = 0; d < q->slow_shape.rank; d++) {
        int own = known.starts[d + 1] - 1, scaled = q->parts.starts[(size_t)2 * (size_t)d + 1] - 1;
        if (own < known.starts[d] || scaled < q->parts.starts[(size_t)2 * (size_t)d]) continue;
        const tmap_iter *a = &known.layout.shard.at[own], *b = &q->parts.layout.shard.at[scaled];
        if (a->stride != 0 && tmap_axis_same(a->axis, axis) && b->stride % a->stride == 0) return b->stride / a->stride;
    }
    tmap_interval whole = tmap_layout_range(q->whole, axis), slow = tmap_layout_range(q->known, axis);
    int64_t all = whole.high - whole.low + 1, n = slow.high - slow.low + 1;
    return all % n == 0 ? all / n : tmap_layout_span(fast, axis);
}

/* As find_slow, for the fast factor. */
static void find_fast(const quotient *q, tmap_layout *fast) {
    const tmap_layout *slow = q->known;
    *fast = (tmap_layout){.shard = other_shard(q),
                          .replica = q->parts.layout.replica,
                          .offset = q->whole->offset,
                          .has_swizzle = q->whole->has_swizzle,
                          .swizzle = q->whole->swizzle};
    tmap_layout alone = {.shard = fast->shard};
    for (int i = 0; i < slow->replica.n; i++) {
        tmap_iter iter = slow->replica.at[i];
        int64_t scale = q->scaled ? scale_of(q, &alone, iter.axis) : 1;
        (void)__builtin_mul_overflow(iter.stride, scale, &iter.stride);
        remove_replica(&fast->replica, &iter);
    }
    for (int i = 0; i < slow->offset.n; i++) {
        int64_t value = slow->offset.at[i].value;
        int64_t scale = q->scaled ? scale_of(q, &alone, slow->offset.at[i].axis) : 1;
        (void)__builtin_mul_overflow(value, -scale, &value);
        (void)tmap_values_add(&fast->offset, slow->offset.at[i].axis, value);
    }
}

/* A product that cannot be made or compared counts as different from the whole. Only a failed allocation is an
 * error. */
static tmap_status verify(const quotient *q, const tmap_layout *other, bool *equal) {
    tmap_layout again;
    *equal = false;
    const tmap_layout *fast = q->known_is_fast ? q->known : other, *slow = q->known_is_fast ? other : q->known;
    if (multiply(fast, slow, &q->slow_shape, &q->fast_shape, q->scaled, &again, NULL) != TMAP_OK) return TMAP_OK;
    return tmap_layout_equal(&again, q->whole, equal, NULL) == TMAP_NO_MEMORY ? TMAP_NO_MEMORY : TMAP_OK;
}

/* *found: the other factor, if there is one. */
static tmap_status find(quotient *q, const tmap_shape *whole_shape, const tmap_shape *known_shape, tmap_layout *other,
                        bool *found, tmap_diag *error) {
    tmap_grouped known;
    const tmap_shape *shape = q->known_is_fast ? &q->fast_shape : &q->slow_shape;
    bool can_split = false;
    *found = false;
    if (begin(q, whole_shape, known_shape, &can_split, error) != TMAP_OK) return TMAP_REFUSED;
    if (tmap_layout_split(q->known, shape, 0, &known, error) != TMAP_OK) return TMAP_REFUSED;
    if (!can_split) return TMAP_OK;
    (q->known_is_fast ? find_slow : find_fast)(q, other);
    *found = tmap_layout_check(other, NULL) == TMAP_OK;
    return TMAP_OK;
}

tmap_status tmap_layout_find_factor(const tmap_layout *known, bool known_is_inner, const tmap_layout *tiled,
                                    const tmap_shape *tiled_shape, const tmap_shape *known_shape, tmap_layout *other,
                                    bool *found, tmap_diag *error) {
    quotient q = {.known = known, .whole = tiled, .known_is_fast = known_is_inner, .scaled = true};
    return find(&q, tiled_shape, known_shape, other, found, error);
}

static tmap_status divide(quotient *q, const tmap_shape *whole_shape, const tmap_shape *known_shape, tmap_layout *other,
                          bool *found, tmap_diag *error) {
    tmap_layout made;
    tmap_status status = find(q, whole_shape, known_shape, &made, found, error);
    if (status == TMAP_OK && *found) status = verify(q, &made, found);
    if (status == TMAP_OK && *found) tmap_layout_canonical(&made, other);
    return status;
}

tmap_status tmap_layout_tile_outer_of(const tmap_layout *inner, const tmap_layout *tiled, const tmap_shape *tiled_shape,
                                      const tmap_shape *inner_shape, tmap_layout *outer, bool *found,
                                      tmap_diag *error) {
    quotient q = {.known = inner, .whole = tiled, .known_is_fast = true, .scaled = true};
    return divide(&q, tiled_shape, inner_shape, outer, found, error);
}

tmap_status tmap_layout_tile_inner_of(const tmap_layout *outer, const tmap_layout *tiled, const tmap_shape *tiled_shape,
                                      const tmap_shape *outer_shape, tmap_layout *inner, bool *found,
                                      tmap_diag *error) {
    quotient q = {.known = outer, .whole = tiled, .scaled = true};
    return divide(&q, tiled_shape, outer_shape, inner, found, error);
}

tmap_status tmap_layout_sum_left_of(const tmap_layout *right, const tmap_layout *sum, const tmap_shape *sum_shape,
                                    const tmap_shape *right_shape, tmap_layout *left, bool *found, tmap_diag *error) {
    quotient q = {.known = right, .whole = sum, .known_is_fast = true};
    return divide(&q, sum_shape, right_shape, left, found, error);
}

tmap_status tmap_layout_sum_right_of(const tmap_layout *left, const tmap_layout *sum, const tmap_shape *sum_shape,
                                     const tmap_shape *left_shape, tmap_layout *right, bool *found, tmap_diag *error) {
    quotient q = {.known = left, .whole = sum};
    return divide(&q, sum_shape, left_shape, right, found, error);
}
