/*
 * codec: the 128-byte descriptor: from a checked map, back to parameters, and two of them compared. All of it is driven
 * by the field table of hw (descriptor.def).
 */
#ifndef TMAP_CODEC_H
#define TMAP_CODEC_H

#include "tmap/map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tmap's own encoder: tiled and im2col maps. What no document says: unused entries 0, version 1, bit 85 and the upper
 * half 0. False, and nothing written, for the wide im2col modes: no source shows how a descriptor says them (see
 * tmap_descriptor_unknown_mode). */
TMAP_API bool tmap_descriptor_encode(const tmap_map *map, tmap_descriptor *descriptor);

/* Why tmap cannot encode maps of a mode, one line; NULL for those that it can. */
TMAP_API const char *tmap_descriptor_unknown_mode(tmap_mode mode);

/*
 * The parameters that a descriptor has. Any 1024 bits decode: what has no meaning is reported in `diags` (may be NULL)
 * as findings about the descriptor, and *params then has the nearest thing. The parameters themselves are not judged:
 * call tmap_check_map. TMAP_REFUSED when a finding is an error, *params being filled in all the same.
 */
TMAP_API tmap_status tmap_descriptor_decode(const tmap_descriptor *descriptor, tmap_map_params *params,
                                            const tmap_judge *judge, tmap_diags *diags);

typedef struct tmap_field_diff {
    int field;      /* tmap_descriptor_field, or -1 for bits outside the table */
    tmap_bits bits; /* for -1: the run of bits that differ */
    uint64_t a, b;  /* raw stored numbers */
} tmap_field_diff;

/* Field by field, then the runs of bits outside the table. Writes at most `capacity`; answers how many there are. */
TMAP_API size_t tmap_descriptor_diff(const tmap_descriptor *a, const tmap_descriptor *b, tmap_field_diff *diffs,
                                     size_t capacity);

/* The meaning of a raw number of a field, "8192" or "128B" or "f16"; "?" where it has none. Answers `text`. */
TMAP_API char *tmap_descriptor_meaning(tmap_descriptor_field field, uint64_t raw, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
