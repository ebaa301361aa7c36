/* Values of the expression language whose kinds are those of Tilus and CuTe, and arguments as those take them. */
#pragma once

#include "language/eval.h"
#include "tmap/unstable/cute.h"
#include "tmap/unstable/register_shared.h"

/* A list of numbers of an argument, at most TMAP_ITERS_MAX. Negative ones are refused. False after a refusal. */
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
/* As many numbers as the shape has dimensions, each inside it. */
bool tmap_arg_index(const tmap_call *call, int arg, const tmap_modes *modes, tmap_number_list *index);

/* The arguments of these kinds, which the rows of functions have checked. */
const tmap_register_layout *tmap_arg_register(const tmap_call *call, int arg);
const tmap_shared_layout *tmap_arg_shared(const tmap_call *call, int arg);
const tmap_multi_function *tmap_arg_multi(const tmap_call *call, int arg);
const tmap_cute *tmap_arg_cute(const tmap_call *call, int arg);

/* The name of a style of tables; 0 where left out. */
bool tmap_arg_table_style(const tmap_call *call, int arg, int *style);

/* Ends a function: the value if the operation went well, else its refusal. */
bool tmap_give_register(tmap_call *call, tmap_status status, const tmap_register_layout *layout, tmap_value *result);
bool tmap_give_shared(tmap_call *call, tmap_status status, const tmap_shared_layout *layout, tmap_value *result);
bool tmap_give_multi(tmap_call *call, tmap_status status, const tmap_multi_function *function, tmap_value *result);
bool tmap_give_cute(tmap_call *call, tmap_status status, const tmap_cute *layout, tmap_value *result);
bool tmap_give_numbers(tmap_call *call, tmap_value *result, const uint64_t *numbers, size_t n);

/* The text that `put` writes, as a value. */
bool tmap_give_written(tmap_call *call, tmap_value *result, tmap_status (*put)(tmap_sink *sink, const void *of),
                       const void *of);
