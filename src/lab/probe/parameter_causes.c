/*
 * Mistakes in the parameters of a map or a copy. Each function changes the parameters of a hypothesis; the emulator
 * predicts the effect, so this file repeats no formula.
 */
#include <inttypes.h>

#include "base/wide.h"
#include "probe/hypothesis.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/tables.h"

static bool change_map(hypothesis *h, const tmap_map_params *map) {
    return tmap_refreeze(h, map, &h->probe.copy);
}

/* ---- The map -------------------------------------------------------------------------------------------------- */

/* The swizzle with the number of the variant. The rules refuse a box that is too wide for the swizzle. */
static bool other_swizzle(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    map.swizzle = (tmap_swizzle)h->variant;
    return tmap_suppose_swizzle(h) && change_map(h, &map);
}

static bool other_fill(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    map.oob_fill = map.oob_fill == TMAP_OOB_FILL_NAN ? TMAP_OOB_FILL_ZERO : TMAP_OOB_FILL_NAN;
    return change_map(h, &map);
}

static bool element_strides_ignored(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    bool strided = false;
    for (uint64_t i = 1; i < map.rank; i++) {
        /* as many rows, consecutive */
        if (map.mode == TMAP_MODE_TILED) map.box_el[i] = h->probe.frozen.counts[i];
        strided |= map.element_strides[i] != 1;
        map.element_strides[i] = 1;
    }
    return strided && change_map(h, &map);
}

/* Reverses the order of the outer dimensions: their sizes, strides and coordinates. */
static bool outer_dimensions_reversed(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    tmap_copy_params copy = h->probe.copy;
    if (map.rank < 3 || tmap_op_get((int)copy.op)->four_rows) return false;
    for (uint64_t i = 1, k = map.rank - 1; i < map.rank; i++, k--) {
        map.dims_el[i] = h->probe.map.dims_el[k];
        map.strides_B[i - 1] = h->probe.map.strides_B[k - 1];
        copy.at[i] = h->probe.copy.at[k];
    }
    return tmap_refreeze(h, &map, &copy);
}

/* Variant 0: the strides are too small by the size of an element; variant 1: too large. */
static bool strides_in_elements(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    uint64_t size_B = (uint64_t)tmap_type_get((int)map.type)->bits / 8;
    if (size_B < 2 || map.rank < 2) return false;
    for (uint64_t i = 0; i + 1 < map.rank; i++)
        map.strides_B[i] = h->variant == 0 ? map.strides_B[i] / size_B : tmap_mul_saturate(map.strides_B[i], size_B);
    TMAP_SAY(h->words,
             h->variant == 0 ? "the strides counted elements: multiply them by %" PRIu64 ", because strides count bytes"
                             : "the strides were multiplied by %" PRIu64 " twice: strides count bytes",
             size_B);
    return change_map(h, &map);
}

static bool box_reversed(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    if (map.mode != TMAP_MODE_TILED || h->probe.frozen.op->four_rows) return false;
    for (uint64_t i = 0; i < map.rank; i++) map.box_el[i] = h->probe.map.box_el[map.rank - 1 - i];
    return memcmp(map.box_el, h->probe.map.box_el, sizeof map.box_el) != 0 && change_map(h, &map);
}

/* ---- The coordinates ------------------------------------------------------------------------------------------ */

/* Mistakes in all coordinates, in one coordinate of each dimension, and in each pair of coordinates. */
static const char *const in_all[] = {
    "the coordinates in the opposite order",
    "the coordinates in boxes, not in elements (multiply them by the box)",
    "the coordinates multiplied by the box (coordinates count elements, not boxes)",
    "all coordinates stayed at 0",
};
static const char *const in_one[] = {
    "a coordinate stayed at 0 (advance the index of the loop, for example along k)",
    "a neighbouring box (the index of a stage or of a loop is off by one)",
    "a neighbouring box (the index of a stage or of a loop is off by one)",
    "one element beside the box (a coordinate is off by one)",
    "one element beside the box (a coordinate is off by one)",
    "a coordinate in bytes (pass elements)",
    "a coordinate divided by the size of an element (pass elements)",
};
static const char *const in_two[] = {"two coordinates exchanged"};
enum {
    UNIT_B = 16,
    BOX_BEFORE = 1, /* in in_one, followed by the box after */
    IN_ALL = sizeof in_all / sizeof *in_all,
    IN_ONE = sizeof in_one / sizeof *in_one,
    STARTS_N = IN_ALL + TMAP_RANK_MAX * IN_ONE + TMAP_RANK_MAX * TMAP_RANK_MAX,
};

static const char *start_words(uint32_t number) {
    if (number < IN_ALL) return in_all[number];
    number -= IN_ALL;
    return number < TMAP_RANK_MAX * IN_ONE ? in_one[number % IN_ONE] : in_two[0];
}

/* The positions that the box covers in a dimension; 0 for im2col, whose coordinates and box differ in rank. */
static int64_t covered(const tmap_copy *copy, int dim) {
    return copy->rank == copy->params.at_n ? (int64_t)(copy->counts[dim] * copy->map.params.element_strides[dim]) : 0;
}

static int64_t change_one(uint32_t mistake, const tmap_copy *copy, int dim) {
    int64_t x = copy->params.at[dim], n = covered(copy, dim), size_B = dim == 0 ? tmap_element_B(copy) : 0;
    if (size_B == 0) size_B = 1;
    const int64_t values[IN_ONE] = {0, x - n, x + n, x - 1, x + 1, x * size_B, x / size_B};
    return values[mistake];
}

static int64_t change_all(uint32_t mistake, const tmap_copy *copy, int dim) {
    int64_t x = copy->params.at[dim], n = covered(copy, dim);
    const int64_t values[IN_ALL] = {copy->params.at[copy->params.at_n - 1 - dim], n > 0 ? x / n : x, n > 0 ? x * n : x,
                                    0};
    return values[mistake];
}

/* The coordinates of mistake `number`. Returns false if the copy has no such coordinates. */
static bool start_of(const tmap_copy *copy, uint32_t number, int64_t at[TMAP_RANK_MAX]) {
    int rank = copy->params.at_n;
    memcpy(at, copy->params.at, sizeof copy->params.at);
    if (number < IN_ALL) {
        for (int i = 0; i < rank; i++) at[i] = change_all(number, copy, i);
        return true;
    }
    number -= IN_ALL;
    if (number < TMAP_RANK_MAX * IN_ONE) {
        int dim = (int)(number / IN_ONE);
        if (dim < rank) at[dim] = change_one(number % IN_ONE, copy, dim);
        return dim < rank;
    }
    number -= TMAP_RANK_MAX * IN_ONE;
    int a = (int)(number / TMAP_RANK_MAX), b = (int)(number % TMAP_RANK_MAX);
    if (a >= b || b >= rank) return false;
    at[a] = copy->params.at[b];
    at[b] = copy->params.at[a];
    return true;
}

static bool same_start(const tmap_copy *copy, uint32_t number, const int64_t at[TMAP_RANK_MAX]) {
    int64_t other[TMAP_RANK_MAX];
    return start_of(copy, number, other) && memcmp(other, at, sizeof other) == 0;
}

static void append_start(hypothesis *h, const int64_t at[TMAP_RANK_MAX]) {
    for (int i = 0; i < h->right->params.at_n; i++) TMAP_APPEND(h->words, "%s%" PRId64, i > 0 ? ", " : "[", at[i]);
    TMAP_APPEND(h->words, "]");
}

/* Words for the tile at `at`, with every mistake from `number` on that leads there. */
static void say_start(hypothesis *h, uint32_t number, const int64_t at[TMAP_RANK_MAX]) {
    const char *last = start_words(number);
    TMAP_SAY(h->words, "this is the tile at ");
    append_start(h, at);
    TMAP_APPEND(h->words, ": %s", last);
    for (uint32_t i = number + 1; i < STARTS_N; i++) {
        if (!same_start(h->right, i, at) || strcmp(start_words(i), last) == 0) continue;
        last = start_words(i);
        TMAP_APPEND(h->words, ", or %s", last);
    }
}

/* All boxes outside the tensor have the same image, which does not show the coordinates. */
static bool is_only_fill(const tmap_copy *copy) {
    for (int i = 0; i < copy->rank && copy->map.params.mode == TMAP_MODE_TILED; i++)
        if (copy->inside_first[i] >= copy->inside_end[i]) return true;
    return false;
}

static bool other_start(hypothesis *h) {
    tmap_copy_params copy = h->probe.copy;
    if (copy.at_n == 0 || h->right->op->four_rows || !start_of(h->right, h->variant, copy.at)) return false;
    if (memcmp(copy.at, h->probe.copy.at, sizeof copy.at) == 0) return false;
    for (uint32_t i = 0; i < h->variant; i++)
        if (same_start(h->right, i, copy.at)) return false;
    if (!tmap_refreeze(h, &h->probe.map, &copy) || is_only_fill(&h->probe.frozen)) return false;
    say_start(h, h->variant, copy.at);
    return true;
}

/* Variants: the box before and the box after in each dimension. */
static bool neighbour(hypothesis *h) {
    tmap_copy_params copy = h->probe.copy;
    uint32_t number = IN_ALL + h->variant / 2 * IN_ONE + BOX_BEFORE + h->variant % 2;
    if (!h->seen->box || copy.at_n == 0 || h->right->op->four_rows || !start_of(h->right, number, copy.at))
        return false;
    if (!tmap_refreeze(h, &h->probe.map, &copy) || is_only_fill(&h->probe.frozen)) return false;
    TMAP_SAY(h->words, "a part of the box had not arrived, and still had the tile at ");
    append_start(h, copy.at);
    TMAP_APPEND(h->words, ": wait for the transaction bytes of the whole box");
    return true;
}

/* Units of the box that are as predicted without the mistake have arrived. */
static bool keep_arrived(hypothesis *h, int poison) {
    uint64_t begin = h->probe.copy.shared;
    for (uint32_t i = 0; i + UNIT_B <= h->right->footprint_B; i += UNIT_B)
        if (memcmp(h->seen->box + i, h->predicted[poison] + begin + i, UNIT_B) == 0)
            memcpy(h->image + begin + i, h->seen->box + i, UNIT_B);
    return true;
}

/* ---- The operation -------------------------------------------------------------------------------------------- */

static bool not_rounded_to_tf32(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    if (!h->probe.frozen.map.type->tf32 || !h->probe.frozen.op->to_shared) return false;
    map.type = TMAP_TYPE_F32;
    return change_map(h, &map);
}

/* Keeps subnormals where the copy flushes them. The reverse is a reading of a fact. */
static bool subnormals_kept(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    bool tf32 = map.type == TMAP_TYPE_TF32_FTZ;
    if (!h->probe.frozen.op->reduces || !(tf32 || map.type == TMAP_TYPE_F32_FTZ)) return false;
    map.type = tf32 ? TMAP_TYPE_TF32 : TMAP_TYPE_F32;
    return change_map(h, &map);
}

static bool stored_not_reduced(hypothesis *h) {
    tmap_copy_params copy = h->probe.copy;
    if (!h->probe.frozen.op->reduces) return false;
    copy.op = TMAP_OP_STORE;
    return tmap_refreeze(h, &h->probe.map, &copy);
}

static bool last_pixel_left_out(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    if (map.mode == TMAP_MODE_TILED || map.pixels_per_column < 2) return false;
    map.pixels_per_column--;
    return change_map(h, &map);
}

static bool offsets_left_out(hypothesis *h) {
    tmap_copy_params copy = h->probe.copy;
    bool any = copy.w_offset != 0;
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++) {
        any |= copy.offsets[i] != 0;
        copy.offsets[i] = 0;
    }
    copy.w_offset = 0;
    return any && tmap_refreeze(h, &h->probe.map, &copy);
}

static bool last_row_left_out(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    if (map.mode != TMAP_MODE_TILED) return last_pixel_left_out(h);
    if (map.rank < 2 || h->probe.frozen.op->four_rows || map.box_el[1] <= map.element_strides[1]) return false;
    map.box_el[1] -= map.element_strides[1];
    return change_map(h, &map);
}

/* ---- Replacements --------------------------------------------------------------------------------------------- */

static bool replaces(const hypothesis *h) {
    return h->probe.copy.op == TMAP_OP_REPLACE;
}

static bool field_kept(hypothesis *h) {
    tmap_descriptor before;
    if (!replaces(h) || !tmap_descriptor_encode(&h->probe.frozen.map, &before)) return false;
    memcpy(h->image, before.bytes, sizeof before.bytes);
    h->skip = true;
    return true;
}

static bool ordinals_from_the_outermost(hypothesis *h) {
    tmap_copy_params *replace = &h->probe.copy;
    bool strides = replace->field == TMAP_REPLACEABLE_STRIDES;
    uint64_t last = h->probe.map.rank - 1 - strides;
    if (!replaces(h) || replace->ordinal > last || tmap_replaceable_get((int)replace->field)->ordinals_n == 0)
        return false;
    replace->ordinal = last - replace->ordinal;
    return true;
}

/* The descriptor stores these values less one. */
static bool stored_as_it_comes(hypothesis *h) {
    bool less = h->probe.copy.field == TMAP_REPLACEABLE_DIMS || h->probe.copy.field == TMAP_REPLACEABLE_BOX ||
                h->probe.copy.field == TMAP_REPLACEABLE_ELEMENT_STRIDES;
    h->probe.copy.value++;
    return replaces(h) && less;
}

static bool strides_not_divided(hypothesis *h) {
    h->probe.copy.value *= 16;
    return replaces(h) && h->probe.copy.field == TMAP_REPLACEABLE_STRIDES;
}

/* The type whose number in the instruction equals the driver's number for this type. */
static bool types_of_the_driver(hypothesis *h) {
    const tmap_type_info *meant = tmap_type_get((int)h->probe.copy.value);
    if (!replaces(h) || h->probe.copy.field != TMAP_REPLACEABLE_TYPE || !meant) return false;
    for (int type = 0; type < TMAP_TYPE_COUNT; type++)
        if (tmap_type_get(type)->ptx_code == meant->cu) h->probe.copy.value = (uint64_t)type;
    return true;
}

const tmap_cause tmap_replacement_causes[] = {
    {ordinals_from_the_outermost, NULL, "ordinals counted from the outermost dimension", 0, false},
    {field_kept, NULL, "the replacement did not happen: the field has its earlier number", 0, false},
    {stored_as_it_comes, NULL, "the number was stored unchanged; descriptors contain the number - 1", 0, false},
    {strides_not_divided, NULL, "strides were read in units of 16 bytes, as ptxas did before 12.5", 0, false},
    {types_of_the_driver, NULL, "the type was the driver's number; the instruction has other numbers", 0, false},
    {NULL, NULL, NULL, 0, false},
};

const tmap_cause tmap_parameter_causes[] = {
    {other_swizzle, NULL, NULL, TMAP_SWIZZLE_COUNT, false},
    {other_fill, NULL, "the out-of-bounds fill was the other one (zero, or NaN)", 0, false},
    {offsets_left_out, NULL, "the im2col offsets were omitted", 0, false},
    {last_row_left_out, NULL, "the last row of the box was omitted", 0, false},
    {element_strides_ignored, NULL, "the element strides were ignored", 0, false},
    {subnormals_kept, NULL, "subnormals were kept instead of flushed", 0, false},
    {stored_not_reduced, NULL, "elements were stored, not combined with the old values", 0, false},
    {other_start, NULL, NULL, STARTS_N, false},
    {strides_in_elements, NULL, NULL, 2, false},
    {box_reversed, NULL, "the sizes of the box were in the opposite order: pass the innermost first", 0, false},
    {outer_dimensions_reversed, NULL, "the outer dimensions were in the other order", 0, false},
    {not_rounded_to_tf32, NULL, "the values were not rounded to tf32", 0, false},
    {neighbour, keep_arrived, NULL, 2 * TMAP_RANK_MAX, true},
    {NULL, NULL, NULL, 0, false},
};
