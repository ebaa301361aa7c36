/* language: arguments that are layouts of Triton. */
#ifndef TMAP_LANGUAGE_FN_TRITON_H
#define TMAP_LANGUAGE_FN_TRITON_H

#include "language/eval.h"

#define TMAP_TAKES_TRITON (TMAP_KIND(ENCODING) | TMAP_KIND(LINEAR))

/* The argument as S/R/O, and the shape of its tensor; an encoding has that of the argument `shape`. False after the
 * refusal was noted. */
bool tmap_arg_triton_layout(tmap_call *call, int arg, tmap_layout *layout, tmap_shape *shape);

#endif
