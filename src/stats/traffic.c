/* stats: bytes and sectors of a copy. */
#include "tmap/stats.h"

#include "tmap/emu.h"

tmap_status tmap_copy_traffic(const tmap_copy *copy, const tmap_allocator *allocator, tmap_traffic *traffic) {
    tmap_footprint global;
    tmap_status status = tmap_copy_footprint(copy, allocator, &global);
    if (status != TMAP_OK) return status;
    bool moves = tmap_op_moves(copy->op); /* a prefetch fills nothing */
    *traffic = (tmap_traffic){.payload_B = copy->payload_B,
                              .useful_B = global.data_B,
                              .filled_B = moves ? copy->payload_B - global.data_B : 0,
                              .footprint_B = copy->footprint_B,
                              .gap_B = copy->footprint_B - copy->payload_B,
                              .global_B = global.bytes_B,
                              .sectors_n = global.sectors_n};
    return TMAP_OK;
}
