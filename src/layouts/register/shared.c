/* Shared layouts of Tilus: modes with strides, and an optional swizzle. */
#include "tmap/unstable/layout_swizzle.h"
#include "tmap/unstable/register_shared.h"

#include "base/wide.h"
#include "layout/xor_maps.h"
#include "register/modes.h"
#include "register/print.h"
#include "register/shaped.h"
#include "text/print.h"

#include <inttypes.h>
#include <string.h>

/* ---- The map ---- */

uint64_t tmap_shared_offset(const tmap_shared_layout *layout, const uint64_t *index) {
    uint64_t of_mode[TMAP_MODES_MAX], offset = 0;
    tmap_modes_split_index(&layout->modes, index, of_mode);
    for (int k = 0; k < layout->modes.n; k++) offset += of_mode[k] * layout->strides[k];
    return layout->swizzle.b == 0 ? offset : (uint64_t)tmap_xor_apply(&layout->swizzle, (int64_t)offset);
}

static tmap_u128 wide_span(const tmap_shared_layout *layout) {
    tmap_u128 span = 1;
    for (int k = 0; k < layout->modes.n; k++) span += (tmap_u128)(layout->modes.size[k] - 1) * layout->strides[k];
    return span;
}

uint64_t tmap_shared_span(const tmap_shared_layout *layout) {
    return tmap_u64_saturate(wide_span(layout));
}

/* ---- Making ---- */

static tmap_status check_swizzle(const tmap_xor *x, tmap_diag *error) {
    if (x->b == 0 ? x->m >= 0 && x->m < 62 : tmap_xor_exists(x->m, x->b, x->s)) return TMAP_OK;
    return tmap_refuse_operation(error, TMAP_OPERATION("shared_layout"),
                                 "use base >= 0 and shift >= bits >= 0, with a sum of at most 62",
                                 "Swizzle(base=%d, bits=%d, shift=%d)", x->m, x->b, x->s);
}

tmap_status tmap_shared_make(const tmap_shared_layout *parts, tmap_shared_layout *layout, tmap_diag *error) {
    tmap_status status = tmap_modes_check(&parts->modes, TMAP_OPERATION("shared_layout"), error);
    if (status == TMAP_OK) status = check_swizzle(&parts->swizzle, error);
    if (status != TMAP_OK) return status;
    tmap_u128 span = wide_span(parts);
    if (span > TMAP_MODE_SIZE_MAX)
        return tmap_refuse_operation(error, TMAP_OPERATION("shared_layout"), "use smaller strides",
                                     "the layout has offsets above 2^62");
    tmap_shaped canonical = tmap_shaped_of_shared(parts);
    return tmap_shared_of_shaped(&canonical, layout, error);
}

/* Dense; the last dimension is the fastest, or with `column` the first. */
static tmap_status make_dense(const uint64_t *shape, int rank, bool column, tmap_shared_layout *layout,
                              tmap_diag *error) {
    tmap_status status = tmap_modes_shape_check(shape, rank, TMAP_OPERATION("shared_layout"), error);
    if (status != TMAP_OK) return status;
    tmap_shared_layout parts = {.modes = {.rank = rank, .n = rank}};
    uint64_t stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
        int d = column ? rank - 1 - i : i;
        parts.modes.shape[d] = parts.modes.size[d] = shape[d];
        parts.strides[d] = stride;
        stride *= shape[d];
    }
    return tmap_shared_make(&parts, layout, error);
}

tmap_status tmap_shared_row_major(const uint64_t *shape, int rank, tmap_shared_layout *layout, tmap_diag *error) {
    return make_dense(shape, rank, false, layout, error);
}

tmap_status tmap_shared_column_major(const uint64_t *shape, int rank, tmap_shared_layout *layout, tmap_diag *error) {
    return make_dense(shape, rank, true, layout, error);
}

static tmap_status check_swizzled_shape(const uint64_t *shape, int rank, uint64_t element_bits, tmap_diag *error) {
    const tmap_operation name = TMAP_OPERATION("shared_row_major_swizzle");
    bool power = element_bits >= 4 && element_bits <= 128 && (element_bits & (element_bits - 1)) == 0;
    if (!power)
        return tmap_refuse_operation(error, TMAP_FITTED(name.name), "use 4, 8, 16, 32, 64 or 128",
                                     "the elements have %" PRIu64 " bits", element_bits);
    if (rank < 2)
        return tmap_refuse_operation(error, name, "use a shape of rows and columns", "the shape has %d dimension%s",
                                     rank, TMAP_PLURAL(rank));
    if (shape[rank - 2] % 8 != 0)
        return tmap_refuse_operation(error, name, "use a multiple of 8 rows", "the number of rows is %" PRIu64,
                                     shape[rank - 2]);
    if (shape[rank - 1] % (128 / element_bits) != 0)
        return tmap_refuse_operation(error, name, "make a row a multiple of 16 bytes",
                                     "a row has %" PRIu64 " elements of %" PRIu64 " bits", shape[rank - 1],
                                     element_bits);
    return TMAP_OK;
}

tmap_status tmap_shared_row_major_swizzle(const uint64_t *shape, int rank, uint64_t element_bits,
                                          tmap_shared_layout *layout, tmap_diag *error) {
    tmap_status status = tmap_modes_shape_check(shape, rank, TMAP_OPERATION("shared_row_major_swizzle"), error);
    if (status == TMAP_OK) status = check_swizzled_shape(shape, rank, element_bits, error);
    if (status != TMAP_OK) return status;
    uint64_t unit = 128 / element_bits, rows = shape[rank - 2], columns = shape[rank - 1];
    uint64_t span = 8 * unit; /* of the widest block that divides a row */
    while (columns % span != 0) span /= 2;
    tmap_shared_layout parts = {.modes = {.rank = rank, .n = rank + 1}};
    uint64_t stride = rows * columns;
    for (int d = rank - 3; d >= 0; d--) {
        parts.strides[d] = stride;
        stride *= shape[d];
    }
    for (int d = 0; d < rank; d++) parts.modes.shape[d] = parts.modes.size[d] = shape[d];
    parts.strides[rank - 2] = span;
    parts.modes.size[rank - 1] = columns / span;
    parts.strides[rank - 1] = rows * span;
    parts.modes.size[rank] = span;
    parts.strides[rank] = 1;
    parts.swizzle = (tmap_xor){.m = tmap_log2_of(unit), .b = tmap_log2_of(span / unit), .s = 3};
    return tmap_shared_make(&parts, layout, error);
}

/* ---- Operations ---- */

tmap_status tmap_shared_compose(const tmap_shared_layout *outer, const tmap_shared_layout *inner,
                                tmap_shared_layout *layout, tmap_diag *error) {
    tmap_shaped a = tmap_shaped_of_shared(outer), b = tmap_shaped_of_shared(inner), both;
    if (outer->swizzle.b != 0 || inner->swizzle.b != 0)
        return tmap_refuse_operation(error, TMAP_OPERATION("compose"), "compose first and swizzle the result",
                                     "a layout has a swizzle");
    if (tmap_modes_elements_n(&outer->modes) > TMAP_MODE_SIZE_MAX / tmap_modes_elements_n(&inner->modes) ||
        tmap_shared_span(outer) > TMAP_MODE_SIZE_MAX / tmap_shared_span(inner))
        return tmap_refuse_operation(error, TMAP_OPERATION("compose"), "use smaller layouts",
                                     "the result has offsets above 2^62");
    tmap_status status = tmap_shaped_compose(&a, &b, &both, error);
    return status == TMAP_OK ? tmap_shared_of_shaped(&both, layout, error) : status;
}

tmap_status tmap_shared_permute(const tmap_shared_layout *layout, const int *dims, int dims_n,
                                tmap_shared_layout *permuted, tmap_diag *error) {
    tmap_shaped shaped = tmap_shaped_of_shared(layout);
    tmap_status status = tmap_shaped_permute(&shaped, dims, dims_n, &shaped, error);
    return status == TMAP_OK ? tmap_shared_of_shaped(&shaped, permuted, error) : status;
}

tmap_status tmap_shared_unsqueeze(const tmap_shared_layout *layout, const int *dims, int dims_n,
                                  tmap_shared_layout *unsqueezed, tmap_diag *error) {
    tmap_register_layout shape = {.modes = layout->modes};
    tmap_status status = tmap_register_unsqueeze(&shape, dims, dims_n, &shape, error);
    if (status != TMAP_OK) return status;
    *unsqueezed = *layout;
    unsqueezed->modes = shape.modes;
    return TMAP_OK;
}

tmap_status tmap_shared_prepend(const tmap_shared_layout *layout, uint64_t extent, tmap_shared_layout *prepended,
                                tmap_diag *error) {
    if (tmap_modes_rank_check(layout->modes.rank + 1, TMAP_OPERATION("prepend"), error) != TMAP_OK) return TMAP_REFUSED;
    tmap_shared_layout parts = {.modes = {.rank = layout->modes.rank + 1, .n = 1, .shape = {extent}, .size = {extent}},
                                .strides = {tmap_shared_span(layout)},
                                .swizzle = layout->swizzle};
    for (int d = 0; d < layout->modes.rank; d++) parts.modes.shape[d + 1] = layout->modes.shape[d];
    for (int k = 0; k < layout->modes.n; k++, parts.modes.n++) {
        parts.modes.size[parts.modes.n] = layout->modes.size[k];
        parts.strides[parts.modes.n] = layout->strides[k];
    }
    return tmap_shared_make(&parts, prepended, error);
}

tmap_status tmap_shared_reshape(const tmap_shared_layout *layout, const uint64_t *shape, int rank,
                                tmap_shared_layout *reshaped, tmap_diag *error) {
    tmap_shaped shaped = tmap_shaped_of_shared(layout);
    tmap_status status = tmap_shaped_reshape(&shaped, shape, rank, error);
    return status == TMAP_OK ? tmap_shared_of_shaped(&shaped, reshaped, error) : status;
}

/* ---- Slice ---- */

static tmap_status check_box(const tmap_shared_layout *layout, const uint64_t *begin, const uint64_t *extent,
                             tmap_diag *error) {
    for (int d = 0; d < layout->modes.rank; d++)
        if (extent[d] == 0 || begin[d] >= layout->modes.shape[d] || extent[d] > layout->modes.shape[d] - begin[d])
            return tmap_refuse_operation(error, TMAP_FITTED("slice"), "use at least one element, inside the layout",
                                         "dimension %d: the slice has %" PRIu64 " elements from %" PRIu64
                                         " on, the layout has %" PRIu64,
                                         d, extent[d], begin[d], layout->modes.shape[d]);
    return TMAP_OK;
}

static bool steps_forward(const tmap_layout *layout) {
    for (int k = 0; k < layout->shard.n; k++)
        if (layout->shard.at[k].extent > 1 && layout->shard.at[k].stride < 0) return false;
    return true;
}

/* Cuts one dimension after the other, to name the dimension that cannot be cut. */
static tmap_status cut_box(const tmap_shared_layout *layout, const uint64_t *begin, const uint64_t *extent,
                           tmap_shaped *box, tmap_diag *error) {
    const tmap_shaped whole = tmap_shaped_of_shared(layout);
    tmap_shape from = {.rank = whole.shape.rank}, to = whole.shape;
    *box = whole;
    for (int d = 0; d < whole.shape.rank; d++) {
        bool found = false;
        from.at[d] = (int64_t)begin[d], to.at[d] = (int64_t)(begin[d] + extent[d]),
        box->shape.at[d] = (int64_t)extent[d];
        tmap_status status = tmap_layout_slice(&whole.layout, &whole.shape, &from, &to, &box->layout, &found, error);
        if (status != TMAP_OK) return status;
        if (!found || !steps_forward(&box->layout))
            return tmap_refuse_operation(error, TMAP_FITTED("slice"), "cut where modes end",
                                         "dimension %d: %" PRIu64 " elements from %" PRIu64
                                         " on cross the end of a mode",
                                         d, extent[d], begin[d]);
    }
    return TMAP_OK;
}

tmap_status tmap_shared_slice(const tmap_shared_layout *layout, const uint64_t *begin, const uint64_t *extent,
                              tmap_shared_layout *slice, uint64_t *offset, tmap_diag *error) {
    tmap_shaped box;
    tmap_status status = check_box(layout, begin, extent, error);
    if (status == TMAP_OK) status = cut_box(layout, begin, extent, &box, error);
    if (status != TMAP_OK) return status;
    uint64_t first = (uint64_t)tmap_values_get(&box.layout.offset, TMAP_REGISTERS);
    uint64_t period = box.layout.has_swizzle ? (uint64_t)tmap_xor_period(&box.layout.swizzle) : 1;
    if (first % period != 0)
        return tmap_refuse_operation(error, TMAP_FITTED("slice"), "start at a multiple of the swizzle's period",
                                     "offset %" PRIu64 " is inside the swizzle's pattern of %" PRIu64 " elements",
                                     first, period);
    status = tmap_shared_of_shaped(&box, slice, error);
    if (status == TMAP_OK) *offset = first;
    return status;
}

/* ---- Text ---- */

void tmap_shared_print(tmap_sink *sink, const tmap_shared_layout *layout) {
    const tmap_xor *x = &layout->swizzle;
    tmap_puts(sink, "SharedLayout(");
    tmap_modes_put_numbers(sink, "shape", layout->modes.shape, layout->modes.rank);
    tmap_modes_put_numbers(sink, ", mode_shape", layout->modes.size, layout->modes.n);
    tmap_modes_put_numbers(sink, ", mode_strides", layout->strides, layout->modes.n);
    if (x->b == 0)
        tmap_puts(sink, ", swizzle=None)");
    else
        tmap_printf(sink, ", swizzle=Swizzle(base=%d, bits=%d, shift=%d))", x->m, x->b, x->s);
}

static void put_offset(const void *of, tmap_sink *sink, uint64_t element) {
    const tmap_shared_layout *layout = of;
    uint64_t index[TMAP_MODE_RANK_MAX];
    tmap_modes_unravel(&layout->modes, element, index);
    tmap_printf(sink, "%" PRIu64, tmap_shared_offset(layout, index));
}

tmap_status tmap_shared_grid(tmap_sink *sink, const tmap_shared_layout *layout, uint64_t cells_max, int style) {
    tmap_text_grid grid = {.of = layout, .put_cell = put_offset, .right_aligned = true, .style = style};
    if (layout->modes.rank != 2 || tmap_grid_of_modes(&grid, &layout->modes, cells_max) != TMAP_OK)
        return TMAP_BAD_ARGUMENT;
    tmap_shared_print(sink, layout);
    tmap_puts(sink, "\n");
    tmap_put_grid(sink, &grid);
    return TMAP_OK;
}
