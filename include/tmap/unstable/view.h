/*
 * view: pictures of a box in shared memory, as text and as SVG: 128-byte lines of eight 16-byte units over the 32
 * banks, the coordinates of the elements at their swizzled place.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_VIEW_H
#define TMAP_VIEW_H

#include "tmap/unstable/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmap_view {
    const char *title;
    const char *const *axes;         /* names of the tensor's dimensions, innermost first; NULL: d0, d1, … */
    bool color;                      /* ANSI colours in text */
    uint32_t first_line, lines_n;    /* the part of the box to draw, in 128-byte lines; lines_n 0: all */
    bool has_element;                /* mark one element … */
    uint32_t element[TMAP_RANK_MAX]; /* … by its index in the box, innermost first */
    int columns;                     /* of the terminal; 0: 80 */
} tmap_view;

/* The name of a dimension of the box: "pixel" for dimension 1 of an im2col box, else the axis; NULL where axes is. */
TMAP_API const char *tmap_view_box_axis(const tmap_copy *copy, const char *const *axes, int dim) TMAP_NONNULL(1);

/* Whether row `row` of the box (its index in dimension 1) is a pixel of the halo of a wide im2col copy. */
TMAP_API bool tmap_view_is_halo(const tmap_copy *copy, uint32_t row) TMAP_NONNULL(1);

/* Draws the box of `copy`. */
TMAP_API void tmap_view_text(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) TMAP_NONNULL(1, 2, 3);
TMAP_API void tmap_view_svg(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) TMAP_NONNULL(1, 2, 3);
/* The whole way of one element: coordinate, global address, line, unit and bank. */
TMAP_API void tmap_view_element(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) TMAP_NONNULL(1, 2, 3);

/* What a byte holds, as tmap_copy_shared_byte or tmap_copy_global_byte returned it: a line that begins with `label`
 * ("shared address 0x5a0"), or a line for each part, and then the way of the box's elements. */
TMAP_API void tmap_view_byte(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view, const tmap_byte *byte,
                             const char *label) TMAP_NONNULL(1, 2, 3, 4, 5);

/* A hexdump of a shared image with the coordinate of the first element of every 16-byte unit. */
TMAP_API void tmap_view_dump(tmap_sink *sink, const tmap_copy *copy, const uint8_t *shared, size_t size,
                             const tmap_view *view) TMAP_NONNULL(1, 2, 5);

/* A part of a window of memory, such as one stage of a buffer. */
typedef struct tmap_window_part {
    const char *name;
    const char *about; /* NULL: nothing */
    uint64_t at, size_B;
    int group;   /* parts of one group have one colour; -1: no colour */
    bool marked; /* drawn with a frame */
} tmap_window_part;

/* At most this many parts are drawn; the last row of the picture has the number of the others. */
#define TMAP_WINDOW_PARTS_MAX 4096

/* Draws a window of memory from address 0 to `end_B` as SVG: on the left its parts to scale, on the right a row for
 * each of the `n` parts. */
TMAP_API void tmap_window_svg(tmap_sink *sink, const char *title, const tmap_window_part *parts, size_t n,
                              uint64_t end_B) TMAP_NONNULL(1, 2, 3);

#ifdef __cplusplus
}
#endif

#endif
