/*
 * Finds a probable cause of a difference: a table of common mistakes and their effects. Every hypothesis is the
 * prediction with one changed parameter, so this file repeats no formula.
 */
#include <string.h>

#include "base/memory.h"
#include "base/wide.h"
#include "probe/probe.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"

/* A probe whose prediction is compared with the observation. `image` and `global` have the contents before the copy. */
typedef struct hypothesis {
    tmap_probe probe;
    uint8_t *image, *global;
    size_t image_B, global_B;
    bool skip;            /* the hypothesis: the copy did not run */
    tmap_swizzle swizzle; /* of the cause */
} hypothesis;

/* ---- Mistakes in the parameters ------------------------------------------------------------------------------- */

/* Freezes the changed parameters. Returns false if the rules refuse them, or if nothing changed. */
static bool refreeze(hypothesis *h, const tmap_map_params *map, const tmap_copy_params *copy) {
    tmap_map frozen;
    tmap_judge judge = {.assume = {0}};
    for (int i = 0; i < TMAP_ALTERNATIVE_COUNT; i++) judge.assume[i] = h->probe.frozen.readings[i] ? 2 : 0;
    if (tmap_map_init(&frozen, map, NULL, NULL) != TMAP_OK) return false;
    return tmap_copy_init(&h->probe.frozen, &frozen, copy, &judge, NULL) == TMAP_OK;
}

/* Keeps the readings of the probe's copy. */
static bool same_parameters(hypothesis *h) {
    return refreeze(h, &h->probe.map, &h->probe.copy);
}

static bool change_map(hypothesis *h, const tmap_map_params *map) {
    return refreeze(h, map, &h->probe.copy);
}

/* The swizzle that a box at a multiple of 1024 has. The masks move; the address of the box does not change. */
static bool swizzle_from_the_box(hypothesis *h) {
    tmap_copy_params copy = h->probe.copy;
    copy.shared = tmap_round_up(copy.shared, TMAP_IMAGE_ALIGN_B);
    return copy.shared != h->probe.copy.shared && refreeze(h, &h->probe.map, &copy);
}

/* The swizzle in the row of the cause. */
static bool other_swizzle(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    if (map.swizzle == h->swizzle) return false;
    map.swizzle = h->swizzle;
    return change_map(h, &map);
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

/* Reverses the outer strides of the tensor, if the dims allow it. */
static bool outer_dimensions_reversed(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    tmap_copy_params copy = h->probe.copy;
    if (map.rank < 3 || tmap_op_get((int)copy.op)->four_rows) return false;
    for (uint64_t i = 1, k = map.rank - 1; i < map.rank; i++, k--) {
        map.dims_el[i] = h->probe.map.dims_el[k];
        map.strides_B[i - 1] = h->probe.map.strides_B[k - 1];
        copy.at[i] = h->probe.copy.at[k];
    }
    return refreeze(h, &map, &copy);
}

static bool coordinates_in_boxes(hypothesis *h) {
    tmap_copy_params copy = h->probe.copy;
    bool moved = false;
    if (h->probe.map.mode != TMAP_MODE_TILED) return false;
    for (int i = 0; i < copy.at_n; i++) {
        int64_t box = (int64_t)h->probe.map.box_el[i];
        if (copy.at[i] > INT32_MAX / box || copy.at[i] < INT32_MIN / box) return false;
        copy.at[i] *= box;
        /* All boxes outside the tensor have the same image, which does not show the coordinates. */
        if (copy.at[i] < 0 || (uint64_t)copy.at[i] >= h->probe.map.dims_el[i]) return false;
        moved |= copy.at[i] != h->probe.copy.at[i];
    }
    return moved && refreeze(h, &h->probe.map, &copy);
}

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
    return refreeze(h, &h->probe.map, &copy);
}

/* ---- Mistakes in the operation -------------------------------------------------------------------------------- */

static bool nothing(hypothesis *h) {
    h->skip = true;
    return true;
}

static bool rows_at_their_own_length(hypothesis *h) {
    bool gaps = h->probe.frozen.pitch_B != h->probe.frozen.inner_B;
    h->probe.frozen.pitch_B = h->probe.frozen.inner_B;
    return gaps;
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
    return any && refreeze(h, &h->probe.map, &copy);
}

static bool last_row_left_out(hypothesis *h) {
    tmap_map_params map = h->probe.map;
    if (map.mode != TMAP_MODE_TILED) return last_pixel_left_out(h);
    if (map.rank < 2 || h->probe.frozen.op->four_rows || map.box_el[1] <= map.element_strides[1]) return false;
    map.box_el[1] -= map.element_strides[1];
    return change_map(h, &map);
}

static bool as_predicted(hypothesis *h) {
    (void)h;
    return true;
}

static bool square_box(hypothesis *h) {
    const tmap_copy *copy = &h->probe.frozen;
    return copy->rank >= 2 && !copy->op->four_rows && copy->counts[0] == copy->counts[1] && copy->counts[0] > 1;
}

/* Whole bytes of one element; 0 for a packed value. */
static size_t element_B(const tmap_copy *copy) {
    return copy->unit.shared_value_bits / 8;
}

static uint8_t *shared_byte(const hypothesis *h, const tmap_place *place) {
    return h->image + place->shared;
}

/* Accepts any bytes that the device wrote for elements outside the tensor. */
static void take_fill(hypothesis *h, const tmap_observation *seen, int poison) {
    const tmap_copy *copy = &h->probe.frozen;
    size_t size_B = element_B(copy);
    uint32_t index[TMAP_RANK_MAX] = {0};
    do {
        tmap_place place;
        tmap_copy_locate(copy, index, &place);
        if (!place.inside) memcpy(shared_byte(h, &place), seen->images[poison] + place.shared, size_B);
    } while (tmap_next_index(copy, index));
}

static void swap_bytes(uint8_t *a, uint8_t *b, size_t size_B) {
    for (size_t i = 0; i < size_B; i++) {
        uint8_t byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

static void transpose(hypothesis *h, const tmap_observation *seen, int poison) {
    const tmap_copy *copy = &h->probe.frozen;
    uint32_t index[TMAP_RANK_MAX] = {0};
    (void)seen, (void)poison;
    do {
        tmap_place place, mirrored;
        uint32_t other[TMAP_RANK_MAX];
        if (index[0] >= index[1]) continue;
        memcpy(other, index, sizeof other);
        other[0] = index[1];
        other[1] = index[0];
        tmap_copy_locate(copy, index, &place);
        tmap_copy_locate(copy, other, &mirrored);
        swap_bytes(shared_byte(h, &place), shared_byte(h, &mirrored), element_B(copy));
    } while (tmap_next_index(copy, index));
}

static bool has_gaps(hypothesis *h) {
    const tmap_copy *copy = &h->probe.frozen;
    return copy->op->to_shared && copy->unit.pitch_B > copy->unit.shared_B;
}

/* Accepts any bytes that the device wrote in the gap after a container. */
static void take_gaps(hypothesis *h, const tmap_observation *seen, int poison) {
    const tmap_copy *copy = &h->probe.frozen;
    uint32_t index[TMAP_RANK_MAX] = {0}, gap_B = copy->unit.pitch_B - copy->unit.shared_B;
    do {
        tmap_place place;
        if (index[0] % copy->unit.values != 0) continue;
        tmap_copy_locate(copy, index, &place);
        uint64_t gap = place.shared + copy->unit.shared_B;
        memcpy(h->image + gap, seen->images[poison] + gap, gap_B);
    } while (tmap_next_index(copy, index));
}

/* ---- Mistakes in replacements --------------------------------------------------------------------------------- */

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

typedef struct cause {
    bool (*suppose)(hypothesis *h);
    void (*alter)(hypothesis *h, const tmap_observation *seen,
                  int poison); /* changes the prediction of a load; or NULL */
    const char *words;
    tmap_swizzle swizzle; /* of other_swizzle */
} cause;

/* Probable causes first: the first cause that fits is reported. */
static const cause causes[] = {
    {nothing, NULL, "nothing was written at all"},
    {swizzle_from_the_box, NULL,
     "the swizzle started at the box; a swizzle permutes by the absolute shared address, so a box that does not start "
     "at a multiple of the period is permuted differently"},
    {ordinals_from_the_outermost, NULL, "ordinals counted from the outermost dimension"},
    {field_kept, NULL, "the replacement did not happen: the field has its earlier number"},
    {stored_as_it_comes, NULL, "the number was stored unchanged; descriptors contain the number - 1"},
    {strides_not_divided, NULL, "strides were read in units of 16 bytes, as ptxas did before 12.5"},
    {types_of_the_driver, NULL, "the type was the driver's number; the instruction has other numbers"},
    {other_swizzle, NULL, "the swizzle was none: rows are contiguous", TMAP_SWIZZLE_NONE},
    {rows_at_their_own_length, NULL, "the pitch of the box's rows was their own length, not the span of the swizzle"},
    {other_fill, NULL, "the out-of-bounds fill was the other one (zero, or NaN)"},
    {as_predicted, take_fill, "elements outside the tensor were filled differently, or not filled"},
    {has_gaps, take_gaps, "the gaps after containers were written"},
    {offsets_left_out, NULL, "the im2col offsets were omitted"},
    {last_row_left_out, NULL, "the last row of the box was omitted"},
    {element_strides_ignored, NULL, "the element strides were ignored"},
    {subnormals_kept, NULL, "subnormals were kept instead of flushed"},
    {stored_not_reduced, NULL, "elements were stored, not combined with the old values"},
    {coordinates_in_boxes, NULL, "coordinates counted boxes, not elements"},
    {square_box, transpose, "dimensions 0 and 1 of the box were exchanged"},
    {outer_dimensions_reversed, NULL, "the outer dimensions were in the other order"},
    {not_rounded_to_tf32, NULL, "the values were not rounded to tf32"},
    {other_swizzle, NULL, "the swizzle was 32B", TMAP_SWIZZLE_32B},
    {other_swizzle, NULL, "the swizzle was 64B", TMAP_SWIZZLE_64B},
    {other_swizzle, NULL, "the swizzle was 128B", TMAP_SWIZZLE_128B},
    {other_swizzle, NULL, "the swizzle was 128B_atom32B", TMAP_SWIZZLE_128B_ATOM_32B},
};

/* ---- Trying them ---------------------------------------------------------------------------------------------- */

static bool matches(const hypothesis *h, const tmap_observation *seen, int poison) {
    const tmap_probe *probe = &h->probe;
    if (probe->frozen.op->to_global) return memcmp(h->global, seen->globals[poison], h->global_B) == 0;
    for (uint32_t cta = 0; cta < probe->ctas_n; cta++)
        if (tmap_probe_writes_cta(probe, cta) &&
            memcmp(h->image, seen->images[poison] + (size_t)cta * probe->image_B, h->image_B) != 0)
            return false;
    return true;
}

static bool explains(const cause *c, const tmap_probe *probe, const tmap_observation *seen, hypothesis *h) {
    for (int poison = 0; poison < 2; poison++) {
        h->probe = *probe;
        h->skip = false;
        h->swizzle = c->swizzle;
        tmap_probe_image(probe, poison, h->image);
        tmap_probe_global(probe, poison, h->global);
        if (!c->suppose(h) || (c->alter && !probe->frozen.op->to_shared)) return false;
        if (!h->skip && tmap_probe_predict(&h->probe, h->global, h->image) != TMAP_OK) return false;
        if (c->alter) c->alter(h, seen, poison);
        if (!matches(h, seen, poison)) return false;
    }
    return true;
}

/* The prediction with the other reading of a fact, if it differs. */
static const char *other_reading(const tmap_probe *probe, const tmap_observation *seen, hypothesis *h) {
    for (int i = 0; i < TMAP_ALTERNATIVE_COUNT; i++) {
        tmap_probe other = *probe;
        uint8_t reading = !probe->frozen.readings[i];
        other.frozen.readings[i] = reading;
        if (explains(&(cause){same_parameters, NULL, NULL}, &other, seen, h))
            return tmap_alternative_get(i)->as_if[reading];
    }
    return NULL;
}

tmap_status tmap_probe_cause(const tmap_probe *probe, const tmap_observation *seen, const tmap_allocator *allocator,
                             const char **words) {
    hypothesis h = {.image_B = probe->image_B, .global_B = (size_t)probe->global_B};
    uint8_t *memory = tmap_resize(allocator, NULL, 0, h.image_B + h.global_B);
    if (!memory) return TMAP_NO_MEMORY;
    *words = NULL;
    h.image = memory;
    h.global = memory + h.image_B;
    if (probe->copy.op != TMAP_OP_REPLACE) *words = other_reading(probe, seen, &h);
    for (size_t i = 0; i < sizeof causes / sizeof *causes && !*words; i++)
        if (explains(&causes[i], probe, seen, &h)) *words = causes[i].words;
    (void)tmap_resize(allocator, memory, h.image_B + h.global_B, 0);
    return TMAP_OK;
}
