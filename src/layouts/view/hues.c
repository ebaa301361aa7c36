/* view: the table of colours, and the assignment of colours to owners. */
#include "view/hues.h"

#include <stdlib.h>

#include "tmap/unstable/picture.h"

const uint8_t tmap_hues[TMAP_HUES_N] = {
#define HUE(rgb, terminal) terminal,
#include "view/hues.def"
#undef HUE
};

const char *tmap_hue_rgb(int hue) {
    static const char *const colors[TMAP_HUES_N] = {
#define HUE(rgb, terminal) rgb,
#include "view/hues.def"
#undef HUE
    };
    return colors[hue];
}

typedef struct owned {
    uint64_t owner;
    int32_t cell;
} owned;

static int by_owner(const void *a, const void *b) {
    const owned *x = a, *y = b;
    if (x->owner != y->owner) return x->owner < y->owner ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

/* A value that is not a hue. */
enum { NO_HUE = 0xff };

/* The set of hues of a cell's neighbours; bit i is hue i. */
static uint64_t taken_around(const uint8_t *hues, int64_t n, int64_t columns, int64_t cell) {
    const struct {
        bool there;
        int64_t cell;
    } around[] = {{cell % columns > 0, cell - 1},
                  {(cell + 1) % columns > 0 && cell + 1 < n, cell + 1},
                  {cell >= columns, cell - columns},
                  {n - cell > columns, cell + columns}};
    uint64_t taken = 0;
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        if (around[i].there && hues[around[i].cell] != NO_HUE) taken |= (uint64_t)1 << hues[around[i].cell];
    return taken;
}

static uint8_t choose(uint64_t taken, int64_t preferred) {
    for (int64_t i = 0; i < TMAP_HUES_N; i++)
        if (!(taken >> (preferred + i) % TMAP_HUES_N & 1)) return (uint8_t)((preferred + i) % TMAP_HUES_N);
    return (uint8_t)(preferred % TMAP_HUES_N);
}

int64_t tmap_hues_of_owners(const uint64_t *owners, int64_t n, int64_t columns, uint8_t *hues) {
    owned cells[TMAP_PICTURE_CELLS_MAX];
    int64_t owners_n = 0, end;
    for (int64_t i = 0; i < n; i++) {
        cells[i] = (owned){owners[i], (int32_t)i};
        hues[i] = NO_HUE;
    }
    qsort(cells, (size_t)n, sizeof *cells, by_owner);
    for (int64_t first = 0; first < n; first = end, owners_n++) {
        uint64_t taken = 0;
        for (end = first; end < n && cells[end].owner == cells[first].owner; end++)
            if (owners_n >= TMAP_HUES_N) taken |= taken_around(hues, n, columns, cells[end].cell);
        uint8_t hue = choose(taken, owners_n);
        for (int64_t i = first; i < end; i++) hues[cells[i].cell] = hue;
    }
    return owners_n;
}
