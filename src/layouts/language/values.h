/* Values of the kinds of Tilus and CuTe, and arguments for their functions. */
#pragma once

#include "language/eval.h"
#include "tmap/unstable/cute.h"
#include "tmap/unstable/register_shared.h"

/* A list of numbers of an argument, at most TMAP_ITERS_MAX. Refuses negative numbers. Returns false after a refusal. */
typedef struct tmap_number_list {
    int n;
    uint64_t at[TMAP_ITERS_MAX];
} tmap_number_list;
bool tmap_arg_numbers(const tmap_call *call, int arg, tmap_number_list *numbers);
/* Numbers that name dimensions. */
typedef struct tmap_dims {
    int n, at[TMAP_ITERS_MAX];
} tmap_dims;
bool tmap_arg_dims(const tmap_call *call, int arg, tmap_dims *dims);
/* An index: one number for each dimension of the shape, inside the dimension. */
bool tmap_arg_index(const tmap_call *call, int arg, const tmap_modes *modes, tmap_number_list *index);

/* The arguments of these kinds, which the rows of functions have checked. */
const tmap_register_layout *tmap_arg_register(const tmap_call *call, int arg);
const tmap_shared_layout *tmap_arg_shared(const tmap_call *call, int arg);
const tmap_multi_function *tmap_arg_multi(const tmap_call *call, int arg);
const tmap_cute *tmap_arg_cute(const tmap_call *call, int arg);

/* The name of a style of tables; 0 if omitted. */
bool tmap_arg_table_style(const tmap_call *call, int arg, int *style);

/* Ends a function: returns the value if the operation succeeded, else notes its refusal. */
bool tmap_give_register(tmap_call *call, tmap_status status, const tmap_register_layout *layout, tmap_value *result);
bool tmap_give_shared(tmap_call *call, tmap_status status, const tmap_shared_layout *layout, tmap_value *result);
bool tmap_give_multi(tmap_call *call, tmap_status status, const tmap_multi_function *function, tmap_value *result);
bool tmap_give_cute(tmap_call *call, tmap_status status, const tmap_cute *layout, tmap_value *result);

/* The function `name` of the language: `operation` of argument 0, given as an expression, and of argument 1. `type` and
 * `give` belong to the kind of the result. */
#define OF_VALUES(name, first, operation, second, type, give)                                                          \
    bool name(tmap_call *call, tmap_value *result) {                                                                   \
        type made;                                                                                                     \
        return give(call, operation(first, second, &made, call->eval->error), &made, result);                          \
    }
/* The same for numbers in argument 1: a shape, an index and similar. */
#define OF_NUMBERS(name, first, operation, type, give)                                                                 \
    bool name(tmap_call *call, tmap_value *result) {                                                                   \
        tmap_number_list numbers;                                                                                      \
        type made;                                                                                                     \
        return tmap_arg_numbers(call, 1, &numbers) &&                                                                  \
               give(call, operation(first, numbers.at, numbers.n, &made, call->eval->error), &made, result);           \
    }
/* The same for dimensions in argument 1. */
#define OF_DIMS(name, first, operation, type, give)                                                                    \
    bool name(tmap_call *call, tmap_value *result) {                                                                   \
        tmap_dims dims;                                                                                                \
        type made;                                                                                                     \
        return tmap_arg_dims(call, 1, &dims) &&                                                                        \
               give(call, operation(first, dims.at, dims.n, &made, call->eval->error), &made, result);                 \
    }

bool tmap_give_numbers(tmap_call *call, tmap_value *result, const uint64_t *numbers, size_t n);

/* Returns the text that `put` writes as a value. */
bool tmap_give_written(tmap_call *call, tmap_value *result, tmap_status (*put)(tmap_sink *sink, const void *of),
                       const void *of);
