/*
 * picture: a layout drawn as the table of its elements: every cell says where its element lies, and its colour is that
 * of a thread, a lane, a bank or a line of shared memory. As text for terminals, as SVG and as LaTeX.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_PICTURE_H
#define TMAP_PICTURE_H

#include "tmap/unstable/language.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the colours mean. */
typedef enum tmap_picture_color {
    TMAP_PICTURE_AUTO,   /* threads where there are any, else banks, else the first axis as an owner */
    TMAP_PICTURE_THREAD, /* the thread or other owner: up to 32 have a colour each, of more no neighbours share one */
    TMAP_PICTURE_LANE,   /* groups of four lanes of a warp */
    TMAP_PICTURE_BANK,   /* groups of four banks: 16 bytes of a line */
    TMAP_PICTURE_LINE,   /* 128-byte lines of shared memory, modulo 8 */
    TMAP_PICTURE_COLOR_COUNT
} tmap_picture_color;

#define TMAP_PICTURE_RANK_MAX  16
#define TMAP_PICTURE_CELLS_MAX 16384

typedef struct tmap_picture {
    const char *title; /* NULL: none */
    int rank;          /* of the shape; 0: rows of at most 64 elements are chosen along the layout's iters */
    int64_t shape[TMAP_PICTURE_RANK_MAX]; /* outermost first; a table for each index of all but the last two */
    tmap_picture_color color_by;
    int bits;       /* of an element, for banks and lines; 0: 32 */
    bool registers; /* m counts registers, not addresses; tmap_picture_of sets it */
    bool color;     /* of text: ANSI colours */
    /* The memory instead: 128-byte lines of shared memory, every cell the index of the element that lies there; colours
     * are those of the 16-byte units that the last dimension counts. */
    bool memory;
    /* One access of a warp: the first element of each of 32 lanes, or -1, and how many neighbours a lane touches. Cells
     * show their lane, and only these have a colour. NULL: none. */
    const int64_t *lanes;
    int width;
} tmap_picture;

/*
 * The layout that a value of the language is drawn as: itself; a register layout's threads are on the axis tx. A
 * picture without a shape gets one: that of a register, shared or CuTe layout, or rows and columns chosen along the
 * iters. TMAP_REFUSED for values that are no layouts, with *error (may be NULL) filled in.
 */
TMAP_API tmap_status tmap_picture_of(const tmap_value *value, tmap_picture *picture, tmap_layout *layout,
                                     tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/*
 * The way of one element to its places, step by step: of a register layout the index of every mode, threads and
 * register, else the iters' coordinates, their terms, offset, copies and swizzle, and in memory byte, line and bank.
 * `index` is in the shape of `picture`, which tmap_picture_of has filled in; refused where it is outside.
 */
TMAP_API tmap_status tmap_picture_way(tmap_sink *sink, const tmap_value *value, const tmap_picture *picture,
                                      const int64_t *index, tmap_diag *error) TMAP_NONNULL(1, 2, 3, 4) TMAP_MUST_USE;

/*
 * Refused, with nothing written: a shape of another size than the layout's, more than TMAP_PICTURE_CELLS_MAX elements,
 * colours by lanes without threads or by banks without a memory address, the memory of a layout with other axes than m
 * or of more than TMAP_PICTURE_CELLS_MAX cells. *error may be NULL.
 */
TMAP_API tmap_status tmap_picture_text(tmap_sink *sink, const tmap_layout *layout, const tmap_picture *picture,
                                       tmap_diag *error) TMAP_NONNULL(1, 2, 3);
TMAP_API tmap_status tmap_picture_svg(tmap_sink *sink, const tmap_layout *layout, const tmap_picture *picture,
                                      tmap_diag *error) TMAP_NONNULL(1, 2, 3);
/* A LaTeX document of one TikZ picture, for the class standalone. */
TMAP_API tmap_status tmap_picture_latex(tmap_sink *sink, const tmap_layout *layout, const tmap_picture *picture,
                                        tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
