/* view: the contents of a byte of shared or global memory, in words. */
#include "text/print.h"
#include "text/quote.h"
#include "view/notation.h"

#include <inttypes.h>

/* Writes "byte 1 of 2 of ", "bits 4-7: ", or for a value of 6 bits in two bytes "bits 0-3: bits 2-5 of ". */
static void put_share(tmap_sink *sink, const tmap_copy *copy, const tmap_byte_part *part) {
    uint32_t bits = copy->unit.value_bits, last = part->byte_bit + part->bits_n - 1;
    if (bits == 8) return;
    if (bits > 8) {
        tmap_printf(sink, "byte %" PRIu32 " of %" PRIu32 " of ", part->element_bit / 8, bits / 8);
        return;
    }
    tmap_printf(sink, "bits %" PRIu32 "-%" PRIu32 ": ", part->byte_bit, last);
    if (part->bits_n < bits)
        tmap_printf(sink, "bits %" PRIu32 "-%" PRIu32 " of ", part->element_bit, part->element_bit + part->bits_n - 1);
}

static void put_part(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view, const tmap_byte *byte,
                     const tmap_byte_part *part) {
    char text[TMAP_COORDINATE_TEXT];
    put_share(sink, copy, part);
    tmap_puts(sink, "element ");
    tmap_put_visible(sink, tmap_named_text(view, part->at, 0, (int)copy->map.params.rank, text));
    if (byte->kind == TMAP_BYTE_TENSOR) tmap_puts(sink, ", which is not in this box");
    if (byte->more) tmap_puts(sink, "; other elements of the box also have this byte: strides overlap");
    tmap_puts(sink, "\n");
}

static const char *kind_text(tmap_byte_kind kind) {
    switch (kind) {
    case TMAP_BYTE_OUTSIDE: return "outside";
    case TMAP_BYTE_GAP: return "gap: no element has this byte";
    case TMAP_BYTE_UNKNOWN: return "unknown: the strides of the tensor overlap in too many ways";
    case TMAP_BYTE_ELEMENT:
    case TMAP_BYTE_TENSOR: break;
    }
    return "";
}

void tmap_view_byte(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view, const tmap_byte *byte,
                    const char *label) {
    if (byte->parts_n == 0) tmap_printf(sink, "%s: %s\n", label, kind_text(byte->kind));
    for (uint32_t i = 0; i < byte->parts_n; i++) {
        tmap_printf(sink, "%s: ", label);
        put_part(sink, copy, view, byte, &byte->parts[i]);
    }
    for (uint32_t i = 0; i < byte->parts_n && byte->kind == TMAP_BYTE_ELEMENT; i++) {
        tmap_view marked = *view;
        marked.has_element = true;
        for (int dim = 0; dim < TMAP_RANK_MAX; dim++) marked.element[dim] = byte->parts[i].index[dim];
        tmap_view_element(sink, copy, &marked);
    }
}
