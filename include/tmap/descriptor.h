/*
 * hw, descriptors: where the fields of the 128 bytes lie, and what tensormap.replace changes of them.
 * Since 0.2.0: everything here that does not say otherwise.
 */
#ifndef TMAP_DESCRIPTOR_H
#define TMAP_DESCRIPTOR_H

#include "tmap/hw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits lo .. lo+width-1 of the descriptor; bit 0 is the lowest of byte 0. */
typedef struct tmap_bits {
    uint16_t lo, width;
} tmap_bits;

typedef enum tmap_descriptor_field {
#define TMAP_DESCRIPTOR_FIELD(id, number, ...) TMAP_DESC_##id = (number),
#include "tmap/hw/descriptor.def"
#undef TMAP_DESCRIPTOR_FIELD
} tmap_descriptor_field;

typedef struct tmap_descriptor_field_info {
    const char *name;
    const char *stored; /* how the value is stored, for people */
    tmap_bits parts[2]; /* low part first; a width of 0 ends them */
    bool tiled, im2col; /* in which type of descriptor it has this meaning */
    const char *fact;   /* its evidence */
} tmap_descriptor_field_info;

typedef enum tmap_replaceable {
#define TMAP_REPLACEABLE(id, number, ...) TMAP_REPLACEABLE_##id = (number),
#include "tmap/hw/replaceables.def"
#undef TMAP_REPLACEABLE
} tmap_replaceable;

/* A field that tensormap.replace changes. */
typedef struct tmap_replaceable_info {
    const char *name, *ptx;
    int ordinals_n;              /* numbers of the field, chosen by the ordinal; 0: it is one */
    bool wide;                   /* the operand has 64 bits, else 32 */
    bool immediate;              /* the value is an immediate: a choice, which has words */
    uint64_t min, max, multiple; /* of numbers */
    tmap_descriptor_field first; /* that of ordinal 0 */
    int ptx_version, cuda_version;
} tmap_replaceable_info;

typedef struct tmap_descriptor {
#ifdef __cplusplus
    alignas(64) uint8_t bytes[TMAP_DESCRIPTOR_B];
#else
    _Alignas(64) uint8_t bytes[TMAP_DESCRIPTOR_B];
#endif
} tmap_descriptor;

TMAP_API const tmap_descriptor_field_info *tmap_descriptor_field_get(int field);
/* The raw stored number of a field, and putting one there (bits above its width are dropped). */
TMAP_API uint64_t tmap_descriptor_peek(const tmap_descriptor *descriptor, tmap_descriptor_field field) TMAP_NONNULL(1);
TMAP_API void tmap_descriptor_poke(tmap_descriptor *descriptor, tmap_descriptor_field field, uint64_t value)
    TMAP_NONNULL(1);
/*
 * What tensormap.replace changes, by enumerator and by name (tmap's or the instruction's), as above. Values are tmap's
 * own: the rank itself, strides in bytes, types and other choices by their enumerators, swizzle and swizzle_atomicity
 * by the instruction's numbers.
 */
TMAP_API const tmap_replaceable_info *tmap_replaceable_get(int field);
TMAP_API int tmap_replaceable_find(const char *name) TMAP_NONNULL(1);
/* The word for a value of a choice, NULL where it has none; and back, -1 where there is none. */
TMAP_API const char *tmap_replace_word(tmap_replaceable field, uint64_t value);
TMAP_API int tmap_replace_word_find(tmap_replaceable field, const char *word) TMAP_NONNULL(2);
/* The operand of the instruction for a value, and where it assembles. */
TMAP_API uint64_t tmap_replace_operand(tmap_replaceable field, uint64_t value);
TMAP_API tmap_archs tmap_replace_archs(tmap_replaceable field, uint64_t value);
/* The first version of the PTX ISA (83 is 8.3) with the instruction, the field and the value. */
TMAP_API int tmap_replace_ptx_version(tmap_replaceable field, uint64_t value);

/* Bits that are set though no field of a descriptor of this kind claims them. */
TMAP_API void tmap_descriptor_unexplained(const tmap_descriptor *descriptor, tmap_descriptor *bits) TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
