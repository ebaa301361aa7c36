/* Mistakes in the image of a load: bytes that are at other addresses, and bytes that were not written. Each function
 * changes the predicted image of a hypothesis. */
#include <inttypes.h>

#include "base/wide.h"
#include "probe/hypothesis.h"
#include "tmap/unstable/counts.h"

/* ---- Bytes at other addresses --------------------------------------------------------------------------------- */

/*
 * Moves every byte of the box from its place to the place that it would have with swizzle `swizzle` if the box began
 * `moved_B` bytes later, with the address bits of `flip` inverted. Swizzles and flips exchange bytes of one line only.
 */
static void permute(hypothesis *h, const tmap_swizzle_info *swizzle, uint64_t moved_B, uint64_t flip) {
    uint64_t begin = h->probe.copy.shared, end = begin + h->right->footprint_B;
    memcpy(h->other, h->image, h->image_B);
    for (uint64_t at = begin; at < tmap_round_up(end, TMAP_LINE_B); at++) {
        uint64_t from = at ^ tmap_swizzle_mask(h->right->map.swizzle, at);
        h->image[at ^ flip ^ tmap_swizzle_mask(swizzle, at + moved_B)] = h->other[from];
    }
}

static uint64_t period_B(const hypothesis *h) {
    return tmap_swizzle_period_B(h->right->map.swizzle);
}

/* The offset in the period of the swizzle at which the box of the variant begins. */
static uint64_t phase_B(const hypothesis *h) {
    return (uint64_t)h->variant * TMAP_LINE_B;
}

static bool suppose_phase(hypothesis *h) {
    if (!tmap_changes_image(h) || phase_B(h) >= period_B(h) || phase_B(h) == h->probe.copy.shared % period_B(h))
        return false;
    if (h->variant == 0)
        TMAP_SAY(h->words,
                 "the swizzle started at the box; a swizzle permutes by the absolute shared address, so a box "
                 "that does not start at a multiple of the period is permuted differently");
    else
        TMAP_SAY(h->words,
                 "the box was written at base offset %" PRIu32 ", %#" PRIx64 " bytes after a multiple of %" PRIu64
                 ": align the buffer to %" PRIu64 " bytes, or give the shared address of the box",
                 h->variant, phase_B(h), period_B(h), period_B(h));
    return true;
}

static bool other_phase(hypothesis *h, int poison) {
    (void)poison;
    permute(h, h->right->map.swizzle, phase_B(h) - h->probe.copy.shared % period_B(h), 0);
    return true;
}

/* The swizzle of the variant, with the same pitch of rows, also for boxes that its map cannot have. */
static bool suppose_swizzle(hypothesis *h) {
    return tmap_changes_image(h) && tmap_suppose_swizzle(h);
}

static bool other_swizzle(hypothesis *h, int poison) {
    (void)poison;
    permute(h, tmap_swizzle_get((int)h->variant), 0, 0);
    return true;
}

/* Groups of bytes that are in the opposite order in every larger group: 1, 2, 4 .. 64 in 2, 4 .. 128. */
enum { GROUPINGS = 7, GROUPS_N = GROUPINGS * GROUPINGS };

static uint32_t small_B(const hypothesis *h) {
    return 1U << h->variant / GROUPINGS;
}

static uint32_t large_B(const hypothesis *h) {
    return 2U << h->variant % GROUPINGS;
}

static bool suppose_groups(hypothesis *h) {
    uint32_t small = small_B(h), large = large_B(h), element = tmap_element_B(h->right);
    const tmap_copy *right = h->right;
    if (!tmap_changes_image(h) || small >= large || right->inner_B % large != 0 || right->pitch_B % large != 0)
        return false;
    if (right->unit.pitch_B != right->unit.shared_B) return false;
    if (small == 1 && large == element)
        TMAP_SAY(h->words, "the bytes of each element were in the opposite order (big-endian): convert the elements");
    else if (small == element && large == 2 * element)
        TMAP_SAY(h->words, "the elements of each pair were exchanged");
    else if (2 * small == large)
        TMAP_SAY(h->words, "the halves of %" PRIu32 " B in every %" PRIu32 " B were exchanged", small, large);
    else
        TMAP_SAY(h->words, "groups of %" PRIu32 " B were in the opposite order in every %" PRIu32 " B", small, large);
    return true;
}

static bool exchange_groups(hypothesis *h, int poison) {
    (void)poison;
    permute(h, h->right->map.swizzle, 0, large_B(h) - small_B(h));
    return true;
}

static bool suppose_nibbles(hypothesis *h) {
    return tmap_changes_image(h) && h->right->unit.shared_value_bits == 4;
}

static bool exchange_nibbles(hypothesis *h, int poison) {
    uint8_t *box = h->image + h->probe.copy.shared;
    (void)poison;
    for (uint32_t i = 0; i < h->right->footprint_B; i++) box[i] = (uint8_t)(box[i] << 4 | box[i] >> 4);
    return true;
}

static bool suppose_square_box(hypothesis *h) {
    const tmap_copy *copy = h->right;
    return tmap_changes_image(h) && copy->rank >= 2 && !copy->op->four_rows && copy->counts[0] == copy->counts[1] &&
           copy->counts[0] > 1 && tmap_element_B(copy) > 0;
}

static void swap_elements(hypothesis *h, const uint32_t *index, const uint32_t *with) {
    tmap_place a, b;
    tmap_copy_locate(h->right, index, &a);
    tmap_copy_locate(h->right, with, &b);
    for (uint32_t i = 0; i < tmap_element_B(h->right); i++) {
        uint8_t *x = h->image + tmap_image_byte(&h->probe, &a, i), *y = h->image + tmap_image_byte(&h->probe, &b, i);
        uint8_t byte = *x;
        *x = *y;
        *y = byte;
    }
}

static bool transpose(hypothesis *h, int poison) {
    uint32_t index[TMAP_RANK_MAX] = {0};
    (void)poison;
    do {
        uint32_t other[TMAP_RANK_MAX];
        if (index[0] >= index[1]) continue;
        memcpy(other, index, sizeof other);
        other[0] = index[1];
        other[1] = index[0];
        swap_elements(h, index, other);
    } while (tmap_next_index(h->right, index));
    return true;
}

/* ---- A box that is written in other rows ---------------------------------------------------------------------- */

static bool suppose_own_length(hypothesis *h) {
    bool gaps = tmap_changes_image(h) && h->right->pitch_B != h->right->inner_B;
    tmap_copy *copy = &h->probe.frozen;
    copy->pitch_B = copy->inner_B;
    tmap_copy_move(copy, copy, &copy->params); /* computes the rows again, with the new pitch */
    return gaps;
}

/* Variants: rows of 128, 64 or 32 bytes, with the swizzle of this width or without one. */
static uint32_t narrow_B(const hypothesis *h) {
    return TMAP_LINE_B >> h->variant / 2;
}

static tmap_swizzle narrow_swizzle(const hypothesis *h) {
    static const tmap_swizzle widest[] = {TMAP_SWIZZLE_128B, TMAP_SWIZZLE_64B, TMAP_SWIZZLE_32B};
    return h->variant % 2 == 0 ? widest[h->variant / 2] : TMAP_SWIZZLE_NONE;
}

static bool suppose_narrow_boxes(hypothesis *h) {
    const tmap_copy *right = h->right;
    uint32_t size_B = tmap_element_B(right), row_B = narrow_B(h);
    if (!tmap_changes_image(h) || right->map.params.mode != TMAP_MODE_TILED || right->op->four_rows || size_B == 0)
        return false;
    if (right->inner_B <= row_B || right->inner_B % row_B != 0 || right->inner_B != right->pitch_B) return false;
    if ((uint64_t)right->rows_n * row_B % TMAP_LINE_B != 0) return false;
    TMAP_SAY(h->words,
             "the box was written as %" PRIu32 " boxes with rows of %" PRIu32 " B and swizzle %s, one after the "
             "other: read one box at a time, or load one box with rows of %" PRIu32 " B",
             right->inner_B / row_B, row_B, tmap_swizzle_get((int)narrow_swizzle(h))->name, right->inner_B);
    h->skip = true;
    return true;
}

static bool narrow_boxes(hypothesis *h, int poison) {
    uint32_t row_B = narrow_B(h), box_B = h->right->rows_n * row_B;
    tmap_map_params map = h->probe.map;
    (void)poison;
    map.swizzle = narrow_swizzle(h);
    map.box_el[0] = row_B / tmap_element_B(h->right);
    for (uint32_t i = 0; i < h->right->inner_B / row_B; i++) {
        tmap_copy_params copy = h->probe.copy;
        copy.at[0] += (int64_t)(i * map.box_el[0]);
        copy.shared += (uint64_t)i * box_B;
        if (!tmap_refreeze(h, &map, &copy)) return false;
        if (tmap_hypothesis_run(h, h->image + copy.shared) != TMAP_OK) return false;
    }
    return true;
}

/* ---- Bytes that were not written, or hold anything ------------------------------------------------------------ */

/* The observed byte at an index of the image, for a poison. */
static uint8_t seen_byte(const hypothesis *h, uint64_t at, int poison) {
    return h->seen->box ? h->seen->box[at - h->probe.copy.shared] : h->seen->images[poison][at];
}

/* Elements outside the tensor have the bytes of the observation. */
static bool take_fill(hypothesis *h, int poison) {
    uint32_t index[TMAP_RANK_MAX] = {0};
    do {
        tmap_place place;
        tmap_copy_locate(h->right, index, &place);
        for (uint32_t i = 0; i < tmap_element_B(h->right) && !place.inside; i++) {
            uint64_t at = tmap_image_byte(&h->probe, &place, i);
            h->image[at] = seen_byte(h, at, poison);
        }
    } while (tmap_next_index(h->right, index));
    return true;
}

static bool suppose_gaps(hypothesis *h) {
    return tmap_changes_image(h) && h->right->unit.pitch_B > h->right->unit.shared_B;
}

/* The gap after a container has the bytes of the observation. */
static bool take_gaps(hypothesis *h, int poison) {
    const tmap_unit *unit = &h->right->unit;
    uint32_t index[TMAP_RANK_MAX] = {0};
    do {
        tmap_place place;
        if (index[0] % unit->values != 0) continue;
        tmap_copy_locate(h->right, index, &place);
        for (uint64_t at = place.shared + unit->shared_B; at < place.shared + unit->pitch_B; at++)
            h->image[at] = seen_byte(h, at, poison);
    } while (tmap_next_index(h->right, index));
    return true;
}

/* For each index of one dimension: whether a unit differs from the prediction, and whether all bytes of all units are
 * those of memory that was not written. */
typedef struct by_index {
    bool differs[1024], untouched[1024];
    uint32_t n;
} by_index;

/* The value of memory that was not written: the poison, or in a box that was observed once the first byte that differs
 * from the prediction. */
static int untouched_value(const hypothesis *h) {
    uint64_t begin = h->probe.copy.shared;
    if (!h->seen->box) return h->probe.poisons[0];
    for (uint64_t at = begin; at < begin + h->right->footprint_B; at++)
        if (h->predicted[0][at] == h->predicted[1][at] && seen_byte(h, at, 0) != h->predicted[0][at])
            return seen_byte(h, at, 0);
    return -1;
}

static bool find_untouched(const hypothesis *h, uint32_t dim, by_index *found) {
    uint32_t index[TMAP_RANK_MAX] = {0};
    int value = untouched_value(h);
    *found = (by_index){.n = h->right->counts[dim]};
    if (found->n > sizeof found->differs || found->n < 2) return false;
    memset(found->untouched, true, sizeof found->untouched);
    do {
        tmap_place place;
        if (index[0] % h->right->unit.values != 0) continue;
        tmap_copy_locate(h->right, index, &place);
        for (uint32_t i = 0; i < h->right->unit.shared_B; i++) {
            uint64_t at = tmap_image_byte(&h->probe, &place, i);
            found->differs[index[dim]] |= seen_byte(h, at, 0) != h->predicted[0][at];
            found->untouched[index[dim]] &= seen_byte(h, at, 0) == value;
        }
    } while (tmap_next_index(h->right, index));
    return true;
}

/* The region of the smallest range of indices, from the first or to the last, that has all differences. */
static bool suppose_part(hypothesis *h) {
    by_index found;
    uint32_t dim = h->variant;
    if (!tmap_changes_image(h) || (int)dim >= h->right->rank || !find_untouched(h, dim, &found)) return false;
    uint32_t first = 0, last = found.n - 1;
    while (first < last && !found.differs[first]) first++;
    while (last > first && !found.differs[last]) last--;
    while (last + 1 < found.n && found.untouched[last + 1]) last++;
    while (last + 1 < found.n && first > 0 && found.untouched[first - 1]) first--;
    if ((first == 0) == (last + 1 == found.n)) return false;
    for (uint32_t i = first; i <= last; i++)
        if (!found.untouched[i]) return false;
    if ((uint64_t)(last - first + 1) * h->right->payload_B / found.n < 16) return false;
    h->region[0] = dim, h->region[1] = first, h->region[2] = last;
    static const char *const parts[] = {"element", "row", "slice"};
    char range[40] = "";
    if (last > first) TMAP_SAY(range, "s %" PRIu32 " to", first);
    TMAP_SAY(h->words,
             "%s%s %" PRIu32 " of %s %s not written: wait for the transaction bytes of the whole box, and "
             "issue every copy of the box",
             parts[dim < 2 ? dim : 2], range, last, dim == 0 ? "each row" : "the box", last > first ? "were" : "was");
    return true;
}

static bool restore_part(hypothesis *h, int poison) {
    uint32_t index[TMAP_RANK_MAX] = {0}, dim = h->region[0];
    do {
        tmap_place place;
        if (index[dim] < h->region[1] || index[dim] > h->region[2]) continue;
        tmap_copy_locate(h->right, index, &place);
        if (index[0] % h->right->unit.values != 0) continue;
        for (uint32_t i = 0; i < h->right->unit.shared_B; i++)
            h->image[tmap_image_byte(&h->probe, &place, i)] = h->probe.poisons[poison];
    } while (tmap_next_index(h->right, index));
    return true;
}

const tmap_cause tmap_image_causes[] = {
    {suppose_phase, other_phase, NULL, 8, false},
    {suppose_swizzle, other_swizzle, NULL, TMAP_SWIZZLE_COUNT, false},
    {suppose_own_length, NULL, "the pitch of the box's rows was their own length, not the span of the swizzle", 0,
     false},
    {suppose_narrow_boxes, narrow_boxes, NULL, 6, false},
    {suppose_groups, exchange_groups, NULL, GROUPS_N, false},
    {suppose_nibbles, exchange_nibbles, "the two values of each byte were exchanged", 0, false},
    {suppose_square_box, transpose, "dimensions 0 and 1 of the box were exchanged", 0, false},
    {tmap_changes_image, take_fill, "elements outside the tensor were filled differently, or not filled", 0, true},
    {suppose_gaps, take_gaps, "the gaps after containers were written", 0, true},
    {suppose_part, restore_part, NULL, TMAP_RANK_MAX, true},
    {NULL, NULL, NULL, 0, false},
};
