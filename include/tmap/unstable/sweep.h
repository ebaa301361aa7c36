/*
 * sweep: all copies that cover a tensor, one a tile of its grid, numbered with dimension 0 fastest. Any range of tiles
 * can be loaded by itself, so that a sweep is split over threads and machines and resumed as its caller likes: calls
 * keep no state, allocate nothing, and memory is that of the caller's tiles however large the tensor.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_SWEEP_H
#define TMAP_SWEEP_H

#include "tmap/emu.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The grid of tiles: how many along each of its dimensions, and how far apart. Those of a tiled map are the tensor's;
 * of im2col they are the channels, the pixels of all images in the order of the walk, and in the wide modes h and d.
 */
typedef struct tmap_grid {
    uint64_t tiles[TMAP_RANK_MAX], step_el[TMAP_RANK_MAX];
    uint64_t tiles_n;  /* their product; UINT64_MAX when it does not fit */
    uint64_t loaded_B; /* bytes of the elements of all tiles, and of those inside the tensor: saturated alike */
    uint64_t inside_B;
} tmap_grid;

/* For any parameters; `four_rows` for gather4, whose tiles take four rows. */
TMAP_API tmap_grid tmap_grid_of(const tmap_map_params *params, bool four_rows) TMAP_NONNULL(1);

/*
 * The load that a tensor is meant for: gather4 when `ops` has it and no load, else load. `to_global`: the store, which
 * is scatter4 when `ops` has it and no store, or where the load is gather4.
 */
TMAP_API tmap_op tmap_sweep_op(const tmap_map_params *params, bool to_global) TMAP_NONNULL(1);

typedef struct tmap_sweep {
    tmap_grid grid;
    tmap_copy copy; /* tile 0 */
    tmap_copy back; /* of loads: the store of the same tile, for tmap_sweep_check */
    bool has_back;
    uint64_t first, end; /* the tiles that were held to the rules: first .. end - 1 */
} tmap_sweep;

/*
 * Freezes the sweep of a map by the load, store or reduction `like`, whose coordinates do not count: each tile lies at
 * the same shared address. TMAP_REFUSED and TMAP_UNAVAILABLE as tmap_copy_init, `diags` (may be NULL) has the findings:
 * tmap_sweep_extremes are held to the rules.
 * TMAP_BAD_ARGUMENT: `like` moves nothing. Its im2col offsets and halo are those of all tiles.
 */
TMAP_API tmap_status tmap_sweep_init(tmap_sweep *sweep, const tmap_map *map, const tmap_copy_params *like,
                                     const tmap_judge *judge, tmap_diags *diags) TMAP_MUST_USE;
/* The same for tiles first .. end - 1 (beyond the grid there is none): the others are neither held to the rules nor
 * swept. */
TMAP_API tmap_status tmap_sweep_init_range(tmap_sweep *sweep, const tmap_map *map, const tmap_copy_params *like,
                                           uint64_t first, uint64_t end, const tmap_judge *judge, tmap_diags *diags)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/* Freezes the way back of a sweep of loads too, which the rules may refuse where they allow the load.
 * TMAP_BAD_ARGUMENT: it is no load, or has im2col offsets or a halo, which no store has. */
TMAP_API tmap_status tmap_sweep_add_back(tmap_sweep *sweep, const tmap_judge *judge, tmap_diags *diags)
    TMAP_NONNULL(1) TMAP_MUST_USE;

/* The copy of a tile below sweep->grid.tiles_n. */
TMAP_API void tmap_sweep_tile(const tmap_sweep *sweep, uint64_t tile, tmap_copy *copy) TMAP_NONNULL(1, 3);

/* The tiles that speak for all of a sweep: what a rule or a fact asks of any, it asks of one of them. Answers how many;
 * 0 of an empty sweep. */
#define TMAP_SWEEP_EXTREMES_MAX (2 + 3 * TMAP_RANK_MAX)
TMAP_API size_t tmap_sweep_extremes(const tmap_sweep *sweep, uint64_t tiles[TMAP_SWEEP_EXTREMES_MAX])
    TMAP_NONNULL(1, 2);

/* Sums over tiles; zero-initialise. */
typedef struct tmap_sweep_result {
    uint64_t tiles_n; /* done */
    uint64_t payload_B, filled_B, untouched_B;
    uint64_t stored_B;          /* of stores and of a check: bytes inside the tensor that were written or combined */
    uint64_t differing_B;       /* of a check: those of them that are not the tensor's */
    uint64_t first_differing_B; /* when differing_B is not 0: the least offset from the tensor's address */
} tmap_sweep_result;

TMAP_API void tmap_sweep_add(tmap_sweep_result *sum, const tmap_sweep_result *part) TMAP_NONNULL(1, 2);

/*
 * Loads tiles first .. first+n-1 to `tiles`, each sweep->copy.footprint_B bytes behind the last; gaps keep what was
 * there. Adds to *result. TMAP_BAD_ARGUMENT for tiles that are not of the sweep or do not fit in `size`; TMAP_REFUSED
 * when `global` lacks bytes of tile first + result->tiles_n (counted from a zeroed result).
 */
TMAP_API tmap_status tmap_sweep_load(const tmap_sweep *sweep, uint64_t first, uint64_t n, const tmap_memory *global,
                                     uint8_t *tiles, size_t size, tmap_sweep_result *result)
    TMAP_NONNULL(1, 4, 7) TMAP_MUST_USE;

/*
 * The reverse: stores (or reduces into `global`) tiles first .. first+n-1 from `tiles`, each sweep->copy.footprint_B
 * bytes behind the last, one after the other in the order of their numbers, and within each in box order. Adds to
 * *result. What lies outside the tensor is dropped. Errors as above; TMAP_BAD_ARGUMENT also for a sweep of loads.
 *
 * No two tiles have an element in common. So where tmap_map_overlaps says false for the map, ranges may be stored in
 * any order and by several threads at a time, and the result is the same; where elements share bytes, only ranges one
 * after the other keep the order of the tiles, in which the last one remains and sums are made.
 */
TMAP_API tmap_status tmap_sweep_store(const tmap_sweep *sweep, uint64_t first, uint64_t n, const uint8_t *tiles,
                                      size_t size, tmap_memory *global, tmap_sweep_result *result)
    TMAP_NONNULL(1, 6, 7) TMAP_MUST_USE;

/*
 * Loads each of these tiles to `tile`, `size` bytes of room for one, stores it back, and holds every byte that the
 * store writes against the tensor. TMAP_BAD_ARGUMENT also without tmap_sweep_add_back; else as above.
 */
TMAP_API tmap_status tmap_sweep_check(const tmap_sweep *sweep, uint64_t first, uint64_t n, const tmap_memory *global,
                                      uint8_t *tile, size_t size, tmap_sweep_result *result)
    TMAP_NONNULL(1, 4, 7) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
