/*
 * map: checked and frozen maps and copies. A tmap_map or tmap_copy that these functions initialize breaks no rule of
 * severity error, so functions that use it (encode, walk, emulate) cannot fail because of its content. Both are plain
 * structs for the stack: read the members, do not write them.
 *
 * Since 0.2.0, unless a comment below states another release.
 */
#ifndef TMAP_MAP_H
#define TMAP_MAP_H

#include "tmap/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A checked map. In `params` dims and boxes from `rank` on are 1 and strides 0; members that the mode does not use have
 * values without an effect.
 */
typedef struct tmap_map {
    tmap_map_params params;
    const tmap_type_info *type;
    const tmap_swizzle_info *swizzle;
    tmap_derived derived;
    uint64_t stored_stride; /* element_strides[0] as given; without interleave `params` has 1. Since 0.3.0 */
    uint64_t reserved[3];   /* 0 */
} tmap_map;

/*
 * Checks parameters and freezes them as a map. Returns TMAP_REFUSED, and does not write *map, if an error is found;
 * `diags` (may be NULL) receives all findings, including warnings.
 */
TMAP_API tmap_status tmap_map_init(tmap_map *map, const tmap_map_params *params, const tmap_judge *judge,
                                   tmap_diags *diags);

/*
 * One dimension of the walk of an im2col column through the images (PTX ISA 5.5.4, 5.5.5). Along w the walk begins at
 * `start` and moves by `step` while the position is less than size + upper corner; then it continues at the lower
 * corner, one step further along h. In the same way it continues along h and d, then one step to a later image. `start`
 * and `lower` include the offsets that are added to coordinates (im2col offsets, wOffset).
 */
typedef struct tmap_walked {
    int dim;
    int64_t start, lower, step;
    uint32_t first_n, n; /* number of positions from `start`, and from `lower`, to the end; saturated */
} tmap_walked;

/* The walk of an im2col column along all dimensions. */
typedef struct tmap_pixel_walk {
    int walked_n; /* 0: the map is tiled */
    tmap_walked walked[TMAP_RANK_MAX - 2];
    int channel, batch; /* indices of dimensions */
    int64_t batch_step;
    uint32_t main_n, group_n; /* im2col::w::128: a halo follows every group_n of the main_n pixels; other modes: 0 */
    uint32_t halo_n; /* rows of a halo, if the halos follow one another; 0: row 0 of all halos, then row 1, … */
} tmap_pixel_walk;

/* A checked copy. */
typedef struct tmap_copy {
    tmap_map map;
    tmap_copy_params params; /* gather4 and scatter4: at[0] is the column */
    const tmap_op_info *op;
    tmap_unit unit; /* the unit of this direction */
    int rank;       /* of the box: the map's; 2 for gather4, scatter4, im2col (channels, pixels) and mode linear */
    uint32_t counts[TMAP_RANK_MAX]; /* elements of the box; 4 in dimension 1 for four rows; 1 from `rank` on */
    uint32_t inner_B;               /* bytes of a row in shared memory, container padding included */
    uint32_t pitch_B;               /* bytes from row to row in shared memory */
    uint32_t rows_n;
    uint32_t footprint_B; /* rows_n x pitch_B; 0 for a prefetch */
    uint32_t payload_B;   /* transaction bytes; 0 for a prefetch */
    /*
     * Box indices first .. end-1 of a dimension are inside the tensor. If a store writes its last 16-byte unit whole (a
     * reading of TMAP_ALTERNATIVE_STORE_PARTIAL_UNIT), the range includes the other indices in that unit. Rows of
     * gather4 and scatter4, and pixels, are tested one by one instead.
     */
    uint32_t inside_first[TMAP_RANK_MAX], inside_end[TMAP_RANK_MAX];
    tmap_pixel_walk pixels;                  /* im2col */
    uint8_t readings[TMAP_ALTERNATIVES_MAX]; /* index: tmap_alternative; the copy's reading, 0 if both agree */
    uint8_t line_masks[8];                   /* the swizzle's XOR mask for each (shared address / 128) % 8 */
    uint64_t reserved[32];                   /* numbers that the emulator computes once for a copy */
} tmap_copy;

/*
 * Checks a copy through `map` and freezes it. Returns TMAP_REFUSED if an error is found, and TMAP_UNAVAILABLE if the
 * rules allow the copy but this version does not predict the bytes of its operation (a finding names the reason); *copy
 * is not written then.
 */
TMAP_API tmap_status tmap_copy_init(tmap_copy *copy, const tmap_map *map, const tmap_copy_params *params,
                                    const tmap_judge *judge, tmap_diags *diags) TMAP_MUST_USE;

/*
 * Writes to *copy the copy `like` with other coordinates: `at`, `column` and `rows` are those of `params`, all other
 * members are those of `like`. The coordinates are not checked: the caller must know that the rules allow them.
 * `params` may be a member of *copy.
 */
TMAP_API void tmap_copy_move(tmap_copy *copy, const tmap_copy *like, const tmap_copy_params *params)
    TMAP_NONNULL(1, 2, 3);

/* The position of one element of a box. */
typedef struct tmap_place {
    int64_t at[TMAP_RANK_MAX]; /* tensor coordinates */
    bool inside;               /* the element is inside the tensor and has a global address */
    uint32_t outside;          /* bit i: coordinate i is outside the tensor */
    uint64_t global_B; /* offset from the tensor's address, modulo 2^64, of the byte with the first bit; 0 if outside */
    uint64_t box_B;    /* offset in the box, without the swizzle */
    uint64_t shared;   /* shared address, with the swizzle */
    uint64_t line;     /* shared / 128 */
    uint32_t unit;     /* number of the 16-byte unit in the line, 0..7 */
    uint32_t bank;     /* 0..31 */
    uint64_t reserved[2]; /* 0 */
} tmap_place;

/* Computes the position of box element `index`: innermost first, each entry less than counts[i], 0 from `rank` on. */
TMAP_API void tmap_copy_locate(const tmap_copy *copy, const uint32_t index[TMAP_RANK_MAX], tmap_place *place)
    TMAP_NONNULL(1, 2, 3);

/*
 * As tmap_copy_locate, for a load through `map` whose box is at coordinates `at` (im2col: without offsets and halo) and
 * at shared address `shared`.
 */
TMAP_API void tmap_map_locate(const tmap_map *map, const int64_t at[TMAP_RANK_MAX], uint64_t shared,
                              const uint32_t index[TMAP_RANK_MAX], tmap_place *place) TMAP_NONNULL(1, 2, 4, 5);

/*
 * Lists the facts about the hardware on which the prediction of a copy is based. Writes at most `capacity` ids (static
 * strings, see tmap_fact_get) to `ids` (may be NULL if `capacity` is 0); returns the number of all ids.
 */
TMAP_API size_t tmap_copy_facts(const tmap_copy *copy, const char **ids, size_t capacity) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
