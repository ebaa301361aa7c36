/* layout: boxes cut out of layouts. */
#include <inttypes.h>

#include "layout/iter_lists.h"

/*
 * A box b .. b+n-1 of one dimension, whose iters (E_k, S_k), innermost last, are merged. d_k are the digits of b. From
 * the innermost iter outwards, an iter stays unchanged while the box contains all of it: d_k = 0, and E_k divides the
 * rest of n. The next iter (E, S) is the pivot. The box contains `rest` entries of the pivot, from digit d on:
 *
 *   d + rest <= E    All entries are in one round of the pivot. The result is the iter (rest, S).
 *   d + rest/2 = E   The first half is at the end of one round, the second half at the start of the next round. From
 *                    the first to the second half is one step of the outer iter, less E - rest/2 steps of the pivot.
 *                    Two iters express this if the outer iter has the same axis and another entry.
 *
 * In all other cases the address is not an affine function of the index in the box.
 */
typedef struct slice_run {
    const tmap_iter *iters;
    int n;
    int64_t begin, count;
    int64_t digits[TMAP_ITERS_MAX];
} slice_run;

/* The coordinates of a layout fit in 64 bits, so the sums do; the slice has no more iters than the layout. */
static void move_offset(slice_run *run, tmap_axis_values *offset) {
    int64_t number = run->begin;
    for (int k = run->n - 1; k >= 0; k--) {
        run->digits[k] = number % run->iters[k].extent;
        number /= run->iters[k].extent;
        (void)tmap_values_add(offset, run->iters[k].axis, run->digits[k] * run->iters[k].stride);
    }
}

/* Iter `at` is the pivot. Returns false if the slice is not affine. */
static bool cut_pivot(const slice_run *run, int at, int64_t rest, tmap_iters *out) {
    const tmap_iter *pivot = &run->iters[at], *around = &run->iters[at > 0 ? at - 1 : 0];
    int64_t digit = run->digits[at], half = rest / 2;
    if (digit + rest <= pivot->extent) return tmap_iters_add(out, (tmap_iter){rest, pivot->stride, pivot->axis});
    if (at == 0 || rest % 2 != 0 || digit + half != pivot->extent || run->digits[at - 1] + 1 >= around->extent ||
        !tmap_axis_same(around->axis, pivot->axis))
        return false;
    int64_t step = around->stride - (pivot->extent - half) * pivot->stride;
    return tmap_iters_add(out, (tmap_iter){2, step, pivot->axis}) &&
           tmap_iters_add(out, (tmap_iter){half, pivot->stride, pivot->axis});
}

static bool cut_run(slice_run *run, tmap_axis_values *offset, tmap_iters *out) {
    move_offset(run, offset);
    int64_t rest = run->count;
    int at = run->n - 1;
    while (at > 0 && run->digits[at] == 0 && rest % run->iters[at].extent == 0) rest /= run->iters[at--].extent;
    if (rest > 1 && !cut_pivot(run, at, rest, out)) return false;
    return tmap_iters_append(out, run->iters + at + 1, run->n - at - 1); /* later iters stay unchanged */
}

static tmap_status check_box(const tmap_shape *shape, const tmap_shape *begin, const tmap_shape *end,
                             tmap_diag *error) {
    if (tmap_check_count(begin->rank, "range", shape->rank, "dimension", 2, error) != TMAP_OK ||
        tmap_check_count(end->rank, "range", shape->rank, "dimension", 2, error) != TMAP_OK)
        return TMAP_REFUSED;
    for (int d = 0; d < shape->rank; d++) {
        if (0 <= begin->at[d] && begin->at[d] < end->at[d] && end->at[d] <= shape->at[d]) continue;
        return tmap_refuse_with(error, 2, "begin below end, and both inside the shape",
                                "the box is %" PRId64 ":%" PRId64 " in dimension %d of extent %" PRId64, begin->at[d],
                                end->at[d], d, shape->at[d]);
    }
    return TMAP_OK;
}

tmap_status tmap_layout_slice(const tmap_layout *layout, const tmap_shape *shape, const tmap_shape *begin,
                              const tmap_shape *end, tmap_layout *out, bool *found, tmap_diag *error) {
    tmap_layout form, grouped;
    int starts[TMAP_ITERS_MAX + 1];
    tmap_layout_canonical(layout, &form);
    if (check_box(shape, begin, end, error) != TMAP_OK) return TMAP_REFUSED;
    if (tmap_layout_group(&form, shape, &grouped, starts, error) != TMAP_OK) return TMAP_REFUSED;
    tmap_layout made = grouped;
    made.shard.n = 0;
    *found = false;
    for (int d = 0; d < shape->rank; d++) {
        tmap_iters merged;
        tmap_iters_merge(&grouped.shard.at[starts[d]], starts[d + 1] - starts[d], &merged);
        slice_run run = {.iters = merged.at, .n = merged.n, .begin = begin->at[d], .count = end->at[d] - begin->at[d]};
        if (!cut_run(&run, &made.offset, &made.shard)) return TMAP_OK;
        /* every dimension keeps an iter, so that the slice has the box's rank */
        if (run.count == 1) (void)tmap_iters_add(&made.shard, (tmap_iter){1, 1, grouped.shard.at[starts[d]].axis});
    }
    if (tmap_layout_check(&made, error) != TMAP_OK) return TMAP_REFUSED;
    *out = made;
    *found = true;
    return TMAP_OK;
}
