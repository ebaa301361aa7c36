/*
 * sweep: all copies that cover a tensor, one for each tile of its grid, numbered with dimension 0 fastest. Any range of
 * tiles can be loaded by itself, so a caller can split a sweep over threads and machines and resume it: calls keep no
 * state and allocate nothing, and memory is that of the caller's tiles, independent of the tensor's size.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_SWEEP_H
#define TMAP_SWEEP_H

#include "tmap/emu.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The grid of tiles: the number of tiles along each dimension of the grid, and their distance in elements. The
 * dimensions are the tensor's for a tiled map; for im2col they are the channels, the pixels of all images in the order
 * of the walk, and in the wide modes h and d.
 */
typedef struct tmap_grid {
    uint64_t tiles[TMAP_RANK_MAX], step_el[TMAP_RANK_MAX];
    uint64_t tiles_n;  /* product of tiles[]; UINT64_MAX if it does not fit */
    uint64_t loaded_B; /* bytes of the elements of all tiles, saturated */
    uint64_t inside_B; /* bytes of those elements that are inside the tensor, saturated */
} tmap_grid;

/* Returns the grid for any parameters. Set `four_rows` for gather4, whose tiles have four rows. */
TMAP_API tmap_grid tmap_grid_of(const tmap_map_params *params, bool four_rows) TMAP_NONNULL(1);

/*
 * Returns the load for a map: gather4 if `ops` contains gather4 and not load, else load. With `to_global` returns the
 * store: scatter4 if `ops` contains scatter4 and not store, or if the load is gather4.
 */
TMAP_API tmap_op tmap_sweep_op(const tmap_map_params *params, bool to_global) TMAP_NONNULL(1);

/* A sweep. */
typedef struct tmap_sweep {
    tmap_grid grid;
    tmap_copy copy; /* tile 0 */
    tmap_copy back; /* for loads: the store of the same tile, for tmap_sweep_check */
    bool has_back;
    uint64_t first, end; /* the tiles that were checked by the rules: first .. end - 1 */
} tmap_sweep;

/*
 * Freezes the sweep of a map with the load, store or reduction `like`, whose coordinates are ignored. Every tile has
 * the shared address, the im2col offsets and the halo of `like`. The rules check the tiles of tmap_sweep_extremes.
 * Returns TMAP_REFUSED and TMAP_UNAVAILABLE as tmap_copy_init does, with findings in `diags` (may be NULL);
 * TMAP_BAD_ARGUMENT if `like` moves no data.
 */
TMAP_API tmap_status tmap_sweep_init(tmap_sweep *sweep, const tmap_map *map, const tmap_copy_params *like,
                                     const tmap_judge *judge, tmap_diags *diags) TMAP_MUST_USE;
/* As tmap_sweep_init for tiles first .. end - 1, cut to the grid: other tiles are neither checked nor copied. */
TMAP_API tmap_status tmap_sweep_init_range(tmap_sweep *sweep, const tmap_map *map, const tmap_copy_params *like,
                                           uint64_t first, uint64_t end, const tmap_judge *judge, tmap_diags *diags)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
/*
 * Freezes the stores of a sweep of loads, too; the rules may reject the stores and allow the loads. Returns
 * TMAP_BAD_ARGUMENT if the sweep is not one of loads, or has im2col offsets or a halo, which stores do not have.
 */
TMAP_API tmap_status tmap_sweep_add_back(tmap_sweep *sweep, const tmap_judge *judge, tmap_diags *diags)
    TMAP_NONNULL(1) TMAP_MUST_USE;

/* Writes the copy of a tile; `tile` must be less than sweep->grid.tiles_n. */
TMAP_API void tmap_sweep_tile(const tmap_sweep *sweep, uint64_t tile, tmap_copy *copy) TMAP_NONNULL(1, 3);

/*
 * Writes the tiles that represent a whole sweep: if a rule or a fact concerns any tile, it concerns one of these.
 * Returns their number; 0 for an empty sweep.
 */
#define TMAP_SWEEP_EXTREMES_MAX (2 + 3 * TMAP_RANK_MAX)
TMAP_API size_t tmap_sweep_extremes(const tmap_sweep *sweep, uint64_t tiles[TMAP_SWEEP_EXTREMES_MAX])
    TMAP_NONNULL(1, 2);

/* Sums over tiles. Initialize all members to 0. */
typedef struct tmap_sweep_result {
    uint64_t tiles_n; /* complete tiles */
    uint64_t payload_B, filled_B, untouched_B;
    uint64_t stored_B;          /* stores and checks: bytes inside the tensor that were written or combined */
    uint64_t differing_B;       /* checks: bytes of stored_B that differ from the tensor's */
    uint64_t first_differing_B; /* if differing_B > 0: the least offset from the tensor's address */
} tmap_sweep_result;

TMAP_API void tmap_sweep_add(tmap_sweep_result *sum, const tmap_sweep_result *part) TMAP_NONNULL(1, 2);

/*
 * Loads tiles first .. first+n-1 to `tiles`, at a distance of sweep->copy.footprint_B bytes; gaps are not written. Adds
 * to *result. Returns TMAP_BAD_ARGUMENT for tiles that are not in the sweep or do not fit in `size`, and for a sweep of
 * stores; TMAP_REFUSED if `global` does not contain all bytes of tile first + result->tiles_n (from a zeroed result).
 */
TMAP_API tmap_status tmap_sweep_load(const tmap_sweep *sweep, uint64_t first, uint64_t n, const tmap_memory *global,
                                     uint8_t *tiles, size_t size, tmap_sweep_result *result)
    TMAP_NONNULL(1, 4, 7) TMAP_MUST_USE;

/*
 * Stores (or reduces into `global`) tiles first .. first+n-1 from `tiles`, at a distance of sweep->copy.footprint_B
 * bytes, one after another in the order of their numbers, and within each tile in box order. Elements outside the
 * tensor are dropped. Adds to *result. Returns as tmap_sweep_load does; TMAP_BAD_ARGUMENT also for a sweep of loads.
 *
 * No two tiles have an element in common. So if tmap_map_overlaps returns false for the map, ranges may be stored in
 * any order and by several threads at once, with the same result. If elements share bytes, only consecutive ranges keep
 * the order of the tiles, which determines the last writer and the order of sums.
 */
TMAP_API tmap_status tmap_sweep_store(const tmap_sweep *sweep, uint64_t first, uint64_t n, const uint8_t *tiles,
                                      size_t size, tmap_memory *global, tmap_sweep_result *result)
    TMAP_NONNULL(1, 6, 7) TMAP_MUST_USE;

/*
 * Loads each of these tiles to `tile`, which has `size` bytes for one tile, stores it back, and compares every byte
 * that the store writes with the tensor. Returns as tmap_sweep_load does; TMAP_BAD_ARGUMENT also without
 * tmap_sweep_add_back.
 */
TMAP_API tmap_status tmap_sweep_check(const tmap_sweep *sweep, uint64_t first, uint64_t n, const tmap_memory *global,
                                      uint8_t *tile, size_t size, tmap_sweep_result *result)
    TMAP_NONNULL(1, 4, 7) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
