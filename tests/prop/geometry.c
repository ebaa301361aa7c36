/* Compares the places of elements: three functions of the library, and the oracle. */
#include "prop/checks.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

check_case check_case_of(const tmap_copy *copy) {
    check_case c = {.copy = *copy};
    c.map = oracle_map_of(&copy->map.params);
    c.oracle = oracle_copy_of(&copy->params);
    c.oracle.whole_units = copy->readings[TMAP_ALTERNATIVE_STORE_PARTIAL_UNIT];
    c.oracle.batch_by_one = copy->readings[TMAP_ALTERNATIVE_IM2COL_BATCH_STEP];
    c.oracle.halos_grouped = copy->readings[TMAP_ALTERNATIVE_IM2COL_W128_HALO];
    if (copy->readings[TMAP_ALTERNATIVE_STRIDE_HIGH_BITS])
        for (int i = 1; i < ORACLE_RANK_MAX; i++) c.map.stride[i] &= (UINT64_C(1) << 36) - 1;
    if (copy->readings[TMAP_ALTERNATIVE_REDUCE_F32_SUBNORMALS]) c.map.number = ORACLE_SINGLE_FTZ;
    oracle_counts(&c.map, &c.oracle, c.counts);
    c.elements = oracle_elements(&c.map, &c.oracle, &c.elements_n);
    uint64_t data_bits = 0;
    for (uint64_t n = 0; c.elements && n < c.elements_n; n++) {
        oracle_element element = c.elements[n];
        if (!element.inside) continue;
        uint64_t bits = oracle_element_bits(&c.map);
        uint64_t first_B = element.global_B, last_B = first_B + (element.global_bit + bits - 1) / 8;
        if (data_bits == 0 || first_B < c.first_B) c.first_B = first_B;
        if (last_B == UINT64_MAX) last_B--; /* an extent that contains the last byte ends at 2^64 - 1 */
        if (last_B + 1 > c.end_B) c.end_B = last_B + 1;
        data_bits += bits;
    }
    c.data_B = data_bits / 8;
    return c;
}

void check_case_end(check_case *c) {
    free(c->elements);
    c->elements = NULL;
}

char *check_coordinates(char *text, size_t size, const int64_t *at, int rank) {
    size_t used = 0;
    for (int i = 0; i < rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, i == 0 ? "(" : ", ", at[i]);
    if (used < size) snprintf(text + used, size - used, ")");
    return text;
}

/* Fails with the two numbers unless they are equal. */
static bool equal(prop_failure *failure, const char *what, const int64_t *index, int rank, uint64_t actual,
                  uint64_t expected) {
    char text[128];
    if (actual == expected) return true;
    return prop_fail(failure,
                     "element %s of the box: %s is %" PRIu64 " (0x%" PRIx64 "), expected %" PRIu64 " (0x%" PRIx64 ")",
                     check_coordinates(text, sizeof text, index, rank), what, actual, actual, expected, expected);
}

typedef struct element_index {
    uint64_t wide[ORACLE_RANK_MAX];
    uint32_t narrow[TMAP_RANK_MAX];
    int64_t shown[TMAP_RANK_MAX];
} element_index;

static element_index index_of(const check_case *c, uint64_t n) {
    element_index index;
    oracle_index(c->counts, n, index.wide);
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        index.narrow[i] = (uint32_t)index.wide[i];
        index.shown[i] = (int64_t)index.wide[i];
    }
    return index;
}

/* ---- The closed form and the oracle --------------------------------------------------------------------------- */

static bool check_place(const check_case *c, uint64_t n, const tmap_place *place, prop_failure *failure) {
    element_index index = index_of(c, n);
    oracle_element expected = c->elements[n];
    uint64_t shared = oracle_swizzled(c->map.swizzle, c->oracle.shared, expected.box_bit / 8);
    const int64_t *shown = index.shown;
    int rank = c->map.rank;
    for (int i = 0; i < rank; i++)
        if (!equal(failure, "locate's coordinate", shown, rank, (uint64_t)place->at[i], (uint64_t)expected.at[i]))
            return false;
    if (place->inside && !equal(failure, "locate's global offset", shown, rank, place->global_B, expected.global_B))
        return false;
    return equal(failure, "locate's inside", shown, rank, place->inside, expected.inside) &&
           equal(failure, "locate's box offset", shown, rank, place->box_B, expected.box_bit / 8) &&
           equal(failure, "locate's shared address", shown, rank, place->shared, shared) &&
           equal(failure, "locate's line", shown, rank, place->line, shared / 128) &&
           equal(failure, "locate's unit", shown, rank, place->unit, shared / 16 % 8) &&
           equal(failure, "locate's bank", shown, rank, place->bank, shared / 4 % 32);
}

/* Whether tmap_map_locate covers the copy: only loads without further operands. */
static bool plain_load(const check_case *c) {
    const oracle_copy *o = &c->oracle;
    bool offsets = o->offsets[0] || o->offsets[1] || o->offsets[2];
    return o->op == ORACLE_LOAD && !offsets && !o->w_halo && !o->w_offset && !o->batch_by_one;
}

static bool check_places(const check_case *c, prop_failure *failure) {
    for (uint64_t n = 0; n < c->elements_n; n++) {
        element_index index = index_of(c, n);
        tmap_place place;
        tmap_copy_locate(&c->copy, index.narrow, &place);
        if (!check_place(c, n, &place, failure)) return false;
        if (!plain_load(c)) continue;
        tmap_map_locate(&c->copy.map, c->copy.params.at, c->copy.params.shared, index.narrow, &place);
        if (!check_place(c, n, &place, failure)) return false;
    }
    return true;
}

/* ---- The walk ------------------------------------------------------------------------------------------------- */

static uint64_t number_of(const check_case *c, const uint32_t index[TMAP_RANK_MAX]) {
    uint64_t n = 0, before = 1;
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        if (index[i] >= c->counts[i]) return UINT64_MAX;
        n += index[i] * before;
        before *= c->counts[i];
    }
    return n;
}

/* Checks that the walk visits the values of a unit, from number n on, for the first time. */
static bool check_visits(const check_case *c, uint64_t n, uint8_t *seen, prop_failure *failure) {
    uint64_t values_n = c->copy.unit.values;
    if (n == UINT64_MAX || n + values_n > c->elements_n) return prop_fail(failure, "the walk leaves the box");
    for (uint64_t i = n; i < n + values_n; i++) {
        element_index index = index_of(c, i);
        if (!equal(failure, "visits by the walk, before this one,", index.shown, c->map.rank, seen[i]++, 0))
            return false;
    }
    return true;
}

/* Unit `unit` of row `row` of the run is at the place that the closed form computes. */
static bool check_unit(const check_case *c, const tmap_run *run, uint32_t row, uint32_t unit, const uint32_t *index,
                       prop_failure *failure) {
    const tmap_unit *by = &c->copy.unit;
    int rank = c->map.rank;
    int64_t shown[TMAP_RANK_MAX];
    for (int i = 0; i < TMAP_RANK_MAX; i++) shown[i] = index[i];
    tmap_place place;
    tmap_copy_locate(&c->copy, index, &place);
    for (int i = 0; i < rank && row == 0; i++) {
        uint64_t step = c->map.mode == ORACLE_TILED && c->map.slice_B ? c->map.step[0] : 1;
        int64_t at = run->at[i] + (i == 0 ? (int64_t)(unit * by->values * step) : 0);
        if (!equal(failure, "the run's coordinate", shown, rank, (uint64_t)at, (uint64_t)place.at[i])) return false;
    }
    uint64_t global_B = run->global_B + row * run->global_step_B + (uint64_t)unit * by->global_B;
    uint64_t box_B = run->box_B + (uint64_t)row * run->box_step_B + (uint64_t)unit * by->pitch_B;
    if (place.inside && !equal(failure, "the run's global offset", shown, rank, global_B, place.global_B)) return false;
    return equal(failure, "the run's kind", shown, rank, run->kind == TMAP_RUN_DATA, place.inside) &&
           equal(failure, "the run's box offset", shown, rank, box_B, place.box_B);
}

/* ---- Lines ---------------------------------------------------------------------------------------------------- */

static bool check_line(const check_case *c, const tmap_run *run, const tmap_line *line, uint8_t *covered,
                       prop_failure *failure) {
    uint64_t row_B = (uint64_t)run->units_n * c->copy.unit.pitch_B;
    if (line->line_address % TMAP_LINE_B != 0 || line->first_B + line->size_B > TMAP_LINE_B ||
        line->row >= run->rows_n || line->row_B + line->size_B > row_B || line->size_B == 0)
        return prop_fail(failure,
                         "a line of %" PRIu32 " bytes from %" PRIu32 " in row %" PRIu32 " is not a line of its run",
                         line->size_B, line->first_B, line->row);
    for (uint32_t i = 0; i < line->size_B; i++) {
        uint64_t in_box = run->box_B + (uint64_t)line->row * run->box_step_B + line->row_B + i;
        uint64_t expected = oracle_swizzled(c->map.swizzle, c->oracle.shared, in_box);
        uint64_t actual = line->line_address + ((line->first_B + i) ^ line->mask);
        if (actual != expected)
            return prop_fail(failure,
                             "byte %" PRIu64 " of the box: its line puts it at 0x%" PRIx64 ", expected 0x%" PRIx64,
                             in_box, actual, expected);
        covered[line->row * row_B + line->row_B + i]++;
    }
    return true;
}

static bool check_lines(const check_case *c, const tmap_run *run, prop_failure *failure) {
    uint64_t size = (uint64_t)run->units_n * c->copy.unit.pitch_B * run->rows_n;
    uint8_t *covered = calloc(size, 1);
    if (!covered) return prop_fail(failure, "out of memory");
    tmap_lines lines;
    tmap_line line;
    bool good = true;
    for (tmap_lines_begin(&lines, &c->copy, run); good && tmap_lines_next(&lines, &line);)
        good = check_line(c, run, &line, covered, failure);
    for (uint64_t i = 0; good && i < size; i++)
        if (covered[i] != 1) good = prop_fail(failure, "byte %" PRIu64 " of a run is in %d lines", i, covered[i]);
    free(covered);
    return good;
}

static bool check_run(const check_case *c, const tmap_run *run, uint8_t *seen, prop_failure *failure) {
    for (uint32_t row = 0; row < run->rows_n; row++)
        for (uint32_t unit = 0; unit < run->units_n; unit++) {
            uint32_t index[TMAP_RANK_MAX] = {0};
            for (int i = 0; i < TMAP_RANK_MAX; i++) index[i] = run->index[i];
            index[0] += unit * c->copy.unit.values;
            index[1] += row;
            if (!check_visits(c, number_of(c, index), seen, failure) || !check_unit(c, run, row, unit, index, failure))
                return false;
        }
    return check_lines(c, run, failure);
}

static bool check_walk(const check_case *c, uint8_t *seen, prop_failure *failure) {
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, &c->copy); tmap_walk_next(&walk, &run);)
        if (!check_run(c, &run, seen, failure)) return false;
    for (uint64_t n = 0; n < c->elements_n; n++) {
        element_index index = index_of(c, n);
        if (!equal(failure, "visits by the walk", index.shown, c->map.rank, seen[n], 1)) return false;
    }
    return true;
}

static bool check_extent(const check_case *c, prop_failure *failure) {
    tmap_extent extent = tmap_copy_extent(&c->copy);
    if (extent.data_B != c->data_B)
        return prop_fail(failure, "extent: %" PRIu64 " bytes of data, expected %" PRIu64, extent.data_B, c->data_B);
    if (c->data_B == 0 ? extent.first_B == extent.end_B : extent.first_B == c->first_B && extent.end_B == c->end_B)
        return true;
    return prop_fail(failure, "extent: [%" PRIu64 ", %" PRIu64 "), expected [%" PRIu64 ", %" PRIu64 ")", extent.first_B,
                     extent.end_B, c->first_B, c->end_B);
}

bool check_geometry(const check_case *c, prop_failure *failure) {
    if (!check_places(c, failure)) return false;
    uint8_t *seen = calloc(c->elements_n, 1);
    if (!seen) return prop_fail(failure, "out of memory");
    bool good = check_walk(c, seen, failure);
    free(seen);
    return good && check_extent(c, failure);
}
