/*
 * The part of global memory that a copy touches. Strides are not negative. Before offsets are reduced modulo 2^64, the
 * first indices inside have the smallest offset and the last indices inside the largest. Where a multiple of 2^64 is
 * between the two, the code visits the rows one by one.
 */
#include "walk/extent.h"

#include "base/wide.h"
#include "map/coordinate.h"

/* The offsets of one or more rows, relative to `origin_B`, before reduction modulo 2^64. */
typedef struct offset_range {
    tmap_u128 first, end;
} offset_range;

static bool wraps(const offset_range *s) {
    return TMAP_HIGH(s->first) != TMAP_HIGH(s->end - 1);
}

static void add_bytes(tmap_extent *extent, const offset_range *s, uint64_t data_B) {
    bool split = wraps(s);
    uint64_t first_B = split ? 0 : (uint64_t)s->first, end_B = split ? UINT64_MAX : (uint64_t)(s->end - 1);
    if (end_B < UINT64_MAX) end_B++;
    if (extent->data_B == 0 || first_B < extent->first_B) extent->first_B = first_B;
    if (end_B > extent->end_B) extent->end_B = end_B;
    extent->data_B += data_B;
}

/* Adds one range of box rows. Returns false and adds nothing where the range wraps. */
static bool add_rows(const tmap_copy *copy, uint64_t origin_B, uint32_t first_row, uint32_t end_row,
                     tmap_extent *extent) {
    const tmap_map_params *params = &copy->map.params;
    uint64_t bits = copy->unit.value_bits, columns_n = copy->inside_end[0] - copy->inside_first[0];
    uint64_t first_column = (uint64_t)tmap_copy_coordinate(copy, 0, copy->inside_first[0]);
    uint64_t last_column = (uint64_t)tmap_copy_coordinate(copy, 0, copy->inside_end[0] - 1);
    offset_range s = {first_column * bits / 8, (last_column + 1) * bits / 8};
    uint64_t data_B = columns_n * bits / 8;
    for (int i = 1; i < copy->rank; i++) {
        uint32_t first = i == 1 ? first_row : copy->inside_first[i], end = i == 1 ? end_row : copy->inside_end[i];
        if (first >= end) return true;
        s.first += (tmap_u128)(uint64_t)tmap_copy_coordinate(copy, i, first) * params->strides_B[i - 1];
        s.end += (tmap_u128)(uint64_t)tmap_copy_coordinate(copy, i, end - 1) * params->strides_B[i - 1];
        data_B *= end - first;
    }
    s.first += 0 - origin_B;
    s.end += 0 - origin_B;
    if (wraps(&s)) return false;
    add_bytes(extent, &s, data_B);
    return true;
}

static bool add_named_rows(const tmap_copy *copy, uint64_t origin_B, tmap_extent *extent) {
    for (uint32_t row = 0; row < 4; row++) {
        int64_t c = copy->params.rows[row];
        bool inside = c >= 0 && (uint64_t)c < copy->map.params.dims_el[1];
        if (inside && !add_rows(copy, origin_B, row, row + 1, extent)) return false;
    }
    return true;
}

/* Adds a run as one range where no multiple of 2^64 is between its rows. */
static void add_run(const tmap_run *run, uint64_t origin_B, uint64_t row_B, tmap_extent *extent) {
    tmap_u128 first = run->global_B - origin_B;
    offset_range all = {first, first + (tmap_u128)run->global_step_B * (run->rows_n - 1) + row_B};
    if (!wraps(&all)) {
        add_bytes(extent, &all, row_B * run->rows_n);
        return;
    }
    for (uint32_t i = 0; i < run->rows_n; i++) {
        uint64_t row = run->global_B + i * run->global_step_B - origin_B;
        add_bytes(extent, &(offset_range){row, (tmap_u128)row + row_B}, row_B);
    }
}

/* A column of pixels has one run for each image row. */
static tmap_extent visit_runs(const tmap_copy *copy, uint64_t origin_B) {
    tmap_extent extent = {0, 0, 0};
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);)
        if (run.kind == TMAP_RUN_DATA) add_run(&run, origin_B, (uint64_t)run.units_n * copy->unit.global_B, &extent);
    return extent;
}

tmap_extent tmap_copy_extent_from(const tmap_copy *copy, uint64_t origin_B) {
    tmap_extent extent = {0, 0, 0};
    if (copy->inside_first[0] >= copy->inside_end[0]) return extent;
    if (tmap_copy_is_im2col(copy)) return visit_runs(copy, origin_B);
    bool closed = copy->op->four_rows ? add_named_rows(copy, origin_B, &extent)
                                      : add_rows(copy, origin_B, copy->inside_first[1], copy->inside_end[1], &extent);
    return closed ? extent : visit_runs(copy, origin_B);
}

tmap_extent tmap_copy_extent(const tmap_copy *copy) {
    return tmap_copy_extent_from(copy, 0);
}
