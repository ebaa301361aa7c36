/*
 * hw, descriptors: the bit positions of the fields in the 128 bytes, and the fields that tensormap.replace changes.
 *
 * Since 0.2.0, unless a comment below states another release.
 */
#ifndef TMAP_DESCRIPTOR_H
#define TMAP_DESCRIPTOR_H

#include "tmap/hw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits lo .. lo+width-1 of the descriptor; bit 0 is the lowest bit of byte 0. */
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
    const char *stored; /* how the value is stored, as text for people */
    tmap_bits parts[2]; /* low part first; a width of 0 ends the list */
    bool tiled, im2col; /* the kinds of descriptor that have this field */
    const char *fact;   /* the fact with the field's evidence */
} tmap_descriptor_field_info;

typedef enum tmap_replaceable {
#define TMAP_REPLACEABLE(id, number, ...) TMAP_REPLACEABLE_##id = (number),
#include "tmap/hw/replaceables.def"
#undef TMAP_REPLACEABLE
} tmap_replaceable;

/* A field that tensormap.replace changes. `name` is the key in specs, `ptx` the field's name in the instruction. */
typedef struct tmap_replaceable_info {
    const char *name, *ptx;
    int ordinals_n;              /* count of numbers; the ordinal selects one. 0: one number, without an ordinal */
    bool wide;                   /* the operand has 64 bits; false: 32 */
    bool immediate;              /* the value is an immediate: one of several choices that have names */
    uint64_t min, max, multiple; /* the allowed values, if the field is a number */
    tmap_descriptor_field first; /* the descriptor field of ordinal 0 */
    int ptx_version;             /* the first PTX ISA with the field; 0: the first with the instruction */
    int cuda_version;            /* the first CUDA release whose ptxas uses the field's unit; 0: every release */
} tmap_replaceable_info;

typedef struct tmap_descriptor {
#ifdef __cplusplus
    alignas(64) uint8_t bytes[TMAP_DESCRIPTOR_B];
#else
    _Alignas(64) uint8_t bytes[TMAP_DESCRIPTOR_B];
#endif
} tmap_descriptor;

/* Returns the row of a field; NULL if `field` is not a tmap_descriptor_field. */
TMAP_API const tmap_descriptor_field_info *tmap_descriptor_field_get(int field);
/*
 * Read and write the raw stored number of a field; a write drops bits above the field's width. If no field has the
 * number `field`, a read returns 0 and a write changes nothing.
 */
TMAP_API uint64_t tmap_descriptor_peek(const tmap_descriptor *descriptor, tmap_descriptor_field field) TMAP_NONNULL(1);
TMAP_API void tmap_descriptor_poke(tmap_descriptor *descriptor, tmap_descriptor_field field, uint64_t value)
    TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
