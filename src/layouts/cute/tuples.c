/* CuTe layouts: their tuples and their functions. */
#include "cute/tuples.h"

#include "layout/xor_maps.h"

#include <stdlib.h>
#include <string.h>

/* ---- Building ---- */

static tmap_cute_node *push(tmap_cute_build *build) {
    static const tmap_cute_node nothing = {.nodes_n = 1};
    if (build->layout.nodes_n == TMAP_CUTE_NODES_MAX) {
        build->too_many = true;
        return NULL;
    }
    tmap_cute_node *node = &build->layout.nodes[build->layout.nodes_n++];
    *node = nothing;
    return node;
}

int tmap_cute_open(tmap_cute_build *build) {
    tmap_cute_node *node = push(build);
    if (node) node->tuple = true;
    return build->layout.nodes_n - 1;
}

int tmap_cute_begin_node(tmap_cute_build *build, bool tuple) {
    return tuple ? tmap_cute_open(build) : build->layout.nodes_n;
}

void tmap_cute_close(tmap_cute_build *build, int open) {
    if (build->too_many) return; /* the node may not exist */
    build->layout.nodes[open].nodes_n = build->layout.nodes_n - open;
}

bool tmap_cute_stride_fits(tmap_i128 stride) {
    return stride <= (tmap_i128)TMAP_CUTE_REACH_MAX && stride >= -(tmap_i128)TMAP_CUTE_REACH_MAX;
}

void tmap_cute_leaf(tmap_cute_build *build, uint64_t shape, tmap_i128 stride) {
    tmap_cute_node *node = push(build);
    if (!tmap_cute_stride_fits(stride)) build->too_large = true;
    if (!node || build->too_large) return;
    node->shape = shape;
    node->stride = (int64_t)stride;
}

void tmap_cute_append(tmap_cute_build *build, const tmap_cute *from, int node) {
    int n = from->nodes[node].nodes_n;
    if (n > TMAP_CUTE_NODES_MAX - build->layout.nodes_n) {
        build->too_many = true;
        return;
    }
    memmove(&build->layout.nodes[build->layout.nodes_n], &from->nodes[node], sizeof from->nodes[0] * (size_t)n);
    build->layout.nodes_n += n;
}

void tmap_cute_append_children(tmap_cute_build *build, const tmap_cute *from, int node) {
    for (int i = tmap_cute_first(from, node); i < tmap_cute_end(from, node); i = tmap_cute_next(from, i))
        tmap_cute_append(build, from, i);
}

/* Whether the size, and the largest magnitude for coordinates inside, are within the limit. */
static bool fits(const tmap_cute *layout) {
    tmap_u128 size = 1, reach = 0;
    for (int i = 0; i < layout->nodes_n; i++) {
        const tmap_cute_node *node = &layout->nodes[i];
        if (node->tuple) continue;
        if (node->shape == 0 || node->shape > TMAP_CUTE_REACH_MAX || !tmap_cute_stride_fits(node->stride)) return false;
        size *= node->shape;
        reach += (tmap_u128)(node->shape - 1) * (uint64_t)llabs(node->stride);
        if (size > TMAP_CUTE_REACH_MAX || reach > TMAP_CUTE_REACH_MAX) return false;
    }
    return true;
}

/* The notation cannot express a tuple without elements. */
static bool has_empty(const tmap_cute *layout) {
    for (int i = 0; i < layout->nodes_n; i++)
        if (layout->nodes[i].tuple && layout->nodes[i].nodes_n == 1) return true;
    return false;
}

/* Whether a tuple is nested deeper than the limit, `left` levels below the node. */
static bool too_deep(const tmap_cute *layout, int node, int left) {
    if (!layout->nodes[node].tuple) return false;
    if (left == 0) return true;
    for (int i = node + 1; i < tmap_cute_end(layout, node); i = tmap_cute_next(layout, i))
        if (too_deep(layout, i, left - 1)) return true;
    return false;
}

void tmap_cute_fill_strides(tmap_cute_build *build) {
    tmap_u128 stride = 1;
    for (int i = 0; i < build->layout.nodes_n; i++) {
        tmap_cute_node *node = &build->layout.nodes[i];
        if (node->tuple) continue;
        node->stride = (int64_t)stride;
        stride *= node->shape;
        if (stride > TMAP_CUTE_REACH_MAX) return; /* tmap_cute_built refuses this size */
    }
}

tmap_status tmap_cute_built(const tmap_cute_build *build, const tmap_cute *like, tmap_operation operation,
                            tmap_cute *result, tmap_diag *error) {
    if (build->too_many)
        return tmap_refuse_operation(error, operation, "coalesce the layouts first",
                                     "more than %d parts and parentheses", TMAP_CUTE_NODES_MAX);
    if (build->too_large || !fits(&build->layout))
        return tmap_refuse_operation(error, operation, "use smaller shapes and strides",
                                     "the layout's size or its largest value is above 2^62");
    if (has_empty(&build->layout))
        return tmap_refuse_operation(error, operation, "a shape of at least one number", "a tuple is empty");
    if (too_deep(&build->layout, 0, TMAP_CUTE_DEPTH_MAX))
        return tmap_refuse_operation(error, operation, "coalesce the layouts first", "tuples nested deeper than %d",
                                     TMAP_CUTE_DEPTH_MAX);
    tmap_xor swizzle = like ? like->swizzle : (tmap_xor){0};
    int64_t offset = like ? like->offset : 0;
    *result = build->layout;
    result->swizzle = swizzle;
    result->offset = offset;
    return TMAP_OK;
}

/* ---- Reading ---- */

int tmap_cute_first(const tmap_cute *layout, int node) {
    return layout->nodes[node].tuple ? node + 1 : node;
}

int tmap_cute_end(const tmap_cute *layout, int node) {
    return node + layout->nodes[node].nodes_n;
}

int tmap_cute_next(const tmap_cute *layout, int node) {
    return node + layout->nodes[node].nodes_n;
}

void tmap_cute_leaves_add(tmap_iters *leaves, uint64_t shape, int64_t stride) {
    if (shape > 1) (void)tmap_iters_add(leaves, (tmap_iter){(int64_t)shape, stride, tmap_axis_get(TMAP_AXIS_ID_M)});
}

void tmap_cute_leaves_of(const tmap_cute *layout, int node, tmap_iters *leaves) {
    leaves->n = 0;
    for (int i = node; i < tmap_cute_end(layout, node); i++)
        if (!layout->nodes[i].tuple) tmap_cute_leaves_add(leaves, layout->nodes[i].shape, layout->nodes[i].stride);
}

void tmap_cute_leaves_coalesce(const tmap_iters *leaves, tmap_iters *merged) {
    const int n = leaves->n;
    merged->n = 0;
    for (int i = 0; i < n; i++) {
        const tmap_iter leaf = leaves->at[i];
        tmap_iter *before = merged->n > 0 ? &merged->at[merged->n - 1] : NULL;
        if (before && (tmap_i128)before->stride * before->extent == leaf.stride)
            before->extent *= leaf.extent;
        else
            (void)tmap_iters_add(merged, leaf);
    }
    if (merged->n == 0) (void)tmap_iters_add(merged, (tmap_iter){1, 0, tmap_axis_get(TMAP_AXIS_ID_M)});
}

void tmap_cute_append_leaves(tmap_cute_build *build, const tmap_iters *leaves) {
    tmap_iters merged;
    tmap_cute_leaves_coalesce(leaves, &merged);
    int open = tmap_cute_begin_node(build, merged.n != 1);
    for (int i = 0; i < merged.n; i++) tmap_cute_leaf(build, (uint64_t)merged.at[i].extent, merged.at[i].stride);
    tmap_cute_close(build, open);
}

tmap_status tmap_cute_of_leaves(const tmap_iters *leaves, tmap_operation operation, tmap_cute *result,
                                tmap_diag *error) {
    tmap_cute_build build = {.too_many = false};
    tmap_cute_append_leaves(&build, leaves);
    return tmap_cute_built(&build, NULL, operation, result, error);
}

tmap_status tmap_cute_refuse_swizzle(const tmap_cute *layout, tmap_operation operation, tmap_diag *error) {
    if (layout->swizzle.b == 0 && layout->offset == 0) return TMAP_OK;
    return tmap_refuse_operation(error, operation, "use a layout without swizzle and offset",
                                 "the layout has a swizzle or an offset");
}

/* ---- The function ---- */

uint64_t tmap_cute_size(const tmap_cute *layout) {
    uint64_t size = 1;
    for (int i = 0; i < layout->nodes_n; i++)
        if (!layout->nodes[i].tuple) size *= layout->nodes[i].shape;
    return size;
}

/* The contribution of a node to the value of its coordinate: the last leaf uses the rest of the coordinate. */
static int64_t part_of(const tmap_cute *layout, int node, uint64_t coordinate) {
    int64_t value = 0;
    int last = tmap_cute_end(layout, node) - 1;
    for (int i = node; i <= last; i++) {
        const tmap_cute_node *leaf = &layout->nodes[i];
        if (leaf->tuple) continue;
        uint64_t digit = i < last ? coordinate % leaf->shape : coordinate;
        coordinate /= leaf->shape;
        value += (int64_t)digit * leaf->stride;
    }
    return value;
}

int64_t tmap_cute_cosize(const tmap_cute *layout) {
    return part_of(layout, 0, tmap_cute_size(layout) - 1) + 1;
}

int tmap_cute_rank(const tmap_cute *layout) {
    int rank = 0;
    for (int i = tmap_cute_first(layout, 0); i < tmap_cute_end(layout, 0); i = tmap_cute_next(layout, i)) rank++;
    return rank;
}

int64_t tmap_cute_at(const tmap_cute *layout, uint64_t coordinate) {
    return tmap_xor_apply(&layout->swizzle, layout->offset + part_of(layout, 0, coordinate));
}

int64_t tmap_cute_at_modes(const tmap_cute *layout, const uint64_t *coordinates) {
    int64_t value = layout->offset;
    int mode = 0;
    for (int i = tmap_cute_first(layout, 0); i < tmap_cute_end(layout, 0); i = tmap_cute_next(layout, i))
        value += part_of(layout, i, coordinates[mode++]);
    return tmap_xor_apply(&layout->swizzle, value);
}

/* ---- Comparing ---- */

static bool same_node(const tmap_cute_node *a, const tmap_cute_node *b) {
    return a->tuple == b->tuple && a->nodes_n == b->nodes_n &&
           (a->tuple || (a->shape == b->shape && a->stride == b->stride));
}

bool tmap_cute_equal(const tmap_cute *a, const tmap_cute *b) {
    if (a->nodes_n != b->nodes_n || a->offset != b->offset || !tmap_xor_same(&a->swizzle, &b->swizzle)) return false;
    for (int i = 0; i < a->nodes_n; i++)
        if (!same_node(&a->nodes[i], &b->nodes[i])) return false;
    return true;
}

static uint64_t size_below(const tmap_cute *layout, int node) {
    uint64_t size = 1;
    for (int i = node; i < tmap_cute_end(layout, node); i++)
        if (!layout->nodes[i].tuple) size *= layout->nodes[i].shape;
    return size;
}

/* Whether the shape at node k of b is the shape at node i of a with leaves split. */
static bool splits(const tmap_cute *a, int i, const tmap_cute *b, int k) {
    if (!a->nodes[i].tuple) return a->nodes[i].shape == size_below(b, k);
    if (!b->nodes[k].tuple) return false;
    int end_a = tmap_cute_end(a, i), end_b = tmap_cute_end(b, k);
    for (i++, k++; i < end_a; i = tmap_cute_next(a, i), k = tmap_cute_next(b, k))
        if (k == end_b || !splits(a, i, b, k)) return false;
    return k == end_b;
}

bool tmap_cute_compatible(const tmap_cute *a, const tmap_cute *b) {
    return splits(a, 0, b, 0);
}

/* ---- Making ---- */

tmap_status tmap_cute_mode(const tmap_cute *layout, int mode, tmap_cute *result, tmap_diag *error) {
    int rank = tmap_cute_rank(layout), node = tmap_cute_first(layout, 0);
    if (mode < 0 || mode >= rank)
        return tmap_refuse_operation(error, TMAP_OPERATION("mode"), "number modes from 0",
                                     "mode %d does not exist: the layout has %d mode%s", mode, rank, TMAP_PLURAL(rank));
    for (; mode > 0; mode--) node = tmap_cute_next(layout, node);
    tmap_cute_build build = {.too_many = false};
    tmap_cute_append(&build, layout, node);
    return tmap_cute_built(&build, NULL, TMAP_OPERATION("mode"), result, error);
}

tmap_status tmap_cute_concat(const tmap_cute *parts, int parts_n, tmap_cute *result, tmap_diag *error) {
    tmap_cute_build build = {.too_many = false};
    int open = tmap_cute_open(&build);
    for (int i = 0; i < parts_n; i++) {
        tmap_status status = tmap_cute_refuse_swizzle(&parts[i], TMAP_OPERATION("concat"), error);
        if (status != TMAP_OK) return status;
        tmap_cute_append(&build, &parts[i], 0);
    }
    tmap_cute_close(&build, open);
    return tmap_cute_built(&build, NULL, TMAP_OPERATION("concat"), result, error);
}
