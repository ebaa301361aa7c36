/* language: arguments that are layouts of Triton. */
#pragma once

#include "language/eval.h"
#include "tmap/unstable/triton.h"

#define TMAP_TAKES_TRITON (TMAP_KIND(ENCODING) | TMAP_KIND(LINEAR))

/* A linear layout, or the linear layout of an encoding for the argument `shape`. Returns false after noting the
 * refusal. */
bool tmap_arg_linear(tmap_call *call, int arg, tmap_linear *linear);
/* As tmap_arg_linear, converted to S/R/O, with the shape of its tensor. */
bool tmap_arg_triton_layout(tmap_call *call, int arg, tmap_layout *layout, tmap_shape *shape);
/* tmap_encoding_print for tmap_give_written. */
tmap_status tmap_put_encoding(tmap_sink *sink, const void *of);
