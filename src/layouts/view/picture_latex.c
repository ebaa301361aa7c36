/*
 * view: a layout's picture as a LaTeX document with one TikZ picture, in the form of CuTe's print_latex: one node for
 * each cell, one centimetre high, rows downwards. The document needs only the packages standalone and tikz.
 */
#include <inttypes.h>
#include <string.h>

#include "text/print.h"
#include "text/quote.h"
#include "view/picture.h"

/* In millimetres: the width of a character, and of a cell. */
enum { CHAR_MM = 2, CELL_MM = 10, ROOM_MM = 4 };

static void put_colors(tmap_sink *sink) {
    for (int hue = 0; hue < TMAP_HUES_N; hue++)
        tmap_printf(sink, "\\definecolor{h%d}{HTML}{%s}\n", hue, tmap_hue_rgb(hue));
}

static void put_cells(tmap_sink *sink, const tmap_drawn *d, int64_t batch, int64_t first_row) {
    char text[TMAP_PICTURE_TEXT];
    for (int64_t r = 0; r < d->rows; r++) {
        for (int64_t c = 0; c < d->columns; c++) {
            int64_t cell = (batch * d->rows + r) * d->columns + c;
            int hue = tmap_drawn_hue(d, cell);
            tmap_printf(sink, "\\node[cell");
            if (hue >= 0) tmap_printf(sink, ",fill=h%d", hue);
            tmap_printf(sink, "] at (%" PRId64 ",%" PRId64 ") {", first_row + r, c);
            tmap_put_as(sink, TMAP_SYNTAX_LATEX, tmap_drawn_cell(d, cell, text));
            tmap_puts(sink, "};\n");
        }
    }
}

static void put_numbers(tmap_sink *sink, const tmap_drawn *d, int64_t first_row) {
    for (int64_t r = 0; r < d->rows; r++)
        tmap_printf(sink, "\\node[number] at (%" PRId64 ",-1) {%" PRId64 "};\n", first_row + r, r);
    for (int64_t c = 0; c < d->columns; c++)
        tmap_printf(sink, "\\node[number] at (%" PRId64 ",%" PRId64 ") {%" PRId64 "};\n", first_row - 1, c,
                    tmap_drawn_column(d, c));
}

static void put_table(tmap_sink *sink, const tmap_drawn *d, int64_t batch) {
    char text[TMAP_PICTURE_TEXT];
    int64_t first_row = batch * (d->rows + 3);
    if (d->outer_rank > 0) {
        tmap_printf(sink, "\\node[note] at (%" PRId64 ",0) {", first_row - 2);
        tmap_put_as(sink, TMAP_SYNTAX_LATEX, tmap_drawn_batch(d, batch, text));
        tmap_puts(sink, "};\n");
    }
    put_cells(sink, d, batch, first_row);
    put_numbers(sink, d, first_row);
}

/* Writes the legend below the tables: the meaning of cells and colours, and one cell for each hue with a name. */
static void put_legend(tmap_sink *sink, const tmap_drawn *d) {
    char text[TMAP_PICTURE_TEXT];
    int64_t row = d->batches * (d->rows + 3) - 2;
    tmap_printf(sink, "\\node[note] at (%" PRId64 ",0) {", row);
    tmap_put_as(sink, TMAP_SYNTAX_LATEX, tmap_drawn_cells_legend(d, text));
    tmap_printf(sink, "};\n\\node[note] at (%" PRId64 ",0) {", row + 1);
    tmap_put_as(sink, TMAP_SYNTAX_LATEX, tmap_drawn_colors_legend(d, text));
    tmap_puts(sink, "};\n");
    for (int hue = 0; hue < d->hues_n; hue++) {
        tmap_printf(sink, "\\node[cell,fill=h%d] at (%" PRId64 ",%d) {", hue, row + 2 + hue / 8, hue % 8);
        tmap_put_as(sink, TMAP_SYNTAX_LATEX, tmap_drawn_hue_name(d, hue, text));
        tmap_puts(sink, "};\n");
    }
}

tmap_status tmap_picture_latex(tmap_sink *sink, const tmap_layout *layout, const tmap_picture *picture,
                               tmap_diag *error) {
    tmap_drawn drawn;
    tmap_status status = tmap_drawn_begin(&drawn, layout, picture, error);
    if (status != TMAP_OK) return status;
    int width = drawn.cell_width * CHAR_MM + ROOM_MM;
    if (width < CELL_MM) width = CELL_MM;
    tmap_puts(sink, "\\documentclass[tikz,border=4mm]{standalone}\n");
    put_colors(sink);
    tmap_printf(sink,
                "\\begin{document}\n"
                "\\begin{tikzpicture}[x={(0cm,-1cm)},y={(%d.%dcm,0cm)},font=\\ttfamily,\n"
                "  cell/.style={draw,minimum height=1cm,minimum width=%dmm,inner sep=0pt,outer sep=0pt},\n"
                "  number/.style={font=\\ttfamily\\small},note/.style={anchor=west}]\n",
                width / 10, width % 10, width);
    if (picture->title) {
        tmap_puts(sink, "\\node[note,font=\\ttfamily\\large] at (-3,0) {");
        tmap_put_as(sink, TMAP_SYNTAX_LATEX, picture->title);
        tmap_puts(sink, "};\n");
    }
    for (int64_t batch = 0; batch < drawn.batches; batch++) put_table(sink, &drawn, batch);
    put_legend(sink, &drawn);
    tmap_puts(sink, "\\end{tikzpicture}\n\\end{document}\n");
    return TMAP_OK;
}
