/* The text forms of layouts of modes: lists of numbers, and box-drawn grids. */
#pragma once

#include "tmap/unstable/register.h"

/* A sink that only counts bytes. */
tmap_sink tmap_counting_sink(size_t *size);
/* `name=[1, 2]` */
void tmap_modes_put_numbers(tmap_sink *sink, const char *name, const uint64_t *numbers, int n);
void tmap_modes_put_entries(tmap_sink *sink, const char *name, const tmap_mode_list *list);

/* A table of cells, at most TMAP_GRID_COLUMNS_MAX wide, row-major. A cell contains ASCII text. A column is as wide as
 * its widest cell. */
typedef struct tmap_text_grid {
    uint64_t batches, rows, columns;
    const void *of;
    void (*put_cell)(const void *of, tmap_sink *sink, uint64_t element);
    bool right_aligned;
    int style;
} tmap_text_grid;

/* The rows and columns are the last two dimensions. Of more than three dimensions, omits those of size 1. Refuses a
 * style that does not exist, and more than `elements_max` elements. */
tmap_status tmap_grid_of_modes(tmap_text_grid *grid, const tmap_modes *modes, uint64_t elements_max);
void tmap_put_grid(tmap_sink *sink, const tmap_text_grid *grid);
