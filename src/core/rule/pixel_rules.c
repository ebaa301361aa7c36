/* Rules of im2col maps and copies: corners, pixels, and the start of a walk. */
#include <inttypes.h>

#include "base/wide.h"
#include "rule/comparisons.h"
#include "rule/finding.h"
#include "rule/rules.h"

/* ---- Corners -------------------------------------------------------------------------------------------------- */

/* Bits of one entry. All entries together have 16 bits (PTX ISA 5.5.4.1). */
static int entry_bits(const tmap_image_dims *dims) {
    return dims->walked_n > 0 ? TMAP_CORNER_BITS / dims->walked_n : TMAP_CORNER_BITS;
}

static const int64_t *corner_of(const tmap_trial *trial, tmap_field field) {
    return field == TMAP_FIELD_LOWER_CORNER ? trial->map->lower_corner : trial->map->upper_corner;
}

static void judge_corner(tmap_trial *trial, tmap_field field) {
    tmap_image_dims dims = tmap_image_dims_of(trial->map);
    int64_t least = -((int64_t)1 << (entry_bits(&dims) - 1)), most = -least - 1;
    for (int i = 0; i < dims.walked_n; i++) {
        int64_t value = corner_of(trial, field)[i];
        if (value >= least && value <= most) continue;
        tmap_diag *d = tmap_finding(trial, (int)field, i, TMAP_ARCHS_ALL);
        if (!d) continue;
        tmap_word name = tmap_name(trial, field, i);
        tmap_say_message(d, "%s is %" PRId64 "; with %d corner dimension%s it must be %" PRId64 " to %" PRId64,
                         name.text, value, dims.walked_n, dims.walked_n == 1 ? "" : "s", least, most);
        TMAP_SAY(d->given, "%" PRId64, value);
        TMAP_SAY(d->allowed, "%" PRId64 " to %" PRId64, least, most);
        tmap_fix_map(trial, d, field, i, (uint64_t)(value < least ? least : most));
    }
}

void tmap_judge_corner_range(tmap_trial *trial) {
    judge_corner(trial, TMAP_FIELD_LOWER_CORNER);
    judge_corner(trial, TMAP_FIELD_UPPER_CORNER);
}

static tmap_i128 box_end(const tmap_trial *trial, int dim, int corner) {
    return (tmap_i128)trial->map->dims_el[dim] + trial->map->upper_corner[corner];
}

void tmap_judge_corner_area(tmap_trial *trial) {
    tmap_image_dims dims = tmap_image_dims_of(trial->map);
    for (int i = 0; i < dims.walked_n; i++) {
        int64_t lower = trial->map->lower_corner[i];
        tmap_i128 end = box_end(trial, dims.first_spatial + i, i);
        if (!breaks_corner_area(trial, i)) continue;
        tmap_diag *d = tmap_finding(trial, TMAP_FIELD_UPPER_CORNER, i, TMAP_ARCHS_ALL);
        if (!d) continue;
        tmap_say_message(d, "the pixel box is empty: it begins at %" PRId64 " and ends before %s", lower,
                         tmap_number(end).text);
        TMAP_SAY(d->given, "lower corner %" PRId64 ", size + upper corner %s", lower, tmap_number(end).text);
        TMAP_SAY(d->allowed, "a lower corner below size + upper corner");
        TMAP_SAY(d->fix.words, " at least");
        tmap_fix_map(trial, d, TMAP_FIELD_UPPER_CORNER, i,
                     1 + (uint64_t)lower - trial->map->dims_el[dims.first_spatial + i]);
        tmap_say_note(d, TMAP_FIELD_LOWER_CORNER, i, "the pixel box begins here");
        tmap_say_note(d, TMAP_FIELD_DIMS, dims.first_spatial + i, "the size is set here");
    }
}

/* Suggests 0 for every corner that reaches outside. */
static void fix_inside(const tmap_trial *trial, tmap_diag *d, const tmap_image_dims *dims) {
    for (int i = 0; i < 2 * dims->walked_n; i++) {
        int corner = i / 2;
        bool lower = i % 2 == 0;
        if (lower ? trial->map->lower_corner[corner] >= 0 : trial->map->upper_corner[corner] <= 0) continue;
        tmap_fix_set(d, lower ? TMAP_FIELD_LOWER_CORNER : TMAP_FIELD_UPPER_CORNER, corner, 0);
    }
    TMAP_SAY(d->fix.words, "in a separate map for stores");
}

void tmap_judge_im2col_store_corners(tmap_trial *trial) {
    tmap_image_dims dims = tmap_image_dims_of(trial->map);
    if (!trial->op->to_global) return;
    for (int i = 0; i < dims.walked_n; i++) {
        int64_t lower = trial->map->lower_corner[i], upper = trial->map->upper_corner[i];
        if (lower >= 0 && upper <= 0) continue;
        tmap_field field = lower < 0 ? TMAP_FIELD_LOWER_CORNER : TMAP_FIELD_UPPER_CORNER;
        tmap_diag *d = trial->copy ? tmap_finding(trial, TMAP_FIELD_OP, -1, TMAP_ARCHS_ALL)
                                   : tmap_finding(trial, (int)field, i, TMAP_ARCHS_ALL);
        if (!d) return;
        tmap_say_message(d, "%s: the pixel box extends outside the image, where a copy cannot write", trial->op->name);
        TMAP_SAY(d->given, "lower corner %" PRId64 ", upper corner %" PRId64, lower, upper);
        TMAP_SAY(d->allowed, "a lower corner of 0 or more, an upper corner of 0 or less");
        fix_inside(trial, d, &dims);
        if (trial->copy)
            tmap_say_note(d, (int)field, i, "the map's %s is set here", tmap_name_in_order(trial, field, i).text);
        else
            tmap_say_note(d, TMAP_FIELD_OPS, -1, "ops includes %s", trial->op->name);
        return;
    }
}

/* ---- Columns -------------------------------------------------------------------------------------------------- */

void tmap_judge_channels_range(tmap_trial *trial) {
    if (trial->interleave->slice_B == 0) tmap_judge_row_bounds(trial);
}

void tmap_judge_channels_ignored(tmap_trial *trial) {
    uint64_t slice_B = trial->interleave->slice_B, channels = trial->map->channels_per_pixel;
    uint64_t fits = slice_B * 8 / (uint64_t)trial->type->bits;
    if (slice_B == 0 || channels == fits) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_CHANNELS_PER_PIXEL, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(
        d, "channels_per_pixel is %" PRIu64 ", but interleave %s copies one slice of %" PRIu64 " B of each pixel",
        channels, trial->interleave->name, slice_B);
    TMAP_SAY(d->given, "%" PRIu64 " channels", channels);
    TMAP_SAY(d->allowed, "%" PRIu64 ", the channels that the copy moves", fits);
    tmap_fix_map(trial, d, TMAP_FIELD_CHANNELS_PER_PIXEL, -1, fits);
    tmap_say_note(d, TMAP_FIELD_INTERLEAVE, -1, "interleave is set here");
}

void tmap_judge_pixels_range(tmap_trial *trial) {
    if (trial->map->mode != TMAP_MODE_IM2COL_W128) tmap_judge_bounds(trial);
}

void tmap_judge_pixels_ignored(tmap_trial *trial) {
    uint64_t pixels = trial->map->pixels_per_column;
    if (trial->map->mode != TMAP_MODE_IM2COL_W128 || pixels == 128) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_PIXELS_PER_COLUMN, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "pixels_per_column is %" PRIu64 ", but a column of im2col_w128 has 128 pixels", pixels);
    TMAP_SAY(d->given, "%" PRIu64 " pixels", pixels);
    TMAP_SAY(d->allowed, "128, the pixels that the copy moves");
    tmap_fix_set(d, TMAP_FIELD_PIXELS_PER_COLUMN, -1, TMAP_W128_PIXELS);
}

/* ---- The wide modes ------------------------------------------------------------------------------------------- */

void tmap_judge_mode_arch(tmap_trial *trial) {
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_MODE, -1, TMAP_ARCHS_ALL & ~trial->mode->archs);
    if (!d) return;
    TMAP_SAY(d->message, "mode %s", trial->mode->name);
    tmap_say_missing(d, trial->mode->archs);
    tmap_say_values(d, trial->mode->name, "tiled and im2col");
    tmap_map_params other = *trial->map;
    other.mode = TMAP_MODE_IM2COL;
    int corners_n = tmap_image_dims_of(&other).walked_n;
    for (int i = 1; i < corners_n; i++) other.lower_corner[i] = other.upper_corner[i] = 0;
    tmap_fix_set(d, TMAP_FIELD_MODE, -1, TMAP_MODE_IM2COL);
    /* A wide mode has only the corner of w. The value 0 keeps the other spatial dimensions whole. */
    if (corners_n == 2 || corners_n == 3) { /* after a row, the walk of a wide mode goes to the next image */
        tmap_fix_list(d, TMAP_FIELD_LOWER_CORNER, (const uint64_t *)other.lower_corner, corners_n);
        tmap_fix_list(d, TMAP_FIELD_UPPER_CORNER, (const uint64_t *)other.upper_corner, corners_n);
        TMAP_SAY(d->fix.words, "which continues with the next h, not with the next n");
    }
    tmap_fix_tried(trial, d, &other);
}

void tmap_judge_wide_interleave(tmap_trial *trial) {
    if (trial->interleave->slice_B == 0) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_INTERLEAVE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "interleave is %s; mode %s does not support interleave", trial->interleave->name,
                     trial->mode->name);
    tmap_say_values(d, trial->interleave->name, "none");
    tmap_fix_map(trial, d, TMAP_FIELD_INTERLEAVE, -1, TMAP_INTERLEAVE_NONE);
    tmap_say_note(d, TMAP_FIELD_MODE, -1, "mode is set here");
}

#define SWIZZLE_BIT(id) (1u << TMAP_SWIZZLE_##id)

void tmap_judge_wide_swizzle(tmap_trial *trial) {
    unsigned taken = SWIZZLE_BIT(64B) | SWIZZLE_BIT(128B) | SWIZZLE_BIT(128B_ATOM_32B);
    if (trial->map->mode == TMAP_MODE_IM2COL_W) taken |= SWIZZLE_BIT(96B);
    if (taken >> trial->map->swizzle & 1) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_SWIZZLE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "swizzle is %s; mode %s requires 64B, 128B or 128B_atom32B", trial->swizzle->name,
                     trial->mode->name);
    tmap_say_values(d, trial->swizzle->name, "64B, 128B, 128B_atom32B");
    tmap_fix_map(trial, d, TMAP_FIELD_SWIZZLE, -1, TMAP_SWIZZLE_128B);
    tmap_say_note(d, TMAP_FIELD_MODE, -1, "mode is set here");
}

/* ---- Copies --------------------------------------------------------------------------------------------------- */

/* The last pixel of a walk from the lower corner. A fix names this pixel; the instruction accepts any pixel in the
 * pixel box. */
static tmap_i128 last_walked(const tmap_trial *trial, int dim, int corner) {
    tmap_i128 last = box_end(trial, dim, corner) - 1, least = trial->map->lower_corner[corner];
    uint64_t step = trial->map->element_strides[dim];
    return step > 1 && last > least ? last - (last - least) % (tmap_i128)step : last;
}

/* has_least: the lower corner is the smallest coordinate; otherwise a copy may start before it. */
static void judge_start(tmap_trial *trial, int corner, bool has_least) {
    tmap_image_dims dims = tmap_image_dims_of(trial->map);
    int dim = dims.first_spatial + corner;
    int64_t start = trial->copy->at[dim], least = trial->map->lower_corner[corner];
    tmap_i128 end = box_end(trial, dim, corner);
    if (!breaks_start(trial, corner) || tmap_trial_failed(trial, TMAP_FIELD_AT, dim)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_AT, dim, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_word last = tmap_number(end - 1);
    tmap_say_message(d, "%s is %" PRId64 "; the pixel box is %" PRId64 " to %s",
                     tmap_name_axis(trial, TMAP_FIELD_AT, dim).text, start, least, last.text);
    TMAP_SAY(d->given, "%" PRId64, start);
    TMAP_SAY(d->allowed, has_least ? "%s" : "%s or less", has_least ? tmap_range(least, end - 1).text : last.text);
    tmap_fix_say(d, TMAP_FIELD_AT, dim, (uint64_t)(start >= end ? last_walked(trial, dim, corner) : (tmap_i128)least),
                 "with the position in the filter as %s",
                 tmap_name(trial, has_least ? TMAP_FIELD_OFFSETS : TMAP_FIELD_W_OFFSET, -1).text);
    tmap_say_note(d, TMAP_FIELD_LOWER_CORNER, corner, "the corners of the pixel box are set here");
}

static bool has_all_coordinates(const tmap_trial *trial) {
    return trial->copy->at_n >= 0 && (uint64_t)trial->copy->at_n == trial->map->rank;
}

void tmap_judge_im2col_start(tmap_trial *trial) {
    if (trial->op->on_map || trial->op->four_rows || !has_all_coordinates(trial)) return;
    for (int i = 0; i < tmap_image_dims_of(trial->map).walked_n; i++) judge_start(trial, i, true);
}

void tmap_judge_wide_start(tmap_trial *trial) {
    if (trial->op->on_map || trial->op->four_rows || !has_all_coordinates(trial)) return;
    for (int i = 0; i < tmap_image_dims_of(trial->map).walked_n; i++) judge_start(trial, i, false);
}

/* The first row of the walk starts at the copy's coordinate, later rows at the lower corner. */
static void judge_start_step(tmap_trial *trial, int corner) {
    tmap_image_dims dims = tmap_image_dims_of(trial->map);
    int dim = dims.first_spatial + corner;
    int64_t start = trial->copy->at[dim], lower = trial->map->lower_corner[corner];
    int64_t step = (int64_t)trial->map->element_strides[dim];
    if (!breaks_start_step(trial, corner) || tmap_trial_failed(trial, TMAP_FIELD_AT, dim)) return;
    int64_t past = tmap_past_multiple((tmap_i128)start - lower, step);
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_AT, dim, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d,
                     "%s is %" PRId64 ", between the steps of %" PRId64 " from the lower corner, %" PRId64
                     ": the walk visits other positions in its first row than in later rows",
                     tmap_name_axis(trial, TMAP_FIELD_AT, dim).text, start, step, lower);
    TMAP_SAY(d->given, "%" PRId64 ", %" PRId64 " past a step", start, past);
    TMAP_SAY(d->allowed, "%" PRId64 " + a multiple of %" PRId64, lower, step);
    tmap_fix_set(d, TMAP_FIELD_AT, dim, (uint64_t)(start - past));
    tmap_say_note(d, TMAP_FIELD_ELEMENT_STRIDES, dim, "the step is set here");
}

void tmap_judge_im2col_start_step(tmap_trial *trial) {
    if (trial->op->on_map || trial->op->four_rows || !has_all_coordinates(trial)) return;
    for (int i = 0; i < tmap_image_dims_of(trial->map).walked_n; i++) judge_start_step(trial, i);
}

void tmap_judge_offset_range(tmap_trial *trial) {
    tmap_image_dims dims = tmap_image_dims_of(trial->map);
    int64_t most = ((int64_t)1 << entry_bits(&dims)) - 1;
    for (int i = 0; i < dims.walked_n; i++) {
        int64_t value = trial->copy->offsets[i];
        if (value >= 0 && value <= most) continue;
        tmap_diag *d = tmap_finding(trial, TMAP_FIELD_OFFSETS, i, TMAP_ARCHS_ALL);
        if (!d) continue;
        tmap_say_message(d, "%s is %" PRId64 "; with %d offset%s each must be 0 to %" PRId64,
                         tmap_name(trial, TMAP_FIELD_OFFSETS, i).text, value, dims.walked_n, TMAP_PLURAL(dims.walked_n),
                         most);
        TMAP_SAY(d->given, "%" PRId64, value);
        TMAP_SAY(d->allowed, "0 to %" PRId64, most);
        tmap_fix_say(d, TMAP_FIELD_OFFSETS, i, value < 0 ? 0 : (uint64_t)most, "and the rest in %s",
                     tmap_name(trial, TMAP_FIELD_AT, -1).text);
    }
}

static void judge_operand(tmap_trial *trial, tmap_field field, uint64_t value, uint64_t end) {
    if (value < end) return;
    tmap_diag *d = tmap_finding(trial, (int)field, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "%s is %" PRIu64 "; mode %s requires less than %" PRIu64, tmap_name(trial, field, -1).text,
                     value, trial->mode->name, end);
    TMAP_SAY(d->given, "%" PRIu64 " pixels", value);
    TMAP_SAY(d->allowed, "0 to %" PRIu64, end - 1);
    tmap_fix_set(d, (int)field, -1, end - 1);
}

void tmap_judge_halo_range(tmap_trial *trial) {
    uint64_t halo_end = trial->map->mode == TMAP_MODE_IM2COL_W128 ? 32 : 512;
    judge_operand(trial, TMAP_FIELD_W_HALO, trial->copy->w_halo, halo_end);
    judge_operand(trial, TMAP_FIELD_W_OFFSET, trial->copy->w_offset, 32);
}

/* copy-inner-align and copy-inner-packed judge packed values of less than a byte. */
void tmap_judge_channel_align(tmap_trial *trial) {
    coordinate list[TMAP_RANK_MAX] = {{.entry = 0}};
    if (trial->interleave->slice_B || trial->type->bits < 8 || coordinates_of(trial, list) == 0) return;
    if (!breaks_first_step(trial, &list[0])) return;
    int64_t step = first_step(trial), channel = trial->copy->at[0];
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_AT, 0, TMAP_ARCHS_ALL);
    if (!d) return;
    int64_t below = channel - tmap_past_multiple(channel, step);
    tmap_say_message(
        d, "%s is %" PRId64 ", not a multiple of %" PRId64 " (16 B); tiled copies trap, im2col is not measured",
        tmap_name_axis(trial, TMAP_FIELD_AT, 0).text, channel, step);
    TMAP_SAY(d->given, "%" PRId64, channel);
    TMAP_SAY(d->allowed, "a multiple of %" PRId64 ", which is safe", step);
    tmap_fix_set(d, TMAP_FIELD_AT, 0, (uint64_t)below);
    tmap_fix_or(d, TMAP_FIELD_AT, 0, (uint64_t)(below + step));
}
