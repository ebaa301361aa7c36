/*
 * layout: the elements at a place. A search over the digits, with the longest stride first. The range of the other
 * iters bounds each digit, so the search of a layout whose strides do not overlap never goes back.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "layout/iter_lists.h"
#include "tmap/unstable/layout_swizzle.h"

#define STEPS_DEFAULT ((uint64_t)1 << 24)

/* One iter in the order of the search. An iter on an axis that the place does not have is free: its stride is 0. */
typedef struct owner_iter {
    int64_t extent, stride;
    int axis;          /* index in `left` */
    int64_t weight;    /* of a digit in the element's number; 0 for replicas */
    int64_t low, high; /* range of the sum of the later iters on the same axis */
} owner_iter;

typedef struct owner_search {
    owner_iter iters[2 * TMAP_ITERS_MAX];
    int n;
    int64_t left[TMAP_AXES_MAX]; /* the distance that remains, for each axis */
    uint64_t steps;
    int64_t *indices;
    size_t capacity, stored;
    uint64_t found;
} owner_search;

typedef enum owner_result { OWNER_NONE, OWNER_FOUND, OWNER_STOPPED } owner_result;

/* Keeps the smallest numbers as a heap, the largest of them first. Every element is stored once: shard digits differ,
 * and the search of replicas ends at the first. */
static void store(owner_search *s, int64_t index) {
    int64_t *heap = s->indices;
    size_t at = 0;
    s->found++;
    if (s->stored < s->capacity) {
        at = s->stored++;
        for (; at > 0 && heap[(at - 1) / 2] < index; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    } else if (s->capacity == 0 || heap[0] < index)
        return;
    else
        for (size_t below = 1; below < s->stored; below = 2 * at + 1) {
            below += below + 1 < s->stored && heap[below + 1] > heap[below];
            if (heap[below] < index) break;
            heap[at] = heap[below];
            at = below;
        }
    heap[at] = index;
}

/* Digits with `left - digit * stride` within low .. high. */
static tmap_interval digits_of(const owner_iter *iter, int64_t left) {
    tmap_interval all = {0, iter->extent - 1};
    if (iter->stride == 0) return all;
    int64_t from = left - iter->high, to = left - iter->low, step = llabs(iter->stride);
    if (iter->stride < 0) from = iter->low - left, to = iter->high - left;
    int64_t first = (from + tmap_past_multiple(-(tmap_i128)from, step)) / step;
    return (tmap_interval){tmap_larger(first, 0), tmap_smaller((to - tmap_past_multiple(to, step)) / step, all.high)};
}

/* The number of iters bounds the depth. On every axis the distance that remains is within the range of the iters that
 * remain: 0 after the last. */
static owner_result search(owner_search *s, int depth, int64_t index) {
    if (s->steps == 0) return OWNER_STOPPED;
    s->steps--;
    if (depth == s->n) {
        store(s, index);
        return OWNER_FOUND;
    }
    const owner_iter *iter = &s->iters[depth];
    tmap_interval range = digits_of(iter, s->left[iter->axis]);
    owner_result all = OWNER_NONE;
    for (int64_t digit = range.low; digit <= range.high; digit++) {
        s->left[iter->axis] -= digit * iter->stride;
        owner_result one = search(s, depth + 1, index + digit * iter->weight);
        s->left[iter->axis] += digit * iter->stride;
        if (one != OWNER_NONE) all = one;
        if (one == OWNER_STOPPED || (one == OWNER_FOUND && iter->weight == 0)) break;
    }
    return all;
}

/* Shard iters first; among them, and among replicas, longer strides first. */
static bool is_before(const void *a, const void *b) {
    const owner_iter *x = a, *y = b;
    bool x_is_replica = x->weight == 0, y_is_replica = y->weight == 0;
    return x_is_replica == y_is_replica ? llabs(x->stride) > llabs(y->stride) : y_is_replica;
}

static void add_iters(owner_search *s, const tmap_iters *iters, const tmap_axis_values *place, bool replica) {
    int64_t weight = 1;
    for (int i = iters->n - 1; i >= 0; i--) {
        const tmap_iter *iter = &iters->at[i];
        int axis = place->n - 1;
        while (axis >= 0 && !tmap_axis_same(place->at[axis].axis, iter->axis)) axis--;
        owner_iter one = {.extent = iter->extent, .weight = replica ? 0 : weight};
        if (axis >= 0) one.axis = axis, one.stride = iter->stride;
        if (iter->extent > 1 && (!replica || one.stride != 0)) s->iters[s->n++] = one;
        weight *= iter->extent;
    }
}

static void bound(owner_search *s) {
    int64_t low[TMAP_AXES_MAX] = {0}, high[TMAP_AXES_MAX] = {0};
    for (int i = s->n - 1; i >= 0; i--) {
        owner_iter *iter = &s->iters[i];
        iter->low = low[iter->axis], iter->high = high[iter->axis];
        int64_t reach = (iter->extent - 1) * iter->stride;
        low[iter->axis] += tmap_smaller(reach, 0);
        high[iter->axis] += tmap_larger(reach, 0);
    }
}

/* The sum that the digits must reach. Returns false if no element can be there: out of reach, or an axis that the
 * layout does not have. */
static bool targets(owner_search *s, const tmap_layout *layout, const tmap_axis_values *place) {
    for (int a = 0; a < place->n; a++) {
        int64_t value = place->at[a].value;
        tmap_interval range = tmap_layout_range(layout, place->at[a].axis);
        if (layout->has_swizzle && value < 0) return false;
        if (layout->has_swizzle && tmap_axis_same(place->at[a].axis, tmap_axis_get(TMAP_AXIS_ID_M)))
            value = tmap_xor_apply(&layout->swizzle, value); /* the swizzle is its own inverse */
        if (value < range.low || value > range.high) return false;
        s->left[a] = value - tmap_values_get(&layout->offset, place->at[a].axis);
    }
    return true;
}

tmap_status tmap_layout_owners(const tmap_layout *layout, const tmap_axis_values *place, uint64_t steps,
                               int64_t *indices, size_t capacity, uint64_t *found, tmap_diag *error) {
    owner_search s = {.steps = steps ? steps : STEPS_DEFAULT, .indices = indices, .capacity = capacity};
    *found = 0;
    if (!targets(&s, layout, place)) return TMAP_OK;
    add_iters(&s, &layout->shard, place, false);
    add_iters(&s, &layout->replica, place, true);
    tmap_sort(s.iters, s.n, sizeof s.iters[0], is_before);
    bound(&s);
    if (search(&s, 0, 0) == OWNER_STOPPED)
        return tmap_refuse_with(error, 1, "name more axes of the place, or use a slice",
                                "too many elements at this place, or too many combinations to search");
    if (s.stored > 0) (void)tmap_different_numbers(indices, s.stored); /* sorts them */
    *found = s.found;
    return TMAP_OK;
}
