/*
 * codec: the 128-byte descriptor: from a checked map, back to parameters, and two of them compared. All of it is driven
 * by the field table of hw (descriptor.def).
 * Since 0.2.0: everything here that does not say otherwise.
 */
#ifndef TMAP_CODEC_H
#define TMAP_CODEC_H

#include "tmap/map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tmap's own encoder: tiled and im2col maps. What no document says: unused entries 0, version 1, the upper half 0; the
 * allocation class is that of tmap_allocation_class_of. False, and nothing written, for the wide im2col modes: no
 * source shows how a descriptor says them (see tmap_descriptor_unknown_mode). */
TMAP_API bool tmap_descriptor_encode(const tmap_map *map, tmap_descriptor *descriptor) TMAP_NONNULL(1, 2);

/* Why tmap cannot encode maps of a mode, one line; NULL for those that it can. */
TMAP_API const char *tmap_descriptor_unknown_mode(tmap_mode mode);

/*
 * The parameters that a descriptor has. Any 1024 bits decode: what has no meaning is reported in `diags` (may be NULL)
 * as findings about the descriptor, and *params then has the nearest thing. The parameters themselves are not judged:
 * call tmap_check_map. TMAP_REFUSED when a finding is an error, *params being filled in all the same.
 */
TMAP_API tmap_status tmap_descriptor_decode(const tmap_descriptor *descriptor, tmap_map_params *params,
                                            const tmap_judge *judge, tmap_diags *diags);

/*
 * Carries out tensormap.replace on 128 bytes, whatever the rules say of its field, ordinal and value: a type other than
 * tf32 keeps the rounding bit, ordinal 4 of strides destroys the high bits of all strides, and what does not fit loses
 * its high bits. `replace->toolkit` chooses the ptxas: up to 13.3 swizzle_atomicity makes the allocation class SMALL
 * (bit 85), from 13.5 on global_address does.
 */
TMAP_API void tmap_descriptor_replace(tmap_descriptor *descriptor, const tmap_copy_params *replace) TMAP_NONNULL(1, 2);

/* A replacement in a map: before and after. */
typedef struct tmap_replacement {
    tmap_copy_params params;
    tmap_descriptor before, after;
    tmap_map_params map; /* what the changed descriptor says; not judged */
} tmap_replacement;

/*
 * Checks a replacement by the rules and carries it out on the map's native descriptor. The changed map may be one that
 * the rules refuse, as when the next replacement belongs to it: tmap_check_map says so. TMAP_REFUSED leaves *out as it
 * was; TMAP_BAD_ARGUMENT for another op.
 */
TMAP_API tmap_status tmap_replacement_init(tmap_replacement *out, const tmap_map *map, const tmap_copy_params *replace,
                                           const tmap_judge *judge, tmap_diags *diags) TMAP_MUST_USE;

typedef struct tmap_field_diff {
    int field;      /* tmap_descriptor_field, or -1 for bits outside the table */
    tmap_bits bits; /* for -1: the run of bits that differ */
    uint64_t a, b;  /* raw stored numbers */
} tmap_field_diff;

/* Field by field, then the runs of bits outside the table. Writes at most `capacity`; answers how many there are. */
TMAP_API size_t tmap_descriptor_diff(const tmap_descriptor *a, const tmap_descriptor *b, tmap_field_diff *diffs,
                                     size_t capacity) TMAP_NONNULL(1, 2);

/*
 * The meaning of a raw number of a field, "8192" or "128B" or "f16"; "?" where it has none. Corners are split by the
 * rank of their map, "[-1, -1]"; for a rank that is none (0: not known) they stay one number. Answers `text`.
 */
TMAP_API char *tmap_descriptor_meaning(tmap_descriptor_field field, uint64_t raw, uint64_t rank, char *text,
                                       size_t size) TMAP_NONNULL(4);
/* The rank that a descriptor says, 1 to 8. */
TMAP_API uint64_t tmap_descriptor_rank(const tmap_descriptor *descriptor) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
