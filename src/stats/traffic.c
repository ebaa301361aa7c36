/*
 * Bytes and sectors of a copy. Rows of a box may meet in a sector, overlap (strides are free), or be the same row
 * twice (gather4), so the rows' intervals are sorted and what two of them share is counted once.
 */
#include "base/memory.h"
#include "tmap/stats.h"

typedef struct interval {
    uint64_t first_B, end_B;
} interval;

typedef struct interval_list {
    interval *items;
    size_t n;
} interval_list;

/* Lets item `at` of a heap of `n`, the largest first_B on top, sink to its place. */
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

/* Heapsort: no memory of its own, and rows in any order cost the same. */
static void sort(interval_list *list) {
    for (size_t i = list->n / 2; i-- > 0;) sink_down(list->items, i, list->n);
    for (size_t n = list->n; n > 1; n--) {
        interval largest = list->items[0];
        list->items[0] = list->items[n - 1];
        list->items[n - 1] = largest;
        sink_down(list->items, 0, n - 1);
    }
}

/* Of a run's row in global memory. */
static uint64_t row_B(const tmap_copy *copy, const tmap_run *run) {
    return (uint64_t)run->units_n * copy->map.type->unit_global_B;
}

static void add_rows(const tmap_copy *copy, const tmap_run *run, interval_list *list) {
    for (uint32_t row = 0; row < run->rows_n; row++) {
        uint64_t first_B = run->global_B + row * run->global_step_B;
        list->items[list->n++] = (interval){first_B, first_B + row_B(copy, run)};
    }
}

/* Units of `unit_B` that the sorted intervals touch, counted from `base`. */
static uint64_t count_touched(const interval_list *list, uint64_t base, uint64_t unit_B) {
    uint64_t touched_n = 0, next = 0; /* units before `next` are counted */
    for (size_t i = 0; i < list->n; i++) {
        uint64_t first = (base + list->items[i].first_B) / unit_B;
        uint64_t end = (base + list->items[i].end_B - 1) / unit_B + 1;
        if (first < next) first = next;
        if (end <= first) continue;
        touched_n += end - first;
        next = end;
    }
    return touched_n;
}

/* What the walk yields is counted before it is kept: a row of the box may be several of a run. */
static size_t data_rows(const tmap_copy *copy, tmap_traffic *traffic) {
    size_t rows_n = 0;
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);) {
        if (run.kind != TMAP_RUN_DATA) continue;
        traffic->useful_B += (uint64_t)run.units_n * run.rows_n * copy->map.type->unit_shared_B;
        rows_n += run.rows_n;
    }
    traffic->filled_B = traffic->payload_B - traffic->useful_B;
    return rows_n;
}

static void keep_rows(const tmap_copy *copy, interval_list *list) {
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);)
        if (run.kind == TMAP_RUN_DATA) add_rows(copy, &run, list);
}

tmap_status tmap_copy_traffic(const tmap_copy *copy, const tmap_allocator *allocator, tmap_traffic *traffic) {
    tmap_traffic counted = {
        .payload_B = copy->payload_B, .footprint_B = copy->footprint_B, .gap_B = copy->footprint_B - copy->payload_B};
    size_t size = (data_rows(copy, &counted) + 1) * sizeof(interval);
    interval_list list = {.items = tmap_resize(allocator, NULL, 0, size)};
    if (!list.items) return TMAP_NO_MEMORY;
    keep_rows(copy, &list);
    sort(&list);
    uint64_t in_sector = copy->map.params.address % TMAP_SECTOR_B;
    counted.global_B = count_touched(&list, 0, 1);
    counted.sectors_n = count_touched(&list, in_sector, TMAP_SECTOR_B);
    tmap_resize(allocator, list.items, size, 0);
    *traffic = counted;
    return TMAP_OK;
}
