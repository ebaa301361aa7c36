/*
 * view: the notation of coordinates in a picture: outer dimensions once, inner dimensions in every cell. The choice
 * depends on the dimensions that are constant in a line, and on the available room.
 */
#pragma once

#include "view/fold.h"
#include "view/grid.h"

enum { TMAP_COORDINATE_TEXT = 256 };

typedef struct tmap_notation {
    int rank;        /* written dimensions; outer dimensions of extent 1 are not written */
    bool in_box;     /* coordinates are too long for the room, so indices in the box are written */
    bool pixels;     /* im2col box: the number of a line's first pixel is also left of the line */
    bool outside;    /* coordinates outside the tensor are written in brackets, not as "oob" */
    int line_dims;   /* dimensions from here to the rank are above a plane */
    int cell_dims;   /* dimensions from here to line_dims are left of a line; lower ones are in the cells */
    int cell_width;  /* of the longest text of a cell, in characters */
    int label_width; /* of the longest text left of a line, including its heading; 0: no text */
    int pixel_width; /* of the longest number of a pixel */
    bool has_fill, has_gap, has_mixed, has_halo, has_second;
} tmap_notation;

/* Chooses the notation for the lines of a window. A line should have at most `room` characters, with two between cells.
 * `outside`: as the member; pixels always have coordinates in brackets. */
tmap_notation tmap_notation_choose(tmap_line_grid *grid, tmap_window window, const tmap_view *view, int room,
                                   bool outside);

/* Writes the names of the dimensions first .. end-1: "m,k". */
char *tmap_axes_text(const tmap_view *view, int first, int end, char text[TMAP_COORDINATE_TEXT]);
/* Writes names and coordinates: "m 3, k 16". */
char *tmap_named_text(const tmap_view *view, const int64_t *at, int first, int end, char text[TMAP_COORDINATE_TEXT]);

/* Writes the text of a cell. Returns `text`. */
char *tmap_cell_text(const tmap_notation *notation, const tmap_cell *cell, char text[TMAP_COORDINATE_TEXT]);
/* Writes all that a picture shows of a cell: letters for its kind and colour, then its coordinates. */
void tmap_cell_key(const tmap_notation *notation, const tmap_cell *cell, char text[TMAP_PICTURE_TEXT]);
/* Finds the folds of a window's lines; the period with the place `mark` is drawn. NULL: no mark. */
void tmap_line_folds(tmap_folds *folds, const tmap_line_grid *grid, tmap_window window, const tmap_notation *notation,
                     const tmap_place *mark);
/* Writes the note for folded lines. Returns `text`. */
char *tmap_fold_note(const tmap_fold *fold, const tmap_notation *notation, const tmap_view *view,
                     char text[TMAP_PICTURE_TEXT]);
/* Writes the text left of the line of a cell; `sample` is NULL for a line without elements. Returns `text`. */
char *tmap_label_text(const tmap_notation *notation, const tmap_cell *sample, char text[TMAP_COORDINATE_TEXT]);
/* Writes the heading of the texts left of lines: "m", or for pixels "pixel: n,h,w". Returns `text`. */
char *tmap_label_head(const tmap_notation *notation, const tmap_view *view, char text[TMAP_COORDINATE_TEXT]);
/* Writes the meaning of the numbers in cells: "the m,k of its first element". Returns `text`. */
char *tmap_legend_text(const tmap_notation *notation, const tmap_view *view, char text[TMAP_COORDINATE_TEXT]);

/* The first cell of a line that contains elements, as a sample of the line's constant coordinates. NULL if no cell
 * does. */
const tmap_cell *tmap_line_sample(const tmap_cell *cells);
/* The current plane of a picture, for its headings. Initialize all members to 0. */
typedef struct tmap_plane {
    int64_t at[TMAP_RANK_MAX];
    bool begun;
} tmap_plane;

/* Moves to the plane of a line. Returns true if the notation has headings and this line starts another plane. */
bool tmap_plane_begins(tmap_plane *plane, const tmap_notation *notation, const tmap_cell *sample);

enum { TMAP_SUBJECT_TEXT = 512 };

/* Writes "gemm_a: f16 box m 128, k 64". */
void tmap_subject_text(const tmap_copy *copy, const tmap_view *view, char text[TMAP_SUBJECT_TEXT]);
/* Writes "at m 0, k 0; swizzle 128B; 16384 B of shared memory from 0x400". */
void tmap_situation_text(const tmap_copy *copy, const tmap_view *view, char text[TMAP_SUBJECT_TEXT]);
/* Writes both texts, one on each line. */
void tmap_put_heading(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view);
/* Writes the arrangement of packed values in a cell; "" for other types. Returns `text`. */
char *tmap_packing_text(const tmap_copy *copy, char text[TMAP_COORDINATE_TEXT]);
/* The tensor's dimension for dimension `dim` of the box. The pixels of an im2col box are not a dimension of the tensor,
 * so an im2col box returns the dimension of the channels. */
int tmap_view_box_dim(const tmap_copy *copy, int dim);
/* The text of cells outside the tensor, for legends: "oob" or "(…)". */
const char *tmap_outside_text(const tmap_notation *notation);
/* The effect on the elements of a box outside the tensor: "filled with zero". */
const char *tmap_fill_text(const tmap_copy *copy);
