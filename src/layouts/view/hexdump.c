/* view: a hexdump of shared memory with the coordinate of the first element of each 16-byte unit. */
#include "text/print.h"
#include "text/quote.h"
#include "view/notation.h"

#include <inttypes.h>

static void put_bytes(tmap_sink *sink, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < TMAP_UNIT_B; i++) {
        if (i == TMAP_UNIT_B / 2) tmap_puts(sink, " ");
        if (i < size)
            tmap_printf(sink, " %02x", bytes[i]);
        else
            tmap_puts(sink, "   ");
    }
}

/* The cell of a shared address; a gap outside the box. */
static tmap_cell cell_at(tmap_line_grid *grid, uint64_t address) {
    uint64_t line = (address - grid->address) / TMAP_LINE_B;
    if (line >= grid->lines_n) return (tmap_cell){.kind = TMAP_CELL_GAP};
    return tmap_grid_line(grid, (uint32_t)line)[address % TMAP_LINE_B / TMAP_UNIT_B];
}

static void put_head(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) {
    char axes[TMAP_COORDINATE_TEXT];
    int rank = (int)copy->map.params.rank;
    tmap_put_heading(sink, copy, view);
    tmap_puts(sink, "after each 16 B: ");
    tmap_put_visible(sink, tmap_axes_text(view, 0, rank, axes));
    tmap_printf(sink, " of the first element; oob: outside the tensor, %s; --: not touched%s\n\n", tmap_fill_text(copy),
                tmap_view_is_halo(copy, copy->rows_n - 1) ? "; +: of the halo" : "");
}

void tmap_view_dump(tmap_sink *sink, const tmap_copy *copy, const uint8_t *shared, size_t size, const tmap_view *view) {
    tmap_line_grid grid;
    int rank = (int)copy->map.params.rank;
    const tmap_notation notation = {.rank = rank, .line_dims = rank, .cell_dims = rank};
    tmap_grid_begin(&grid, copy);
    put_head(sink, copy, view);
    for (size_t i = 0; i < size; i += TMAP_UNIT_B) {
        uint64_t address = copy->params.shared + i;
        tmap_cell cell = cell_at(&grid, address);
        bool faint = view->color && cell.kind == TMAP_CELL_GAP;
        char text[TMAP_COORDINATE_TEXT];
        tmap_printf(sink, "%s0x%05" PRIx64 " ", faint ? "\033[2m" : "", address);
        put_bytes(sink, shared + i, size - i < TMAP_UNIT_B ? size - i : TMAP_UNIT_B);
        tmap_printf(sink, "  %s%s\n", tmap_cell_text(&notation, &cell, text), faint ? "\033[0m" : "");
    }
}
