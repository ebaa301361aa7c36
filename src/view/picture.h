/* view: the model of a layout's picture, which text and SVG render: its tables, the text of a cell and its hue. */
#pragma once

#include "tmap/unstable/picture.h"
#include "view/hues.h"

enum { TMAP_PICTURE_TEXT = 160, TMAP_PICTURE_LEGEND = 2 };

typedef struct tmap_drawn {
    const tmap_layout *layout;
    const tmap_picture *picture;
    int64_t batches, rows, columns, copies;
    int64_t shape_columns;                  /* of the last dimension of the elements' shape */
    int outer_rank;                         /* dimensions before rows and columns */
    int64_t outer[TMAP_PICTURE_RANK_MAX];   /* their extents */
    int32_t owners[TMAP_PICTURE_CELLS_MAX]; /* of a picture of memory: the element at every place, or -1 */
    tmap_picture_color color_by;            /* never AUTO unless it is the first axis, or memory */
    int cell_width;                         /* of the longest text, in characters */
    int64_t owners_n;                       /* of a colouring by owners */
    uint8_t hues[TMAP_PICTURE_CELLS_MAX];   /* of every cell, by its owner */
    int32_t first_of[TMAP_HUES_N];          /* the first element that has a hue */
    int hues_n;                             /* hues that have a name; 0: more owners than hues */
} tmap_drawn;

/* Gives a picture without one a shape of two dimensions. */
void tmap_picture_choose_shape(const tmap_layout *layout, tmap_picture *picture);
tmap_status tmap_drawn_begin(tmap_drawn *drawn, const tmap_layout *layout, const tmap_picture *picture,
                             tmap_diag *error);
/* Tables, rows and columns of cells; a cell is the place of an element, or of memory a place. Below, `cell` counts them
 * row-major. What one shows. Answers `text`. */
char *tmap_drawn_cell(const tmap_drawn *drawn, int64_t cell, char text[TMAP_PICTURE_TEXT]);
/* The hues of the first `n` elements, in rows of `columns`, by their owners or, where nothing owns, by the first axis;
 * returns how many owners these are. `n` is at most TMAP_PICTURE_CELLS_MAX. */
int64_t tmap_owner_hues(const tmap_layout *layout, int64_t n, int64_t columns, uint8_t *hues);
/* 0 to TMAP_HUES_N - 1; -1 where nothing lies. */
int tmap_drawn_hue(const tmap_drawn *drawn, int64_t cell);
/* What stands above a column: its number, or its bank. */
int64_t tmap_drawn_column(const tmap_drawn *drawn, int64_t column);
/* The index of a table among the outer dimensions: "2,0". Answers `text`. */
char *tmap_drawn_batch(const tmap_drawn *drawn, int64_t batch, char text[TMAP_PICTURE_TEXT]);
/* "a cell shows laneid: m", and what colours stand for. Answer `text`. */
char *tmap_drawn_cells_legend(const tmap_drawn *drawn, char text[TMAP_PICTURE_TEXT]);
char *tmap_drawn_colors_legend(const tmap_drawn *drawn, char text[TMAP_PICTURE_TEXT]);
/* What one of the `hues_n` hues means: "4-7". Answers `text`. */
char *tmap_drawn_hue_name(const tmap_drawn *drawn, int hue, char text[TMAP_PICTURE_TEXT]);
