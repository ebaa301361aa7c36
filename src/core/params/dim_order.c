/* The order of the dimensions of a tensor by their strides. */
#include "params/derive.h"

int tmap_next_dim(const tmap_map_params *params, uint32_t placed) {
    int next = -1;
    for (int i = 1; i < TMAP_RANK_MAX && (uint64_t)i < params->rank; i++) {
        if ((placed >> i & 1) || params->dims_el[i] <= 1) continue;
        if (next < 0 || params->strides_B[i - 1] < params->strides_B[next - 1]) next = i;
    }
    return next;
}
