/* generate: tensors as C functions that call the driver. Every parameter has the name that the driver uses. */
#include <inttypes.h>

#include "generate/source_parts.h"
#include "text/c_text.h"
#include "text/print.h"

/* ---- Comments --------------------------------------------------------------------------------------------------- */

static void put_axes(tmap_sink *sink, const tmap_generate_tensor *tensor, int first, int end) {
    for (int i = first; i < end; i++) tmap_printf(sink, "%s%s", i > first ? ", " : "", tensor->axes[i]);
}

static void put_shape(tmap_sink *sink, const tmap_map_params *map, const tmap_sized_source *source) {
    for (int i = 0; i < (int)map->rank; i++) {
        tmap_puts(sink, i ? " x " : "");
        if (source->free && tmap_slot_expr(&source->sized, TMAP_SLOT_DIMS + i))
            tmap_put_sized_number(sink, source, TMAP_SLOT_DIMS + i, 0, false);
        else
            tmap_put_numbers(sink, &map->dims_el[i], 1);
    }
}

static void put_swizzle_comment(tmap_sink *sink, const tmap_swizzle_info *swizzle) {
    if (swizzle->taps_n == 0) return;
    tmap_printf(sink, "\n * Swizzle %s: the byte for address a of shared memory is at ", swizzle->name);
    tmap_put_swizzle(sink, swizzle, "a");
    tmap_printf(sink, ", which repeats every %" PRIu32 " B.", tmap_swizzle_period_B(swizzle));
}

static void put_head(tmap_sink *sink, const tmap_generate_tensor *tensor, const tmap_sized_source *source) {
    const tmap_map_params *map = tensor->params;
    tmap_puts(sink, "\n/*\n * ");
    tmap_put_comment(sink, tensor->name);
    tmap_printf(sink, ": %s, ", tmap_type_get((int)map->type)->name);
    put_shape(sink, map, source);
    tmap_puts(sink, " (");
    put_axes(sink, tensor, 0, (int)map->rank);
    tmap_puts(sink, ")");
    put_swizzle_comment(sink, tmap_swizzle_get((int)map->swizzle));
    bool moves = source->free && tmap_slot_expr(&source->sized, TMAP_SLOT_ADDRESS);
    if (map->has_address && !moves) tmap_printf(sink, "\n * The spec has it at 0x%" PRIx64 ".", map->address);
    tmap_puts(sink, "\n */\n");
}

/* ---- Parameters ------------------------------------------------------------------------------------------------- */

/* The entries of a field from `slot` on; slot -1: the field has no expressions. */
static void put_array(tmap_sink *sink, const tmap_sized_source *source, int slot, const char *type, const char *name,
                      const uint64_t *numbers, int n) {
    tmap_printf(sink, "    const %s %s[%d] = {", type, name, n);
    if (slot < 0)
        tmap_put_numbers(sink, numbers, n);
    else
        tmap_put_sized_numbers(sink, source, slot, type, numbers, n);
    tmap_puts(sink, "};");
}

static void put_enumerator(tmap_sink *sink, const char *type, const char *name, const char *prefix,
                           const char *enumerator) {
    tmap_printf(sink, "    const %s %s = CU_TENSOR_MAP_%s_%s;\n", type, name, prefix, enumerator);
}

static void put_tensor(tmap_sink *sink, const tmap_generate_tensor *tensor, const tmap_sized_source *source) {
    const tmap_map_params *map = tensor->params;
    int rank = (int)map->rank;
    put_enumerator(sink, "CUtensorMapDataType", "tensorDataType", "DATA_TYPE", tmap_type_get((int)map->type)->cu_name);
    tmap_printf(sink, "    const cuuint32_t tensorRank = %d;\n", rank);
    put_array(sink, source, TMAP_SLOT_DIMS, "cuuint64_t", "globalDim", map->dims_el, rank);
    tmap_puts(sink, " /* ");
    put_axes(sink, tensor, 0, rank);
    tmap_puts(sink, ": in elements, innermost first */\n");
    if (rank == 1) {
        tmap_puts(sink, "    const cuuint64_t globalStrides[1] = {0}; /* not read: there is one dimension */\n");
        return;
    }
    put_array(sink, source, TMAP_SLOT_STRIDES, "cuuint64_t", "globalStrides", map->strides_B, rank - 1);
    tmap_puts(sink, " /* ");
    put_axes(sink, tensor, 1, rank);
    tmap_puts(sink, ": in bytes */\n");
}

static void put_box(tmap_sink *sink, const tmap_map_params *map, const tmap_sized_source *source) {
    tmap_derived box = tmap_derive(map, false);
    bool sized = false;
    put_array(sink, source, TMAP_SLOT_BOX, "cuuint32_t", "boxDim", map->box_el, (int)map->rank);
    for (int i = 0; i < (int)map->rank && source->free; i++)
        sized |= tmap_slot_expr(&source->sized, TMAP_SLOT_BOX + i) != NULL;
    if (sized) { /* the number of rows depends on sizes */
        tmap_puts(sink, "\n");
        return;
    }
    tmap_puts(sink, " /* ");
    tmap_put_rows(sink, &box);
    tmap_puts(sink, " */\n");
}

static void put_corner(tmap_sink *sink, const tmap_generate_tensor *tensor, const char *name, const int64_t *corner) {
    int rank = (int)tensor->params->rank;
    if (tensor->params->mode != TMAP_MODE_IM2COL) {
        tmap_printf(sink, "    const int %sWidth = %" PRId64 "; /* %s: in pixels */\n", name, corner[0],
                    tensor->axes[1]);
        return;
    }
    tmap_printf(sink, "    const int %s[%d] = {", name, rank - 2);
    for (int i = 0; i < rank - 2; i++) tmap_printf(sink, "%s%" PRId64, i ? ", " : "", corner[i]);
    tmap_puts(sink, "}; /* ");
    put_axes(sink, tensor, 1, rank - 1);
    tmap_puts(sink, ": in pixels */\n");
}

static void put_pixels(tmap_sink *sink, const tmap_generate_tensor *tensor) {
    const tmap_map_params *map = tensor->params;
    put_corner(sink, tensor, "pixelBoxLowerCorner", map->lower_corner);
    put_corner(sink, tensor, "pixelBoxUpperCorner", map->upper_corner);
    tmap_printf(sink, "    const cuuint32_t channelsPerPixel = %" PRIu64 "; /* %" PRIu64 " B */\n",
                map->channels_per_pixel, tmap_inner_global_B(tmap_type_get((int)map->type), map->channels_per_pixel));
    tmap_printf(sink, "    const cuuint32_t pixelsPerColumn = %" PRIu64 "; /* ", map->pixels_per_column);
    tmap_derived column = tmap_derive_copy(map, &(tmap_copy_params){.op = TMAP_OP_LOAD});
    if (map->mode == TMAP_MODE_IM2COL_W128) tmap_puts(sink, "not read, as a column is always ");
    tmap_put_rows(sink, &column);
    tmap_puts(sink, map->mode == TMAP_MODE_IM2COL ? " */\n" : ", and the halo of the copy */\n");
}

static void put_element_strides(tmap_sink *sink, const tmap_map_params *map) {
    bool every = true;
    for (uint64_t i = 0; i < map->rank; i++) every = every && map->element_strides[i] == 1;
    put_array(sink, NULL, -1, "cuuint32_t", "elementStrides", map->element_strides, (int)map->rank);
    tmap_puts(sink, every ? " /* every element */\n" : " /* every n-th element */\n");
}

static void put_choices(tmap_sink *sink, const tmap_map_params *map) {
    put_enumerator(sink, "CUtensorMapInterleave", "interleave", "INTERLEAVE",
                   tmap_interleave_get((int)map->interleave)->cu_name);
    const char *wide = tmap_mode_get((int)map->mode)->cu_wide;
    if (wide) put_enumerator(sink, "CUtensorMapIm2ColWideMode", "mode", "IM2COL_WIDE_MODE", wide);
    put_enumerator(sink, "CUtensorMapSwizzle", "swizzle", "SWIZZLE", tmap_swizzle_get((int)map->swizzle)->cu_name);
    put_enumerator(sink, "CUtensorMapL2promotion", "l2Promotion", "L2_PROMOTION",
                   tmap_l2_promotion_get((int)map->l2_promotion)->cu_name);
    put_enumerator(sink, "CUtensorMapFloatOOBfill", "oobFill", "FLOAT_OOB_FILL",
                   tmap_oob_fill_get((int)map->oob_fill)->cu_name);
}

/* ---- The function ----------------------------------------------------------------------------------------------- */

static const char *call_of(const tmap_mode_info *mode) {
    if (mode->wide)
        return "    return cuTensorMapEncodeIm2colWide(map, tensorDataType, tensorRank, globalAddress, globalDim, "
               "globalStrides,\n"
               "                                       pixelBoxLowerCornerWidth, pixelBoxUpperCornerWidth, "
               "channelsPerPixel,\n"
               "                                       pixelsPerColumn, elementStrides, interleave, mode, swizzle, "
               "l2Promotion,\n"
               "                                       oobFill);\n";
    if (mode->im2col)
        return "    return cuTensorMapEncodeIm2col(map, tensorDataType, tensorRank, globalAddress, globalDim, "
               "globalStrides,\n"
               "                                   pixelBoxLowerCorner, pixelBoxUpperCorner, channelsPerPixel,\n"
               "                                   pixelsPerColumn, elementStrides, interleave, swizzle, l2Promotion,\n"
               "                                   oobFill);\n";
    return "    return cuTensorMapEncodeTiled(map, tensorDataType, tensorRank, globalAddress, globalDim, "
           "globalStrides,\n"
           "                                  boxDim, elementStrides, interleave, swizzle, l2Promotion, oobFill);\n";
}

void tmap_put_encode(tmap_sink *sink, const tmap_generate_tensor *tensor, const tmap_sized_source *source,
                     const char *name) {
    const tmap_map_params *map = tensor->params;
    put_head(sink, tensor, source);
    tmap_printf(sink, "CUresult encode_%s(CUtensorMap *map, void *globalAddress", name);
    tmap_put_size_parameters(sink, source);
    tmap_puts(sink, ") {\n");
    if (source->free) tmap_put_size_checks(sink, source);
    put_tensor(sink, tensor, source);
    if (map->mode == TMAP_MODE_TILED)
        put_box(sink, map, source);
    else
        put_pixels(sink, tensor);
    put_element_strides(sink, map);
    put_choices(sink, map);
    tmap_puts(sink, call_of(tmap_mode_get((int)map->mode)));
    tmap_puts(sink, "}\n");
}
