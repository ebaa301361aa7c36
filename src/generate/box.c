/* generate: how large a copy's box is, where it may lie, and where the copy exists. */
#include "base/wide.h"
#include "generate/parts.h"

#include <inttypes.h>

/*
 * PTX ISA 5.5.5: im2col::w brings wHalo pixels behind the column; im2col::w::128 always 128 pixels, and wHalo behind
 * each 32 of them.
 */
static uint64_t pixels_of(const tmap_map_params *map, const tmap_copy_params *copy) {
    switch (map->mode) {
    case TMAP_MODE_IM2COL_W: return tmap_add_saturate(map->pixels_per_column, copy->w_halo);
    case TMAP_MODE_IM2COL_W128: return tmap_add_saturate(128, tmap_mul_saturate(4, copy->w_halo));
    case TMAP_MODE_TILED:
    case TMAP_MODE_IM2COL:
    case TMAP_MODE_COUNT: break;
    }
    return map->pixels_per_column;
}

static tmap_map_params column_as_tile(const tmap_map_params *map, uint64_t pixels) {
    bool interleaved = map->interleave != TMAP_INTERLEAVE_NONE;
    tmap_map_params tile = tmap_map_params_tiled(map->type, interleaved ? 3 : 2);
    tile.swizzle = map->swizzle;
    tile.interleave = map->interleave;
    tile.box_el[0] = interleaved ? pixels : map->channels_per_pixel;
    tile.box_el[1] = interleaved ? 1 : pixels;
    tile.box_el[2] = 1;
    return tile;
}

tmap_derived tmap_box_of(const tmap_map_params *map, const tmap_copy_params *copy) {
    if (map->mode == TMAP_MODE_TILED) {
        const tmap_op_info *op = tmap_op_get((int)copy->op);
        return tmap_derive(map, op && op->four_rows);
    }
    tmap_map_params tile = column_as_tile(map, pixels_of(map, copy));
    return tmap_derive(&tile, false);
}

tmap_archs tmap_archs_of_copy(const tmap_map_params *map, const tmap_form_info *form) {
    return form->archs & tmap_type_get((int)map->type)->archs & tmap_swizzle_get((int)map->swizzle)->archs;
}

/* Taps of the same distance move together: one shift, one mask. */
void tmap_put_swizzle(tmap_sink *sink, const tmap_swizzle_info *swizzle, const char *name) {
    tmap_puts(sink, name);
    for (int distance = 1; distance < 16; distance++) {
        unsigned mask = 0;
        for (int i = 0; i < swizzle->taps_n; i++)
            if (swizzle->taps[i].from - swizzle->taps[i].to == distance) mask |= 1u << swizzle->taps[i].to;
        if (mask) tmap_printf(sink, " ^ (%s >> %d & 0x%02x)", name, distance, mask);
    }
}

void tmap_put_rows(tmap_sink *sink, const tmap_derived *box) {
    tmap_printf(sink, "%" PRIu64 " row%s of %" PRIu64 " B", box->rows_n, box->rows_n == 1 ? "" : "s",
                box->inner_shared_B);
    if (box->pitch_B != box->inner_shared_B) tmap_printf(sink, ", %" PRIu64 " B apart", box->pitch_B);
    if (box->rows_n > 1) tmap_printf(sink, ": %" PRIu64 " B", box->footprint_B);
}

void tmap_put_numbers(tmap_sink *sink, const uint64_t *numbers, int n) {
    for (int i = 0; i < n; i++) tmap_printf(sink, "%s%" PRIu64, i ? ", " : "", numbers[i]);
}
