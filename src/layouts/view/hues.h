/* view: the colours of pictures, and the assignment of colours to owners. */
#pragma once

#include <stdint.h>

/* The first TMAP_FEW_HUES_N hues number units, banks and lines, and repeat after eight. */
enum {
    TMAP_FEW_HUES_N = 8,
    TMAP_HUES_N = 0
#define HUE(rgb, terminal) +1
#include "view/hues.def"
#undef HUE
};

/* Numbers in the 256-colour palette. */
extern const uint8_t tmap_hues[TMAP_HUES_N];
/* A row of hues.def as RRGGBB. */
const char *tmap_hue_rgb(int hue);

#define TMAP_DARK_TEXT "\033[38;5;16m"
#define TMAP_PLAIN     "\033[0m"

/*
 * Assigns hues to `n` cells in rows of `columns`, by the number of each cell's owner. Returns the number of owners. Up
 * to TMAP_HUES_N owners each have their own hue, in the order of their numbers. More owners share hues: each owner gets
 * the first hue, from its number modulo TMAP_HUES_N on, that no neighbour in its row or column has, if one is left. `n`
 * is at most TMAP_PICTURE_CELLS_MAX.
 */
int64_t tmap_hues_of_owners(const uint64_t *owners, int64_t n, int64_t columns, uint8_t *hues);
