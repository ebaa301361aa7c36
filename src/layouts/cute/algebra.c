/* The algebra of CuTe layouts: coalesce, composition, complement, inverses. Source: CuTe's "Layout Algebra" chapter. */
#include "cute/tuples.h"

#include <inttypes.h>

/* ---- Coalesce ---- */

static void append_coalesced(tmap_cute_build *build, const tmap_cute *layout, int node) {
    tmap_iters leaves;
    tmap_cute_leaves_of(layout, node, &leaves);
    tmap_cute_append_leaves(build, &leaves);
}

tmap_status tmap_cute_coalesce(const tmap_cute *layout, tmap_cute *result, tmap_diag *error) {
    tmap_cute_build build = {.too_many = false};
    append_coalesced(&build, layout, 0);
    return tmap_cute_built(&build, layout, TMAP_OPERATION("coalesce"), result, error);
}

tmap_status tmap_cute_coalesce_modes(const tmap_cute *layout, tmap_cute *result, tmap_diag *error) {
    tmap_cute_build build = {.too_many = false};
    int open = tmap_cute_begin_node(&build, layout->nodes[0].tuple);
    for (int i = tmap_cute_first(layout, 0); i < tmap_cute_end(layout, 0); i = tmap_cute_next(layout, i))
        append_coalesced(&build, layout, i);
    tmap_cute_close(&build, open);
    return tmap_cute_built(&build, layout, TMAP_OPERATION("coalesce"), result, error);
}

/*
 * ---- Composition ----
 *
 * A leaf s:d of b selects every d-th element of a, s elements in all. The composition goes through a's coalesced leaves
 * from the left, each of a shape t:
 *
 * - If (s - 1) d is below t, or in the last leaf, the digit of the leaf has the values 0, d, 2d, ..., (s - 1) d.
 * - Else, if d divides t and t/d divides s, the digit has the t/d values below t. The next leaf has s / (t/d), step 1.
 * - Else, if t divides d, the leaf has no digit. The next leaf has s, step d/t.
 * - All other leaves are refused.
 *
 * Leaves of b are composed one by one. This is correct if and only if their digits in a leaf of a never add up to its
 * shape. Otherwise a coordinate carries into the next leaf, which has another stride after coalescing. `used` is the
 * sum of the largest digits.
 */
typedef struct composition {
    tmap_iters a;
    tmap_u128 used[TMAP_ITERS_MAX];
    tmap_cute_build build;
    tmap_diag *error;
} composition;

typedef struct stride_run {
    uint64_t shape, stride; /* the rest of the leaf of b */
    tmap_iters taken;
} stride_run;

static void take(composition *c, stride_run *r, int k, uint64_t n) {
    tmap_i128 stride = (tmap_i128)r->stride * c->a.at[k].stride;
    if (n == 1) return;
    if (!tmap_cute_stride_fits(stride)) c->build.too_large = true;
    c->used[k] += (tmap_u128)(n - 1) * r->stride;
    tmap_cute_leaves_add(&r->taken, n, (int64_t)stride);
    r->shape /= n;
}

/* Uses the digits of leaf k of a, which is not the last leaf. */
static bool take_digits(composition *c, stride_run *r, int k) {
    uint64_t t = (uint64_t)c->a.at[k].extent, n = 1, next = 1;
    if ((tmap_u128)(r->shape - 1) * r->stride < t) {
        take(c, r, k, r->shape);
        return true;
    }
    if (r->stride % t == 0) /* NOLINT(clang-analyzer-core.DivideZero): shapes are 1 or more */
        next = r->stride / t;
    else if (t % r->stride == 0)
        n = t / r->stride;
    else
        return false;
    if (r->shape % n != 0) return false;
    take(c, r, k, n);
    r->stride = next;
    return true;
}

static tmap_status refuse_leaf(const composition *c, uint64_t shape, int64_t stride, int k) {
    return tmap_refuse_operation(c->error, TMAP_FITTED("composition"),
                                 "use strides and shapes that divide the left layout's, or are multiples",
                                 "%" PRIu64 ":%" PRId64 " does not fit the left layout's leaf %" PRId64 ":%" PRId64,
                                 shape, stride, c->a.at[k].extent, c->a.at[k].stride);
}

static tmap_status compose_leaf(composition *c, uint64_t shape, int64_t stride) {
    if (stride < 0)
        return tmap_refuse_operation(c->error, TMAP_FITTED("composition"), "use strides of 0 or more",
                                     "stride %" PRId64 " on the right", stride);
    if (shape == 1 || stride == 0) {
        tmap_cute_leaf(&c->build, shape, 0);
        return TMAP_OK;
    }
    stride_run r = {.shape = shape, .stride = (uint64_t)stride};
    for (int k = 0; k + 1 < c->a.n; k++)
        if (!take_digits(c, &r, k)) return refuse_leaf(c, shape, stride, k);
    take(c, &r, c->a.n - 1, r.shape);
    tmap_cute_append_leaves(&c->build, &r.taken);
    return TMAP_OK;
}

static tmap_status check_carries(const composition *c) {
    for (int k = 0; k + 1 < c->a.n; k++)
        if (c->used[k] >= (uint64_t)c->a.at[k].extent)
            return tmap_refuse_operation(c->error, TMAP_FITTED("composition"),
                                         "use a right layout whose modes do not overlap",
                                         "modes of the right layout add up past the left layout's leaf %" PRId64
                                         ":%" PRId64 ": no layout represents this function",
                                         c->a.at[k].extent, c->a.at[k].stride);
    return TMAP_OK;
}

/* Appends a o the subtree of b. */
static tmap_status compose_nodes(composition *c, const tmap_cute *b, int node) {
    if (!b->nodes[node].tuple) return compose_leaf(c, b->nodes[node].shape, b->nodes[node].stride);
    tmap_status status = TMAP_OK;
    int open = tmap_cute_open(&c->build);
    for (int i = node + 1; status == TMAP_OK && i < tmap_cute_end(b, node); i = tmap_cute_next(b, i))
        status = compose_nodes(c, b, i);
    tmap_cute_close(&c->build, open);
    return status;
}

tmap_status tmap_cute_compose(const tmap_cute *a, const tmap_cute *b, tmap_cute *result, tmap_diag *error) {
    tmap_status status = tmap_cute_refuse_swizzle(b, TMAP_FITTED("composition"), error);
    if (status != TMAP_OK) return status;
    composition c = {.error = error};
    tmap_cute_leaves_of(a, 0, &c.a);
    tmap_cute_leaves_coalesce(&c.a, &c.a);
    status = compose_nodes(&c, b, 0);
    if (status == TMAP_OK) status = check_carries(&c);
    return status == TMAP_OK ? tmap_cute_built(&c.build, a, TMAP_FITTED("composition"), result, error) : status;
}

/* ---- Complement ---- */

static bool has_shorter_stride(const void *a, const void *b) {
    return ((const tmap_iter *)a)->stride < ((const tmap_iter *)b)->stride;
}

/* The gap below each stride, in increasing order, then the repetition up to the target. */
static tmap_status gaps_of(const tmap_iters *leaves, uint64_t cotarget, tmap_iters *gaps, tmap_diag *error) {
    uint64_t covered = 1;
    gaps->n = 0;
    for (int i = 0; i < leaves->n; i++) {
        const tmap_iter *leaf = &leaves->at[i];
        uint64_t stride = (uint64_t)leaf->stride;
        if (leaf->stride == 0 || leaf->extent == 1) continue;
        if (leaf->stride < 0)
            return tmap_refuse_operation(error, TMAP_OPERATION("complement"), "use strides of 0 or more",
                                         "the leaf %" PRId64 ":%" PRId64 " has a negative stride", leaf->extent,
                                         leaf->stride);
        if (stride < covered)
            return tmap_refuse_operation(error, TMAP_OPERATION("complement"), "use a layout with distinct values",
                                         "the leaf %" PRId64 ":%" PRId64 " overlaps another leaf", leaf->extent,
                                         leaf->stride);
        tmap_cute_leaves_add(gaps, stride / covered, (int64_t)covered);
        tmap_u128 next = (tmap_u128)stride * (uint64_t)leaf->extent;
        if (next > TMAP_CUTE_REACH_MAX)
            return tmap_refuse_operation(error, TMAP_OPERATION("complement"), "use smaller strides",
                                         "the layout reaches 2^62");
        covered = (uint64_t)next;
    }
    tmap_cute_leaves_add(gaps, tmap_ceil_div(cotarget, covered), (int64_t)covered);
    return TMAP_OK;
}

tmap_status tmap_cute_complement(const tmap_cute *layout, uint64_t cotarget, tmap_cute *result, tmap_diag *error) {
    tmap_status status = tmap_cute_refuse_swizzle(layout, TMAP_OPERATION("complement"), error);
    if (status != TMAP_OK) return status;
    if (cotarget == 0 || cotarget > TMAP_CUTE_REACH_MAX)
        return tmap_refuse_operation(error, TMAP_OPERATION("complement"), "use a target of 1 to 2^62",
                                     "the target is %" PRIu64, cotarget);
    tmap_iters leaves, gaps;
    tmap_cute_leaves_of(layout, 0, &leaves);
    tmap_cute_leaves_coalesce(&leaves, &leaves);
    tmap_sort(leaves.at, leaves.n, sizeof leaves.at[0], has_shorter_stride);
    status = gaps_of(&leaves, cotarget, &gaps, error);
    return status == TMAP_OK ? tmap_cute_of_leaves(&gaps, TMAP_OPERATION("complement"), result, error) : status;
}

/* ---- Inverses ---- */

/* The leaves in the order of their strides, as long as they are contiguous from 1, each with its step in the
 * coordinate. */
static void contiguous_leaves(const tmap_iters *leaves, tmap_iters *inverse) {
    int64_t reached = 1;
    inverse->n = 0;
    for (bool found = true; found;) {
        int64_t step = 1;
        found = false;
        for (int i = 0; i < leaves->n && !found; step *= leaves->at[i++].extent) {
            if (leaves->at[i].stride != reached) continue;
            tmap_cute_leaves_add(inverse, (uint64_t)leaves->at[i].extent, step);
            reached *= leaves->at[i].extent;
            found = true;
        }
    }
}

tmap_status tmap_cute_right_inverse(const tmap_cute *layout, tmap_cute *result, tmap_diag *error) {
    tmap_status status = tmap_cute_refuse_swizzle(layout, TMAP_OPERATION("right_inverse"), error);
    if (status != TMAP_OK) return status;
    tmap_iters leaves, inverse;
    tmap_cute_leaves_of(layout, 0, &leaves);
    contiguous_leaves(&leaves, &inverse);
    return tmap_cute_of_leaves(&inverse, TMAP_OPERATION("right_inverse"), result, error);
}

tmap_status tmap_cute_left_inverse(const tmap_cute *layout, tmap_cute *result, tmap_diag *error) {
    tmap_cute parts[2], both;
    tmap_status status = tmap_cute_complement(layout, 1, &parts[1], error);
    if (status != TMAP_OK) return status;
    parts[0] = *layout;
    status = tmap_cute_concat(parts, 2, &both, error);
    return status == TMAP_OK ? tmap_cute_right_inverse(&both, result, error) : status;
}

/*
 * ---- Runs that two layouts have in common ----
 *
 * Along a leaf s:d of b's inverse, the values of b are 0, `reached`, 2 `reached`, and so on. The values of a are the
 * same if d is e steps in one leaf of a, and e times the stride of that leaf is `reached`. `below` is the number of
 * coordinates in the leaves before that leaf. Returns how many of the s values are in that leaf; 1: only the value 0.
 */
static uint64_t steps_in(const tmap_iters *a, const tmap_iter *step, uint64_t reached) {
    uint64_t below = 1, d = (uint64_t)step->stride;
    for (int k = 0; k < a->n; below *= (uint64_t)a->at[k++].extent) {
        uint64_t e = d / below, shape = (uint64_t)a->at[k].extent;
        if (d % below != 0 || e >= shape) continue;
        if ((tmap_u128)e * (uint64_t)a->at[k].stride != reached) return 1;
        return (uint64_t)tmap_smaller((int64_t)tmap_ceil_div(shape, e), step->extent);
    }
    return 1;
}

tmap_status tmap_cute_common(const tmap_cute *a, const tmap_cute *b, tmap_cute *result, tmap_diag *error) {
    tmap_cute inverse;
    tmap_status status = tmap_cute_refuse_swizzle(a, TMAP_OPERATION("max_common_layout"), error);
    if (status == TMAP_OK) status = tmap_cute_right_inverse(b, &inverse, error);
    if (status != TMAP_OK) return status;
    tmap_iters of_a, steps, common;
    tmap_cute_leaves_of(a, 0, &of_a);
    tmap_cute_leaves_coalesce(&of_a, &of_a);
    tmap_cute_leaves_of(&inverse, 0, &steps);
    common.n = 0;
    uint64_t reached = 1, taken = 0;
    for (int j = 0; j < steps.n && (j == 0 || taken == (uint64_t)steps.at[j - 1].extent); j++) {
        taken = steps_in(&of_a, &steps.at[j], reached);
        tmap_cute_leaves_add(&common, taken, steps.at[j].stride);
        reached *= taken;
    }
    return tmap_cute_of_leaves(&common, TMAP_OPERATION("max_common_layout"), result, error);
}
