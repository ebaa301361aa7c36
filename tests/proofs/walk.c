/*
 * Point: 4
 * Proves: the runs of a walk are disjoint and cover the box. A run is data if and only if tmap_map_locate finds an
 *     element of the tensor. Every element of a run has the coordinates, the offset in the tensor and the offset in
 *     the box that tmap_map_locate returns. The statement holds for loads of u32, and for loads of 16-byte slices
 *     (interleave 16B). The program tries all cases.
 * Assumes: offsets are linear in the strides, so one set of strides whose sums are all different is sufficient. No
 *     rule checks the parameters, so the cases include boxes that the rules reject. Im2col: no image row of a walk
 *     is empty, and the walk starts in an image row.
 * Bounds: tiled, each dimension: rank 1 and 2: size 1 to 8, box 1 to 6, start -8 to 10, element stride 1 to 3; rank 3:
 *     size 1 to 4, box 1 to 3, start -4 to 5, stride 1 to 3; rank 4: size 1 to 3, box 1, 2, start -2 to 3, stride 1, 2;
 *     rank 5: size 1, 2, box 1, 2, start -1 to 2, stride 1, 2. Im2col, each spatial dimension: rank 3: size 1 to 6,
 *     corners -3 to 2, stride 1 to 3; rank 4: size 1 to 3, corners -1 to 1, stride 1, 2; rank 5: size 1, 2, corners -1
 *     to 0, stride 1, 2; every start; 1 to 3 channels per pixel, of 1 or 2 channels, start -1 to 1; 1 or 2 images,
 *     start -1 to 1; 1, 2, 5 or 9 pixels. All combinations.
 * Tool: run
 * Cases: RANK=1..5 IM2COL=0 SLICED=0; RANK=3 IM2COL=0 SLICED=1; RANK=3..5 IM2COL=1 SLICED=0,1
 * Sources: src/core/walk/walk.c src/core/base/memory.c src/core/map/copy.c src/core/map/tile_rows.c src/core/map/map.c src/core/map/locate.c src/core/map/pixels.c
 *     src/core/params/derive.c src/core/params/dim_order.c src/core/hw/tables.c src/core/hw/swizzle.c src/core/hw/qualifiers.c
 *     src/core/hw/reductions.c src/core/text/print.c src/core/base/sink.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "no_rules.h"
#include "tmap/unstable/walk.h"

/* ---- One copy ---------------------------------------------------------------------------------------------------- */

enum { ELEMENTS_MAX = 1024 };

static unsigned long copies_n;

static void refute(const tmap_copy *copy, const uint32_t *index, const char *what) {
    const tmap_map_params *m = &copy->map.params;
    printf("DISPROVED: %s at element %u %u %u %u %u\n", what, index[0], index[1], index[2], index[3], index[4]);
    for (int i = 0; i < RANK; i++)
        printf("  size %d box %u start %d stride %d\n", (int)m->dims_el[i], copy->counts[i], (int)copy->params.at[i],
               (int)m->element_strides[i]);
    exit(1);
}

static uint32_t number_of(const tmap_copy *copy, const uint32_t *index) {
    uint32_t number = 0;
    for (int i = TMAP_RANK_MAX - 1; i >= 0; i--) number = number * copy->counts[i] + index[i];
    return number;
}

/* Compares one element of a run with the closed form. */
static void compare(const tmap_copy *copy, const tmap_run *run, uint32_t unit, uint32_t row, unsigned char *seen) {
    uint32_t index[TMAP_RANK_MAX];
    tmap_place place;
    memcpy(index, run->index, sizeof index);
    index[0] += unit * copy->unit.values, index[1] += row;
    for (int i = 0; i < TMAP_RANK_MAX; i++)
        if (index[i] >= copy->counts[i]) refute(copy, index, "outside the box");
    if (seen[number_of(copy, index)]++) refute(copy, index, "two runs");
    tmap_map_locate(&copy->map, copy->params.at, copy->params.shared, index, &place);
    if (place.inside != (run->kind == TMAP_RUN_DATA)) refute(copy, index, "kind");
    if (place.box_B != run->box_B + row * run->box_step_B + unit * copy->unit.pitch_B)
        refute(copy, index, "box offset");
    uint64_t global_B = run->global_B + row * run->global_step_B + (uint64_t)unit * copy->unit.global_B;
    if (place.inside && place.global_B != global_B) refute(copy, index, "offset in the tensor");
    if (unit == 0 && row == 0 && memcmp(place.at, run->at, sizeof place.at) != 0) refute(copy, index, "coordinates");
}

static void prove(const tmap_map_params *params, const tmap_copy_params *operands) {
    static tmap_map map;
    static tmap_copy copy;
    unsigned char seen[ELEMENTS_MAX] = {0};
    tmap_walk walk;
    tmap_run run;
    uint32_t elements = 1;
    if (tmap_map_init(&map, params, NULL, NULL) != TMAP_OK) abort();
    if (tmap_copy_init(&copy, &map, operands, NULL, NULL) != TMAP_OK) abort();
    for (int i = 0; i < TMAP_RANK_MAX; i++) elements *= copy.counts[i];
    if (elements > ELEMENTS_MAX) abort();
    for (tmap_walk_begin(&walk, &copy); tmap_walk_next(&walk, &run);)
        for (uint32_t row = 0; row < run.rows_n; row++)
            for (uint32_t unit = 0; unit < run.units_n; unit++) compare(&copy, &run, unit, row, seen);
    for (uint32_t i = 0; i < elements; i++)
        if (!seen[i]) refute(&copy, (uint32_t[]){i, 0, 0, 0, 0}, "no run (by its number)");
    copies_n++;
}

/* ---- All copies ------------------------------------------------------------------------------------------------- */

static tmap_map_params map;
static tmap_copy_params copy = {.op = TMAP_OP_LOAD, .at_n = RANK};

/* All tiles from before the tensor to beyond its end. */
static void each_tile(int dim) {
    static const struct {
        int sizes, boxes, before, past, steps;
    } bounds[] = {{0, 0, 0, 0, 0}, {8, 6, 8, 10, 3}, {8, 6, 8, 10, 3},
                  {4, 3, 4, 5, 3}, {3, 2, 2, 3, 2},  {2, 2, 1, 2, 2}};
    if (dim == RANK) {
        prove(&map, &copy);
        return;
    }
    for (int size = 1; size <= bounds[RANK].sizes; size++)
        for (int box = 1; box <= bounds[RANK].boxes; box++)
            for (int at = -bounds[RANK].before; at <= bounds[RANK].past; at++)
                for (int step = 1; step <= (dim == 0 && !SLICED ? 1 : bounds[RANK].steps); step++) {
                    map.dims_el[dim] = (uint64_t)size, map.element_strides[dim] = (uint64_t)step;
                    map.box_el[dim] = (uint64_t)(box * step), copy.at[dim] = at;
                    each_tile(dim + 1);
                }
}

static void each_column(const tmap_image_dims *dims) {
    static const uint64_t pixels[] = {1, 2, 5, 9};
    for (int c = 0; c < 18; c++) {
        map.channels_per_pixel = (uint64_t)c % 3 + 1;
        map.dims_el[dims->channel] = (uint64_t)c / 3 % 2 + 1, copy.at[dims->channel] = c / 6 - 1;
        for (int n = 0; n < 6; n++) {
            map.dims_el[dims->batch] = (uint64_t)n % 2 + 1, copy.at[dims->batch] = n / 2 - 1;
            for (size_t i = 0; i < sizeof pixels / sizeof *pixels; i++) {
                map.pixels_per_column = pixels[i];
                prove(&map, &copy);
            }
        }
    }
}

/* All corners and starts of a walk. */
static void each_walk(const tmap_image_dims *dims, int spatial) {
    static const int sizes[] = {0, 0, 0, 6, 3, 2}, least[] = {0, 0, 0, -3, -1, -1}, most[] = {0, 0, 0, 2, 1, 0},
                     steps[] = {0, 0, 0, 3, 2, 2};
    if (spatial == dims->spatial_n) {
        each_column(dims);
        return;
    }
    int dim = dims->first_spatial + spatial;
    for (int size = 1; size <= sizes[RANK]; size++)
        for (int lower = least[RANK]; lower <= most[RANK]; lower++)
            for (int upper = least[RANK]; upper <= most[RANK]; upper++)
                for (int step = 1; step <= steps[RANK]; step++)
                    for (int at = lower; at < size + upper; at++) {
                        map.dims_el[dim] = (uint64_t)size, map.element_strides[dim] = (uint64_t)step;
                        map.lower_corner[spatial] = lower, map.upper_corner[spatial] = upper, copy.at[dim] = at;
                        each_walk(dims, spatial + 1);
                    }
}

int main(void) {
    map.type = TMAP_TYPE_U32, map.rank = RANK;
    for (int i = 0; i < RANK; i++) map.element_strides[i] = 1;
    map.interleave = SLICED ? TMAP_INTERLEAVE_16B : TMAP_INTERLEAVE_NONE;
    for (int i = 0; i < RANK - 1; i++) map.strides_B[i] = ((uint64_t)1 << (8 * i + 8)) + 16;
    if (IM2COL) {
        map.mode = TMAP_MODE_IM2COL;
        tmap_image_dims dims = tmap_image_dims_of(&map);
        each_walk(&dims, 0);
    } else {
        each_tile(0);
    }
    printf("PROVED: %lu copies\n", copies_n);
    return 0;
}
