/* layout: splits iters at the boundaries of shapes. */
#include <inttypes.h>
#include <string.h>

#include "layout/iter_lists.h"

/* ---- One shape -------------------------------------------------------------------------------------------------- */

/* Writes the values nearest to dimension `dim` with which it ends at the end of an extent. The earlier dimensions end
 * at boundaries, so their product divides the product of the extents up to each later end. */
static void say_whole_extents(const tmap_iters *shard, const tmap_shape *shape, int dim, char *fix, size_t size) {
    int64_t before = 1, end = 1, less = 0, more = 0;
    for (int i = 0; i < dim; i++) before *= shape->at[i];
    for (int i = 0; i < shard->n && more == 0; i++) {
        end *= shard->at[i].extent;
        if (end <= before) continue;
        if (end / before < shape->at[dim]) less = end / before;
        if (end / before > shape->at[dim]) more = end / before;
    }
    if (less > 0 && more > 0)
        tmap_say(fix, size, "%" PRId64 " or %" PRId64, less, more);
    else
        tmap_say(fix, size, "%" PRId64, less + more > 0 ? less + more : 1);
}

void tmap_say_extents(const tmap_shape *shape, char *text, size_t size) {
    text[0] = '\0';
    for (size_t i = 0, used = 0; i < (size_t)shape->rank; i++, used += strlen(text + used))
        tmap_say(text + used, size - used, "%s%" PRId64, i ? "," : "", shape->at[i]);
}

static tmap_status refuse_group(const tmap_iters *shard, const tmap_shape *shape, int dim, tmap_diag *error) {
    const tmap_shape own = tmap_iters_extents(shard);
    char extents[96], fix[64];
    tmap_say_extents(&own, extents, sizeof extents);
    if (dim == shape->rank)
        return tmap_refuse_with(error, 1, "a shape whose product is the product of the extents",
                                "the shape ends before the extents (%s)", extents);
    say_whole_extents(shard, shape, dim, fix, sizeof fix);
    return tmap_refuse_with(error, 1, fix, "dimension %d of the shape cannot be %" PRId64 ": the extents are (%s)", dim,
                            shape->at[dim], extents);
}

/*
 * `product` is the product of the extents since the last boundary, up to and including the current iter (e, s). If the
 * next dimension divides this product, the next boundary is in this iter. With c = product / dimension, the iter is
 * split into (e/c, s c) before the boundary and (c, s) after the boundary.
 */
static tmap_status split(const tmap_iters *shard, const tmap_shape *shape, bool keep_units, tmap_iters *out,
                         int starts[TMAP_ITERS_MAX + 1], tmap_diag *error) {
    const tmap_iter one = {1, 1, tmap_axis_get(TMAP_AXIS_ID_M)};
    int64_t product = 1, size;
    int dim = 0, n = shard->n > 0 ? shard->n : 1;
    if (tmap_shape_check(shape, 1, &size, error) != TMAP_OK) return TMAP_REFUSED;
    out->n = starts[0] = 0;
    for (int i = 0; i < n; i++) {
        tmap_iter iter = shard->n > 0 ? shard->at[i] : one;
        product *= iter.extent; /* divides the layout's size */
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): extents are 1 or more */
        while (dim < shape->rank && product % shape->at[dim] == 0) {
            int64_t inner = product / shape->at[dim], stride;
            if (iter.extent % inner != 0) return refuse_group(shard, shape, dim, error);
            if (__builtin_mul_overflow(iter.stride, inner, &stride))
                return tmap_refuse_overflow(error, "a stride", "smaller extents or strides");
            if ((keep_units || iter.extent > inner) &&
                !tmap_iters_add(out, (tmap_iter){iter.extent / inner, stride, iter.axis}))
                return tmap_refuse_room(error);
            iter.extent = product = inner;
            starts[++dim] = out->n;
        }
        if (iter.extent == 1) continue;
        if (dim == shape->rank) return refuse_group(shard, shape, dim, error);
        if (!tmap_iters_add(out, iter)) return tmap_refuse_room(error);
    }
    return dim == shape->rank ? TMAP_OK : refuse_group(shard, shape, dim, error);
}

tmap_status tmap_layout_group(const tmap_layout *layout, const tmap_shape *shape, tmap_layout *out,
                              int starts[TMAP_ITERS_MAX + 1], tmap_diag *error) {
    tmap_iters made;
    tmap_status status = split(&layout->shard, shape, true, &made, starts, error);
    if (status != TMAP_OK) return status;
    if (out != layout) *out = *layout;
    out->shard = made;
    return TMAP_OK;
}

tmap_status tmap_layout_split(const tmap_layout *layout, const tmap_shape *shape, int operand, tmap_grouped *out,
                              tmap_diag *error) {
    tmap_layout_canonical(layout, &out->layout);
    const tmap_iters shard = out->layout.shard;
    tmap_status status = split(&shard, shape, false, &out->layout.shard, out->starts, error);
    if (status != TMAP_OK && error) error->operand = operand;
    return status;
}

bool tmap_grouped_append(const tmap_grouped *grouped, int dim, tmap_iters *to) {
    int from = grouped->starts[dim];
    return tmap_iters_append(to, &grouped->layout.shard.at[from], grouped->starts[dim + 1] - from);
}

/* ---- Many shapes ------------------------------------------------------------------------------------------------ */

/* Cumulative products from the outermost: values[0] = 1, values[n - 1] the size. */
typedef struct boundaries {
    int n;
    int64_t values[2 * TMAP_ITERS_MAX + 1];
} boundaries;

static boundaries boundaries_of(const tmap_shape *shape) {
    boundaries b = {.n = 1, .values = {1}};
    for (int i = 0; i < shape->rank; i++, b.n++) b.values[b.n] = b.values[b.n - 1] * shape->at[i];
    return b;
}

static int count_of(const boundaries *b, int64_t value) {
    int n = 0;
    for (int i = 0; i < b->n; i++) n += b->values[i] == value;
    return n;
}

/* Merges two ascending lists of shapes into `into`. If the lists contain a value a and b times, the result contains it
 * max(a, b) times. */
static void merge_boundaries(boundaries *into, const boundaries *more) {
    boundaries merged = {0};
    int i = 0, k = 0;
    while (i < into->n) { /* both lists end with the size */
        int64_t value = tmap_smaller(into->values[i], more->values[k]);
        int a = count_of(into, value), b = count_of(more, value), n = (int)tmap_larger(a, b);
        while (n-- > 0) merged.values[merged.n++] = value;
        i += a, k += b;
    }
    *into = merged;
}

/* The factors from one boundary to the next. */
static tmap_status factors_of(const boundaries *all, tmap_shape *factors, tmap_diag *error) {
    factors->rank = all->n - 1;
    for (int i = 0; i < factors->rank; i++) {
        int64_t from = all->values[i], to = all->values[i + 1];
        if (to % from != 0)
            return tmap_refuse_with(
                error, 1, "shapes whose products of leading dimensions divide each other",
                "the shapes have boundaries at %" PRId64 " and %" PRId64 ", and neither divides the other", from, to);
        factors->at[i] = to / from;
    }
    return TMAP_OK;
}

/* Finds each boundary of the shape among `all`. Equal boundaries of the shape get successive indices, from the first
 * equal value on; the last boundary gets the last index. */
static void find_starts(const boundaries *all, const boundaries *shape, int *starts) {
    int at = 0;
    for (int d = 0; d + 1 < shape->n; d++) {
        while (all->values[at] != shape->values[d]) at++;
        starts[d] = at;
        if (shape->values[d + 1] == shape->values[d]) at++;
    }
    starts[shape->n - 1] = all->n - 1;
}

tmap_status tmap_layout_group_many(const tmap_layout *layout, const tmap_shape *shapes, int n, tmap_layout *out,
                                   int (*starts)[TMAP_ITERS_MAX + 1], tmap_diag *error) {
    tmap_shape own = tmap_iters_extents(&layout->shard);
    boundaries all = boundaries_of(&own);
    for (int i = 0; i < n; i++) {
        int64_t size;
        if (tmap_shape_check(&shapes[i], i + 1, &size, error) != TMAP_OK) return TMAP_REFUSED;
        if (size != tmap_layout_size(layout)) return tmap_refuse_size(layout, size, i + 1, error);
        boundaries more = boundaries_of(&shapes[i]);
        merge_boundaries(&all, &more);
        if (all.n > TMAP_ITERS_MAX + 1) return tmap_refuse_room(error);
    }
    tmap_shape factors = {.rank = 0};
    int ends[TMAP_ITERS_MAX + 1];
    if (factors_of(&all, &factors, error) != TMAP_OK) return TMAP_REFUSED;
    if (tmap_layout_group(layout, &factors, out, ends, error) != TMAP_OK) return TMAP_REFUSED;
    for (int i = 0; i < n; i++) {
        boundaries shape = boundaries_of(&shapes[i]);
        find_starts(&all, &shape, starts[i]);
    }
    return TMAP_OK;
}
