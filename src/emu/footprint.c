/*
 * The sectors of L2 that a copy touches. Rows of a walk mostly come with rising addresses; then one pass counts their
 * union. Where they do not (rows of gather4, strides in any order), they are kept and sorted first.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "tmap/emu.h"

/* Sectors first .. last. */
typedef struct span {
    uint64_t first, last;
} span;

typedef struct row_cursor {
    tmap_walk walk;
    tmap_run run;
    uint32_t row;
    uint64_t size_B, address;
} row_cursor;

static row_cursor rows_of(const tmap_copy *copy) {
    row_cursor c = {.address = copy->map.params.address};
    tmap_walk_begin(&c.walk, copy);
    return c;
}

static bool next_row(row_cursor *c, span *row) {
    while (c->row == c->run.rows_n) {
        if (!tmap_walk_next(&c->walk, &c->run)) return false;
        c->row = c->run.kind == TMAP_RUN_DATA ? 0 : c->run.rows_n;
        c->size_B = (uint64_t)c->run.units_n * c->walk.copy->unit.global_B;
    }
    uint64_t begin = c->address + c->run.global_B + c->row * c->run.global_step_B;
    *row = (span){begin / TMAP_SECTOR_B, (begin + c->size_B - 1) / TMAP_SECTOR_B};
    c->row++;
    return true;
}

/* A union that grows by spans whose beginnings do not fall. */
typedef struct span_union {
    uint64_t sectors_n, first, end; /* end: one past the last so far */
    bool rising;
} span_union;

static void add_span(span_union *u, const span *s) {
    if (s->first < u->first) u->rising = false;
    uint64_t from = s->first > u->end ? s->first : u->end;
    u->first = s->first;
    if (s->last < from) return;
    u->sectors_n += s->last + 1 - from;
    u->end = s->last + 1;
}

static int by_first(const void *a, const void *b) {
    const span *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static tmap_status count_sorted(const tmap_copy *copy, uint64_t rows_n, const tmap_allocator *allocator,
                                uint64_t *sectors_n) {
    span *spans = tmap_resize(allocator, NULL, 0, (size_t)rows_n * sizeof *spans);
    if (!spans) return TMAP_NO_MEMORY;
    row_cursor rows = rows_of(copy);
    span_union sorted = {.rising = true};
    for (uint64_t i = 0; i < rows_n; i++) (void)next_row(&rows, &spans[i]);
    qsort(spans, (size_t)rows_n, sizeof *spans, by_first);
    for (uint64_t i = 0; i < rows_n; i++) add_span(&sorted, &spans[i]);
    *sectors_n = sorted.sectors_n;
    (void)tmap_resize(allocator, spans, (size_t)rows_n * sizeof *spans, 0);
    return TMAP_OK;
}

tmap_status tmap_copy_footprint(const tmap_copy *copy, const tmap_allocator *allocator, tmap_footprint *footprint) {
    row_cursor rows = rows_of(copy);
    span_union seen = {.rising = true};
    uint64_t rows_n = 0, data_B = 0;
    span row;
    for (; next_row(&rows, &row); rows_n++, data_B += rows.size_B) add_span(&seen, &row);
    tmap_status status = seen.rising ? TMAP_OK : count_sorted(copy, rows_n, allocator, &seen.sectors_n);
    if (status != TMAP_OK) return status;
    *footprint =
        (tmap_footprint){.sectors_n = seen.sectors_n, .sectors_B = seen.sectors_n * TMAP_SECTOR_B, .data_B = data_B};
    return TMAP_OK;
}
