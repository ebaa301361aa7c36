/* language: arguments that are layouts of any kind. */
#ifndef TMAP_LANGUAGE_LAYOUT_ARGUMENT_H
#define TMAP_LANGUAGE_LAYOUT_ARGUMENT_H

#include "language/eval.h"

#define TMAP_TAKES_ANY_LAYOUT                                                                                          \
    (TMAP_KIND(LAYOUT) | TMAP_KIND(REGISTER) | TMAP_KIND(SHARED) | TMAP_KIND(CUTE) | TMAP_KIND(ENCODING) |             \
     TMAP_KIND(LINEAR))

/*
 * The argument as S/R/O, a register layout's threads on the axis tx, and the shape that it has of its own: that of its
 * kind, of CuTe the sizes of the modes at the top, of S/R/O the extents of a layout of a tensor. Rank 0: none.
 * False after the refusal was noted.
 */
bool tmap_arg_layout(tmap_call *call, int arg, const tmap_layout **layout, tmap_shape *shape);

#endif
