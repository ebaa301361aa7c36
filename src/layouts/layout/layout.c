/* layout: validity, sizes, and the lists in layouts. */
#include <string.h>

#include "layout/iter_lists.h"
#include "layout/xor_maps.h"

/* ---- Lists ------------------------------------------------------------------------------------------------------ */

bool tmap_iters_add(tmap_iters *iters, tmap_iter iter) {
    if (iters->n >= TMAP_ITERS_MAX) return false;
    iters->at[iters->n++] = iter;
    return true;
}

bool tmap_iters_append(tmap_iters *iters, const tmap_iter *more, int n) {
    for (int i = 0; i < n; i++)
        if (!tmap_iters_add(iters, more[i])) return false;
    return true;
}

void tmap_sort(void *items, int n, size_t size, bool (*is_before)(const void *, const void *)) {
    enum { SIZE_MOST = 128 };
    char *bytes = items, moved[SIZE_MOST];
    for (int i = 1; i < n; i++) {
        size_t at = (size_t)i * size;
        memcpy(moved, bytes + at, size);
        for (; at > 0 && is_before(moved, bytes + at - size); at -= size) memcpy(bytes + at, bytes + at - size, size);
        memcpy(bytes + at, moved, size);
    }
}

static int64_t size_of(const tmap_iters *iters) {
    int64_t size = 1;
    for (int i = 0; i < iters->n; i++) size *= iters->at[i].extent;
    return size;
}

/* The index of an axis in the list, or the index at which to insert the axis. */
static int find_value(const tmap_axis_values *values, const tmap_axis *axis, bool *found) {
    int i = 0, order = 1;
    while (i < values->n && (order = strcmp(values->at[i].axis->name, axis->name)) < 0) i++;
    *found = i < values->n && order == 0;
    return i;
}

int64_t tmap_values_get(const tmap_axis_values *values, const tmap_axis *axis) {
    bool found;
    int i = find_value(values, axis, &found);
    return found ? values->at[i].value : 0;
}

bool tmap_values_add(tmap_axis_values *values, const tmap_axis *axis, int64_t value) {
    bool found;
    int i = find_value(values, axis, &found);
    int64_t sum = value;
    if (found && __builtin_add_overflow(values->at[i].value, value, &sum)) return false;
    if (!found && (sum == 0 || values->n == TMAP_AXES_MAX)) return sum == 0;
    size_t tail_B = (size_t)(values->n - i - (found ? 1 : 0)) * sizeof values->at[0];
    if (found && sum == 0) {
        memmove(&values->at[i], &values->at[i + 1], tail_B);
        values->n--;
        return true;
    }
    if (!found) {
        memmove(&values->at[i + 1], &values->at[i], tail_B);
        values->n++;
    }
    values->at[i] = (tmap_axis_value){axis, sum};
    return true;
}

/* ---- Sizes ------------------------------------------------------------------------------------------------------ */

int64_t tmap_layout_size(const tmap_layout *layout) {
    return size_of(&layout->shard);
}

int64_t tmap_layout_copies(const tmap_layout *layout) {
    return size_of(&layout->replica);
}

tmap_shape tmap_iters_extents(const tmap_iters *iters) {
    tmap_shape shape = {.rank = iters->n};
    for (int i = 0; i < shape.rank; i++) shape.at[i] = iters->at[i].extent;
    return shape;
}

int64_t tmap_layout_size_on(const tmap_layout *layout, const tmap_axis *axis) {
    int64_t size = 1;
    for (int i = 0; i < layout->shard.n; i++)
        if (tmap_axis_same(layout->shard.at[i].axis, axis)) size *= layout->shard.at[i].extent;
    return size;
}

static void widen(tmap_interval *range, const tmap_iters *iters, const tmap_axis *axis) {
    for (int i = 0; i < iters->n; i++) {
        const tmap_iter *iter = &iters->at[i];
        if (!tmap_axis_same(iter->axis, axis)) continue;
        int64_t reach = (iter->extent - 1) * iter->stride;
        range->low += tmap_smaller(reach, 0);
        range->high += tmap_larger(reach, 0);
    }
}

tmap_interval tmap_layout_range(const tmap_layout *layout, const tmap_axis *axis) {
    int64_t offset = tmap_values_get(&layout->offset, axis);
    tmap_interval range = {offset, offset};
    widen(&range, &layout->shard, axis);
    widen(&range, &layout->replica, axis);
    return range;
}

int64_t tmap_layout_span(const tmap_layout *layout, const tmap_axis *axis) {
    tmap_interval range = tmap_layout_range(layout, axis);
    return tmap_larger(range.high, 0) - tmap_smaller(range.low, 0) + 1;
}

/* Returns false if the list is full. */
static inline bool add_axis(const tmap_axis **axes, int *n, const tmap_axis *axis) {
    int i = 0;
    while (i < *n && !tmap_axis_same(axes[i], axis)) i++;
    if (i == TMAP_AXES_MAX) return false;
    axes[i] = axis;
    if (i == *n) ++*n;
    return true;
}

static bool find_axes(const tmap_layout *layout, const tmap_axis *axes[TMAP_AXES_MAX], int *n) {
    bool fits = true;
    *n = 0;
    for (int i = 0; i < layout->shard.n; i++) fits &= add_axis(axes, n, layout->shard.at[i].axis);
    for (int i = 0; i < layout->replica.n; i++) fits &= add_axis(axes, n, layout->replica.at[i].axis);
    for (int i = 0; i < layout->offset.n; i++) fits &= add_axis(axes, n, layout->offset.at[i].axis);
    return fits;
}

int tmap_layout_axes(const tmap_layout *layout, const tmap_axis *axes[TMAP_AXES_MAX]) {
    int n;
    (void)find_axes(layout, axes, &n);
    return n;
}

const tmap_axis *tmap_layout_other_axis(const tmap_layout *layout) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n = tmap_layout_axes(layout, axes);
    for (int i = 0; i < n; i++)
        if (!tmap_axis_same(axes[i], tmap_axis_get(TMAP_AXIS_ID_M))) return axes[i];
    return NULL;
}

/* ---- Validity --------------------------------------------------------------------------------------------------- */

tmap_status tmap_refuse_room(tmap_diag *error) {
    return tmap_refuse_with(error, TMAP_NO_OPERAND, "merge iters with canonical, or use fewer axes",
                            "more than %d iters or %d axes", TMAP_ITERS_MAX, TMAP_AXES_MAX);
}

tmap_status tmap_refuse_size(const tmap_layout *layout, int64_t size, int operand, tmap_diag *error) {
    return tmap_refuse_with(error, operand, "a shape with as many elements as the layout",
                            "a shape of %lld element%s for a layout of %lld", (long long)size, TMAP_PLURAL(size),
                            (long long)tmap_layout_size(layout));
}

tmap_status tmap_refuse_overflow(tmap_diag *error, const char *what, const char *fix) {
    return tmap_refuse_with(error, TMAP_NO_OPERAND, fix, "%s does not fit 64 bits", what);
}

/* Requires extents of at least 1, with a product that fits in 64 bits. */
static tmap_status check_extents(const tmap_iters *iters, const char *what, tmap_diag *error) {
    int64_t size = 1;
    if (iters->n < 0 || iters->n > TMAP_ITERS_MAX) return tmap_refuse_room(error);
    for (int i = 0; i < iters->n; i++) {
        int64_t extent = iters->at[i].extent;
        if (extent < 1)
            return tmap_refuse_with(error, TMAP_NO_OPERAND, "extents are 1 or more", "extent %d of the %s is %lld", i,
                                    what, (long long)extent);
        if (__builtin_mul_overflow(size, extent, &size))
            return tmap_refuse_with(error, TMAP_NO_OPERAND, "smaller extents: their product is at most 2^63 - 1",
                                    "the product of the extents of the %s does not fit 64 bits", what);
    }
    return TMAP_OK;
}

static uint64_t magnitude(int64_t number) {
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

/* The largest distance of two coordinates on the axis. */
static tmap_u128 reach_of(const tmap_iters *iters, const tmap_axis *axis) {
    tmap_u128 reach = 0;
    for (int i = 0; i < iters->n; i++) {
        const tmap_iter *iter = &iters->at[i];
        if (tmap_axis_same(iter->axis, axis))
            reach += (tmap_u128)(uint64_t)(iter->extent - 1) * magnitude(iter->stride);
    }
    return reach;
}

/* These distances, plus the offset's distance from 0, are an upper bound of every sum. */
static tmap_status check_reach(const tmap_layout *layout, const tmap_axis *axis, tmap_diag *error) {
    tmap_u128 reach = reach_of(&layout->shard, axis) + reach_of(&layout->replica, axis);
    reach += magnitude(tmap_values_get(&layout->offset, axis));
    if (reach < INT64_MAX) return TMAP_OK;
    return tmap_refuse_with(error, TMAP_NO_OPERAND,
                            "smaller extents, strides or offsets: all coordinates are within 64 bits",
                            "the coordinates on axis %s do not fit 64 bits", axis->name);
}

static tmap_status check_offset(const tmap_axis_values *offset, tmap_diag *error) {
    if (offset->n < 0 || offset->n > TMAP_AXES_MAX) return tmap_refuse_room(error);
    for (int i = 0; i < offset->n; i++) {
        if (offset->at[i].value == 0 || (i > 0 && strcmp(offset->at[i - 1].axis->name, offset->at[i].axis->name) >= 0))
            return tmap_refuse_with(error, TMAP_NO_OPERAND, "sort the offset by axis, without zeros",
                                    "the offset is not sorted by axis, or has a 0");
    }
    return TMAP_OK;
}

static tmap_status check_swizzle(const tmap_layout *layout, tmap_diag *error) {
    const tmap_xor *x = &layout->swizzle;
    if (!tmap_xor_exists(x->m, x->b, x->s)) return tmap_refuse_xor(x->m, x->b, x->s, error);
    const tmap_axis *other = tmap_layout_other_axis(layout);
    if (other)
        return tmap_refuse_with(error, TMAP_NO_OPERAND, "a layout only on m; storage(…) keeps the part on m",
                                "a swizzle permutes addresses on the axis m, but this layout has %s", other->name);
    int64_t low = tmap_layout_range(layout, tmap_axis_get(TMAP_AXIS_ID_M)).low;
    if (low >= 0) return TMAP_OK;
    return tmap_refuse_with(error, TMAP_NO_OPERAND, "add an offset, so that no address is below 0",
                            "a swizzle requires addresses of 0 or more, but this layout has %lld", (long long)low);
}

tmap_status tmap_layout_check(const tmap_layout *layout, tmap_diag *error) {
    if (check_extents(&layout->shard, "shard", error) != TMAP_OK) return TMAP_REFUSED;
    if (check_extents(&layout->replica, "replica", error) != TMAP_OK) return TMAP_REFUSED;
    if (check_offset(&layout->offset, error) != TMAP_OK) return TMAP_REFUSED;
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n;
    if (!find_axes(layout, axes, &n)) return tmap_refuse_room(error);
    for (int i = 0; i < n; i++)
        if (check_reach(layout, axes[i], error) != TMAP_OK) return TMAP_REFUSED;
    return layout->has_swizzle ? check_swizzle(layout, error) : TMAP_OK;
}

tmap_status tmap_layout_put(const tmap_layout *made, tmap_layout *out, tmap_diag *error) {
    tmap_status status = tmap_layout_check(made, error);
    if (status == TMAP_OK) *out = *made;
    return status;
}

tmap_status tmap_layout_check_memory(const tmap_layout *layout, int operand, tmap_diag *error) {
    const tmap_axis *other = tmap_layout_other_axis(layout);
    if (tmap_layout_copies(layout) > 1)
        return tmap_refuse_with(error, operand, "use the layout without R", "the layout has copies of its elements");
    if (!other) return TMAP_OK;
    return tmap_refuse_with(error, operand, "a layout only on m; storage(…) keeps the part on m",
                            "the layout has an axis other than m: %s", other->name);
}

tmap_status tmap_check_count(int have, const char *what, int want, const char *of, int operand, tmap_diag *error) {
    if (have == want) return TMAP_OK;
    tmap_refuse_operand(error, operand, "%d %s%s for %d %s%s", have, what, TMAP_PLURAL(have), want, of,
                        TMAP_PLURAL(want));
    return tmap_say_fix(error, "one %s for each %s", what, of);
}

tmap_status tmap_shape_check(const tmap_shape *shape, int operand, int64_t *size, tmap_diag *error) {
    *size = 1;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->at[i] < 1)
            return tmap_refuse_with(error, operand, "dimensions are 1 or more", "dimension %d of the shape is %lld", i,
                                    (long long)shape->at[i]);
        if (__builtin_mul_overflow(*size, shape->at[i], size))
            return tmap_refuse_with(error, operand, "a smaller shape", "the shape's size does not fit 64 bits");
    }
    return TMAP_OK;
}

tmap_status tmap_layout_row_major(const int64_t *shape, int rank, tmap_layout *layout, tmap_diag *error) {
    tmap_layout made = {.shard = {.n = rank}};
    if (rank < 0 || rank > TMAP_ITERS_MAX) return tmap_refuse_room(error);
    int64_t stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
        made.shard.at[i] = (tmap_iter){shape[i], stride, tmap_axis_get(TMAP_AXIS_ID_M)};
        if (i > 0 && __builtin_mul_overflow(stride, shape[i], &stride))
            return tmap_refuse_overflow(error, "the product of the extents", "smaller extents");
    }
    return tmap_layout_put(&made, layout, error);
}
