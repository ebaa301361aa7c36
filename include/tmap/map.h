/*
 * map: checked, frozen maps and copies. What is made here has passed every rule of severity error, so all that takes it
 * (encode, walk, emulate) cannot fail for reasons of content. Plain structs for the stack: read them, do not write
 * them.
 * Since 0.2.0: everything here that does not say otherwise.
 */
#ifndef TMAP_MAP_H
#define TMAP_MAP_H

#include "tmap/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmap_map {
    tmap_map_params
        params; /* dims and boxes from rank on are 1, strides 0; what the mode does not use changes nothing */
    const tmap_type_info *type;
    const tmap_swizzle_info *swizzle;
    tmap_derived derived;
    uint64_t reserved[4]; /* 0 */
} tmap_map;

/* Checks and freezes. TMAP_REFUSED leaves *map as it was; `diags` (may be NULL) has the findings, warnings included. */
TMAP_API tmap_status tmap_map_init(tmap_map *map, const tmap_map_params *params, const tmap_judge *judge,
                                   tmap_diags *diags);

/*
 * The walk of an im2col column through the images (PTX ISA 5.5.4, 5.5.5): along w from start by step as long as it is
 * below size + upper corner, then from the lower corner on and one step along h; so through h and d, then one step to a
 * later image. What is added to the coordinates (im2col offsets, wOffset) is in start and lower already.
 */
typedef struct tmap_walked {
    int dim;
    int64_t start, lower, step;
    uint32_t first_n, n; /* steps before the end: from start, and from lower; saturated */
} tmap_walked;

typedef struct tmap_pixel_walk {
    int walked_n; /* 0: the map is tiled */
    tmap_walked walked[TMAP_RANK_MAX - 2];
    int channel, batch; /* dimensions */
    int64_t batch_step;
    uint32_t main_n, group_n; /* im2col::w::128: a halo follows every group_n of the main_n pixels; else 0 */
    uint32_t halo_n;          /* rows of a halo that are one behind the other; 0: its rows alternate with the others' */
} tmap_pixel_walk;

typedef struct tmap_copy {
    tmap_map map;
    tmap_copy_params params; /* for gather4 and scatter4 at[0] is the column */
    const tmap_op_info *op;
    tmap_unit unit; /* what travels together in this direction */
    int rank;       /* of the box: the map's, 2 for gather4, scatter4 and im2col (channels, pixels) */
    uint32_t
        counts[TMAP_RANK_MAX]; /* elements of the box a dimension; 4 in dimension 1 for four rows; 1 past the rank */
    uint32_t inner_B;          /* bytes of a row in shared memory, container padding included */
    uint32_t pitch_B;          /* from row to row */
    uint32_t rows_n;
    uint32_t footprint_B; /* rows_n x pitch_B; 0 for a prefetch */
    uint32_t payload_B;   /* transaction bytes; 0 for a prefetch */
    /* Box indices first .. end-1 of a dimension lie inside the tensor (rows of four_rows, pixels: each by itself). */
    uint32_t inside_first[TMAP_RANK_MAX], inside_end[TMAP_RANK_MAX];
    tmap_pixel_walk pixels;                  /* im2col */
    uint8_t readings[TMAP_ALTERNATIVES_MAX]; /* which reading of these facts it follows; 0 where both are the same */
    uint8_t line_masks[8];                   /* the swizzle's XOR mask by (shared address / 128) % 8 */
    uint64_t reserved[8];                    /* 0 */
} tmap_copy;

/*
 * Checks and freezes a copy through `map`. TMAP_REFUSED as above; TMAP_UNAVAILABLE when the rules allow it but this
 * version does not predict its operation (a finding says which).
 */
TMAP_API tmap_status tmap_copy_init(tmap_copy *copy, const tmap_map *map, const tmap_copy_params *params,
                                    const tmap_judge *judge, tmap_diags *diags) TMAP_MUST_USE;

/*
 * `like` at other coordinates: at, column and rows of `params` take the place of its own, and all else stays. They are
 * not judged: the caller knows that the rules of coordinates allow them. `params` may be those of *copy.
 */
TMAP_API void tmap_copy_move(tmap_copy *copy, const tmap_copy *like, const tmap_copy_params *params)
    TMAP_NONNULL(1, 2, 3);

/* Where one element of a box lies. */
typedef struct tmap_place {
    int64_t at[TMAP_RANK_MAX]; /* its tensor coordinates */
    bool inside;               /* of the tensor; outside it has no global address */
    uint32_t outside;          /* bit i: coordinate i is not of the tensor */
    uint64_t global_B;         /* offset from the tensor's address, modulo 2^64, of the byte with its first bit */
    uint64_t box_B;            /* offset in the box before the swizzle */
    uint64_t shared;           /* its shared address, swizzle applied */
    uint64_t line;             /* shared / 128 */
    uint32_t unit;             /* 16-byte unit in the line, 0..7 */
    uint32_t bank;             /* 0..31 */
    uint64_t reserved[2];      /* 0 */
} tmap_place;

/* The closed form: the place of box element index[0..rank-1] (innermost first, each below counts[i]). */
TMAP_API void tmap_copy_locate(const tmap_copy *copy, const uint32_t index[TMAP_RANK_MAX], tmap_place *place)
    TMAP_NONNULL(1, 2, 3);

/* The same for a load of `map` with its box at coordinates `at` (im2col: without offsets and halo) and shared address
 * `shared`. */
TMAP_API void tmap_map_locate(const tmap_map *map, const int64_t at[TMAP_RANK_MAX], uint64_t shared,
                              const uint32_t index[TMAP_RANK_MAX], tmap_place *place) TMAP_NONNULL(1, 2, 4, 5);

/*
 * The facts about the hardware that a copy's prediction rests on: writes at most `capacity` ids (static strings, see
 * tmap_fact_get and tmap_standing_on) and answers how many there are.
 */
TMAP_API size_t tmap_copy_facts(const tmap_copy *copy, const char **ids, size_t capacity) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
