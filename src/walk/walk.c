/*
 * Runs of a copy. Dimensions 0 and 1 make a plane; each splits by the tensor's bounds into what lies before, inside and
 * behind it, because coordinates only grow with the index. A plane therefore has at most five pieces:
 *
 *        dim 0 ->   before | inside | behind
 *   dim 1  before   [          fill          ]
 *          inside   [ fill ][  data  ][ fill ]
 *          behind   [          fill          ]
 *
 * The four rows of gather4 and scatter4 are four planes of one row.
 */
#include "tmap/walk.h"
#include "map/coordinate.h"

/* Indices first .. end-1 of a dimension lie inside the tensor. */
typedef struct inside {
    uint32_t first, end;
} inside;

/* The least k with start + k x step >= bound, within 0 .. count. */
static uint32_t first_at_or_above(int64_t start, int64_t step, int64_t bound, uint32_t count) {
    if (start >= bound) return 0;
    int64_t k = (bound - start + step - 1) / step;
    return k < (int64_t)count ? (uint32_t)k : count;
}

static inside inside_of(const tmap_copy *copy, int dim) {
    int64_t start = copy->params.at[dim], step = (int64_t)copy->map.params.element_strides[dim];
    return (inside){first_at_or_above(start, step, 0, copy->counts[dim]),
                    first_at_or_above(start, step, (int64_t)copy->map.params.dims_el[dim], copy->counts[dim])};
}

static bool coordinate_inside(const tmap_copy *copy, int dim, uint32_t index) {
    int64_t c = tmap_copy_coordinate(copy, dim, index);
    return c >= 0 && (uint64_t)c < copy->map.params.dims_el[dim];
}

/* A piece of the plane: columns and rows of box indices. */
typedef struct piece {
    tmap_run_kind kind;
    uint32_t column, columns_n, row, rows_n;
} piece;

static void place_in_box(const tmap_copy *copy, tmap_run *run) {
    const tmap_type_info *type = copy->map.type;
    uint32_t row = 0;
    for (int i = TMAP_RANK_MAX - 1; i >= 1; i--) row = row * copy->counts[i] + run->index[i];
    run->box_B = row * copy->pitch_B + run->index[0] / (uint32_t)type->unit_values * type->unit_pitch_B;
    run->box_step_B = copy->pitch_B;
}

static void place_in_tensor(const tmap_copy *copy, tmap_run *run) {
    const tmap_map_params *params = &copy->map.params;
    run->global_B = tmap_inner_global_B(copy->map.type, (uint64_t)run->at[0]);
    for (int i = 1; i < TMAP_RANK_MAX; i++) run->global_B += (uint64_t)run->at[i] * params->strides_B[i - 1];
    run->global_step_B = params->strides_B[0] * params->element_strides[1];
}

static void enqueue(tmap_walk *walk, piece p) {
    const tmap_copy *copy = walk->copy;
    if (p.columns_n == 0 || p.rows_n == 0) return;
    tmap_run *run = &walk->queue[walk->queued++];
    run->kind = p.kind;
    run->units_n = p.columns_n / (uint32_t)copy->map.type->unit_values;
    run->rows_n = p.rows_n;
    for (int i = 2; i < TMAP_RANK_MAX; i++) run->index[i] = walk->index[i];
    run->index[0] = p.column;
    run->index[1] = p.row;
    for (int i = 0; i < TMAP_RANK_MAX; i++) run->at[i] = tmap_copy_coordinate(copy, i, run->index[i]);
    place_in_box(copy, run);
    if (p.kind == TMAP_RUN_DATA)
        place_in_tensor(copy, run);
    else
        run->global_B = run->global_step_B = 0;
}

static void enqueue_plane(tmap_walk *walk, uint32_t first_row, uint32_t end_row, inside rows) {
    inside columns = inside_of(walk->copy, 0);
    uint32_t width = walk->copy->counts[0];
    for (int i = 2; i < TMAP_RANK_MAX; i++)
        if (!coordinate_inside(walk->copy, i, walk->index[i])) rows.first = rows.end = end_row;
    if (columns.first >= columns.end || rows.first >= rows.end) {
        enqueue(walk, (piece){TMAP_RUN_FILL, 0, width, first_row, end_row - first_row});
        return;
    }
    uint32_t rows_n = rows.end - rows.first;
    enqueue(walk, (piece){TMAP_RUN_FILL, 0, width, first_row, rows.first - first_row});
    enqueue(walk, (piece){TMAP_RUN_FILL, 0, columns.first, rows.first, rows_n});
    enqueue(walk, (piece){TMAP_RUN_DATA, columns.first, columns.end - columns.first, rows.first, rows_n});
    enqueue(walk, (piece){TMAP_RUN_FILL, columns.end, width - columns.end, rows.first, rows_n});
    enqueue(walk, (piece){TMAP_RUN_FILL, 0, width, rows.end, end_row - rows.end});
}

static void fill_queue(tmap_walk *walk) {
    const tmap_copy *copy = walk->copy;
    walk->queued = walk->taken = 0;
    if (copy->op->four_rows) {
        uint32_t row = walk->index[1];
        bool row_inside = coordinate_inside(copy, 1, row);
        enqueue_plane(walk, row, row + 1, (inside){row, row + row_inside});
    } else {
        enqueue_plane(walk, 0, copy->counts[1], inside_of(copy, 1));
    }
}

void tmap_walk_begin(tmap_walk *walk, const tmap_copy *copy) {
    walk->copy = copy;
    for (int i = 0; i < TMAP_RANK_MAX; i++) walk->index[i] = 0;
    walk->done = false;
    fill_queue(walk);
}

/* The next plane: counts up the indices above the plane, the lowest first. */
static void next_plane(tmap_walk *walk) {
    for (int i = walk->copy->op->four_rows ? 1 : 2; i < TMAP_RANK_MAX; i++) {
        if (++walk->index[i] < walk->copy->counts[i]) {
            fill_queue(walk);
            return;
        }
        walk->index[i] = 0;
    }
    walk->done = true;
}

bool tmap_walk_next(tmap_walk *walk, tmap_run *run) {
    if (walk->taken == walk->queued && !walk->done) next_plane(walk);
    if (walk->done) return false;
    *run = walk->queue[walk->taken++];
    return true;
}
