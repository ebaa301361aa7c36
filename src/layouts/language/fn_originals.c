/*
 * language: functions with a name in TIRx or Tilus whose layouts follow formulas of the documents: registers of
 * tcgen05.ld (PTX ISA, matrix fragments of tcgen05.ld and st), tensor memory (PTX ISA, data path layout organization),
 * tensors in global memory.
 */
#include <inttypes.h>
#include <string.h>

#include "language/functions.h"
#include "layout/iter_lists.h"
#include "register/modes.h"

/* ---- Building --------------------------------------------------------------------------------------------------- */

static void add(tmap_layout *layout, int64_t extent, int64_t stride, tmap_axis_id axis) {
    layout->shard.at[layout->shard.n++] = (tmap_iter){extent, stride, tmap_axis_get((int)axis)};
}

/* ---- Iters ------------------------------------------------------------------------------------------------------ */

tmap_status tmap_of_permute_by_groups(const tmap_layout *layout, const tmap_shape *seps, const tmap_shape *perm,
                                      tmap_layout *made, tmap_diag *error) {
    uint64_t seen = 0;
    bool whole = seps->rank > 0 && seps->at[0] == 0 && seps->at[seps->rank - 1] == layout->shard.n;
    for (int i = 1; i < seps->rank; i++) whole = whole && seps->at[i] >= seps->at[i - 1];
    if (!whole) {
        tmap_refuse_operand(error, 1, "seps does not go from 0 to %d, the number of iters", layout->shard.n);
        return tmap_say_fix(error, "a list from 0 to %d, such as the starts that group returns", layout->shard.n);
    }
    *made = *layout;
    made->shard.n = 0;
    for (int i = 0; i < perm->rank; i++) {
        int64_t g = perm->at[i];
        bool fresh = perm->rank == seps->rank - 1 && g >= 0 && g < perm->rank && !(seen >> g & 1);
        if (!fresh)
            return tmap_refuse_with(error, 2, "every group once", "this is not an order of %d groups", seps->rank - 1);
        seen |= (uint64_t)1 << g;
        for (int64_t k = seps->at[g]; k < seps->at[g + 1]; k++) made->shard.at[made->shard.n++] = layout->shard.at[k];
    }
    return tmap_layout_check(made, error);
}

tmap_status tmap_of_iter(int64_t extent, int64_t stride, const tmap_axis *axis, tmap_layout *made, tmap_diag *error) {
    *made = (tmap_layout){.shard = {1, {{extent, stride, axis}}}};
    return tmap_layout_check(made, error);
}

static bool take_iters(tmap_call *call, int arg, const tmap_value *list, tmap_iters *iters) {
    for (size_t i = 0; list && i < list->as.list.n; i++) {
        const tmap_value *item = &list->as.list.items[i];
        const tmap_layout *layout = item->kind == TMAP_VALUE_LAYOUT ? item->as.layout : NULL;
        if (!layout)
            return tmap_call_refuse_with(call, arg, "Iter(4, 1, laneid)",
                                         "the list has an item of kind %s, not an iter",
                                         tmap_value_kind_name(item->kind));
        if (layout->replica.n > 0 || layout->offset.n > 0 || layout->has_swizzle)
            return tmap_call_refuse_with(call, arg, "iters alone: replica=[…] and offset={…} are arguments",
                                         "the list has a layout with copies, an offset or a swizzle");
        if (!tmap_iters_append(iters, layout->shard.at, layout->shard.n))
            return tmap_call_succeeded(call, tmap_refuse_room(call->eval->error));
    }
    return true;
}

static bool take_offset(tmap_call *call, const tmap_value *pair, tmap_layout *layout) {
    const tmap_value *items = pair->as.list.items;
    bool named = pair->kind == TMAP_VALUE_PAIR && items[1].kind == TMAP_VALUE_INT &&
                 (items[0].kind == TMAP_VALUE_TEXT || items[0].kind == TMAP_VALUE_WORD);
    if (!named) return tmap_call_refuse_with(call, 2, "{\"m\": 3}", "an offset is a list of axis: number");
    const tmap_axis *axis = tmap_eval_axis(call->eval, items[0].as.text, items[0].at, items[0].length);
    if (!axis) return false;
    return tmap_values_add(&layout->offset, axis, items[1].as.integer) ||
           tmap_call_succeeded(call, tmap_refuse_overflow(call->eval->error, "the offset", "a smaller offset"));
}

bool tmap_of_from_iters(tmap_call *call, const tmap_value *shard, const tmap_value *replica, const tmap_value *offset,
                        tmap_value *result) {
    tmap_layout made = {0};
    if (!take_iters(call, 0, shard, &made.shard) || !take_iters(call, 1, replica, &made.replica)) return false;
    for (size_t i = 0; offset && i < offset->as.list.n; i++)
        if (!take_offset(call, &offset->as.list.items[i], &made)) return false;
    return tmap_call_succeeded(call, tmap_layout_check(&made, call->eval->error)) &&
           tmap_give_layout(call->eval, result, &made);
}

/* ---- Registers of a warpgroup ----------------------------------------------------------------------------------- */

tmap_status tmap_of_wg_local(int64_t columns, int64_t rows, tmap_layout *made, tmap_diag *error) {
    *made = (tmap_layout){0};
    add(made, rows, 1, TMAP_AXIS_ID_TID_IN_WG);
    add(made, columns, 1, TMAP_AXIS_ID_M);
    return tmap_layout_check(made, error);
}

/* .shape of tcgen05.ld: 32-bit columns and registers in one repetition, and the largest .num (PTX ISA, tcgen05.ld). */
typedef struct ld_shape {
    const char *name;
    int columns, registers, most;
} ld_shape;

static const ld_shape ld_shapes[] = {
    {"32x32b", 1, 1, 128}, {"16x64b", 2, 1, 128}, {"16x128b", 4, 2, 64}, {"16x256b", 8, 4, 32}};

/* The rows of .16x*b: a warp has 16 of every 64 rows, or 32 of every 128 with two instructions. A register holds e
 * elements. */
static void add_rows(tmap_layout *made, const ld_shape *shape, int64_t rows, int64_t repeats, int64_t e) {
    add(made, 4, 1, TMAP_AXIS_ID_WID_IN_WG);
    if (rows == 128) add(made, 2, shape->registers * repeats * e, TMAP_AXIS_ID_M);
    if (shape->columns == 2)
        add(made, 2, 1, TMAP_AXIS_ID_LANEID);
    else
        add(made, 2, shape->registers / 2 * e, TMAP_AXIS_ID_M);
    add(made, 8, 4, TMAP_AXIS_ID_LANEID);
}

static void add_columns(tmap_layout *made, const ld_shape *shape, int64_t repeats, int64_t e) {
    add(made, repeats, shape->registers * e, TMAP_AXIS_ID_M);
    if (shape->columns == 2)
        add(made, 2, 2, TMAP_AXIS_ID_LANEID);
    else
        add(made, 4, 1, TMAP_AXIS_ID_LANEID);
    if (shape->columns == 8) add(made, 2, e, TMAP_AXIS_ID_M);
    if (e > 1) add(made, e, 1, TMAP_AXIS_ID_M);
}

static const ld_shape *find_shape(const char *name) {
    for (size_t i = 0; i < sizeof ld_shapes / sizeof *ld_shapes; i++)
        if (strcmp(ld_shapes[i].name, name) == 0) return &ld_shapes[i];
    return NULL;
}

tmap_status tmap_of_tcgen05_atom(const char *name, const tmap_shape *tensor, int bits, tmap_layout *made,
                                 tmap_diag *error) {
    const ld_shape *shape = find_shape(name);
    bool matrix = tensor->rank == 2;
    int64_t rows = matrix ? tensor->at[0] : 0, columns = matrix ? tensor->at[1] : 0;
    if (!shape)
        return tmap_refuse_with(error, 0, "32x32b, 16x64b, 16x128b or 16x256b", "tcgen05.ld has no shape %s", name);
    if (rows != 64 && rows != 128)
        return tmap_refuse_with(error, 1, "(64, columns) or (128, columns)",
                                "the shape is neither (64, columns) nor (128, columns)");
    bool lanes = shape == &ld_shapes[0], folded = lanes && rows == 64;
    if ((bits != 16 && bits != 32) || (folded && bits != 32))
        return tmap_refuse_with(error, 2, folded ? "f32" : "a type of 16 or 32 bits", "the elements have %d bits",
                                bits);
    int64_t e = 32 / bits, unit = shape->columns * e * (folded ? 2 : 1), repeats = columns / unit;
    bool repeated = columns % unit == 0 && repeats > 0 && repeats <= shape->most && (repeats & (repeats - 1)) == 0;
    if (!repeated) {
        tmap_refuse_operand(error, 1, "%" PRId64 " columns are not %" PRId64 " times .num, a power of two from 1 to %d",
                            columns, unit, shape->most);
        return tmap_say_fix(error, "%" PRId64 ", %" PRId64 ", %" PRId64 ", … or %" PRId64 " columns", unit, 2 * unit,
                            4 * unit, shape->most * unit);
    }
    *made = (tmap_layout){0};
    if (lanes) {
        add(made, rows, 1, TMAP_AXIS_ID_TID_IN_WG);
        if (folded) add(made, 2, 64, TMAP_AXIS_ID_TID_IN_WG);
        add(made, folded ? repeats : columns, 1, TMAP_AXIS_ID_M);
    } else {
        add_rows(made, shape, rows, repeats, e);
        add_columns(made, shape, repeats, e);
    }
    return tmap_layout_check(made, error);
}

/* ---- Tensor memory ---------------------------------------------------------------------------------------------- */

/* The rows of the block, the number of parts into which the columns are folded, and whether a warp has 16 rows (PTX
 * ISA, data path layout organization: A to G, of one CTA). */
typedef struct data_path {
    char letter;
    int rows, folds;
    bool scattered;
} data_path;

static const data_path data_paths[] = {{'A', 128, 1, false}, {'B', 64, 2, false}, {'C', 64, 1, true},
                                       {'D', 128, 1, false}, {'E', 64, 2, false}, {'F', 64, 1, true},
                                       {'G', 32, 4, false}};

static const data_path *path_of(char letter) {
    return &data_paths[letter - 'A'];
}

static void lay_path(const data_path *path, int64_t columns, tmap_layout *made) {
    if (path->scattered) add(made, 4, 32, TMAP_AXIS_ID_TLANE);
    add(made, path->scattered ? 16 : path->rows, 1, TMAP_AXIS_ID_TLANE);
    if (path->folds > 1) add(made, path->folds, 128 / path->folds, TMAP_AXIS_ID_TLANE);
    add(made, columns / path->folds, 1, TMAP_AXIS_ID_TCOL);
}

tmap_status tmap_of_tmem_datapath(const char *letter, int64_t rows, int64_t columns, int64_t slab, tmap_layout *made,
                                  tmap_diag *error) {
    if (letter[0] < 'A' || letter[0] > 'G' || letter[1] != '\0')
        return tmap_refuse_with(error, 0, "A to G", "tcgen05.mma has no data path %s", letter);
    const data_path *path = path_of(letter[0]);
    if (rows != path->rows)
        return tmap_refuse_with(error, 1, "128 rows for A and D, 32 for G, 64 for the others",
                                "data path %s has %d rows, not %" PRId64, letter, path->rows, rows);
    if (columns < 1 || columns % path->folds != 0) {
        if (columns < 1)
            tmap_refuse_operand(error, 2, "cols is %" PRId64, columns);
        else
            tmap_refuse_operand(error, 2, "%" PRId64 " columns do not split into %d equal parts", columns, path->folds);
        return tmap_say_fix(error, path->folds == 1 ? "%d or more" : "a positive multiple of %d", path->folds);
    }
    tmap_status status = tmap_check_range(error, 3, "sub_slab", slab, 0, path->scattered);
    if (status != TMAP_OK) return status;
    *made = (tmap_layout){0};
    lay_path(path, columns, made);
    if (slab) (void)tmap_values_add(&made->offset, tmap_axis_get(TMAP_AXIS_ID_TLANE), 16);
    return tmap_layout_check(made, error);
}

/* The letter for M of the instruction, the CTAs of a group, and .ws; 0: none. */
static char letter_of(int64_t m, int64_t group, bool ws) {
    static const struct {
        int64_t m, group;
        bool ws;
        char letter;
    } rows[] = {
        {256, 2, false, 'A'}, {128, 2, false, 'B'}, {128, 1, false, 'D'}, {64, 1, true, 'E'}, {64, 1, false, 'F'}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].m == m && rows[i].group == group && rows[i].ws == ws) return rows[i].letter;
    return '\0';
}

/* (2, rows, columns): the two halves of the lanes, one after the other. */
static bool lay_halves(const data_path *path, const tmap_shape *shape, tmap_layout *made) {
    if (shape->rank != 3 || shape->at[0] != 2 || shape->at[1] != path->rows || path->folds != 2) return false;
    add(made, 2, 64, TMAP_AXIS_ID_TLANE);
    add(made, path->rows, 1, TMAP_AXIS_ID_TLANE);
    add(made, shape->at[2], 1, TMAP_AXIS_ID_TCOL);
    return true;
}

/* A tile D of (rows, columns), (2, rows, columns), (rows, 2, columns) or (rows, parts, 2, columns). The dimension
 * of size 2 is the two halves of the lanes, into which the columns are folded. */
static bool lay_d(const data_path *path, const tmap_shape *shape, tmap_layout *made) {
    int rank = shape->rank;
    if (lay_halves(path, shape, made)) return true;
    bool folded = path->folds == 2 && rank > 2 && rank <= 4 && shape->at[rank - 2] == 2;
    if (shape->at[0] != path->rows || (rank != 2 && !folded)) return false;
    if (rank == 2) {
        if (shape->at[1] < 1 || shape->at[1] % path->folds != 0) return false;
        lay_path(path, shape->at[1], made);
        return true;
    }
    add(made, path->rows, 1, TMAP_AXIS_ID_TLANE);
    if (rank == 4) add(made, shape->at[1], shape->at[3], TMAP_AXIS_ID_TCOL);
    add(made, 2, 64, TMAP_AXIS_ID_TLANE);
    add(made, shape->at[rank - 1], 1, TMAP_AXIS_ID_TCOL);
    return true;
}

/* A tile A of (rows, K). On data path B both halves of the lanes have a copy; (2, rows, K) separates the halves. */
static bool lay_a(const data_path *path, const tmap_shape *shape, tmap_layout *made) {
    if (lay_halves(path, shape, made)) return true;
    if (shape->rank != 2 || shape->at[0] != path->rows || path->letter == 'E') return false;
    add(made, path->rows, 1, TMAP_AXIS_ID_TLANE);
    add(made, shape->at[1], 1, TMAP_AXIS_ID_TCOL);
    if (path->letter == 'B') made->replica = (tmap_iters){1, {{2, 64, tmap_axis_get(TMAP_AXIS_ID_TLANE)}}};
    return true;
}

/* The shapes that lay_a and lay_d accept. */
static const char *shapes_of(const data_path *path, bool is_a) {
    if (path->folds == 1) return path->rows == 128 ? "(128, columns)" : "(64, columns)";
    if (!is_a) return "(64, an even number of columns), (2, 64, columns) or (64, 2, columns)";
    return path->letter == 'E' ? "(2, 64, columns)" : "(64, columns) or (2, 64, columns)";
}

/* Splits the columns of a D with a group into (parts, 2, columns). */
static tmap_status split_columns(const tmap_shape *parts, bool is_a, tmap_shape *shape, tmap_diag *error) {
    if (is_a) return tmap_refuse_with(error, 7, "leave group out", "an operand A has no group");
    bool splits = shape->rank == 2 && parts->rank == 3 && parts->at[0] >= 1 && parts->at[1] == 2 && parts->at[2] >= 1 &&
                  shape->at[1] % 2 == 0 && shape->at[1] / 2 % parts->at[0] == 0 &&
                  shape->at[1] / 2 / parts->at[0] == parts->at[2];
    if (!splits)
        return tmap_refuse_with(error, 7, "(parts, 2, columns), whose product is the number of columns",
                                "this group does not split the columns of a shape (rows, columns)");
    shape->rank = 4;
    for (int i = 0; i < 3; i++) shape->at[1 + i] = parts->at[i];
    return TMAP_OK;
}

tmap_status tmap_of_tmem_operand(const char *operand, const tmap_shape *whole, int bits, int64_t m, int64_t cta_group,
                                 bool ws, bool sparse, const tmap_shape *group, tmap_layout *made, tmap_diag *error) {
    tmap_shape shape = *whole;
    bool is_a = strcmp(operand, "A") == 0;
    (void)bits;
    if (!is_a && strcmp(operand, "D") != 0)
        return tmap_refuse_with(error, 0, "A or D", "tensor memory has no operand %s", operand);
    if (sparse)
        return tmap_refuse_with(error, 6, "tmem_datapath_layout(C, rows, columns)",
                                "the data path of a sparse A is C, for which TIRx has no layout of an operand");
    if (group && split_columns(group, is_a, &shape, error) != TMAP_OK) return TMAP_REFUSED;
    char letter = letter_of(m, cta_group, ws);
    if (letter == '\0')
        return tmap_refuse_with(error, 3, "cta_group 1: M of 64 (ws or not) or 128; cta_group 2: 128 or 256",
                                "no data path has M = %" PRId64 " and cta_group = %" PRId64 "%s", m, cta_group,
                                ws ? " with ws" : "");
    for (int d = 0; d < shape.rank && shape.rank > 1; d++)
        if (shape.at[d] < 1)
            return tmap_refuse_with(error, 1, "dimensions of 1 or more", "dimension %d of the shape is %" PRId64, d,
                                    shape.at[d]);
    *made = (tmap_layout){0};
    if (shape.rank < 2 || !(is_a ? lay_a : lay_d)(path_of(letter), &shape, made))
        return tmap_refuse_with(error, 1, shapes_of(path_of(letter), is_a),
                                "data path %c, of %d rows, has no operand %s of this shape", letter,
                                path_of(letter)->rows, operand);
    tmap_status status = tmap_layout_check(made, error);
    if (status == TMAP_OK) tmap_layout_canonical(made, made);
    return status;
}

tmap_status tmap_of_tmemory(const tmap_shape *shape, const tmap_shape *strides, int64_t lane, tmap_layout *made,
                            tmap_diag *error) {
    int row = shape->rank - 2;
    if (row < 0 || shape->rank != strides->rank)
        return tmap_refuse_with(error, -1, "a shape (…, rows, columns), with a stride for each dimension",
                                "%d dimension%s and %d stride%s", shape->rank, TMAP_PLURAL(shape->rank), strides->rank,
                                TMAP_PLURAL(strides->rank));
    if (shape->at[row] != 32 && shape->at[row] != 64 && shape->at[row] != 128)
        return tmap_refuse_with(error, -1, "32, 64 or 128 rows: the dimension before the last",
                                "tensor memory has no part of %" PRId64 " rows", shape->at[row]);
    if (strides->at[row] != 0)
        return tmap_refuse_with(error, -1, "a stride of 0 for the rows: the dimension before the last",
                                "the rows have stride %" PRId64 ", but a row is a lane, not a column",
                                strides->at[row]);
    *made = (tmap_layout){0};
    for (int d = 0; d < shape->rank; d++)
        add(made, shape->at[d], d == row ? 1 : strides->at[d], d == row ? TMAP_AXIS_ID_TLANE : TMAP_AXIS_ID_TCOL);
    if (lane != 0) (void)tmap_values_add(&made->offset, tmap_axis_get(TMAP_AXIS_ID_TLANE), lane);
    return tmap_layout_check(made, error);
}

/* Writes the strides of a dense tensor, the last dimension the fastest, or with `columns` the first. Dimension `but`
 * has stride 0 (-1: none). Returns false if they do not fit 64 bits. */
static bool dense_strides(const tmap_shape *shape, bool columns, int but, tmap_shape *strides) {
    int64_t stride = 1;
    strides->rank = shape->rank;
    for (int i = 0; i < shape->rank; i++) {
        int d = columns ? i : shape->rank - 1 - i;
        strides->at[d] = stride;
        if (but >= 0 && d == but)
            strides->at[d] = 0;
        else if (__builtin_mul_overflow(stride, shape->at[d], &stride))
            return false;
    }
    return true;
}

tmap_status tmap_of_tmemory_row_major(const tmap_shape *shape, tmap_layout *made, tmap_diag *error) {
    tmap_shape strides;
    if (!dense_strides(shape, false, shape->rank - 2, &strides))
        return tmap_refuse_with(error, 0, "a smaller shape", "the number of columns does not fit 64 bits");
    return tmap_of_tmemory(shape, &strides, 0, made, error);
}

/* Refuses parts that a tensor of Tilus does not have: a swizzle, copies, and axes other than its own. */
static tmap_status check_parts(int arg, const tmap_layout *layout, bool in_tmemory, tmap_diag *error) {
    const tmap_axis *axes[TMAP_AXES_MAX], *lanes = tmap_axis_get(TMAP_AXIS_ID_TLANE);
    const tmap_axis *own = tmap_axis_get(in_tmemory ? TMAP_AXIS_ID_TCOL : TMAP_AXIS_ID_M);
    int n = tmap_layout_axes(layout, axes);
    if (layout->has_swizzle)
        return tmap_refuse_with(error, arg, "use the layout without its swizzle", "the layout has a swizzle");
    if (layout->replica.n > 0)
        return tmap_refuse_with(error, arg, "use the layout without R", "the layout has copies of its elements");
    for (int i = 0; i < n; i++)
        if (!tmap_axis_same(axes[i], own) && !(in_tmemory && tmap_axis_same(axes[i], lanes)))
            return tmap_refuse_with(error, arg,
                                    in_tmemory ? "use a layout only on TLane and TCol" : "use a layout only on m",
                                    "the layout has axis %s", axes[i]->name);
    return TMAP_OK;
}

/* Argument `arg` has numbers of dimensions of a layout that has one iter for each dimension. */
static tmap_status check_dims(int arg, const tmap_layout *layout, const tmap_shape *dims, tmap_diag *error) {
    for (int i = 0; i < dims->rank; i++)
        if (dims->at[i] < 0 || dims->at[i] >= layout->shard.n)
            return tmap_refuse_with(error, arg, "numbers of dimensions, from 0", "dimension %" PRId64 " does not exist",
                                    dims->at[i]);
    return TMAP_OK;
}

tmap_status tmap_of_tmemory_slice(const tmap_layout *layout, int64_t lane, const tmap_shape *dims,
                                  const tmap_shape *shape, tmap_layout *made, tmap_diag *error) {
    const tmap_axis *lanes = tmap_axis_get(TMAP_AXIS_ID_TLANE);
    tmap_shape strides = {.rank = dims->rank};
    if (check_parts(0, layout, true, error) != TMAP_OK) return TMAP_REFUSED;
    if (tmap_values_get(&layout->offset, tmap_axis_get(TMAP_AXIS_ID_TCOL)) != 0)
        return tmap_refuse_with(error, 0, "an offset only on TLane", "the layout has an offset on TCol");
    if (check_dims(2, layout, dims, error) != TMAP_OK) return TMAP_REFUSED;
    for (int i = 0; i < dims->rank; i++) {
        const tmap_iter *iter = &layout->shard.at[dims->at[i]];
        bool on_lanes = tmap_axis_same(iter->axis, lanes);
        if (on_lanes != (i == dims->rank - 2) || (on_lanes && iter->stride != 1))
            return tmap_refuse_with(error, 2, "the rows, of stride 1@TLane, before the last; all others on TCol",
                                    "dimension %" PRId64 " has stride %" PRId64 "@%s", dims->at[i], iter->stride,
                                    iter->axis->name);
        strides.at[i] = on_lanes ? 0 : iter->stride;
    }
    if (__builtin_add_overflow(lane, tmap_values_get(&layout->offset, lanes), &lane))
        return tmap_refuse_overflow(error, "the offset", "a smaller offset");
    return tmap_of_tmemory(shape, &strides, lane, made, error);
}

/* ---- Global memory ---------------------------------------------------------------------------------------------- */

static tmap_status lay_global(const tmap_shape *shape, const tmap_shape *strides, tmap_layout *made, tmap_diag *error) {
    *made = (tmap_layout){0};
    for (int d = 0; d < shape->rank; d++) add(made, shape->at[d], strides->at[d], TMAP_AXIS_ID_M);
    return tmap_layout_check(made, error);
}

static tmap_status lay_dense(const uint64_t *sizes, int rank, bool columns, tmap_layout *made, tmap_diag *error) {
    tmap_shape shape = {.rank = rank}, strides;
    for (int d = 0; d < rank; d++) shape.at[d] = (int64_t)sizes[d];
    if (!dense_strides(&shape, columns, -1, &strides))
        return tmap_refuse_with(error, 0, "a smaller shape", "the number of elements does not fit 64 bits");
    return lay_global(&shape, &strides, made, error);
}

tmap_status tmap_of_global_row_major(const uint64_t *shape, int rank, tmap_layout *made, tmap_diag *error) {
    return lay_dense(shape, rank, false, made, error);
}

tmap_status tmap_of_global_column_major(const uint64_t *shape, int rank, tmap_layout *made, tmap_diag *error) {
    return lay_dense(shape, rank, true, made, error);
}

tmap_status tmap_of_global_strides(const tmap_shape *shape, const tmap_shape *strides, tmap_layout *made,
                                   tmap_diag *error) {
    tmap_status status = tmap_check_count(strides->rank, "stride", shape->rank, "dimension", 1, error);
    return status == TMAP_OK ? lay_global(shape, strides, made, error) : status;
}

/* Element (i, j) is rhs's element (i % m, j % n) in block (i / m, j / n) of lhs, with blocks of rhs's size. */
tmap_status tmap_of_global_compose(const tmap_layout *left, const tmap_layout *right, tmap_layout *made,
                                   tmap_diag *error) {
    int64_t block = tmap_layout_size(right);
    const tmap_layout *sides[] = {left, right};
    for (int i = 0; i < 2; i++) {
        if (check_parts(i, sides[i], false, error) != TMAP_OK) return TMAP_REFUSED;
        if (sides[i]->offset.n > 0)
            return tmap_refuse_with(error, i, "use the layout without its offset", "the layout has an offset");
    }
    if (left->shard.n != right->shard.n || 2 * left->shard.n > TMAP_ITERS_MAX)
        return tmap_refuse_with(error, 1, "layouts of the same rank, with one iter for each dimension",
                                "the left layout has %d iter%s, the right layout %d", left->shard.n,
                                TMAP_PLURAL(left->shard.n), right->shard.n);
    *made = (tmap_layout){0};
    for (int d = 0; d < left->shard.n; d++) {
        tmap_iter iter = left->shard.at[d];
        if (__builtin_mul_overflow(iter.stride, block, &iter.stride))
            return tmap_refuse_with(error, 0, "smaller layouts", "the strides do not fit 64 bits");
        made->shard.at[made->shard.n++] = iter;
        made->shard.at[made->shard.n++] = right->shard.at[d];
    }
    return tmap_layout_check(made, error);
}

tmap_status tmap_of_global_slice(const tmap_layout *layout, const tmap_shape *offsets, const tmap_shape *dims,
                                 const tmap_shape *shape, tmap_layout *made, tmap_diag *error) {
    int64_t at = 0, step;
    if (check_parts(0, layout, false, error) != TMAP_OK) return TMAP_REFUSED;
    if (check_dims(2, layout, dims, error) != TMAP_OK ||
        tmap_check_count(offsets->rank, "offset", layout->shard.n, "dimension", 1, error) != TMAP_OK ||
        tmap_check_count(shape->rank, "extent", dims->rank, "listed dimension", 3, error) != TMAP_OK)
        return TMAP_REFUSED;
    for (int d = 0; d < offsets->rank; d++)
        if (__builtin_mul_overflow(offsets->at[d], layout->shard.at[d].stride, &step) ||
            __builtin_add_overflow(at, step, &at))
            return tmap_refuse_with(error, 1, "smaller offsets", "the offset does not fit 64 bits");
    *made = (tmap_layout){.offset = layout->offset};
    for (int i = 0; i < dims->rank; i++) add(made, shape->at[i], layout->shard.at[dims->at[i]].stride, TMAP_AXIS_ID_M);
    if (!tmap_values_add(&made->offset, tmap_axis_get(TMAP_AXIS_ID_M), at))
        return tmap_refuse_overflow(error, "the offset", "a smaller offset");
    return tmap_layout_check(made, error);
}

/* ---- Tilus's multi-functions and shared layouts ----------------------------------------------------------------- */

tmap_status tmap_of_shared_swizzle(const uint64_t *shape, int rank, uint64_t bytes, tmap_shared_layout *made,
                                   tmap_diag *error) {
    return tmap_shared_row_major_swizzle(shape, rank, 8 * bytes, made, error);
}

/* Writes the dimensions of the index `retained`, then the other dimensions. */
static tmap_status order_dims(const int *retained, int n, int rank, int order[TMAP_MODE_RANK_MAX], tmap_diag *error) {
    uint32_t seen = 0;
    tmap_status status = tmap_dims_check(retained, n, rank, TMAP_FITTED("slice"), error);
    if (status != TMAP_OK) return status;
    for (int i = 0; i < n; i++) {
        seen |= (uint32_t)1 << retained[i];
        order[i] = retained[i];
    }
    for (int d = 0; d < rank; d++)
        if (!(seen >> d & 1)) order[n++] = d;
    return TMAP_OK;
}

tmap_status tmap_of_shared_retain(const tmap_shared_layout *layout, const int *dims, int n, tmap_shared_layout *made,
                                  tmap_diag *error) {
    uint64_t zeros[TMAP_MODE_RANK_MAX] = {0}, extent[TMAP_MODE_RANK_MAX] = {0}, shape[TMAP_MODE_RANK_MAX], offset;
    int order[TMAP_MODE_RANK_MAX] = {0}, rank = layout->modes.rank;
    tmap_shared_layout part, ordered;
    tmap_status status = order_dims(dims, n, rank, order, error);
    if (status != TMAP_OK) return status;
    for (int i = 0; i < rank; i++) extent[order[i]] = i < n ? layout->modes.shape[order[i]] : 1;
    for (int i = 0; i < n; i++) shape[i] = extent[order[i]];
    status = tmap_shared_slice(layout, zeros, extent, &part, &offset, error);
    if (status == TMAP_OK) status = tmap_shared_permute(&part, order, rank, &ordered, error);
    return status == TMAP_OK ? tmap_shared_reshape(&ordered, shape, n, made, error) : status;
}

tmap_status tmap_of_collapse(const tmap_multi_function *f, const int *dims, int n, tmap_multi_function *made,
                             tmap_diag *error) {
    uint32_t bits = 0;
    for (int i = 0; i < n; i++) {
        if (dims[i] >= f->modes.rank)
            return tmap_refuse_with(error, 1, "numbers of dimensions, from 0", "dimension %d does not exist", dims[i]);
        bits |= (uint32_t)1 << dims[i];
    }
    return tmap_multi_collapse(f, bits, made, error);
}

tmap_status tmap_of_collapse_by_shape(const tmap_multi_function *f, const uint64_t *shape, int n,
                                      tmap_multi_function *made, tmap_diag *error) {
    uint32_t bits = 0;
    if (n > f->modes.rank)
        return tmap_refuse_with(error, 1, "at most one size for each dimension of the function",
                                "%d size%s for %d dimension%s", n, TMAP_PLURAL(n), f->modes.rank,
                                TMAP_PLURAL(f->modes.rank));
    for (int d = 0; d < f->modes.rank; d++) {
        int of = d - (f->modes.rank - n);
        if (of < 0 || (shape[of] == 1 && f->modes.shape[d] != 1))
            bits |= (uint32_t)1 << d;
        else if (shape[of] != f->modes.shape[d])
            return tmap_refuse_with(error, 1, "the sizes of the function, or 1",
                                    "size %" PRIu64 " for dimension %d, whose size is %" PRIu64, shape[of], d,
                                    f->modes.shape[d]);
    }
    return tmap_multi_collapse(f, bits, made, error);
}

tmap_status tmap_of_identity(const uint64_t *shape, int rank, tmap_multi_function *made, tmap_diag *error) {
    tmap_multi_function parts = {0};
    if (tmap_modes_rank_check(rank, (tmap_operation){"identity", 0}, error) != TMAP_OK) return TMAP_REFUSED;
    parts.modes.rank = parts.modes.n = parts.list.n = rank;
    for (int d = 0; d < rank; d++) {
        parts.modes.shape[d] = parts.modes.size[d] = shape[d];
        parts.list.at[d] = d;
    }
    return tmap_multi_make(&parts, made, error);
}
