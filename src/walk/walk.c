/*
 * Runs of a copy. Dimensions 0 and 1 make a plane; the tensor's bounds split each into what lies before, inside and
 * behind, so a plane has at most five pieces:
 *
 *        dim 0 ->   before | inside | behind
 *   dim 1  before   [         0: fill          ]
 *          inside   [1: fill][ 2: data ][3: fill]
 *          behind   [         4: fill          ]
 *
 * A plane that lies outside in any dimension is one fill. The four rows of gather4 and scatter4 are planes of one row.
 */
#include "tmap/walk.h"
#include "map/coordinate.h"

#define PIECES 5

/* A rectangle of box indices in dimensions 0 and 1. */
typedef struct piece {
    tmap_run_kind kind;
    uint32_t column, columns_n, row, rows_n;
} piece;

static bool coordinate_inside(const tmap_copy *copy, int dim, uint32_t index) {
    int64_t c = tmap_copy_coordinate(copy, dim, index);
    return c >= 0 && (uint64_t)c < copy->map.params.dims_el[dim];
}

static bool plane_inside(const tmap_walk *walk) {
    const tmap_copy *copy = walk->copy;
    if (copy->inside_first[0] >= copy->inside_end[0]) return false;
    if (copy->op->four_rows) return coordinate_inside(copy, 1, walk->index[1]);
    if (copy->inside_first[1] >= copy->inside_end[1]) return false;
    for (int i = 2; i < copy->rank; i++)
        if (walk->index[i] < copy->inside_first[i] || walk->index[i] >= copy->inside_end[i]) return false;
    return true;
}

static piece piece_of(const tmap_walk *walk) {
    const tmap_copy *copy = walk->copy;
    bool four_rows = copy->op->four_rows;
    uint32_t width = copy->counts[0], first = copy->inside_first[0], end = copy->inside_end[0];
    uint32_t top = four_rows ? walk->index[1] : 0, bottom = four_rows ? top + 1 : copy->counts[1];
    uint32_t row = four_rows ? top : copy->inside_first[1], end_row = four_rows ? bottom : copy->inside_end[1];
    if (!plane_inside(walk)) return (piece){TMAP_RUN_FILL, 0, width, top, walk->piece == 0 ? bottom - top : 0};
    switch (walk->piece) {
    case 0: return (piece){TMAP_RUN_FILL, 0, width, top, row - top};
    case 1: return (piece){TMAP_RUN_FILL, 0, first, row, end_row - row};
    case 2: return (piece){TMAP_RUN_DATA, first, end - first, row, end_row - row};
    case 3: return (piece){TMAP_RUN_FILL, end, width - end, row, end_row - row};
    default: return (piece){TMAP_RUN_FILL, 0, width, end_row, bottom - end_row};
    }
}

static void place_in_box(const tmap_copy *copy, tmap_run *run) {
    const tmap_type_info *type = copy->map.type;
    uint32_t row = 0;
    for (int i = copy->rank - 1; i >= 1; i--) row = row * copy->counts[i] + run->index[i];
    run->box_B = row * copy->pitch_B + run->index[0] / (uint32_t)type->unit_values * type->unit_pitch_B;
    run->box_step_B = copy->pitch_B;
}

static void place_in_tensor(const tmap_copy *copy, tmap_run *run) {
    const tmap_map_params *params = &copy->map.params;
    run->global_B = tmap_inner_global_B(copy->map.type, (uint64_t)run->at[0]);
    for (int i = 1; i < copy->rank; i++) run->global_B += (uint64_t)run->at[i] * params->strides_B[i - 1];
    run->global_step_B = params->strides_B[0] * params->element_strides[1];
}

static void make_run(const tmap_walk *walk, const piece *p, tmap_run *run) {
    const tmap_copy *copy = walk->copy;
    *run = (tmap_run){.kind = p->kind,
                      .index = {p->column, p->row, walk->index[2], walk->index[3], walk->index[4]},
                      .units_n = p->columns_n / (uint32_t)copy->map.type->unit_values,
                      .rows_n = p->rows_n};
    for (int i = 0; i < copy->rank; i++) run->at[i] = tmap_copy_coordinate(copy, i, run->index[i]);
    place_in_box(copy, run);
    if (p->kind == TMAP_RUN_DATA) place_in_tensor(copy, run);
}

void tmap_walk_begin(tmap_walk *walk, const tmap_copy *copy) {
    *walk = (tmap_walk){.copy = copy};
}

/* Counts up the indices above the plane, the lowest first. */
static void next_plane(tmap_walk *walk) {
    walk->piece = 0;
    for (int i = walk->copy->op->four_rows ? 1 : 2; i < walk->copy->rank; i++) {
        if (++walk->index[i] < walk->copy->counts[i]) return;
        walk->index[i] = 0;
    }
    walk->done = true;
}

/* Nothing is left of the plane then. */
static bool is_whole(const tmap_walk *walk, const piece *p) {
    const tmap_copy *copy = walk->copy;
    return p->columns_n == copy->counts[0] && (copy->op->four_rows || p->rows_n == copy->counts[1]);
}

bool tmap_walk_next(tmap_walk *walk, tmap_run *run) {
    while (!walk->done) {
        if (walk->piece == PIECES) {
            next_plane(walk);
            continue;
        }
        piece p = piece_of(walk);
        walk->piece++;
        if (p.columns_n == 0 || p.rows_n == 0) continue;
        if (is_whole(walk, &p)) walk->piece = PIECES;
        make_run(walk, &p, run);
        return true;
    }
    return false;
}
