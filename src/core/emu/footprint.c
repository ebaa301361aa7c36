/*
 * The bytes and sectors of global memory that a copy touches. Rows of a walk usually have rising addresses; then one
 * pass counts their union. Other rows (of gather4, of strides in any order) are stored and sorted first.
 */
#include "base/memory.h"
#include "map/coordinate.h"
#include "tmap/emu.h"
#include "tmap/unstable/walk.h"

/* Bytes first_B .. last_B, counted from the start of a sector. */
typedef struct interval {
    uint64_t first_B, last_B;
} interval;

typedef struct row_cursor {
    tmap_walk walk;
    tmap_run run;
    uint32_t row;
    uint64_t base_B, rest_B; /* rest_B: bytes of a row that continues at offset 0 */
} row_cursor;

static row_cursor rows_of(const tmap_copy *copy) {
    row_cursor c = {.base_B = copy->map.params.address % TMAP_SECTOR_B};
    tmap_walk_begin(&c.walk, copy);
    return c;
}

/* Returns a row, or one of the two parts of a row that wraps at 2^64. */
static bool next_row(row_cursor *c, interval *row) {
    if (c->rest_B > 0) {
        *row = (interval){0, c->rest_B - 1};
        c->rest_B = 0;
        return true;
    }
    while (c->row == c->run.rows_n) {
        if (!tmap_walk_next(&c->walk, &c->run)) return false;
        c->row = c->run.kind == TMAP_RUN_DATA ? 0 : c->run.rows_n;
    }
    uint64_t first_B = c->base_B + c->run.global_B + c->row * c->run.global_step_B;
    uint64_t last_B = first_B + (uint64_t)c->run.units_n * c->walk.copy->unit.global_B - 1;
    if (last_B < first_B) {
        c->rest_B = last_B + 1;
        last_B = UINT64_MAX;
    }
    *row = (interval){first_B, last_B};
    c->row++;
    return true;
}

/* ---- Unions ----------------------------------------------------------------------------------------------------- */

/* The units of `unit_B` that intervals touch. The starts of the intervals do not fall. */
typedef struct touched {
    uint64_t unit_B, n, last; /* units up to `last` are counted, if any */
} touched;

static void touch(touched *t, const interval *row) {
    uint64_t first = row->first_B / t->unit_B, last = row->last_B / t->unit_B;
    if (t->n > 0 && last <= t->last) return;
    if (t->n > 0 && first <= t->last) first = t->last + 1;
    t->n += last - first + 1;
    t->last = last;
}

typedef struct both_units {
    touched bytes, sectors;
} both_units;

static both_units no_units(void) {
    return (both_units){{.unit_B = 1}, {.unit_B = TMAP_SECTOR_B}};
}

static void touch_both(both_units *u, const interval *row) {
    touch(&u->bytes, row);
    touch(&u->sectors, row);
}

/* ---- Sorting ---------------------------------------------------------------------------------------------------- */

/* Moves item `at` of a heap of `n` down to its place; the largest first_B is on top. */
static void sink_down(interval *heap, size_t at, size_t n) {
    for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && heap[child + 1].first_B > heap[child].first_B) child++;
        if (heap[child].first_B <= heap[at].first_B) return;
        interval moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
        at = child;
    }
}

/* Heapsort: it needs no memory of its own, and its cost does not depend on the order of the rows. */
static void sort(interval *items, size_t n) {
    for (size_t i = n / 2; i-- > 0;) sink_down(items, i, n);
    for (size_t left = n; left > 1; left--) {
        interval largest = items[0];
        items[0] = items[left - 1];
        items[left - 1] = largest;
        sink_down(items, 0, left - 1);
    }
}

static tmap_status touch_sorted(const tmap_copy *copy, size_t rows_n, const tmap_allocator *allocator, both_units *u) {
    interval *rows = tmap_resize(allocator, NULL, 0, rows_n * sizeof *rows);
    if (!rows) return TMAP_NO_MEMORY;
    row_cursor cursor = rows_of(copy);
    for (size_t i = 0; i < rows_n; i++) (void)next_row(&cursor, &rows[i]);
    sort(rows, rows_n);
    *u = no_units();
    for (size_t i = 0; i < rows_n; i++) touch_both(u, &rows[i]);
    (void)tmap_resize(allocator, rows, rows_n * sizeof *rows, 0);
    return TMAP_OK;
}

tmap_status tmap_copy_footprint(const tmap_copy *copy, const tmap_allocator *allocator, tmap_footprint *footprint) {
    if (!copy || !footprint) return TMAP_BAD_ARGUMENT;
    if (tmap_copy_is_remote(copy)) {
        *footprint = (tmap_footprint){.bytes_B = copy->payload_B, .data_B = copy->payload_B};
        return TMAP_OK;
    }
    row_cursor cursor = rows_of(copy);
    both_units seen = no_units();
    uint64_t data_B = 0, last_B = 0;
    size_t rows_n = 0;
    bool rising = true;
    interval row;
    for (; next_row(&cursor, &row); rows_n++) {
        rising = rising && row.first_B >= last_B;
        last_B = row.first_B;
        data_B += row.last_B - row.first_B + 1;
        touch_both(&seen, &row);
    }
    tmap_status status = rising ? TMAP_OK : touch_sorted(copy, rows_n, allocator, &seen);
    if (status != TMAP_OK) return status;
    *footprint = (tmap_footprint){.sectors_n = seen.sectors.n,
                                  .sectors_B = seen.sectors.n * TMAP_SECTOR_B,
                                  .bytes_B = seen.bytes.n,
                                  .data_B = data_B};
    return TMAP_OK;
}
