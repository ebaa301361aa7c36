/* The text forms of layouts of modes: lists of numbers, and box-drawn grids. */
#pragma once

#include "tmap/unstable/register.h"

/* `name=[1, 2]` */
void tmap_modes_put_numbers(tmap_sink *sink, const char *name, const uint64_t *numbers, int n);
void tmap_modes_put_entries(tmap_sink *sink, const char *name, const tmap_mode_list *list);

/* Tables of cells, at most TMAP_GRID_COLUMNS_MAX wide, row-major; a cell is ASCII text. Columns are as wide as their
 * widest cell. */
typedef struct tmap_text_grid {
    uint64_t batches, rows, columns;
    const void *of;
    void (*put_cell)(const void *of, tmap_sink *sink, uint64_t element);
    bool right_aligned;
    int style;
} tmap_text_grid;

/* Rows and columns of the last two dimensions; of more than three, those of size 1 are left out. */
void tmap_grid_shape(tmap_text_grid *grid, const tmap_modes *modes);
void tmap_put_grid(tmap_sink *sink, const tmap_text_grid *grid);

/* The index of the row-major `element`th element. */
void tmap_modes_unravel(const tmap_modes *modes, uint64_t element, uint64_t *index);
