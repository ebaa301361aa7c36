/*
 * view: how a picture writes coordinates: the outer ones once, the inner ones in every cell. Which go where depends on
 * what stays constant in a line, and on the room that there is.
 */
#pragma once

#include "view/grid.h"

enum { TMAP_COORDINATE_TEXT = 256 };

typedef struct tmap_notation {
    int rank;        /* dimensions that are written: outer ones of extent 1 are not */
    bool in_box;     /* coordinates are too long for the room: the place in the box is written instead */
    bool pixels;     /* of an im2col box: left of a line stands the number of its first pixel, too */
    bool outside;    /* coordinates outside the tensor are written in brackets, not "oob" */
    int line_dims;   /* dimensions from here to the rank stand above a plane */
    int cell_dims;   /* dimensions from here to line_dims stand left of a line; those below, in the cells */
    int cell_width;  /* of the longest text of a cell, in characters */
    int label_width; /* of the longest text left of a line, its heading included; 0: none */
    int pixel_width; /* of the longest number of a pixel */
    bool has_fill, has_gap, has_mixed, has_halo, has_second;
} tmap_notation;

/* For the lines of a window, which should not take more than `room` characters with two between cells. `outside`: as
 * above; of pixels they are always written. */
tmap_notation tmap_notation_choose(tmap_line_grid *grid, tmap_window window, const tmap_view *view, int room,
                                   bool outside);

/* The names of the same dimensions: "m,k". */
char *tmap_axes_text(const tmap_view *view, int first, int end, char text[TMAP_COORDINATE_TEXT]);
/* Both: "m 3, k 16". */
char *tmap_named_text(const tmap_view *view, const int64_t *at, int first, int end, char text[TMAP_COORDINATE_TEXT]);

/* What a cell shows. Answers `text`. */
char *tmap_cell_text(const tmap_notation *notation, const tmap_cell *cell, char text[TMAP_COORDINATE_TEXT]);
/* What stands left of the line of a cell; NULL stands for a line without elements. Answers `text`. */
char *tmap_label_text(const tmap_notation *notation, const tmap_cell *sample, char text[TMAP_COORDINATE_TEXT]);
/* What stands above that: "m", or of pixels "pixel: n,h,w". Answers `text`. */
char *tmap_label_head(const tmap_notation *notation, const tmap_view *view, char text[TMAP_COORDINATE_TEXT]);
/* "the m,k of its first element": what the numbers of cells are. Answers `text`. */
char *tmap_legend_text(const tmap_notation *notation, const tmap_view *view, char text[TMAP_COORDINATE_TEXT]);

/* The first cell of a line that holds elements, NULL when none does: what is constant in the line is read from it. */
const tmap_cell *tmap_line_sample(const tmap_cell *cells);
/* The plane that a picture is in, for its headings. Zero-initialise. */
typedef struct tmap_plane {
    int64_t at[TMAP_RANK_MAX];
    bool begun;
} tmap_plane;

/* Goes on to the plane of a line; true where the notation has headings and this line begins another plane. */
bool tmap_plane_begins(tmap_plane *plane, const tmap_notation *notation, const tmap_cell *sample);

enum { TMAP_SUBJECT_TEXT = 512 };

/* "gemm_a: f16 box m 128 x k 64" */
void tmap_subject_text(const tmap_copy *copy, const tmap_view *view, char text[TMAP_SUBJECT_TEXT]);
/* "at m 0, k 0; swizzle 128B; 16384 B of shared memory from 0x400" */
void tmap_situation_text(const tmap_copy *copy, const tmap_view *view, char text[TMAP_SUBJECT_TEXT]);
/* Both, each on its line. */
void tmap_put_heading(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view);
/* How packed values lie in a cell; "" for other types. Answers `text`. */
char *tmap_packing_text(const tmap_copy *copy, char text[TMAP_COORDINATE_TEXT]);
/* The tensor's dimension that dimension `dim` of the box counts; of an im2col box, whose pixels are none, the channels.
 */
int tmap_view_box_dim(const tmap_copy *copy, int dim);
/* "oob" or "(…)": how cells outside the tensor are written, for legends. */
const char *tmap_outside_text(const tmap_notation *notation);
/* What happens to the elements of a box outside the tensor: "filled with zero". */
const char *tmap_fill_text(const tmap_copy *copy);
