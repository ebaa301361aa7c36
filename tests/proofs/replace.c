/*
 * Point: 2
 * Proves: tmap_descriptor_replace stores the bits that the published table has for the field, the ordinal and the
 *     ptxas of each toolkit, and keeps every other bit.
 * Assumes: the table of bits of tests/oracle/replace.c, written again for whole words. If the field is the type, the
 *     value is one of the 16 types.
 * Bounds: none: any 1024 bits, any 64-bit value, any toolkit, every field and ordinal.
 * Tool: symbolic
 * Sources: src/core/codec/replace.c src/core/hw/tables.c src/core/hw/replaceables.c
 */
#include "proof.h"
#include "tmap/codec.h"
#include "tmap/unstable/counts.h"

#ifndef FIELD /* a planted mistake defines a single field */
#define FIELD tmap_proof_each(TMAP_REPLACEABLE_COUNT)
#endif

enum { WORDS = TMAP_DESCRIPTOR_B / 8 };

typedef struct words_of {
    _Alignas(64) uint64_t word[WORDS];
} words_of;

/* By .elemtype: the stored code, and with 16 the bit that rounds to tf32 (tests/oracle/replace.c). */
static const uint8_t codes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 7 + 16, 8 + 16, 11, 12, 13};

/* No field crosses a word. */
static void put(words_of *d, unsigned lo, unsigned width, uint64_t value) {
    uint64_t mask = width == 64 ? UINT64_MAX : (((uint64_t)1 << width) - 1) << lo % 64;
    d->word[lo / 64] = (d->word[lo / 64] & ~mask) | (value << lo % 64 & mask);
}

static void put_type(words_of *d, uint64_t type) {
    put(d, 71, 4, codes[type % 16] % 16);
    if (codes[type % 16] >= 16) put(d, 80, 1, 1);
}

/* `cuda` is the release whose ptxas made the code. Before 12.5 strides are in units of 16 bytes; before 12.8 bit 86 is
 * not the swizzle's; before 13.4 bit 85 is cleared with the atomicity, from 13.5 on with the address. */
static void put_field(words_of *d, unsigned field, unsigned n, uint64_t value, int cuda) {
    uint64_t units = cuda >= 12050 ? value / 16 : value;
    switch (field) {
    case TMAP_REPLACEABLE_ADDRESS:
        put(d, 0, 64, value);
        if (cuda >= 13050) put(d, 85, 1, 0);
        break;
    case TMAP_REPLACEABLE_RANK: put(d, 68, 3, value - 1); break;
    case TMAP_REPLACEABLE_TYPE: put_type(d, value); break;
    case TMAP_REPLACEABLE_INTERLEAVE: put(d, 75, 2, value); break;
    case TMAP_REPLACEABLE_SWIZZLE:
        put(d, 77, 2, value);
        if (cuda >= 12080) put(d, 86, 1, value >> 2);
        break;
    case TMAP_REPLACEABLE_OOB_FILL: put(d, 79, 1, value); break;
    case TMAP_REPLACEABLE_ATOMICITY: put(d, 83, cuda >= 13040 ? 2 : 3, value); break;
    case TMAP_REPLACEABLE_STRIDES:
        put(d, 96 + 32 * n, 32, units);
        put(d, 224 + 4 * n, 4, units >> 32);
        break;
    case TMAP_REPLACEABLE_DIMS: put(d, 256 + 32 * n, 32, value - 1); break;
    case TMAP_REPLACEABLE_ELEMENT_STRIDES: put(d, 416 + 3 * n, 3, value - 1); break;
    default: put(d, 440 + 8 * n, 8, value - 1);
    }
}

static bool is_array(unsigned field) {
    return field == TMAP_REPLACEABLE_STRIDES || field == TMAP_REPLACEABLE_DIMS || field == TMAP_REPLACEABLE_BOX ||
           field == TMAP_REPLACEABLE_ELEMENT_STRIDES;
}

int main(void) {
    ANY(words_of, any);
    ANY(uint64_t, value);
    ANY(int, toolkit);
    unsigned field = FIELD, n = is_array(field) ? tmap_proof_each(TMAP_RANK_MAX) : 0;
    if (field == TMAP_REPLACEABLE_TYPE) value = tmap_proof_each(TMAP_TYPE_COUNT);
    ASSUME(toolkit >= 0);
    tmap_copy_params replace = {.op = TMAP_OP_REPLACE, .field = (tmap_replaceable)field, .ordinal = n};
    replace.value = value, replace.toolkit = toolkit;
    words_of expected = any, found = any;
    tmap_descriptor_replace((tmap_descriptor *)(void *)&found, &replace);
    put_field(&expected, field, n, value, toolkit == 0 ? 99999 : toolkit);
    uint64_t different = 0;
    for (int i = 0; i < WORDS; i++) different |= found.word[i] ^ expected.word[i];
    PROVE(different == 0);
    return 0;
}
