/* banks: the cost of a warp's access to global memory in sectors of 32 bytes. */
#include "banks/access.h"
#include "layout/iter_lists.h"

/* Adds one access of a tensor that begins on a sector. */
static tmap_status add(tmap_coalescing *total, const tmap_layout *layout, const tmap_access *access, tmap_diag *error) {
    int64_t addresses[TMAP_LANES], sectors[TMAP_LANES];
    uint64_t bytes = (uint64_t)(access->bits * access->width / 8);
    size_t n = 0;
    if (tmap_access_check(layout, access, error) != TMAP_OK) return TMAP_REFUSED;
    for (int lane = 0; lane < TMAP_LANES; lane++) {
        if (access->lanes[lane] == -1) continue;
        if (tmap_lane_address(layout, access, lane, &addresses[n], error) != TMAP_OK) return TMAP_REFUSED;
        sectors[n] = (int64_t)((tmap_i128)addresses[n] * access->bits / 8 / TMAP_SECTOR_B);
        n++;
    }
    total->instructions++;
    if (n == 0) return TMAP_OK;
    uint64_t touched = tmap_different_numbers(sectors, n), used_B = tmap_different_numbers(addresses, n) * bytes;
    total->requests++;
    total->sectors += touched;
    total->least += tmap_ceil_div(used_B, TMAP_SECTOR_B);
    total->used_B += used_B;
    if (touched > total->worst) total->worst = touched;
    return TMAP_OK;
}

tmap_status tmap_coalescing_of(const tmap_layout *layout, const tmap_accesses *accesses, tmap_coalescing *total,
                               tmap_diag *error) {
    tmap_coalescing sum = {0};
    tmap_access access;
    for (uint64_t i = 0; accesses->get(accesses->context, i, &access); i++)
        if (add(&sum, layout, &access, error) != TMAP_OK) return TMAP_REFUSED;
    *total = sum;
    return TMAP_OK;
}
