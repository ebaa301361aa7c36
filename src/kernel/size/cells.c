/* Counts and finds the values in the cells of a rule. */
#include "size/cells.h"

#include <string.h>

tmap_size_cell tmap_whole_cell(const tmap_size *sizes, int sizes_n, uint32_t of) {
    tmap_size_cell cell = {.assumed = 0};
    for (int i = 0; i < TMAP_SIZES_MAX; i++) {
        const tmap_size *size = i < sizes_n ? &sizes[i] : NULL;
        cell.ranges[i] = (tmap_size_range){size ? size->min : 0, size ? size->multiple : 1, 1};
        if (size && (of >> i & 1)) cell.ranges[i].n = (size->max - size->min) / size->multiple + 1;
    }
    return cell;
}

static bool same_cut(const tmap_cut *a, const tmap_cut *b) {
    return a->kind == b->kind && a->bound == b->bound && tmap_expr_equal(a->expr, b->expr);
}

/* The cuts of one rule may need others of its cuts; those that several rules have are always decided. */
bool tmap_cuts_add(tmap_cuts *to, const tmap_cuts *from) {
    int places[sizeof to->items / sizeof *to->items]; /* of the cuts of `from` */
    for (int i = 0; i < from->n; i++) {
        tmap_cut cut = from->items[i];
        int k = 0;
        while (k < to->n && !same_cut(&to->items[k], &cut)) k++;
        places[i] = k;
        if (k == (int)(sizeof to->items / sizeof *to->items)) return false;
        cut.needs = k < to->n || cut.needs == 0 ? 0 : places[cut.needs - 1] + 1;
        cut.fit = TMAP_FIT_ANY;
        to->items[k] = cut;
        to->n += k == to->n;
    }
    return true;
}

int tmap_points_compare(const uint64_t *a, const uint64_t *b) {
    for (int i = 0; i < TMAP_SIZES_MAX; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

uint64_t tmap_cell_points(const tmap_size_cell *cell) {
    uint64_t n = 1;
    if (cell->assumed) return UINT64_MAX;
    for (int i = 0; i < TMAP_SIZES_MAX; i++) n = tmap_mul_saturate(n, cell->ranges[i].n);
    return n;
}

void tmap_cells_count(const tmap_size_cells *cells, tmap_condition *c) {
    uint64_t broken_n = 0;
    int worst = 0;
    for (const tmap_verdict_cell *at = cells->first; at; at = at->next) {
        uint64_t *least = at->verdict ? c->broken : c->legal, *n = at->verdict ? &broken_n : &c->kept_n;
        if (*n == 0 || tmap_points_compare(at->point, least) < 0) memcpy(least, at->point, sizeof at->point);
        *n = tmap_add_saturate(*n, tmap_cell_points(&at->cell));
        if (at->verdict > worst) worst = at->verdict;
    }
    c->severity = worst ? (tmap_severity)(worst - 1) : TMAP_ADVICE;
    if (cells->undecided)
        c->kept = TMAP_KEPT_UNDECIDED;
    else
        c->kept = broken_n == 0 ? TMAP_KEPT_BY_ALL : c->kept_n == 0 ? TMAP_KEPT_BY_NONE : TMAP_KEPT_BY_SOME;
}

static bool range_has(const tmap_size_range *range, uint64_t value) {
    if (value < range->first || (value - range->first) % range->step != 0) return false;
    return (value - range->first) / range->step < range->n;
}

bool tmap_cells_has(const tmap_size_cells *cells, const tmap_verdict_cell *cell, const uint64_t *values) {
    for (int i = 0; i < TMAP_SIZES_MAX; i++)
        if ((cells->sizes >> i & 1) && !range_has(&cell->cell.ranges[i], values[i])) return false;
    for (uint64_t left = cell->cell.assumed; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        if (tmap_cut_value(&cells->cuts.items[i], values) != (cell->cell.reached >> i & 1)) return false;
    }
    return true;
}

bool tmap_condition_keeps(const tmap_condition *condition, const uint64_t *values) {
    for (const tmap_verdict_cell *at = condition->cells->first; at; at = at->next)
        if (tmap_cells_has(condition->cells, at, values)) return at->verdict == 0;
    return false;
}
