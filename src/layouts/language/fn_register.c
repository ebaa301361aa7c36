/* Functions on the layouts of Tilus: register layouts, multi-functions and shared layouts. */
#include "language/functions.h"
#include "layout/iter_lists.h"
#include "register/modes.h"

#include <inttypes.h>
#include <string.h>

/* Tables with more cells are refused. */
#define CELLS_MAX ((uint64_t)1 << 14)
/* The same for lists of threads. */
#define THREADS_MAX ((uint64_t)1 << 14)

/* ---- Making ---- */

/* local(...) and related functions: the layout alone, or composed after the layout in the first argument. */
static bool chain(tmap_call *call, tmap_register_kind kind, bool columns, tmap_value *result) {
    bool follows = call->function->params[0].kind == TMAP_PARAMETER_REGISTER, ranked = call->args[follows + 1] != NULL;
    const uint64_t *shape = call->read[follows].as.numbers;
    const int *ranks = ranked ? call->read[follows + 1].as.dims : NULL;
    int n = call->read[follows].n, ranks_n = ranked ? call->read[follows + 1].n : n;
    tmap_diag *error = call->eval->error;
    tmap_register_layout made;
    if (ranks_n != n)
        return tmap_call_refuse_with(call, follows + 1, "one rank for each dimension, 0 the slowest",
                                     "%d rank%s for %d dimension%s", ranks_n, TMAP_PLURAL(ranks_n), n, TMAP_PLURAL(n));
    tmap_status status = columns ? tmap_register_column(kind, shape, n, &made, error)
                                 : tmap_register_fresh(kind, shape, n, ranks, &made, error);
    if (status == TMAP_OK && follows) status = tmap_register_compose(call->args[0]->as.data, &made, &made, error);
    return GIVE_MADE(call, status, REGISTER, &made, result);
}

/* The function `name` of the language. */
#define CHAIN(name, kind, columns)                                                                                     \
    bool name(tmap_call *call, tmap_value *result) {                                                                   \
        return chain(call, kind, columns, result);                                                                     \
    }
CHAIN(tmap_rf_local, TMAP_REGISTER_LOCAL, false)
CHAIN(tmap_rf_spatial, TMAP_REGISTER_SPATIAL, false)
CHAIN(tmap_rf_column_local, TMAP_REGISTER_LOCAL, true)
CHAIN(tmap_rf_column_spatial, TMAP_REGISTER_SPATIAL, true)

/* Checks only the number of dimensions. */
static tmap_status join_modes(const uint64_t *shape, int rank, const uint64_t *sizes, int sizes_n, tmap_modes *modes,
                              tmap_diag *error) {
    if (tmap_modes_rank_check(rank, (tmap_operation){"shape", 0}, error) != TMAP_OK) return TMAP_REFUSED;
    modes->rank = rank;
    modes->n = sizes_n;
    memcpy(modes->shape, shape, sizeof *shape * (size_t)rank);
    memcpy(modes->size, sizes, sizeof *sizes * (size_t)sizes_n);
    return TMAP_OK;
}

static tmap_mode_list list_of(const tmap_shape *entries) {
    tmap_mode_list list = {.n = entries->rank};
    memcpy(list.at, entries->at, sizeof entries->at[0] * (size_t)entries->rank);
    return list;
}

tmap_status tmap_rf_register_layout(const uint64_t *shape, int rank, const uint64_t *sizes, int sizes_n,
                                    const tmap_shape *spatial, const tmap_shape *local, tmap_register_layout *made,
                                    tmap_diag *error) {
    tmap_register_layout parts = {.spatial = list_of(spatial), .local = list_of(local)};
    tmap_status status = join_modes(shape, rank, sizes, sizes_n, &parts.modes, error);
    return status == TMAP_OK ? tmap_register_make(&parts, made, error) : status;
}

tmap_status tmap_rf_multi_function(const uint64_t *shape, int rank, const uint64_t *sizes, int sizes_n,
                                   const tmap_shape *modes, tmap_multi_function *made, tmap_diag *error) {
    tmap_multi_function parts = {.list = list_of(modes)};
    tmap_status status = join_modes(shape, rank, sizes, sizes_n, &parts.modes, error);
    return status == TMAP_OK ? tmap_multi_make(&parts, made, error) : status;
}

tmap_status tmap_rf_flatten(const tmap_register_layout *layout, int64_t first, int64_t last, tmap_register_layout *made,
                            tmap_diag *error) {
    int rank = layout->modes.rank;
    if (tmap_check_range(error, 1, "start_dim", first, -rank, rank - 1) != TMAP_OK ||
        tmap_check_range(error, 2, "end_dim", last, -rank, rank - 1) != TMAP_OK)
        return TMAP_REFUSED;
    return tmap_register_flatten(layout, (int)first, (int)last, made, error);
}

tmap_status tmap_rf_spatial_function(const tmap_register_layout *layout, tmap_multi_function *made, tmap_diag *error) {
    (void)error;
    *made = tmap_register_threads(layout);
    return TMAP_OK;
}

tmap_status tmap_rf_local_function(const tmap_register_layout *layout, tmap_multi_function *made, tmap_diag *error) {
    (void)error;
    *made = tmap_register_locals(layout);
    return TMAP_OK;
}

/* ---- The map ---- */

/* The replicas of an element, as a list of threads. */
bool tmap_rf_get_spatial(tmap_call *call, const tmap_register_layout *layout, const uint64_t *index,
                         tmap_value *result) {
    uint64_t n = tmap_register_replicas_n(layout);
    if (n > THREADS_MAX)
        return tmap_call_refuse_with(call, 0, "use spatial_function", "%" PRIu64 " threads have the element", n);
    tmap_value *items = tmap_give_list(call->eval, result, (size_t)n);
    for (uint64_t r = 0; items && r < n; r++) tmap_give_int(&items[r], (int64_t)tmap_register_thread(layout, index, r));
    return items != NULL;
}

bool tmap_rf_get_global(tmap_call *call, const tmap_register_layout *layout, int64_t thread, int64_t local,
                        tmap_value *result) {
    tmap_diag *error = call->eval->error;
    int64_t threads = (int64_t)tmap_register_threads_n(layout), locals = (int64_t)tmap_register_locals_n(layout);
    uint64_t index[TMAP_MODE_RANK_MAX];
    if (!tmap_call_succeeded(call, tmap_check_range(error, 1, "thread", thread, 0, threads - 1)) ||
        !tmap_call_succeeded(call, tmap_check_range(error, 2, "local", local, 0, locals - 1)))
        return false;
    tmap_register_index(layout, (uint64_t)thread, (uint64_t)local, index);
    return tmap_give_numbers(call->eval, result, index, (size_t)layout->modes.rank);
}

/* The sizes of the entries of a list, or with `of_mode` their indices; the index of a replication is 0. */
static bool give_entries(tmap_call *call, const tmap_modes *modes, const tmap_mode_list *list, const uint64_t *of_mode,
                         tmap_value *result) {
    uint64_t numbers[TMAP_MODES_MAX];
    for (int i = 0; i < list->n; i++) {
        int64_t entry = list->at[i];
        numbers[i] = of_mode ? (entry < 0 ? 0 : of_mode[entry]) : entry < 0 ? (uint64_t)-entry : modes->size[entry];
    }
    return tmap_give_numbers(call->eval, result, numbers, (size_t)list->n);
}

bool tmap_rf_steps(tmap_call *call, const tmap_register_layout *layout, const uint64_t *index, tmap_value *result) {
    const tmap_modes *modes = &layout->modes;
    TMAP_STRUCTURE(s);
    uint64_t of_mode[TMAP_MODES_MAX];
    tmap_modes_split_index(modes, index, of_mode);
    return tmap_give_numbers(call->eval, tmap_structure_add(&s, "mode_index"), of_mode, (size_t)modes->n) &&
           give_entries(call, modes, &layout->spatial, of_mode, tmap_structure_add(&s, "spatial_index")) &&
           give_entries(call, modes, &layout->spatial, NULL, tmap_structure_add(&s, "spatial_shape")) &&
           give_entries(call, modes, &layout->local, of_mode, tmap_structure_add(&s, "local_index")) &&
           give_entries(call, modes, &layout->local, NULL, tmap_structure_add(&s, "local_shape")) &&
           tmap_rf_get_spatial(call, layout, index, tmap_structure_add(&s, "threads")) &&
           tmap_give_int(tmap_structure_add(&s, "local"), (int64_t)tmap_register_local(layout, index)) &&
           tmap_structure_give(call->eval, &s, result);
}

bool tmap_rf_numbers(tmap_call *call, const tmap_multi_function *function, const uint64_t *index, tmap_value *result) {
    uint64_t n = tmap_multi_replicas_n(function);
    if (n > THREADS_MAX)
        return tmap_call_refuse_with(call, 0, "a function of fewer replicas",
                                     "%" PRIu64 " numbers are too many to list", n);
    tmap_value *items = tmap_give_list(call->eval, result, (size_t)n);
    for (uint64_t r = 0; items && r < n; r++) tmap_give_int(&items[r], (int64_t)tmap_multi_number(function, index, r));
    return items != NULL;
}

/* ---- Tables ---- */

static bool give_grid(tmap_call *call, tmap_status status, tmap_text *text, const tmap_sink *sink, tmap_value *result) {
    if (status == TMAP_OK) return tmap_give_end(call->eval, text, sink, result);
    tmap_text_free(text);
    return tmap_call_refuse_with(call, 0, "a layout of two dimensions and at most 16384 elements",
                                 "the layout is too large for a table, or does not have two dimensions");
}

bool tmap_rf_visualize(tmap_call *call, const tmap_register_layout *layout, int style, tmap_value *result) {
    tmap_text text;
    tmap_sink sink = tmap_give_begin(call->eval, &text);
    return tmap_eval_spend(call->eval, CELLS_MAX) &&
           give_grid(call, tmap_register_grid(&sink, layout, CELLS_MAX, style), &text, &sink, result);
}

bool tmap_rf_shared_visualize(tmap_call *call, const tmap_shared_layout *layout, int style, tmap_value *result) {
    tmap_text text;
    tmap_sink sink = tmap_give_begin(call->eval, &text);
    return tmap_eval_spend(call->eval, CELLS_MAX) &&
           give_grid(call, tmap_shared_grid(&sink, layout, CELLS_MAX, style), &text, &sink, result);
}

/* ---- Shared layouts ---- */

tmap_status tmap_rf_shared_layout(const uint64_t *shape, int rank, const uint64_t *sizes, int sizes_n,
                                  const uint64_t *strides, int strides_n, const tmap_xor *swizzle,
                                  tmap_shared_layout *made, tmap_diag *error) {
    tmap_shared_layout parts = {.swizzle.b = 0};
    if (join_modes(shape, rank, sizes, sizes_n, &parts.modes, error) != TMAP_OK) return TMAP_REFUSED;
    if (tmap_check_count(strides_n, "stride", sizes_n, "mode", 2, error) != TMAP_OK) return TMAP_REFUSED;
    memcpy(parts.strides, strides, sizeof *strides * (size_t)strides_n);
    if (swizzle && swizzle->outer)
        return tmap_refuse_with(error, 3, "Swizzle(bits, base, shift) with a shift of 0 or more",
                                "shared layouts have no outer swizzles");
    if (swizzle) parts.swizzle = *swizzle;
    return tmap_shared_make(&parts, made, error);
}

bool tmap_rf_shared_slice(tmap_call *call, const tmap_shared_layout *layout, const uint64_t *begin,
                          const uint64_t *extent, int extent_n, tmap_value *result) {
    tmap_shared_layout made;
    TMAP_STRUCTURE(s);
    uint64_t offset;
    if (!tmap_call_count(call, 2, extent_n, "extent", layout->modes.rank, "dimension")) return false;
    tmap_status status = tmap_shared_slice(layout, begin, extent, &made, &offset, call->eval->error);
    if (!tmap_call_succeeded(call, status)) return false;
    tmap_structure_int(&s, "offset", (int64_t)offset);
    return GIVE_MADE(call, TMAP_OK, SHARED, &made, tmap_structure_add(&s, "layout")) &&
           tmap_structure_give(call->eval, &s, result);
}
