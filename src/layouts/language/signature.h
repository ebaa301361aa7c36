/*
 * language: signatures. A row of functions.def has the name of a function, its result, its C function, and its
 * parameters, each with a kind of parameters.def. Three passes over the rows make from them the declaration of the C
 * function, its call with the arguments of an expression, and the row of the table.
 *
 *   FUNCTION("tile_to", LAYOUT, tmap_layout_tile_to, "…", (LAYOUT, "inner"), (SHAPE, "shape"), (SHAPE, "inner_shape"))
 *
 * declares tmap_status tmap_layout_tile_to(const tmap_layout *, const tmap_shape *, const tmap_shape *,
 * tmap_layout *made, tmap_diag *error).
 */
#pragma once

#include "language/eval.h"

/* WITH(0, a), WITH(1, b), … for the parameters a, b, … of a row. */
#define EACH_1(WITH, a)                               WITH(0, a)
#define EACH_2(WITH, a, b)                            EACH_1(WITH, a), WITH(1, b)
#define EACH_3(WITH, a, b, c)                         EACH_2(WITH, a, b), WITH(2, c)
#define EACH_4(WITH, a, b, c, d)                      EACH_3(WITH, a, b, c), WITH(3, d)
#define EACH_5(WITH, a, b, c, d, e)                   EACH_4(WITH, a, b, c, d), WITH(4, e)
#define EACH_6(WITH, a, b, c, d, e, f)                EACH_5(WITH, a, b, c, d, e), WITH(5, f)
#define EACH_7(WITH, a, b, c, d, e, f, g)             EACH_6(WITH, a, b, c, d, e, f), WITH(6, g)
#define EACH_8(WITH, a, b, c, d, e, f, g, h)          EACH_7(WITH, a, b, c, d, e, f, g), WITH(7, h)
#define EACH_9(WITH, a, b, c, d, e, f, g, h, i)       EACH_8(WITH, a, b, c, d, e, f, g, h), WITH(8, i)
#define EACH_10(WITH, a, b, c, d, e, f, g, h, i, j)   EACH_9(WITH, a, b, c, d, e, f, g, h, i), WITH(9, j)
#define EACH_OF(a, b, c, d, e, f, g, h, i, j, n, ...) EACH_##n
#define EACH(WITH, ...)                               EACH_OF(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)(WITH, __VA_ARGS__)

/* The C types of the kinds of parameters, and their arguments in a call of the C function. */
#define TYPE_VALUE      const tmap_value *
#define TYPE_LAYOUT     const tmap_layout *
#define TYPE_REGISTER   const tmap_register_layout *
#define TYPE_SHARED     const tmap_shared_layout *
#define TYPE_MULTI      const tmap_multi_function *
#define TYPE_CUTE       const tmap_cute *
#define TYPE_LINEAR     const tmap_linear *
#define TYPE_MODES      const tmap_modes *
#define TYPE_ANY_LAYOUT const tmap_layout *, const tmap_shape * /* the shape of the layout; rank 0: it has none */
#define TYPE_SWIZZLE    const tmap_xor * /* NULL if it is omitted, or for a layout without a swizzle */
#define TYPE_TILER      const tmap_cute_tiler *
#define TYPE_INT        int64_t
#define TYPE_SMALL      int
#define TYPE_COUNT      uint64_t
#define TYPE_BOOL       bool
#define TYPE_SHAPE      const tmap_shape * /* NULL if it is omitted */
#define TYPE_NUMBERS    const uint64_t *, int
#define TYPE_DIMS       const int *, int
#define TYPE_ORDER      const int *, int
#define TYPE_INDEX      const uint64_t *
#define TYPE_BOX        const tmap_shape *, const tmap_shape * /* begin and end */
#define TYPE_NAME       const char *                           /* NULL if it is omitted */
#define TYPE_AXIS       const tmap_axis *
#define TYPE_TYPE       int
#define TYPE_MODE       tmap_swizzle
#define TYPE_STYLE      int

#define PASS_VALUE(i)      call->args[i]
#define PASS_LAYOUT(i)     call->read[i].data
#define PASS_REGISTER(i)   call->read[i].data
#define PASS_SHARED(i)     call->read[i].data
#define PASS_MULTI(i)      call->read[i].data
#define PASS_CUTE(i)       call->read[i].data
#define PASS_LINEAR(i)     call->read[i].data
#define PASS_MODES(i)      call->read[i].data
#define PASS_ANY_LAYOUT(i) call->read[i].data, &call->read[i].as.shape
#define PASS_SWIZZLE(i)    call->read[i].data
#define PASS_TILER(i)      &call->read[i].as.tiler
#define PASS_INT(i)        call->read[i].integer
#define PASS_SMALL(i)      (int)call->read[i].integer
#define PASS_COUNT(i)      (uint64_t) call->read[i].integer
#define PASS_BOOL(i)       call->read[i].integer != 0
#define PASS_SHAPE(i)      call->read[i].data
#define PASS_NUMBERS(i)    call->read[i].as.numbers, call->read[i].n
#define PASS_DIMS(i)       call->read[i].as.dims, call->read[i].n
#define PASS_ORDER(i)      call->read[i].as.dims, call->read[i].n
#define PASS_INDEX(i)      call->read[i].as.numbers
#define PASS_BOX(i)        &call->read[i].as.box[0], &call->read[i].as.box[1]
#define PASS_NAME(i)       call->read[i].data
#define PASS_AXIS(i)       call->read[i].data ? call->read[i].data : tmap_axis_get((int)call->read[i].integer)
#define PASS_TYPE(i)       (int)call->read[i].integer
#define PASS_MODE(i)       (tmap_swizzle) call->read[i].integer
#define PASS_STYLE(i)      (int)call->read[i].integer

/* The kind of a parameter, its C type, and the argument for it. */
#define KIND_OF(kind, ...)    kind
#define TYPE_OF(i, parameter) TYPE_(KIND_OF parameter)
#define TYPE_(kind)           TYPE__(kind)
#define TYPE__(kind)          TYPE_##kind
#define PASS_OF(i, parameter) PASS_(i, KIND_OF parameter)
#define PASS_(i, kind)        PASS__(i, kind)
#define PASS__(i, kind)       PASS_##kind(i)
