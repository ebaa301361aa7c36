/*
 * The contents of a byte: the closed form (map/locate.c) solved for the element. In shared memory, undo the swizzle,
 * then divide. In global memory, search the runs of the copy one by one: this works for every mode.
 */
#include "base/wide.h"
#include "tmap/unstable/walk.h"

#include <string.h>

/* The values of a unit that have bits in byte `byte` of the unit. A value has value_bits bits; values start `spacing`
 * bits apart. */
static void split_byte(const tmap_unit *unit, uint32_t byte, uint32_t spacing, tmap_byte *found) {
    uint32_t begin = 8 * byte, end = begin + 8;
    for (uint32_t value = begin / spacing; value < unit->values && value * spacing < end; value++) {
        uint32_t first = value * spacing, last = first + unit->value_bits;
        if (first < begin) first = begin;
        if (last > end) last = end;
        if (first >= last) continue;
        found->parts[found->parts_n++] = (tmap_byte_part){.index = {value},
                                                          .byte_bit = first - begin,
                                                          .bits_n = last - first,
                                                          .element_bit = first - value * spacing};
    }
}

/* Converts the parts to elements of the box: values of the unit from element `first` on. Drops those after the row. */
static void place_parts(const tmap_copy *copy, const uint32_t first[TMAP_RANK_MAX], tmap_byte *found) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found->parts_n; i++) {
        tmap_byte_part part = found->parts[i];
        tmap_place place;
        uint32_t value = part.index[0];
        memcpy(part.index, first, sizeof part.index);
        part.index[0] += value;
        if (part.index[0] >= copy->counts[0]) continue;
        tmap_copy_locate(copy, part.index, &place);
        memcpy(part.at, place.at, sizeof part.at);
        found->parts[kept++] = part;
    }
    found->parts_n = kept;
    found->kind = kept > 0 ? TMAP_BYTE_ELEMENT : TMAP_BYTE_GAP;
}

tmap_byte tmap_copy_shared_byte(const tmap_copy *copy, uint64_t address) {
    tmap_byte found = {.kind = TMAP_BYTE_OUTSIDE};
    const tmap_unit *unit = &copy->unit;
    uint64_t box_B = (address ^ tmap_swizzle_mask(copy->map.swizzle, address)) - copy->params.shared;
    if (box_B >= copy->footprint_B) return found;
    uint32_t row = (uint32_t)box_B / copy->pitch_B, in_row = (uint32_t)box_B % copy->pitch_B;
    uint32_t first[TMAP_RANK_MAX] = {in_row / unit->pitch_B * unit->values};
    for (int dim = 1; dim < TMAP_RANK_MAX; dim++) {
        first[dim] = row % copy->counts[dim];
        row /= copy->counts[dim];
    }
    if (row == 0) /* the footprint ends with the swizzle's span, past the last row */
        split_byte(unit, in_row % unit->pitch_B, unit->shared_value_bits, &found);
    place_parts(copy, first, &found);
    return found;
}

/* ---- Global memory: the box ---- */

/* The first row of the run, from `row` on, that contains the byte `past` bytes after the start of the run's first row.
 * *in_row: the offset of the byte in that row. */
static bool find_row(const tmap_run *run, uint64_t row_B, uint64_t past, uint32_t *row, uint64_t *in_row) {
    uint64_t step = run->global_step_B;
    if (step > 0 && past >= row_B && (past - row_B) / step + 1 > *row) {
        uint64_t least = (past - row_B) / step + 1;
        *row = least < run->rows_n ? (uint32_t)least : run->rows_n;
    }
    uint64_t way = *row * step; /* below 2^51: a run has at most 1280 rows, a stride 40 bits */
    *in_row = past - way;
    return *row < run->rows_n && past >= way && *in_row < row_B;
}

/* The first run that contains the byte sets the element; a further run sets only the flag for more elements. */
static void visit_run(const tmap_copy *copy, const tmap_run *run, uint64_t offset_B, tmap_byte *found) {
    const tmap_unit *unit = &copy->unit;
    uint64_t row_B = (uint64_t)run->units_n * unit->global_B, past = offset_B - run->global_B, in_row;
    uint32_t row = 0, first[TMAP_RANK_MAX];
    if (!find_row(run, row_B, past, &row, &in_row)) return;
    found->more = found->kind == TMAP_BYTE_ELEMENT;
    if (found->more) return;
    memcpy(first, run->index, sizeof first);
    first[0] += (uint32_t)(in_row / unit->global_B) * unit->values;
    first[1] += row;
    split_byte(unit, (uint32_t)(in_row % unit->global_B), unit->value_bits, found);
    place_parts(copy, first, found);
    row++;
    found->more = find_row(run, row_B, past, &row, &in_row);
}

/* ---- Global memory: the tensor ---- */

/* With strides that overlap, a search has to try several multiples of each stride. */
enum { SEARCH_STEPS_MAX = 1 << 20 };

typedef struct tensor_search {
    const tmap_map_params *params;
    int order[TMAP_RANK_MAX - 1];  /* dimensions 1 and up, the largest stride first */
    uint64_t reach[TMAP_RANK_MAX]; /* farthest byte of the dimensions from order[i] on; the last entry: of a row */
    int levels, steps;
    uint64_t row_B, in_row;
    int64_t at[TMAP_RANK_MAX];
} tensor_search;

static uint64_t stride_of(const tmap_map_params *params, int dim) {
    return params->strides_B[dim - 1];
}

static void search_begin(tensor_search *s, const tmap_copy *copy) {
    const tmap_map_params *params = &copy->map.params;
    uint64_t row_bits = tmap_mul_saturate(params->dims_el[0], copy->unit.value_bits);
    *s = (tensor_search){.params = params, .levels = (int)params->rank - 1, .row_B = tmap_ceil_div(row_bits, 8)};
    for (int i = 0; i < s->levels; i++) {
        int at = i;
        for (; at > 0 && stride_of(params, s->order[at - 1]) < stride_of(params, i + 1); at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = i + 1;
    }
    s->reach[s->levels] = s->row_B - 1;
    for (int i = s->levels - 1; i >= 0; i--) {
        uint64_t stretch = tmap_mul_saturate(params->dims_el[s->order[i]] - 1, stride_of(params, s->order[i]));
        s->reach[i] = tmap_add_saturate(s->reach[i + 1], stretch);
    }
}

/* Finds the coordinates of the dimensions from order[level] on that lead to the byte `left` bytes farther. */
static bool search(tensor_search *s, int level, uint64_t left) { /* NOLINT(misc-no-recursion): as deep as the rank */
    if (left > s->reach[level] || s->steps >= SEARCH_STEPS_MAX) return false;
    if (level == s->levels) {
        s->in_row = left;
        return true;
    }
    int dim = s->order[level];
    uint64_t stride = stride_of(s->params, dim), last = s->params->dims_el[dim] - 1, rest = s->reach[level + 1];
    uint64_t most = stride > 0 && left / stride < last ? left / stride : stride > 0 ? last : 0;
    uint64_t least = stride > 0 && left > rest ? tmap_ceil_div(left - rest, stride) : 0;
    for (uint64_t c = most + 1; c-- > least && s->steps < SEARCH_STEPS_MAX; s->steps++) {
        s->at[dim] = (int64_t)c;
        if (search(s, level + 1, left - c * stride)) return true;
    }
    return false;
}

static void find_in_tensor(const tmap_copy *copy, uint64_t offset_B, tmap_byte *found) {
    tensor_search s;
    const tmap_unit *unit = &copy->unit;
    search_begin(&s, copy);
    if (offset_B > s.reach[0]) return;
    if (!search(&s, 0, offset_B)) {
        found->kind = s.steps >= SEARCH_STEPS_MAX ? TMAP_BYTE_UNKNOWN : TMAP_BYTE_GAP;
        return;
    }
    split_byte(unit, (uint32_t)(s.in_row % unit->global_B), unit->value_bits, found);
    for (uint32_t i = 0; i < found->parts_n; i++) {
        tmap_byte_part *part = &found->parts[i];
        memcpy(part->at, s.at, sizeof part->at);
        part->at[0] = (int64_t)(s.in_row / unit->global_B * unit->values + part->index[0]);
        part->index[0] = 0;
    }
    found->kind = TMAP_BYTE_TENSOR;
}

tmap_byte tmap_copy_global_byte(const tmap_copy *copy, uint64_t offset_B) {
    tmap_byte found = {.kind = TMAP_BYTE_OUTSIDE};
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, copy); !found.more && tmap_walk_next(&walk, &run);)
        if (run.kind == TMAP_RUN_DATA) visit_run(copy, &run, offset_B, &found);
    if (found.kind == TMAP_BYTE_OUTSIDE) find_in_tensor(copy, offset_B, &found);
    return found;
}
