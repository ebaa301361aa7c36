/* stats: counts the bytes and sectors of a copy. */
#include "tmap/unstable/stats.h"

#include "tmap/emu.h"

tmap_status tmap_copy_traffic(const tmap_copy *copy, const tmap_allocator *allocator, tmap_traffic *traffic) {
    tmap_footprint global;
    tmap_status status = tmap_copy_footprint(copy, allocator, &global);
    if (status != TMAP_OK) return status;
    uint64_t payload_B = tmap_derive_copy(&copy->map.params, &copy->params).payload_B; /* also for a prefetch */
    uint64_t outside_B = payload_B - global.data_B;
    bool loads = copy->op->to_shared;
    *traffic = (tmap_traffic){.payload_B = payload_B,
                              .useful_B = global.data_B,
                              .filled_B = loads ? outside_B : 0,
                              .dropped_B = loads ? 0 : outside_B,
                              .footprint_B = copy->footprint_B,
                              .gap_B = copy->footprint_B - copy->payload_B,
                              .global_B = global.bytes_B,
                              .sectors_n = global.sectors_n,
                              .wasted_B = global.sectors_n ? global.sectors_B - global.bytes_B : 0};
    return TMAP_OK;
}
