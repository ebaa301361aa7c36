/* view: the grid as text for a terminal of 80 columns or more. */
#include "text/print.h"
#include "text/quote.h"
#include "view/hues.h"
#include "view/notation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OUTSIDE "\033[48;5;254;38;5;240m"
#define FAINT   "\033[2m"
#define MARKED  "\033[1;7m"

typedef struct text_grid {
    tmap_sink *sink;
    const tmap_copy *copy;
    const tmap_view *view;
    tmap_line_grid grid;
    tmap_window window;
    tmap_notation notation;
    int address_width; /* of "0x0400", or of the word above it */
    bool has_mark;
    tmap_place mark;
    tmap_folds folds;
} text_grid;

static int address_width(const tmap_line_grid *grid) {
    return snprintf(NULL, 0, "0x%04" PRIx64, grid->address + (uint64_t)grid->lines_n * TMAP_LINE_B);
}

static void begin(text_grid *p, tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) {
    p->sink = sink;
    p->copy = copy;
    p->view = view;
    tmap_grid_begin(&p->grid, copy);
    p->window = tmap_grid_window(&p->grid, view);
    p->address_width = address_width(&p->grid);
    int columns = view->columns > 0 ? view->columns : 80;
    p->notation = tmap_notation_choose(&p->grid, p->window, view, columns - p->address_width, false);
    p->has_mark = tmap_view_marked(copy, view, &p->mark);
    if (view->lines_n == 0)
        tmap_line_folds(&p->folds, &p->grid, p->window, &p->notation, p->has_mark ? &p->mark : NULL);
}

/* Writes the text left of a line: its address, and the coordinates that are constant in the line. */
static void put_left(const text_grid *p, const char *address, const char *label) {
    tmap_printf(p->sink, "%-*s", p->address_width, address);
    if (p->notation.label_width > 0) tmap_printf(p->sink, "  %*s", p->notation.label_width, label);
}

static void put_heads(const text_grid *p) {
    char label[TMAP_COORDINATE_TEXT];
    tmap_label_head(&p->notation, p->view, label);
    put_left(p, "unit", "");
    for (int unit = 0; unit < TMAP_UNITS; unit++) tmap_printf(p->sink, "  %*d", p->notation.cell_width, unit);
    tmap_puts(p->sink, "\n");
    put_left(p, "banks", label);
    for (int unit = 0; unit < TMAP_UNITS; unit++) {
        char banks[16];
        snprintf(banks, sizeof banks, "%d-%d", unit * TMAP_UNIT_BANKS, (unit + 1) * TMAP_UNIT_BANKS - 1);
        tmap_printf(p->sink, "  %*s", p->notation.cell_width, banks);
    }
    tmap_puts(p->sink, "\n");
}

static void put_legend(const text_grid *p) {
    char numbers[TMAP_COORDINATE_TEXT];
    tmap_puts(p->sink, "a cell is 16 B and shows ");
    tmap_put_visible(p->sink, tmap_legend_text(&p->notation, p->view, numbers));
    tmap_puts(p->sink, "\n");
    if (p->view->color) tmap_puts(p->sink, "a colour is the unit of a cell without the swizzle\n");
    if (p->notation.has_fill)
        tmap_printf(p->sink, "%s: outside the tensor, %s\n", tmap_outside_text(&p->notation), tmap_fill_text(p->copy));
    if (p->notation.has_second) tmap_puts(p->sink, "': the second 16 bytes of the element\n");
    if (p->notation.has_mixed) tmap_puts(p->sink, "~: other elements of the cell are outside the tensor\n");
    if (p->notation.has_halo) tmap_puts(p->sink, "+: a pixel of the halo\n");
    if (tmap_packing_text(p->copy, numbers)[0] != '\0') tmap_printf(p->sink, "%s\n", numbers);
    if (p->notation.has_gap) tmap_puts(p->sink, "--: not touched by this copy\n");
    tmap_puts(p->sink, "\n");
}

static void put_colored_cell(const text_grid *p, const tmap_cell *cell, const char *text, bool marked) {
    if (cell->kind == TMAP_CELL_DATA)
        tmap_printf(p->sink, "\033[48;5;%dm" TMAP_DARK_TEXT, tmap_hues[cell->home]);
    else
        tmap_puts(p->sink, cell->kind == TMAP_CELL_FILL ? OUTSIDE : FAINT);
    tmap_printf(p->sink, "%s %*s " TMAP_PLAIN, marked ? MARKED : "", p->notation.cell_width, text);
}

static void put_colored_cells(const text_grid *p, const tmap_cell *cells, int marked) {
    char text[TMAP_COORDINATE_TEXT];
    tmap_puts(p->sink, " ");
    for (int unit = 0; unit < TMAP_UNITS; unit++)
        put_colored_cell(p, &cells[unit], tmap_cell_text(&p->notation, &cells[unit], text), unit == marked);
}

/* Writes the marked cell in brackets: "[3,16]". */
static void put_plain_cells(const text_grid *p, const tmap_cell *cells, int marked) {
    char text[TMAP_COORDINATE_TEXT], bracketed[TMAP_COORDINATE_TEXT + 1];
    for (int unit = 0; unit < TMAP_UNITS; unit++) {
        tmap_cell_text(&p->notation, &cells[unit], text);
        snprintf(bracketed, sizeof bracketed, "%s%s", unit == marked ? "[" : "", text);
        const char *before = unit > 0 && unit == marked + 1 && marked >= 0 ? "]" : " ";
        tmap_printf(p->sink, "%s%*s", before, p->notation.cell_width + 1, bracketed);
    }
    if (marked == TMAP_UNITS - 1) tmap_puts(p->sink, "]");
}

static void put_plane_heading(const text_grid *p, const tmap_cell *sample) {
    char text[TMAP_COORDINATE_TEXT];
    tmap_puts(p->sink, "\n");
    tmap_put_visible(p->sink, tmap_named_text(p->view, sample->at, p->notation.line_dims, p->notation.rank, text));
    tmap_puts(p->sink, ":\n");
}

static void put_line(const text_grid *p, const tmap_cell *cells, uint32_t line) {
    char address[24], label[TMAP_COORDINATE_TEXT];
    uint64_t at = p->grid.address + (uint64_t)line * TMAP_LINE_B;
    snprintf(address, sizeof address, "0x%04" PRIx64, at);
    put_left(p, address, tmap_label_text(&p->notation, tmap_line_sample(cells), label));
    int marked = p->has_mark && p->mark.line == at / TMAP_LINE_B ? (int)p->mark.unit : -1;
    if (p->view->color)
        put_colored_cells(p, cells, marked);
    else
        put_plain_cells(p, cells, marked);
    tmap_puts(p->sink, "\n");
}

static void put_lines(text_grid *p) {
    tmap_plane plane = {.begun = false};
    char note[TMAP_PICTURE_TEXT];
    for (uint32_t line = p->window.first; line < p->window.end; line++) {
        const tmap_fold *fold = tmap_fold_at(&p->folds, line);
        if (fold) {
            tmap_puts(p->sink, "... ");
            tmap_put_visible(p->sink, tmap_fold_note(fold, &p->notation, p->view, note));
            tmap_puts(p->sink, "\n");
            line = fold->end;
        }
        const tmap_cell *cells = tmap_grid_line(&p->grid, line), *sample = tmap_line_sample(cells);
        if (tmap_plane_begins(&plane, &p->notation, sample)) put_plane_heading(p, sample);
        put_line(p, cells, line);
    }
}

/* Reports that lines first .. end-1 are not in the window. */
static void put_left_out(const text_grid *p, uint32_t first, uint32_t end, const char *where) {
    if (first >= end) return;
    tmap_printf(p->sink, "... %" PRIu32 " %s line%s; --lines %" PRIu32 "-%" PRIu32 " shows them\n", end - first, where,
                end - first == 1 ? "" : "s", first, end - 1);
}

void tmap_view_text(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) {
    text_grid p = {.folds.n = 0};
    begin(&p, sink, copy, view);
    tmap_put_heading(sink, copy, view);
    put_legend(&p);
    put_heads(&p);
    put_left_out(&p, 0, p.window.first, "earlier");
    put_lines(&p);
    put_left_out(&p, p.window.end, p.grid.lines_n, "more");
}
