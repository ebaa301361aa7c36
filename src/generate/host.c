/* generate: C that makes the driver calls of a spec's tensors, every parameter under the driver's name. */
#include <inttypes.h>

#include "generate/names.h"

typedef struct host_tensor {
    tmap_sink *sink;
    const tmap_map_params *params;
    const char *const *axes;
    int rank;
} host_tensor;

static const char *axis(const host_tensor *t, int dim) {
    return t->axes != NULL ? t->axes[dim] : "";
}

/* ---- Comments --------------------------------------------------------------------------------------------------- */

static void put_sizes(const host_tensor *t, const uint64_t *sizes) {
    for (int i = 0; i < t->rank; i++) {
        if (i > 0) tmap_puts(t->sink, " x ");
        tmap_printf(t->sink, "%" PRIu64, sizes[i]);
        if (t->axes != NULL) tmap_puts(t->sink, " ");
        tmap_put_comment_text(t->sink, axis(t, i));
    }
}

static void put_summary(const host_tensor *t, const char *name) {
    const tmap_map_params *p = t->params;
    tmap_derived derived = tmap_derive(p, false);
    tmap_puts(t->sink, "/*\n * ");
    tmap_put_comment_text(t->sink, name);
    tmap_printf(t->sink, ": %s, ", tmap_type_get((int)p->type)->name);
    put_sizes(t, p->dims_el);
    if (p->mode == TMAP_MODE_TILED) {
        tmap_puts(t->sink, "; boxes of ");
        put_sizes(t, p->box_el);
        if (derived.footprint_B != UINT64_MAX)
            tmap_printf(t->sink, ": %" PRIu64 " B of shared memory, %" PRIu64 " transaction bytes", derived.footprint_B,
                        derived.payload_B);
    } else {
        tmap_printf(t->sink, "; columns of %" PRIu64 " pixels with %" PRIu64 " channels", p->pixels_per_column,
                    p->channels_per_pixel);
    }
    tmap_puts(t->sink, ".\n * Dimension 0 is the innermost one. ");
    if (p->swizzle != TMAP_SWIZZLE_NONE)
        tmap_printf(t->sink, "The box belongs at a multiple of %" PRIu64 " B of shared memory.",
                    derived.shared_align_B);
    else
        tmap_puts(t->sink, "The box belongs at a multiple of 128 B of shared memory.");
    if (p->has_address) tmap_printf(t->sink, "\n * The spec has the address 0x%" PRIx64 ".", p->address);
    tmap_puts(t->sink, "\n */\n");
}

/* ---- Parameters ------------------------------------------------------------------------------------------------- */

static void put_dims(const host_tensor *t) {
    tmap_puts(t->sink, "    const cuuint64_t globalDim[] = {\n");
    for (int i = 0; i < t->rank; i++) {
        tmap_printf(t->sink, "        %" PRIu64 "u, /* ", t->params->dims_el[i]);
        tmap_put_comment_text(t->sink, axis(t, i));
        tmap_printf(t->sink, "%s%d */\n", t->axes != NULL ? ": dimension " : "dimension ", i);
    }
    tmap_puts(t->sink, "    };\n");
}

static void put_strides(const host_tensor *t) {
    tmap_puts(t->sink, "    const cuuint64_t globalStrides[] = {\n");
    for (int i = 1; i < t->rank; i++) {
        tmap_printf(t->sink, "        %" PRIu64 "u, /* bytes from one ", t->params->strides_B[i - 1]);
        if (t->axes != NULL) tmap_put_comment_text(t->sink, axis(t, i));
        tmap_printf(t->sink, "%s to the next */\n", t->axes != NULL ? "" : "of the dimension above");
    }
    if (t->rank < 2) tmap_puts(t->sink, "        0u, /* a tensor of one dimension has none: this is not read */\n");
    tmap_puts(t->sink, "    };\n");
}

static void put_small(const host_tensor *t, const char *type, const char *name, const uint64_t *values) {
    tmap_printf(t->sink, "    const %s %s[] = {", type, name);
    for (int i = 0; i < t->rank; i++) tmap_printf(t->sink, "%s%" PRIu64, i > 0 ? ", " : "", values[i]);
    tmap_puts(t->sink, "};\n");
}

static void put_corner(const host_tensor *t, const char *name, const int64_t *values) {
    tmap_printf(t->sink, "    const int %s[] = {", name);
    for (int i = 0; i < t->rank - 2; i++) tmap_printf(t->sink, "%s%" PRId64, i > 0 ? ", " : "", values[i]);
    tmap_puts(t->sink, "};\n");
}

static const char *swizzle_name(const tmap_map_params *p) {
    const char *name = tmap_swizzle_get((int)p->swizzle)->cu_name;
    return name != NULL ? name : "NONE"; /* 96B is PTX's alone: said in a comment */
}

static void put_choices(const host_tensor *t, const char *between) {
    const tmap_map_params *p = t->params;
    tmap_printf(t->sink, "        CU_TENSOR_MAP_INTERLEAVE_%s,\n%s", tmap_interleave_get((int)p->interleave)->cu_name,
                between);
    tmap_printf(t->sink, "        CU_TENSOR_MAP_SWIZZLE_%s,\n", swizzle_name(p));
    tmap_printf(t->sink, "        CU_TENSOR_MAP_L2_PROMOTION_%s,\n",
                tmap_l2_promotion_get((int)p->l2_promotion)->cu_name);
    tmap_printf(t->sink, "        CU_TENSOR_MAP_FLOAT_OOB_FILL_%s);\n", tmap_oob_fill_get((int)p->oob_fill)->cu_name);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static void put_call_begin(const host_tensor *t, const char *function) {
    tmap_printf(t->sink,
                "    return %s(\n        map,\n        CU_TENSOR_MAP_DATA_TYPE_%s,\n        %d, /* tensorRank */\n"
                "        globalAddress,\n        globalDim,\n        globalStrides,\n",
                function, tmap_type_get((int)t->params->type)->cu_name, t->rank);
}

static void put_tiled(const host_tensor *t) {
    put_small(t, "cuuint32_t", "boxDim", t->params->box_el);
    put_small(t, "cuuint32_t", "elementStrides", t->params->element_strides);
    put_call_begin(t, "cuTensorMapEncodeTiled");
    tmap_puts(t->sink, "        boxDim,\n        elementStrides,\n");
    put_choices(t, "");
}

static void put_pixels(const host_tensor *t) {
    tmap_printf(t->sink,
                "        %" PRIu64 ", /* channelsPerPixel */\n        %" PRIu64 ", /* pixelsPerColumn */\n"
                "        elementStrides,\n",
                t->params->channels_per_pixel, t->params->pixels_per_column);
}

static void put_im2col(const host_tensor *t) {
    put_corner(t, "pixelBoxLowerCorner", t->params->lower_corner);
    put_corner(t, "pixelBoxUpperCorner", t->params->upper_corner);
    put_small(t, "cuuint32_t", "elementStrides", t->params->element_strides);
    put_call_begin(t, "cuTensorMapEncodeIm2col");
    tmap_puts(t->sink, "        pixelBoxLowerCorner,\n        pixelBoxUpperCorner,\n");
    put_pixels(t);
    put_choices(t, "");
}

static void put_wide(const host_tensor *t) {
    bool w128 = t->params->mode == TMAP_MODE_IM2COL_W128;
    put_small(t, "cuuint32_t", "elementStrides", t->params->element_strides);
    put_call_begin(t, "cuTensorMapEncodeIm2colWide");
    tmap_printf(t->sink,
                "        %" PRId64 ", /* pixelBoxLowerCornerWidth */\n        %" PRId64
                ", /* pixelBoxUpperCornerWidth */\n",
                t->params->lower_corner[0], t->params->upper_corner[0]);
    put_pixels(t);
    put_choices(t, w128 ? "        CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128,\n"
                        : "        CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,\n");
}

static void put_function(tmap_sink *sink, const tmap_code_tensor *tensor, const char *function) {
    int rank = tensor->params->rank > TMAP_RANK_MAX ? TMAP_RANK_MAX : (int)tensor->params->rank;
    const host_tensor t = {sink, tensor->params, tensor->axes, rank};
    put_summary(&t, tensor->name);
    if (tmap_swizzle_get((int)t.params->swizzle)->cu_name == NULL)
        tmap_printf(sink, "/* The driver has no swizzle %s: set it afterwards by tensormap.replace. */\n",
                    tmap_swizzle_get((int)t.params->swizzle)->name);
    tmap_printf(sink, "CUresult %s(CUtensorMap *map, void *globalAddress)\n{\n", function);
    put_dims(&t);
    put_strides(&t);
    if (t.params->mode == TMAP_MODE_TILED)
        put_tiled(&t);
    else if (t.params->mode == TMAP_MODE_IM2COL)
        put_im2col(&t);
    else
        put_wide(&t);
    tmap_puts(sink, "}\n");
}

void tmap_generate_host(tmap_sink *sink, const char *source, const tmap_code_tensor *tensors, size_t n) {
    tmap_puts(sink, "/* The tensor maps of ");
    tmap_put_comment_text(sink, source);
    tmap_puts(sink, ", made by tmap generate --c. Encoding needs a current CUDA context. */\n#include <cuda.h>\n");
    for (size_t i = 0; i < n; i++) {
        char function[TMAP_IDENTIFIER_MAX];
        tmap_code_name(function, "encode_", tensors, sizeof *tensors, i);
        tmap_puts(sink, "\n");
        put_function(sink, &tensors[i], function);
    }
}
