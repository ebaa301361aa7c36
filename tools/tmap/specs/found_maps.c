/* Maps from a log or a running program, written as one spec file. */
#include "specs/found_maps.h"

#include <inttypes.h>
#include <string.h>

#include "text/print.h"
#include "tmap/unstable/cuda_errors.h"

#define CUDA_INVALID_VALUE 1 /* the only CUresult that concerns the map */
#define SPEC_HEAD          "tmap: 1\ntensors:\n"

bool found_map_has_spec(const tmap_map_params *params) {
    return tmap_mode_get((int)params->mode) && tmap_type_get((int)params->type) &&
           tmap_interleave_get((int)params->interleave) && tmap_swizzle_get((int)params->swizzle) &&
           tmap_l2_promotion_get((int)params->l2_promotion) && tmap_oob_fill_get((int)params->oob_fill) &&
           params->rank >= 1 && params->rank <= TMAP_RANK_MAX;
}

const char *found_map_hint(int result) {
    return result == 0 || result == CUDA_INVALID_VALUE ? NULL : tmap_cuda_error_hint(result);
}

void found_maps_begin(tmap_sink *sink) {
    tmap_puts(sink, SPEC_HEAD);
}

void found_map_write(tmap_sink *sink, const char *name, const tmap_map_params *params, bool outer_first) {
    tmap_text text = {0};
    tmap_sink one = tmap_text_sink(&text);
    (outer_first ? tmap_spec_write_outer_first : tmap_spec_write)(&one, name, params);
    if (one.failed)
        sink->failed = true;
    else
        tmap_puts(sink, text.data + strlen(SPEC_HEAD));
    tmap_text_free(&text);
}

static void put_numbers(tmap_sink *sink, const char *key, const uint64_t *numbers, int n) {
    tmap_printf(sink, "  #   %s [", key);
    for (int i = 0; i < n; i++) tmap_printf(sink, "%s%" PRIu64, i > 0 ? ", " : "", numbers[i]);
    tmap_puts(sink, "]\n");
}

void found_map_comment(tmap_sink *sink, const char *name, const tmap_map_params *p) {
    tmap_printf(sink,
                "  # a spec cannot express %s: tensorDataType %d, tensorRank %" PRIu64 ", globalAddress 0x%" PRIx64
                "\n  #   interleave %d, swizzle %d, l2Promotion %d, oobFill %d\n",
                name, (int)p->type, p->rank, p->address, (int)p->interleave, (int)p->swizzle, (int)p->l2_promotion,
                (int)p->oob_fill);
    put_numbers(sink, "globalDim", p->dims_el, TMAP_RANK_MAX);
    put_numbers(sink, "globalStrides", p->strides_B, TMAP_RANK_MAX - 1);
    put_numbers(sink, "boxDim", p->box_el, TMAP_RANK_MAX);
    put_numbers(sink, "elementStrides", p->element_strides, TMAP_RANK_MAX);
}
