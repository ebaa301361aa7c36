/* Rules of the box: its extent, its rows in shared memory, its element strides. */
#include <inttypes.h>

#include "base/wide.h"
#include "rule/comparisons.h"
#include "rule/finding.h"
#include "rule/rules.h"

/* The size of one row of the box: box[0], or the channels of a pixel. */
typedef struct row_size {
    tmap_field field;
    int dim;
    uint64_t count;
} row_size;

static row_size row_size_of(const tmap_trial *trial) {
    if (trial->mode->im2col) return (row_size){TMAP_FIELD_CHANNELS_PER_PIXEL, -1, trial->map->channels_per_pixel};
    return (row_size){TMAP_FIELD_BOX, 0, trial->map->box_el[0]};
}

static bool row_failed(const tmap_trial *trial) {
    row_size row = row_size_of(trial);
    return tmap_trial_failed(trial, row.field, row.dim);
}

/* The widest or the narrowest row that the type and the swizzle accept. */
static uint64_t legal_row(const tmap_trial *trial, bool widest) {
    uint64_t unit = (uint64_t)values_of_16_B(trial), span_B = trial->swizzle ? trial->swizzle->span_B : 0;
    bool possible = trial->judge->archs == 0 || tmap_trial_narrow_archs(trial); /* rows of 48 B */
    bool narrow = possible && tmap_trial_stores_sixes(trial) && trial->map->swizzle == TMAP_SWIZZLE_64B;
    if (trial->type->box0_exact) return trial->type->box0_exact >> narrow;
    if (trial->interleave->slice_B) return widest ? TMAP_BOX_MAX : 1;
    uint64_t spanned = span_B ? span_B * 8 / (uint64_t)trial->type->bits : TMAP_BOX_MAX;
    uint64_t most = spanned < TMAP_BOX_MAX ? spanned : TMAP_BOX_MAX;
    return widest ? most / unit * unit : unit;
}

/* The fix is the widest row that the type and the swizzle accept; for a forgotten box, at most a row of the tensor. */
void tmap_judge_row_bounds(tmap_trial *trial) {
    tmap_diag *d = tmap_judge_bounds_finding(trial);
    row_size row = row_size_of(trial);
    if (!d || trial->dim > 0 || !trial->type || !trial->interleave) return;
    uint64_t widest = legal_row(trial, true), size = (uint64_t)covering_box(trial, 0);
    bool forgotten = row.count == 0;
    tmap_fix_say(d, (int)row.field, row.dim, forgotten && size > 0 && size < widest ? size : widest, "%s",
                 forgotten ? "" : "with several copies");
}

/* Users often write rows before columns; then the last size is the size meant for dimension 0. */
static void note_swapped_box(const tmap_trial *trial, tmap_diag *d) {
    int last = trial->dims_n - 1;
    if (last < 1 || trial->mode->im2col) return;
    tmap_map_params exchanged = *trial->map;
    exchanged.box_el[0] = trial->map->box_el[last];
    exchanged.box_el[last] = trial->map->box_el[0];
    if (!trial->accepts(trial->judge, &exchanged)) return;
    tmap_say_note(d, TMAP_FIELD_BOX, last, "the box fits if %s and %s are exchanged: %" PRIu64 " x %s = %" PRIu64 " B",
                  tmap_name_in_order(trial, TMAP_FIELD_BOX, 0).text,
                  tmap_name_in_order(trial, TMAP_FIELD_BOX, last).text, exchanged.box_el[0], trial->type->name,
                  tmap_derive(&exchanged, false).inner_shared_B);
}

void tmap_judge_box_inner_align(tmap_trial *trial) {
    row_size row = row_size_of(trial);
    uint64_t unit = (uint64_t)values_of_16_B(trial);
    if (!breaks_box_inner_align(trial) || row_failed(trial)) return;
    tmap_diag *d = tmap_finding(trial, (int)row.field, row.dim, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_word bytes = tmap_row_bytes(trial->type, row.count);
    tmap_say_message(d, "%s is %s; a row of a box is a multiple of 16 B",
                     tmap_name_axis(trial, row.field, row.dim).text, bytes.text);
    TMAP_SAY(d->given, "%s", bytes.text);
    TMAP_SAY(d->allowed, "a multiple of %" PRIu64 " values, 16 B", unit);
    uint64_t widest = legal_row(trial, true), near = row.count < widest ? row.count : widest;
    tmap_fix_around(d, row.field, row.dim, near, unit, widest);
    if (row.count > widest) TMAP_SAY(d->fix.words, "with several copies");
    if (row.count > widest) tmap_say_note(d, TMAP_FIELD_SWIZZLE, -1, "swizzle is set here");
    note_swapped_box(trial, d);
}

void tmap_judge_box_packed_exact(tmap_trial *trial) {
    row_size row = row_size_of(trial);
    uint64_t exact = trial->type->box0_exact;
    bool half_row;
    if (!breaks_box_packed_exact(trial, &half_row) || row_failed(trial)) return;
    tmap_archs archs = tmap_trial_refusing(trial, half_row);
    tmap_diag *d = tmap_finding(trial, (int)row.field, row.dim, archs);
    if (!d) return;
    const char *half = tmap_trial_narrow(trial) ? "64 or " : "";
    tmap_say_message(d, "%s is %" PRIu64 "; type %s requires exactly %s%" PRIu64,
                     tmap_name_axis(trial, row.field, row.dim).text, row.count, trial->type->name, half, exact);
    TMAP_SAY(d->given, "%" PRIu64 " values", row.count);
    TMAP_SAY(d->allowed, "%s%" PRIu64 " values", half, exact);
    tmap_fix_map(trial, d, row.field, row.dim, legal_row(trial, true));
    tmap_say_note(d, TMAP_FIELD_TYPE, -1, "type is set here");
    note_swapped_box(trial, d);
}

/* Suggests another swizzle if it accepts the row and the rest of the map. */
static void fix_by_wider_swizzle(const tmap_trial *trial, tmap_diag *d) {
    static const tmap_swizzle wider[] = {TMAP_SWIZZLE_64B, TMAP_SWIZZLE_128B, TMAP_SWIZZLE_NONE};
    tmap_map_params other = *trial->map;
    for (size_t i = 0; i < sizeof wider / sizeof *wider; i++) {
        other.swizzle = wider[i];
        if (!trial->accepts(trial->judge, &other)) continue;
        tmap_fix_or(d, TMAP_FIELD_SWIZZLE, -1, other.swizzle);
        return;
    }
}

void tmap_judge_box_inner_span(tmap_trial *trial) {
    row_size row = row_size_of(trial);
    uint64_t inner_B = trial->derived.inner_shared_B, span_B = trial->swizzle->span_B;
    if (!breaks_box_inner_span(trial) || row_failed(trial)) return;
    tmap_diag *d = tmap_finding(trial, (int)row.field, row.dim, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "%s spans %" PRIu64 " B; swizzle %s accepts at most %" PRIu64 " B",
                     tmap_name_axis(trial, row.field, row.dim).text, inner_B, trial->swizzle->name, span_B);
    TMAP_SAY(d->given, "%" PRIu64 " x %s = %" PRIu64 " B", row.count, trial->type->name, inner_B);
    TMAP_SAY(d->allowed, "at most %" PRIu64 " B", span_B);
    tmap_fix_set(d, (int)row.field, row.dim, legal_row(trial, true));
    fix_by_wider_swizzle(trial, d);
    tmap_say_note(d, TMAP_FIELD_SWIZZLE, -1, "swizzle is set here");
    note_swapped_box(trial, d);
}

void tmap_judge_box_within_tensor(tmap_trial *trial) {
    int dim = trial->dim;
    uint64_t box = trial->map->box_el[dim], covering = (uint64_t)covering_box(trial, dim);
    if (!breaks_box_within_tensor(trial)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_BOX, dim, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(
        d, "%s is %" PRIu64 ", but the tensor has only %" PRIu64 ": every box extends %" PRIu64 " beyond it",
        tmap_name_axis(trial, TMAP_FIELD_BOX, dim).text, box, trial->map->dims_el[dim], box - trial->map->dims_el[dim]);
    TMAP_SAY(d->given, "%" PRIu64 " elements", box);
    TMAP_SAY(d->allowed, "at most %" PRIu64 ", unless the fill is wanted", covering);
    tmap_fix_set(d, TMAP_FIELD_BOX, dim, covering);
    tmap_say_note(d, TMAP_FIELD_DIMS, dim, "the tensor's size is set here");
}

/* The usable shared memory of an architecture; no limit where the size is not known. */
static uint64_t usable_shared_B(int arch) {
    uint32_t window = tmap_arch_get(arch)->shared_window_B;
    return window != 0 ? window - TMAP_SHARED_RESERVED_B : UINT64_MAX;
}

/* Returns the chosen architectures on which `size_B` does not fit; if none is chosen: all if it fits on none, else 0.
 * *least_B, *most_B: the smallest and the largest limit of these architectures. */
static tmap_archs too_small_for(const tmap_judge *judge, uint64_t size_B, uint64_t *least_B, uint64_t *most_B) {
    tmap_archs chosen = judge->archs ? judge->archs : TMAP_ARCHS_ALL, small = 0, fits = 0;
    *least_B = UINT64_MAX, *most_B = 0;
    for (int arch = 0; arch < TMAP_ARCH_COUNT; arch++) {
        uint64_t usable = usable_shared_B(arch);
        if (size_B <= usable && usable != UINT64_MAX) fits |= (tmap_archs)1 << arch;
        if (!(chosen >> arch & 1) || size_B <= usable) continue;
        small |= (tmap_archs)1 << arch;
        if (usable < *least_B) *least_B = usable;
        if (usable > *most_B) *most_B = usable;
    }
    return judge->archs || fits == 0 ? small : 0;
}

static int largest_outer(const tmap_trial *trial) {
    int largest = trial->dims_n > 1;
    for (int i = 2; i < trial->dims_n; i++)
        if (trial->derived.counts[i] > trial->derived.counts[largest]) largest = i;
    return largest;
}

void tmap_judge_box_fits_shared(tmap_trial *trial) {
    uint64_t footprint_B = trial->derived.footprint_B, limit_B, most_B;
    tmap_archs archs = too_small_for(trial->judge, footprint_B, &limit_B, &most_B);
    if (archs == 0) return;
    bool pixels = trial->mode->im2col;
    int largest = pixels ? 1 : largest_outer(trial), entry = pixels ? -1 : largest;
    tmap_field field = pixels ? TMAP_FIELD_PIXELS_PER_COLUMN : TMAP_FIELD_BOX;
    tmap_diag *d = tmap_finding(trial, (int)field, entry, archs);
    if (!d) return;
    uint64_t allowed_B = trial->judge->archs ? limit_B : most_B;
    uint64_t slab_B = footprint_B / trial->derived.counts[largest], fitting = allowed_B / slab_B;
    uint64_t step = pixels ? 1 : trial->map->element_strides[largest];
    if (limit_B == most_B)
        tmap_say_message(d, "a box occupies %" PRIu64 " B; a thread block has at most %" PRIu64 " B of shared memory",
                         footprint_B, limit_B);
    else
        tmap_say_message(
            d, "a box occupies %" PRIu64 " B; a thread block has at most %" PRIu64 " to %" PRIu64 " B of shared memory",
            footprint_B, limit_B, most_B);
    TMAP_SAY(d->given, "%" PRIu64 " rows x %" PRIu64 " B = %" PRIu64 " B", trial->derived.rows_n,
             trial->derived.pitch_B, footprint_B);
    TMAP_SAY(d->allowed, "at most %" PRIu64 " B", allowed_B);
    tmap_fix_set(d, (int)field, entry, fitting ? fitting * step : 1);
    if (!fitting) TMAP_SAY(d->fix.words, "and smaller in other dimensions");
}

/* The fix of a step above the limit: a map of every step-th entry with step 1, or a shorter step and a kernel that uses
 * some of the loaded entries. The first is not possible for dimension 0, which has no stride, and for im2col, whose
 * walk may begin between entries of such a map. */
static void say_longer_step(const tmap_trial *trial, tmap_diag *d) {
    const tmap_map_params *map = trial->map;
    int dim = trial->dim;
    uint64_t step = map->element_strides[dim], part = TMAP_ELEMENT_STRIDE_MAX;
    tmap_word name = tmap_name_in_order(trial, TMAP_FIELD_ELEMENT_STRIDES, dim);
    while (step % part != 0) part--;
    d->fix = (tmap_fix){0};
    if (dim == 0 || map->mode != TMAP_MODE_TILED) {
        tmap_fix_say(d, TMAP_FIELD_ELEMENT_STRIDES, dim, part, " and use 1 of %" PRIu64 " entries", step / part);
    } else {
        TMAP_SAY(d->fix.words,
                 "a map of 1 of %" PRIu64 " entries: %s: %" PRIu64 ", %s: %" PRIu64 ", %s: %" PRIu64
                 ", %s: 1; or %s: %" PRIu64 " and use 1 of %" PRIu64 " entries",
                 step, tmap_name_in_order(trial, TMAP_FIELD_STRIDES, dim - 1).text,
                 tmap_mul_saturate(map->strides_B[dim - 1], step), tmap_name_in_order(trial, TMAP_FIELD_DIMS, dim).text,
                 tmap_ceil_div(map->dims_el[dim], step), tmap_name_in_order(trial, TMAP_FIELD_BOX, dim).text,
                 tmap_ceil_div(map->box_el[dim], step), name.text, name.text, part, step / part);
    }
}

void tmap_judge_element_stride_range(tmap_trial *trial) {
    if (trial->dim == 0 && trial->interleave->slice_B == 0) return; /* element-stride-ignored reports this */
    tmap_diag *d = tmap_judge_bounds_finding(trial);
    if (d && trial->map->element_strides[trial->dim] > TMAP_ELEMENT_STRIDE_MAX) say_longer_step(trial, d);
}

void tmap_judge_element_stride_ignored(tmap_trial *trial) {
    int dim = trial->dim;
    uint64_t stride = trial->map->element_strides[dim];
    if (trial->interleave->slice_B || stride == 1) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ELEMENT_STRIDES, dim, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d,
                     "%s is %" PRIu64
                     ": without interleave the driver API ignores the value, and the PTX ISA requires 1; the copy "
                     "moves every element",
                     tmap_name_axis(trial, TMAP_FIELD_ELEMENT_STRIDES, dim).text, stride);
    tmap_say_values(d, tmap_number(stride).text, "1, the stride that the copy uses");
    tmap_fix_set(d, TMAP_FIELD_ELEMENT_STRIDES, dim, 1);
}

void tmap_judge_element_stride_holes(tmap_trial *trial) {
    int dim = trial->dim;
    uint64_t stride = trial->map->element_strides[dim], box = trial->map->box_el[dim];
    if (!breaks_element_stride_holes(trial)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ELEMENT_STRIDES, dim, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d,
                     "%s is %" PRIu64 " and does not divide the box of %" PRIu64 ": the steps begin again in each box",
                     tmap_name_axis(trial, TMAP_FIELD_ELEMENT_STRIDES, dim).text, stride, box);
    TMAP_SAY(d->given, "box %" PRIu64 ", step %" PRIu64, box, stride);
    TMAP_SAY(d->allowed, "a box that is a multiple of %" PRIu64, stride);
    tmap_fix_around(d, TMAP_FIELD_BOX, dim, box, stride, TMAP_BOX_MAX);
    tmap_say_note(d, TMAP_FIELD_BOX, dim, "box is set here");
}
