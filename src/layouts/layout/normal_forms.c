/* layout: normal forms of a layout: canonical, normal, with thread axes fused. */
#include <stdlib.h>
#include <string.h>

#include "layout/iter_lists.h"

void tmap_iters_merge(const tmap_iter *iters, int n, tmap_iters *out) {
    out->n = 0;
    for (int i = 0; i < n; i++) {
        tmap_iter iter = iters[i], *before = out->n > 0 ? &out->at[out->n - 1] : NULL;
        if (iter.extent == 1) continue;
        if (before && tmap_axis_same(before->axis, iter.axis) &&
            (tmap_i128)before->stride == (tmap_i128)iter.extent * iter.stride) {
            before->extent *= iter.extent;
            before->stride = iter.stride;
        } else {
            out->at[out->n++] = iter;
        }
    }
}

static bool is_before(const void *a, const void *b) {
    const tmap_iter *x = a, *y = b;
    int order = strcmp(x->axis->name, y->axis->name);
    return order < 0 || (order == 0 && (x->stride > y->stride || (x->stride == y->stride && x->extent > y->extent)));
}

/* Sorts by axis, then by longest stride, then by largest extent. Drops iters of extent 1. */
static void sort_replica(tmap_iters *iters) {
    int n = 0;
    for (int i = 0; i < iters->n; i++)
        if (iters->at[i].extent != 1) iters->at[n++] = iters->at[i];
    iters->n = n;
    tmap_sort(iters->at, n, sizeof iters->at[0], is_before);
}

void tmap_layout_canonical(const tmap_layout *layout, tmap_layout *out) {
    const tmap_axis *axis = layout->shard.n > 0 ? layout->shard.at[0].axis : tmap_axis_get(TMAP_AXIS_ID_M);
    if (out != layout) *out = *layout;
    tmap_iters_merge(out->shard.at, out->shard.n, &out->shard);
    if (out->shard.n == 0) out->shard.at[out->shard.n++] = (tmap_iter){1, 1, axis};
    sort_replica(&out->replica);
}

/*
 * The normal form of the shard: a function has exactly one list of merged iters, if iters of stride 0 are on one axis.
 * Reason: from index x to x + 1 the position moves by the innermost stride; the first step with another distance shows
 * the end of the innermost iter, and in the same way the ends of the outer iters follow. The normal form of the
 * replica: the set of positions stays the same if a stride changes its sign and the offset moves to the other end of
 * the iter, and if neighbours that continue each other are merged.
 */
void tmap_layout_normal(const tmap_layout *layout, tmap_layout *out) {
    tmap_iters turned = {.n = 0};
    if (out != layout) *out = *layout;
    for (int i = 0; i < out->shard.n; i++)
        if (out->shard.at[i].stride == 0) out->shard.at[i].axis = tmap_axis_get(TMAP_AXIS_ID_M);
    tmap_iters_merge(out->shard.at, out->shard.n, &out->shard);
    for (int i = 0; i < out->replica.n; i++) {
        tmap_iter iter = out->replica.at[i];
        if (iter.stride == 0 || iter.extent == 1) continue;
        /* cannot overflow: the product is part of the axis' reach */
        (void)tmap_values_add(&out->offset, iter.axis, tmap_smaller((iter.extent - 1) * iter.stride, 0));
        iter.stride = llabs(iter.stride);
        (void)tmap_iters_add(&turned, iter);
    }
    sort_replica(&turned);
    tmap_iters_merge(turned.at, turned.n, &out->replica);
    if (out->has_swizzle && out->swizzle.b == 0) out->has_swizzle = false;
    if (!out->has_swizzle) out->swizzle = (tmap_xor){0};
}

bool tmap_layout_is_trivial(const tmap_layout *layout) {
    tmap_layout form;
    tmap_layout_canonical(layout, &form);
    if (form.has_swizzle || form.replica.n > 0 || form.offset.n > 0 || form.shard.n > 1) return false;
    const tmap_iter *only = &form.shard.at[0];
    return only->extent == 1 || (only->axis->kind == TMAP_AXIS_MEMORY && only->stride == 1);
}

/* ---- Thread axes ------------------------------------------------------------------------------------------------ */

/* The axis that replaces another axis, for a layout with this smallest unit and largest scope. */
typedef struct fuse_row {
    tmap_scope scope, unit;
    tmap_axis_id from, to;
    int64_t times;
} fuse_row;

static const fuse_row fuse_rows[] = {
    {TMAP_SCOPE_CTA, TMAP_SCOPE_THREAD, TMAP_AXIS_ID_LANEID, TMAP_AXIS_ID_TX, 1},
    {TMAP_SCOPE_CTA, TMAP_SCOPE_THREAD, TMAP_AXIS_ID_WARPID, TMAP_AXIS_ID_TX, 32},
    {TMAP_SCOPE_CTA, TMAP_SCOPE_THREAD, TMAP_AXIS_ID_WGID, TMAP_AXIS_ID_TX, 128},
    {TMAP_SCOPE_CTA, TMAP_SCOPE_THREAD, TMAP_AXIS_ID_WID_IN_WG, TMAP_AXIS_ID_TX, 32},
    {TMAP_SCOPE_CTA, TMAP_SCOPE_THREAD, TMAP_AXIS_ID_TID_IN_WG, TMAP_AXIS_ID_TX, 1},
    {TMAP_SCOPE_WARPGROUP, TMAP_SCOPE_THREAD, TMAP_AXIS_ID_LANEID, TMAP_AXIS_ID_TID_IN_WG, 1},
    {TMAP_SCOPE_WARPGROUP, TMAP_SCOPE_THREAD, TMAP_AXIS_ID_WID_IN_WG, TMAP_AXIS_ID_TID_IN_WG, 32},
    {TMAP_SCOPE_CTA, TMAP_SCOPE_WARP, TMAP_AXIS_ID_WID_IN_WG, TMAP_AXIS_ID_WARPID, 1},
    {TMAP_SCOPE_CTA, TMAP_SCOPE_WARP, TMAP_AXIS_ID_WGID, TMAP_AXIS_ID_WARPID, 4},
};

static const tmap_axis *fuse(tmap_scope unit, tmap_scope scope, const tmap_axis *axis, int64_t *times) {
    *times = 1;
    for (size_t i = 0; i < sizeof fuse_rows / sizeof fuse_rows[0]; i++) {
        const fuse_row row = fuse_rows[i];
        if (row.unit != unit || row.scope != scope || !tmap_axis_same(axis, tmap_axis_get((int)row.from))) continue;
        *times = row.times;
        return tmap_axis_get((int)row.to);
    }
    return axis;
}

static bool fuse_iters(tmap_iters *iters, tmap_scope unit, tmap_scope scope) {
    for (int i = 0; i < iters->n; i++) {
        int64_t times;
        iters->at[i].axis = fuse(unit, scope, iters->at[i].axis, &times);
        if (__builtin_mul_overflow(iters->at[i].stride, times, &iters->at[i].stride)) return false;
    }
    return true;
}

static bool fuse_offset(const tmap_axis_values *offset, tmap_scope unit, tmap_scope scope, tmap_axis_values *out) {
    tmap_axis_values fused = {0};
    for (int i = 0; i < offset->n; i++) {
        int64_t times, value;
        const tmap_axis *axis = fuse(unit, scope, offset->at[i].axis, &times);
        if (__builtin_mul_overflow(offset->at[i].value, times, &value) || !tmap_values_add(&fused, axis, value))
            return false;
    }
    *out = fused;
    return true;
}

tmap_status tmap_layout_fused(const tmap_layout *layout, tmap_layout *out, tmap_diag *error) {
    tmap_scope unit = TMAP_SCOPE_CTA, scope = TMAP_SCOPE_CTA;
    if (tmap_layout_scopes(layout, &unit, &scope, error) != TMAP_OK) return TMAP_REFUSED;
    tmap_layout made = *layout;
    if (!fuse_iters(&made.shard, unit, scope) || !fuse_iters(&made.replica, unit, scope) ||
        !fuse_offset(&layout->offset, unit, scope, &made.offset))
        return tmap_refuse_overflow(error, "a fused stride", "smaller extents or strides");
    tmap_layout_canonical(&made, &made);
    return tmap_layout_put(&made, out, error);
}

/* ---- Scopes ----------------------------------------------------------------------------------------------------- */

#define LEVELS (TMAP_SCOPE_KERNEL + 1)

/* Stores an axis under its unit. Refuses if an earlier axis counts the same unit inside another scope. */
static tmap_status enter_scope(const tmap_axis *of_unit[LEVELS], const tmap_axis *axis, tmap_diag *error) {
    if (axis->kind != TMAP_AXIS_THREAD || axis->unit == TMAP_SCOPE_NONE) return TMAP_OK;
    const tmap_axis **slot = &of_unit[axis->unit], *before = *slot;
    if (!before) *slot = axis;
    if (!before || before->scope == axis->scope) return TMAP_OK;
    return tmap_refuse_with(error, 0, "use one of the two axes", "%s counts %ss of a %s, and %s %ss of a %s",
                            before->name, tmap_scope_name(before->unit), tmap_scope_name(before->scope), axis->name,
                            tmap_scope_name(axis->unit), tmap_scope_name(axis->scope));
}

tmap_status tmap_layout_scopes(const tmap_layout *layout, tmap_scope *unit, tmap_scope *scope, tmap_diag *error) {
    const tmap_axis *axes[TMAP_AXES_MAX], *of_unit[LEVELS] = {0};
    int n = tmap_layout_axes(layout, axes);
    for (int i = 0; i < n; i++)
        if (enter_scope(of_unit, axes[i], error) != TMAP_OK) return TMAP_REFUSED;
    tmap_scope first = TMAP_SCOPE_NONE, last = TMAP_SCOPE_NONE;
    for (int level = 0; level < LEVELS; level++) {
        if (!of_unit[level]) continue;
        if (first == TMAP_SCOPE_NONE) first = last = (tmap_scope)level;
        if (last != (tmap_scope)level) {
            tmap_refuse_operand(error, 0, "%s counts %ss, and no axis selects the %s", of_unit[level]->name,
                                tmap_scope_name((tmap_scope)level), tmap_scope_name(last));
            return tmap_say_fix(error, "an axis of %ss inside a %s", tmap_scope_name(last),
                                tmap_scope_name((tmap_scope)level));
        }
        last = of_unit[level]->scope;
    }
    if (unit) *unit = first;
    if (scope) *scope = last;
    return TMAP_OK;
}
