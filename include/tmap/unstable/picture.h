/*
 * picture: draws a layout as the table of its elements: each cell shows the position of its element, and its colour is
 * that of a thread, a lane, a bank or a line of shared memory. Formats are text for terminals, SVG and LaTeX.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_PICTURE_H
#define TMAP_PICTURE_H

#include "tmap/unstable/language.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The meaning of colours. */
typedef enum tmap_picture_color {
    TMAP_PICTURE_AUTO,   /* threads if the layout has any, else banks, else the first axis as an owner */
    TMAP_PICTURE_THREAD, /* the thread or other owner; more than 32 owners share colours, but neighbours differ */
    TMAP_PICTURE_LANE,   /* groups of four lanes of a warp */
    TMAP_PICTURE_BANK,   /* groups of four banks: 16 bytes of a line */
    TMAP_PICTURE_LINE,   /* 128-byte lines of shared memory, modulo 8 */
    TMAP_PICTURE_COLOR_COUNT
} tmap_picture_color;

#define TMAP_PICTURE_RANK_MAX  16
#define TMAP_PICTURE_CELLS_MAX 16384

/* Options of a drawing. */
typedef struct tmap_picture {
    const char *title; /* NULL: none */
    int rank;          /* rank of the shape; 0: rows of at most 64 elements along the layout's iters */
    int64_t shape[TMAP_PICTURE_RANK_MAX]; /* outermost first; one table for each index of all dimensions except the last
                                             two */
    /* The rows of each table to draw; rows_n 0: all, where repeated rows are replaced with a note. */
    int64_t first_row, rows_n;
    tmap_picture_color color_by;
    int bits;       /* bits of an element, for banks and lines; 0: 32 */
    bool registers; /* m counts registers, not addresses; tmap_picture_of sets it */
    bool color;     /* text: ANSI colours */
    /* Draws the memory instead: 128-byte lines of shared memory. Each cell shows the index of its element; its colour
     * is the number of the 16-byte unit that contains the element in a row of the tensor (the last dimension). */
    bool memory;
    /* Draws one access of a warp: the first element of each of 32 lanes, or -1; `width` is the number of consecutive
     * elements that a lane accesses. Accessed cells show their lane, and only they have a colour. NULL: no access. */
    const int64_t *lanes;
    int width;
} tmap_picture;

/*
 * Writes the layout that is drawn for a value of the language. A layout is drawn unchanged; a register layout becomes a
 * layout with its threads on the axis tx. A picture without a shape gets the shape of a register, shared or CuTe
 * layout, or rows and columns chosen along the iters. Returns TMAP_REFUSED for values that are not layouts, and fills
 * in *error (may be NULL).
 */
TMAP_API tmap_status tmap_picture_of(const tmap_value *value, tmap_picture *picture, tmap_layout *layout,
                                     tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/*
 * Writes the computation of one element's positions, step by step: for a register layout the index of every mode,
 * threads and register; for others the iters' coordinates, their terms, offset, copies and swizzle, and in memory byte,
 * line and bank. `index` is in the shape of `picture`, which tmap_picture_of has filled in. Returns TMAP_REFUSED if
 * `index` is outside.
 */
TMAP_API tmap_status tmap_picture_way(tmap_sink *sink, const tmap_value *value, const tmap_picture *picture,
                                      const int64_t *index, tmap_diag *error) TMAP_NONNULL(1, 2, 3, 4) TMAP_MUST_USE;

/*
 * Draws a layout as text or SVG. Returns TMAP_REFUSED, and writes nothing, for a shape of another size than the
 * layout's, more than TMAP_PICTURE_CELLS_MAX elements, colours by lanes without threads or by banks without a memory
 * address, or the memory of a layout with axes other than m or with more than TMAP_PICTURE_CELLS_MAX cells. *error may
 * be NULL.
 */
TMAP_API tmap_status tmap_picture_text(tmap_sink *sink, const tmap_layout *layout, const tmap_picture *picture,
                                       tmap_diag *error) TMAP_NONNULL(1, 2, 3);
TMAP_API tmap_status tmap_picture_svg(tmap_sink *sink, const tmap_layout *layout, const tmap_picture *picture,
                                      tmap_diag *error) TMAP_NONNULL(1, 2, 3);
/* Draws a layout as a LaTeX document of one TikZ picture, for the class standalone. */
TMAP_API tmap_status tmap_picture_latex(tmap_sink *sink, const tmap_layout *layout, const tmap_picture *picture,
                                        tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
