/*
 * Descriptors of random valid maps decode to the same map and encode to the same bytes. Decoding any 128 bytes is safe.
 * One flipped bit is one difference, in the field that contains the bit.
 *
 *   prop_codec [maps [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prop/prop.h"
#include "tmap/codec.h"
#include "tmap/unstable/tables.h"

/* ---- decode(encode(x)) = x ------------------------------------------------------------------------------------ */

static bool same(prop_failure *failure, const char *what, uint64_t decoded, uint64_t encoded) {
    if (decoded == encoded) return true;
    return prop_fail(failure, "%s: encoded %" PRIu64 ", decoded %" PRIu64, what, encoded, decoded);
}

static bool same_choices(const tmap_map_params *a, const tmap_map_params *b, prop_failure *failure) {
    return same(failure, "mode", a->mode, b->mode) && same(failure, "type", a->type, b->type) &&
           same(failure, "rank", a->rank, b->rank) &&
           same(failure, "address", a->has_address ? a->address : 0, b->has_address ? b->address : 0) &&
           same(failure, "interleave", a->interleave, b->interleave) &&
           same(failure, "swizzle", a->swizzle, b->swizzle) &&
           same(failure, "l2_promotion", a->l2_promotion, b->l2_promotion) &&
           same(failure, "oob_fill", a->oob_fill, b->oob_fill);
}

static bool same_sizes(const tmap_map_params *a, const tmap_map_params *b, prop_failure *failure) {
    for (uint64_t i = 0; i < b->rank; i++) {
        if (!same(failure, "dims", a->dims_el[i], b->dims_el[i]) || !same(failure, "box", a->box_el[i], b->box_el[i]) ||
            !same(failure, "element_strides", a->element_strides[i], b->element_strides[i]))
            return false;
        if (i > 0 && !same(failure, "strides", a->strides_B[i - 1], b->strides_B[i - 1])) return false;
    }
    return true;
}

static bool same_columns(const tmap_map_params *a, const tmap_map_params *b, prop_failure *failure) {
    for (uint64_t i = 0; i + 2 < b->rank && b->mode == TMAP_MODE_IM2COL; i++)
        if (!same(failure, "lower corner", (uint64_t)a->lower_corner[i], (uint64_t)b->lower_corner[i]) ||
            !same(failure, "upper corner", (uint64_t)a->upper_corner[i], (uint64_t)b->upper_corner[i]))
            return false;
    return same(failure, "channels", a->channels_per_pixel, b->channels_per_pixel) &&
           same(failure, "pixels", a->pixels_per_column, b->pixels_per_column);
}

static bool check_map(const tmap_map_params *params, prop_failure *failure) {
    tmap_map map, again;
    tmap_map_params decoded;
    tmap_descriptor first, second;
    if (tmap_map_init(&map, params, NULL, NULL) != TMAP_OK)
        return prop_fail_refused(failure, "a generated map", params, NULL);
    if (!tmap_descriptor_encode(&map, &first)) return tmap_mode_get((int)map.params.mode)->wide;
    if (tmap_descriptor_decode(&first, &decoded, NULL, NULL) != TMAP_OK)
        return prop_fail(failure, "the descriptor of a valid map does not decode");
    tmap_map_params stored = map.params;
    for (int i = 0; i < TMAP_RANK_MAX && stored.mode != TMAP_MODE_TILED; i++) stored.box_el[i] = 0;
    if (!same_choices(&decoded, &stored, failure) || !same_sizes(&decoded, &stored, failure) ||
        !same_columns(&decoded, params, failure))
        return false;
    if (tmap_map_init(&again, &decoded, NULL, NULL) != TMAP_OK) return prop_fail(failure, "the decoded map is refused");
    tmap_descriptor_encode(&again, &second);
    if (memcmp(&first, &second, sizeof first) != 0) return prop_fail(failure, "the decoded map encodes to other bytes");
    tmap_descriptor unexplained;
    tmap_descriptor_unexplained(&first, &unexplained);
    for (int i = 0; i < TMAP_DESCRIPTOR_B; i++)
        if (unexplained.bytes[i] != 0) return prop_fail(failure, "byte %d has bits outside all fields", i);
    return true;
}

static bool maps_round_trip(const prop_options *options) {
    for (uint64_t i = 0; i < options->cases; i++) {
        tmap_random random = prop_random(options, i);
        tmap_map_params params;
        prop_failure failure = {{0}};
        tmap_random_map(&random, false, &params);
        if (check_map(&params, &failure)) continue;
        prop_print_case(options, i, &failure, &params, NULL);
        return false;
    }
    return true;
}

/* ---- Any bytes ------------------------------------------------------------------------------------------------ */

static void fill(tmap_random *random, tmap_descriptor *descriptor) {
    for (int i = 0; i < TMAP_DESCRIPTOR_B; i += 8) {
        uint64_t word = tmap_random_next(random);
        memcpy(descriptor->bytes + i, &word, sizeof word);
    }
}

/* The rules judge the decoded map; an accepted map encodes and decodes to itself. */
static bool check_bytes(const tmap_descriptor *descriptor, prop_failure *failure) {
    tmap_diag findings[4];
    tmap_diags diags = {.items = findings, .capacity = 4, .fixed = true};
    tmap_map_params params;
    tmap_status status = tmap_descriptor_decode(descriptor, &params, NULL, &diags);
    if (status != TMAP_OK && status != TMAP_REFUSED)
        return prop_fail(failure, "decode returns \"%s\"", tmap_status_name(status));
    if (status == TMAP_REFUSED && diags.by_severity[TMAP_ERROR] == 0)
        return prop_fail(failure, "decode refuses without a finding");
    if (tmap_check_map(&params, NULL, NULL) != TMAP_OK || params.mode != TMAP_MODE_TILED) return true;
    return check_map(&params, failure);
}

/* Random bytes, and descriptors of valid maps with a few random bits. */
static bool any_bytes_decode(const prop_options *options, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        tmap_random random = prop_random(options, i);
        tmap_descriptor descriptor;
        tmap_map_params params;
        tmap_map map;
        prop_failure failure = {{0}};
        tmap_random_map(&random, false, &params);
        if (tmap_map_init(&map, &params, NULL, NULL) != TMAP_OK) continue; /* reported elsewhere */
        if (!tmap_descriptor_encode(&map, &descriptor)) continue;
        if (i % 2 == 0) fill(&random, &descriptor);
        for (int flips = 0; flips < 3; flips++) {
            uint64_t bit = tmap_random_between(&random, 0, 1023);
            descriptor.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        if (check_bytes(&descriptor, &failure)) continue;
        prop_print_case(options, i, &failure, &params, NULL);
        return false;
    }
    return true;
}

/* ---- Replacements --------------------------------------------------------------------------------------------- */

static void replace(tmap_descriptor *d, tmap_replaceable field, uint64_t ordinal, uint64_t value) {
    tmap_descriptor_replace(
        d, &(tmap_copy_params){.op = TMAP_OP_REPLACE, .field = field, .ordinal = ordinal, .value = value});
}

static void replace_everything(tmap_descriptor *d, const tmap_map *to) {
    const tmap_map_params *p = &to->params;
    replace(d, TMAP_REPLACEABLE_ADDRESS, 0, p->address);
    replace(d, TMAP_REPLACEABLE_RANK, 0, p->rank);
    replace(d, TMAP_REPLACEABLE_TYPE, 0, p->type);
    replace(d, TMAP_REPLACEABLE_INTERLEAVE, 0, p->interleave);
    replace(d, TMAP_REPLACEABLE_SWIZZLE, 0, (uint64_t)to->swizzle->ptx_mode);
    replace(d, TMAP_REPLACEABLE_ATOMICITY, 0, (uint64_t)to->swizzle->ptx_atomicity);
    replace(d, TMAP_REPLACEABLE_OOB_FILL, 0, p->oob_fill);
    for (uint64_t i = 0; i < TMAP_RANK_MAX; i++) {
        replace(d, TMAP_REPLACEABLE_DIMS, i, p->dims_el[i]);
        replace(d, TMAP_REPLACEABLE_BOX, i, p->box_el[i]);
        replace(d, TMAP_REPLACEABLE_ELEMENT_STRIDES, i, p->element_strides[i]);
        if (i > 0) replace(d, TMAP_REPLACEABLE_STRIDES, i - 1, p->strides_B[i - 1]);
    }
}

/* No replacement changes the promotion, the rounding bit of a tf32 map, or makes the allocation class LARGE. */
static bool check_replaced(const tmap_map_params *from, const tmap_map_params *to, prop_failure *failure) {
    tmap_map first, last;
    tmap_descriptor replaced, encoded;
    tmap_map_params wanted = *to;
    wanted.l2_promotion = from->l2_promotion;
    wanted.allocation_class = TMAP_ALLOCATION_SMALL;
    bool tiled = from->mode == TMAP_MODE_TILED && to->mode == TMAP_MODE_TILED;
    if (!tiled) return true; /* no replacement changes the mode */
    if (tmap_map_init(&first, from, NULL, NULL) != TMAP_OK || tmap_map_init(&last, &wanted, NULL, NULL) != TMAP_OK)
        return true; /* reported elsewhere */
    tmap_descriptor_encode(&first, &replaced);
    tmap_descriptor_encode(&last, &encoded);
    replace_everything(&replaced, &last);
    if (first.type->tf32) tmap_descriptor_poke(&encoded, TMAP_DESC_TF32, 1);
    if (memcmp(&replaced, &encoded, sizeof encoded) == 0) return true;
    return prop_fail(failure, "a map with every field replaced is not the other map");
}

static bool replacements_lead_from_map_to_map(const prop_options *options, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        tmap_random random = prop_random(options, i);
        tmap_map_params from, to;
        prop_failure failure = {{0}};
        tmap_random_map(&random, false, &from);
        tmap_random_map(&random, false, &to);
        if (check_replaced(&from, &to, &failure)) continue;
        prop_print_case(options, i, &failure, &to, NULL);
        return false;
    }
    return true;
}

/* ---- One bit -------------------------------------------------------------------------------------------------- */

/* The positions of the fields of a tiled descriptor, from the published tables; all other bits belong to no field. */
static const struct {
    const char *name;
    int lo, width;
} fields[] = {
    {"address", 0, 64},
    {"kind", 64, 1},
    {"version", 65, 3},
    {"rank", 68, 3},
    {"type", 71, 4},
    {"interleave", 75, 2},
    {"swizzle", 77, 2},
    {"oob_fill", 79, 1},
    {"tf32", 80, 1},
    {"l2_promotion", 81, 2},
    {"swizzle_atomicity", 83, 2},
    {"allocation_class", 85, 1},
    {"swizzle", 86, 1},
    {"strides[0]", 96, 32},
    {"strides[1]", 128, 32},
    {"strides[2]", 160, 32},
    {"strides[3]", 192, 32},
    {"strides[0]", 224, 4},
    {"strides[1]", 228, 4},
    {"strides[2]", 232, 4},
    {"strides[3]", 236, 4},
    {"dims[0]", 256, 32},
    {"dims[1]", 288, 32},
    {"dims[2]", 320, 32},
    {"dims[3]", 352, 32},
    {"dims[4]", 384, 32},
    {"element_strides[0]", 416, 3},
    {"element_strides[1]", 419, 3},
    {"element_strides[2]", 422, 3},
    {"element_strides[3]", 425, 3},
    {"element_strides[4]", 428, 3},
    {"box[0]", 440, 8},
    {"box[1]", 448, 8},
    {"box[2]", 456, 8},
    {"box[3]", 464, 8},
    {"box[4]", 472, 8},
    {"tile_bytes", 512, 32},
    {"swizzle_word", 576, 32},
};

/* The fields of im2col descriptors at the position of box[1] and after it. */
static const struct {
    const char *name;
    int lo, width;
} column_fields[] = {{"lower_corner", 448, 16}, {"upper_corner", 464, 16}, {"pixels_per_column", 480, 10}};

static const char *field_of_bit(const tmap_descriptor *descriptor, int bit) {
    bool im2col = descriptor->bytes[8] & 1;
    for (size_t i = 0; im2col && i < sizeof column_fields / sizeof *column_fields; i++)
        if (bit >= column_fields[i].lo && bit < column_fields[i].lo + column_fields[i].width)
            return column_fields[i].name;
    if (im2col && bit >= 448 && bit < 512) return NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (bit >= fields[i].lo && bit < fields[i].lo + fields[i].width) return fields[i].name;
    return NULL;
}

static bool check_flip(const tmap_descriptor *descriptor, int bit, prop_failure *failure) {
    tmap_descriptor flipped = *descriptor;
    flipped.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    tmap_field_diff diffs[4];
    size_t n = tmap_descriptor_diff(descriptor, &flipped, diffs, 4);
    if (n != 1) return prop_fail(failure, "bit %d flipped: %zu differences", bit, n);
    const char *expected = field_of_bit(descriptor, bit);
    if (!expected && (diffs[0].field != -1 || diffs[0].bits.lo != bit || diffs[0].bits.width != 1))
        return prop_fail(failure, "bit %d, outside all fields, flipped: the difference is not this bit", bit);
    if (!expected) return true;
    const tmap_descriptor_field_info *field = tmap_descriptor_field_get(diffs[0].field);
    if (!field || strcmp(field->name, expected) != 0)
        return prop_fail(failure, "bit %d of %s flipped: the difference is in %s", bit, expected,
                         field ? field->name : "no field");
    if (diffs[0].a == diffs[0].b) return prop_fail(failure, "bit %d of %s flipped: equal numbers", bit, expected);
    return true;
}

static bool flips_are_named(const prop_options *options, uint64_t maps_n) {
    for (uint64_t i = 0; i < maps_n; i++) {
        tmap_random random = prop_random(options, i);
        tmap_map_params params;
        tmap_map map;
        tmap_descriptor descriptor;
        prop_failure failure = {{0}};
        tmap_random_map(&random, false, &params);
        if (tmap_map_init(&map, &params, NULL, NULL) != TMAP_OK || !tmap_descriptor_encode(&map, &descriptor)) continue;
        for (int bit = 0; bit < TMAP_DESCRIPTOR_B * 8; bit++) {
            if (check_flip(&descriptor, bit, &failure)) continue;
            prop_print_case(options, i, &failure, &params, NULL);
            return false;
        }
        if (tmap_descriptor_diff(&descriptor, &descriptor, NULL, 0) != 0) {
            prop_fail(&failure, "a descriptor differs from itself");
            prop_print_case(options, i, &failure, &params, NULL);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 1000000);
    uint64_t bytes_n = options.cases / 5 + 1, flips_n = options.cases / 5000 + 1;
    if (!maps_round_trip(&options) || !replacements_lead_from_map_to_map(&options, bytes_n) ||
        !any_bytes_decode(&options, bytes_n) || !flips_are_named(&options, flips_n))
        return EXIT_FAILURE;
    printf("codec: seed %" PRIu64 ", %" PRIu64 " maps encoded and decoded, %" PRIu64
           " maps replaced and as many random descriptors decoded, %" PRIu64 " descriptors with each bit flipped\n",
           options.seed, options.cases, bytes_n, flips_n);
    return EXIT_SUCCESS;
}
