/*
 * Point: 3
 * Proves: tmap_next_dim returns the dimension with the smallest stride, the first of equal strides, among the
 *     dimensions from 1 on that the tensor has, that have more than one entry and are not in the given set; -1 if no
 *     dimension is left. The derived numbers of strided tensors are computed in this order. The program tries all cases.
 * Assumes: the function compares strides only with each other, and dims only with 1. So dims 0 to 2 and four strides of
 *     four values, equal or not, are all cases.
 * Tool: run
 * Sources: src/core/params/dim_order.c
 */
#include <stdio.h>

#include "params/derive.h"

enum { RANKS = TMAP_RANK_MAX + 2, SETS = 1 << TMAP_RANK_MAX, DIMS = 3 * 3 * 3 * 3, STRIDES = 4 * 4 * 4 * 4 };

static bool is_next(const tmap_map_params *params, uint32_t placed, int dim) {
    int right = -1;
    for (int i = TMAP_RANK_MAX - 1; i >= 1; i--) {
        bool candidate = params->rank > (uint64_t)i && params->dims_el[i] > 1 && !(placed >> i & 1);
        if (candidate && (right < 0 || params->strides_B[i - 1] <= params->strides_B[right - 1])) right = i;
    }
    return dim == right;
}

int main(void) {
    for (unsigned n = 0; n < (unsigned)RANKS * SETS * DIMS * STRIDES; n++) {
        unsigned rest = n / RANKS / SETS;
        uint32_t placed = n / RANKS % SETS;
        tmap_map_params params = {.rank = n % RANKS};
        for (int i = 1; i < TMAP_RANK_MAX; i++, rest /= 3) params.dims_el[i] = rest % 3;
        for (int i = 1; i < TMAP_RANK_MAX; i++, rest /= 4) params.strides_B[i - 1] = rest % 4;
        if (is_next(&params, placed, tmap_next_dim(&params, placed))) continue;
        printf("DISPROVED: case %u\n", n);
        return 1;
    }
    printf("PROVED: %u cases\n", (unsigned)RANKS * SETS * DIMS * STRIDES);
    return 0;
}
