/*
 * map: checked, frozen maps and copies. What is made here has passed every rule of severity error, so all that takes it
 * (encode, walk, emulate) cannot fail for reasons of content. Plain structs for the stack: read them, do not write
 * them.
 */
#ifndef TMAP_MAP_H
#define TMAP_MAP_H

#include "tmap/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmap_map {
    tmap_map_params params; /* dims of entries from rank on are 1, strides 0, element_strides[0] 1 without interleave */
    const tmap_type_info *type;
    const tmap_swizzle_info *swizzle;
    tmap_derived derived;
} tmap_map;

/* Checks and freezes. TMAP_REFUSED leaves *map as it was; `diags` (may be NULL) has the findings, warnings included. */
TMAP_API tmap_status tmap_map_init(tmap_map *map, const tmap_map_params *params, const tmap_judge *judge,
                                   tmap_diags *diags);

typedef struct tmap_copy {
    tmap_map map;
    tmap_copy_params params; /* for gather4 and scatter4 at[0] is the column */
    const tmap_op_info *op;
    int rank; /* of the box: the map's, 2 for gather4 and scatter4 */
    uint32_t
        counts[TMAP_RANK_MAX]; /* elements of the box a dimension; 4 in dimension 1 for four rows; 1 past the rank */
    uint32_t inner_B;          /* bytes of a row in shared memory, container padding included */
    uint32_t pitch_B;          /* from row to row */
    uint32_t rows_n;
    uint32_t footprint_B; /* rows_n x pitch_B */
    uint32_t payload_B;   /* transaction bytes */
    /* Box indices first .. end-1 of a dimension lie inside the tensor (rows of four_rows: each by itself). */
    uint32_t inside_first[TMAP_RANK_MAX], inside_end[TMAP_RANK_MAX];
    uint8_t line_masks[8]; /* the swizzle's XOR mask by (shared address / 128) % 8 */
} tmap_copy;

/*
 * Checks and freezes a copy through `map`. TMAP_REFUSED as above; TMAP_UNAVAILABLE when the rules allow it but this
 * version does not predict its mode, type or operation (a finding says which).
 */
TMAP_API tmap_status tmap_copy_init(tmap_copy *copy, const tmap_map *map, const tmap_copy_params *params,
                                    const tmap_judge *judge, tmap_diags *diags);

/*
 * `like` at other coordinates: at, column and rows of `params` take the place of its own, and all else stays. They are
 * not judged: the caller knows that the rules of coordinates allow them. `params` may be those of *copy.
 */
TMAP_API void tmap_copy_move(tmap_copy *copy, const tmap_copy *like, const tmap_copy_params *params);

/* Where one element of a box lies. */
typedef struct tmap_place {
    int64_t at[TMAP_RANK_MAX]; /* its tensor coordinates */
    bool inside;               /* of the tensor; outside it has no global address */
    uint64_t global_B;         /* offset from the tensor's address, of the byte that holds its first bit */
    uint64_t box_B;            /* offset in the box before the swizzle */
    uint64_t shared;           /* its shared address, swizzle applied */
    uint64_t line;             /* shared / 128 */
    uint32_t unit;             /* 16-byte unit in the line, 0..7 */
    uint32_t bank;             /* 0..31 */
} tmap_place;

/* The closed form: the place of box element index[0..rank-1] (innermost first, each below counts[i]). */
TMAP_API void tmap_copy_locate(const tmap_copy *copy, const uint32_t index[TMAP_RANK_MAX], tmap_place *place);

/* The same for a load of `map` with its box at coordinates `at` and shared address `shared`. */
TMAP_API void tmap_map_locate(const tmap_map *map, const int64_t at[TMAP_RANK_MAX], uint64_t shared,
                              const uint32_t index[TMAP_RANK_MAX], tmap_place *place);

/*
 * The facts about the hardware that a copy's prediction rests on: writes at most `capacity` ids (static strings, see
 * tmap_fact_get and tmap_standing_on) and answers how many there are.
 */
TMAP_API size_t tmap_copy_facts(const tmap_copy *copy, const char **ids, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
