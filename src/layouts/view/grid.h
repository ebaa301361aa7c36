/*
 * view: the model of a view: shared memory as lines of 128 bytes, each with eight 16-byte units (cells). A cell
 * contains the first element of the box in its unit. Text, SVG and dumps only render the model.
 */
#pragma once

#include "tmap/unstable/view.h"

enum { TMAP_UNIT_B = 16, TMAP_UNITS = TMAP_LINE_B / TMAP_UNIT_B, TMAP_UNIT_BANKS = TMAP_BANKS / TMAP_UNITS };

typedef enum tmap_cell_kind {
    TMAP_CELL_GAP,  /* the copy touches no byte of the cell */
    TMAP_CELL_DATA, /* the first element is inside the tensor */
    TMAP_CELL_FILL, /* the first element is outside the tensor */
} tmap_cell_kind;

typedef struct tmap_cell {
    tmap_cell_kind kind;
    bool halo;                     /* a pixel of the halo of a wide im2col copy */
    bool mixed;                    /* the cell has elements inside and outside the tensor */
    bool second;                   /* the second 16 bytes of a slice of 32 */
    uint8_t first_B;               /* the lowest covered byte of the unit, where the first element starts */
    uint8_t home;                  /* the unit of the line that contains the bytes without the swizzle */
    uint32_t index[TMAP_RANK_MAX]; /* of the first element, in the box */
    int64_t at[TMAP_RANK_MAX];     /* tensor coordinates of the first element */
} tmap_cell;

enum { TMAP_GRID_LINES = 32 };

/* The lines of a box. The grid holds a few lines at a time; for other lines the copy is walked again. */
typedef struct tmap_line_grid {
    const tmap_copy *copy;
    uint64_t address; /* of line 0 */
    uint32_t lines_n; /* lines that the box touches */
    uint32_t held, held_n;
    tmap_cell cells[TMAP_GRID_LINES][TMAP_UNITS];
} tmap_line_grid;

void tmap_grid_begin(tmap_line_grid *grid, const tmap_copy *copy);
/* The eight cells of a line. `line` must be less than lines_n. Valid until the next call. */
const tmap_cell *tmap_grid_line(tmap_line_grid *grid, uint32_t line);

/* The lines that a view shows. */
typedef struct tmap_window {
    uint32_t first, end;
} tmap_window;

tmap_window tmap_grid_window(const tmap_line_grid *grid, const tmap_view *view);

/* The unit that contains the second 16 bytes of an interleaved slice of 32 bytes. */
uint32_t tmap_second_unit(const tmap_copy *copy, const tmap_place *place);

/* The place of the marked element. Returns false if the view marks no element of the box. */
bool tmap_view_marked(const tmap_copy *copy, const tmap_view *view, tmap_place *place);
