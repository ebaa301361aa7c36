/* Rules of the raw 128 bytes: patterns that no parameters encode, and patterns that tensormap.replace produces. */
#include <inttypes.h>
#include <string.h>

#include "hw/descriptor_bits.h"
#include "params/allocation.h"
#include "rule/finding.h"
#include "rule/rules.h"
#include "tmap/unstable/tables.h"

static uint64_t peek(const tmap_trial *trial, tmap_descriptor_field field) {
    return tmap_descriptor_peek(trial->descriptor, field);
}

static tmap_diag *field_finding(tmap_trial *trial, tmap_descriptor_field field, tmap_archs archs) {
    tmap_diag *d = tmap_finding(trial, -1, -1, archs);
    if (d) d->key = tmap_descriptor_field_get((int)field)->name;
    return d;
}

/* A stored code above the last code with a meaning. The meanings are `first` to `end`; `end` NULL: only `first`. */
static void judge_code(tmap_trial *trial, tmap_descriptor_field field, uint64_t last, const char *first,
                       const char *end) {
    uint64_t code = peek(trial, field);
    if (code <= last) return;
    tmap_diag *d = field_finding(trial, field, TMAP_ARCHS_ALL);
    if (!d) return;
    const tmap_descriptor_field_info *info = tmap_descriptor_field_get((int)field);
    unsigned lo = info->parts[0].lo, hi = lo + info->parts[0].width - 1;
    tmap_say_message(d, "%s (bits %u..%u) is %" PRIu64 ", which is undefined", info->name, lo, hi, code);
    TMAP_SAY(d->given, "%" PRIu64, code);
    TMAP_SAY(d->allowed, "%s: %s%s%s", tmap_range(0, last).text, first, end ? " to " : "", end ? end : "");
    TMAP_SAY(d->fix.words, "check that the 128 bytes are a tensor map; %s: %s", info->name, tmap_range(0, last).text);
}

void tmap_judge_desc_type_code(tmap_trial *trial) {
    const tmap_type_info *type, *last = tmap_type_get(0);
    for (int i = 1; (type = tmap_type_get(i)) != NULL; i++)
        if (type->code > last->code) last = type;
    judge_code(trial, TMAP_DESC_TYPE, (uint64_t)last->code, tmap_type_get(0)->name, last->name);
}

void tmap_judge_desc_interleave_code(tmap_trial *trial) {
    judge_code(trial, TMAP_DESC_INTERLEAVE, 2, "none, 16B, 32B", NULL);
}

void tmap_judge_desc_rank_code(tmap_trial *trial) {
    judge_code(trial, TMAP_DESC_RANK, 4, "rank 1 to 5", NULL);
}

void tmap_judge_desc_version_code(tmap_trial *trial) {
    judge_code(trial, TMAP_DESC_VERSION, 1, "the known versions", NULL);
}

void tmap_judge_desc_im2col_rank(tmap_trial *trial) {
    uint64_t rank = peek(trial, TMAP_DESC_RANK) + 1;
    if (peek(trial, TMAP_DESC_KIND) == 0 || rank >= 3) return;
    tmap_diag *d = field_finding(trial, TMAP_DESC_RANK, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "the descriptor is im2col (bit 64) of rank %" PRIu64 "; im2col has rank 3 to 5", rank);
    TMAP_SAY(d->given, "rank %" PRIu64, rank);
    TMAP_SAY(d->allowed, "rank 3 to 5");
    TMAP_SAY(d->fix.words, "set bit 64 to 0 for a tiled map, or bits 68..70, the rank - 1, to 2 to 4");
}

static bool is_swizzle(uint64_t mode, uint64_t atomicity) {
    const tmap_swizzle_info *info;
    for (int i = 0; (info = tmap_swizzle_get(i)) != NULL; i++)
        if ((uint64_t)info->ptx_mode == mode && (uint64_t)info->ptx_atomicity == atomicity) return true;
    return false;
}

void tmap_judge_desc_swizzle_code(tmap_trial *trial) {
    uint64_t mode = peek(trial, TMAP_DESC_SWIZZLE), atomicity = peek(trial, TMAP_DESC_ATOMICITY);
    if (is_swizzle(mode, atomicity)) return;
    tmap_diag *d = field_finding(trial, TMAP_DESC_SWIZZLE, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "swizzle %" PRIu64 " (bits 77..78, 86) with atomicity %" PRIu64 " (bits 83..84) is undefined",
                     mode, atomicity);
    TMAP_SAY(d->given, "swizzle %" PRIu64 ", atomicity %" PRIu64, mode, atomicity);
    TMAP_SAY(d->allowed, "swizzle 0 to 4; atomicity other than 0 only with swizzle 3 (128B)");
    TMAP_SAY(d->fix.words, "%s", !is_swizzle(mode, 0) ? "clear bit 86" : "clear bits 83..84, or swizzle: 3");
}

void tmap_judge_desc_tf32_stale(tmap_trial *trial) {
    uint64_t code = peek(trial, TMAP_DESC_TYPE);
    if (peek(trial, TMAP_DESC_TF32) == 0 || code == 7 || code == 8) return;
    tmap_diag *d = field_finding(trial, TMAP_DESC_TF32, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "the tf32 bit (80) is set with element type %" PRIu64 ", which is not f32", code);
    TMAP_SAY(d->given, "bit 80 with type %" PRIu64, code);
    TMAP_SAY(d->allowed, "bit 80 with types 7 and 8");
    TMAP_SAY(d->fix.words, "clear bit 80: tensormap.replace elemtype with f32 (7) first, then with the type");
}

/* Bits 240..255: the upper half of the dword at byte 0x1c, above the high parts of the four strides. */
static unsigned above_strides(const tmap_descriptor *descriptor) {
    return descriptor->bytes[30] | (unsigned)descriptor->bytes[31] << 8;
}

void tmap_judge_desc_stride_overwritten(tmap_trial *trial) {
    unsigned bits = above_strides(trial->descriptor);
    if (bits == 0) return;
    tmap_diag *d = field_finding(trial, TMAP_DESC_STRIDE_0, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d,
                     "bits 240..255 are 0x%04x: tensormap.replace global_stride with ord 4 writes these bits and the "
                     "high bits of all strides",
                     bits);
    TMAP_SAY(d->given, "0x%04x", bits);
    TMAP_SAY(d->allowed, "0");
    TMAP_SAY(d->fix.words, "global_stride only with ord 0 to 3: ord i is the stride of dimension i+1");
}

static uint64_t driver_word(const tmap_descriptor *descriptor, tmap_descriptor_field field) {
    uint64_t words[TMAP_DESCRIPTOR_WORDS];
    memcpy(words, descriptor->bytes, sizeof words);
    if (tmap_upper_half_is_known(words, field)) return tmap_words_peek(words, field);
    return field == TMAP_DESC_TILE_BYTES ? tmap_driver_tile_B(words) : tmap_driver_swizzle_word(words);
}

static void judge_upper_half(tmap_trial *trial, tmap_descriptor_field field, const char *of) {
    const tmap_descriptor_field_info *info = tmap_descriptor_field_get((int)field);
    uint64_t stored = peek(trial, field), wanted = driver_word(trial->descriptor, field);
    tmap_diag *d = stored != wanted ? field_finding(trial, field, TMAP_ARCHS_ALL) : NULL;
    if (!d) return;
    unsigned lo = info->parts[0].lo, hi = lo + info->parts[0].width - 1;
    tmap_say_message(d, "%s (bits %u..%u) is 0x%" PRIx64 ", but for %s the driver stores 0x%" PRIx64, info->name, lo,
                     hi, stored, of, wanted);
    TMAP_SAY(d->given, "0x%" PRIx64, stored);
    if (wanted == 0) TMAP_SAY(d->allowed, "0");
    if (wanted != 0) TMAP_SAY(d->allowed, "0 or 0x%" PRIx64, wanted);
    TMAP_SAY(d->fix.words, "encode the map again, or set bits %u..%u to 0x%" PRIx64, lo, hi, wanted);
}

void tmap_judge_desc_upper_half(tmap_trial *trial) {
    judge_upper_half(trial, TMAP_DESC_TILE_BYTES, "this type, box and element strides");
    judge_upper_half(trial, TMAP_DESC_SWIZZLE_WORD, "this swizzle");
}

/* The bits of no field. Another rule judges bits 240..255. */
static tmap_descriptor unclaimed(const tmap_descriptor *descriptor) {
    tmap_descriptor bits;
    tmap_descriptor_unexplained(descriptor, &bits);
    bits.bytes[30] = bits.bytes[31] = 0;
    return bits;
}

static int next_set_bit(const tmap_descriptor *bits, int from) {
    for (int bit = from; bit < TMAP_DESCRIPTOR_B * 8; bit++)
        if (bits->bytes[bit / 8] >> (bit % 8) & 1) return bit;
    return -1;
}

void tmap_judge_desc_unknown_bits(tmap_trial *trial) {
    static const tmap_descriptor zero;
    tmap_descriptor bits = unclaimed(trial->descriptor);
    if (memcmp(bits.bytes, zero.bytes, sizeof bits.bytes) == 0) return;
    tmap_diag *d = tmap_finding(trial, -1, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    char list[sizeof d->given] = "";
    bool fits = true;
    for (int bit = next_set_bit(&bits, 0); bit >= 0 && fits; bit = next_set_bit(&bits, bit + 1)) {
        fits = strlen(list) + sizeof ", 1023, ..." <= sizeof list;
        TMAP_SAY_MORE(list, fits ? "%s%d" : "%s...", *list ? ", " : "", bit);
    }
    tmap_say_message(d, "bits outside the known fields are set: %s", list);
    tmap_say_values(d, list, "0 in bits outside the known fields");
    TMAP_SAY(d->fix.words, "keep these bits if a driver set them; else set them to 0");
}

/* The parameters that give the location of the tensor. Returns false when a code has no meaning. */
static bool tensor_of(const tmap_trial *trial, tmap_map_params *map) {
    int type = tmap_type_of_code(peek(trial, TMAP_DESC_TYPE), peek(trial, TMAP_DESC_TF32) != 0);
    uint64_t rank = peek(trial, TMAP_DESC_RANK) + 1, interleave = peek(trial, TMAP_DESC_INTERLEAVE);
    if (type < 0 || rank > TMAP_RANK_MAX || interleave >= TMAP_INTERLEAVE_COUNT) return false;
    *map = tmap_map_params_tiled((tmap_type)type, rank);
    map->interleave = (tmap_interleave)interleave;
    for (unsigned i = 0; i < TMAP_RANK_MAX; i++)
        map->dims_el[i] = peek(trial, (tmap_descriptor_field)(TMAP_DESC_DIM_0 + i)) + 1;
    for (unsigned i = 0; i + 1 < TMAP_RANK_MAX; i++)
        map->strides_B[i] = peek(trial, (tmap_descriptor_field)(TMAP_DESC_STRIDE_0 + i)) * 16;
    return true;
}

void tmap_judge_desc_small_allocation(tmap_trial *trial) {
    tmap_map_params map;
    if (peek(trial, TMAP_DESC_ALLOCATION_CLASS) == 0 || !tensor_of(trial, &map)) return;
    uint64_t span = tmap_derive(&map, false).span_B;
    if (span >= TMAP_LARGE_REGION_B) return;
    if (tmap_map_fills_memory(&map)) return;
    tmap_diag *d = field_finding(trial, TMAP_DESC_ALLOCATION_CLASS, TMAP_ARCHS_BLACKWELL);
    if (!d) return;
    tmap_say_message(d, "the allocation class is LARGE for a tensor of %" PRIu64 " B that is not dense", span);
    TMAP_SAY(d->given, "LARGE (bit 85 set), %" PRIu64 " B", span);
    TMAP_SAY(d->allowed, "SMALL where the allocation is below %d B", TMAP_LARGE_REGION_B);
    TMAP_SAY(d->fix.words, "clear bit 85 (bit 21 of the second 64-bit word), or an allocation of %d B",
             TMAP_LARGE_REGION_B);
}
