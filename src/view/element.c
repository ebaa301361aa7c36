/* view: the whole way of one element: from its coordinate to its place in the banks of shared memory. */
#include "view/notation.h"
#include "view/visible.h"

#include <inttypes.h>
#include <stdio.h>

static void put_global(tmap_sink *sink, const tmap_copy *copy, const tmap_place *place) {
    if (!place->inside) {
        tmap_printf(sink, "  global   none: outside the tensor, %s\n", tmap_fill_text(copy));
        return;
    }
    tmap_printf(sink, "  global   offset 0x%" PRIx64 " (%" PRIu64 ")", place->global_B, place->global_B);
    if (copy->map.params.has_address)
        tmap_printf(sink, ", address 0x%" PRIx64, copy->map.params.address + place->global_B);
    tmap_puts(sink, "\n");
}

/* "0x05a8   0000 0101 1010 1000": a group of bits for every hexadecimal digit. */
static void put_address(tmap_sink *sink, const char *label, uint64_t address, int digits_n) {
    tmap_printf(sink, "  %-8s 0x%0*" PRIx64 "  ", label, digits_n, address);
    for (int bit = 4 * digits_n - 1; bit >= 0; bit--) {
        if (bit % 4 == 3) tmap_puts(sink, " ");
        tmap_puts(sink, address >> bit & 1 ? "1" : "0");
    }
}

static void put_taps(tmap_sink *sink, const tmap_swizzle_info *swizzle) {
    tmap_printf(sink, "   %s: bit%s", swizzle->name, swizzle->taps_n > 1 ? "s" : "");
    for (int i = swizzle->taps_n - 1; i >= 0; i--) tmap_printf(sink, " %d", swizzle->taps[i].to);
    tmap_puts(sink, " ^=");
    for (int i = swizzle->taps_n - 1; i >= 0; i--) tmap_printf(sink, " %d", swizzle->taps[i].from);
}

/* The shared address before and after the swizzle, bit by bit. */
static void put_shared(tmap_sink *sink, const tmap_copy *copy, const tmap_place *place) {
    const tmap_swizzle_info *swizzle = copy->map.swizzle;
    uint64_t before = copy->params.shared + place->box_B;
    int digits_n = snprintf(NULL, 0, "%04" PRIx64, before);
    if (swizzle->taps_n > 0) {
        put_address(sink, "before", before, digits_n);
        tmap_printf(sink, "   0x%" PRIx64 " + 0x%" PRIx64 "\n", copy->params.shared, place->box_B);
        put_address(sink, "XOR", before ^ place->shared, digits_n);
        put_taps(sink, swizzle);
        tmap_puts(sink, "\n");
    }
    put_address(sink, "shared", place->shared, digits_n);
    tmap_puts(sink, "\n");
}

static void put_banks(tmap_sink *sink, const tmap_copy *copy, const tmap_place *place) {
    uint64_t in_line = place->shared % TMAP_LINE_B;
    uint64_t first_line = copy->params.shared / TMAP_LINE_B;
    uint32_t size_B = copy->unit.shared_B;
    tmap_printf(sink, "  lies in  line 0x%04" PRIx64 " (%" PRIu64 " of the box), unit %" PRIu32,
                place->line * TMAP_LINE_B, place->line - first_line, place->unit);
    if (size_B > 4)
        tmap_printf(sink, ", banks %" PRIu32 "-%" PRIu32, place->bank, place->bank + size_B / 4 - 1);
    else
        tmap_printf(sink, ", bank %" PRIu32, place->bank);
    tmap_printf(sink, ", byte %" PRIu64 " of the line\n", in_line);
}

static const char *box_text(const tmap_copy *copy, const tmap_view *view, const int64_t *index,
                            char text[TMAP_COORDINATE_TEXT]) {
    tmap_view in_box = *view;
    const char *axes[TMAP_RANK_MAX];
    for (int dim = 0; dim < TMAP_RANK_MAX; dim++) axes[dim] = tmap_view_box_axis(copy, view->axes, dim);
    if (view->axes) in_box.axes = axes;
    return tmap_named_text(&in_box, index, 0, copy->rank, text);
}

void tmap_view_element(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) {
    tmap_place place;
    char text[TMAP_COORDINATE_TEXT];
    if (!tmap_view_marked(copy, view, &place)) return;
    int64_t index[TMAP_RANK_MAX];
    for (int dim = 0; dim < TMAP_RANK_MAX; dim++) index[dim] = view->element[dim];
    tmap_puts(sink, "element ");
    tmap_put_visible(sink, tmap_named_text(view, place.at, 0, (int)copy->map.params.rank, text));
    tmap_puts(sink, "\n  in box   ");
    tmap_put_visible(sink, box_text(copy, view, index, text));
    tmap_puts(sink, "\n");
    put_global(sink, copy, &place);
    tmap_printf(sink, "  packed   offset 0x%" PRIx64 " (%" PRIu64 ") in the box: row %" PRIu64 ", byte %" PRIu64 "\n",
                place.box_B, place.box_B, place.box_B / copy->pitch_B, place.box_B % copy->pitch_B);
    put_shared(sink, copy, &place);
    put_banks(sink, copy, &place);
}
