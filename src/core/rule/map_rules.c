/* Rules of the tensor in global memory: mode, rank, address, dims, strides, allocation. */
#include <inttypes.h>
#include <string.h>

#include "params/allocation.h"
#include "rule/comparisons.h"
#include "rule/finding.h"
#include "rule/rules.h"

void tmap_judge_mode(tmap_trial *trial) {
    if (trial->mode) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_MODE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_word number = tmap_number((int)trial->map->mode);
    tmap_say_message(d, "mode is %s, which is undefined", number.text);
    TMAP_SAY(d->given, "%s", number.text);
    TMAP_SAY(d->allowed, "0 to %d: tiled, im2col, im2col_w, im2col_w128, linear", TMAP_MODE_COUNT - 1);
    tmap_fix_say(d, TMAP_FIELD_MODE, -1, TMAP_MODE_TILED, "or another tmap_mode");
}

void tmap_judge_interleave_rank(tmap_trial *trial) {
    if (trial->map->interleave == TMAP_INTERLEAVE_NONE || trial->map->rank >= 3) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_INTERLEAVE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "interleave %s requires a tensor of rank 3 to 5; this tensor has rank %" PRIu64,
                     trial->interleave->name, trial->map->rank);
    TMAP_SAY(d->given, "rank %" PRIu64, trial->map->rank);
    TMAP_SAY(d->allowed, "rank 3 to 5: w, then h and d if present, channel slice, n");
    tmap_fix_map(trial, d, TMAP_FIELD_INTERLEAVE, -1, TMAP_INTERLEAVE_NONE);
}

/* Notes the part of the map that requires more than the usual 16 bytes of alignment. */
static void note_alignment(const tmap_trial *trial, tmap_diag *d) {
    if (trial->interleave->align_B > TMAP_NARROW_ALIGN_B)
        tmap_say_note(d, TMAP_FIELD_INTERLEAVE, -1, "interleave %s requires 32 B", trial->interleave->name);
    else if (trial->type->align_B > TMAP_NARROW_ALIGN_B && !tmap_trial_narrow(trial))
        tmap_say_note(d, TMAP_FIELD_TYPE, -1, "type %s requires 32 B", trial->type->name);
}

void tmap_judge_address_align(tmap_trial *trial) {
    uint64_t align = tmap_trial_align_B(trial), address = trial->map->address;
    if (!breaks_address_align(trial)) return;
    tmap_archs archs = tmap_trial_refusing(trial, address % TMAP_NARROW_ALIGN_B == 0);
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ADDRESS, -1, archs);
    if (!d) return;
    tmap_word name = tmap_name(trial, TMAP_FIELD_ADDRESS, -1);
    tmap_say_message(d, "%s 0x%" PRIx64 " is not a multiple of %" PRIu64 " B", name.text, address, align);
    TMAP_SAY(d->given, "0x%" PRIx64 ", %" PRIu64 " B past a multiple of %" PRIu64, address, address % align, align);
    TMAP_SAY(d->allowed, "a multiple of %" PRIu64 " B", align);
    uint64_t below = address - address % align;
    tmap_fix_say(d, TMAP_FIELD_ADDRESS, -1, below > UINT64_MAX - align ? below : below + align,
                 "with the tensor moved or copied to that address");
    note_alignment(trial, d);
}

void tmap_judge_address_null(tmap_trial *trial) {
    if (!trial->map->has_address || !breaks_address_null(trial)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ADDRESS, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_word name = tmap_name(trial, TMAP_FIELD_ADDRESS, -1);
    tmap_say_message(d, "%s is null; sources disagree whether drivers accept a null address", name.text);
    tmap_say_values(d, "0", "the address of the tensor");
    TMAP_SAY(d->fix.words,
             "give the address of the tensor, or of any allocation and replace it later; an empty tensor has no map");
}

void tmap_judge_address_canonical(tmap_trial *trial) {
    uint64_t address = trial->map->address;
    if (!breaks_address_canonical(trial)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ADDRESS, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_word name = tmap_name(trial, TMAP_FIELD_ADDRESS, -1);
    tmap_say_message(d,
                     "%s 0x%" PRIx64 " has more than %d bits; a driver on Blackwell rejects 0x4a50000000000000, and "
                     "the limit is not published",
                     name.text, address, ADDRESS_BITS);
    TMAP_SAY(d->given, "0x%" PRIx64, address);
    TMAP_SAY(d->allowed, "at most 0x%" PRIx64, (UINT64_C(1) << ADDRESS_BITS) - 1);
    TMAP_SAY(d->fix.words, "give the address that the allocation returned, without a tag in its top bits");
}

/* A smaller image may invalidate the pixel box; then the corners must change too. */
static void fix_tried_for_pixels(const tmap_trial *trial, tmap_diag *d, int dim, uint64_t size) {
    tmap_map_params smaller = *trial->map;
    smaller.dims_el[dim] = size;
    if (trial->map->mode != TMAP_MODE_TILED) tmap_fix_tried(trial, d, &smaller);
}

void tmap_judge_dim_extent(tmap_trial *trial) {
    int dim = trial->dim;
    uint64_t size = trial->map->dims_el[dim];
    uint64_t most = tmap_trial_since(trial, TMAP_DIM_LIMIT_HALVED_CUDA) ? TMAP_DIM_MAX / 2 : TMAP_DIM_MAX;
    tmap_diag *d = tmap_judge_bounds_finding(trial);
    if (!d) return;
    d->fix = (tmap_fix){0};
    if (size == 0) {
        TMAP_SAY(d->fix.words, "encode no map and skip the launch: the tensor is empty, and a map cannot be empty");
        return;
    }
    tmap_fix_say(d, TMAP_FIELD_DIMS, dim, most, "%sand further maps for the rest",
                 most < TMAP_DIM_MAX ? "the most that CUDA 13.5 documents, " : "");
    fix_tried_for_pixels(trial, d, dim, most);
}

void tmap_judge_dim_extent_13_5(tmap_trial *trial) {
    int dim = trial->dim;
    uint64_t size = trial->map->dims_el[dim], most = (uint64_t)1 << 31;
    if (!breaks_dim_extent_13_5(trial) || !tmap_trial_since(trial, TMAP_DIM_LIMIT_HALVED_CUDA)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_DIMS, dim, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "%s is %" PRIu64 "; CUDA 13.5 documents at most 2^31, earlier releases 2^32",
                     tmap_name_axis(trial, TMAP_FIELD_DIMS, dim).text, size);
    TMAP_SAY(d->given, "%" PRIu64 " elements", size);
    TMAP_SAY(d->allowed, "at most %" PRIu64, most);
    tmap_fix_say(d, TMAP_FIELD_DIMS, dim, most, "and a second map for the rest");
}

void tmap_judge_dim_coordinate(tmap_trial *trial) {
    int dim = trial->dim;
    uint64_t size = trial->map->dims_el[dim], reachable = (uint64_t)INT32_MAX + 1;
    if (!breaks_dim_coordinate(trial) || tmap_trial_since(trial, TMAP_DIM_LIMIT_HALVED_CUDA)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_DIMS, dim, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d,
                     "%s is %" PRIu64 "; coordinates are signed 32-bit, so no box can begin at element 2^31 or later",
                     tmap_name_axis(trial, TMAP_FIELD_DIMS, dim).text, size);
    TMAP_SAY(d->given, "%" PRIu64 " elements", size);
    TMAP_SAY(d->allowed, "at most %" PRIu64 ", so that a box can begin at every element", reachable);
    tmap_fix_say(d, TMAP_FIELD_DIMS, dim, reachable, "and a second map for the rest");
}

/* Users write shapes in NumPy's order. Whether the tensor and its box, dense, are legal in reversed order. */
static bool reversed_is_legal(const tmap_trial *trial) {
    tmap_map_params reversed = *trial->map;
    int last = trial->dims_n - 1;
    for (int i = 0; i <= last; i++) {
        reversed.dims_el[i] = trial->map->dims_el[last - i];
        reversed.box_el[i] = trial->map->box_el[last - i];
        reversed.element_strides[i] = trial->map->element_strides[last - i];
    }
    return tmap_map_params_dense(&reversed) && trial->accepts(trial->judge, &reversed);
}

/* Notes the reversed order once, at the first stride. */
static void note_reversed_dims(const tmap_trial *trial, tmap_diag *d, int dim) {
    bool possible = dim == 1 && !trial->judge->outer_first && trial->map->mode == TMAP_MODE_TILED &&
                    trial->interleave->slice_B == 0 && tmap_map_params_are_dense(trial->map);
    if (!possible || !reversed_is_legal(trial)) return;
    tmap_say_note(d, TMAP_FIELD_DIMS, -1, "the sizes fit in reverse order: list them innermost first%s",
                  trial->judge->names == TMAP_NAMES_SPEC     ? ", or add order: outer_first"
                  : trial->judge->names == TMAP_NAMES_PYTHON ? ", or give order='outer'"
                                                             : "");
}

/* The entries of strides, the smallest stride first. */
static int sorted_strides(const tmap_trial *trial, int order[TMAP_RANK_MAX]) {
    int n = trial->dims_n - 1;
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && trial->map->strides_B[order[at - 1]] > trial->map->strides_B[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return n;
}

#define STRIDE_ALIGN_MOST_B 32 /* of any type and interleave */

/*
 * The nearest aligned strides. No stride becomes shorter than before or shorter than a row. A dimension that started
 * where another ended starts after the padding of that dimension. A dimension of one entry has no end, and a dimension
 * with stride 0 stays a broadcast.
 */
static void padded_strides(const tmap_trial *trial, uint64_t strides[TMAP_RANK_MAX]) {
    uint64_t align = tmap_trial_align_B(trial), row = tmap_trial_row_B(trial), end = row, padded_end = row;
    int order[TMAP_RANK_MAX] = {0}, n = sorted_strides(trial, order);
    for (int i = 0; i < n; i++) {
        int entry = order[i];
        uint64_t stride = trial->map->strides_B[entry], size = trial->map->dims_el[entry + 1], least = stride;
        bool moves = stride != 0 && size > 1;
        if (moves && (stride >= end || stride < row) && least < padded_end) least = padded_end;
        strides[entry] = tmap_round_up(least, align);
        if (!moves) continue;
        uint64_t stops = tmap_mul_saturate(stride, size), padded_stops = tmap_mul_saturate(strides[entry], size);
        if (stops > end) end = stops;
        if (padded_stops > padded_end) padded_end = padded_stops;
    }
}

/* The fix for a row of `size` values that also requires other strides. Returns false if the strides can stay. */
static bool fix_size_and_strides(const tmap_trial *trial, tmap_diag *d, uint64_t size) {
    tmap_map_params fixed = *trial->map;
    tmap_trial of_fixed = *trial;
    uint64_t strides[TMAP_RANK_MAX] = {0};
    bool other = false, fits = trial->map->mode == TMAP_MODE_TILED;
    if (!trial->interleave) return false;
    fixed.dims_el[0] = size;
    of_fixed.map = &fixed;
    if (tmap_map_params_are_dense(trial->map)) tmap_map_params_dense(&fixed);
    uint64_t row = tmap_trial_row_B(&of_fixed), align = tmap_trial_align_B(&of_fixed);
    for (int i = 0; i + 1 < trial->dims_n; i++)
        other |= fixed.dims_el[i + 1] > 1 && (fixed.strides_B[i] < row || fixed.strides_B[i] % align != 0);
    padded_strides(&of_fixed, strides);
    for (int i = 0; i + 1 < trial->dims_n; i++) fits &= strides[i] < TMAP_STRIDE_LIMIT_B;
    if (!other || !fits) return false;
    tmap_fix_set(d, TMAP_FIELD_DIMS, 0, size);
    tmap_fix_list(d, TMAP_FIELD_STRIDES, strides, trial->dims_n - 1);
    TMAP_SAY(d->fix.words, "with a tensor padded to %s", trial->dims_n == 2 ? "this stride" : "these strides");
    return true;
}

void tmap_judge_dim_packed_multiple(tmap_trial *trial) {
    int dim = trial->dim;
    uint64_t multiple = trial->type->dim0_multiple, size = trial->map->dims_el[dim];
    if (!breaks_dim_packed_multiple(trial)) return;
    tmap_archs archs = tmap_trial_refusing(trial, size % TMAP_NARROW_VALUES == 0);
    if (tmap_trial_narrow(trial)) multiple = TMAP_NARROW_VALUES;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_DIMS, dim, archs);
    if (!d) return;
    tmap_say_message(d, "%s is %" PRIu64 "; type %s requires a multiple of %" PRIu64 " values",
                     tmap_name_axis(trial, TMAP_FIELD_DIMS, dim).text, size, trial->type->name, multiple);
    TMAP_SAY(d->given, "%" PRIu64 " value%s", size, size == 1 ? "" : "s");
    TMAP_SAY(d->allowed, "a multiple of %" PRIu64 " values", multiple);
    uint64_t first = size < multiple ? multiple : size / multiple * multiple;
    if (!fix_size_and_strides(trial, d, first)) {
        tmap_fix_around(d, TMAP_FIELD_DIMS, dim, size, multiple, TMAP_DIM_MAX);
        fix_tried_for_pixels(trial, d, dim, first);
    }
    tmap_say_note(d, TMAP_FIELD_TYPE, -1, "type is set here");
}

/* The fix is the stride that changes, or all strides. */
static void fix_strides(const tmap_trial *trial, tmap_diag *d, const uint64_t strides[TMAP_RANK_MAX], const char *how) {
    int changes = 0, entry = 0, n = trial->dims_n - 1;
    for (int i = 0; i < n; i++) {
        if (strides[i] == trial->map->strides_B[i]) continue;
        entry = i;
        changes++;
    }
    bool fits = true;
    for (int i = 0; i < n; i++) fits = fits && strides[i] < TMAP_STRIDE_LIMIT_B;
    TMAP_SAY(d->fix.words, "%s",
             fits ? how : "smaller sizes: rows padded to the alignment have strides of 2^40 B, above the limit");
    if (fits && changes == 1)
        tmap_fix_set(d, TMAP_FIELD_STRIDES, entry, strides[entry]);
    else if (fits)
        tmap_fix_list(d, TMAP_FIELD_STRIDES, strides, n);
}

void tmap_judge_stride_limit(tmap_trial *trial) {
    int dim = trial->dim;
    tmap_diag *d = tmap_judge_bounds_finding(trial);
    if (!d) return;
    bool known = trial->type && trial->interleave, unused = known && trial->map->dims_el[dim] == 1;
    uint64_t align = known ? tmap_trial_align_B(trial) : STRIDE_ALIGN_MOST_B;
    d->fix = (tmap_fix){0};
    tmap_fix_set(d, TMAP_FIELD_STRIDES, dim - 1,
                 unused ? tmap_round_up(tmap_trial_row_B(trial), align) : (uint64_t)TMAP_STRIDE_LOW_B - align);
    if (unused)
        TMAP_SAY(d->fix.words,
                 "or any multiple of %" PRIu64 " below 2^40: dimension %d has one entry, so this stride has no effect",
                 align, tmap_index_in_order(trial, dim, trial->dims_n));
    else
        TMAP_SAY(d->fix.words, " at most, or one map for each part of the tensor, each with its own address");
}

void tmap_judge_stride_high_bits(tmap_trial *trial) {
    int dim = trial->dim;
    uint64_t stride = trial->map->strides_B[dim - 1];
    if (!breaks_stride_high_bits(trial)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_STRIDES, dim - 1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_word name = tmap_name(trial, TMAP_FIELD_STRIDES, dim - 1);
    tmap_say_message(d,
                     "%s is %" PRIu64 " B; ptxas and the CuTe DSL store such a stride (desc-stride-high), but by one "
                     "report driver 580 drops its high bits and copies use %" PRIu64 " B (desc-stride-high-dropped)",
                     name.text, stride, stride % TMAP_STRIDE_LOW_B);
    TMAP_SAY(d->given, "%" PRIu64 " B", stride);
    TMAP_SAY(d->allowed, "below 2^36 = %" PRIu64 " B, where sources agree", TMAP_STRIDE_LOW_B);
    TMAP_SAY(d->fix.words, "use one map for each part of the tensor, each with its own address");
}

/* Whether the list of strides begins with the stride of dimension 0, as in CuTe and in frameworks. */
static bool is_stride_of_element(const tmap_trial *trial, int dim) {
    return dim == 1 && trial->type && trial->map->strides_B[0] == (uint64_t)trial->type->bits / 8 &&
           trial->map->dims_el[0] > 1;
}

void tmap_judge_stride_align(tmap_trial *trial) {
    int dim = trial->dim;
    uint64_t align = tmap_trial_align_B(trial), stride = trial->map->strides_B[dim - 1], padded[TMAP_RANK_MAX] = {0};
    if (!breaks_stride_align(trial)) return;
    tmap_archs archs = tmap_trial_refusing(trial, stride % TMAP_NARROW_ALIGN_B == 0);
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_STRIDES, dim - 1, archs);
    if (!d) return;
    tmap_say_message(d, "%s is %" PRIu64 " B, not a multiple of %" PRIu64 " B",
                     tmap_name_axis(trial, TMAP_FIELD_STRIDES, dim - 1).text, stride, align);
    TMAP_SAY(d->given, "%" PRIu64 " B", stride);
    TMAP_SAY(d->allowed, "a multiple of %" PRIu64 " B", align);
    padded_strides(trial, padded);
    if (trial->map->dims_el[dim] == 1) {
        tmap_fix_set(d, TMAP_FIELD_STRIDES, dim - 1, padded[dim - 1] < TMAP_STRIDE_LIMIT_B ? padded[dim - 1] : 0);
        TMAP_SAY(d->fix.words,
                 "or any multiple of %" PRIu64 ": dimension %d has one entry, so this stride has no effect", align,
                 tmap_index_in_order(trial, dim, trial->dims_n));
    } else {
        fix_strides(trial, d, padded,
                    is_stride_of_element(trial, dim)
                        ? "the stride of the next dimension, because the innermost has no stride"
                        : "with a tensor padded to this stride");
    }
    note_alignment(trial, d);
    note_reversed_dims(trial, d, dim);
}

static bool is_broadcast(const tmap_trial *trial, int dim) {
    return trial->map->strides_B[dim - 1] == 0 && trial->map->dims_el[dim] > 1;
}

/* A stride with which no two entries of the dimension share bytes: past the end of the other dimensions, and of the
 * broadcast dimensions before `dim` with their own such strides. */
static uint64_t stride_without_broadcast(const tmap_trial *trial, int dim) {
    uint64_t end = tmap_trial_row_B(trial), align = tmap_trial_align_B(trial);
    for (int i = 1; i < trial->dims_n; i++) {
        uint64_t reach = tmap_mul_saturate(trial->map->strides_B[i - 1], trial->map->dims_el[i]);
        if (reach > end) end = reach;
    }
    for (int i = 1; i < dim && end < TMAP_STRIDE_LIMIT_B; i++)
        if (is_broadcast(trial, i)) end = tmap_mul_saturate(tmap_round_up(end, align), trial->map->dims_el[i]);
    return end < TMAP_STRIDE_LIMIT_B ? tmap_round_up(end, align) : TMAP_STRIDE_LIMIT_B;
}

void tmap_judge_stride_zero(tmap_trial *trial) {
    int dim = trial->dim;
    if (!breaks_stride_zero(trial)) return;
    if (tmap_trial_failed(trial, TMAP_FIELD_DIMS, -1)) return; /* all strides of an empty tensor are 0 */
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_STRIDES, dim - 1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "%s is 0: all %" PRIu64 " entries of dimension %d are the same bytes",
                     tmap_name_axis(trial, TMAP_FIELD_STRIDES, dim - 1).text, trial->map->dims_el[dim],
                     tmap_index_in_order(trial, dim, trial->dims_n));
    tmap_say_values(d, "0 B", "0 for a broadcast; drivers accept it, libraries disagree");
    uint64_t stride = stride_without_broadcast(trial, dim);
    bool some = trial->map->mode == TMAP_MODE_TILED && stride < TMAP_STRIDE_LIMIT_B;
    TMAP_SAY(d->fix.words, "%sa copy of the tensor without the broadcast", some ? " in " : "");
    if (!some) return;
    tmap_fix_set(d, TMAP_FIELD_DIMS, dim, 1);
    tmap_fix_set(d, TMAP_FIELD_BOX, dim, 1);
    tmap_fix_or(d, TMAP_FIELD_STRIDES, dim - 1, stride);
}

/* Whether the strides are in elements, as in NumPy and PyTorch: the same strides in bytes keep the rules, and rows do
 * not overlap. A stride that is shorter than a row has too few elements for a row if an element has one byte or less.
 */
static bool are_elements(const tmap_trial *trial, uint64_t strides[TMAP_RANK_MAX]) {
    tmap_map_params bytes = *trial->map;
    uint64_t size = trial->type->unit_global_B;
    if (trial->interleave->slice_B) return false;
    for (int i = 0; i + 1 < trial->dims_n; i++) {
        if (trial->map->dims_el[i + 1] > 1 && trial->map->strides_B[i] < trial->map->dims_el[0]) return false;
        strides[i] = bytes.strides_B[i] = tmap_mul_saturate(trial->map->strides_B[i], size);
    }
    return trial->accepts(trial->judge, &bytes);
}

/* Fixes sizes in reverse order: the strides are dense in that order, and are not those of dense rows in elements. */
static bool fix_reversed_dims(const tmap_trial *trial, tmap_diag *d) {
    tmap_map_params reversed = *trial->map;
    for (int i = 0; i < trial->dims_n; i++) reversed.dims_el[i] = trial->map->dims_el[trial->dims_n - 1 - i];
    uint64_t multiple = trial->type->dim0_multiple;
    bool whole = multiple == 0 || reversed.dims_el[0] % multiple == 0;
    if (!whole || reversed.strides_B[0] == trial->map->dims_el[0] || !tmap_map_params_are_dense(&reversed))
        return false;
    tmap_fix_list(d, TMAP_FIELD_DIMS, reversed.dims_el, trial->dims_n);
    TMAP_SAY(d->fix.words, "if these strides are right: sizes are %s first",
             trial->judge->outer_first ? "outermost" : "innermost");
    return true;
}

void tmap_judge_stride_below_row(tmap_trial *trial) {
    int dim = trial->dim;
    uint64_t stride = trial->map->strides_B[dim - 1], row = tmap_trial_row_B(trial);
    uint64_t strides[TMAP_RANK_MAX] = {0};
    if (!breaks_stride_below_row(trial) || tmap_trial_failed(trial, TMAP_FIELD_DIMS, 0)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_STRIDES, dim - 1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "%s is %" PRIu64 " B, less than the %" PRIu64 " B of a row, so rows overlap",
                     tmap_name_axis(trial, TMAP_FIELD_STRIDES, dim - 1).text, stride, row);
    TMAP_SAY(d->given, "%" PRIu64 " B", stride);
    TMAP_SAY(d->allowed, "at least %" PRIu64 " B where rows do not overlap", row);
    if (fix_reversed_dims(trial, d)) return;
    if (are_elements(trial, strides)) {
        fix_strides(trial, d, strides, "if these strides count elements: strides are in bytes");
    } else {
        padded_strides(trial, strides);
        fix_strides(trial, d, strides, "unless the overlap is intended");
    }
    tmap_say_note(d, TMAP_FIELD_DIMS, 0, "the row, %s, is set here",
                  tmap_name_in_order(trial, TMAP_FIELD_DIMS, 0).text);
}

/* The entry of strides with the largest reach; 0 for a tensor of one row. */
static int longest_stride(const tmap_map_params *map, int dims_n) {
    int longest = 0;
    for (int i = 1; i + 1 < dims_n; i++) {
        tmap_u128 reach = (tmap_u128)map->strides_B[i] * map->dims_el[i + 1];
        if (reach > (tmap_u128)map->strides_B[longest] * map->dims_el[longest + 1]) longest = i;
    }
    return longest;
}

/*
 * Two outer dimensions of a ragged tensor. One step along `rows` and one along `cancels` together advance by 2^64 /
 * dims[rows] bytes, so coordinate dims[rows] of `cancels` moves a box back by dims[rows] rows.
 */
typedef struct ragged_dims {
    int rows, cancels;
} ragged_dims;

static bool find_ragged(const tmap_trial *trial, ragged_dims *ragged) {
    const tmap_map_params *map = trial->map;
    for (int rows = 1; rows < trial->dims_n; rows++)
        for (int cancels = 1; cancels < trial->dims_n; cancels++) {
            tmap_u128 step_B = (tmap_u128)map->strides_B[rows - 1] + map->strides_B[cancels - 1];
            tmap_u128 all_B = step_B * map->dims_el[rows];
            bool whole = all_B > UINT64_MAX && (uint64_t)all_B == 0;
            bool reaches = map->dims_el[cancels] > map->dims_el[rows]; /* coordinate dims[rows] of `cancels` */
            if (!whole || !reaches || map->strides_B[cancels - 1] < map->strides_B[rows - 1]) continue;
            *ragged = (ragged_dims){rows, cancels};
            return true;
        }
    return false;
}

/* Another dimension with the stride of the rows, which selects a slice; 0: none. */
static int slice_dim(const tmap_trial *trial, const ragged_dims *ragged) {
    const uint64_t *strides = trial->map->strides_B;
    for (int dim = 1; dim < trial->dims_n; dim++)
        if (dim != ragged->rows && dim != ragged->cancels && strides[dim - 1] == strides[ragged->rows - 1]) return dim;
    return 0;
}

static void say_ragged(tmap_trial *trial, tmap_diag *d, const ragged_dims *ragged) {
    uint64_t rows_n = trial->map->dims_el[ragged->rows];
    tmap_say_message(d,
                     "offsets wrap at 2^64, as in a ragged tensor: coordinate %" PRIu64
                     " of dimension %d cancels the %" PRIu64 " entries of dimension %d",
                     rows_n, tmap_index_in_order(trial, ragged->cancels, trial->dims_n), rows_n,
                     tmap_index_in_order(trial, ragged->rows, trial->dims_n));
    TMAP_SAY(d->given, "%" PRIu64 " x (%" PRIu64 " + %" PRIu64 ") B is a multiple of 2^64", rows_n,
             trial->map->strides_B[ragged->rows - 1], trial->map->strides_B[ragged->cancels - 1]);
    TMAP_SAY(d->allowed, "an intended wrap: addresses are computed modulo 2^64");
    if (trial->map->dims_el[ragged->cancels] <= rows_n + 1) return;
    tmap_fix_set(d, TMAP_FIELD_DIMS, ragged->cancels, rows_n + 1);
    TMAP_SAY(d->fix.words,
             "the largest coordinate of ragged copies plus 1, so that fewer wrong coordinates are inside the tensor");
}

/* Suggests another address if the tensor fits below 2^64 there. */
static void say_address(tmap_diag *d, uint64_t address, uint64_t span) {
    tmap_say_message(d, "the tensor continues at address 0 after 2^64 - 1: its %" PRIu64 " B begin at 0x%" PRIx64, span,
                     address);
    TMAP_SAY(d->given, "address 0x%" PRIx64 ", %" PRIu64 " B", address, span);
    TMAP_SAY(d->allowed, "an end of at most 2^64, or an intended wrap: addresses are computed modulo 2^64");
    tmap_fix_say(d, TMAP_FIELD_ADDRESS, -1, (UINT64_MAX - span + 1) / 32 * 32, " at most, if no wrap is intended");
}

/* The longest stride with which the tensor ends in the address space, with all other strides unchanged; 0: none. */
static uint64_t longest_fitting(const tmap_trial *trial, int entry, uint64_t address) {
    const tmap_map_params *map = trial->map;
    tmap_u128 others = (tmap_u128)address + tmap_trial_row_B(trial), room = (tmap_u128)1 << 64;
    for (int i = 0; i + 1 < trial->dims_n; i++)
        if (i != entry) others += (tmap_u128)map->strides_B[i] * (map->dims_el[i + 1] - 1);
    if (others >= room || map->dims_el[entry + 1] < 2) return 0;
    return (uint64_t)((room - others) / (map->dims_el[entry + 1] - 1)) / 32 * 32;
}

static void say_reach(tmap_trial *trial, tmap_diag *d, int entry, uint64_t address, uint64_t span) {
    tmap_say_message(d,
                     "the tensor ends after the 64-bit address space, so offsets wrap; the span of %s is the largest",
                     tmap_name_axis(trial, TMAP_FIELD_STRIDES, entry).text);
    TMAP_SAY(d->given, "address 0x%" PRIx64 ", %s%" PRIu64 " B", address, span == UINT64_MAX ? "at least " : "", span);
    TMAP_SAY(d->allowed, "an end of at most 2^64, or an intended wrap: addresses are computed modulo 2^64");
    uint64_t longest = longest_fitting(trial, entry, address);
    bool some = longest > tmap_trial_row_B(trial);
    if (some) tmap_fix_set(d, TMAP_FIELD_STRIDES, entry, longest);
    TMAP_SAY(d->fix.words, "%s, if no wrap is intended", some ? " at most" : "smaller dims or strides");
}

void tmap_judge_tensor_span(tmap_trial *trial) {
    uint64_t address = trial->map->has_address ? trial->map->address : 0, span = trial->derived.span_B;
    if (!breaks_tensor_span(trial)) return;
    ragged_dims ragged;
    bool by_address = address > span, is_ragged = !by_address && find_ragged(trial, &ragged);
    int entry = is_ragged ? ragged.cancels - 1 : longest_stride(trial->map, trial->dims_n);
    tmap_diag *d = by_address ? tmap_finding(trial, TMAP_FIELD_ADDRESS, -1, TMAP_ARCHS_ALL)
                              : tmap_finding(trial, TMAP_FIELD_STRIDES, entry, TMAP_ARCHS_ALL);
    if (!d) return;
    if (by_address)
        say_address(d, address, span);
    else if (is_ragged)
        say_ragged(trial, d, &ragged);
    else
        say_reach(trial, d, entry, address, span);
}

/*
 * The reach of ragged copies, whose coordinate of dimension `cancels` is dims[rows]. With rows of s B the offset is
 * (x + y - dims[rows]) s, for 0 <= x < dims[rows] and 0 <= y < dims[slice].
 */
static void say_ragged_reach(tmap_trial *trial, tmap_diag *d, const ragged_dims *ragged) {
    const tmap_map_params *map = trial->map;
    uint64_t rows_n = map->dims_el[ragged->rows], row = map->strides_B[ragged->rows - 1];
    int slice = slice_dim(trial, ragged);
    uint64_t after_n = slice > 0 ? map->dims_el[slice] - 1 : 0; /* rows after the address */
    uint64_t held = tmap_allocated_B(map), before = held > 0 ? (uint64_t)map->allocation_offset_B : 0;
    tmap_say_message(d,
                     "ragged copies of the tensor can begin from %" PRIu64 " B before the address to %" PRIu64
                     " B after it; the allocation has %" PRIu64 " B",
                     tmap_mul_saturate(rows_n, row), after_n > 0 ? tmap_mul_saturate(after_n - 1, row) : 0,
                     map->allocation_B);
    TMAP_SAY(d->given, "%" PRIu64 " rows of %" PRIu64 " B before the address, %" PRIu64 " from it on", rows_n, row,
             after_n);
    uint64_t held_n = row > 0 ? held / row : 0, before_n = row > 0 ? before / row : 0;
    if (before_n > 0)
        TMAP_SAY(d->allowed, "%" PRIu64 " row%s before the address, %" PRIu64 " from it on", before_n,
                 before_n == 1 ? "" : "s", held_n);
    else
        TMAP_SAY(d->allowed, "%" PRIu64 " rows from the address on", held_n);
    if (slice > 0 && row > 0 && after_n > held_n)
        TMAP_SAY(d->fix.words,
                 "%s of %" PRIu64 ", the rows of the allocation plus 1, so that no copy reaches memory after it",
                 tmap_name_in_order(trial, TMAP_FIELD_DIMS, slice).text, held_n + 1);
}

/* The map's address is before its memory, so only the coordinates keep copies inside. */
static void say_before_allocation(const tmap_trial *trial, tmap_diag *d, uint64_t span) {
    uint64_t before = 0 - (uint64_t)trial->map->allocation_offset_B, size = trial->map->allocation_B;
    tmap_say_message(d,
                     "the tensor spans %" PRIu64 " B; the allocation is bytes %" PRIu64 " to %" PRIu64
                     " from the tensor's address",
                     span, before, tmap_add_saturate(before, size) - 1);
    TMAP_SAY(d->given, "%" PRIu64 " B before the allocation, %" PRIu64 " B after it", before < span ? before : span,
             span > tmap_add_saturate(before, size) ? span - before - size : 0);
    TMAP_SAY(d->allowed, "a tensor within its allocation, or coordinates that keep every copy inside");
    TMAP_SAY(d->fix.words, "use the address of the allocation, unless every copy is inside it");
}

void tmap_judge_allocation_span(tmap_trial *trial) {
    uint64_t held = tmap_allocated_B(trial->map), span = trial->derived.span_B;
    if (!breaks_allocation_span(trial)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ALLOCATION, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    ragged_dims ragged;
    if (span == UINT64_MAX && find_ragged(trial, &ragged)) {
        say_ragged_reach(trial, d, &ragged);
        return;
    }
    if (trial->map->allocation_offset_B < 0) {
        say_before_allocation(trial, d, span);
        return;
    }
    tmap_say_message(d, "the tensor spans %" PRIu64 " B; the allocation ends after %" PRIu64 " B", span, held);
    TMAP_SAY(d->given, "%" PRIu64 " B", held);
    TMAP_SAY(d->allowed, "at least %" PRIu64 " B", span);
    tmap_fix_say(d, TMAP_FIELD_ALLOCATION, -1, tmap_add_saturate(span, (uint64_t)trial->map->allocation_offset_B),
                 "or smaller dims");
}
