#include "native.h"

#include <string.h>

static bool next_index(const tmap_copy *copy, uint32_t index[TMAP_RANK_MAX]) {
    for (int i = 0; i < copy->rank; i++) {
        if (++index[i] < copy->counts[i]) return true;
        index[i] = 0;
    }
    return false;
}

void tmap_native_places(const tmap_copy *copy, int64_t *shared, int64_t *global, int64_t *at) {
    uint32_t index[TMAP_RANK_MAX] = {0};
    size_t rank = (size_t)copy->map.params.rank, i = 0;
    do {
        tmap_place place;
        tmap_copy_locate(copy, index, &place);
        shared[i] = (int64_t)place.shared;
        global[i] = place.inside ? (int64_t)place.global_B : -1;
        memcpy(at + i * rank, place.at, rank * sizeof *at);
        i++;
    } while (next_index(copy, index));
}

/* A swizzle is its own inverse: it reads address bits from 7 up and writes bits below 7. */
static uint64_t box_offset(const tmap_copy *copy, uint64_t address) {
    return (address ^ tmap_swizzle_mask(copy->map.swizzle, address)) - copy->params.shared;
}

bool tmap_native_owner(const tmap_copy *copy, uint64_t address, uint32_t index[TMAP_RANK_MAX]) {
    uint64_t offset = box_offset(copy, address);
    if (offset >= copy->footprint_B) return false;
    uint64_t row = offset / copy->pitch_B, in_row = offset % copy->pitch_B;
    uint64_t unit = in_row / copy->unit.pitch_B, in_unit = in_row % copy->unit.pitch_B;
    if (row >= copy->rows_n || in_unit >= copy->unit.shared_B) return false;
    uint64_t value = unit * copy->unit.values + in_unit * 8 / copy->unit.shared_value_bits;
    if (value >= copy->counts[0]) return false;
    index[0] = (uint32_t)value;
    for (int i = 1; i < copy->rank; i++) {
        index[i] = (uint32_t)(row % copy->counts[i]);
        row /= copy->counts[i];
    }
    return true;
}

void tmap_native_layout_places(const tmap_layout *layout, int64_t copy, int64_t n, int64_t *places) {
    for (int64_t i = 0; i < n; i++) {
        tmap_axis_values place;
        tmap_layout_place(layout, i, copy, &place);
        for (int axis = 0; axis < place.n; axis++) places[axis * n + i] = place.at[axis].value;
    }
}
