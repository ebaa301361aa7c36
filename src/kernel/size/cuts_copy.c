/* The cuts of the rules of copies. */
#include "size/cut_maker.h"

typedef struct coordinates {
    const tmap_expr *at[TMAP_RANK_MAX];
    int dims[TMAP_RANK_MAX]; /* the dimension of each coordinate */
    int n;
} coordinates;

static coordinates coordinates_of(const cut_maker *m) {
    coordinates all = {.n = 0};
    const tmap_op_info *op = tmap_op_get((int)m->copy->op);
    if (!op || op->on_map) return all;
    all.n = op->four_rows ? 5 : rank_of(m);
    for (int i = 0; i < all.n; i++) {
        all.dims[i] = op->four_rows ? i > 0 : i;
        if (!op->four_rows)
            all.at[i] = coordinate(m, TMAP_SLOT_AT + i, m->copy->at[i]);
        else if (i == 0)
            all.at[i] = coordinate(m, TMAP_SLOT_COLUMN, m->copy->column);
        else
            all.at[i] = coordinate(m, TMAP_SLOT_ROWS + i - 1, m->copy->rows[i - 1]);
    }
    return all;
}

void tmap_cut_coordinate_range(const cut_maker *m) {
    coordinates all = coordinates_of(m);
    for (int i = 0; i < all.n; i++) {
        at_least(m, all.at[i], INT32_MIN);
        at_least(m, all.at[i], (tmap_i128)INT32_MAX + 1);
    }
}

void tmap_cut_inner_coordinate(const cut_maker *m) {
    coordinates all = coordinates_of(m);
    int64_t step = m->type->box0_exact ? (int64_t)m->type->box0_exact : 128 / m->type->bits;
    if (all.n > 0) multiple(m, all.at[0], step);
}

void tmap_cut_store_negative(const cut_maker *m) {
    coordinates all = coordinates_of(m);
    for (int i = 0; i < all.n; i++) at_least(m, all.at[i], 0);
}

void tmap_cut_override_sizes(const cut_maker *m) {
    coordinates all = coordinates_of(m);
    if (!(m->copy->qualifiers & (TMAP_QUALIFIER_BIT(OVERRIDE_DIM) | TMAP_QUALIFIER_BIT(OVERRIDE_DIM_STRIDE)))) return;
    for (int i = 0; i < all.n; i++) {
        at_least(m, all.at[i], 0);
        at_least(m, all.at[i], 1);
    }
}

static const tmap_expr *reach_of(const cut_maker *m, int dim) {
    if (!m->mode->im2col) return box(m, dim);
    return of_number(m, dim == tmap_image_dims_of(m->map).channel ? m->map->channels_per_pixel : 1);
}

/* Cuts for whether a coordinate is before, in or after the tensor, and whether its box, unless empty, reaches the
 * tensor. */
static void cut_place(const cut_maker *m, const tmap_expr *at, int dim) {
    at_least(m, at, 0);
    at_least(m, difference(m, at, dim_size(m, dim)), 0);
    at_least(m, sum(m, at, reach_of(m, dim)), 1);
    at_least(m, reach_of(m, dim), 1);
}

/* A box of slices reaches one entry of the slice dimension. The cut at 0 decides this case too. */
void tmap_cut_outside(const cut_maker *m) {
    coordinates all = coordinates_of(m);
    for (int i = 0; i < all.n; i++) cut_place(m, all.at[i], all.dims[i]);
}

void tmap_cut_store_whole_units(const cut_maker *m) {
    coordinates all = coordinates_of(m);
    if (all.n == 0 || m->interleave->slice_B) return;
    int before = m->cuts->n;
    multiple(m, row_bytes(m), 16);
    int end = m->cuts->n;
    at_least(m, all.at[0], 0);
    at_least(m, difference(m, all.at[0], dim_size(m, 0)), 0);
    at_least(m, difference(m, sum(m, all.at[0], reach_of(m, 0)), dim_size(m, 0)), 1);
    if (end > before) follow_from(m, end, false);
}

void tmap_cut_repeated_rows(const cut_maker *m) {
    coordinates all = coordinates_of(m);
    if (m->copy->op != TMAP_OP_SCATTER4) return;
    for (int i = 1; i < all.n; i++) {
        cut_place(m, all.at[i], 1);
        for (int j = 1; j < i; j++) {
            at_least(m, difference(m, all.at[i], all.at[j]), 0);
            at_least(m, difference(m, all.at[i], all.at[j]), 1);
        }
    }
}

void tmap_cut_start(const cut_maker *m) {
    tmap_image_dims dims = tmap_image_dims_of(m->map);
    coordinates all = coordinates_of(m);
    for (int i = 0; i < dims.walked_n && dims.first_spatial + i < all.n; i++) {
        int dim = dims.first_spatial + i;
        at_least(m, all.at[dim], m->map->lower_corner[i]);
        at_least(m, difference(m, all.at[dim], dim_size(m, dim)), m->map->upper_corner[i]);
    }
}

void tmap_cut_start_step(const cut_maker *m) {
    tmap_image_dims dims = tmap_image_dims_of(m->map);
    coordinates all = coordinates_of(m);
    for (int i = 0; i < dims.walked_n && dims.first_spatial + i < all.n; i++) {
        uint64_t step = m->map->element_strides[dims.first_spatial + i];
        if (step > TMAP_BOX_MAX) continue; /* an error for all values */
        multiple(m, difference(m, all.at[dims.first_spatial + i], number(m, m->map->lower_corner[i])), (int64_t)step);
    }
}

/* ---- Rules of copies without a tensor map ---- */

static const tmap_expr *linear_offset(const cut_maker *m) {
    return scaled(m, m->type->bits / 8, coordinate(m, TMAP_SLOT_AT, m->copy->at[0]));
}

static const tmap_expr *linear_address(const cut_maker *m) {
    uint64_t base = m->map->has_address ? m->map->address : 0;
    return sum(m, slot(m, TMAP_SLOT_ADDRESS, base), linear_offset(m));
}

void tmap_cut_linear_align(const cut_maker *m) {
    multiple(m, linear_address(m), TMAP_LINEAR_ALIGN_B);
}

void tmap_cut_linear_range(const cut_maker *m) {
    const tmap_expr *past = difference(m, linear_offset(m), scaled(m, m->type->bits / 8, dim_size(m, 0)));
    at_least(m, linear_offset(m), 0 - (tmap_i128)m->copy->ignore_left_B);
    at_least(m, past, (tmap_i128)m->copy->ignore_right_B - m->copy->size_B + 1);
}

void tmap_cut_linear_remote(const cut_maker *m) {
    const tmap_arch_info *arch;
    for (int i = 0; (arch = tmap_arch_get(i)) != NULL; i++)
        if (arch->shared_window_B)
            at_least(m, linear_address(m), (tmap_i128)arch->shared_window_B - m->copy->size_B + 1);
}
