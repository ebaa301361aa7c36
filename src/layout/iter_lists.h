/*
 * layout: what its files share: growing lists of iters, sums an axis, products that are known to fit.
 * In a sound layout sizes and reaches fit 64 bits (tmap_layout_check), so sums of digits times strides do too.
 */
#pragma once

#include "base/wide.h"
#include "diag/refuse.h"
#include "tmap/unstable/layout_algebra.h"
#include "util/print.h"

/* False when there is no room. */
bool tmap_iters_add(tmap_iters *iters, tmap_iter iter);
bool tmap_iters_append(tmap_iters *iters, const tmap_iter *more, int n);
/* In front, merged and without units; keeps nothing of an empty list. */
void tmap_iters_merge(const tmap_iter *iters, int n, tmap_iters *out);

/* Adds to the axis' value; a sum of 0 is taken out. False when it does not fit or there is no room. */
bool tmap_values_add(tmap_axis_values *values, const tmap_axis *axis, int64_t value);
/* 0 where the axis is not there. */
int64_t tmap_values_get(const tmap_axis_values *values, const tmap_axis *axis);

/* The lowest and highest coordinate on an axis, without the swizzle. */
typedef struct tmap_range {
    int64_t low, high;
} tmap_range;
tmap_range tmap_layout_range(const tmap_layout *layout, const tmap_axis *axis);

/* Refusals that many have. */
tmap_status tmap_refuse_room(tmap_diag *error);
tmap_status tmap_refuse_overflow(tmap_diag *error, const char *what);
/* Whether `shape` is one (extents of 1 and more, product within 64 bits), and the product. */
tmap_status tmap_shape_check(const tmap_shape *shape, int operand, int64_t *size, tmap_diag *error);

/* A function's normal form: canonical, strides of 0 on m, replicas merged and not negative. */
void tmap_layout_normal(const tmap_layout *layout, tmap_layout *out);
