/* layout: from elements to places and back. */
#include <inttypes.h>
#include <string.h>

#include "layout/iter_lists.h"
#include "rule/finding.h"
#include "tmap/unstable/layout_swizzle.h"

/* ---- Numbers of elements ---------------------------------------------------------------------------------------- */

/* Row-major, with each coordinate within its extent. */
static tmap_status flatten(const int64_t *at, const int64_t *extents, int n, int64_t *index, tmap_diag *error) {
    int64_t flat = 0;
    for (int i = 0; i < n; i++) {
        if (at[i] < 0 || at[i] >= extents[i])
            return tmap_refuse_with(error, 1, "a number in that range", "coordinate %d is %" PRId64 "; it must be %s",
                                    i, at[i], tmap_range(0, extents[i] - 1).text);
        flat = flat * extents[i] + at[i];
    }
    *index = flat;
    return TMAP_OK;
}

tmap_status tmap_layout_index_of_digits(const tmap_layout *layout, const int64_t *digits, int n, int64_t *index,
                                        tmap_diag *error) {
    if (n != layout->shard.n)
        return tmap_refuse_with(error, 1, "one coordinate for each shard iter, or coordinates with shape=(…)",
                                "%d coordinate%s for a layout of %d iter%s", n, TMAP_PLURAL(n), layout->shard.n,
                                TMAP_PLURAL(layout->shard.n));
    const tmap_shape extents = tmap_iters_extents(&layout->shard);
    return flatten(digits, extents.at, n, index, error);
}

tmap_status tmap_layout_index_in_shape(const tmap_layout *layout, const int64_t *shape, const int64_t *at, int rank,
                                       int64_t *index, tmap_diag *error) {
    int64_t size = 1;
    for (int i = 0; i < rank; i++)
        if (shape[i] < 1 || __builtin_mul_overflow(size, shape[i], &size))
            return tmap_refuse_with(error, 2, "1 or more", "dimension %d of the shape is %" PRId64, i, shape[i]);
    if (size != tmap_layout_size(layout)) return tmap_refuse_size(layout, size, 2, error);
    return flatten(at, shape, rank, index, error);
}

/* ---- Places ----------------------------------------------------------------------------------------------------- */

void tmap_iters_digits(const tmap_iters *iters, int64_t number, int64_t digits[TMAP_ITERS_MAX]) {
    for (int i = iters->n - 1; i >= 0; i--) {
        digits[i] = number % iters->at[i].extent;
        number /= iters->at[i].extent;
    }
}

/* Adds digit times stride of every iter to the value of its axis. */
static void add_digits(const tmap_iters *iters, int64_t number, tmap_axis_values *place) {
    int64_t digits[TMAP_ITERS_MAX];
    tmap_iters_digits(iters, number, digits);
    for (int i = 0; i < iters->n; i++) {
        int k = 0;
        while (!tmap_axis_same(place->at[k].axis, iters->at[i].axis)) k++;
        place->at[k].value += digits[i] * iters->at[i].stride;
    }
}

void tmap_layout_place(const tmap_layout *layout, int64_t index, int64_t copy, tmap_axis_values *place) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    place->n = tmap_layout_axes(layout, axes);
    for (int i = 0; i < place->n; i++)
        place->at[i] = (tmap_axis_value){axes[i], tmap_values_get(&layout->offset, axes[i])};
    add_digits(&layout->shard, index, place);
    add_digits(&layout->replica, copy, place);
    if (layout->has_swizzle && place->n > 0) place->at[0].value = tmap_xor_apply(&layout->swizzle, place->at[0].value);
}

/* ---- Many at once ----------------------------------------------------------------------------------------------- */

/*
 * The pattern contains the coordinates of the first elements, at most PATTERN_MAX and at most as many as are requested.
 * A row is the elements of the innermost iters, as many iters as fit in the pattern; the next iter counts the rows. The
 * pattern has as many rows of the next iter as fit. The coordinates of other elements are the pattern plus a number for
 * each repetition, which follows from the first row of the repetition and from the outer digits. The last repetition of
 * the next iter may use only a part of the pattern.
 */
#define PATTERN_MAX 2048

typedef struct offset_plan {
    tmap_iters outer;
    tmap_iter next;            /* the rows; extent 1 if all elements are one row */
    int64_t row_n, rows, size; /* elements of a row, rows of the pattern, elements of all rows of `next` */
    int64_t pattern[PATTERN_MAX];
    int64_t offset;
} offset_plan;

/* Repeats the first n numbers of the pattern; each repetition adds the stride. */
static void repeat(int64_t *pattern, int64_t n, int64_t times, int64_t stride) {
    for (int64_t t = 1; t < times; t++)
        for (int64_t k = 0; k < n; k++) pattern[t * n + k] = pattern[k] + t * stride;
}

/* Iters of other axes get stride 0; their digits still count. */
static void plan_offsets(const tmap_layout *layout, const tmap_axis *axis, size_t n, offset_plan *plan) {
    int64_t most = tmap_smaller((int64_t)n, PATTERN_MAX);
    tmap_iters iters = layout->shard;
    for (int i = 0; i < iters.n; i++)
        if (!tmap_axis_same(iters.at[i].axis, axis)) iters.at[i].stride = 0, iters.at[i].axis = axis;
    tmap_iters_merge(iters.at, iters.n, &plan->outer);
    plan->offset = tmap_values_get(&layout->offset, axis);
    plan->pattern[0] = 0;
    plan->row_n = 1;
    plan->next = (tmap_iter){1, 0, axis};
    while (plan->outer.n > 0 && plan->next.extent == 1) {
        tmap_iter last = plan->outer.at[--plan->outer.n];
        if (last.extent > most / plan->row_n) {
            plan->next = last;
        } else {
            repeat(plan->pattern, plan->row_n, last.extent, last.stride);
            plan->row_n *= last.extent;
        }
    }
    plan->rows = tmap_smaller(most / plan->row_n, plan->next.extent);
    plan->size = plan->row_n * plan->next.extent;
    repeat(plan->pattern, plan->row_n, plan->rows, plan->next.stride);
}

/* After the last outer index, starts again at the first. */
static int64_t next_outer(const offset_plan *plan, int64_t digits[TMAP_ITERS_MAX], int64_t base) {
    for (int i = plan->outer.n - 1; i >= 0; i--) {
        if (digits[i] + 1 < plan->outer.at[i].extent) {
            digits[i]++;
            return base + plan->outer.at[i].stride;
        }
        base -= digits[i] * plan->outer.at[i].stride;
        digits[i] = 0;
    }
    return base;
}

/* Copies up to n offsets, starting at element `at` of the rows, up to the end of the pattern. Returns the number
 * copied. */
static size_t copy_pattern(const offset_plan *plan, int64_t base, int64_t at, size_t n, int64_t *offsets) {
    int64_t row = at / plan->row_n, skipped = row % plan->rows, first = row - skipped;
    int64_t rows = tmap_smaller(plan->next.extent - first, plan->rows);
    int64_t begin = skipped * plan->row_n + at % plan->row_n;
    size_t part = (size_t)tmap_smaller(rows * plan->row_n - begin, (int64_t)n);
    base += first * plan->next.stride;
    const int64_t *pattern = plan->pattern + begin;
    for (size_t k = 0; k < part; k++) offsets[k] = base + pattern[k];
    return part;
}

void tmap_layout_offsets(const tmap_layout *layout, const tmap_axis *axis, int64_t first, size_t n, int64_t *offsets) {
    offset_plan plan;
    int64_t digits[TMAP_ITERS_MAX];
    plan_offsets(layout, axis, n, &plan);
    int64_t base = plan.offset, at = first % plan.size;
    tmap_iters_digits(&plan.outer, first / plan.size, digits);
    for (int i = 0; i < plan.outer.n; i++) base += digits[i] * plan.outer.at[i].stride;
    for (size_t done = 0; done < n;) {
        size_t part = copy_pattern(&plan, base, at, n - done, offsets + done);
        done += part;
        at += (int64_t)part;
        if (at < plan.size) continue;
        at = 0;
        base = next_outer(&plan, digits, base);
    }
    if (!layout->has_swizzle) return;
    for (size_t k = 0; k < n; k++) offsets[k] = tmap_xor_apply(&layout->swizzle, offsets[k]);
}
