/* view: a layout's picture as text. */
#include <inttypes.h>
#include <stdio.h>

#include "text/print.h"
#include "text/quote.h"
#include "view/picture.h"

static void put_cell(tmap_sink *sink, const tmap_drawn *drawn, int64_t cell) {
    char text[TMAP_PICTURE_TEXT];
    tmap_drawn_cell(drawn, cell, text);
    int hue = tmap_drawn_hue(drawn, cell);
    if (drawn->picture->color && hue >= 0)
        tmap_printf(sink, "\033[48;5;%dm" TMAP_DARK_TEXT " %*s " TMAP_PLAIN, tmap_hues[hue], drawn->cell_width, text);
    else
        tmap_printf(sink, drawn->picture->color ? " %*s " : "  %*s", drawn->cell_width, text);
}

static void put_table(tmap_sink *sink, const tmap_drawn *drawn, int64_t batch) {
    int label = snprintf(NULL, 0, "%" PRId64, drawn->rows - 1);
    tmap_printf(sink, "%*s", label, "");
    for (int64_t c = 0; c < drawn->columns; c++)
        tmap_printf(sink, "  %*" PRId64, drawn->cell_width, tmap_drawn_column(drawn, c));
    tmap_puts(sink, "\n");
    char note[TMAP_PICTURE_TEXT];
    tmap_folds folds;
    tmap_drawn_folds(drawn, batch, &folds);
    for (int64_t r = drawn->first_row; r < drawn->end_row; r++) {
        const tmap_fold *fold = tmap_fold_at(&folds, (uint32_t)r);
        if (fold) {
            tmap_printf(sink, "... %s\n", tmap_drawn_fold(drawn, fold, note));
            r = fold->end;
        }
        tmap_printf(sink, "%*" PRId64, label, r);
        for (int64_t c = 0; c < drawn->columns; c++)
            put_cell(sink, drawn, (batch * drawn->rows + r) * drawn->columns + c);
        tmap_puts(sink, "\n");
    }
}

enum { HUES_IN_LINE = 16 };

static void put_hues(tmap_sink *sink, const tmap_drawn *drawn) {
    char text[TMAP_PICTURE_TEXT];
    for (int hue = 0; hue < drawn->hues_n; hue++)
        tmap_printf(sink, "%s\033[48;5;%dm" TMAP_DARK_TEXT " %s " TMAP_PLAIN,
                    hue > 0 && hue % HUES_IN_LINE == 0 ? "\n" : "", tmap_hues[hue],
                    tmap_drawn_hue_name(drawn, hue, text));
    tmap_printf(sink, " %s\n", tmap_drawn_colors_legend(drawn, text));
}

tmap_status tmap_picture_text(tmap_sink *sink, const tmap_layout *layout, const tmap_picture *picture,
                              tmap_diag *error) {
    tmap_drawn drawn;
    char text[TMAP_PICTURE_TEXT];
    tmap_status status = tmap_drawn_begin(&drawn, layout, picture, error);
    if (status != TMAP_OK) return status;
    if (picture->title) {
        tmap_put_visible(sink, picture->title);
        tmap_puts(sink, "\n");
    }
    tmap_printf(sink, "%s\n", tmap_drawn_cells_legend(&drawn, text));
    if (picture->color) put_hues(sink, &drawn);
    for (int64_t batch = 0; batch < drawn.batches; batch++) {
        tmap_puts(sink, "\n");
        if (drawn.outer_rank > 0) tmap_printf(sink, "%s:\n", tmap_drawn_batch(&drawn, batch, text));
        put_table(sink, &drawn, batch);
    }
    return TMAP_OK;
}
