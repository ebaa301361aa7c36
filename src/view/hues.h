/* view: the colours of pictures, and which owner has which. */
#pragma once

#include <stdint.h>

/* The first TMAP_FEW_HUES_N count units, banks and lines, which repeat after eight. */
enum {
    TMAP_FEW_HUES_N = 8,
    TMAP_HUES_N = 0
#define HUE(rgb, terminal) +1
#include "view/hues.def"
#undef HUE
};

/* In the 256-colour palette. */
extern const uint8_t tmap_hues[TMAP_HUES_N];
/* Row of hues.def as RRGGBB. */
const char *tmap_hue_rgb(int hue);

#define TMAP_DARK_TEXT "\033[38;5;16m"
#define TMAP_PLAIN     "\033[0m"

/*
 * The hues of `n` cells in rows of `columns`, by the number of each cell's owner. Returns how many owners there are. Up
 * to TMAP_HUES_N owners have a hue each, in the order of their numbers. More owners share hues: an owner takes, from
 * its number modulo TMAP_HUES_N on, the first hue that no neighbour in its row or column has, where one is left.
 * `n` is at most TMAP_PICTURE_CELLS_MAX.
 */
int64_t tmap_hues_of_owners(const uint64_t *owners, int64_t n, int64_t columns, uint8_t *hues);
