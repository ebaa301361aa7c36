/* Maps from a log or a running program, written as one spec file. */
#include "specs/found_maps.h"

#include <inttypes.h>
#include <string.h>

#include "params/fields.h"
#include "params/words.h"
#include "text/print.h"
#include "tmap/unstable/driver.h"

#define CUDA_INVALID_VALUE 1 /* the only CUresult that concerns the map */
#define SPEC_HEAD          "tmap: 1\ntensors:\n"

bool found_map_has_spec(const tmap_map_params *params) {
    return tmap_map_has_words(params) && params->rank >= 1 && params->rank <= TMAP_RANK_MAX;
}

const char *found_map_hint(int result) {
    return result == 0 || result == CUDA_INVALID_VALUE ? NULL : tmap_cuda_error_hint(result);
}

void found_maps_begin(tmap_sink *sink) {
    tmap_puts(sink, SPEC_HEAD);
}

void found_map_write(tmap_sink *sink, const char *name, const tmap_map_params *params) {
    tmap_text text = {0};
    tmap_sink one = tmap_text_sink(&text);
    tmap_spec_write(&one, name, params);
    if (one.failed)
        sink->failed = true;
    else
        tmap_puts(sink, text.data + strlen(SPEC_HEAD));
    tmap_text_free(&text);
}

void found_map_comment(tmap_sink *sink, const char *name, const tmap_map_params *p) {
    static const tmap_field lists[] = {TMAP_FIELD_DIMS, TMAP_FIELD_STRIDES, TMAP_FIELD_BOX, TMAP_FIELD_ELEMENT_STRIDES};
    tmap_printf(sink,
                "  # a spec cannot express %s: tensorDataType %d, tensorRank %" PRIu64 ", globalAddress 0x%" PRIx64
                "\n  #   interleave %d, swizzle %d, l2Promotion %d, oobFill %d\n",
                name, (int)p->type, p->rank, p->address, (int)p->interleave, (int)p->swizzle, (int)p->l2_promotion,
                (int)p->oob_fill);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        tmap_printf(sink, "  #   %s ", tmap_field_get((int)lists[i])->cu_name);
        tmap_field_put(sink, p, NULL, lists[i], tmap_field_room(lists[i]));
        tmap_puts(sink, "\n");
    }
}
