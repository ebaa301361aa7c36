/* The oracle and the second encoder for the tests in Python: parameters in, bytes out. */
#include <string.h>

#include "oracle/bridge.h"
#include "standin/encode.h"
#include "tmap/runtime.h"

void oracle_carry_out(const tmap_map_params *map, const tmap_copy_params *copy, uint8_t *global, uint64_t global_B,
                      uint8_t *shared, uint64_t shared_B, uint64_t result[4]);
void oracle_place(const tmap_map_params *map, const tmap_copy_params *copy, const uint64_t index[5], int64_t place[2]);
void oracle_encode(const tmap_map_params *map, uint8_t bytes[128]);

/* Executes a copy. `shared` contains the bytes from the copy's shared address on. result: payload, written, filled and
 * stray bytes. */

void oracle_carry_out(const tmap_map_params *map, const tmap_copy_params *copy, uint8_t *global, uint64_t global_B,
                      uint8_t *shared, uint64_t shared_B, uint64_t result[4]) {
    oracle_map m = oracle_map_of(map);
    oracle_copy c = oracle_copy_of(copy);
    oracle_window in_global = {.bytes = global, .first = 0, .size = global_B};
    oracle_window in_shared = {.bytes = shared, .first = copy->shared, .size = shared_B};
    oracle_result done = oracle_run(&m, &c, oracle_window_memory(&in_global), oracle_window_memory(&in_shared));
    memcpy(result, (uint64_t[4]){done.payload_B, done.written_B, done.filled_B, done.stray_B}, 4 * sizeof *result);
}

/* The place of a box element: shared address of its first byte (of whole bytes), and offset in the tensor or -1. */
void oracle_place(const tmap_map_params *map, const tmap_copy_params *copy, const uint64_t index[5], int64_t place[2]) {
    oracle_map m = oracle_map_of(map);
    oracle_copy c = oracle_copy_of(copy);
    oracle_element element = oracle_locate(&m, &c, index);
    place[0] = (int64_t)oracle_swizzled(m.swizzle, c.shared, element.box_bit / 8);
    place[1] = element.inside ? (int64_t)element.global_B : -1;
}

/* The descriptor of a map that is not wide, by the second encoder. */
void oracle_encode(const tmap_map_params *map, uint8_t bytes[128]) {
    uint32_t box[5], steps[5];
    int lower[3], upper[3];
    for (int i = 0; i < 5; i++) box[i] = (uint32_t)map->box_el[i], steps[i] = (uint32_t)map->element_strides[i];
    for (int i = 0; i < 3; i++) lower[i] = (int)map->lower_corner[i], upper[i] = (int)map->upper_corner[i];
    standin_map as = {
        .type = (int)map->type,
        .rank = (uint32_t)map->rank,
        .address = map->address,
        .dims = map->dims_el,
        .strides = map->strides_B,
        .box = map->mode == TMAP_MODE_TILED ? box : NULL,
        .element_strides = steps,
        .interleave = (int)map->interleave,
        .swizzle = (int)map->swizzle,
        .l2_promotion = (int)map->l2_promotion,
        .oob_fill = (int)map->oob_fill,
        .lower = lower,
        .upper = upper,
        .channels = (uint32_t)map->channels_per_pixel,
        .pixels = (uint32_t)map->pixels_per_column,
    };
    standin_encode(&as, bytes);
}
