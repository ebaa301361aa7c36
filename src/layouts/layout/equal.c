/* layout: equality and coverage of layouts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "layout/iter_lists.h"
#include "tmap/unstable/layout_swizzle.h"

/* ---- Data ------------------------------------------------------------------------------------------------------- */

bool tmap_iter_same(const tmap_iter *a, const tmap_iter *b) {
    return a->extent == b->extent && a->stride == b->stride && tmap_axis_same(a->axis, b->axis);
}

static bool same_iters(const tmap_iters *a, const tmap_iters *b) {
    if (a->n != b->n) return false;
    for (int i = 0; i < a->n; i++)
        if (!tmap_iter_same(&a->at[i], &b->at[i])) return false;
    return true;
}

static bool same_set(const tmap_iters *a, const tmap_iters *b) {
    uint64_t used = 0;
    if (a->n != b->n) return false;
    for (int i = 0; i < a->n; i++) {
        int k = 0;
        while (k < b->n && ((used >> k & 1) || !tmap_iter_same(&a->at[i], &b->at[k]))) k++;
        if (k == b->n) return false;
        used |= (uint64_t)1 << k;
    }
    return true;
}

static bool same_offset(const tmap_axis_values *a, const tmap_axis_values *b) {
    if (a->n != b->n) return false;
    for (int i = 0; i < a->n; i++)
        if (a->at[i].value != b->at[i].value || !tmap_axis_same(a->at[i].axis, b->at[i].axis)) return false;
    return true;
}

static bool same_swizzle(const tmap_layout *a, const tmap_layout *b) {
    const tmap_xor *x = &a->swizzle, *y = &b->swizzle;
    if (a->has_swizzle != b->has_swizzle) return false;
    return !a->has_swizzle || (x->m == y->m && x->b == y->b && x->s == y->s && x->outer == y->outer);
}

bool tmap_layout_identical(const tmap_layout *a, const tmap_layout *b) {
    return same_swizzle(a, b) && same_iters(&a->shard, &b->shard) && same_set(&a->replica, &b->replica) &&
           same_offset(&a->offset, &b->offset);
}

/* ---- Sets of coordinates ---------------------------------------------------------------------------------------- */

#define SUMS_MAX ((uint64_t)1 << 20)

static int compare_int64(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

size_t tmap_different_numbers(int64_t *numbers, size_t n) {
    size_t different = 0;
    qsort(numbers, n, sizeof *numbers, compare_int64);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || numbers[i] != numbers[different - 1]) numbers[different++] = numbers[i];
    return different;
}

/* The different sums of digits times strides on an axis, sorted. The caller frees them. */
typedef struct sums {
    int64_t *values;
    size_t n, different; /* n: with repetitions */
} sums;

static uint64_t count_sums(const tmap_iters *iters, const tmap_axis *axis) {
    uint64_t n = 1;
    for (int i = 0; i < iters->n; i++)
        if (tmap_axis_same(iters->at[i].axis, axis)) n = tmap_mul_saturate(n, (uint64_t)iters->at[i].extent);
    return n;
}

static void add_sums(sums *s, const tmap_iters *iters, const tmap_axis *axis) {
    for (int i = 0; i < iters->n; i++) {
        const tmap_iter *iter = &iters->at[i];
        if (!tmap_axis_same(iter->axis, axis)) continue;
        size_t n = s->n;
        for (int64_t digit = 1; digit < iter->extent; digit++)
            for (size_t k = 0; k < n; k++) s->values[s->n++] = s->values[k] + digit * iter->stride;
    }
}

static tmap_status refuse_sums(const tmap_axis *axis, tmap_diag *error) {
    (void)tmap_refuse_with(error, 0, "use a slice of the layout, or of both layouts",
                           "axis %s has too many combinations to compare (more than %" PRIu64 ")", axis->name,
                           SUMS_MAX);
    return TMAP_REFUSED;
}

static void free_sums(sums *s) {
    tmap_resize(NULL, s->values, s->n * sizeof *s->values, 0);
}

/* Makes the sums of the shard (may be NULL) and the replica together, starting from `start`. */
static tmap_status make_sums(const tmap_iters *shard, const tmap_iters *replica, const tmap_axis *axis, int64_t start,
                             sums *out, tmap_diag *error) {
    uint64_t n = tmap_mul_saturate(shard ? count_sums(shard, axis) : 1, count_sums(replica, axis));
    *out = (sums){0};
    if (n > SUMS_MAX) return refuse_sums(axis, error);
    int64_t *values = tmap_resize(NULL, NULL, 0, (size_t)n * sizeof *values);
    if (!values) return TMAP_NO_MEMORY;
    *out = (sums){values, 1, 1};
    values[0] = start;
    if (shard) add_sums(out, shard, axis);
    add_sums(out, replica, axis);
    out->different = tmap_different_numbers(values, out->n);
    return TMAP_OK;
}

/* ---- Functions -------------------------------------------------------------------------------------------------- */

/* Whether both replicas with their offsets give the same set of coordinates on the axis. */
static tmap_status same_copies(const tmap_layout *a, const tmap_layout *b, const tmap_axis *axis, bool *equal,
                               tmap_diag *error) {
    sums x = {0}, y = {0};
    tmap_status status = make_sums(NULL, &a->replica, axis, tmap_values_get(&a->offset, axis), &x, error);
    if (status == TMAP_OK) status = make_sums(NULL, &b->replica, axis, tmap_values_get(&b->offset, axis), &y, error);
    if (status == TMAP_OK)
        *equal = x.different == y.different && memcmp(x.values, y.values, x.different * sizeof *x.values) == 0;
    free_sums(&x);
    free_sums(&y);
    return status;
}

static tmap_status same_copies_on_axes_of(const tmap_layout *of, const tmap_layout *a, const tmap_layout *b,
                                          bool *equal, tmap_diag *error) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    tmap_status status = TMAP_OK;
    int n = tmap_layout_axes(of, axes);
    *equal = true;
    for (int i = 0; i < n && status == TMAP_OK && *equal; i++) status = same_copies(a, b, axes[i], equal, error);
    return status;
}

/*
 * Without swizzles, the positions of element x are the set D(x) + R + O: its shard digits times their strides, the sums
 * of the replica, and the offset. D(0) is 0, so element 0 requires equal sets R + O. A finite set equals itself shifted
 * by s only for s = 0, so D(x) must be equal, too.
 */
static tmap_status equal_tiles(const tmap_layout *a, const tmap_layout *b, bool *equal, tmap_diag *error) {
    *equal = same_iters(&a->shard, &b->shard);
    if (!*equal || (same_iters(&a->replica, &b->replica) && same_offset(&a->offset, &b->offset))) return TMAP_OK;
    tmap_status status = same_copies_on_axes_of(a, a, b, equal, error);
    return status == TMAP_OK && *equal ? same_copies_on_axes_of(b, a, b, equal, error) : status;
}

enum { BLOCK = 256 };

/* Compares element by element; with replicas, compares sets. */
static tmap_status equal_everywhere(const tmap_layout *a, const tmap_layout *b, bool *equal, tmap_diag *error) {
    int64_t size = tmap_layout_size(a), copies_a = tmap_layout_copies(a), copies_b = tmap_layout_copies(b);
    if (copies_a > 1 || copies_b > 1)
        return tmap_refuse_with(error, TMAP_NO_OPERAND, "compare layouts without replicas",
                                "two swizzles with replicas are not compared");
    if ((uint64_t)size > 16 * SUMS_MAX)
        return tmap_refuse_with(error, TMAP_NO_OPERAND, "compare a slice of both",
                                "%" PRId64 " elements under two swizzles are too many to compare", size);
    int64_t x[BLOCK], y[BLOCK];
    const tmap_axis *m = tmap_axis_get(TMAP_AXIS_ID_M);
    *equal = true;
    for (int64_t first = 0; first < size && *equal; first += BLOCK) {
        size_t n = (size_t)tmap_smaller(size - first, BLOCK);
        tmap_layout_offsets(a, m, first, n, x);
        tmap_layout_offsets(b, m, first, n, y);
        *equal = memcmp(x, y, n * sizeof *x) == 0;
    }
    return TMAP_OK;
}

tmap_status tmap_layout_equal(const tmap_layout *a, const tmap_layout *b, bool *equal, tmap_diag *error) {
    tmap_layout x, y;
    *equal = false;
    if (tmap_layout_size(a) != tmap_layout_size(b)) return TMAP_OK;
    tmap_layout_normal(a, &x);
    tmap_layout_normal(b, &y);
    if (same_swizzle(&x, &y)) return equal_tiles(&x, &y, equal, error);
    if (tmap_layout_other_axis(&x) || tmap_layout_other_axis(&y))
        return TMAP_OK; /* one layout has an axis other than m, and a swizzle only changes m */
    return equal_everywhere(&x, &y, equal, error);
}

/* ---- Coverage --------------------------------------------------------------------------------------------------- */

/*
 * Whether two elements share a coordinate in any of their copies: two sums of shard and replica with different digits
 * of the shard are equal. `all` is the set of the sums of both together. No two elements share a coordinate if and only
 * if |all| = combinations of the shard's digits x |different sums of the replica|: only then are the sets D(x) + R
 * disjoint.
 */
static tmap_status cover_axis(const tmap_layout *layout, const tmap_axis *axis, tmap_cover *cover, tmap_diag *error) {
    tmap_iters shard;
    sums all, copies = {0};
    tmap_iters_merge(layout->shard.at, layout->shard.n, &shard);
    tmap_interval range = tmap_layout_range(layout, axis);
    int64_t size = tmap_layout_size_on(layout, axis);
    *cover = (tmap_cover){.axis = axis, .low = range.low, .high = range.high};
    bool one_run = count_sums(&layout->replica, axis) == 1;
    int on_axis = 0, last = 0;
    for (int i = 0; i < shard.n; i++)
        if (tmap_axis_same(shard.at[i].axis, axis)) on_axis++, last = i;
    if (one_run && on_axis == 1 && shard.at[last].stride != 0) {
        cover->distinct = size; /* without a limit for the size: the coordinates of one iter are all different */
        return TMAP_OK;
    }
    int64_t start = tmap_values_get(&layout->offset, axis);
    tmap_status status = make_sums(&shard, &layout->replica, axis, start, &all, error);
    if (status == TMAP_OK) status = make_sums(NULL, &layout->replica, axis, start, &copies, error);
    if (status == TMAP_OK) {
        cover->distinct = (int64_t)all.different;
        cover->self_repeated = copies.different != copies.n;
        cover->shared = cover->distinct != size * (int64_t)copies.different;
    }
    free_sums(&all);
    free_sums(&copies);
    return status;
}

/* A swizzle permutes addresses within its period: it changes the ends and the gaps, not the number of addresses. */
static tmap_status cover_swizzled(const tmap_layout *layout, tmap_cover *cover, tmap_diag *error) {
    sums all;
    tmap_layout tile = *layout;
    tmap_iters_merge(layout->shard.at, layout->shard.n, &tile.shard);
    tmap_status status = make_sums(&tile.shard, &layout->replica, cover->axis,
                                   tmap_values_get(&layout->offset, cover->axis), &all, error);
    cover->low = INT64_MAX, cover->high = INT64_MIN;
    for (size_t i = 0; status == TMAP_OK && i < all.different; i++) {
        int64_t at = tmap_xor_apply(&layout->swizzle, all.values[i]);
        cover->low = tmap_smaller(cover->low, at);
        cover->high = tmap_larger(cover->high, at);
    }
    free_sums(&all);
    return status;
}

tmap_status tmap_layout_coverage(const tmap_layout *layout, tmap_coverage *coverage, tmap_diag *error) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    *coverage = (tmap_coverage){.axes_n = tmap_layout_axes(layout, axes), .injective = true, .compact = true};
    for (int i = 0; i < coverage->axes_n; i++) {
        tmap_cover *cover = &coverage->axes[i];
        tmap_status status = cover_axis(layout, axes[i], cover, error);
        if (status == TMAP_OK && layout->has_swizzle) status = cover_swizzled(layout, cover, error);
        if (status != TMAP_OK) return status;
        coverage->injective = coverage->injective && !cover->shared;
        coverage->compact = coverage->compact && cover->distinct - 1 == cover->high - cover->low;
    }
    coverage->compact = coverage->compact && coverage->injective;
    return TMAP_OK;
}
