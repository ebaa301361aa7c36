/* view: the folds of the lines of a box. */
#include <string.h>

#include "view/fold.h"
#include "view/notation.h"

/* The grid holds a few lines at a time, so each of two compared lines has its own. */
typedef struct line_pair {
    tmap_line_grid grids[2];
    const tmap_notation *notation;
} line_pair;

static void label_cell(void *of, uint32_t row, int column, bool later, char text[TMAP_PICTURE_TEXT]) {
    line_pair *lines = of;
    const tmap_cell *cell = &tmap_grid_line(&lines->grids[later], row)[column];
    tmap_cell_key(lines->notation, cell, text);
}

void tmap_line_folds(tmap_folds *folds, const tmap_line_grid *grid, tmap_window window, const tmap_notation *notation,
                     const tmap_place *mark) {
    line_pair lines = {.notation = notation};
    tmap_picture_rows rows = {&lines, TMAP_UNITS, label_cell};
    tmap_grid_begin(&lines.grids[0], grid->copy);
    tmap_grid_begin(&lines.grids[1], grid->copy);
    uint32_t marked = mark ? (uint32_t)(mark->line - grid->address / TMAP_LINE_B) : UINT32_MAX;
    tmap_folds_find(folds, &rows, window.first, window.end, marked);
}

char *tmap_fold_note(const tmap_fold *fold, const tmap_notation *notation, const tmap_view *view,
                     char text[TMAP_PICTURE_TEXT]) {
    char names[TMAP_COORDINATE_TEXT];
    return tmap_fold_text(fold, "lines", tmap_axes_text(view, 0, notation->rank, names), text);
}
