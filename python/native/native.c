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
        if (shared) shared[i] = (int64_t)place.shared;
        if (global) global[i] = place.inside ? (int64_t)place.global_B : -1;
        if (at) memcpy(at + i * rank, place.at, rank * sizeof *at);
        i++;
    } while (next_index(copy, index));
}
