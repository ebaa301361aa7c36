/*
 * Point: 2
 * Proves: decode(encode(m)) has all parameters of m that a descriptor stores, and encode(freeze(decode(d))) is d bit
 *     for bit. The rows of type and swizzle have any code, rounding bit, mode and atomicity that their fields can
 *     hold; decode finds a row by exactly these numbers. `choices` proves that the tables return each row.
 * Assumes: m is frozen, has an address, and its numbers fit their fields, as the rules require (a test checks this).
 *     d has version 1. These bits are 0: bits outside the known fields, fields that its rank, kind and interleave do
 *     not use, and at rank 5 the highest bit of each corner. For the class AUTO the encoder chooses an
 *     arbitrary class, which can depend on whether the allocation is known.
 * Bounds: none: a case has a mode and a rank; all other numbers are arbitrary.
 * Tool: symbolic
 * Cases: IM2COL=0 RANK=1..5; IM2COL=1 RANK=3..5
 * Sources: src/core/codec/encode.c src/core/codec/decode.c src/core/hw/descriptor_bits.c src/core/base/memory.c
 */
#include "tmap/codec.h"
#include "hw/descriptor_bits.h"
#include "no_rules.h"
#include "proof.h"
#include "tmap/unstable/tables.h"

typedef struct words_of {
    _Alignas(64) uint64_t word[TMAP_DESCRIPTOR_WORDS];
} words_of;

#define TYPE TMAP_TYPE_F16 /* one type is sufficient: the row of the type contains the stored code */
#define MODE (IM2COL ? TMAP_MODE_IM2COL : TMAP_MODE_TILED)

/* A choice without a branch, so that both values are on one path. */
static inline uint64_t chosen(bool first, uint64_t a, uint64_t b) {
    uint64_t mask = 0 - (uint64_t)first;
    __asm__("" : "+r"(mask));
    return (a & mask) | (b & ~mask);
}

/* ---- Assumptions -------------------------------------------------------------------------------------------------- */

/* The rows of the map. Each table has only this row, so decode must search for exactly its numbers. */
static tmap_type_info the_type;
static tmap_swizzle_info the_swizzle;

int tmap_type_of_code(uint64_t code, bool tf32) {
    PROVE((code == (uint64_t)the_type.code) & (tf32 == the_type.tf32));
    return TYPE;
}

const tmap_swizzle_info *tmap_swizzle_get(int swizzle) {
    PROVE(swizzle == 0); /* so decode finds the first row, which is correct */
    return &the_swizzle;
}

const tmap_mode_info *tmap_mode_get(int mode) {
    static const tmap_mode_info im2col = {.name = "im2col", .im2col = true};
    PROVE(mode == TMAP_MODE_IM2COL);
    return &im2col;
}

static void choose_rows(unsigned code, bool tf32, unsigned mode, unsigned atomicity) {
    the_type.code = (int)code, the_type.tf32 = tf32;
    the_swizzle.ptx_mode = (int)mode, the_swizzle.ptx_atomicity = (int)atomicity;
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
    params->element_strides[0] = chosen(params->interleave == TMAP_INTERLEAVE_NONE, 1, params->element_strides[0]);
    for (int i = 0; IM2COL && i < TMAP_RANK_MAX; i++) params->box_el[i] = 1;
    map->type = &the_type;
    map->swizzle = &the_swizzle;
}

/* The class that the encoder chooses for AUTO: any class, and any other class if the allocation is known. */
static tmap_allocation_class automatic, automatic_alone;

tmap_allocation_class tmap_allocation_class_of(const tmap_map_params *params) {
    uint64_t by_driver = chosen(params->allocation_B != 0, automatic, automatic_alone);
    return (tmap_allocation_class)chosen(params->allocation_class == TMAP_ALLOCATION_AUTO, by_driver,
                                         params->allocation_class);
}

static bool is_class(tmap_allocation_class class_) {
    return (class_ == TMAP_ALLOCATION_SMALL) | (class_ == TMAP_ALLOCATION_LARGE);
}

static bool is_between(uint64_t value, uint64_t least, uint64_t most) {
    return (value >= least) & (value <= most);
}

/* ---- decode(encode(m)) = m --------------------------------------------------------------------------------------- */

static bool corner_fits(int64_t corner) {
    int64_t half = (int64_t)1 << (TMAP_CORNER_BITS / (RANK - 2) - 1);
    return (corner >= -half) & (corner < half);
}

static bool is_stride(uint64_t stride_B) {
    return (stride_B % 16 == 0) & (stride_B < (uint64_t)1 << 40);
}

static void assume_fits(const tmap_map_params *m) {
    ASSUME((unsigned)m->interleave < TMAP_INTERLEAVE_COUNT);
    ASSUME((unsigned)m->oob_fill <= 1);
    ASSUME((unsigned)m->l2_promotion <= 3);
    ASSUME((m->allocation_class == TMAP_ALLOCATION_AUTO) | is_class(m->allocation_class));
    for (int i = 0; i < RANK; i++) {
        ASSUME(is_between(m->dims_el[i], 1, (uint64_t)1 << 32));
        ASSUME(IM2COL || is_between(m->box_el[i], 1, 256));
        ASSUME(is_between(m->element_strides[i], 1, 8));
        ASSUME(i == 0 || is_stride(m->strides_B[i - 1]));
    }
#if IM2COL
    ASSUME(is_between(m->channels_per_pixel, 1, 256) & is_between(m->pixels_per_column, 1, 1024));
    for (int i = 0; i < RANK - 2; i++) ASSUME(corner_fits(m->lower_corner[i]) & corner_fits(m->upper_corner[i]));
#endif
}

/* One statement, so that the solver runs once. */
static void prove_same(const tmap_map_params *m, const tmap_map_params *back) {
    bool same = (back->mode == m->mode) & (back->type == m->type) & (back->rank == m->rank);
    same &= back->has_address & (back->address == m->address);
    same &= (back->interleave == m->interleave) & (back->swizzle == m->swizzle);
    same &= (back->oob_fill == m->oob_fill) & (back->l2_promotion == m->l2_promotion);
    for (int i = 0; i < RANK; i++) {
        same &= back->dims_el[i] == m->dims_el[i];
        same &= IM2COL | (back->box_el[i] == m->box_el[i]);
        same &= back->element_strides[i] == m->element_strides[i];
        if (i > 0) same &= back->strides_B[i - 1] == m->strides_B[i - 1];
    }
#if IM2COL
    same &= back->channels_per_pixel == m->channels_per_pixel;
    same &= back->pixels_per_column == m->pixels_per_column;
    for (int i = 0; i < RANK - 2; i++)
        same &= (back->lower_corner[i] == m->lower_corner[i]) & (back->upper_corner[i] == m->upper_corner[i]);
#endif
    same &= tmap_allocation_class_of(back) == tmap_allocation_class_of(m);
    PROVE(same);
}

static void both_directions(void) {
    ANY(tmap_map, m);
    ANY(unsigned, row);
    tmap_map_params back;
    words_of words;
    tmap_descriptor *d = (tmap_descriptor *)(void *)&words;
    m.params.type = (tmap_type)TYPE, m.params.mode = MODE, m.params.rank = RANK, m.params.has_address = true;
    m.params.swizzle = TMAP_SWIZZLE_NONE; /* row 0 */
    choose_rows(row % 16, row >> 4 & 1, row >> 5 & 7, row >> 8 & 3);
    assume_fits(&m.params);
    freeze(&m);
    PROVE(tmap_descriptor_encode(&m, d));
    PROVE(tmap_descriptor_decode(d, &back, NULL, NULL) == TMAP_OK);
    prove_same(&m.params, &back);
}

/* ---- encode(decode(d)) = d --------------------------------------------------------------------------------------- */

static uint64_t peek(const uint64_t *words, int field) {
    return tmap_words_peek(words, (tmap_descriptor_field)field);
}

static void set(uint64_t *words, int field, uint64_t value) {
    tmap_words_poke(words, (tmap_descriptor_field)field, value);
}

/* Fields that the case fixes, and those that its rank and kind do not use. */
static void make_canonical(uint64_t *words) {
    set(words, TMAP_DESC_KIND, IM2COL), set(words, TMAP_DESC_VERSION, 1), set(words, TMAP_DESC_RANK, RANK - 1);
    set(words, TMAP_DESC_TILE_BYTES, 0), set(words, TMAP_DESC_SWIZZLE_WORD, 0);
    choose_rows((unsigned)peek(words, TMAP_DESC_TYPE), peek(words, TMAP_DESC_TF32) != 0,
                (unsigned)peek(words, TMAP_DESC_SWIZZLE), (unsigned)peek(words, TMAP_DESC_ATOMICITY));
    for (int i = RANK; i < TMAP_RANK_MAX; i++) {
        set(words, TMAP_DESC_DIM_0 + i, 0), set(words, TMAP_DESC_STRIDE_0 + i - 1, 0);
        set(words, TMAP_DESC_ELEMENT_STRIDE_0 + i, 0);
        if (!IM2COL) set(words, TMAP_DESC_BOX_0 + i, 0);
    }
    ASSUME(peek(words, TMAP_DESC_INTERLEAVE) < TMAP_INTERLEAVE_COUNT);
    ASSUME((peek(words, TMAP_DESC_INTERLEAVE) != 0) | (peek(words, TMAP_DESC_ELEMENT_STRIDE_0) == 0));
    if (IM2COL && RANK == 5)
        ASSUME((peek(words, TMAP_DESC_LOWER_CORNER) | peek(words, TMAP_DESC_UPPER_CORNER)) < 0x8000);
}

/* Clears the bits that no field of this kind of descriptor has. */
static void clear_unexplained(words_of *d) {
    words_of rest = *d;
    for (int i = 0; i < TMAP_DESC_COUNT; i++) {
        bool has = IM2COL ? tmap_descriptor_fields[i].im2col : tmap_descriptor_fields[i].tiled;
        if (has) set(rest.word, i, 0);
    }
    for (int i = 0; i < TMAP_DESCRIPTOR_WORDS; i++) d->word[i] ^= rest.word[i];
}

static void back_and_forth(void) {
    ANY(words_of, any);
    words_of again;
    tmap_map map;
    clear_unexplained(&any);
    make_canonical(any.word);
    PROVE(tmap_descriptor_decode((tmap_descriptor *)(void *)&any, &map.params, NULL, NULL) == TMAP_OK);
    freeze(&map);
    PROVE(tmap_descriptor_encode(&map, (tmap_descriptor *)(void *)&again));
    uint64_t different = 0;
    for (int i = 0; i < TMAP_DESCRIPTOR_WORDS; i++) different |= again.word[i] ^ any.word[i];
    PROVE(different == 0);
}

int main(void) {
    tmap_proof_any(&automatic, sizeof automatic);
    tmap_proof_any(&automatic_alone, sizeof automatic_alone);
    ASSUME(is_class(automatic) & is_class(automatic_alone));
    if (tmap_proof_each(2) == 0)
        both_directions();
    else
        back_and_forth();
    return 0;
}
