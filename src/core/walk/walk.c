/*
 * Runs of a copy. A plane is a set of rows of the box that advance by one step along one dimension of the tensor:
 * dimensions 0 and 1 of a tiled box, one row of gather4 and scatter4, the pixels of an im2col column up to the end of
 * an image row. The tensor's bounds split each side of a plane into the parts before, inside and after the tensor, so a
 * plane has at most five pieces:
 *
 *       dim 0 ->   before | inside | after
 *  dim 1  before   [         0: fill          ]
 *         inside   [1: fill][ 2: data ][3: fill]
 *         after    [         4: fill          ]
 *
 * A plane outside the tensor in any other dimension is one fill.
 */
#include "tmap/unstable/walk.h"
#include "map/coordinate.h"

#define PIECES 5

/* A rectangle of box indices in dimensions 0 and 1; rows count from the plane's first. */
typedef struct piece {
    tmap_run_kind kind;
    uint32_t column, columns_n, row, rows_n;
} piece;

static bool coordinate_inside(const tmap_copy *copy, int dim, int64_t c) {
    return c >= 0 && (uint64_t)c < copy->map.params.dims_el[dim];
}

/* ---- Planes --------------------------------------------------------------------------------------------------- */

static void begin_tile_plane(tmap_walk *walk) {
    const tmap_copy *copy = walk->copy;
    walk->rows_n = copy->counts[1];
    walk->inside_first = copy->inside_first[1];
    walk->inside_end = copy->inside_end[1];
    for (int i = 2; i < copy->rank; i++)
        if (walk->index[i] < copy->inside_first[i] || walk->index[i] >= copy->inside_end[i]) walk->inside_end = 0;
}

static void begin_named_row(tmap_walk *walk) {
    walk->rows_n = 1;
    walk->inside_first = 0;
    walk->inside_end = coordinate_inside(walk->copy, 1, walk->copy->params.rows[walk->index[1]]);
}

/* The smallest number of steps that reaches `bound`, at most `rows_n`. */
static uint32_t rows_before(int64_t bound, int64_t start, int64_t step, uint32_t rows_n) {
    if (start >= bound) return 0;
    uint64_t rows = ((uint64_t)(bound - start) + (uint64_t)step - 1) / (uint64_t)step;
    return rows < rows_n ? (uint32_t)rows : rows_n;
}

static void begin_pixel_row(tmap_walk *walk) {
    const tmap_copy *copy = walk->copy;
    const tmap_walked *w = &copy->pixels.walked[0];
    const int64_t *at = walk->at;
    tmap_copy_at(copy, walk->index, walk->at);
    walk->rows_n = tmap_pixels_in_row(&copy->pixels, walk->index[1], copy->counts[1]);
    walk->inside_first = rows_before(0, at[w->dim], w->step, walk->rows_n);
    walk->inside_end = rows_before((int64_t)copy->map.params.dims_el[w->dim], at[w->dim], w->step, walk->rows_n);
    for (int i = 0; i < TMAP_RANK_MAX; i++)
        if (i != w->dim && i != copy->pixels.channel && !coordinate_inside(copy, i, at[i])) walk->inside_end = 0;
}

static void begin_plane(tmap_walk *walk) {
    const tmap_copy *copy = walk->copy;
    walk->piece = 0;
    walk->column = 0;
    if (tmap_copy_is_im2col(copy))
        begin_pixel_row(walk);
    else if (copy->op->four_rows)
        begin_named_row(walk);
    else
        begin_tile_plane(walk);
    bool none = copy->inside_first[0] >= copy->inside_end[0] || walk->inside_first >= walk->inside_end;
    if (none) walk->inside_first = walk->inside_end = 0;
}

/* Advances the indices above the plane, the lowest dimension first. */
static void next_plane(tmap_walk *walk) {
    const tmap_copy *copy = walk->copy;
    bool rows = copy->op->four_rows || tmap_copy_is_im2col(copy);
    for (int i = rows ? 1 : 2; i < copy->rank; i++) {
        walk->index[i] += i == 1 ? walk->rows_n : 1;
        if (walk->index[i] < copy->counts[i]) {
            begin_plane(walk);
            return;
        }
        walk->index[i] = 0;
    }
    walk->done = true;
}

/* ---- Pieces --------------------------------------------------------------------------------------------------- */

static piece piece_of(const tmap_walk *walk) {
    const tmap_copy *copy = walk->copy;
    uint32_t width = copy->counts[0], first = copy->inside_first[0], end = copy->inside_end[0];
    uint32_t row = walk->inside_first, end_row = walk->inside_end;
    if (row == end_row) return (piece){TMAP_RUN_FILL, 0, width, 0, walk->piece == 0 ? walk->rows_n : 0};
    switch (walk->piece) {
    case 0: return (piece){TMAP_RUN_FILL, 0, width, 0, row};
    case 1: return (piece){TMAP_RUN_FILL, 0, first, row, end_row - row};
    case 2: return (piece){TMAP_RUN_DATA, first, end - first, row, end_row - row};
    case 3: return (piece){TMAP_RUN_FILL, end, width - end, row, end_row - row};
    default: return (piece){TMAP_RUN_FILL, 0, width, end_row, walk->rows_n - end_row};
    }
}

/* Whether the columns of a tile are not adjacent in the tensor, so that each is a run: dimension 0 of an interleaved
 * tile also has a traversal stride (PTX ISA 5.5.3.2). */
static bool columns_apart(const tmap_copy *copy) {
    return copy->map.params.element_strides[0] != 1 && !tmap_copy_is_im2col(copy);
}

/* The dimension along which rows of a plane advance. */
static int row_dim(const tmap_copy *copy) {
    return tmap_copy_is_im2col(copy) ? copy->pixels.walked[0].dim : 1;
}

/* Pixels start from their plane's coordinates: computing the coordinates anew requires divisions. */
static void place_at(const tmap_walk *walk, const piece *p, tmap_run *run) {
    const tmap_copy *copy = walk->copy;
    if (!tmap_copy_is_im2col(copy)) {
        tmap_copy_at(copy, run->index, run->at);
        return;
    }
    const tmap_walked *w = &copy->pixels.walked[0];
    for (int i = 0; i < TMAP_RANK_MAX; i++) run->at[i] = walk->at[i];
    run->at[copy->pixels.channel] += p->column;
    run->at[w->dim] += p->row * w->step;
}

/* The units in `values` values along dimension 0. A unit has 1, 2 or 16 values; a shift replaces a division, which
 * takes longer than copying a row. */
static uint32_t units_of(const tmap_copy *copy, uint32_t values) {
    return values >> __builtin_ctz(copy->unit.values);
}

static void place_in_box(const tmap_copy *copy, tmap_run *run) {
    uint32_t row = 0;
    for (int i = copy->rank - 1; i >= 1; i--) row = row * copy->counts[i] + run->index[i];
    run->box_B = row * copy->pitch_B + units_of(copy, run->index[0]) * copy->unit.pitch_B;
    run->box_step_B = copy->pitch_B;
}

static void place_in_tensor(const tmap_copy *copy, tmap_run *run) {
    const tmap_map_params *params = &copy->map.params;
    int dim = row_dim(copy);
    run->global_B = (uint64_t)run->at[0] * copy->unit.value_bits / 8;
    for (int i = 1; i < TMAP_RANK_MAX; i++) run->global_B += (uint64_t)run->at[i] * params->strides_B[i - 1];
    run->global_step_B = (dim == 0 ? copy->unit.global_B : params->strides_B[dim - 1]) * params->element_strides[dim];
}

static void make_run(const tmap_walk *walk, const piece *p, tmap_run *run) {
    const tmap_copy *copy = walk->copy;
    const uint32_t *index = walk->index;
    run->kind = p->kind; /* set field by field: clearing the struct costs 10 ns, a sixth of 64 rows of 128 B */
    run->index[0] = p->column;
    run->index[1] = index[1] + p->row;
    for (int i = 2; i < TMAP_RANK_MAX; i++) run->index[i] = index[i];
    run->units_n = units_of(copy, p->columns_n);
    run->rows_n = p->rows_n;
    run->global_B = run->global_step_B = 0;
    place_at(walk, p, run);
    place_in_box(copy, run);
    if (p->kind == TMAP_RUN_DATA) place_in_tensor(copy, run);
}

/* Returns one column of the piece and advances the walk to the next column. */
static piece next_column(tmap_walk *walk, piece p) {
    piece column = {p.kind, p.column + walk->column, 1, p.row, p.rows_n};
    if (++walk->column == p.columns_n) {
        walk->column = 0;
        walk->piece++;
    }
    return column;
}

/* ---- The walk ------------------------------------------------------------------------------------------------- */

/* Does not clear the fields that the plane sets: clearing them costs a tenth of the time of 64 rows of 128 B. */
void tmap_walk_begin(tmap_walk *walk, const tmap_copy *copy) {
    walk->copy = copy;
    walk->done = false;
    for (int i = 0; i < TMAP_RANK_MAX; i++) walk->index[i] = 0;
    begin_plane(walk);
}

/* Whether the piece is the whole plane. */
static bool is_whole(const tmap_walk *walk, const piece *p) {
    return p->columns_n == walk->copy->counts[0] && p->rows_n == walk->rows_n;
}

bool tmap_walk_next(tmap_walk *walk, tmap_run *run) {
    while (!walk->done) {
        if (walk->piece == PIECES) {
            next_plane(walk);
            continue;
        }
        piece p = piece_of(walk);
        if (p.columns_n == 0 || p.rows_n == 0) {
            walk->piece++;
            continue;
        }
        if (p.kind == TMAP_RUN_DATA && columns_apart(walk->copy))
            p = next_column(walk, p);
        else
            walk->piece = is_whole(walk, &p) ? PIECES : walk->piece + 1;
        make_run(walk, &p, run);
        return true;
    }
    return false;
}
