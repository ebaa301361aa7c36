/*
 * tensormap.replace on 128 bytes, with the results of the code that ptxas generates. No machine instruction does the
 * replacement: the code consists of loads, inserts and stores. tests/tool/check_replace.py runs the code of
 * the ptxas of each release from 12.3 on, with random descriptors, and compares the results. Values are stored
 * unchanged; a value that is too large loses its high bits.
 */
#include "diag/refuse.h"
#include "hw/descriptor_bits.h"
#include "tmap/codec.h"
#include "tmap/unstable/tables.h"

#include <string.h>

/* No map has ord 4 of global_stride. Its location continues the pattern of the others: a whole dword at byte 28, which
 * overwrites the high bits of all strides, and the nibble at bit 240 from the same dword. */
#define STRIDE_4_LOW  ((tmap_bits){224, 32})
#define STRIDE_4_HIGH ((tmap_bits){240, 4})

/* The first CUDA release whose ptxas ... */
#define SHIFTS_STRIDES        12050 /* accepts strides in bytes; earlier releases accept units of 16 bytes */
#define WRITES_THIRD_SWIZZLE  12080 /* writes bit 86 with the swizzle */
#define ATOMICITY_KEEPS_CLASS 13040 /* writes two bits of atomicity; earlier releases also clear bit 85 */
#define ADDRESS_CLEARS_CLASS  13050 /* clears bit 85 with a new address */

static bool since(const tmap_copy_params *replace, int release) {
    return replace->toolkit == 0 || replace->toolkit >= release;
}

static void replace_type(uint64_t *words, uint64_t value) {
    const tmap_type_info *type = tmap_type_get((int)value);
    if (!type) return;
    tmap_words_poke(words, TMAP_DESC_TYPE, (uint64_t)type->code);
    if (type->tf32) tmap_words_poke(words, TMAP_DESC_TF32, 1); /* no other type clears the bit */
}

static void replace_stride(uint64_t *words, const tmap_copy_params *replace) {
    uint64_t stored = since(replace, SHIFTS_STRIDES) ? replace->value >> 4 : replace->value;
    if (replace->ordinal < 4) {
        tmap_words_poke(words, (tmap_descriptor_field)(TMAP_DESC_STRIDE_0 + (int)replace->ordinal), stored);
    } else {
        tmap_bits_put(words, STRIDE_4_LOW, stored);
        tmap_bits_put(words, STRIDE_4_HIGH, stored >> 32);
    }
}

static void replace_address(uint64_t *words, const tmap_copy_params *replace) {
    tmap_words_poke(words, TMAP_DESC_ADDRESS, replace->value);
    if (since(replace, ADDRESS_CLEARS_CLASS)) tmap_words_poke(words, TMAP_DESC_ALLOCATION_CLASS, 0);
}

static void replace_swizzle(uint64_t *words, const tmap_copy_params *replace) {
    uint64_t third = tmap_words_peek(words, TMAP_DESC_SWIZZLE) & 4;
    bool keeps = !since(replace, WRITES_THIRD_SWIZZLE);
    tmap_words_poke(words, TMAP_DESC_SWIZZLE, keeps ? (replace->value & 3) | third : replace->value);
}

static void replace_atomicity(uint64_t *words, const tmap_copy_params *replace) {
    tmap_words_poke(words, TMAP_DESC_ATOMICITY, replace->value);
    if (!since(replace, ATOMICITY_KEEPS_CLASS)) tmap_words_poke(words, TMAP_DESC_ALLOCATION_CLASS, replace->value >> 2);
}

static void replace_entry(uint64_t *words, const tmap_replaceable_info *info, uint64_t ordinal, uint64_t value) {
    tmap_words_poke(words, (tmap_descriptor_field)((int)info->first + (int)(ordinal < 5 ? ordinal : 0)), value - 1);
}

void tmap_descriptor_replace(tmap_descriptor *descriptor, const tmap_copy_params *replace) {
    const tmap_replaceable_info *info = tmap_replaceable_get((int)replace->field);
    uint64_t words[TMAP_DESCRIPTOR_WORDS];
    if (!info || replace->op != TMAP_OP_REPLACE) return;
    memcpy(words, descriptor->bytes, sizeof words);
    switch (replace->field) {
    case TMAP_REPLACEABLE_TYPE: replace_type(words, replace->value); break;
    case TMAP_REPLACEABLE_STRIDES: replace_stride(words, replace); break;
    case TMAP_REPLACEABLE_ADDRESS: replace_address(words, replace); break;
    case TMAP_REPLACEABLE_SWIZZLE: replace_swizzle(words, replace); break;
    case TMAP_REPLACEABLE_ATOMICITY: replace_atomicity(words, replace); break;
    case TMAP_REPLACEABLE_RANK: replace_entry(words, info, 0, replace->value); break;
    case TMAP_REPLACEABLE_DIMS:
    case TMAP_REPLACEABLE_BOX:
    case TMAP_REPLACEABLE_ELEMENT_STRIDES: replace_entry(words, info, replace->ordinal, replace->value); break;
    case TMAP_REPLACEABLE_INTERLEAVE:
    case TMAP_REPLACEABLE_OOB_FILL: tmap_words_poke(words, info->first, replace->value); break;
    }
    memcpy(descriptor->bytes, words, sizeof words);
}

/* Keeps the parameters that a descriptor does not encode. */
static void keep_the_rest(const tmap_map_params *before, const tmap_copy_params *replace, tmap_map_params *after) {
    bool moves = replace->op == TMAP_OP_REPLACE && replace->field == TMAP_REPLACEABLE_ADDRESS;
    after->has_address = before->has_address || moves;
    after->allocation_B = moves ? 0 : before->allocation_B;
    after->allocation_offset_B = moves ? 0 : before->allocation_offset_B;
    after->ops = before->ops;
}

static tmap_status cannot_say(const tmap_map *map, const tmap_judge *judge, tmap_diags *diags) {
    tmap_diag diag = tmap_rule_diag("mode-unavailable", judge);
    diag.field = (int)TMAP_FIELD_MODE;
    diag.key = tmap_field_get((int)TMAP_FIELD_MODE)->name;
    TMAP_SAY(diag.message,
             "no source shows the bits of a descriptor for mode %s, so tmap cannot predict the map after a "
             "replacement",
             tmap_mode_get((int)map->params.mode)->name);
    TMAP_SAY(diag.fix.words, "a tiled or im2col map");
    tmap_diags_add(diags, &diag);
    return TMAP_UNAVAILABLE;
}

tmap_status tmap_replacement_init(tmap_replacement *out, const tmap_map *map, const tmap_copy_params *replace,
                                  const tmap_judge *judge, tmap_diags *diags) {
    if (!out || !map || !replace) return tmap_bad_argument(diags, "out, map or replace is null");
    const tmap_op_info *op = tmap_op_get((int)replace->op);
    if (!op || !op->on_map) return tmap_bad_argument(diags, "op of replace does not operate on a map");
    tmap_status status = tmap_check_copy(&map->params, replace, judge, diags);
    if (status != TMAP_OK) return status;
    tmap_replacement made = {.params = *replace};
    if (judge && judge->toolkit != 0) made.params.toolkit = judge->toolkit;
    if (!tmap_descriptor_encode(map, &made.before)) return cannot_say(map, judge, diags);
    made.after = made.before;
    tmap_descriptor_replace(&made.after, &made.params);
    (void)tmap_descriptor_decode(&made.after, &made.map, NULL, NULL);
    keep_the_rest(&map->params, replace, &made.map);
    *out = made;
    return TMAP_OK;
}
