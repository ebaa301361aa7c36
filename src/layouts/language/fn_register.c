/* Functions on register layouts and multi-functions: register_functions.def. */
#include "language/functions.h"
#include "language/values.h"
#include "register/multi.h"

#include <inttypes.h>

/* Tables with more cells are refused. */
#define CELLS_MAX ((uint64_t)1 << 14)
/* The same for lists of threads. */
#define THREADS_MAX ((uint64_t)1 << 14)

/* ---- Making ---- */

/* Sets *out to argument `ranks`. If it is omitted, sets *out to the ranks of column-major order, or to NULL for
 * row-major order. */
static bool arg_ranks(const tmap_call *call, int arg, bool columns, int rank, tmap_dims *ranks, const int **out) {
    *out = NULL;
    if (arg < TMAP_PARAMS_MAX && call->args[arg]) {
        if (!tmap_arg_dims(call, arg, ranks)) return false;
        if (ranks->n != rank)
            return tmap_call_refuse_with(call, arg, "one rank for each dimension, 0 the slowest",
                                         "%d rank%s for %d dimension%s", ranks->n, TMAP_PLURAL(ranks->n), rank,
                                         TMAP_PLURAL(rank));
        *out = ranks->at;
    } else if (columns) {
        for (int d = 0; d < rank; d++) ranks->at[d] = rank - 1 - d;
        *out = ranks->at;
    }
    return true;
}

/* local(...) and related functions: the layout alone, or composed after the layout in the first argument. */
static bool chain(tmap_call *call, tmap_register_kind kind, bool columns, tmap_value *result) {
    int follows = call->function->params[0].takes == TMAP_KIND(REGISTER);
    const int *order;
    tmap_number_list shape;
    tmap_dims ranks;
    tmap_register_layout made;
    if (!tmap_arg_numbers(call, follows, &shape)) return false;
    if (!arg_ranks(call, follows + 1, columns, shape.n, &ranks, &order)) return false;
    tmap_diag *error = call->eval->error;
    tmap_status status = tmap_register_fresh(kind, shape.at, shape.n, order, &made, error);
    if (status == TMAP_OK && follows) status = tmap_register_compose(tmap_arg_register(call, 0), &made, &made, error);
    return tmap_give_register(call, status, &made, result);
}

FORWARD(tmap_rf_local, chain, TMAP_REGISTER_LOCAL, false)
FORWARD(tmap_rf_spatial, chain, TMAP_REGISTER_SPATIAL, false)
FORWARD(tmap_rf_column_local, chain, TMAP_REGISTER_LOCAL, true)
FORWARD(tmap_rf_column_spatial, chain, TMAP_REGISTER_SPATIAL, true)

bool tmap_rf_replicated(tmap_call *call, tmap_value *result) {
    tmap_number_list shape;
    int64_t workers = 1;
    tmap_register_layout made;
    if (!tmap_arg_numbers(call, 0, &shape) || !tmap_arg_int(call, 1, 1, (int64_t)1 << 62, &workers)) return false;
    tmap_status status = tmap_register_replicated(shape.at, shape.n, (uint64_t)workers, &made, call->eval->error);
    return tmap_give_register(call, status, &made, result);
}

bool tmap_rf_auto(tmap_call *call, tmap_value *result) {
    tmap_number_list shape;
    int64_t threads = 1;
    tmap_register_layout made;
    if (!tmap_arg_int(call, 0, 1, INT64_MAX, &threads) || !tmap_arg_numbers(call, 1, &shape)) return false;
    tmap_status status = tmap_register_auto((uint64_t)threads, shape.at, shape.n, &made, call->eval->error);
    return tmap_give_register(call, status, &made, result);
}

/* The shape and the modes from arguments `arg` and `arg` + 1. Checks only their number. */
static bool arg_modes(const tmap_call *call, int arg, tmap_modes *modes) {
    tmap_number_list shape, sizes;
    if (!tmap_arg_numbers(call, arg, &shape) || !tmap_arg_numbers(call, arg + 1, &sizes)) return false;
    if (shape.n > TMAP_MODE_RANK_MAX)
        return tmap_call_refuse_with(call, arg, "merge dimensions", "%d dimensions; the limit is %d", shape.n,
                                     TMAP_MODE_RANK_MAX);
    modes->rank = shape.n;
    modes->n = sizes.n;
    for (int d = 0; d < shape.n; d++) modes->shape[d] = shape.at[d];
    for (int k = 0; k < sizes.n; k++) modes->size[k] = sizes.at[k];
    return true;
}

static bool arg_list(const tmap_call *call, int arg, tmap_mode_list *list) {
    tmap_shape entries;
    if (!tmap_arg_shape(call, arg, &entries)) return false;
    list->n = entries.rank;
    for (int i = 0; i < entries.rank; i++) list->at[i] = entries.at[i];
    return true;
}

bool tmap_rf_register_layout(tmap_call *call, tmap_value *result) {
    tmap_register_layout parts, made;
    if (!arg_modes(call, 0, &parts.modes) || !arg_list(call, 2, &parts.spatial) || !arg_list(call, 3, &parts.local))
        return false;
    return tmap_give_register(call, tmap_register_make(&parts, &made, call->eval->error), &made, result);
}

/* ---- Operations ---- */

#define BINARY(name, operation)                                                                                        \
    OF_VALUES(name, tmap_arg_register(call, 0), operation, tmap_arg_register(call, 1), tmap_register_layout,           \
              tmap_give_register)
BINARY(tmap_rf_compose, tmap_register_compose)
BINARY(tmap_rf_concat, tmap_register_concat)
BINARY(tmap_rf_divide, tmap_register_divide)
BINARY(tmap_rf_left_divide, tmap_register_left_divide)

bool tmap_rf_reduce(tmap_call *call, tmap_value *result) {
    tmap_dims dims;
    tmap_register_layout made;
    if (!tmap_arg_dims(call, 1, &dims)) return false;
    bool keep = call->args[2] && call->args[2]->as.truth;
    tmap_status status =
        tmap_register_reduce(tmap_arg_register(call, 0), dims.at, dims.n, keep, &made, call->eval->error);
    return tmap_give_register(call, status, &made, result);
}

#define IN_SHAPE(name, of, operation) OF_NUMBERS(name, of, operation, tmap_register_layout, tmap_give_register)
#define IN_DIMS(name, operation)                                                                                       \
    OF_DIMS(name, tmap_arg_register(call, 0), operation, tmap_register_layout, tmap_give_register)
IN_SHAPE(tmap_rf_reduce_to, tmap_arg_register(call, 0), tmap_register_reduce_to)
IN_SHAPE(tmap_rf_reshape, tmap_arg_register(call, 0), tmap_register_reshape)
IN_SHAPE(tmap_rf_as_register, call->args[0]->as.layout, tmap_register_of_layout)
IN_SHAPE(tmap_cf_as_register, tmap_arg_cute(call, 0), tmap_register_of_cute)
IN_DIMS(tmap_rf_permute, tmap_register_permute)
IN_DIMS(tmap_rf_squeeze, tmap_register_squeeze)
IN_DIMS(tmap_rf_unsqueeze, tmap_register_unsqueeze)

bool tmap_rf_flatten(tmap_call *call, tmap_value *result) {
    int64_t first = 0, last = -1, rank = tmap_arg_register(call, 0)->modes.rank;
    tmap_register_layout made;
    if (!tmap_arg_int(call, 1, -rank, rank - 1, &first) || !tmap_arg_int(call, 2, -rank, rank - 1, &last)) return false;
    tmap_status status =
        tmap_register_flatten(tmap_arg_register(call, 0), (int)first, (int)last, &made, call->eval->error);
    return tmap_give_register(call, status, &made, result);
}

/* ---- The map ---- */

/* The replicas of an element, as a list of threads. */
static bool give_threads(tmap_call *call, const tmap_register_layout *layout, const uint64_t *index,
                         tmap_value *result) {
    uint64_t n = tmap_register_replicas_n(layout);
    if (n > THREADS_MAX)
        return tmap_call_refuse_with(call, 0, "use spatial_function", "%" PRIu64 " threads have the element", n);
    tmap_value *items = tmap_give_list(call->eval, result, (size_t)n);
    for (uint64_t r = 0; items && r < n; r++) tmap_give_int(&items[r], (int64_t)tmap_register_thread(layout, index, r));
    return items != NULL;
}

bool tmap_rf_get_spatial(tmap_call *call, tmap_value *result) {
    const tmap_register_layout *layout = tmap_arg_register(call, 0);
    tmap_number_list index;
    return tmap_arg_index(call, 1, &layout->modes, &index) && give_threads(call, layout, index.at, result);
}

bool tmap_rf_get_local(tmap_call *call, tmap_value *result) {
    const tmap_register_layout *layout = tmap_arg_register(call, 0);
    tmap_number_list index;
    return tmap_arg_index(call, 1, &layout->modes, &index) &&
           tmap_give_int(result, (int64_t)tmap_register_local(layout, index.at));
}

bool tmap_rf_get_global(tmap_call *call, tmap_value *result) {
    const tmap_register_layout *layout = tmap_arg_register(call, 0);
    int64_t thread = 0, local = 0, threads = (int64_t)tmap_register_threads_n(layout);
    uint64_t index[TMAP_MODE_RANK_MAX];
    if (!tmap_arg_int(call, 1, 0, threads - 1, &thread)) return false;
    if (!tmap_arg_int(call, 2, 0, (int64_t)tmap_register_locals_n(layout) - 1, &local)) return false;
    tmap_register_index(layout, (uint64_t)thread, (uint64_t)local, index);
    return tmap_give_numbers(call, result, index, (size_t)layout->modes.rank);
}

/* The sizes of the entries of a list, or with `of_mode` their indices; the index of a replication is 0. */
static bool give_entries(tmap_call *call, const tmap_modes *modes, const tmap_mode_list *list, const uint64_t *of_mode,
                         tmap_value *result) {
    uint64_t numbers[TMAP_MODES_MAX];
    for (int i = 0; i < list->n; i++) {
        int64_t entry = list->at[i];
        numbers[i] = of_mode ? (entry < 0 ? 0 : of_mode[entry]) : entry < 0 ? (uint64_t)-entry : modes->size[entry];
    }
    return tmap_give_numbers(call, result, numbers, (size_t)list->n);
}

bool tmap_rf_steps(tmap_call *call, tmap_value *result) {
    const tmap_register_layout *layout = tmap_arg_register(call, 0);
    const tmap_modes *modes = &layout->modes;
    tmap_number_list index;
    tmap_structure_maker maker;
    uint64_t of_mode[TMAP_MODES_MAX];
    if (!tmap_arg_index(call, 1, modes, &index) || !tmap_structure_begin(call->eval, &maker, 7)) return false;
    tmap_modes_split_index(modes, index.at, of_mode);
    return tmap_give_numbers(call, tmap_structure_add(&maker, "mode_index"), of_mode, (size_t)modes->n) &&
           give_entries(call, modes, &layout->spatial, of_mode, tmap_structure_add(&maker, "spatial_index")) &&
           give_entries(call, modes, &layout->spatial, NULL, tmap_structure_add(&maker, "spatial_shape")) &&
           give_entries(call, modes, &layout->local, of_mode, tmap_structure_add(&maker, "local_index")) &&
           give_entries(call, modes, &layout->local, NULL, tmap_structure_add(&maker, "local_shape")) &&
           give_threads(call, layout, index.at, tmap_structure_add(&maker, "threads")) &&
           tmap_give_int(tmap_structure_add(&maker, "local"), (int64_t)tmap_register_local(layout, index.at)) &&
           tmap_structure_end(&maker, result);
}

bool tmap_rf_spatial_size(tmap_call *call, tmap_value *result) {
    return tmap_give_int(result, (int64_t)tmap_register_threads_n(tmap_arg_register(call, 0)));
}

bool tmap_rf_local_size(tmap_call *call, tmap_value *result) {
    return tmap_give_int(result, (int64_t)tmap_register_locals_n(tmap_arg_register(call, 0)));
}

typedef struct register_grid {
    const tmap_register_layout *layout;
    int style;
} register_grid;

static tmap_status put_grid(tmap_sink *sink, const void *of) {
    const register_grid *d = (const register_grid *)of;
    return tmap_register_grid(sink, d->layout, CELLS_MAX, d->style);
}

bool tmap_rf_visualize(tmap_call *call, tmap_value *result) {
    register_grid d = {.layout = tmap_arg_register(call, 0)};
    return tmap_arg_table_style(call, 1, &d.style) && tmap_eval_spend(call->eval, CELLS_MAX) &&
           tmap_give_written(call, result, put_grid, &d);
}

/* ---- S/R/O ---- */

bool tmap_rf_as_layout(tmap_call *call, tmap_value *result) {
    const tmap_axis *axis = tmap_axis_get(TMAP_AXIS_ID_TX);
    tmap_layout made;
    return tmap_arg_axis(call, 1, &axis) &&
           tmap_call_succeeded(call,
                               tmap_register_to_layout(tmap_arg_register(call, 0), axis, &made, call->eval->error)) &&
           tmap_give_layout(call, result, &made);
}

/* ---- Multi-functions ---- */

bool tmap_rf_multi_function(tmap_call *call, tmap_value *result) {
    tmap_multi_function parts, made;
    if (!arg_modes(call, 0, &parts.modes) || !arg_list(call, 2, &parts.list)) return false;
    return tmap_give_multi(call, tmap_multi_make(&parts, &made, call->eval->error), &made, result);
}

bool tmap_rf_spatial_function(tmap_call *call, tmap_value *result) {
    tmap_multi_function made = tmap_register_threads(tmap_arg_register(call, 0));
    return tmap_give_multi(call, TMAP_OK, &made, result);
}

bool tmap_rf_local_function(tmap_call *call, tmap_value *result) {
    tmap_multi_function made = tmap_register_locals(tmap_arg_register(call, 0));
    return tmap_give_multi(call, TMAP_OK, &made, result);
}

#define BINARY_MULTI(name, operation)                                                                                  \
    OF_VALUES(name, tmap_arg_multi(call, 0), operation, tmap_arg_multi(call, 1), tmap_multi_function, tmap_give_multi)
BINARY_MULTI(tmap_rf_multi_compose, tmap_multi_compose)
BINARY_MULTI(tmap_rf_multi_then, tmap_multi_then)

bool tmap_rf_covers(tmap_call *call, tmap_value *result) {
    return tmap_give_bool(result, tmap_multi_covers(tmap_arg_multi(call, 0), tmap_arg_multi(call, 1)));
}

bool tmap_rf_numbers(tmap_call *call, tmap_value *result) {
    const tmap_multi_function *function = tmap_arg_multi(call, 0);
    tmap_number_list index;
    uint64_t n = tmap_multi_replicas_n(function);
    if (!tmap_arg_index(call, 1, &function->modes, &index)) return false;
    if (n > THREADS_MAX)
        return tmap_call_refuse_with(call, 0, "a function of fewer replicas",
                                     "%" PRIu64 " numbers are too many to list", n);
    tmap_value *items = tmap_give_list(call->eval, result, (size_t)n);
    for (uint64_t r = 0; items && r < n; r++)
        tmap_give_int(&items[r], (int64_t)tmap_multi_number(function, index.at, r));
    return items != NULL;
}
