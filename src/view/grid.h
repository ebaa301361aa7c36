/*
 * view: the picture's model. Shared memory as lines of 128 bytes, each of eight 16-byte units (cells); a cell knows the
 * element of the box that lies first in it. Text, SVG and dumps only render it.
 */
#pragma once

#include "tmap/unstable/view.h"

enum { TMAP_UNIT_B = 16, TMAP_UNITS = TMAP_LINE_B / TMAP_UNIT_B, TMAP_UNIT_BANKS = TMAP_BANKS / TMAP_UNITS };

typedef enum tmap_cell_kind {
    TMAP_CELL_GAP,  /* the copy touches no byte of it */
    TMAP_CELL_DATA, /* its first element is inside the tensor */
    TMAP_CELL_FILL, /* its first element is outside */
} tmap_cell_kind;

typedef struct tmap_cell {
    tmap_cell_kind kind;
    bool halo;                     /* a pixel of the halo of a wide im2col copy */
    bool mixed;                    /* other elements of it are of the other kind */
    bool second;                   /* the second 16 bytes of a slice of 32 */
    uint8_t first_B;               /* the lowest byte of the unit that is covered: the first element's */
    uint8_t home;                  /* the unit of the line in which its bytes would lie without the swizzle */
    uint32_t index[TMAP_RANK_MAX]; /* of the first element, in the box */
    int64_t at[TMAP_RANK_MAX];     /* its tensor coordinates */
} tmap_cell;

enum { TMAP_GRID_LINES = 32 };

/* The lines of a box, held a few at a time: the others come from walking the copy again. */
typedef struct tmap_line_grid {
    const tmap_copy *copy;
    uint64_t address; /* of line 0 */
    uint32_t lines_n; /* that the box reaches into */
    uint32_t held, held_n;
    tmap_cell cells[TMAP_GRID_LINES][TMAP_UNITS];
} tmap_line_grid;

void tmap_grid_begin(tmap_line_grid *grid, const tmap_copy *copy);
/* The eight cells of a line below lines_n, valid until the next call. */
const tmap_cell *tmap_grid_line(tmap_line_grid *grid, uint32_t line);

/* The lines that a view asks for. */
typedef struct tmap_window {
    uint32_t first, end;
} tmap_window;

tmap_window tmap_grid_window(const tmap_line_grid *grid, const tmap_view *view);

/* The unit in which the second 16 bytes of an interleaved slice of 32 lie. */
uint32_t tmap_unit_behind(const tmap_copy *copy, const tmap_place *place);

/* The place of the marked element; false when the view marks none that the box has. */
bool tmap_view_marked(const tmap_copy *copy, const tmap_view *view, tmap_place *place);
