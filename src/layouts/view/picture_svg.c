/* view: a layout's picture as a standalone SVG. The size follows the content. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "view/picture.h"
#include "view/svg_parts.h"

/* In pixels; a character of the monospaced font is at most CHAR wide. */
enum {
    MARGIN = 20,
    CHAR = 8,
    CELL_HEIGHT = 26,
    CELL_WIDTH_MIN = 30,
    HEAD = 30, /* height above a table for the numbers of its columns */
    HEADING = 24,
    LEGEND_ROW = 24,
    NOTE_HEIGHT = 34,
    SWATCHES = 8, /* in a row */
    SWATCH_WIDTH_MIN = 52,
    SWATCH_HEIGHT = 20,
};

typedef struct svg {
    tmap_sink *sink;
    tmap_drawn drawn;
    int left, cell_width, swatch_width, width, height, y;
    const char *title;
} svg;

static int largest(int a, int b) {
    return a > b ? a : b;
}

/* The height of a table; its notes widen the picture. */
static int table_height(svg *s, int64_t batch) {
    tmap_folds folds;
    char note[TMAP_PICTURE_TEXT];
    tmap_drawn_folds(&s->drawn, batch, &folds);
    int64_t rows = s->drawn.end_row - s->drawn.first_row;
    for (int i = 0; i < folds.n; i++) {
        rows -= folds.at[i].end - folds.at[i].first;
        int width = (int)strlen(tmap_drawn_fold(&s->drawn, &folds.at[i], note)) * CHAR;
        s->width = largest(s->width, s->left + width + MARGIN);
    }
    return (int)rows * CELL_HEIGHT + folds.n * NOTE_HEIGHT + HEAD + (s->drawn.outer_rank > 0 ? HEADING : 0);
}

static int swatch_width(const tmap_drawn *d) {
    char text[TMAP_PICTURE_TEXT];
    int width = SWATCH_WIDTH_MIN;
    for (int i = 0; i < d->hues_n; i++)
        width = largest(width, ((int)strlen(tmap_drawn_hue_name(d, i, text)) + 1) * CHAR);
    return width;
}

static void measure(svg *s) {
    char text[TMAP_PICTURE_TEXT];
    const tmap_drawn *d = &s->drawn;
    int label = snprintf(NULL, 0, "%" PRId64, d->rows - 1) * CHAR;
    s->title = d->picture->title ? d->picture->title : "layout";
    s->left = MARGIN + label + CHAR;
    s->cell_width = largest((d->cell_width + 2) * CHAR, CELL_WIDTH_MIN);
    int table = s->left + (int)d->columns * s->cell_width, title = MARGIN + (int)strlen(s->title) * TMAP_TITLE_CHAR;
    s->swatch_width = swatch_width(d);
    int legend = MARGIN + SWATCHES * s->swatch_width, legend_rows = (d->hues_n + SWATCHES - 1) / SWATCHES;
    int note = MARGIN + (int)strlen(tmap_drawn_colors_legend(d, text)) * CHAR;
    note = largest(note, MARGIN + (int)strlen(tmap_drawn_cells_legend(d, text)) * CHAR);
    s->width = largest(largest(table, title), largest(legend, note)) + MARGIN;
    s->height = 64 + (2 + legend_rows) * LEGEND_ROW + MARGIN;
    for (int64_t batch = 0; batch < d->batches; batch++) s->height += table_height(s, batch);
}

static void put_cell(const svg *s, int64_t cell, int column) {
    char text[TMAP_PICTURE_TEXT], class_[TMAP_HUE_CLASS];
    int hue = tmap_drawn_hue(&s->drawn, cell), x = s->left + column * s->cell_width;
    tmap_svg_rect(s->sink, tmap_svg_hue(hue, class_), x, s->y, s->cell_width, CELL_HEIGHT);
    tmap_svg_text(s->sink, hue < 0 ? "cell gap" : "cell", x + s->cell_width / 2, s->y + 18,
                  tmap_drawn_cell(&s->drawn, cell, text));
}

static void put_table(svg *s, int64_t batch) {
    const tmap_drawn *d = &s->drawn;
    char text[TMAP_PICTURE_TEXT];
    if (d->outer_rank > 0) {
        s->y += HEADING;
        tmap_svg_text(s->sink, "note", s->left, s->y - 6, tmap_drawn_batch(d, batch, text));
    }
    s->y += HEAD;
    for (int64_t c = 0; c < d->columns; c++) {
        snprintf(text, sizeof text, "%" PRId64, tmap_drawn_column(d, c));
        tmap_svg_text(s->sink, "head", s->left + (int)c * s->cell_width + s->cell_width / 2, s->y - 8, text);
    }
    tmap_folds folds;
    tmap_drawn_folds(d, batch, &folds);
    for (int64_t r = d->first_row; r < d->end_row; r++) {
        const tmap_fold *fold = tmap_fold_at(&folds, (uint32_t)r);
        if (fold) {
            tmap_svg_text(s->sink, "note", s->left, s->y + 21, tmap_drawn_fold(d, fold, text));
            s->y += NOTE_HEIGHT;
            r = fold->end;
        }
        snprintf(text, sizeof text, "%" PRId64, r);
        tmap_svg_text(s->sink, "address", s->left - CHAR, s->y + 18, text);
        for (int64_t c = 0; c < d->columns; c++) put_cell(s, (batch * d->rows + r) * d->columns + c, (int)c);
        s->y += CELL_HEIGHT;
    }
}

static void put_legend(svg *s) {
    char text[TMAP_PICTURE_TEXT], class_[TMAP_HUE_CLASS];
    s->y += LEGEND_ROW;
    tmap_svg_text(s->sink, "note", MARGIN, s->y + 14, tmap_drawn_colors_legend(&s->drawn, text));
    for (int i = 0; i < s->drawn.hues_n; i++) {
        int x = MARGIN + i % SWATCHES * s->swatch_width;
        if (i % SWATCHES == 0) s->y += LEGEND_ROW;
        tmap_svg_rect(s->sink, tmap_svg_hue(i, class_), x, s->y, s->swatch_width, SWATCH_HEIGHT);
        tmap_svg_text(s->sink, "cell", x + s->swatch_width / 2, s->y + 15, tmap_drawn_hue_name(&s->drawn, i, text));
    }
}

tmap_status tmap_picture_svg(tmap_sink *sink, const tmap_layout *layout, const tmap_picture *picture,
                             tmap_diag *error) {
    svg s = {.sink = sink, .y = 64};
    char text[TMAP_PICTURE_TEXT];
    tmap_status status = tmap_drawn_begin(&s.drawn, layout, picture, error);
    if (status != TMAP_OK) return status;
    measure(&s);
    tmap_svg_begin(sink, s.width, s.height, s.title,
                   s.drawn.owners_n > TMAP_FEW_HUES_N ? TMAP_HUES_N : TMAP_FEW_HUES_N);
    tmap_svg_text(sink, "title", MARGIN, 34, s.title);
    tmap_svg_text(sink, "note", MARGIN, 56, tmap_drawn_cells_legend(&s.drawn, text));
    for (int64_t batch = 0; batch < s.drawn.batches; batch++) put_table(&s, batch);
    put_legend(&s);
    tmap_puts(sink, "</svg>\n");
    return TMAP_OK;
}
