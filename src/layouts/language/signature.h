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

/* For each kind of parameters: the form in which the C function gets the argument, and its C types. */
#define OF_VALUE    VALUE, const tmap_value *
#define OF_LAYOUT   DATA, const tmap_layout *
#define OF_REGISTER DATA, const tmap_register_layout *
#define OF_SHARED   DATA, const tmap_shared_layout *
#define OF_MULTI    DATA, const tmap_multi_function *
#define OF_CUTE     DATA, const tmap_cute *
#define OF_LINEAR   DATA, const tmap_linear *
#define OF_MODES    DATA, const tmap_modes *
#define OF_ANY_LAYOUT                                                                                                  \
    DATA_AND_SHAPE, const tmap_layout *, const tmap_shape * /* the shape of the layout; rank 0: none */
#define OF_SWIZZLE DATA, const tmap_xor * /* NULL if it is omitted, or for a layout without a swizzle */
#define OF_TILER   TILER, const tmap_cute_tiler *
#define OF_INT     INTEGER, int64_t
#define OF_SMALL   SMALL, int
#define OF_COUNT   COUNT, uint64_t
#define OF_BOOL    TRUTH, bool
#define OF_SHAPE   DATA, const tmap_shape * /* NULL if it is omitted */
#define OF_NUMBERS NUMBERS, const uint64_t *, int
#define OF_SIZES   NUMBERS, const uint64_t *, int
#define OF_DIMS    DIMS, const int *, int
#define OF_ORDER   DIMS, const int *, int
#define OF_INDEX   INDEX, const uint64_t *
#define OF_BOX     BOX, const tmap_shape *, const tmap_shape * /* begin and end */
#define OF_NAME    DATA, const char *                          /* NULL if it is omitted */
#define OF_AXIS    AXIS, const tmap_axis *
#define OF_TYPE    SMALL, int
#define OF_MODE    MODE, tmap_swizzle
#define OF_STYLE   SMALL, int

/* For each form: the arguments in the call of the C function. */
#define PASS_VALUE(i)          call->args[i]
#define PASS_DATA(i)           call->read[i].data
#define PASS_DATA_AND_SHAPE(i) call->read[i].data, &call->read[i].as.shape
#define PASS_TILER(i)          &call->read[i].as.tiler
#define PASS_INTEGER(i)        call->read[i].integer
#define PASS_SMALL(i)          (int)call->read[i].integer
#define PASS_COUNT(i)          (uint64_t) call->read[i].integer
#define PASS_TRUTH(i)          call->read[i].integer != 0
#define PASS_NUMBERS(i)        call->read[i].as.numbers, call->read[i].n
#define PASS_DIMS(i)           call->read[i].as.dims, call->read[i].n
#define PASS_INDEX(i)          call->read[i].as.numbers
#define PASS_BOX(i)            &call->read[i].as.box[0], &call->read[i].as.box[1]
#define PASS_AXIS(i)           call->read[i].data ? call->read[i].data : tmap_axis_get((int)call->read[i].integer)
#define PASS_MODE(i)           (tmap_swizzle) call->read[i].integer

/* The C types of a parameter (KIND, name, …), and the arguments for it. */
#define KIND_OF(kind, ...)    OF_##kind
#define TYPE_OF(i, parameter) TYPES(KIND_OF parameter)
#define TYPES(of)             TYPES_(of)
#define TYPES_(form, ...)     __VA_ARGS__
#define PASS_OF(i, parameter) PASS(i, KIND_OF parameter)
#define PASS(i, of)           PASS_(i, of)
#define PASS_(i, form, ...)   PASS_##form(i)
