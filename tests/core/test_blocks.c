/*
 * The blocks and runs of random copies against the oracle's place of every element: data comes from its place in the
 * tensor, once; fill covers the rest of the box, once, and comes before data that it overlaps. A box of data alone has
 * no fill, and a box of fill alone no data.
 */
#include "cmocka_all.h"

#include <stdlib.h>

#include "map/coordinate.h"
#include "oracle/bridge.h"
#include "sanitized.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/gen.h"
#include "walk/blocks.h"
#include "walk/extent.h"

enum { CASES = SANITIZED ? 1000 : 6000, BOX_MAX_B = 1 << 16 };

/* ---- Small columns and tiles, which begin, end and wrap everywhere ----------------------------------------------- */

static int64_t between(tmap_random *random, int64_t low, int64_t high) {
    return low + (int64_t)tmap_random_between(random, 0, (uint64_t)(high - low));
}

static void random_sizes(tmap_random *random, int first_spatial, tmap_map_params *map) {
    map->oob_fill = TMAP_OOB_FILL_ZERO;
    for (uint64_t i = 0; i < map->rank; i++) {
        map->dims_el[i] = (uint64_t)between(random, 1, 5) * (i == 0 && first_spatial == 1 ? 8 : 1);
        map->element_strides[i] = (uint64_t)between(random, 1, 4) / 2 + (tmap_random_next(random) % 4 == 0);
        if (map->element_strides[i] == 0) map->element_strides[i] = 1;
    }
    if (first_spatial == 1) map->element_strides[0] = 1;
    for (uint64_t i = 0; i + 1 < map->rank; i++) {
        uint64_t below_B = i > 0 ? map->strides_B[i - 1] * map->dims_el[i] : map->dims_el[0] * 16;
        map->strides_B[i] = below_B + 16 * (uint64_t)between(random, 0, 1);
    }
}

/* im2col and im2col_w, with paddings, offsets and steps; the channels may start before the tensor or end after it. */
static void random_column(tmap_random *random, tmap_map_params *map, tmap_copy_params *copy) {
    *map = tmap_map_params_tiled(tmap_random_next(random) % 2 ? TMAP_TYPE_U16 : TMAP_TYPE_U8,
                                 (uint64_t)between(random, 3, 5));
    bool slices = tmap_random_next(random) % 4 == 0, wide = !slices && tmap_random_next(random) % 4 == 0;
    map->mode = wide ? TMAP_MODE_IM2COL_W : TMAP_MODE_IM2COL;
    map->interleave = slices ? TMAP_INTERLEAVE_16B : TMAP_INTERLEAVE_NONE;
    map->swizzle = wide ? TMAP_SWIZZLE_64B : TMAP_SWIZZLE_NONE;
    int first_spatial = slices ? 0 : 1, spatial_n = wide ? 1 : (int)map->rank - 2;
    random_sizes(random, first_spatial, map);
    map->channels_per_pixel = 16 * (uint64_t)between(random, 1, 2);
    bool near = tmap_random_next(random) % 2; /* all data, or nearly */
    map->pixels_per_column = (uint64_t)between(random, 1, near ? 12 : 40);
    *copy = (tmap_copy_params){.op = TMAP_OP_LOAD, .at_n = (int)map->rank, .shared = 1024};
    for (uint64_t i = 0; i < map->rank; i++) copy->at[i] = near ? between(random, 0, 1) : between(random, -1, 3);
    if (!slices) copy->at[0] = near ? 0 : 16 * between(random, -1, 2);
    if (near && !slices) map->dims_el[0] = 32;
    for (int i = 0; i < spatial_n; i++) {
        int64_t size = (int64_t)map->dims_el[first_spatial + i], lower = between(random, near ? 0 : -2, 1);
        int64_t upper = between(random, lower - size + 1 > -2 ? lower - size + 1 : -2, near ? 1 : 2);
        map->lower_corner[i] = lower, map->upper_corner[i] = upper < lower - size + 1 ? lower - size + 1 : upper;
        copy->at[first_spatial + i] = between(random, lower, size + map->upper_corner[i] - 1);
        copy->offsets[i] = wide ? 0 : between(random, 0, near ? 1 : 2);
    }
    if (wide) copy->w_offset = (uint64_t)between(random, 0, 2);
}

static void random_tile(tmap_random *random, tmap_map_params *map, tmap_copy_params *copy) {
    *map = tmap_map_params_tiled(TMAP_TYPE_U16, (uint64_t)between(random, 1, 4));
    bool slices = map->rank > 2 && tmap_random_next(random) % 2;
    map->interleave = slices ? TMAP_INTERLEAVE_16B : TMAP_INTERLEAVE_NONE;
    random_sizes(random, slices ? 0 : 1, map);
    *copy = (tmap_copy_params){.op = TMAP_OP_LOAD, .at_n = (int)map->rank, .shared = 1024};
    for (uint64_t i = 0; i < map->rank; i++) {
        uint64_t unit = i == 0 && !slices ? 8 : 1;
        map->box_el[i] = unit * (uint64_t)between(random, 1, 4);
        copy->at[i] = (int64_t)unit * between(random, -3, 4);
    }
    if (map->rank != 2 || slices || tmap_random_next(random) % 2) return;
    copy->op = TMAP_OP_GATHER4;
    copy->column = copy->at[0];
    map->box_el[1] = map->element_strides[1] = 1;
    bool equal = tmap_random_next(random) % 2;
    int64_t step = between(random, -1, 1);
    for (int i = 0; i < 4; i++)
        copy->rows[i] = i > 0 && equal ? copy->rows[i - 1] + step : between(random, -1, (int64_t)map->dims_el[1]);
}

/* Returns false if the rules refuse the copy, or if its box is large. */
static bool random_copy(tmap_random *random, tmap_copy *copy) {
    tmap_map_params map_params;
    tmap_copy_params params;
    tmap_map map;
    uint64_t kind = tmap_random_between(random, 0, 5);
    if (kind < 3) {
        random_column(random, &map_params, &params);
    } else if (kind < 5) {
        random_tile(random, &map_params, &params);
    } else {
        tmap_random_map(random, true, &map_params);
        tmap_random_copy(random, &map_params, &params);
    }
    return map_params.mode != TMAP_MODE_LINEAR && tmap_map_init(&map, &map_params, NULL, NULL) == TMAP_OK &&
           tmap_copy_init(copy, &map, &params, NULL, NULL) == TMAP_OK && copy->footprint_B <= BOX_MAX_B &&
           (copy->op->to_shared || copy->op->to_global) &&
           !(copy->op->to_global && copy->readings[TMAP_ALTERNATIVE_STORE_PARTIAL_UNIT]);
}

/* ---- The units of the box, painted ------------------------------------------------------------------------------ */

/* A unit of the box, at its first byte. */
typedef struct unit_of_box {
    uint64_t global_B, index; /* the index only at the start of a row of data */
    unsigned fills_n, data_n;
    bool starts_row;
} unit_of_box;

static unit_of_box units[BOX_MAX_B];

typedef struct block_painter {
    const tmap_copy *copy;
    const tmap_block_choice *choice;
    unsigned data_n, fills_n; /* blocks */
} block_painter;

static void paint_fill(uint32_t at, uint32_t size, uint32_t pitch_B) {
    for (uint32_t i = 0; i < size; i += pitch_B) {
        assert_int_equal(units[at + i].data_n, 0);
        units[at + i].fills_n++;
    }
}

static void paint_row(const block_painter *p, const tmap_block *block, uint32_t at, uint64_t global_B, uint64_t index) {
    const tmap_unit *unit = &p->copy->unit;
    units[at].starts_row = true;
    units[at].index = index;
    for (uint32_t i = 0; i < block->units_n; i++) {
        units[at + i * unit->pitch_B].global_B = global_B + p->choice->origin_B + (uint64_t)i * unit->global_B;
        units[at + i * unit->pitch_B].data_n++;
    }
    paint_fill(at - block->before_B, block->before_B, unit->pitch_B);
    paint_fill(at + block->units_n * unit->pitch_B, block->after_B, unit->pitch_B);
}

/* Loops that continue each other are joined, and a loop of one step has no other loop beside it. */
static void check_loops(const tmap_block *block) {
    assert_in_range(block->loops_n, 1, TMAP_LOOPS_MAX);
    for (int i = 1; i < block->loops_n; i++) {
        const tmap_loop *in = &block->loops[i - 1], *out = &block->loops[i];
        assert_true(in->n > 1 && out->n > 1);
        assert_false(in->n * in->at_step == out->at_step && in->n * in->global_step == out->global_step &&
                     in->n * in->index_step == out->index_step);
    }
}

static void paint(void *context, const tmap_block *block) {
    block_painter *p = context;
    const tmap_loop *loop = &block->loops[0];
    check_loops(block);
    *(block->fill ? &p->fills_n : &p->data_n) += 1;
    if (block->fill) {
        assert_true(p->choice->fills && block->loops_n == 1 && (block->before_B | block->after_B) == 0);
        for (uint32_t i = 0; i < loop->n; i++)
            paint_fill(block->at + i * loop->at_step, p->copy->inner_B, p->copy->unit.pitch_B);
    } else if (block->named_rows) {
        assert_int_equal(loop->n, __builtin_popcount(block->named_rows));
        for (uint32_t i = 0; i < 4; i++)
            if (block->named_rows >> i & 1)
                paint_row(p, block, block->at + i * loop->at_step,
                          block->global_B + (uint64_t)block->named[i] * loop->global_step,
                          block->index + (uint64_t)block->named[i] * loop->index_step);
    } else {
        tmap_place_of_rows place = tmap_first_place(block);
        do {
            for (uint32_t i = 0; i < loop->n; i++)
                paint_row(p, block, place.at + i * loop->at_step, place.global_B + i * loop->global_step,
                          place.index + i * loop->index_step);
        } while (tmap_next_place(block, &place));
    }
}

/* A tile has at most one block of data, and at most one block of fill before it and one after it. The same holds for
 * four rows that are inside the tensor and equally far apart. */
static void check_counts(const block_painter *p) {
    const tmap_copy *copy = p->copy;
    const int64_t *rows = copy->params.rows;
    int64_t step = rows[1] - rows[0];
    if (tmap_copy_is_im2col(copy)) return;
    assert_true(p->fills_n <= 2);
    bool equal = rows[2] - rows[1] == step && rows[3] - rows[2] == step;
    for (int i = 0; i < 4; i++) equal &= (uint64_t)rows[i] < copy->map.params.dims_el[1];
    if (!copy->op->four_rows || equal) assert_true(p->data_n <= 1);
}

/* Whether the data of a tile are whole steps of its outermost dimension, with fill at the ends of rows at most. */
static bool is_in_steps(const tmap_copy *copy, const tmap_block_choice *choice) {
    int outer = copy->rank - 1;
    if (tmap_copy_is_im2col(copy) || copy->op->four_rows) return false;
    while (outer > 0 && copy->counts[outer] == 1) outer--;
    for (int i = 0; i == 0 || i < outer; i++) {
        bool edges = i == 0 && choice->edges && copy->map.params.element_strides[0] == 1;
        if (!edges && (copy->inside_first[i] != 0 || copy->inside_end[i] != copy->counts[i])) return false;
    }
    return true;
}

/* The number of the element in the tensor, packed without gaps. */
static uint64_t index_of(const tmap_copy *copy, const oracle_map *map, const oracle_element *e) {
    uint64_t index = 0, elements = map->slice_B ? map->slice_B * 8 / (uint64_t)copy->map.type->bits : 1;
    for (int i = map->rank - 1; i >= 0; i--) index = index * map->size[i] + (uint64_t)e->at[i];
    return index * elements;
}

/* Whether the pixel box is inside the image at the offsets. A column of 128 pixels with halos is filled first. */
static bool is_inside(const oracle_map *map, const oracle_copy *copy) {
    bool inside = map->mode != ORACLE_IM2COL_W128;
    for (int i = 0; map->mode != ORACLE_TILED && i < 3; i++) {
        int64_t offset = map->mode == ORACLE_IM2COL ? copy->offsets[i] : i == 0 ? (int64_t)copy->w_offset : 0;
        inside &= map->lower[i] + offset >= 0 && map->upper[i] + offset <= 0;
    }
    return inside;
}

static oracle_copy oracle_of(const tmap_copy *copy) {
    oracle_copy same = oracle_copy_of(&copy->params);
    same.batch_by_one = copy->readings[TMAP_ALTERNATIVE_IM2COL_BATCH_STEP];
    same.halos_grouped = copy->readings[TMAP_ALTERNATIVE_IM2COL_W128_HALO];
    return same;
}

static void check_copy(const tmap_copy *copy, const tmap_block_choice *choice) {
    oracle_map map = oracle_map_of(&copy->map.params);
    oracle_copy same = oracle_of(copy);
    uint64_t counts[ORACLE_RANK_MAX], n, inside_n = 0, fills_n = 0, data_n = 0;
    oracle_element *elements = oracle_elements(&map, &same, &n);
    assert_non_null(elements);
    oracle_counts(&map, &same, counts);
    memset(units, 0, sizeof *units * copy->footprint_B);
    bool in_steps = is_in_steps(copy, choice);
    block_painter painter = {.copy = copy, .choice = choice};
    tmap_each_block(copy, choice, paint, &painter);
    check_counts(&painter);
    for (uint64_t i = 0; i < n; i++) {
        const oracle_element *e = &elements[i];
        if (i % counts[0] % copy->unit.values != 0) continue; /* not the first of its unit */
        const unit_of_box *unit = &units[e->box_bit / 8];
        assert_int_equal(unit->data_n, e->inside);
        assert_true(!e->inside || unit->global_B == e->global_B);
        assert_true(!e->inside || !unit->starts_row || unit->index == (choice->indices ? index_of(copy, &map, e) : 0));
        assert_true(!choice->fills || e->inside || unit->fills_n > 0);
        assert_true(unit->fills_n <= 1 || choice->edges);
        assert_true(!e->inside || unit->fills_n == 0 || !in_steps);
        inside_n += e->inside;
    }
    for (uint32_t i = 0; i < copy->footprint_B; i++) fills_n += units[i].fills_n, data_n += units[i].data_n;
    assert_int_equal(data_n, inside_n);
    if (inside_n * copy->unit.values == n && is_inside(&map, &same)) assert_int_equal(fills_n, 0);
    free(elements);
}

/* The extent begins with the first byte of data, and ends with the last. */
static void check_extent(const tmap_copy *copy, const oracle_element *elements, uint64_t n, uint64_t element_B) {
    uint64_t first_B = UINT64_MAX, end_B = 0, inside_n = 0;
    for (uint64_t i = 0; i < n; i++) {
        const oracle_element *e = &elements[i];
        if (!e->inside) continue;
        if (e->global_B < first_B) first_B = e->global_B;
        if (e->global_B + element_B > end_B) end_B = e->global_B + element_B;
        inside_n++;
    }
    tmap_extent extent = tmap_copy_extent(copy);
    assert_int_equal(extent.data_B, inside_n * element_B);
    if (inside_n == 0) return;
    assert_int_equal(extent.first_B, first_B);
    assert_int_equal(extent.end_B, end_B);
    tmap_extent later = tmap_copy_extent_from(copy, first_B / 2); /* of a memory that starts inside the tensor */
    assert_int_equal(later.first_B, first_B - first_B / 2);
    assert_int_equal(later.end_B, end_B - first_B / 2);
    assert_int_equal(later.data_B, extent.data_B);
}

/* The runs of a walk paint every unit of the box once, data and fill apart. */
static void check_walk(const tmap_copy *copy) {
    oracle_map map = oracle_map_of(&copy->map.params);
    oracle_copy same = oracle_of(copy);
    uint64_t counts[ORACLE_RANK_MAX], n;
    oracle_element *elements = oracle_elements(&map, &same, &n);
    block_painter painter = {.copy = copy, .choice = &(tmap_block_choice){.fills = true}};
    tmap_walk walk;
    tmap_run run;
    assert_non_null(elements);
    oracle_counts(&map, &same, counts);
    memset(units, 0, sizeof *units * copy->footprint_B);
    memset(&walk, 0xcd, sizeof walk);
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);)
        for (uint32_t i = 0; i < run.rows_n; i++) {
            const tmap_block row = {.units_n = run.units_n};
            assert_true(run.units_n > 0);
            uint32_t at = (uint32_t)(run.box_B + i * run.box_step_B);
            if (run.kind == TMAP_RUN_DATA)
                paint_row(&painter, &row, at, run.global_B + i * run.global_step_B, 0);
            else
                paint_fill(at, run.units_n * copy->unit.pitch_B, copy->unit.pitch_B);
        }
    for (uint64_t i = 0; i < n; i++) {
        const oracle_element *e = &elements[i];
        if (i % counts[0] % copy->unit.values != 0) continue;
        const unit_of_box *unit = &units[e->box_bit / 8];
        assert_true(unit->data_n == e->inside && unit->fills_n == !e->inside);
        assert_true(!e->inside || unit->global_B == e->global_B);
    }
    if (oracle_element_bits(&map) % 8 == 0) check_extent(copy, elements, n, oracle_element_bits(&map) / 8);
    free(elements);
}

TEST(blocks_paint_the_box) {
    unsigned cases_n = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        tmap_random random = {.state = i * 0x9e3779b97f4a7c15};
        tmap_copy copy;
        if (!random_copy(&random, &copy)) continue;
        const tmap_block_choice choices[] = {
            {.fills = true},
            {.fills = true, .edges = true, .indices = true, .origin_B = 16},
            {.origin_B = UINT64_MAX - 15, .named = true},
        };
        for (size_t c = 0; c < COUNT(choices); c++) check_copy(&copy, &choices[c]);
        check_walk(&copy);
        cases_n++;
    }
    assert_true(cases_n > CASES / 2);
}
