/* language: reads arguments that are layouts. The functions return false after noting the refusal. */
#pragma once

#include "language/eval.h"

/*
 * A layout of any kind as S/R/O (a register layout has its threads on the axis tx), and its own shape: the shape of its
 * kind, for CuTe the sizes of the top-level modes, for S/R/O the extents of a layout of a tensor. Rank 0: it has no
 * shape.
 */
bool tmap_arg_any_layout(tmap_call *call, int arg, tmap_read_value *out);
/* The same for a value of any of these kinds but an encoding, which has no shape. */
tmap_status tmap_value_layout(const tmap_value *value, tmap_layout *layout, tmap_shape *shape, tmap_diag *error);
/* A linear layout, or the linear layout of an encoding for the argument `shape`. */
bool tmap_arg_linear(tmap_call *call, int arg, tmap_linear *linear);
/* A tiler of CuTe: a layout, a number n (n:1), shape:stride, or a list with a tiler for each mode. */
bool tmap_arg_tiler(tmap_call *call, int arg, tmap_read_value *out);
