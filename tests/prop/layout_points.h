/*
 * prop: an evaluation of S/R/O that shares no code with the library: the four steps of "Forward mapping" (TIRx, "Tensor
 * Layout"), digit by digit, and the swizzle bit by bit.
 */
#ifndef TMAP_TESTS_LAYOUT_POINTS_H
#define TMAP_TESTS_LAYOUT_POINTS_H

#include "tmap/unstable/layout_algebra.h"

/* The axes of the points; the first is m. */
#define AXES   5
#define COPIES 64
extern const tmap_axis_id axis_ids[AXES];

typedef struct point {
    int64_t at[AXES];
} point;

int axis_number(const tmap_axis *axis);
point add(point a, point b);
/* The value of D, or of one combination of R: the number's digits, innermost first, times the strides. */
point digits(const tmap_iters *iters, int64_t number);
point offset_of(const tmap_layout *layout);
int64_t product(const tmap_iters *iters);
int compare_points(const void *a, const void *b);
/* Returns the place of copy r of element x. */
point place_of(const tmap_layout *layout, int64_t x, int64_t r);
/* L(x) as a sorted set of at most COPIES points; returns the number of its values. */
int places(const tmap_layout *layout, int64_t x, point *set);

#endif
