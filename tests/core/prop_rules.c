/*
 * Rules against a second reading of the documents: the generator's maps and copies pass. Maps with one or two wrong
 * numbers pass if and only if the ranges of cuTensorMapEncodeTiled, repeated here, allow them. Garbage never crashes
 * and never passes. The test applies every fix that is printed for a wrong map (prop/fixes.h).
 *
 *   prop_rules [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prop/finding.h"
#include "prop/fixes.h"
#include "tmap/unstable/counts.h"

/* ---- The documented ranges ------------------------------------------------------------------------------------ */

/* CUDA Driver API, "Tensor Map Object Management", cuTensorMapEncodeTiled, Im2col and Im2colWide; the numbers are
 * CUtensorMapDataType's. */
enum { TILED, PIXELS, WIDE, WIDE_128, MODES_N };
enum { U4_ALIGN8 = 13, U4_ALIGN16 = 14, U6_ALIGN16 = 15, TYPES_N = 16, SWIZZLES_N = 8 };

static const uint64_t bits_of_type[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};
_Static_assert(sizeof bits_of_type / sizeof *bits_of_type == TYPES_N, "a size for every type");

static bool is_float(int type) {
    return type >= 6 && type <= 12;
}

static bool aligned_to_16_values(int type) {
    return type == U4_ALIGN16 || type == U6_ALIGN16;
}

static bool choices_exist(const tmap_map_params *map) {
    return (unsigned)map->mode < MODES_N && (unsigned)map->type < TYPES_N && (unsigned)map->interleave <= 2 &&
           (unsigned)map->swizzle < SWIZZLES_N && (unsigned)map->l2_promotion <= 3 && (unsigned)map->oob_fill <= 1;
}

static bool rank_fits(const tmap_map_params *map) {
    if ((int)map->mode != TILED && map->rank < 3) return false;
    return map->rank >= 1 && map->rank <= 5 && (map->interleave == 0 || map->rank >= 3);
}

static bool addresses_fit(const tmap_map_params *map) {
    uint64_t align = (int)map->interleave == 2 || aligned_to_16_values((int)map->type) ? 32 : 16;
    if (map->has_address && map->address % align != 0) return false;
    for (uint64_t i = 0; i + 1 < map->rank; i++)
        if (map->strides_B[i] % align != 0 || map->strides_B[i] >= 1099511627776u) return false;
    return true;
}

static bool dims_fit(const tmap_map_params *map) {
    for (uint64_t i = 0; i < map->rank; i++)
        if (map->dims_el[i] < 1 || map->dims_el[i] > 4294967296u) return false;
    if (aligned_to_16_values((int)map->type)) return map->dims_el[0] % 128 == 0;
    return (int)map->type != U4_ALIGN8 || map->dims_el[0] % 2 == 0;
}

/* The number of values in a row of shared memory: of a box row, or of a pixel. */
static uint64_t row_values(const tmap_map_params *map) {
    return (int)map->mode == TILED ? map->box_el[0] : map->channels_per_pixel;
}

static uint64_t inner_bits(const tmap_map_params *map) {
    return row_values(map) * bits_of_type[map->type];
}

/*
 * "[-2^15, 2^15-1], [-2^7, 2^7-1], [-2^4, 2^4-1]" for corners of one, two and three numbers, and a box between the
 * corners that is not empty.
 */
static bool corners_fit(const tmap_map_params *map) {
    static const int64_t limits[4] = {0, 32768, 128, 16};
    int n = (int)map->mode == PIXELS ? (int)map->rank - 2 : 1, first = (int)map->interleave == 0 ? 1 : 0;
    for (int i = 0; i < n; i++) {
        int64_t lower = map->lower_corner[i], upper = map->upper_corner[i];
        if (lower < -limits[n] || lower >= limits[n] || upper < -limits[n] || upper >= limits[n]) return false;
        if (lower >= (int64_t)map->dims_el[first + i] + upper) return false;
    }
    return true;
}

static bool column_fits(const tmap_map_params *map) {
    bool sliced = map->interleave != 0, wide = (int)map->mode >= WIDE;
    if (!corners_fit(map)) return false;
    if (!sliced && (map->channels_per_pixel < 1 || map->channels_per_pixel > 256)) return false;
    if ((int)map->mode != WIDE_128 && (map->pixels_per_column < 1 || map->pixels_per_column > 1024)) return false;
    if (!wide) return true;
    /* 64B, 128B and 128B with 32-byte atoms; PTX has 96B for im2col::w. */
    bool swizzle = (int)map->swizzle >= 2 && (int)map->swizzle <= 4;
    return !sliced && (swizzle || ((int)map->swizzle == 7 && (int)map->mode == WIDE));
}

static bool box_fits(const tmap_map_params *map) {
    if ((int)map->mode != TILED && !column_fits(map)) return false;
    for (uint64_t i = 0; i < map->rank && (int)map->mode == TILED; i++)
        if (map->box_el[i] < 1 || map->box_el[i] > 256) return false;
    if (aligned_to_16_values((int)map->type) && row_values(map) != 128) return false;
    if (map->interleave != 0) return true;
    return inner_bits(map) % 128 == 0;
}

static bool element_strides_fit(const tmap_map_params *map) {
    for (uint64_t i = map->interleave == 0 ? 1 : 0; i < map->rank; i++)
        if (map->element_strides[i] < 1 || map->element_strides[i] > 8) return false;
    return true;
}

/* Numbers of CUtensorMapSwizzle: 1, 2, 3 are 32B, 64B, 128B; 4, 5, 6 128B with other atoms. 7 is PTX's 96B. */
static bool box_fits_swizzle(const tmap_map_params *map) {
    static const uint64_t widest_B[] = {0, 32, 64, 128, 128, 128, 128, 96};
    _Static_assert(sizeof widest_B / sizeof *widest_B == SWIZZLES_N, "a span for every swizzle");
    if (map->swizzle == 0 || map->interleave != 0 || aligned_to_16_values((int)map->type)) return true;
    return inner_bits(map) <= widest_B[map->swizzle] * 8;
}

static bool swizzle_fits(const tmap_map_params *map) {
    int type = (int)map->type, swizzle = (int)map->swizzle;
    if ((int)map->interleave == 2 && swizzle != 1 && (swizzle != 4 || aligned_to_16_values(type)))
        return false; /* 4: driver 580 */
    if (type == U6_ALIGN16 && map->interleave != 0) return false;
    /* 64B in the wide modes: CUDA driver API 13.2 and later. */
    if (type == U6_ALIGN16 && (int)map->mode >= WIDE && swizzle == 2) return true;
    if (type == U6_ALIGN16) return swizzle == 0 || swizzle == 3 || swizzle == 4 || swizzle == 6;
    if (type == U4_ALIGN16) return swizzle == 0 || swizzle == 3 || swizzle == 4;
    if (swizzle == 7) return map->interleave == 0;
    return true;
}

static bool fill_fits(const tmap_map_params *map) {
    return map->oob_fill == 0 || is_float((int)map->type);
}

/* For a map without an intended operation. */
static bool documented(const tmap_map_params *map) {
    return choices_exist(map) && rank_fits(map) && addresses_fit(map) && dims_fit(map) && box_fits(map) &&
           element_strides_fit(map) && box_fits_swizzle(map) && swizzle_fits(map) && fill_fits(map);
}

/* ---- Wrong numbers -------------------------------------------------------------------------------------------- */

static uint64_t odd_number(tmap_random *random) {
    static const uint64_t numbers[] = {
        0,
        1,
        2,
        3,
        7,
        8,
        9,
        15,
        16,
        17,
        24,
        31,
        32,
        33,
        48,
        64,
        80,
        96,
        112,
        127,
        128,
        129,
        160,
        255,
        256,
        257,
        512,
        4294967295,
        4294967296,
        4294967297,
        1ull << 36,
        (1ull << 40) - 32,
        (1ull << 40) - 16,
        1ull << 40,
        1ull << 48,
        1ull << 63,
        UINT64_MAX,
        UINT64_MAX - 15,
    };
    uint64_t pick = tmap_random_between(random, 0, sizeof numbers / sizeof *numbers);
    return pick < sizeof numbers / sizeof *numbers ? numbers[pick] : tmap_random_next(random);
}

static int64_t odd_corner(tmap_random *random) {
    static const int64_t numbers[] = {-32769, -32768, -129, -128, -17, -16, -1, 0, 1, 15, 16, 127, 128, 32767, 32768};
    uint64_t pick = tmap_random_between(random, 0, sizeof numbers / sizeof *numbers);
    return pick < sizeof numbers / sizeof *numbers ? numbers[pick] : (int64_t)odd_number(random);
}

static int odd_choice(tmap_random *random, int count) {
    static const int numbers[] = {-1, 255, 256, 1 << 30, INT32_MIN, INT32_MAX};
    uint64_t pick = tmap_random_between(random, 0, 31);
    return pick < 6 ? numbers[pick] : (int)tmap_random_between(random, 0, (uint64_t)count);
}

static void disturb(tmap_random *random, tmap_map_params *map) {
    uint64_t dim = tmap_random_between(random, 0, map->rank <= TMAP_RANK_MAX && map->rank > 0 ? map->rank - 1 : 4);
    switch (tmap_random_between(random, 0, 15)) {
    case 0: map->dims_el[dim] = odd_number(random); break;
    case 1: map->strides_B[dim % (TMAP_RANK_MAX - 1)] = odd_number(random); break;
    case 2: map->box_el[dim] = odd_number(random); break;
    case 3: map->element_strides[dim] = odd_number(random); break;
    case 4: map->box_el[0] = odd_number(random); break;
    case 5: map->address = odd_number(random); break;
    case 6:
        map->rank = tmap_random_between(random, 0, 1) ? tmap_random_between(random, 0, 6) : odd_number(random);
        break;
    case 7: map->type = (tmap_type)odd_choice(random, TMAP_TYPE_COUNT); break;
    case 8: map->swizzle = (tmap_swizzle)odd_choice(random, TMAP_SWIZZLE_COUNT); break;
    case 9: map->interleave = (tmap_interleave)odd_choice(random, TMAP_INTERLEAVE_COUNT); break;
    case 10: map->oob_fill = (tmap_oob_fill)odd_choice(random, TMAP_OOB_FILL_COUNT); break;
    case 11: map->lower_corner[dim % 3] = odd_corner(random); break;
    case 12: map->upper_corner[dim % 3] = odd_corner(random); break;
    case 13: map->channels_per_pixel = odd_number(random); break;
    case 14: map->pixels_per_column = odd_number(random); break;
    default: map->l2_promotion = (tmap_l2_promotion)odd_choice(random, TMAP_L2_PROMOTION_COUNT); break;
    }
}

static bool judge_map(const tmap_map_params *map, prop_failure *failure, bool *passes) {
    tmap_diag findings[16];
    tmap_diags diags = {.items = findings, .capacity = 16, .fixed = true};
    tmap_status status = tmap_check_map(map, NULL, &diags);
    *passes = status == TMAP_OK;
    if (status != TMAP_OK && status != TMAP_REFUSED)
        return prop_fail(failure, "the check returns \"%s\"", tmap_status_name(status));
    if (*passes != (diags.by_severity[TMAP_ERROR] == 0))
        return prop_fail(failure, "the check returns \"%s\" with %zu errors", tmap_status_name(status),
                         diags.by_severity[TMAP_ERROR]);
    for (size_t i = 0; i < diags.count; i++)
        if (finding_fault(&findings[i]))
            return prop_fail(failure, "%s: %s", findings[i].rule, finding_fault(&findings[i]));
    return true;
}

static bool check_disturbed(const tmap_map_params *map, prop_failure *failure, uint64_t *passed_n, uint64_t *fixes_n) {
    bool passes;
    if (!judge_map(map, failure, &passes)) return false;
    if (!fixes_work(&(judged_case){.map = *map}, fixes_n, failure)) return false;
    *passed_n += passes;
    if (passes == documented(map)) return true;
    if (passes) return prop_fail(failure, "the rules accept a map that the documents forbid");
    return prop_fail_refused(failure, "a map that the documents allow", map, NULL);
}

static bool disturbed_maps(const prop_options *options, uint64_t *passed_n, uint64_t *fixes_n) {
    for (uint64_t i = 0; i < options->cases; i++) {
        tmap_random random = prop_random(options, i);
        tmap_map_params map;
        prop_failure failure = {{0}};
        tmap_random_map(&random, false, &map);
        for (uint64_t n = tmap_random_between(&random, 1, 2); n > 0; n--) disturb(&random, &map);
        if (check_disturbed(&map, &failure, passed_n, fixes_n)) continue;
        prop_print_case(options, i, &failure, &map, NULL);
        return false;
    }
    return true;
}

/* ---- Wrong copies: the fixes that are printed ----------------------------------------------------------------- */

static void disturb_copy(tmap_random *random, tmap_copy_params *copy) {
    uint64_t dim = tmap_random_between(random, 0, TMAP_RANK_MAX - 1);
    switch (tmap_random_between(random, 0, 9)) {
    case 0: copy->at[dim] = (int64_t)odd_number(random); break;
    case 1: copy->at[0] += 1; break;
    case 2: copy->at[dim] = -(int64_t)tmap_random_between(random, 1, 300); break;
    case 3: copy->shared = odd_number(random); break;
    case 4: copy->shared += 128; break;
    case 5: copy->cta_mask = odd_number(random); break;
    case 6: copy->dst = copy->dst == TMAP_DST_CTA ? TMAP_DST_CLUSTER : TMAP_DST_CTA; break;
    case 7: copy->cta_group = odd_number(random); break;
    case 8: copy->rows[dim % 4] = (int64_t)odd_number(random); break;
    default: copy->offsets[dim % 3] = (int64_t)odd_number(random); break;
    }
}

static bool disturbed_copies(const prop_options *options, uint64_t *fixes_n) {
    for (uint64_t i = 0; i < options->cases; i++) {
        tmap_random random = prop_random(options, i);
        judged_case judged = {.has_copy = true};
        prop_failure failure = {{0}};
        tmap_random_map(&random, false, &judged.map);
        tmap_random_copy(&random, &judged.map, &judged.copy);
        for (uint64_t n = tmap_random_between(&random, 1, 2); n > 0; n--) disturb_copy(&random, &judged.copy);
        if (fixes_work(&judged, fixes_n, &failure)) continue;
        prop_print_case(options, i, &failure, &judged.map, &judged.copy);
        return false;
    }
    return true;
}

/* ---- Copies without a tensor map ------------------------------------------------------------------------------- */

static void disturb_linear(tmap_random *random, judged_case *at, int64_t element_B) {
    tmap_copy_params *copy = &at->copy;
    int64_t step = 16 / element_B, kind = (int64_t)tmap_random_between(random, 0, 6);
    int64_t shift = kind < 3 ? (int64_t)tmap_random_between(random, 0, (uint64_t)step - 1) : 0;
    at->map.address += (uint64_t)(shift * element_B);
    copy->at[0] -= shift; /* the copy is aligned, and the memory is not */
    switch (kind) {
    case 0: copy->at[0] -= step * (int64_t)tmap_random_between(random, 0, 80); break;
    case 1: copy->at[0] += step * (int64_t)tmap_random_between(random, 0, 80); break;
    case 2: copy->size_B += 16 * tmap_random_between(random, 1, 80); break;
    case 3: copy->at[0] += (int64_t)tmap_random_between(random, 1, (uint64_t)step - 1); break;
    case 4: copy->size_B -= tmap_random_between(random, 1, 15); break;
    case 5: copy->shared += tmap_random_between(random, 1, 15); break;
    default: at->map.address = 16 * tmap_random_between(random, 1, 1 << 15), copy->dst = TMAP_DST_CLUSTER; break;
    }
}

/* The number of a field of the copy after the fix, whose edits are of one alternative. */
static int64_t after_fix(const tmap_diag *diag, int field, int64_t before) {
    for (int i = 0; i < diag->fix.edits_n; i++)
        if (diag->fix.edits[i].field == field) return (int64_t)diag->fix.edits[i].value;
    return before;
}

/*
 * The fix of linear-range keeps the bytes inside the memory at their shared addresses: it omits the fewest units of 16
 * bytes at the start, then the fewest bytes at the end. A copy after the memory gets the last possible start.
 */
static bool part_is_largest(const judged_case *at, const tmap_diag *diag, int64_t element_B) {
    const tmap_copy_params *copy = &at->copy;
    int64_t memory = (int64_t)at->map.dims_el[0] * element_B, first = copy->at[0] * element_B;
    int64_t left = (int64_t)copy->ignore_left_B, right = (int64_t)copy->ignore_right_B;
    int64_t size = (int64_t)copy->size_B, end = first + size, cut = 0;
    while (first + left < 0 && first + cut < 0) cut += 16;
    int64_t stop = end - right > memory ? memory : end, largest = (stop - first - cut) / 16 * 16;
    int64_t begins = after_fix(diag, TMAP_FIELD_AT, copy->at[0]) * element_B;
    int64_t aligned = -(int64_t)at->map.address & 15; /* the first byte at which a copy can start */
    bool moves = first >= 0 && first + left >= memory && aligned + size <= memory;
    if (largest < 16 && !moves) return diag->fix.edits_n == 0;
    if (largest < 16) return begins >= 0 && begins + size <= memory && begins + size + 16 > memory;
    int64_t shared = (int64_t)copy->shared + (tmap_op_moves(tmap_op_get((int)copy->op)) ? cut : 0);
    return begins == first + cut && after_fix(diag, TMAP_FIELD_SIZE, size) == largest &&
           after_fix(diag, TMAP_FIELD_SHARED, (int64_t)copy->shared) == shared &&
           after_fix(diag, TMAP_FIELD_IGNORE_LEFT, left) == (cut > 0 ? 0 : left) &&
           after_fix(diag, TMAP_FIELD_IGNORE_RIGHT, right) == (begins + largest < end ? 0 : right);
}

static bool parts_are_largest(const judged_case *at, int64_t element_B, prop_failure *failure) {
    tmap_diag findings[8];
    tmap_diags diags = {.items = findings, .capacity = 8, .fixed = true};
    if (tmap_check_map(&at->map, NULL, NULL) == TMAP_OK) tmap_check_copy(&at->map, &at->copy, NULL, &diags);
    for (size_t i = 0; i < diags.count; i++)
        if (strcmp(findings[i].rule, "linear-range") == 0 && !part_is_largest(at, &findings[i], element_B))
            return prop_fail(failure, "%s: the fix keeps another part of the copy", findings[i].message);
    return true;
}

static bool disturbed_linear(const prop_options *options, uint64_t *fixes_n) {
    for (uint64_t i = 0; i < options->cases; i++) {
        tmap_random random = prop_random(options, i);
        judged_case judged = {.has_copy = true};
        prop_failure failure = {{0}};
        tmap_random_linear(&random, &judged.map, &judged.copy);
        int64_t element_B = (int64_t)bits_of_type[judged.map.type] / 8;
        disturb_linear(&random, &judged, element_B);
        if (fixes_work(&judged, fixes_n, &failure) && parts_are_largest(&judged, element_B, &failure)) continue;
        prop_print_case(options, i, &failure, &judged.map, &judged.copy);
        return false;
    }
    return true;
}

/* ---- The generator and garbage -------------------------------------------------------------------------------- */

static bool check_generated(const tmap_map_params *map, const tmap_copy_params *copy, prop_failure *failure) {
    bool passes;
    if (!judge_map(map, failure, &passes)) return false;
    if (!passes) return prop_fail_refused(failure, "a generated map", map, NULL);
    if (map->mode != TMAP_MODE_LINEAR && !documented(map))
        return prop_fail(failure, "a generated map is not in the documented ranges");
    if (tmap_check_copy(map, copy, NULL, NULL) != TMAP_OK)
        return prop_fail_refused(failure, "a generated copy", map, copy);
    return true;
}

static bool generated(const prop_options *options) {
    for (uint64_t i = 0; i < options->cases; i++) {
        tmap_random random = prop_random(options, i);
        tmap_map_params map;
        tmap_copy_params copy;
        prop_failure failure = {{0}};
        if (i % 16 == 15) {
            tmap_random_linear(&random, &map, &copy);
        } else {
            tmap_random_map(&random, i % 2 == 0, &map);
            tmap_random_copy(&random, &map, &copy);
        }
        if (check_generated(&map, &copy, &failure)) continue;
        prop_print_case(options, i, &failure, &map, &copy);
        return false;
    }
    return true;
}

static void fill(tmap_random *random, void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) ((uint8_t *)bytes)[i] = (uint8_t)tmap_random_next(random);
}

static tmap_map_params garbage_map(tmap_random *random) {
    tmap_map_params map;
    memset(&map, 0, sizeof map);
    fill(random, map.dims_el, sizeof map.dims_el);
    fill(random, map.strides_B, sizeof map.strides_B);
    fill(random, map.box_el, sizeof map.box_el);
    fill(random, map.element_strides, sizeof map.element_strides);
    fill(random, map.lower_corner, sizeof map.lower_corner);
    fill(random, map.upper_corner, sizeof map.upper_corner);
    map.mode = (tmap_mode)odd_choice(random, TMAP_MODE_COUNT);
    map.type = (tmap_type)odd_choice(random, TMAP_TYPE_COUNT);
    map.rank = odd_number(random);
    map.has_address = tmap_random_between(random, 0, 1) == 1;
    map.address = odd_number(random);
    map.allocation_B = odd_number(random);
    map.allocation_offset_B = (int64_t)odd_number(random);
    map.channels_per_pixel = odd_number(random);
    map.pixels_per_column = odd_number(random);
    map.interleave = (tmap_interleave)odd_choice(random, TMAP_INTERLEAVE_COUNT);
    map.swizzle = (tmap_swizzle)odd_choice(random, TMAP_SWIZZLE_COUNT);
    map.l2_promotion = (tmap_l2_promotion)odd_choice(random, TMAP_L2_PROMOTION_COUNT);
    map.oob_fill = (tmap_oob_fill)odd_choice(random, TMAP_OOB_FILL_COUNT);
    map.allocation_class = (tmap_allocation_class)odd_choice(random, TMAP_ALLOCATION_COUNT);
    map.ops = (uint32_t)tmap_random_next(random);
    return map;
}

static tmap_copy_params garbage_copy(tmap_random *random) {
    tmap_copy_params copy;
    memset(&copy, 0, sizeof copy);
    fill(random, copy.at, sizeof copy.at);
    fill(random, copy.rows, sizeof copy.rows);
    fill(random, copy.offsets, sizeof copy.offsets);
    copy.op = (tmap_op)odd_choice(random, TMAP_OP_COUNT);
    copy.at_n = (int)tmap_random_between(random, 0, TMAP_RANK_MAX);
    copy.column = (int64_t)odd_number(random);
    copy.shared = odd_number(random);
    copy.dst = (tmap_dst)tmap_random_between(random, 0, 1);
    copy.cta_group = odd_number(random);
    copy.cta_mask = odd_number(random);
    copy.w_halo = odd_number(random);
    copy.w_offset = odd_number(random);
    copy.has_load_mode = tmap_random_between(random, 0, 1) == 1;
    copy.load_mode = (tmap_mode)odd_choice(random, TMAP_MODE_COUNT);
    copy.dim = odd_number(random);
    return copy;
}

static bool check_garbage(tmap_random *random, tmap_map_params *map, tmap_copy_params *copy, prop_failure *failure) {
    bool passes;
    *map = garbage_map(random);
    *copy = garbage_copy(random);
    if (!judge_map(map, failure, &passes)) return false;
    if (passes && !documented(map)) return prop_fail(failure, "garbage passes");
    tmap_derive(map, tmap_random_between(random, 0, 1) == 1);
    tmap_derive_copy(map, copy);
    tmap_random_map(random, false, map);
    if (tmap_check_copy(map, copy, NULL, NULL) == TMAP_OK && copy->shared % 128 != 0 &&
        tmap_op_moves(tmap_op_get((int)copy->op)) && copy->op != TMAP_OP_REPLACE)
        return prop_fail(failure, "a copy at a shared address that is not a multiple of 128 passes");
    return true;
}

static bool garbage(const prop_options *options) {
    for (uint64_t i = 0; i < options->cases; i++) {
        tmap_random random = prop_random(options, i);
        tmap_map_params map;
        tmap_copy_params copy;
        prop_failure failure = {{0}};
        if (check_garbage(&random, &map, &copy, &failure)) continue;
        prop_print_case(options, i, &failure, &map, &copy);
        return false;
    }
    return true;
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 50000);
    uint64_t passed_n = 0, fixes_n = 0;
    if (!generated(&options) || !disturbed_maps(&options, &passed_n, &fixes_n) ||
        !disturbed_copies(&options, &fixes_n) || !disturbed_linear(&options, &fixes_n) || !garbage(&options))
        return EXIT_FAILURE;
    printf("rules: seed %" PRIu64 ", %" PRIu64 " cases each: generated, disturbed, with copies, without maps (%" PRIu64
           " of them legal, %" PRIu64 " edits of fixes applied), garbage\n",
           options.seed, options.cases, passed_n, fixes_n);
    return EXIT_SUCCESS;
}
