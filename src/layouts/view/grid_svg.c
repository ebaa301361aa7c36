/* view: the grid as a standalone SVG picture. The picture fetches nothing, its fonts are generic, and its size follows
 * the content. */
#include "view/hues.h"
#include "view/notation.h"
#include "view/svg_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The largest number of drawn lines, without folded lines; the picture states that further lines are left out. */
enum { LINES_MAX = 256 };

/* In pixels. A character of the monospaced font of cells is at most CHAR wide. */
enum {
    MARGIN = 20,
    CHAR = 8,
    CELL_WIDTH_MIN = 80,
    CELL_HEIGHT = 26,
    HEAD = 116,
    HEADING_HEIGHT = 30,
    PERIOD_GAP = 6,
    NOTE_HEIGHT = 34,
    LEGEND_ROW = 22,
    SWATCH = 14,
    LEGEND_WIDTH = 8 * (SWATCH + 4), /* of the eight hues */
    LEGEND_GAP = 12,
};

/* If cells need more characters than this, coordinates move to the left of the line. */
enum { ROOM = TMAP_UNITS * 11 + 12 };

typedef struct legend_row {
    const char *swatch; /* the class of a rectangle; NULL: none */
    char sample[TMAP_COORDINATE_TEXT], text[2 * TMAP_COORDINATE_TEXT];
} legend_row;

enum { LEGEND_ROWS_MAX = 9 };

typedef struct svg_grid {
    tmap_sink *sink;
    const tmap_copy *copy;
    const tmap_view *view;
    tmap_line_grid grid;
    tmap_window window;
    tmap_notation notation;
    bool has_mark;
    tmap_place mark;
    tmap_folds folds;
    char subject[TMAP_SUBJECT_TEXT], situation[TMAP_SUBJECT_TEXT];
    legend_row legend[LEGEND_ROWS_MAX]; /* row 1 has the hues */
    int legend_n;
    int left, cell_width, width, height;
    int y; /* of the next drawn part */
} svg_grid;

/* ---- The legend ---- */

static bool is_shuffled(const svg_grid *d) {
    return d->copy->map.swizzle->taps_n > 0;
}

static void TMAP_PRINTF(4, 5) add_legend(svg_grid *d, const char *swatch, const char *sample, const char *format, ...) {
    legend_row *row = &d->legend[d->legend_n++];
    va_list arguments;
    row->swatch = swatch;
    snprintf(row->sample, sizeof row->sample, "%s", sample);
    va_start(arguments, format);
    vsnprintf(row->text, sizeof row->text, format, arguments);
    va_end(arguments);
}

static void collect_legend(svg_grid *d) {
    const tmap_notation *n = &d->notation;
    char axes[TMAP_COORDINATE_TEXT], text[TMAP_COORDINATE_TEXT];
    tmap_axes_text(d->view, 0, n->cell_dims, axes);
    /* The text names the axes, too. */
    const char *sample = strlen(axes) * CHAR <= LEGEND_WIDTH ? axes : "";
    add_legend(d, NULL, sample, "a cell is 16 bytes and shows %s", tmap_legend_text(n, d->view, text));
    add_legend(d, NULL, "", "colour: the unit of the cell%s", is_shuffled(d) ? " without the swizzle" : "");
    if (n->has_fill) add_legend(d, "fill", "", "in brackets: outside the tensor, %s", tmap_fill_text(d->copy));
    if (n->has_second) add_legend(d, NULL, "'", "the second 16 bytes of the element");
    if (tmap_packing_text(d->copy, text)[0] != '\0') add_legend(d, NULL, "", "%s", text);
    if (n->has_mixed) add_legend(d, NULL, "~", "other elements of the cell are outside the tensor");
    if (n->has_halo) add_legend(d, NULL, "+", "a pixel of the halo");
    if (n->has_gap) add_legend(d, "none", "--", "not touched by this copy");
    if (d->has_mark)
        add_legend(d, "mark", "", "%s: address 0x%04" PRIx64 ", unit %" PRIu32 ", bank %" PRIu32,
                   tmap_named_text(d->view, d->mark.at, 0, n->rank, text), d->mark.shared, d->mark.unit, d->mark.bank);
}

static void put_hues(svg_grid *d) {
    for (int unit = 0; unit < TMAP_UNITS; unit++) {
        char hue[TMAP_HUE_CLASS];
        tmap_svg_rect(d->sink, tmap_svg_hue(unit, hue), d->left + unit * (SWATCH + 4), d->y - SWATCH + 2, SWATCH + 4,
                      SWATCH);
    }
}

static void put_legend(svg_grid *d) {
    d->y += MARGIN;
    for (int i = 0; i < d->legend_n; i++) {
        const legend_row *row = &d->legend[i];
        d->y += LEGEND_ROW;
        if (i == 1) put_hues(d);
        if (row->swatch) tmap_svg_rect(d->sink, row->swatch, d->left, d->y - SWATCH + 2, LEGEND_WIDTH, SWATCH);
        if (row->sample[0]) tmap_svg_text(d->sink, "cell", d->left + LEGEND_WIDTH / 2, d->y, row->sample);
        tmap_svg_text(d->sink, "note", d->left + LEGEND_WIDTH + LEGEND_GAP, d->y, row->text);
    }
}

/* ---- Sizes ---- */

static bool leaves_out(const svg_grid *d) {
    return d->window.end - d->window.first < d->grid.lines_n;
}

static bool begins_period(const svg_grid *d, uint32_t line) {
    uint32_t period_B = tmap_swizzle_period_B(d->copy->map.swizzle);
    uint64_t address = d->grid.address + (uint64_t)line * TMAP_LINE_B;
    return period_B > 0 && address % period_B == 0 && line > d->window.first;
}

/* The space above a line: for the heading of its plane, or a gap if the swizzle's pattern starts again. */
static int space_above(const svg_grid *d, uint32_t line, bool heading) {
    if (heading) return HEADING_HEIGHT;
    return begins_period(d, line) ? PERIOD_GAP : 0;
}

static int lines_height(svg_grid *d) {
    int height = leaves_out(d) ? LEGEND_ROW : 0;
    tmap_plane plane = {.begun = false};
    for (uint32_t line = d->window.first; line < d->window.end; line++) {
        const tmap_fold *fold = tmap_fold_at(&d->folds, line);
        if (fold) {
            height += NOTE_HEIGHT;
            line = fold->end;
        }
        const tmap_cell *sample = tmap_line_sample(tmap_grid_line(&d->grid, line));
        height += space_above(d, line, tmap_plane_begins(&plane, &d->notation, sample)) + CELL_HEIGHT;
    }
    return height;
}

static int largest(int a, int b, int c) {
    int ab = a > b ? a : b;
    return ab > c ? ab : c;
}

/* The width of the copied bytes of a container, from the left; the gap of the container is on the right. */
static int covered_width(const svg_grid *d) {
    const tmap_unit *unit = &d->copy->unit;
    return unit->pitch_B == TMAP_UNIT_B ? d->cell_width * (int)unit->shared_B / TMAP_UNIT_B : d->cell_width;
}

/* The width of a cell, so that the copied bytes are as wide as the text. */
static int cell_width(const svg_grid *d) {
    const tmap_unit *unit = &d->copy->unit;
    int text = (d->notation.cell_width + 2) * CHAR;
    if (unit->pitch_B == TMAP_UNIT_B) text = text * TMAP_UNIT_B / (int)unit->shared_B;
    return text > CELL_WIDTH_MIN ? text : CELL_WIDTH_MIN;
}

static int legend_width(const svg_grid *d) {
    size_t longest = 0;
    for (int i = 0; i < d->legend_n; i++)
        if (strlen(d->legend[i].text) > longest) longest = strlen(d->legend[i].text);
    return d->left + LEGEND_WIDTH + LEGEND_GAP + (int)longest * CHAR;
}

static int notes_width(const svg_grid *d) {
    char note[TMAP_PICTURE_TEXT];
    size_t longest = 0;
    for (int i = 0; i < d->folds.n; i++) {
        size_t length = strlen(tmap_fold_note(&d->folds.at[i], &d->notation, d->view, note));
        if (length > longest) longest = length;
    }
    return d->left + (int)longest * CHAR;
}

static void measure(svg_grid *d) {
    int label = d->notation.label_width > 0 ? (d->notation.label_width + 2) * CHAR : 0;
    d->left = MARGIN + 8 * CHAR + label;
    d->cell_width = cell_width(d);
    int table = d->left + TMAP_UNITS * d->cell_width;
    int subject = MARGIN + (int)strlen(d->subject) * TMAP_TITLE_CHAR,
        situation = MARGIN + (int)strlen(d->situation) * CHAR;
    d->width = largest(largest(table, legend_width(d), notes_width(d)), subject, situation) + MARGIN;
    d->height = HEAD + lines_height(d) + d->legend_n * LEGEND_ROW + 2 * MARGIN;
}

static void begin(svg_grid *d, tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) {
    d->sink = sink;
    d->copy = copy;
    d->view = view;
    tmap_grid_begin(&d->grid, copy);
    d->window = tmap_grid_window(&d->grid, view);
    d->has_mark = tmap_view_marked(copy, view, &d->mark);
    d->notation = tmap_notation_choose(&d->grid, d->window, view, ROOM, true);
    if (view->lines_n == 0)
        tmap_line_folds(&d->folds, &d->grid, d->window, &d->notation, d->has_mark ? &d->mark : NULL);
    d->window.end = tmap_folds_cut(&d->folds, d->window.first, d->window.end, LINES_MAX);
    tmap_subject_text(copy, view, d->subject);
    tmap_situation_text(copy, view, d->situation);
    d->legend_n = 0;
    collect_legend(d);
    measure(d);
    d->y = HEAD;
}

/* ---- Parts of the picture ---- */

static void put_head(const svg_grid *d) {
    tmap_svg_begin(d->sink, d->width, d->height, d->subject, TMAP_FEW_HUES_N);
    tmap_svg_text(d->sink, "title", MARGIN, 34, d->subject);
    tmap_svg_text(d->sink, "note", MARGIN, 56, d->situation);
}

static void put_axes(const svg_grid *d) {
    char text[TMAP_COORDINATE_TEXT];
    tmap_svg_text(d->sink, "address", MARGIN + 7 * CHAR, HEAD - 28, "unit");
    tmap_svg_text(d->sink, "address", MARGIN + 7 * CHAR, HEAD - 10, "banks");
    if (d->notation.label_width > 0) {
        tmap_svg_text(d->sink, "label", d->left - CHAR, HEAD - 10, tmap_label_head(&d->notation, d->view, text));
    }
    for (int unit = 0; unit < TMAP_UNITS; unit++) {
        int middle = d->left + unit * d->cell_width + d->cell_width / 2;
        snprintf(text, sizeof text, "%d", unit);
        tmap_svg_text(d->sink, "head", middle, HEAD - 28, text);
        snprintf(text, sizeof text, "%d-%d", unit * TMAP_UNIT_BANKS, (unit + 1) * TMAP_UNIT_BANKS - 1);
        tmap_svg_text(d->sink, "head", middle, HEAD - 10, text);
    }
}

static void put_cell(const svg_grid *d, const tmap_cell *cell, int unit, bool marked) {
    char text[TMAP_COORDINATE_TEXT], hue[TMAP_HUE_CLASS];
    bool data = cell->kind == TMAP_CELL_DATA, fill = cell->kind == TMAP_CELL_FILL;
    int x = d->left + unit * d->cell_width, width = data || fill ? covered_width(d) : 0;
    if (width < d->cell_width) tmap_svg_rect(d->sink, "none", x, d->y, d->cell_width, CELL_HEIGHT);
    if (width > 0) tmap_svg_rect(d->sink, data ? tmap_svg_hue(cell->home, hue) : "fill", x, d->y, width, CELL_HEIGHT);
    const char *class_ = marked ? "cell marked" : data ? "cell" : fill ? "cell out" : "cell gap";
    tmap_svg_text(d->sink, class_, x + (width > 0 ? width : d->cell_width) / 2, d->y + 18,
                  tmap_cell_text(&d->notation, cell, text));
}

static void put_line(svg_grid *d, const tmap_cell *cells, uint32_t line) {
    char text[TMAP_COORDINATE_TEXT];
    uint64_t address = d->grid.address + (uint64_t)line * TMAP_LINE_B;
    snprintf(text, sizeof text, "0x%04" PRIx64, address);
    tmap_svg_text(d->sink, "address", MARGIN + 7 * CHAR, d->y + 18, text);
    if (d->notation.label_width > 0)
        tmap_svg_text(d->sink, "label", d->left - CHAR, d->y + 18,
                      tmap_label_text(&d->notation, tmap_line_sample(cells), text));
    int marked = d->has_mark && d->mark.line == address / TMAP_LINE_B ? (int)d->mark.unit : -1;
    for (int unit = 0; unit < TMAP_UNITS; unit++) put_cell(d, &cells[unit], unit, unit == marked);
    if (marked >= 0)
        tmap_svg_rect(d->sink, "mark", d->left + marked * d->cell_width + 1, d->y + 1, d->cell_width - 2,
                      CELL_HEIGHT - 2);
    d->y += CELL_HEIGHT;
}

static void put_heading(const svg_grid *d, const tmap_cell *sample) {
    char text[TMAP_COORDINATE_TEXT];
    tmap_svg_text(d->sink, "plane", d->left, d->y - 9,
                  tmap_named_text(d->view, sample->at, d->notation.line_dims, d->notation.rank, text));
}

static void put_lines(svg_grid *d) {
    tmap_plane plane = {.begun = false};
    char note[TMAP_PICTURE_TEXT];
    for (uint32_t line = d->window.first; line < d->window.end; line++) {
        const tmap_fold *fold = tmap_fold_at(&d->folds, line);
        if (fold) {
            tmap_svg_text(d->sink, "note", d->left, d->y + 21, tmap_fold_note(fold, &d->notation, d->view, note));
            d->y += NOTE_HEIGHT;
            line = fold->end;
        }
        const tmap_cell *cells = tmap_grid_line(&d->grid, line), *sample = tmap_line_sample(cells);
        bool heading = tmap_plane_begins(&plane, &d->notation, sample);
        d->y += space_above(d, line, heading);
        if (heading) put_heading(d, sample);
        put_line(d, cells, line);
    }
}

static void put_left_out(svg_grid *d) {
    if (!leaves_out(d)) return;
    char text[TMAP_COORDINATE_TEXT];
    snprintf(text, sizeof text, "lines %" PRIu32 "-%" PRIu32 " of 0-%" PRIu32 " are drawn", d->window.first,
             d->window.end - 1, d->grid.lines_n - 1);
    d->y += LEGEND_ROW;
    tmap_svg_text(d->sink, "note", d->left, d->y - 4, text);
}

void tmap_view_svg(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) {
    svg_grid d = {.folds.n = 0};
    begin(&d, sink, copy, view);
    put_head(&d);
    put_axes(&d);
    put_lines(&d);
    put_left_out(&d);
    put_legend(&d);
    tmap_puts(sink, "</svg>\n");
}
