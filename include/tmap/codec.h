/*
 * codec: encodes a checked map as its 128-byte descriptor, decodes descriptors, and compares two of them. All functions
 * use the field table of hw (descriptor.def).
 *
 * Since 0.2.0, unless a comment below states another release.
 */
#ifndef TMAP_CODEC_H
#define TMAP_CODEC_H

#include "tmap/map.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The encoders of NVIDIA write different numbers in a few fields on which no copy depends (since 0.3.0):
 *   DSL     the encoder of the CuTe DSL. Version 1; element stride 0 of dimension 0 without interleave; upper half 0.
 *   DRIVER  driver 580.65 (CUDA 13.0) on an RTX 5090 (sm_120). Version 0; the element stride of dimension 0 as given;
 *           in the upper half the bytes of a tile and a word for the swizzle. Published by others; what the driver of
 *           a Hopper GPU writes is not known.
 */
typedef enum tmap_encoder { TMAP_ENCODER_DSL = 0, TMAP_ENCODER_DRIVER = 1 } tmap_encoder;

/*
 * Encodes a tiled or im2col map natively, without the driver, as TMAP_ENCODER_DSL: this form was compared with NVIDIA's
 * encoder on random maps for each architecture from sm_90 on except sm_107; one report from one GPU shows the driver's
 * form. Unused entries are 0, and the allocation class is that of tmap_allocation_class_of. Returns false, and writes
 * nothing, for the wide im2col modes: no source shows how a descriptor encodes them (see tmap_descriptor_unknown_mode).
 */
TMAP_API bool tmap_descriptor_encode(const tmap_map *map, tmap_descriptor *descriptor) TMAP_NONNULL(1, 2);

/*
 * As tmap_descriptor_encode, in the form of `encoder`; an unknown encoder is DSL. The driver's form also has the
 * allocation class of tmap_allocation_class_of: the driver of CUDA 13.0 chooses LARGE for some maps for which LARGE is
 * not safe (rule desc-small-allocation). Since 0.3.0.
 */
TMAP_API bool tmap_descriptor_encode_as(const tmap_map *map, tmap_encoder encoder, tmap_descriptor *descriptor)
    TMAP_NONNULL(1, 3);

/* Returns one line that explains why tmap cannot encode maps of `mode`, or NULL if tmap can encode them. */
TMAP_API const char *tmap_descriptor_unknown_mode(tmap_mode mode);

/*
 * Decodes a descriptor to the parameters of its map. Any 1024 bits decode: bits without a meaning are reported in
 * `diags` (may be NULL) as findings about the descriptor, and *params then has the nearest value. The parameters are
 * not checked by the rules of maps: call tmap_check_map. Returns TMAP_REFUSED if a finding is an error; *params is
 * filled in then, too.
 */
TMAP_API tmap_status tmap_descriptor_decode(const tmap_descriptor *descriptor, tmap_map_params *params,
                                            const tmap_judge *judge, tmap_diags *diags);

/*
 * Applies tensormap.replace to 128 bytes, without a check of its field, ordinal and value: a new type other than tf32
 * does not clear the rounding bit, ordinal 4 of strides overwrites the high bits of all strides, and a value that does
 * not fit loses its high bits. `replace->toolkit` chooses the ptxas. Before 12.5 a stride is in units of 16 bytes, and
 * before 12.8 a swizzle does not change bit 86. Up to 13.3 a replacement of swizzle_atomicity sets the allocation class
 * (bit 85) to SMALL, and from 13.5 on a replacement of global_address does. An ordinal that the field does not have
 * counts as 0, for strides as 4. If `replace->op` is not TMAP_OP_REPLACE or there is no such field, no bit changes.
 */
TMAP_API void tmap_descriptor_replace(tmap_descriptor *descriptor, const tmap_copy_params *replace) TMAP_NONNULL(1, 2);

/* A tensormap.replace on a map: the descriptor before and after. */
typedef struct tmap_replacement {
    tmap_copy_params params;
    tmap_descriptor before, after;
    tmap_map_params map; /* parameters of the changed descriptor; not checked */
} tmap_replacement;

/*
 * Checks an operation on a map by the rules and applies it to the map's native descriptor; operations other than
 * replace do not change the descriptor. A toolkit of `judge` replaces that of `replace`. The changed map may break
 * rules, for example if the change needs a second replacement: tmap_check_map reports this. Returns TMAP_REFUSED, and
 * does not write *out, if the replacement breaks a rule; TMAP_BAD_ARGUMENT if the operation is not an operation on
 * maps; TMAP_UNAVAILABLE if tmap cannot encode the map's mode.
 */
TMAP_API tmap_status tmap_replacement_init(tmap_replacement *out, const tmap_map *map, const tmap_copy_params *replace,
                                           const tmap_judge *judge, tmap_diags *diags) TMAP_MUST_USE;

/*
 * Writes to *key the descriptor with 0 in the fields on which no copy depends: the version and the allocation class;
 * without interleave the element stride of dimension 0; the bytes of a tile and the swizzle's word, if an encoder could
 * have written them for the other fields. A version above 1, and all bits outside the fields, remain. All encoders'
 * descriptors of one map have the same key: caches can hash the key. A descriptor with the same key may have another
 * allocation class; tmap_set_allocation_class changes it. Since 0.3.0.
 */
TMAP_API void tmap_descriptor_key(const tmap_descriptor *descriptor, tmap_descriptor *key) TMAP_NONNULL(1, 2);
/* Returns whether two descriptors have the same key, so that copies through both move the same data. Since 0.3.0. */
TMAP_API bool tmap_descriptor_equal(const tmap_descriptor *a, const tmap_descriptor *b) TMAP_NONNULL(1, 2);

/* A difference of two descriptors. */
typedef struct tmap_field_diff {
    int field;      /* tmap_descriptor_field, or -1 for bits outside the field table */
    tmap_bits bits; /* if `field` is -1: a run of at most 64 bits that differ */
    uint64_t a, b;  /* the raw stored numbers of both */
} tmap_field_diff;

/*
 * Lists the fields that differ, then the runs of differing bits outside the table. If one descriptor is tiled and the
 * other im2col, only fields that both kinds have are compared as fields. Writes at most `capacity` differences to
 * `diffs` (may be NULL if `capacity` is 0); returns the number of all differences.
 */
TMAP_API size_t tmap_descriptor_diff(const tmap_descriptor *a, const tmap_descriptor *b, tmap_field_diff *diffs,
                                     size_t capacity) TMAP_NONNULL(1, 2);

/*
 * Returns whether copies can depend on a difference of a and b that tmap_descriptor_diff listed: whether the keys of
 * both differ there. Since 0.3.0.
 */
TMAP_API bool tmap_field_diff_moves_data(const tmap_descriptor *a, const tmap_descriptor *b,
                                         const tmap_field_diff *diff) TMAP_NONNULL(1, 2, 3);

/*
 * Writes the meaning of a field's raw number to `text`: "8192", "128B" or "f16"; "?" if the number has no meaning. A
 * corner is written as one number for each spatial dimension, "[-1, -1]"; if `rank`, the map's rank, is not 3 to 5 (0:
 * not known), as one hexadecimal number. Returns `text`.
 */
TMAP_API char *tmap_descriptor_meaning(tmap_descriptor_field field, uint64_t raw, uint64_t rank, char *text,
                                       size_t size) TMAP_NONNULL(4);
/* Returns the rank that a descriptor encodes, 1 to 8. */
TMAP_API uint64_t tmap_descriptor_rank(const tmap_descriptor *descriptor) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
