/* language: arguments that are layouts of any kind. */
#pragma once

#include "language/eval.h"

#define TMAP_TAKES_ANY_LAYOUT                                                                                          \
    (TMAP_KIND(LAYOUT) | TMAP_KIND(REGISTER) | TMAP_KIND(SHARED) | TMAP_KIND(CUTE) | TMAP_KIND(ENCODING) |             \
     TMAP_KIND(LINEAR))

/*
 * The argument as S/R/O (a register layout has its threads on the axis tx), and its own shape: the shape of its kind,
 * for CuTe the sizes of the top-level modes, for S/R/O the extents of a layout of a tensor. Rank 0: it has no shape.
 * Returns false after noting the refusal.
 */
bool tmap_arg_layout(tmap_call *call, int arg, const tmap_layout **layout, tmap_shape *shape);
