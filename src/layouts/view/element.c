/* view: the path of one element, from its coordinate to its place in the banks of shared memory. */
#include "text/print.h"
#include "text/quote.h"
#include "view/notation.h"

#include <inttypes.h>
#include <stdio.h>

/* Writes the coordinates outside the tensor, outermost first: "w -1 is below 0, h 14 is past 13". */
static void put_outside(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view, const tmap_place *place) {
    const char *between = ": ";
    char text[TMAP_COORDINATE_TEXT];
    for (int dim = (int)copy->map.params.rank - 1; dim >= 0; dim--) {
        if ((place->outside >> dim & 1) == 0) continue;
        tmap_puts(sink, between);
        tmap_put_visible(sink, tmap_named_text(view, place->at, dim, dim + 1, text));
        if (place->at[dim] < 0)
            tmap_puts(sink, " is below 0");
        else
            tmap_printf(sink, " is past %" PRIu64, copy->map.params.dims_el[dim] - 1);
        between = ", ";
    }
}

static void put_global(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view, const tmap_place *place) {
    if (!place->inside) {
        tmap_printf(sink, "  global   none: outside the tensor, %s", tmap_fill_text(copy));
        put_outside(sink, copy, view, place);
        tmap_puts(sink, "\n");
        return;
    }
    tmap_printf(sink, "  global   offset 0x%" PRIx64 " (%" PRIu64 ")", place->global_B, place->global_B);
    if (copy->map.params.has_address)
        tmap_printf(sink, ", address 0x%" PRIx64, copy->map.params.address + place->global_B);
    tmap_puts(sink, "\n");
}

/* Writes "0x05a8   0000 0101 1010 1000": one group of bits for each hexadecimal digit. */
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

/* Writes the shared address before and after the swizzle, bit by bit. */
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

/* The bits of the element, and the number of bits before it in its first byte: values of a packed type share bytes. */
static uint32_t element_bits(const tmap_copy *copy, uint32_t index, uint32_t *before) {
    const tmap_unit *unit = &copy->unit;
    *before = unit->values > 1 ? index % unit->values * unit->shared_value_bits % 8 : 0;
    return unit->values > 1 ? unit->shared_value_bits : 8 * unit->shared_B;
}

/* Writes the units of a slice of 32 bytes. The required swizzle moves the halves to separate units. */
static void put_halves(tmap_sink *sink, const tmap_copy *copy, const tmap_place *place) {
    uint32_t second = tmap_second_unit(copy, place);
    tmap_printf(sink, ", units %" PRIu32 " and %" PRIu32 ", banks %" PRIu32 "-%" PRIu32 " and %" PRIu32 "-%" PRIu32,
                place->unit, second, place->bank, place->bank + TMAP_UNIT_BANKS - 1, second * TMAP_UNIT_BANKS,
                (second + 1) * TMAP_UNIT_BANKS - 1);
}

static void put_unit(tmap_sink *sink, const tmap_place *place, uint32_t last_bank) {
    tmap_printf(sink, ", unit %" PRIu32, place->unit);
    if (last_bank > place->bank)
        tmap_printf(sink, ", banks %" PRIu32 "-%" PRIu32, place->bank, last_bank);
    else
        tmap_printf(sink, ", bank %" PRIu32, place->bank);
}

static void put_banks(tmap_sink *sink, const tmap_copy *copy, const tmap_place *place, uint32_t index) {
    uint64_t first_line = copy->params.shared / TMAP_LINE_B;
    uint32_t before, bits = element_bits(copy, index, &before), in_bank = (uint32_t)(place->shared % 4) * 8 + before;
    tmap_printf(sink, "  place    line 0x%04" PRIx64 " (%" PRIu64 " of the box)", place->line * TMAP_LINE_B,
                place->line - first_line);
    if (copy->unit.shared_B > TMAP_UNIT_B)
        put_halves(sink, copy, place);
    else
        put_unit(sink, place, place->bank + (in_bank + bits - 1) / 32);
    tmap_printf(sink, ", byte %" PRIu64 " of the line", place->shared % TMAP_LINE_B);
    if (bits % 8 != 0) tmap_printf(sink, ", %" PRIu32 " bits from bit %" PRIu32, bits, before);
    tmap_puts(sink, "\n");
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
    tmap_puts(sink, tmap_view_is_halo(copy, view->element[1]) ? ", of the halo\n" : "\n");
    put_global(sink, copy, view, &place);
    tmap_printf(sink, "  packed   offset 0x%" PRIx64 " (%" PRIu64 ") in the box: row %" PRIu64 ", byte %" PRIu64 "\n",
                place.box_B, place.box_B, place.box_B / copy->pitch_B, place.box_B % copy->pitch_B);
    put_shared(sink, copy, &place);
    put_banks(sink, copy, &place, view->element[0]);
}
