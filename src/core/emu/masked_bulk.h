/* Copies without a tensor map that move only some of their bytes: .cp_mask, .ignore_oob. All others move boxes. */
#pragma once

#include "tmap/emu.h"

static inline bool tmap_copies_some(const tmap_copy *copy) {
    return copy->params.byte_mask || copy->params.ignore_left_B || copy->params.ignore_right_B;
}

/* Bytes that .ignore_oob allows outside an allocation have no defined value; `shared` keeps its old bytes there. */
tmap_status tmap_load_some(const tmap_copy *copy, const tmap_memory *global, uint8_t *shared, tmap_copy_result *result);
tmap_status tmap_store_some(const tmap_copy *copy, const uint8_t *shared, tmap_memory *global,
                            tmap_copy_result *result);
