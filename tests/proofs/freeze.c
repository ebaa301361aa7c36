/*
 * Point: 2
 * Proves: freezing a map changes only the parameters that its rank, mode, interleave and address do not use, and no
 *     derived number.
 * Assumes: freezing reads only the rank, mode, interleave and address. The program gives all other parameters different
 *     values.
 * Bounds: none: every rank, mode and interleave, with and without an address.
 * Tool: run
 * Sources: src/core/map/map.c src/core/hw/tables.c src/core/params/derive.c src/core/params/dim_order.c src/core/hw/swizzle.c
 *     src/core/text/print.c src/core/base/sink.c src/core/base/memory.c
 */
#include <stdio.h>
#include <string.h>

#include "no_rules.h"
#include "tmap/map.h"

/* A number in every member: 8 bytes of marks, then the choices. */
static tmap_map_params marked(uint64_t rank, int mode, int interleave, bool has_address) {
    tmap_map_params params = {0};
    for (size_t i = 0; i < sizeof params; i++) ((unsigned char *)&params)[i] = (unsigned char)(i * 7 + 3);
    params.type = TMAP_TYPE_F16, params.swizzle = TMAP_SWIZZLE_64B;
    params.rank = rank, params.mode = (tmap_mode)mode, params.interleave = (tmap_interleave)interleave;
    params.has_address = has_address;
    return params;
}

static bool is_im2col(tmap_mode mode) {
    return mode == TMAP_MODE_IM2COL || mode == TMAP_MODE_IM2COL_W || mode == TMAP_MODE_IM2COL_W128;
}

/* The header's words: "dims and boxes from rank on are 1, strides 0; what the mode does not use changes nothing". */
static tmap_map_params expected(tmap_map_params p) {
    for (int i = (int)p.rank; i < TMAP_RANK_MAX; i++) {
        p.dims_el[i] = 1;
        p.box_el[i] = 1;
        p.element_strides[i] = 1;
        p.strides_B[i - 1] = 0;
    }
    if (p.interleave == TMAP_INTERLEAVE_NONE) p.element_strides[0] = 1;
    for (int i = 0; is_im2col(p.mode) && i < TMAP_RANK_MAX; i++) p.box_el[i] = 1;
    if (!p.has_address) p.address = 0;
    return p;
}

int main(void) {
    unsigned n = 0;
    for (uint64_t rank = 1; rank <= TMAP_RANK_MAX; rank++)
        for (int mode = 0; tmap_mode_get(mode); mode++)
            for (int interleave = 0; tmap_interleave_get(interleave); interleave++)
                for (int has_address = 0; has_address < 2; has_address++, n++) {
                    tmap_map_params given = marked(rank, mode, interleave, has_address), wanted = expected(given);
                    tmap_map map;
                    tmap_derived derived = tmap_derive(&wanted, false);
                    if (tmap_map_init(&map, &given, NULL, NULL) == TMAP_OK &&
                        memcmp(&map.params, &wanted, sizeof wanted) == 0 && map.type == tmap_type_get(TMAP_TYPE_F16) &&
                        map.swizzle == tmap_swizzle_get(TMAP_SWIZZLE_64B) &&
                        memcmp(&map.derived, &derived, sizeof derived) == 0)
                        continue;
                    printf("DISPROVED: rank %d, mode %d, interleave %d\n", (int)rank, mode, interleave);
                    return 1;
                }
    printf("PROVED: %u maps\n", n);
    return 0;
}
