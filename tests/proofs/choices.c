/*
 * Point: 2
 * Proves: decode(encode(m)) has the type, swizzle, mode, rank, interleave, fill and promotion of m, for all
 *     combinations of these. The program tries all combinations. Therefore the tables return each row that `codec`
 *     requires.
 * Assumes: the type and the swizzle that decode returns depend only on the numbers that `codec` names.
 * Bounds: all other numbers have the smallest or the largest value that their fields hold.
 * Tool: run
 * Sources: src/core/codec/encode.c src/core/codec/decode.c src/core/hw/descriptor_bits.c src/core/hw/tables.c src/core/hw/swizzle.c
 *     src/core/params/allocation.c src/core/params/derive.c src/core/params/dim_order.c src/core/text/print.c src/core/base/sink.c src/core/base/memory.c
 */
#include <stdio.h>

#include "no_rules.h"
#include "tmap/codec.h"
#include "tmap/unstable/counts.h"

static void set_numbers(tmap_map_params *p, bool large) {
    int spatial_n = (int)p->rank - 2;
    p->has_address = true, p->address = large ? ~(uint64_t)0 : 0;
    p->channels_per_pixel = large ? 256 : 1, p->pixels_per_column = large ? 1024 : 1;
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        bool used = large && i < (int)p->rank;
        p->dims_el[i] = used ? (uint64_t)1 << 32 : 1;
        p->box_el[i] = used && p->mode == TMAP_MODE_TILED ? 256 : 1;
        p->element_strides[i] = used && (i > 0 || p->interleave != TMAP_INTERLEAVE_NONE) ? 8 : 1;
        if (i > 0) p->strides_B[i - 1] = used ? ((uint64_t)1 << 40) - 16 : 0;
    }
    for (int i = 0; p->mode == TMAP_MODE_IM2COL && i < spatial_n; i++)
        p->lower_corner[i] = p->upper_corner[i] = large ? -(1 << (16 / spatial_n - 1)) : 0;
}

static bool is_same(const tmap_map_params *a, const tmap_map_params *b) {
    return a->type == b->type && a->swizzle == b->swizzle && a->mode == b->mode && a->rank == b->rank &&
           a->interleave == b->interleave && a->oob_fill == b->oob_fill && a->l2_promotion == b->l2_promotion;
}

/* `choice` is a number whose digits are the choices. */
static bool comes_back(unsigned choice) {
    tmap_map map = {0};
    tmap_map_params *p = &map.params, back;
    tmap_descriptor descriptor;
    p->type = (tmap_type)(choice % TMAP_TYPE_COUNT), choice /= TMAP_TYPE_COUNT;
    p->swizzle = (tmap_swizzle)(choice % TMAP_SWIZZLE_COUNT), choice /= TMAP_SWIZZLE_COUNT;
    p->interleave = (tmap_interleave)(choice % TMAP_INTERLEAVE_COUNT), choice /= TMAP_INTERLEAVE_COUNT;
    p->oob_fill = (tmap_oob_fill)(choice % TMAP_OOB_FILL_COUNT), choice /= TMAP_OOB_FILL_COUNT;
    p->l2_promotion = (tmap_l2_promotion)(choice % TMAP_L2_PROMOTION_COUNT), choice /= TMAP_L2_PROMOTION_COUNT;
    p->mode = choice % 8 < 5 ? TMAP_MODE_TILED : TMAP_MODE_IM2COL;
    p->rank = choice % 8 < 5 ? choice % 8 + 1 : choice % 8 - 2;
    set_numbers(p, choice / 8);
    map.type = tmap_type_get((int)p->type), map.swizzle = tmap_swizzle_get((int)p->swizzle);
    return tmap_descriptor_encode(&map, &descriptor) &&
           tmap_descriptor_decode(&descriptor, &back, NULL, NULL) == TMAP_OK && is_same(p, &back);
}

int main(void) {
    unsigned n = TMAP_TYPE_COUNT * TMAP_SWIZZLE_COUNT * TMAP_INTERLEAVE_COUNT * TMAP_OOB_FILL_COUNT *
                 TMAP_L2_PROMOTION_COUNT * 8 * 2;
    for (unsigned choice = 0; choice < n; choice++)
        if (!comes_back(choice)) {
            printf("DISPROVED: choice %u\n", choice);
            return 1;
        }
    printf("PROVED: %u maps\n", n);
    return 0;
}
