/*
 * view: pictures of a box in shared memory, as text and as SVG: 128-byte lines of eight 16-byte units over the 32
 * banks, with the coordinates of the elements at their swizzled positions.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_VIEW_H
#define TMAP_VIEW_H

#include "tmap/unstable/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a drawing. */
typedef struct tmap_view {
    const char *title;
    const char *const *axes;         /* names of the tensor's dimensions, innermost first; NULL: d0, d1, … */
    bool color;                      /* ANSI colours in text */
    uint32_t first_line, lines_n;    /* the part of the box to draw, in 128-byte lines; lines_n 0: all, where repeated
                                        lines are replaced with a note */
    bool has_element;                /* mark `element` */
    uint32_t element[TMAP_RANK_MAX]; /* index in the box, innermost first */
    int columns;                     /* of the terminal; 0: 80 */
} tmap_view;

/*
 * Returns the name of a dimension of the box: "pixel" for dimension 1 of an im2col box, else the axis; NULL if `axes`
 * is NULL.
 */
TMAP_API const char *tmap_view_box_axis(const tmap_copy *copy, const char *const *axes, int dim) TMAP_NONNULL(1);

/* Returns whether row `row` of the box (index in dimension 1) is a pixel of the halo of a wide im2col copy. */
TMAP_API bool tmap_view_is_halo(const tmap_copy *copy, uint32_t row) TMAP_NONNULL(1);

/* Draw the box of `copy` as text or SVG. */
TMAP_API void tmap_view_text(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) TMAP_NONNULL(1, 2, 3);
TMAP_API void tmap_view_svg(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) TMAP_NONNULL(1, 2, 3);
/* Writes the computation of one element's position: coordinate, global address, line, unit and bank. */
TMAP_API void tmap_view_element(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) TMAP_NONNULL(1, 2, 3);

/*
 * Writes the elements of a byte that tmap_copy_shared_byte or tmap_copy_global_byte returned: a line that begins with
 * `label` ("shared address 0x5a0"), or a line for each part, then the computation of the positions of the box's
 * elements.
 */
TMAP_API void tmap_view_byte(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view, const tmap_byte *byte,
                             const char *label) TMAP_NONNULL(1, 2, 3, 4, 5);

/* Writes a hexdump of a shared image with the coordinate of the first element of every 16-byte unit. */
TMAP_API void tmap_view_dump(tmap_sink *sink, const tmap_copy *copy, const uint8_t *shared, size_t size,
                             const tmap_view *view) TMAP_NONNULL(1, 2, 5);

/* A part of a window of memory, for example one stage of a buffer. */
typedef struct tmap_window_part {
    const char *name;
    const char *about; /* NULL: none */
    uint64_t at, size_B;
    int group;   /* parts of one group have the same colour; -1: no colour */
    bool marked; /* drawn with a frame */
    /* A part of tensor memory: `at` is its first column and `size_B` its number of columns. */
    bool tensor_memory;
} tmap_window_part;

/* The largest number of parts that are drawn; the last row of the picture has the number of the others. */
#define TMAP_WINDOW_PARTS_MAX 4096

/*
 * Draws a window of memory from address 0 to `end_B` as SVG: on the left its parts to scale, on the right a row for
 * each of the `n` parts. Parts of tensor memory must follow all others; they have a strip of their own below the
 * window, from column 0 to column 512.
 */
TMAP_API void tmap_window_svg(tmap_sink *sink, const char *title, const tmap_window_part *parts, size_t n,
                              uint64_t end_B) TMAP_NONNULL(1, 2, 3);

/* ---- Sequences ---- */

#define TMAP_LANES_MAX       130
#define TMAP_LANE_EVENTS_MAX 1000 /* events in a picture; further events are only counted */

/* A step of a thread, or an asynchronous operation. */
typedef struct tmap_lane_event {
    int lane;      /* from 0 */
    int last_lane; /* of a barrier of threads: the last lane of the barrier; else -1 */
    const char *text;
    bool async; /* an asynchronous operation */
    bool found; /* a finding is about the event */
} tmap_lane_event;

/* An arrow between two events. */
typedef struct tmap_lane_arrow {
    uint32_t from, to; /* indices of events */
    bool waits;        /* `to` waits for `from`; else `from` issues `to` */
} tmap_lane_arrow;

/* The lanes of a picture and their events in the order of time. */
typedef struct tmap_lanes {
    const char *title;
    const char *const *names; /* by lane */
    int lanes_n;              /* at most TMAP_LANES_MAX */
    const tmap_lane_event *events;
    size_t events_n;
    const tmap_lane_arrow *arrows;
    size_t arrows_n;
} tmap_lanes;

/* Draws the steps of threads: a lane for each thread, time from top to bottom. */
TMAP_API void tmap_view_lanes_svg(tmap_sink *sink, const tmap_lanes *lanes) TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
