/* Rules of a copy's operands: coordinates, the shared address, destination and multicast. */
#include <inttypes.h>
#include <string.h>

#include "base/wide.h"
#include "rule/comparisons.h"
#include "rule/finding.h"
#include "rule/rules.h"
#include "tmap/unstable/params_instruction.h"

/* ---- Coordinates ---- */

/* Whether the coordinate already has a finding: the rules of one coordinate do not depend on the others. */
static bool has_failed(const tmap_trial *trial, const coordinate *c) {
    return tmap_trial_failed(trial, c->field, c->entry);
}

void tmap_judge_copy_coordinate_count(tmap_trial *trial) {
    int given = trial->copy->at_n;
    uint64_t wanted = tmap_dim_of(trial->map, trial->copy);
    if (trial->op->four_rows || trial->op->on_map) return;
    if (wanted > TMAP_RANK_MAX || (uint64_t)given == wanted) return;
    if ((uint64_t)given == trial->map->rank) return; /* rule copy-dim reports this */
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_AT, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "at has %d coordinate%s; %s %" PRIu64, given, given == 1 ? "" : "s",
                     trial->copy->dim                       ? "dim is"
                     : trial->map->mode == TMAP_MODE_LINEAR ? "the tensor has rank"
                                                            : "the map has rank",
                     wanted);
    TMAP_SAY(d->given, "%d coordinate%s", given, given == 1 ? "" : "s");
    TMAP_SAY(d->allowed, "%" PRIu64, wanted);
    TMAP_SAY(d->fix.words, "give 'at' %" PRIu64 " coordinate%s, one for each dimension", wanted,
             wanted == 1 ? "" : "s");
}

void tmap_judge_copy_dim(tmap_trial *trial) {
    uint64_t given = tmap_dim_of(trial->map, trial->copy);
    if (given == trial->map->rank) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_DIM, -1, TMAP_ARCHS_ALL);
    /* Other rules that depend on the rank do not apply to this instruction. */
    tmap_trial_fail(trial, TMAP_FIELD_RANK, -1);
    if (!d) return;
    tmap_say_message(d, "%s is %" PRIu64 "; the map has rank %" PRIu64, tmap_name(trial, TMAP_FIELD_DIM, -1).text,
                     given, trial->map->rank);
    tmap_say_values(d, tmap_number(given).text, tmap_number(trial->map->rank).text);
    if (trial->judge->names == TMAP_NAMES_PTX)
        TMAP_SAY(d->fix.words, "write .%" PRIu64 "d, with %" PRIu64 " coordinates, or use a map of rank %" PRIu64,
                 trial->map->rank, trial->map->rank, given);
    else if ((uint64_t)trial->copy->at_n == given)
        TMAP_SAY(d->fix.words,
                 "copy through a map of %" PRIu64 " dimensions, or give 'at' %" PRIu64 " coordinates without dim",
                 given, trial->map->rank);
    else
        tmap_fix_leave_out(d, TMAP_FIELD_DIM);
    tmap_say_note(d, TMAP_FIELD_RANK, -1, "the map's dims are set here");
}

void tmap_judge_copy_load_mode(tmap_trial *trial) {
    const tmap_mode_info *given = tmap_mode_get((int)tmap_load_mode_of(trial->map, trial->copy));
    if (given == trial->mode) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_LOAD_MODE, -1, TMAP_ARCHS_ALL);
    tmap_trial_fail(trial, TMAP_FIELD_MODE, -1); /* as for the rank */
    if (!d) return;
    tmap_word number = tmap_number((int)trial->copy->load_mode);
    const char *name = given ? given->name : number.text;
    tmap_say_message(d, "%s is %s; the map's mode is %s", tmap_name(trial, TMAP_FIELD_LOAD_MODE, -1).text, name,
                     trial->mode->name);
    tmap_say_values(d, name, trial->mode->name);
    bool ptx = trial->judge->names == TMAP_NAMES_PTX;
    if (!ptx) tmap_fix_leave_out(d, TMAP_FIELD_LOAD_MODE);
    if (given && given != tmap_mode_get(TMAP_MODE_LINEAR)) /* mode linear has no map */
        TMAP_SAY(d->fix.words, "or make a map of mode %s", name);
    if (ptx) TMAP_SAY(d->fix.words, "write .%s, or make a map of mode %s", trial->mode->ptx, name);
    tmap_say_note(d, TMAP_FIELD_MODE, -1, "mode is set here%s",
                  trial->map->mode == TMAP_MODE_TILED ? ", or tiled by default" : "");
}

void tmap_judge_copy_coordinate_range(tmap_trial *trial) {
    coordinate list[TMAP_RANK_MAX];
    int n = coordinates_of(trial, list);
    for (int i = 0; i < n; i++) {
        const coordinate *c = &list[i];
        if (!breaks_coordinate_range(trial, c) || has_failed(trial, c)) continue;
        tmap_diag *d = tmap_finding(trial, (int)c->field, c->entry, TMAP_ARCHS_ALL);
        if (!d) continue;
        tmap_word value = tmap_number(c->value);
        tmap_say_message(d, "%s is %s; coordinates are signed 32-bit", tmap_name_axis(trial, c->field, c->entry).text,
                         value.text);
        TMAP_SAY(d->given, "%s", value.text);
        TMAP_SAY(d->allowed, "%" PRId32 " to %" PRId32, INT32_MIN, INT32_MAX);
        TMAP_SAY(d->fix.words, "copy through a map with a %s address, with a coordinate relative to that address",
                 c->value < 0 ? "smaller" : "larger");
    }
}

/* `half`: the architectures that also accept odd multiples of half a step. */
static void judge_first_multiple(tmap_trial *trial, tmap_archs half, const char *why) {
    coordinate list[TMAP_RANK_MAX], *first = &list[0];
    if (coordinates_of(trial, list) == 0 || !breaks_first_step(trial, first) || has_failed(trial, first)) return;
    int64_t step = first_step(trial), value = (int64_t)first->value, below = value - tmap_past_multiple(value, step);
    tmap_archs archs = value % (step / 2) == 0 ? TMAP_ARCHS_ALL & ~half : TMAP_ARCHS_ALL;
    tmap_diag *d = tmap_finding(trial, (int)first->field, first->entry, archs);
    if (!d) return;
    tmap_say_message(d, "%s is %" PRId64 ", not a multiple of %" PRId64 ": %s",
                     tmap_name_axis(trial, first->field, first->entry).text, value, step, why);
    TMAP_SAY(d->given, "%" PRId64, value);
    TMAP_SAY(d->allowed, "a multiple of %" PRId64, step);
    bool before = below < 0 && trial->op->to_global;
    tmap_fix_set(d, (int)first->field, first->entry, before ? 0 : (uint64_t)below);
    if (before)
        TMAP_SAY(d->fix.words, "with a box without the elements before the tensor");
    else
        tmap_fix_or(d, (int)first->field, first->entry, (uint64_t)(below + step));
}

void tmap_judge_copy_inner_align(tmap_trial *trial) {
    bool unknown = trial->mode->im2col && trial->type->bits >= 8; /* rule im2col-channel-align */
    if (trial->interleave->slice_B || trial->type->box0_exact || unknown) return;
    judge_first_multiple(trial, 0, "a row begins at a multiple of 16 B");
}

void tmap_judge_copy_inner_packed(tmap_trial *trial) {
    if (!trial->type->box0_exact || trial->interleave->slice_B) return;
    bool narrow = first_step(trial) == TMAP_NARROW_VALUES;
    judge_first_multiple(trial, stores_bytes(trial) && !narrow ? TMAP_ARCHS_NARROW_SIXES : 0,
                         narrow ? "stored rows of the type begin at a multiple of 64 values"
                                : "rows of a padded type begin at a multiple of 128 values");
}

/* The first coordinate at which a store may start: 0, or the start of the pixel box. */
static int64_t first_stored(const tmap_trial *trial, int dim) {
    tmap_image_dims dims = tmap_image_dims_of(trial->map);
    int corner = dim - dims.first_spatial;
    if (!trial->mode->im2col || corner < 0 || corner >= dims.walked_n) return 0;
    int64_t lower = trial->map->lower_corner[corner];
    return lower > 0 ? lower : 0;
}

void tmap_judge_copy_store_negative(tmap_trial *trial) {
    coordinate list[TMAP_RANK_MAX];
    if (!trial->op->to_global) return;
    int n = coordinates_of(trial, list);
    for (int i = 0; i < n; i++) {
        const coordinate *c = &list[i];
        if (!breaks_store_negative(trial, c) || has_failed(trial, c)) continue;
        tmap_diag *d = tmap_finding(trial, (int)c->field, c->entry, TMAP_ARCHS_ALL);
        if (!d) continue;
        tmap_word value = tmap_number(c->value);
        tmap_say_message(d, "%s is %s; %s must not begin before the tensor",
                         tmap_name_axis(trial, c->field, c->entry).text, value.text, trial->op->name);
        tmap_say_values(d, value.text, "0 or more");
        bool row = c->field == TMAP_FIELD_ROWS, possible = !row || trial->map->dims_el[1] <= INT32_MAX;
        bool useless = !row && is_outside(trial, c);
        TMAP_SAY(d->fix.words, "%s",
                 useless     ? "leave the copy out: the whole box is before the tensor"
                 : !possible ? "store the other rows with op store, each with a box of one row"
                 : row       ? "a row after the tensor, which is dropped"
                             : "with a box without the elements before the tensor");
        if (useless || !possible) continue;
        tmap_fix_set(d, (int)c->field, c->entry, row ? trial->map->dims_el[1] : (uint64_t)first_stored(trial, c->dim));
    }
}

static bool rows_are_outside(const tmap_trial *trial, const coordinate *list, int n) {
    for (int i = 1; i < n; i++)
        if (!is_outside(trial, &list[i])) return false;
    return true;
}

/* Writes the indices of the coordinates of `list` that put the whole box outside, and returns their number. Of four
 * rows, the first is listed if all rows are outside: one row inside is enough. */
static int outside_of(const tmap_trial *trial, const coordinate *list, int n, int outside[TMAP_RANK_MAX]) {
    int found = 0, dims = trial->op->four_rows ? 1 : n;
    for (int i = 0; i < dims; i++)
        if (is_outside(trial, &list[i])) outside[found++] = i;
    if (trial->op->four_rows && rows_are_outside(trial, list, n)) outside[found++] = 1;
    return found;
}

void tmap_judge_copy_outside(tmap_trial *trial) {
    coordinate list[TMAP_RANK_MAX];
    int outside[TMAP_RANK_MAX], found = outside_of(trial, list, coordinates_of(trial, list), outside);
    if (found == 0) return;
    const coordinate *c = &list[outside[0]];
    tmap_diag *d = tmap_finding(trial, (int)c->field, c->entry, TMAP_ARCHS_ALL);
    if (!d) return;
    const char *effect = trial->op->to_global   ? "the copy writes nothing"
                         : trial->op->to_shared ? "the copy writes only fill"
                                                : "the copy reads nothing";
    tmap_say_message(d, "the whole box is outside the tensor because of %s: %s",
                     tmap_name_axis(trial, c->field, c->entry).text, effect);
    TMAP_SAY(d->given, "%s", tmap_number(c->value).text);
    quantity extent = extent_of(trial, c->dim);
    TMAP_SAY(d->allowed, "%s", tmap_range(is_walked(trial, c->dim) ? 0 : 1 - extent, dim_of(trial, c->dim) - 1).text);
    for (int i = 0; i < found; i++) {
        c = &list[outside[i]];
        tmap_fix_set(d, (int)c->field, c->entry, 0);
    }
    TMAP_SAY(d->fix.words, "for example");
}

void tmap_judge_copy_store_whole_units(tmap_trial *trial) {
    coordinate list[TMAP_RANK_MAX];
    if (coordinates_of(trial, list) < 1 || !breaks_store_whole_units(trial, &list[0])) return;
    tmap_diag *d = tmap_finding(trial, (int)list[0].field, list[0].entry, TMAP_ARCHS_ALL);
    if (!d) return;
    uint64_t row_B = tmap_trial_row_B(trial), past = row_B % 16;
    tmap_say_message(
        d, "a row of the tensor ends %" PRIu64 " B into a 16 B unit; the %" PRIu64 " B after it may be overwritten",
        past, 16 - past);
    TMAP_SAY(d->given, "rows of %" PRIu64 " B", row_B);
    TMAP_SAY(d->allowed, "rows of whole 16 B units, or unused memory after them");
    TMAP_SAY(d->fix.words, "keep the %" PRIu64 " B after each row as padding", 16 - past);
    tmap_say_note(d, TMAP_FIELD_DIMS, 0, "%s is set here", tmap_name_in_order(trial, TMAP_FIELD_DIMS, 0).text);
}

void tmap_judge_scatter_repeated_rows(tmap_trial *trial) {
    const int64_t *rows = trial->copy->rows;
    coordinate list[TMAP_RANK_MAX];
    if (trial->op_number != TMAP_OP_SCATTER4) return;
    for (int i = 1, n = coordinates_of(trial, list); i + 1 < n; i++) {
        int first = 0;
        while (rows[first] != rows[i]) first++;
        if (first == i || is_outside(trial, &list[1 + i])) continue;
        tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ROWS, i, TMAP_ARCHS_ALL);
        if (!d) return;
        tmap_say_message(d, "%s is row %" PRId64 ", like %s: no source states which write remains",
                         tmap_name(trial, TMAP_FIELD_ROWS, i).text, rows[i],
                         tmap_name(trial, TMAP_FIELD_ROWS, first).text);
        TMAP_SAY(d->given, "%" PRId64 " twice", rows[i]);
        TMAP_SAY(d->allowed, "four different rows");
        bool possible = trial->map->dims_el[1] <= INT32_MAX;
        if (possible) tmap_fix_set(d, TMAP_FIELD_ROWS, i, trial->map->dims_el[1]);
        TMAP_SAY(d->fix.words, possible ? "which is outside the tensor and dropped" : "give four different rows");
        return;
    }
}

typedef struct operand {
    tmap_field field; /* TMAP_FIELD_COUNT: no operand */
    int dim;
} operand;

/* The first operand of a copy that its mode or direction does not have. */
static operand foreign_operand(const tmap_trial *trial) {
    bool reads_pixels = trial->mode->im2col && !trial->op->to_global;
    bool offsets = reads_pixels && !trial->mode->wide, halo = reads_pixels && trial->mode->wide;
    for (int i = 0; !offsets && i < TMAP_RANK_MAX - 2; i++)
        if (trial->copy->offsets[i] != 0) return (operand){TMAP_FIELD_OFFSETS, i};
    if (!halo && trial->copy->w_halo) return (operand){TMAP_FIELD_W_HALO, -1};
    return (operand){!halo && trial->copy->w_offset ? TMAP_FIELD_W_OFFSET : TMAP_FIELD_COUNT, -1};
}

static const char *operands_of(const tmap_trial *trial) {
    if (trial->op->to_global || !trial->mode->im2col) return "no offsets, w_halo or w_offset";
    return trial->mode->wide ? "w_halo and w_offset" : "offsets";
}

/* The fix leaves out every operand that the mode or the direction does not have. */
static void fix_without_foreign(const tmap_trial *trial, tmap_diag *d) {
    tmap_copy_params copy = *trial->copy;
    tmap_trial left = *trial;
    left.copy = &copy;
    for (operand o = foreign_operand(&left); (int)o.field != TMAP_FIELD_COUNT; o = foreign_operand(&left)) {
        tmap_fix_leave_out(d, (int)o.field);
        if (o.field == TMAP_FIELD_OFFSETS) memset(copy.offsets, 0, sizeof copy.offsets);
        if (o.field == TMAP_FIELD_W_HALO) copy.w_halo = 0;
        if (o.field == TMAP_FIELD_W_OFFSET) copy.w_offset = 0;
    }
}

void tmap_judge_copy_offsets(tmap_trial *trial) {
    operand foreign = foreign_operand(trial);
    if ((int)foreign.field == TMAP_FIELD_COUNT) return;
    tmap_diag *d = tmap_finding(trial, (int)foreign.field, foreign.dim, TMAP_ARCHS_ALL);
    if (!d) return;
    const char *name = tmap_field_get((int)foreign.field)->name, *accepted = operands_of(trial);
    tmap_say_message(d, "%s through %s %s map does not accept %s", trial->op->name,
                     trial->map->mode == TMAP_MODE_TILED ? "a" : "an", trial->mode->name, name);
    tmap_say_values(d, name, accepted);
    bool moves = accepted[0] == 'n' && (foreign.field != TMAP_FIELD_W_HALO || trial->copy->w_offset);
    fix_without_foreign(trial, d);
    if (moves) TMAP_SAY(d->fix.words, "and add the offsets to at");
}

/* ---- Shared memory ---- */

tmap_archs tmap_windows_below(const tmap_judge *judge, uint64_t end_B, uint64_t *window_B) {
    tmap_archs chosen = judge->archs ? judge->archs : TMAP_ARCHS_ALL, small = 0;
    *window_B = UINT64_MAX;
    uint64_t largest = 0;
    const tmap_arch_info *archs = tmap_arch_get(0);
    for (int arch = 0; arch < TMAP_ARCH_COUNT; arch++) {
        uint64_t window = archs[arch].shared_window_B;
        if (window == 0) continue; /* not known */
        if (window > largest) largest = window;
        if (!(chosen >> arch & 1) || end_B <= window) continue;
        small |= (tmap_archs)1 << arch;
        if (window < *window_B) *window_B = window;
    }
    if (judge->archs) return small;
    *window_B = largest;
    return end_B > largest ? TMAP_ARCHS_ALL : 0;
}

/* The last address at which the box fits in the smallest judged window; 0 if the box fits nowhere. */
static uint64_t last_shared(const tmap_trial *trial) {
    uint64_t window, footprint = trial->derived.footprint_B, align = trial->derived.shared_align_B;
    if (align == 0) align = TMAP_LINE_B; /* nothing is derived from an invalid map */
    tmap_windows_below(trial->judge, UINT64_MAX, &window);
    return footprint < window ? (window - footprint) / align * align : 0;
}

void tmap_judge_copy_shared_align(tmap_trial *trial) {
    uint64_t shared = trial->copy->shared, past = shared % TMAP_LINE_B;
    if (!tmap_op_moves(trial->op) || past == 0) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_SHARED, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "%s is 0x%" PRIx64 ", not a multiple of 128 B", tmap_name(trial, TMAP_FIELD_SHARED, -1).text,
                     shared);
    TMAP_SAY(d->given, "0x%" PRIx64 ", %" PRIu64 " B past a multiple", shared, past);
    TMAP_SAY(d->allowed, "a multiple of 128 B");
    uint64_t align = trial->derived.shared_align_B > 0 ? trial->derived.shared_align_B : TMAP_LINE_B;
    uint64_t next = tmap_add_saturate(shared / align * align, align), last = last_shared(trial);
    tmap_fix_set(d, TMAP_FIELD_SHARED, -1, next < last ? next : last);
}

void tmap_judge_copy_shared_pattern(tmap_trial *trial) {
    uint64_t shared = trial->copy->shared, period = tmap_swizzle_period_B(trial->swizzle);
    if (!tmap_op_moves(trial->op) || period == 0 || shared % period == 0) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_SHARED, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "%s is 0x%" PRIx64 ", inside the pattern of swizzle %s, which repeats every %" PRIu64 " B",
                     tmap_name(trial, TMAP_FIELD_SHARED, -1).text, shared, trial->swizzle->name, period);
    TMAP_SAY(d->given, "0x%" PRIx64 ", base offset %" PRIu64, shared, shared % period / TMAP_LINE_B);
    TMAP_SAY(d->allowed, "a multiple of %" PRIu64 " B for readers that assume base offset 0", period);
    uint64_t next = tmap_add_saturate(shared / period * period, period), last = last_shared(trial);
    tmap_fix_say(d, TMAP_FIELD_SHARED, -1, next < last ? next : last, "or a reader that uses the base offset");
}

void tmap_judge_copy_shared_fits(tmap_trial *trial) {
    uint64_t footprint = trial->derived.footprint_B, window;
    uint64_t end_B = tmap_add_saturate(trial->copy->shared, footprint);
    if (!tmap_op_moves(trial->op) || end_B <= TMAP_LEAST_WINDOW_B) return;
    tmap_archs archs = tmap_windows_below(trial->judge, end_B, &window);
    if (archs == 0) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_SHARED, -1, archs);
    if (!d) return;
    const char *what = trial->mode->linear ? "copy" : "box";
    tmap_say_message(d, "the %s occupies %" PRIu64 " B from 0x%" PRIx64 " on; shared memory ends at 0x%" PRIx64, what,
                     footprint, trial->copy->shared, window);
    TMAP_SAY(d->given, "an end at 0x%" PRIx64, end_B);
    TMAP_SAY(d->allowed, "an end at 0x%" PRIx64 " or before", window);
    bool possible = last_shared(trial) >= TMAP_SHARED_RESERVED_B;
    if (possible) tmap_fix_set(d, TMAP_FIELD_SHARED, -1, last_shared(trial));
    if (possible)
        TMAP_SAY(d->fix.words, " at most");
    else
        TMAP_SAY(d->fix.words, "a %s of at most %" PRIu64 " B", what, window - TMAP_SHARED_RESERVED_B);
}

/* ---- Destination and multicast ---- */

static uint64_t most_mask(const tmap_trial *trial) {
    return trial->copy->qualifiers & TMAP_QUALIFIER_BIT(MULTICAST_32B) ? UINT32_MAX : UINT16_MAX;
}

void tmap_judge_copy_multicast_dst(tmap_trial *trial) {
    if (!trial->op->to_shared || trial->copy->cta_mask == 0 || trial->copy->dst == TMAP_DST_CLUSTER) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_CTA_MASK, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "a copy with cta_mask is a multicast, which writes to the cluster; dst is cta");
    TMAP_SAY(d->given, "0x%" PRIx64 " with dst: cta", trial->copy->cta_mask);
    TMAP_SAY(d->allowed, "dst: cluster");
    if (trial->copy->cta_mask <= most_mask(trial)) tmap_fix_set(d, TMAP_FIELD_DST, -1, TMAP_DST_CLUSTER);
    tmap_fix_or(d, TMAP_FIELD_CTA_MASK, -1, 0)->leave_out = true;
    tmap_say_note(d, TMAP_FIELD_DST, -1, "the destination is set here, or cta by default");
}

void tmap_judge_copy_multicast_mask(tmap_trial *trial) {
    uint64_t mask = trial->copy->cta_mask, most = most_mask(trial);
    bool wide = most > UINT16_MAX;
    if (mask <= most || !trial->op->to_shared) return; /* rule op-form reports this */
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_CTA_MASK, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "cta_mask is 0x%" PRIx64 ", which has more than %d bits", mask, wide ? 32 : 16);
    TMAP_SAY(d->given, "0x%" PRIx64, mask);
    TMAP_SAY(d->allowed, "1 to 0x%" PRIx64, most);
    tmap_fix_say(d, TMAP_FIELD_CTA_MASK, -1, mask & most ? mask & most : most, "a bit for each CTA of the cluster");
}

static void fix_without_multicast(tmap_diag *d) {
    tmap_fix_leave_out(d, TMAP_FIELD_CTA_MASK);
    TMAP_SAY(d->fix.words, "with one load in each CTA");
}

void tmap_judge_copy_multicast_arch(tmap_trial *trial) {
    if (!trial->op->to_shared || trial->copy->cta_mask == 0) return;
    tmap_archs fast = TMAP_ARCH_BIT(SM_90A) | TMAP_ARCHS_100FA;
    tmap_archs slow = TMAP_ARCHS_ALL & ~fast & ~TMAP_ARCHS_12X; /* rule copy-cluster-call reports these */
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_CTA_MASK, -1, slow);
    if (!d) return;
    tmap_say_message(d, "multicast may be much slower");
    TMAP_SAY(d->given, "0x%" PRIx64, trial->copy->cta_mask);
    TMAP_SAY(d->allowed, "multicast on sm_90a and the a and f targets of sm_100, sm_103, sm_107, sm_110");
    if (!tmap_fix_variants(trial, d, fast | TMAP_ARCHS_12X)) fix_without_multicast(d);
}

static const char *before_dst(const tmap_trial *trial) {
    return trial->judge->names == TMAP_NAMES_PTX ? ".shared::" : "dst: ";
}

static bool is_packed_or_atoms(const tmap_trial *trial) {
    return trial->type && trial->swizzle && (trial->type->unit_values > 1 || trial->swizzle->ptx_atomicity != 0);
}

void tmap_judge_copy_cluster_call(tmap_trial *trial) {
    bool multicast = trial->copy->cta_mask != 0;
    if (!trial->op->to_shared || trial->copy->dst != TMAP_DST_CLUSTER) return;
    if (!trial->form) return;
    tmap_archs slow = is_packed_or_atoms(trial) ? TMAP_ARCHS_121 : TMAP_ARCHS_12X; /* else rule copy-cluster-dst */
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_DST, -1, slow & trial->form->archs);
    if (!d) return;
    tmap_say_message(d, "ptxas compiles a %s to .shared::cluster into a call of a system routine",
                     multicast ? "multicast" : "load");
    TMAP_SAY(d->given, "%scluster%s%s", before_dst(trial), multicast ? " with " : "",
             multicast ? tmap_name(trial, TMAP_FIELD_CTA_MASK, -1).text : "");
    TMAP_SAY(d->allowed, "%scta, which is one instruction", before_dst(trial));
    tmap_fix_set(d, TMAP_FIELD_DST, -1, TMAP_DST_CTA);
    if (multicast) fix_without_multicast(d);
}

void tmap_judge_copy_cluster_dst(tmap_trial *trial) {
    bool packed = trial->type->unit_values > 1;
    if (!trial->op->to_shared || trial->copy->dst != TMAP_DST_CLUSTER || !is_packed_or_atoms(trial)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_DST, -1, TMAP_ARCHS_120);
    if (!d) return;
    tmap_say_message(d, "%s %s cannot be loaded into the cluster's shared memory", packed ? "type" : "swizzle",
                     packed ? trial->type->name : trial->swizzle->name);
    TMAP_SAY(d->given, "%scluster", before_dst(trial));
    TMAP_SAY(d->allowed, "%scta", before_dst(trial));
    tmap_fix_set(d, TMAP_FIELD_DST, -1, TMAP_DST_CTA);
    if (trial->copy->cta_mask) tmap_fix_leave_out(d, TMAP_FIELD_CTA_MASK);
}

void tmap_judge_copy_cta_group(tmap_trial *trial) {
    bool is_load = trial->op->to_shared; /* otherwise rule op-form reports this */
    tmap_diag *d = is_load && trial->copy->cta_group != 0 ? tmap_judge_bounds_finding(trial) : NULL;
    if (!d) return;
    d->fix = (tmap_fix){0};
    tmap_fix_leave_out(d, TMAP_FIELD_CTA_GROUP);
    TMAP_SAY(d->fix.words, "or give 1 or 2");
}
