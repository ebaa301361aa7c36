/*
 * comparisons: the comparisons of each rule with numbers of maps and copies that may be expressions. The rules evaluate
 * them on numbers (quantities.h); src/kernel/size/cuts.c collects them, to judge the rules for all values at once. So
 * each function makes all of its comparisons, and then combines them.
 */
#pragma once

#ifndef TMAP_QUANTITIES_ARE_EXPRESSIONS
#include "rule/quantities.h"
#endif

static inline quantity dim_of(const tmap_trial *trial, int dim) {
    return quantity_of(trial, TMAP_FIELD_DIMS, dim);
}

/* The stride of a dimension from 1 on. */
static inline quantity stride_of(const tmap_trial *trial, int dim) {
    return quantity_of(trial, TMAP_FIELD_STRIDES, dim - 1);
}

static inline quantity box_of(const tmap_trial *trial, int dim) {
    return quantity_of(trial, TMAP_FIELD_BOX, dim);
}

static inline quantity at_of(const tmap_trial *trial, int dim) {
    return quantity_of(trial, TMAP_FIELD_AT, dim);
}

static inline quantity address_of(const tmap_trial *trial) {
    return trial->map->has_address ? quantity_of(trial, TMAP_FIELD_ADDRESS, -1) : constant(trial, 0);
}

static inline int64_t bits_of_value(const tmap_trial *trial) {
    int64_t slice_B = trial->interleave->slice_B;
    return slice_B ? 8 * slice_B : trial->type->bits;
}

static inline quantity row_B_of(const tmap_trial *trial) {
    int64_t bits = bits_of_value(trial);
    return bits % 8 == 0 ? scaled(bits / 8, dim_of(trial, 0)) : divided(scaled(bits, dim_of(trial, 0)), 8);
}

static inline bool is_within(quantity value, tmap_i128 least, tmap_i128 most) {
    bool reached = at_least(value, least), passed = at_least(value, most + 1);
    return reached && !passed;
}

static inline bool equals(quantity value, tmap_i128 other) {
    return is_within(value, other, other);
}

/* The number of values in 16 bytes. Packed types count values of less than a byte. */
static inline int64_t values_of_16_B(const tmap_trial *trial) {
    return 128 / trial->type->bits;
}

#define ADDRESSES_END ((tmap_i128)1 << 64)

/* ---- The tensor ----------------------------------------------------------------------------------------------- */

static inline bool breaks_dim_coordinate(const tmap_trial *trial) {
    return at_least(dim_of(trial, trial->dim), ((tmap_i128)1 << 31) + 1);
}

static inline bool breaks_dim_extent_13_5(const tmap_trial *trial) {
    return is_within(dim_of(trial, trial->dim), ((tmap_i128)1 << 31) + 1, TMAP_DIM_MAX);
}

static inline bool breaks_dim_packed_multiple(const tmap_trial *trial) {
    return !is_multiple(dim_of(trial, 0), trial->type->dim0_multiple);
}

static inline bool breaks_address_align(const tmap_trial *trial) {
    return !is_multiple(address_of(trial), (int64_t)tmap_trial_align_B(trial));
}

static inline bool breaks_address_null(const tmap_trial *trial) {
    return !at_least(address_of(trial), 1);
}

static inline bool breaks_tensor_span(const tmap_trial *trial) {
    quantity span = span_of(trial);
    bool after = false;
    if (trial->map->has_address) {
        after = at_least(sum(address_of(trial), span), ADDRESSES_END + 1);
        unless_reached(trial);
    }
    return at_least(span, UINT64_MAX) || after;
}

#define ADDRESS_BITS 48

/* Skips numbers that address-align or tensor-span reports. */
static inline bool breaks_address_canonical(const tmap_trial *trial) {
    quantity address = address_of(trial);
    if (!at_least(address, (tmap_i128)1 << ADDRESS_BITS)) return false;
    if_reached(trial);
    quantity span = span_of(trial);
    bool aligned = is_multiple(address, TMAP_NARROW_ALIGN_B);
    bool ends = !at_least(sum(address, span), ADDRESSES_END), endless = at_least(span, UINT64_MAX);
    return aligned && (ends || endless);
}

static inline bool breaks_stride_high_bits(const tmap_trial *trial) {
    quantity stride = stride_of(trial, trial->dim);
    bool high = is_within(stride, TMAP_STRIDE_LOW_B, TMAP_STRIDE_LIMIT_B - 1);
    bool aligned = is_multiple(stride, TMAP_NARROW_ALIGN_B), several = at_least(dim_of(trial, trial->dim), 2);
    return high && aligned && several;
}

static inline bool breaks_stride_align(const tmap_trial *trial) {
    bool aligned = is_multiple(stride_of(trial, trial->dim), (int64_t)tmap_trial_align_B(trial));
    bool empty = !at_least(dim_of(trial, trial->dim), 1);
    return !aligned && !empty;
}

static inline bool breaks_stride_zero(const tmap_trial *trial) {
    bool zero = !at_least(stride_of(trial, trial->dim), 1), several = at_least(dim_of(trial, trial->dim), 2);
    return zero && several;
}

/* stride >= floor(bits / 8) is the same as 8 stride >= bits - 7. */
static inline bool breaks_stride_below_row(const tmap_trial *trial) {
    quantity stride = stride_of(trial, trial->dim);
    bool broadcast = !at_least(stride, 1), several = at_least(dim_of(trial, trial->dim), 2);
    bool below = !is_dense_stride(trial) &&
                 !at_least(difference(scaled(8, stride), scaled(bits_of_value(trial), dim_of(trial, 0))), -7);
    return below && several && !broadcast;
}

/* ---- The allocation ------------------------------------------------------------------------------------------- */

static inline bool breaks_allocation_span(const tmap_trial *trial) {
    return trial->map->allocation_B != 0 && at_least(span_of(trial), (tmap_i128)tmap_allocated_B(trial->map) + 1);
}

static inline bool breaks_allocation_class_unknown(const tmap_trial *trial) {
    bool unknown = trial->map->allocation_class == TMAP_ALLOCATION_LARGE && trial->map->allocation_B == 0;
    return unknown && !at_least(span_of(trial), TMAP_LARGE_REGION_B);
}

/* ---- The box -------------------------------------------------------------------------------------------------- */

/* The elements of one row of the box: box[0], or the channels of a pixel. */
static inline quantity row_of(const tmap_trial *trial) {
    return trial->mode->im2col ? constant(trial, trial->map->channels_per_pixel) : box_of(trial, 0);
}

/* *half: the row has half of its elements, 48 B of 6-bit values, which some architectures accept. */
static inline bool breaks_box_packed_exact(const tmap_trial *trial, bool *half) {
    uint32_t exact = trial->type->box0_exact;
    if (exact == 0) return false;
    bool whole = equals(row_of(trial), exact);
    *half = equals(row_of(trial), exact / 2);
    return !whole;
}

static inline bool breaks_box_inner_align(const tmap_trial *trial) {
    bool judged = !trial->interleave->slice_B && !trial->type->box0_exact;
    return judged && !is_multiple(row_of(trial), values_of_16_B(trial));
}

/* ceil(row / values) pitch > span is the same as row > floor(span / pitch) values. */
static inline bool breaks_box_inner_span(const tmap_trial *trial) {
    uint32_t span_B = trial->swizzle->span_B, values = (uint32_t)trial->type->unit_values;
    if (span_B == 0 || trial->interleave->slice_B) return false;
    return at_least(row_of(trial), span_B / trial->type->unit_pitch_B * values + 1) && !tmap_trial_wide_sixes(trial);
}

static inline bool breaks_element_stride_holes(const tmap_trial *trial) {
    quantity box = box_of(trial, trial->dim);
    uint64_t step = trial->map->element_strides[trial->dim];
    if (step <= 1 || step > TMAP_BOX_MAX) return false; /* element-stride-range reports larger steps */
    bool several = at_least(box, (tmap_i128)step + 1), whole = is_multiple(box, (int64_t)step);
    bool covers = at_least(difference(box, dim_of(trial, trial->dim)), 0);
    return several && !whole && !covers;
}

/* The smallest legal box size that covers the dimension. */
static inline quantity covering_box(const tmap_trial *trial, int dim) {
    if (dim > 0 || trial->interleave->slice_B) return dim_of(trial, dim);
    if (trial->type->box0_exact) return constant(trial, trial->type->box0_exact);
    return rounded_up(dim_of(trial, dim), (uint64_t)values_of_16_B(trial));
}

static inline bool breaks_box_within_tensor(const tmap_trial *trial) {
    return !at_least(difference(covering_box(trial, trial->dim), box_of(trial, trial->dim)), 0);
}

static inline bool breaks_four_rows_box(const tmap_trial *trial) {
    return trial->map->rank == 2 && !equals(box_of(trial, 1), 1);
}

/* Whether the pixel box is empty along spatial dimension number `corner`. */
static inline bool breaks_corner_area(const tmap_trial *trial, int corner) {
    int dim = tmap_image_dims_of(trial->map).first_spatial + corner;
    return !at_least(dim_of(trial, dim),
                     (tmap_i128)trial->map->lower_corner[corner] - trial->map->upper_corner[corner] + 1);
}

/* ---- Copies --------------------------------------------------------------------------------------------------- */

/* A coordinate of the instruction. */
typedef struct coordinate {
    tmap_field field;
    int entry; /* of the field; -1: the field is one number */
    int dim;   /* dimension along which the coordinate moves the box */
    quantity value;
} coordinate;

static inline int coordinates_of(const tmap_trial *trial, coordinate list[TMAP_RANK_MAX]) {
    if (!trial->op || trial->op->on_map) return 0;
    if (!trial->op->four_rows) {
        for (int i = 0; i < trial->dims_n; i++) list[i] = (coordinate){TMAP_FIELD_AT, i, i, at_of(trial, i)};
        return trial->dims_n;
    }
    list[0] = (coordinate){TMAP_FIELD_COLUMN, -1, 0, quantity_of(trial, TMAP_FIELD_COLUMN, -1)};
    for (int i = 0; i < 4; i++)
        list[1 + i] = (coordinate){TMAP_FIELD_ROWS, i, 1, quantity_of(trial, TMAP_FIELD_ROWS, i)};
    return 5;
}

static inline bool breaks_coordinate_range(const tmap_trial *trial, const coordinate *c) {
    (void)trial;
    return !is_within(c->value, INT32_MIN, INT32_MAX);
}

static inline bool breaks_store_negative(const tmap_trial *trial, const coordinate *c) {
    (void)trial;
    return !at_least(c->value, 0);
}

static inline bool breaks_override_sizes(const tmap_trial *trial, const coordinate *c) {
    const uint32_t sizes = TMAP_QUALIFIER_BIT(OVERRIDE_DIM) | TMAP_QUALIFIER_BIT(OVERRIDE_DIM_STRIDE);
    return (trial->copy->qualifiers & sizes) && !equals(c->value, 0);
}

/* Whether the copy stores type b6p2x16. */
static inline bool stores_bytes(const tmap_trial *trial) {
    return trial->op->to_global && trial->type->unit_stored_B;
}

/* The first coordinate of a copy is a multiple of this. */
static inline int64_t first_step(const tmap_trial *trial) {
    if (!trial->type->box0_exact) return values_of_16_B(trial);
    bool narrow = stores_bytes(trial) && tmap_trial_narrow_archs(trial);
    return narrow ? TMAP_NARROW_VALUES : (int64_t)trial->type->box0_exact;
}

static inline bool breaks_first_step(const tmap_trial *trial, const coordinate *first) {
    return !is_multiple(first->value, first_step(trial));
}

/* Whether a box of im2col has no fixed extent along the dimension: the extent depends on the walk. In the wide modes
 * the walk does not change h and d. */
static inline bool is_walked(const tmap_trial *trial, int dim) {
    if (!trial->mode->im2col) return false;
    tmap_image_dims dims = tmap_image_dims_of(trial->map);
    return dim != dims.channel && (dim == dims.batch || dim < dims.first_spatial + dims.walked_n);
}

/* The extent of a box along a dimension: of an interleaved map one slice, of im2col the channels and one pixel. */
static inline quantity extent_of(const tmap_trial *trial, int dim) {
    bool sliced = trial->interleave->slice_B != 0;
    if (!trial->mode->im2col && !sliced) return box_of(trial, dim);
    bool channel = dim == tmap_image_dims_of(trial->map).channel;
    if (!trial->mode->im2col && !channel) return box_of(trial, dim);
    return constant(trial, channel && !sliced ? trial->map->channels_per_pixel : 1);
}

/* Whether every element of the box is outside in dimension `dim`, whatever the other coordinates are. A walk continues
 * into later images, so only a walk that starts after the last image finds no data. */
static inline bool is_outside(const tmap_trial *trial, const coordinate *c) {
    quantity extent = extent_of(trial, c->dim);
    bool inside = at_least(c->value, 0), after = at_least(difference(c->value, dim_of(trial, c->dim)), 0);
    bool reaches = at_least(sum(c->value, extent), 1), walks = !at_least(extent, 1) || is_walked(trial, c->dim);
    if (walks) return (uint32_t)c->dim + 1 == trial->map->rank && inside && after;
    return inside ? after : !reaches;
}

/* The box ends after the tensor's last 16-byte unit of a row, and the tensor does not fill this unit. */
static inline bool breaks_store_whole_units(const tmap_trial *trial, const coordinate *first) {
    if (trial->interleave->slice_B) return false;
    quantity size = dim_of(trial, 0), start = first->value;
    bool whole = is_multiple(row_B_of(trial), 16);
    unless_reached(trial);
    bool inside = at_least(start, 0), after = at_least(difference(start, size), 0);
    bool passes = at_least(difference(sum(start, row_of(trial)), size), 1);
    return !whole && inside && !after && passes;
}

/* Whether the start is outside the pixel box. In the wide modes it may be before the box. */
static inline bool breaks_start(const tmap_trial *trial, int corner) {
    int dim = tmap_image_dims_of(trial->map).first_spatial + corner;
    quantity at = at_of(trial, dim);
    bool before = !at_least(at, trial->map->lower_corner[corner]);
    bool after = at_least(difference(at, dim_of(trial, dim)), trial->map->upper_corner[corner]);
    return after || (before && !trial->mode->wide);
}

/* The first row of the walk starts at the copy's coordinate, later rows at the lower corner. */
static inline bool breaks_start_step(const tmap_trial *trial, int corner) {
    int dim = tmap_image_dims_of(trial->map).first_spatial + corner;
    uint64_t step = trial->map->element_strides[dim];
    if (step > TMAP_BOX_MAX) return false; /* element-stride-range reports this */
    quantity past = difference(at_of(trial, dim), constant(trial, trial->map->lower_corner[corner]));
    return !is_multiple(past, (int64_t)step);
}

/* ---- Copies without a tensor map ------------------------------------------------------------------------------- */

/* The start of the copy in its memory. */
static inline quantity linear_offset(const tmap_trial *trial) {
    return scaled(trial->type->bits / 8, at_of(trial, 0));
}

static inline quantity linear_address(const tmap_trial *trial) {
    return sum(address_of(trial), linear_offset(trial));
}

static inline bool breaks_linear_align(const tmap_trial *trial) {
    return !is_multiple(linear_address(trial), TMAP_LINEAR_ALIGN_B);
}

static inline quantity linear_memory(const tmap_trial *trial) {
    return scaled(trial->type->bits / 8, dim_of(trial, 0));
}

/* Bytes that .ignore_oob ignores may be outside the memory. */
static inline bool breaks_linear_range(const tmap_trial *trial) {
    const tmap_copy_params *copy = trial->copy;
    quantity first = linear_offset(trial), memory = linear_memory(trial);
    bool inside = at_least(first, 0 - (tmap_i128)copy->ignore_left_B);
    bool passes = at_least(difference(first, memory), (tmap_i128)copy->ignore_right_B - copy->size_B + 1);
    return !inside || passes;
}
