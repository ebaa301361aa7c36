/* Compares two descriptors field by field, then the bits that belong to no field. Names raw numbers. */
#include "hw/descriptor_bits.h"
#include "tmap/codec.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool applies(tmap_descriptor_field field, bool im2col) {
    const tmap_descriptor_field_info *info = tmap_descriptor_field_get((int)field);
    return im2col ? info->im2col : info->tiled;
}

static bool is_im2col(const tmap_descriptor *descriptor) {
    return tmap_descriptor_peek(descriptor, TMAP_DESC_KIND) != 0;
}

typedef struct diff_list {
    tmap_field_diff *diffs;
    size_t capacity, count;
} diff_list;

static void add(diff_list *list, tmap_field_diff diff) {
    if (list->count < list->capacity) list->diffs[list->count] = diff;
    list->count++;
}

static unsigned bit_of(const tmap_descriptor *descriptor, unsigned bit) {
    return (unsigned)descriptor->bytes[bit / 8] >> (bit % 8) & 1u;
}

/* Adds runs of at most 64 differing bits outside the fields. */
static void add_outside(diff_list *list, const tmap_descriptor *a, const tmap_descriptor *b,
                        const tmap_descriptor *claimed) {
    for (unsigned bit = 0; bit < 8 * TMAP_DESCRIPTOR_B; bit++) {
        tmap_field_diff diff = {.field = -1, .bits = {(uint16_t)bit, 0}};
        while (bit < 8 * TMAP_DESCRIPTOR_B && diff.bits.width < 64 && !bit_of(claimed, bit) &&
               bit_of(a, bit) != bit_of(b, bit)) {
            diff.a |= (uint64_t)bit_of(a, bit) << diff.bits.width;
            diff.b |= (uint64_t)bit_of(b, bit) << diff.bits.width;
            diff.bits.width++;
            bit++;
        }
        if (diff.bits.width == 0) continue;
        add(list, diff);
        bit--;
    }
}

/* For descriptors of two kinds, compares only fields that both kinds have, and all other bits one by one. */
size_t tmap_descriptor_diff(const tmap_descriptor *a, const tmap_descriptor *b, tmap_field_diff *diffs,
                            size_t capacity) {
    diff_list list = {diffs, capacity, 0};
    tmap_descriptor claimed;
    memset(claimed.bytes, 0, sizeof claimed.bytes);
    for (int i = 0; i < TMAP_DESC_COUNT; i++) {
        tmap_descriptor_field field = (tmap_descriptor_field)i;
        if (!applies(field, is_im2col(a)) || !applies(field, is_im2col(b))) continue;
        tmap_descriptor_poke(&claimed, field, UINT64_MAX);
        uint64_t in_a = tmap_descriptor_peek(a, field), in_b = tmap_descriptor_peek(b, field);
        if (in_a != in_b) add(&list, (tmap_field_diff){i, tmap_descriptor_field_get(i)->parts[0], in_a, in_b});
    }
    add_outside(&list, a, b, &claimed);
    return list.count;
}

/* ---- Numbers on which no copy depends ---------------------------------------------------------------------------- */

/* The driver divides the bytes of a tile by the element stride of dimension 0 also without interleave, where no copy
 * depends on this stride. So the bytes for every such stride are known. */
static bool is_known(const uint64_t *words, tmap_descriptor_field field) {
    uint64_t other[TMAP_DESCRIPTOR_WORDS];
    memcpy(other, words, sizeof other);
    bool known = false;
    for (unsigned i = 0; i < TMAP_ELEMENT_STRIDE_MAX && !known; i++) {
        tmap_words_poke(other, TMAP_DESC_ELEMENT_STRIDE_0, i);
        known = tmap_upper_half_is_known(other, field);
    }
    return known;
}

static void drop_if_known(uint64_t *words, tmap_descriptor_field field) {
    if (is_known(words, field)) tmap_words_poke(words, field, 0);
}

void tmap_descriptor_key(const tmap_descriptor *descriptor, tmap_descriptor *key) {
    uint64_t words[TMAP_DESCRIPTOR_WORDS];
    memcpy(words, descriptor->bytes, sizeof words);
    drop_if_known(words, TMAP_DESC_TILE_BYTES);
    drop_if_known(words, TMAP_DESC_SWIZZLE_WORD);
    if (tmap_words_peek(words, TMAP_DESC_VERSION) <= 1) tmap_words_poke(words, TMAP_DESC_VERSION, 0);
    if (tmap_words_peek(words, TMAP_DESC_INTERLEAVE) == 0) tmap_words_poke(words, TMAP_DESC_ELEMENT_STRIDE_0, 0);
    tmap_words_poke(words, TMAP_DESC_ALLOCATION_CLASS, 0);
    memcpy(key->bytes, words, sizeof words);
}

bool tmap_descriptor_equal(const tmap_descriptor *a, const tmap_descriptor *b) {
    tmap_descriptor key_a, key_b;
    tmap_descriptor_key(a, &key_a);
    tmap_descriptor_key(b, &key_b);
    return memcmp(key_a.bytes, key_b.bytes, sizeof key_a.bytes) == 0;
}

bool tmap_field_diff_moves_data(const tmap_descriptor *a, const tmap_descriptor *b, const tmap_field_diff *diff) {
    if (diff->field < 0) return true;
    tmap_descriptor key_a, key_b;
    tmap_descriptor_key(a, &key_a);
    tmap_descriptor_key(b, &key_b);
    tmap_descriptor_field field = (tmap_descriptor_field)diff->field;
    return tmap_descriptor_peek(&key_a, field) != tmap_descriptor_peek(&key_b, field);
}

/* ---- Meanings ---------------------------------------------------------------------------------------------------- */

static const char *type_name(uint64_t code) {
    int type = tmap_type_of_code(code, false);
    return type < 0 ? "?" : tmap_type_get(type)->name;
}

static const char *word_of(tmap_replaceable field, uint64_t raw) {
    const char *word = tmap_replace_word(field, raw);
    return word ? word : "?";
}

/* The name of a raw number; NULL for a field that stores a number: the value, the value less one, or units of 16 B. */
static const char *name_of(tmap_descriptor_field field, uint64_t raw) {
    const tmap_choice_info *promotion = tmap_l2_promotion_get(raw <= INT32_MAX ? (int)raw : -1);
    if (field == TMAP_DESC_KIND) return raw ? "im2col" : "tiled";
    if (field == TMAP_DESC_TYPE) return type_name(raw);
    if (field == TMAP_DESC_INTERLEAVE) return word_of(TMAP_REPLACEABLE_INTERLEAVE, raw);
    if (field == TMAP_DESC_SWIZZLE) return word_of(TMAP_REPLACEABLE_SWIZZLE, raw);
    if (field == TMAP_DESC_ATOMICITY) return word_of(TMAP_REPLACEABLE_ATOMICITY, raw);
    if (field == TMAP_DESC_OOB_FILL) return word_of(TMAP_REPLACEABLE_OOB_FILL, raw);
    if (field == TMAP_DESC_ALLOCATION_CLASS) return raw ? "LARGE" : "SMALL";
    if (field == TMAP_DESC_TF32) return raw ? "rounded" : "as it is";
    if (field == TMAP_DESC_L2_PROMOTION) return promotion ? promotion->name : "?";
    return NULL;
}

static bool stores_less_one(tmap_descriptor_field field) {
    return field == TMAP_DESC_RANK || field == TMAP_DESC_PIXELS_PER_COLUMN ||
           (field >= TMAP_DESC_DIM_0 && field <= TMAP_DESC_BOX_4);
}

static bool is_corner(tmap_descriptor_field field) {
    return field == TMAP_DESC_LOWER_CORNER || field == TMAP_DESC_UPPER_CORNER;
}

static void say_corner(uint64_t raw, unsigned entries_n, char *text, size_t size) {
    int64_t entries[TMAP_RANK_MAX - 2] = {0};
    for (unsigned i = 0; i < entries_n; i++) entries[i] = tmap_corner_entry(raw, i, entries_n);
    if (entries_n == 1) snprintf(text, size, "[%" PRId64 "]", entries[0]);
    if (entries_n == 2) snprintf(text, size, "[%" PRId64 ", %" PRId64 "]", entries[0], entries[1]);
    if (entries_n == 3)
        snprintf(text, size, "[%" PRId64 ", %" PRId64 ", %" PRId64 "]", entries[0], entries[1], entries[2]);
}

uint64_t tmap_descriptor_rank(const tmap_descriptor *descriptor) {
    return tmap_descriptor_peek(descriptor, TMAP_DESC_RANK) + 1;
}

char *tmap_descriptor_meaning(tmap_descriptor_field field, uint64_t raw, uint64_t rank, char *text, size_t size) {
    const char *name = name_of(field, raw);
    if (name)
        snprintf(text, size, "%s", name);
    else if (is_corner(field) && rank > 2 && rank <= TMAP_RANK_MAX)
        say_corner(raw, (unsigned)rank - 2, text, size);
    else if (field == TMAP_DESC_ADDRESS || field == TMAP_DESC_SWIZZLE_WORD || is_corner(field))
        snprintf(text, size, "0x%" PRIx64, raw);
    else if (field == TMAP_DESC_TILE_BYTES)
        snprintf(text, size, "%" PRIu64 " B", raw);
    else if (field >= TMAP_DESC_STRIDE_0 && field <= TMAP_DESC_STRIDE_3)
        snprintf(text, size, "%" PRIu64 " B", raw * 16);
    else if (stores_less_one(field))
        snprintf(text, size, "%" PRIu64, raw + 1);
    else
        snprintf(text, size, "%" PRIu64, raw);
    return text;
}
