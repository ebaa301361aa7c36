/*
 * layout: functions that the files of this room share: growing lists of iters, sums for each axis, checked products.
 * In a valid layout sizes and reaches fit in 64 bits (tmap_layout_check), so sums of digits times strides fit too.
 */
#pragma once

#include "base/wide.h"
#include "diag/refuse.h"
#include "text/print.h"
#include "tmap/unstable/layout_algebra.h"

static inline int64_t tmap_smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t tmap_larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

bool tmap_iter_same(const tmap_iter *a, const tmap_iter *b);
/* Returns false when the list is full. */
bool tmap_iters_add(tmap_iters *iters, tmap_iter iter);
bool tmap_iters_append(tmap_iters *iters, const tmap_iter *more, int n);
/* Sets *out to the iters without those of extent 1, and merges neighbours on one axis that continue each other. */
void tmap_iters_merge(const tmap_iter *iters, int n, tmap_iters *out);

/* The sum of the digits of `number` times strides, of all axes. */
static inline int64_t tmap_iters_sum(const tmap_iters *iters, int64_t number) {
    int64_t sum = 0;
    for (int i = iters->n - 1; i >= 0; i--) {
        sum += number % iters->at[i].extent * iters->at[i].stride;
        number /= iters->at[i].extent;
    }
    return sum;
}

/* Adds to the value of the axis and removes a sum of 0. Returns false on overflow or when the list is full. */
bool tmap_values_add(tmap_axis_values *values, const tmap_axis *axis, int64_t value);
/* 0 for an axis that is not in the list. */
int64_t tmap_values_get(const tmap_axis_values *values, const tmap_axis *axis);

/* The lowest and highest coordinate on an axis, before the swizzle. */
typedef struct tmap_interval {
    int64_t low, high;
} tmap_interval;
tmap_interval tmap_layout_range(const tmap_layout *layout, const tmap_axis *axis);

/* Checks a layout, and writes it if it is valid. */
tmap_status tmap_layout_put(const tmap_layout *made, tmap_layout *out, tmap_diag *error);
/* Refuses copies, and axes other than m. */
tmap_status tmap_layout_check_memory(const tmap_layout *layout, int operand, tmap_diag *error);
/* Refuses unless there is one `what` for each `of`. */
tmap_status tmap_check_count(int have, const char *what, int want, const char *of, int operand, tmap_diag *error);
/* The first axis other than m; NULL: all are m. */
const tmap_axis *tmap_layout_other_axis(const tmap_layout *layout);
tmap_shape tmap_iters_extents(const tmap_iters *iters);
/* "2,3,4", cut to the size of the text. */
void tmap_say_extents(const tmap_shape *shape, char *text, size_t size);

/* Sorts `n` items of `size` bytes, at most 128. Equal items keep their order. Lists are short. */
void tmap_sort(void *items, int n, size_t size, bool (*is_before)(const void *, const void *));
/* Sorts the numbers and removes repeated ones. Returns how many are left. */
size_t tmap_different_numbers(int64_t *numbers, size_t n);

/* Refusals with a common text. */
tmap_status tmap_refuse_room(tmap_diag *error);
tmap_status tmap_refuse_overflow(tmap_diag *error, const char *what, const char *fix);
/* Refuses a shape of `size` elements, which are not as many as the layout has. */
tmap_status tmap_refuse_size(const tmap_layout *layout, int64_t size, int operand, tmap_diag *error);
/* Refuses a shape with an extent below 1, or with a product that does not fit in 64 bits. Sets *size to the product. */
tmap_status tmap_shape_check(const tmap_shape *shape, int operand, int64_t *size, tmap_diag *error);

/* whole / part, dimension by dimension; *size is the product of `whole`. The part is operand `operand`, the whole the
 * one before it. */
tmap_status tmap_shape_divide(const tmap_shape *whole, const tmap_shape *part, int operand, tmap_shape *quotient,
                              int64_t *size, tmap_diag *error);

/* A layout split at the boundaries of a shape: run d is the iters starts[d] to starts[d + 1] - 1. */
typedef struct tmap_grouped {
    tmap_layout layout;
    int starts[TMAP_ITERS_MAX + 1];
} tmap_grouped;
/* As tmap_layout_group, for the canonical form, without iters of extent 1: a run may be empty. A refusal is about
 * `operand`. */
tmap_status tmap_layout_split(const tmap_layout *layout, const tmap_shape *shape, int operand, tmap_grouped *out,
                              tmap_diag *error);
/* Appends run `dim` to a list. Returns false when the list is full. */
bool tmap_grouped_append(const tmap_grouped *grouped, int dim, tmap_iters *to);

/* The factor that tmap_layout_tile_outer_of or _inner_of finds if one exists; the product with it may be another. */
tmap_status tmap_layout_find_factor(const tmap_layout *known, bool known_is_inner, const tmap_layout *tiled,
                                    const tmap_shape *tiled_shape, const tmap_shape *known_shape, tmap_layout *other,
                                    bool *found, tmap_diag *error);

/* The normal form of a function: canonical, strides of 0 on m, replicas merged and not negative. */
void tmap_layout_normal(const tmap_layout *layout, tmap_layout *out);
