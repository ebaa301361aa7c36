/* layout: other views of the same elements: other orders, other element sizes, the part of one owner, the inverse. */
#include <inttypes.h>

#include "layout/iter_lists.h"
#include "layout/xor_maps.h"

/* ---- Order ------------------------------------------------------------------------------------------------------ */

/* Requires every number below `n` exactly once. */
static tmap_status check_order(const int *order, int n, int wanted, int operand, tmap_diag *error) {
    uint64_t seen = 0;
    if (n != wanted)
        return tmap_refuse_with(error, operand, "every dimension once", "an order of %d number%s for %d dimension%s", n,
                                TMAP_PLURAL(n), wanted, TMAP_PLURAL(wanted));
    for (int i = 0; i < n; i++) {
        if (order[i] < 0 || order[i] >= n || (seen >> order[i] & 1)) {
            tmap_refuse_operand(error, operand, "entry %d of the order is %d", i, order[i]);
            return tmap_say_fix(error, "0 to %d, each once", n - 1);
        }
        seen |= (uint64_t)1 << order[i];
    }
    return TMAP_OK;
}

tmap_status tmap_layout_permute(const tmap_layout *layout, const int *order, int n, tmap_layout *out,
                                tmap_diag *error) {
    tmap_layout made = *layout;
    if (check_order(order, n, layout->shard.n, 1, error) != TMAP_OK) return TMAP_REFUSED;
    for (int i = 0; i < n; i++) made.shard.at[i] = layout->shard.at[order[i]];
    *out = made;
    return TMAP_OK;
}

tmap_status tmap_layout_permute_dims(const tmap_layout *layout, const tmap_shape *shape, const int *order, int n,
                                     tmap_layout *out, tmap_diag *error) {
    tmap_layout grouped;
    int starts[TMAP_ITERS_MAX + 1];
    if (check_order(order, n, shape->rank, 2, error) != TMAP_OK) return TMAP_REFUSED;
    if (tmap_layout_group(layout, shape, &grouped, starts, error) != TMAP_OK) return TMAP_REFUSED;
    tmap_layout made = grouped;
    made.shard.n = 0;
    for (int i = 0; i < n; i++) {
        int d = order[i];
        tmap_iters_append(&made.shard, &grouped.shard.at[starts[d]], starts[d + 1] - starts[d]);
    }
    *out = made;
    return TMAP_OK;
}

/* ---- Element sizes ---------------------------------------------------------------------------------------------- */

static bool multiply_iters(tmap_iters *iters, const tmap_axis *axis, int64_t n) {
    for (int i = 0; i < iters->n; i++)
        if (tmap_axis_same(iters->at[i].axis, axis) &&
            __builtin_mul_overflow(iters->at[i].stride, n, &iters->at[i].stride))
            return false;
    return true;
}

static tmap_status swizzle_of_smaller(tmap_layout *layout, int64_t n, int sign, tmap_diag *error) {
    int log2 = tmap_log2_of((uint64_t)n);
    if (!layout->has_swizzle) return TMAP_OK;
    layout->swizzle.m += sign * log2;
    if (log2 >= 0 && layout->swizzle.m >= 0) return TMAP_OK;
    if (log2 < 0)
        return tmap_refuse_with(error, 1, "a power of two",
                                "%" PRId64 " is not a power of two, which a swizzle requires", n);
    int kept = layout->swizzle.m - sign * log2;
    (void)tmap_refuse_with(error, 1, NULL,
                           "the swizzle keeps 2^%d elements together, and %" PRId64 " does not divide this number",
                           kept, n);
    return tmap_say_fix(error, "a power of two of at most %" PRId64, (int64_t)1 << kept);
}

tmap_status tmap_layout_unpack(const tmap_layout *layout, int64_t n, const tmap_axis *axis, tmap_layout *out,
                               tmap_diag *error) {
    tmap_layout made = *layout;
    int64_t offset = tmap_values_get(&layout->offset, axis), more;
    if (n < 1) return tmap_refuse_with(error, 1, "1 or more", "one element cannot become %" PRId64 " elements", n);
    if (!multiply_iters(&made.shard, axis, n) || !multiply_iters(&made.replica, axis, n) ||
        __builtin_mul_overflow(offset, n - 1, &more) || !tmap_values_add(&made.offset, axis, more))
        return tmap_refuse_overflow(error, "a stride", "smaller extents or strides");
    if (!tmap_iters_add(&made.shard, (tmap_iter){n, 1, axis})) return tmap_refuse_room(error);
    if (swizzle_of_smaller(&made, n, 1, error) != TMAP_OK) return TMAP_REFUSED;
    return tmap_layout_put(&made, out, error);
}

/* Divides strides on the axis; ignores iters of extent 1. Returns false, with the stride, if a stride does not divide.
 */
static bool divide_iters(tmap_iters *iters, const tmap_axis *axis, int64_t n, int64_t *stride) {
    for (int i = 0; i < iters->n; i++) {
        tmap_iter *iter = &iters->at[i];
        if (!tmap_axis_same(iter->axis, axis)) continue;
        if (iter->extent > 1 && iter->stride % n != 0) {
            *stride = iter->stride;
            return false;
        }
        iter->stride /= n;
    }
    return true;
}

tmap_status tmap_layout_pack(const tmap_layout *layout, int64_t n, tmap_layout *out, tmap_diag *error) {
    tmap_layout made = *layout;
    if (n < 1) return tmap_refuse_with(error, 1, "1 or more", "%" PRId64 " elements cannot become one element", n);
    const tmap_iter last =
        made.shard.n > 0 ? made.shard.at[made.shard.n - 1] : (tmap_iter){1, 1, tmap_axis_get(TMAP_AXIS_ID_M)};
    if (last.extent % n != 0 || (n > 1 && (last.stride != 1 || last.axis->kind != TMAP_AXIS_MEMORY))) {
        tmap_refuse_operand(error, 1,
                            "the last iter is %" PRId64 ":%" PRId64 "@%s, which does not hold whole groups of %" PRId64
                            " neighbours",
                            last.extent, last.stride, last.axis->name, n);
        return tmap_say_fix(error, "a last iter of stride 1 on a memory axis, its extent a multiple of %" PRId64, n);
    }
    int64_t offset = tmap_values_get(&layout->offset, last.axis), wrong = offset;
    if (made.shard.n > 0) made.shard.n--; /* the last iter keeps its stride */
    if (offset % n != 0 || !divide_iters(&made.shard, last.axis, n, &wrong) ||
        !divide_iters(&made.replica, last.axis, n, &wrong))
        return tmap_refuse_with(error, 0, "strides that are multiples of n, or a smaller n",
                                "%" PRId64 "@%s is not a multiple of %" PRId64, wrong, last.axis->name, n);
    if (layout->shard.n > 0) made.shard.at[made.shard.n++].extent = last.extent / n;
    (void)tmap_values_add(&made.offset, last.axis, offset / n - offset);
    if (swizzle_of_smaller(&made, n, -1, error) != TMAP_OK) return TMAP_REFUSED;
    *out = made;
    return TMAP_OK;
}

tmap_status tmap_layout_broadcast(const tmap_layout *layout, int64_t n, int position, const tmap_axis *axis,
                                  tmap_layout *out, tmap_diag *error) {
    tmap_layout made = *layout;
    if (position == -1) position = made.shard.n;
    if (position < 0 || position > made.shard.n) {
        tmap_refuse_operand(error, 2, "position %d does not exist: the layout has %d iter%s", position, made.shard.n,
                            TMAP_PLURAL(made.shard.n));
        return tmap_say_fix(error, "0 to %d, or -1 for the position after the last iter", made.shard.n);
    }
    if (made.shard.n == TMAP_ITERS_MAX) return tmap_refuse_room(error);
    for (int i = made.shard.n++; i > position; i--) made.shard.at[i] = made.shard.at[i - 1];
    made.shard.at[position] = (tmap_iter){n, 0, axis};
    return tmap_layout_put(&made, out, error);
}

/* ---- Owners ----------------------------------------------------------------------------------------------------- */

static void keep_memory(const tmap_iters *iters, tmap_iters *out) {
    tmap_iters kept = {0};
    for (int i = 0; i < iters->n; i++)
        if (iters->at[i].axis->kind == TMAP_AXIS_MEMORY) kept.at[kept.n++] = iters->at[i];
    *out = kept;
}

void tmap_layout_storage(const tmap_layout *layout, tmap_layout *out) {
    tmap_layout made = *layout;
    keep_memory(&layout->shard, &made.shard);
    keep_memory(&layout->replica, &made.replica);
    made.offset.n = 0;
    for (int i = 0; i < layout->offset.n; i++)
        if (layout->offset.at[i].axis->kind == TMAP_AXIS_MEMORY) made.offset.at[made.offset.n++] = layout->offset.at[i];
    *out = made;
}

/* ---- Inverse ---------------------------------------------------------------------------------------------------- */

/* The index of the iter's axis in `axes`. */
static int order_of(const tmap_iter *iter, const tmap_axis *const *axes, int n) {
    int i = 0;
    while (i < n && !tmap_axis_same(axes[i], iter->axis)) i++;
    return i;
}

/* An iter with its weight in the index. */
typedef struct placed_iter {
    tmap_iter iter;
    int axis;
    int64_t weight;
} placed_iter;

/* Slow axes first; on one axis, long strides first. */
static bool is_before(const void *a, const void *b) {
    const placed_iter *x = a, *y = b;
    return x->axis < y->axis || (x->axis == y->axis && x->iter.stride > y->iter.stride);
}

static tmap_status refuse_inverse(const tmap_layout *layout, tmap_diag *error) {
    return tmap_refuse_with(error, 0,
                            "invert the layout without it; owners(L, place) returns the elements of one place",
                            "the layout has %s, so it does not map elements one to one to places from 0 on",
                            layout->has_swizzle     ? "a swizzle"
                            : layout->replica.n > 0 ? "replicas"
                                                    : "an offset");
}

/* On each axis the strides must be 1, e_1, e_1 e_2, ...: every coordinate from 0 on occurs once. */
tmap_status tmap_layout_inverse(const tmap_layout *layout, const tmap_axis *const *axes, int n, tmap_layout *out,
                                tmap_diag *error) {
    tmap_layout form, made = {0};
    placed_iter sorted[TMAP_ITERS_MAX];
    int64_t weight = 1, dense = 1;
    tmap_layout_canonical(layout, &form);
    if (form.has_swizzle || form.replica.n > 0 || form.offset.n > 0) return refuse_inverse(&form, error);
    if (tmap_layout_size(&form) == 1) form.shard.n = 0;
    for (int i = form.shard.n - 1; i >= 0; i--) {
        const tmap_iter *iter = &form.shard.at[i];
        int axis = order_of(iter, axes, n);
        if (axis == n)
            return tmap_refuse_with(error, 1, "name all axes of the layout", "axis %s is not among the axes",
                                    iter->axis->name);
        sorted[form.shard.n - 1 - i] = (placed_iter){*iter, axis, weight};
        weight *= iter->extent;
    }
    tmap_sort(sorted, form.shard.n, sizeof sorted[0], is_before);
    for (int i = form.shard.n - 1; i >= 0; i--) {
        if (i == form.shard.n - 1 || sorted[i].axis != sorted[i + 1].axis) dense = 1;
        if (sorted[i].iter.stride != dense)
            return tmap_refuse_with(
                error, 0, "a layout whose strides on every axis continue from 1 without gap or overlap",
                "a stride of %" PRId64 " on axis %s where %" PRId64 " would continue without gap or overlap",
                sorted[i].iter.stride, sorted[i].iter.axis->name, dense);
        dense *= sorted[i].iter.extent;
    }
    for (int i = 0; i < form.shard.n; i++)
        made.shard.at[made.shard.n++] =
            (tmap_iter){sorted[i].iter.extent, sorted[i].weight, tmap_axis_get(TMAP_AXIS_ID_M)};
    tmap_layout_canonical(&made, out);
    return TMAP_OK;
}
