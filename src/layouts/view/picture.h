/* view: the model of a layout's picture: its tables, and the text and hue of each cell. Text and SVG render the
 * model. */
#pragma once

#include "tmap/unstable/picture.h"
#include "view/fold.h"
#include "view/hues.h"

typedef struct tmap_drawn {
    const tmap_layout *layout;
    const tmap_picture *picture;
    int64_t batches, rows, columns, copies;
    int64_t first_row, end_row;             /* the rows of each table that are drawn */
    int64_t shape_columns;                  /* of the last dimension of the elements' shape */
    int outer_rank;                         /* dimensions before rows and columns */
    int64_t outer[TMAP_PICTURE_RANK_MAX];   /* extents of these dimensions */
    int32_t owners[TMAP_PICTURE_CELLS_MAX]; /* of a picture of memory: the element at every place, or -1 */
    tmap_picture_color color_by;            /* AUTO only for the first axis, and for memory */
    int cell_width;                         /* of the longest text, in characters */
    int64_t owners_n;                       /* number of owners, if colours mean owners */
    uint8_t hues[TMAP_PICTURE_CELLS_MAX];   /* of every cell, by its owner */
    int32_t first_of[TMAP_HUES_N];          /* the first element with each hue */
    int hues_n;                             /* hues that have a name; 0: more owners than hues */
} tmap_drawn;

/* Chooses a shape of two dimensions for a picture without a shape. */
void tmap_picture_choose_shape(const tmap_layout *layout, tmap_picture *picture);
tmap_status tmap_drawn_begin(tmap_drawn *drawn, const tmap_layout *layout, const tmap_picture *picture,
                             tmap_diag *error);
/* Writes the text of a cell. A picture consists of tables of rows and columns of cells. A cell is an element, or in a
 * picture of memory a place. `cell` numbers the cells row-major, here and below. Returns `text`. */
char *tmap_drawn_cell(const tmap_drawn *drawn, int64_t cell, char text[TMAP_PICTURE_TEXT]);
/* Assigns hues to the first `n` elements, in rows of `columns`: by their owners, or if the layout has no owners by the
 * first axis. Returns the number of owners. `n` is at most TMAP_PICTURE_CELLS_MAX. */
int64_t tmap_owner_hues(const tmap_layout *layout, int64_t n, int64_t columns, uint8_t *hues);
/* 0 to TMAP_HUES_N - 1; -1 for a cell without an element, or without a lane of the access. */
int tmap_drawn_hue(const tmap_drawn *drawn, int64_t cell);
/* The number above a column: of the column, or of its bank. */
int64_t tmap_drawn_column(const tmap_drawn *drawn, int64_t column);
/* Finds the folds of a table's rows. */
void tmap_drawn_folds(const tmap_drawn *drawn, int64_t batch, tmap_folds *folds);
/* Writes the note for folded rows. Returns `text`. */
char *tmap_drawn_fold(const tmap_drawn *drawn, const tmap_fold *fold, char text[TMAP_PICTURE_TEXT]);
/* Writes the index of a table in the outer dimensions: "2,0,*,*". Returns `text`. */
char *tmap_drawn_batch(const tmap_drawn *drawn, int64_t batch, char text[TMAP_PICTURE_TEXT]);
/* Write the meaning of cells, "a cell shows laneid: m", and the meaning of colours. Return `text`. */
char *tmap_drawn_cells_legend(const tmap_drawn *drawn, char text[TMAP_PICTURE_TEXT]);
char *tmap_drawn_colors_legend(const tmap_drawn *drawn, char text[TMAP_PICTURE_TEXT]);
/* Writes the meaning of one of the `hues_n` hues: "4-7". Returns `text`. */
char *tmap_drawn_hue_name(const tmap_drawn *drawn, int hue, char text[TMAP_PICTURE_TEXT]);
