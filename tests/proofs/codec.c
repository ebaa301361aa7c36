/*
 * Point: 2
 * Proves: decode(encode(m)) has all of m that a descriptor stores, and encode(freeze(decode(d))) is d bit for bit.
 * Assumes: m is frozen and its numbers fit their fields, as the rules see to (that is tested). d has version 1, no bit that
 *     no field has, the type's code, a swizzle and an atomicity of one row, and 0 in every field that its rank, kind and
 *     interleave do not use. AUTO may mean either allocation class, and another one where the allocation is known.
 * Bounds: none: the type, the mode and the rank of a case, all else any.
 * Cases: TYPE=6 IM2COL=1 RANK=3..5; TYPE=6 IM2COL=0 RANK=1..5; TYPE=0..5,7..15 IM2COL=0 RANK=2
 * Sources: src/codec/encode.c src/codec/decode.c src/hw/tables.c
 *     src/hw/swizzle.c src/params/fields.c
 * Options: --z3 --unwind 36 --unwindsetname decode.c@peek_each:0:6,decode.c@peek_corner:0:4,decode.c@params_of:0:6
 *     --include-file tests/proofs/words.h --no-standard-checks
 */
#include <string.h>

#include "hw/descriptor_bits.h"
#include "proof.h"
#include "tmap/codec.h"

/* A descriptor as words: bytes are what costs a solver its time. */
typedef struct words_of {
    _Alignas(64) uint64_t word[TMAP_DESCRIPTOR_WORDS];
} words_of;

#define MODE (IM2COL ? TMAP_MODE_IM2COL : TMAP_MODE_TILED)

/* ---- What is taken for granted ---------------------------------------------------------------------------------- */

/* The rules: they judge nothing here, so that the proof is about more than what they accept. */
tmap_status tmap_check_descriptor(const tmap_descriptor *descriptor, const tmap_judge *judge, tmap_diags *diags) {
    (void)descriptor, (void)judge, (void)diags;
    return TMAP_OK;
}

/* The library's peek; a number that the case fixes is proved to be that and is a constant from then on, so that loops
 * up to the rank end where they do. */
uint64_t tmap_descriptor_peek(const tmap_descriptor *descriptor, tmap_descriptor_field field) {
    const tmap_type_info *type = tmap_type_get(TYPE);
    uint64_t words[TMAP_DESCRIPTOR_WORDS];
    memcpy(words, descriptor->bytes, sizeof words);
    uint64_t value = tmap_words_peek(words, field), fixed;
    switch ((int)field) {
    case TMAP_DESC_KIND: fixed = IM2COL; break;
    case TMAP_DESC_RANK: fixed = RANK - 1; break;
    case TMAP_DESC_TYPE: fixed = (uint64_t)type->code; break;
    case TMAP_DESC_TF32: fixed = type->tf32; break;
    default: return value;
    }
    PROVE(value == fixed);
    return fixed;
}

/* Freezing for a known rank: proof `freeze` compares it with tmap_map_init. */
static void freeze(tmap_map *map) {
    tmap_map_params *params = &map->params;
    for (int i = RANK; i < TMAP_RANK_MAX; i++) {
        params->dims_el[i] = 1;
        params->box_el[i] = 1;
        params->element_strides[i] = 1;
        params->strides_B[i - 1] = 0;
    }
    if (params->interleave == TMAP_INTERLEAVE_NONE) params->element_strides[0] = 1;
    for (int i = 0; IM2COL && i < TMAP_RANK_MAX; i++) params->box_el[i] = 1;
    if (!params->has_address) params->address = 0;
    map->type = tmap_type_get(TYPE);
    map->swizzle = tmap_swizzle_get((int)params->swizzle);
}

/* The class of AUTO: any, by what else is known of the allocation. */
static tmap_allocation_class automatic, automatic_alone;

tmap_allocation_class tmap_allocation_class_of(const tmap_map_params *params) {
    if (params->allocation_class != TMAP_ALLOCATION_AUTO) return params->allocation_class;
    return params->allocation_B != 0 ? automatic : automatic_alone;
}

static bool is_class(tmap_allocation_class class_) {
    return class_ == TMAP_ALLOCATION_SMALL || class_ == TMAP_ALLOCATION_LARGE;
}

static bool is_between(uint64_t value, uint64_t least, uint64_t most) {
    return value >= least && value <= most;
}

/* ---- decode(encode(m)) = m ----------------------------------------------------------------------------------------
 */

static bool corner_fits(int64_t corner) {
    int64_t half = (int64_t)1 << (TMAP_CORNER_BITS / (RANK - 2) - 1);
    return corner >= -half && corner < half;
}

static void assume_fits(const tmap_map_params *m) {
    ASSUME((unsigned)m->interleave < TMAP_INTERLEAVE_COUNT && (unsigned)m->swizzle < TMAP_SWIZZLE_COUNT);
    ASSUME((unsigned)m->oob_fill <= 1 && (unsigned)m->l2_promotion <= 3);
    ASSUME(m->allocation_class == TMAP_ALLOCATION_AUTO || is_class(m->allocation_class));
    for (int i = 0; i < RANK; i++) {
        ASSUME(is_between(m->dims_el[i], 1, (uint64_t)1 << 32));
        ASSUME(IM2COL || is_between(m->box_el[i], 1, 256));
        ASSUME(is_between(m->element_strides[i], 1, 8));
        ASSUME(i == 0 || (m->strides_B[i - 1] % 16 == 0 && m->strides_B[i - 1] < (uint64_t)1 << 40));
    }
#if IM2COL
    ASSUME(is_between(m->channels_per_pixel, 1, 256) && is_between(m->pixels_per_column, 1, 1024));
    for (int i = 0; i < RANK - 2; i++) ASSUME(corner_fits(m->lower_corner[i]) && corner_fits(m->upper_corner[i]));
#endif
}

static void prove_same(const tmap_map_params *m, const tmap_map_params *back) {
    PROVE(back->mode == m->mode && back->type == m->type && back->rank == m->rank);
    PROVE(back->has_address && back->address == m->address);
    PROVE(back->interleave == m->interleave && back->swizzle == m->swizzle);
    PROVE(back->oob_fill == m->oob_fill && back->l2_promotion == m->l2_promotion);
    for (int i = 0; i < RANK; i++) {
        PROVE(back->dims_el[i] == m->dims_el[i]);
        PROVE(IM2COL || back->box_el[i] == m->box_el[i]);
        PROVE(back->element_strides[i] == m->element_strides[i]);
        PROVE(i == 0 || back->strides_B[i - 1] == m->strides_B[i - 1]);
    }
#if IM2COL
    PROVE(back->channels_per_pixel == m->channels_per_pixel && back->pixels_per_column == m->pixels_per_column);
    for (int i = 0; i < RANK - 2; i++)
        PROVE(back->lower_corner[i] == m->lower_corner[i] && back->upper_corner[i] == m->upper_corner[i]);
#endif
    PROVE(tmap_allocation_class_of(back) == tmap_allocation_class_of(m));
}

static void there_and_back(void) {
    ANY(tmap_map, m);
    tmap_map_params back;
    words_of words;
    tmap_descriptor *d = (tmap_descriptor *)(void *)&words;
    m.params.type = (tmap_type)TYPE, m.params.mode = MODE, m.params.rank = RANK;
    assume_fits(&m.params);
    freeze(&m);
    PROVE(tmap_descriptor_encode(&m, d));
    PROVE(tmap_descriptor_decode(d, &back, NULL, NULL) == TMAP_OK);
    prove_same(&m.params, &back);
}

/* ---- encode(decode(d)) = d ----------------------------------------------------------------------------------------
 */

static uint64_t peek(const uint64_t *words, int field) {
    return tmap_words_peek(words, (tmap_descriptor_field)field);
}

static bool is_of_one_row(uint64_t mode, uint64_t atomicity) {
    bool found = false;
    for (int i = 0; i < TMAP_SWIZZLE_COUNT; i++) {
        const tmap_swizzle_info *row = tmap_swizzle_get(i);
        found |= (uint64_t)row->ptx_mode == mode && (uint64_t)row->ptx_atomicity == atomicity;
    }
    return found;
}

static void assume_canonical(const uint64_t *words) {
    const tmap_type_info *type = tmap_type_get(TYPE);
    ASSUME(peek(words, TMAP_DESC_KIND) == IM2COL && peek(words, TMAP_DESC_VERSION) == 1);
    ASSUME(peek(words, TMAP_DESC_RANK) == RANK - 1);
    ASSUME(peek(words, TMAP_DESC_TYPE) == (uint64_t)type->code && peek(words, TMAP_DESC_TF32) == type->tf32);
    ASSUME(peek(words, TMAP_DESC_INTERLEAVE) < TMAP_INTERLEAVE_COUNT);
    ASSUME(is_of_one_row(peek(words, TMAP_DESC_SWIZZLE), peek(words, TMAP_DESC_ATOMICITY)));
    for (int i = RANK; i < TMAP_RANK_MAX; i++) {
        ASSUME(peek(words, TMAP_DESC_DIM_0 + i) == 0 && peek(words, TMAP_DESC_STRIDE_0 + i - 1) == 0);
        ASSUME(peek(words, TMAP_DESC_ELEMENT_STRIDE_0 + i) == 0);
        ASSUME(IM2COL || peek(words, TMAP_DESC_BOX_0 + i) == 0);
    }
    ASSUME(peek(words, TMAP_DESC_INTERLEAVE) != 0 || peek(words, TMAP_DESC_ELEMENT_STRIDE_0) == 0);
    ASSUME(!IM2COL || RANK < 5 || (peek(words, TMAP_DESC_LOWER_CORNER) | peek(words, TMAP_DESC_UPPER_CORNER)) < 0x8000);
}

/* Of the bits that a field has, in a descriptor of the case's kind. */
static void assume_explained(const words_of *d) {
    words_of rest = *d;
    for (int i = 0; i < TMAP_DESC_COUNT; i++) {
        bool has = IM2COL ? tmap_descriptor_fields[i].im2col : tmap_descriptor_fields[i].tiled;
        if (has) tmap_words_poke(rest.word, (tmap_descriptor_field)i, 0);
    }
    for (int i = 0; i < TMAP_DESCRIPTOR_WORDS; i++) ASSUME(rest.word[i] == 0);
}

static void back_and_there(void) {
    ANY(words_of, any);
    words_of again;
    tmap_map map;
    assume_canonical(any.word);
    assume_explained(&any);
    PROVE(tmap_descriptor_decode((tmap_descriptor *)(void *)&any, &map.params, NULL, NULL) == TMAP_OK);
    freeze(&map);
    PROVE(tmap_descriptor_encode(&map, (tmap_descriptor *)(void *)&again));
    for (int i = 0; i < TMAP_DESCRIPTOR_WORDS; i++) PROVE(again.word[i] == any.word[i]);
}

int main(void) {
    ANY(tmap_allocation_class, first);
    ANY(tmap_allocation_class, second);
    ASSUME(is_class(first) && is_class(second));
    automatic = first, automatic_alone = second;
#if !IM2COL || RANK >= 3 /* im2col has a spatial dimension, channels and images */
    there_and_back();
    back_and_there();
#endif
    return 0;
}
