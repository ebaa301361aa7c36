/*
 * Finds the least point of a cell with assumed cuts by branch and bound: a box of ranges is divided until bounds show,
 * for each cut, that no point or every point of the box is on the assumed side. A box without a point below the best
 * point is not searched.
 */
#include <string.h>

#include "size/search.h"

typedef struct least_search {
    tmap_half halves[64];
    int n;
    uint64_t best[TMAP_SIZES_MAX];
    bool found;
    int64_t *work;
} least_search;

static bool holds_at(const tmap_half *h, const uint64_t *values) {
    return tmap_cut_value(h->cut, values) == h->reached;
}

/* ---- Monotone halves ------------------------------------------------------------------------------------------ */

/* The corner of a box at which a monotone half holds, if it holds anywhere in the box. */
static void best_corner(const tmap_half *h, const tmap_slope *slope, const tmap_size_cell *box, uint64_t *values) {
    for (int i = 0; i < TMAP_SIZES_MAX; i++) {
        bool last = slope->of[i] == (h->reached ? 1 : -1);
        values[i] = last ? tmap_range_last(&box->ranges[i]) : box->ranges[i].first;
    }
}

/* Whether a monotone half may hold if the size has value number `t`. */
static bool may_hold_at(const tmap_half *h, uint64_t *corner, const tmap_size_range *range, int size, uint64_t t) {
    corner[size] = range->first + t * range->step;
    return tmap_cut_value(h->cut, corner) == h->reached;
}

/* Removes the values of a size at which the half cannot hold. */
static void narrow_size(const tmap_half *h, const tmap_slope *slope, tmap_size_cell *box, int size) {
    tmap_size_range *range = &box->ranges[size];
    int way = h->reached ? slope->of[size] : -slope->of[size];
    uint64_t corner[TMAP_SIZES_MAX], least = 0, most = range->n - 1;
    if (way == 0 || range->n == 1) return;
    best_corner(h, slope, box, corner);
    if (may_hold_at(h, corner, range, size, way > 0 ? 0 : most)) return;
    while (least < most) { /* way > 0: the first value that may hold; way < 0: the first that cannot */
        uint64_t middle = least + (most - least) / 2;
        if (may_hold_at(h, corner, range, size, middle) == (way > 0))
            most = middle;
        else
            least = middle + 1;
    }
    *range = way > 0 ? (tmap_size_range){range->first + least * range->step, range->step, range->n - least}
                     : (tmap_size_range){range->first, range->step, least};
}

/* ---- Boxes ---------------------------------------------------------------------------------------------------- */

typedef enum half_state { HOLDS, FAILS, MIXED } half_state;

static half_state state_between(const tmap_half *h, tmap_i128 least, tmap_i128 most) {
    if (least >= h->cut->bound) return h->reached ? HOLDS : FAILS;
    if (most < h->cut->bound) return h->reached ? FAILS : HOLDS;
    return MIXED;
}

static half_state state_of_multiple(const tmap_half *h, const tmap_size_cell *box) {
    uint64_t values[TMAP_SIZES_MAX];
    bool point = true;
    for (int i = 0; i < TMAP_SIZES_MAX; i++) {
        values[i] = box->ranges[i].first;
        point = point && (box->ranges[i].n == 1 || !(h->cut->expr->sizes >> i & 1));
    }
    int value = point ? (int)tmap_cut_value(h->cut, values) : tmap_cut_constant(h->cut, box);
    if (value < 0) return MIXED;
    return (value == 1) == h->reached ? HOLDS : FAILS;
}

/* Judges a half over a box, and narrows the box to the values at which the half may hold. */
static half_state narrow_half(const tmap_half *h, tmap_size_cell *box, int64_t *work) {
    *work -= h->cut->expr->work;
    if (h->cut->kind == TMAP_CUT_MULTIPLE) return state_of_multiple(h, box);
    tmap_slope slope = tmap_expr_slope(h->cut->expr, box);
    tmap_bounds b;
    if (!slope.known) return tmap_expr_bounds(h->cut->expr, box, &b) ? state_between(h, b.least, b.most) : MIXED;
    half_state state = state_between(h, tmap_expr_extreme(h->cut->expr, &slope, box, false),
                                     tmap_expr_extreme(h->cut->expr, &slope, box, true));
    for (int i = 0; i < TMAP_SIZES_MAX && state == MIXED; i++) narrow_size(h, &slope, box, i);
    return state;
}

#define ROUNDS_MAX 6

/* Whether a range has less than three quarters of the values that it had in `before`. */
static bool is_much_less(const tmap_size_cell *now, const tmap_size_cell *before) {
    bool much = false;
    for (int i = 0; i < TMAP_SIZES_MAX; i++) much |= now->ranges[i].n < before->ranges[i].n - before->ranges[i].n / 4;
    return much;
}

/* Narrows the box while this removes many values, and removes the halves that hold in the whole box. Returns false if
 * the box has no point. */
static bool narrow_box(const tmap_half *halves, int n, uint64_t *active, tmap_size_cell *box, int64_t *work) {
    tmap_size_cell before;
    int round = 0;
    do {
        before = *box;
        for (int i = 0; i < n; i++) {
            if (!(*active >> i & 1)) continue;
            half_state state = narrow_half(&halves[i], box, work);
            if (state == FAILS) return false;
            if (state == HOLDS) *active &= ~((uint64_t)1 << i);
        }
    } while (++round < ROUNDS_MAX && is_much_less(box, &before));
    return true;
}

/* Removes values that are not below the best point. Returns false if the first point of the box is not below it. */
static bool keep_better(const least_search *s, tmap_size_cell *box) {
    for (int i = 0; i < TMAP_SIZES_MAX && s->found; i++) {
        tmap_size_range *range = &box->ranges[i];
        if (range->first > s->best[i]) return false;
        if (tmap_range_last(range) > s->best[i]) range->n = (s->best[i] - range->first) / range->step + 1;
        if (range->first < s->best[i]) return true;
    }
    return !s->found;
}

/* Stores the first point of a box as the best point if all halves hold there. */
static bool take_first(least_search *s, uint64_t active, const tmap_size_cell *box) {
    uint64_t values[TMAP_SIZES_MAX];
    for (int i = 0; i < TMAP_SIZES_MAX; i++) values[i] = box->ranges[i].first;
    for (int i = 0; i < s->n; i++)
        if ((active >> i & 1) && !holds_at(&s->halves[i], values)) return false;
    memcpy(s->best, values, sizeof values);
    s->found = true;
    return true;
}

static double change(double a, double b) {
    return a < b ? b - a : a - b;
}

/* Adds to shares[i] the part of size i in the change of the expression over the box. */
static void add_shares(const tmap_expr *expr, const tmap_size_cell *box, double *shares) {
    uint64_t values[TMAP_SIZES_MAX];
    double changes[TMAP_SIZES_MAX] = {0}, all = 0;
    for (int i = 0; i < TMAP_SIZES_MAX; i++)
        values[i] = box->ranges[i].first + box->ranges[i].n / 2 * box->ranges[i].step;
    for (int i = 0; i < TMAP_SIZES_MAX; i++) {
        if (!(expr->sizes >> i & 1) || box->ranges[i].n == 1) continue;
        uint64_t middle = values[i];
        double between = (double)tmap_expr_value(expr, values);
        values[i] = box->ranges[i].first;
        double low = (double)tmap_expr_value(expr, values);
        values[i] = tmap_range_last(&box->ranges[i]);
        double high = (double)tmap_expr_value(expr, values);
        values[i] = middle;
        changes[i] = 1 + change(low, between) + change(between, high);
        all += changes[i];
    }
    for (int i = 0; i < TMAP_SIZES_MAX && all > 0; i++) shares[i] += changes[i] / all;
}

/* Residues do not depend on the place in the box: prefers the first size, which counts most. */
static void add_first_share(const tmap_expr *expr, const tmap_size_cell *box, double *shares) {
    int size = 0;
    while (!(expr->sizes >> size & 1) || box->ranges[size].n == 1) size++;
    shares[size] += 1;
}

/* Divides where a factor changes its sign. Otherwise divides, in the middle, the range of the size that changes the
 * halves most. */
static tmap_split split_of(const least_search *s, uint64_t active, const tmap_size_cell *box) {
    tmap_split split = {.size = -1};
    double shares[TMAP_SIZES_MAX] = {0};
    for (int i = 0; i < s->n; i++) {
        if (!(active >> i & 1)) continue;
        if (s->halves[i].cut->kind == TMAP_CUT_MULTIPLE) {
            add_first_share(s->halves[i].cut->expr, box, shares);
            continue;
        }
        tmap_slope slope = tmap_expr_slope(s->halves[i].cut->expr, box);
        if (!slope.known && slope.crossing && tmap_cell_split_at_sign(slope.crossing, box, &split)) return split;
        add_shares(s->halves[i].cut->expr, box, shares);
    }
    split.size = 0;
    for (int i = 1; i < TMAP_SIZES_MAX; i++)
        if (shares[i] > shares[split.size]) split.size = i;
    split.head = box->ranges[split.size].n / 2;
    return split;
}

/* A box with the halves that its bounds do not decide. */
typedef struct search_box {
    uint64_t active;
    tmap_size_cell cell;
} search_box;

static bool first_is_less(const tmap_size_cell *a, const tmap_size_cell *b) {
    int i = 0;
    while (i < TMAP_SIZES_MAX - 1 && a->ranges[i].first == b->ranges[i].first) i++;
    return a->ranges[i].first < b->ranges[i].first;
}

/* Divides the box and narrows the parts. Returns the number of parts that may have a point; the part with the lesser
 * first point is the first. */
static int parts_of(const least_search *s, const search_box *box, search_box parts[2]) {
    tmap_split split = split_of(s, box->active, &box->cell);
    tmap_size_range all = box->cell.ranges[split.size];
    int n = 0;
    for (int i = 0; i < 2; i++) {
        parts[n] = *box;
        parts[n].cell.ranges[split.size] =
            i == 0 ? (tmap_size_range){all.first, all.step, split.head}
                   : (tmap_size_range){all.first + split.head * all.step, all.step, all.n - split.head};
        n += narrow_box(s->halves, s->n, &parts[n].active, &parts[n].cell, s->work);
    }
    if (n == 2 && first_is_less(&parts[1].cell, &parts[0].cell)) {
        search_box first = parts[1];
        parts[1] = parts[0];
        parts[0] = first;
    }
    return n;
}

static void search(least_search *s, const search_box *whole) {
    search_box box = *whole, parts[2];
    if (*s->work <= 0 || !keep_better(s, &box.cell)) return;
    if (s->found && !narrow_box(s->halves, s->n, &box.active, &box.cell, s->work)) return;
    if (!keep_better(s, &box.cell)) return; /* the first point is another one after narrowing */
    if (take_first(s, box.active, &box.cell)) return;
    int n = parts_of(s, &box, parts);
    for (int i = 0; i < n; i++) search(s, &parts[i]);
}

static int halves_of(const tmap_cut *cuts, const tmap_size_cell *cell, tmap_half *halves) {
    int n = 0;
    for (uint64_t left = cell->assumed; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        halves[n++] = (tmap_half){&cuts[i], cell->reached >> i & 1};
    }
    return n;
}

static search_box whole_box(const tmap_size_cell *cell, int halves_n) {
    return (search_box){halves_n == 64 ? UINT64_MAX : ((uint64_t)1 << halves_n) - 1, *cell};
}

bool tmap_cell_narrow(const tmap_cut *cuts, tmap_size_cell *cell, int64_t *work) {
    tmap_half halves[64];
    int n = halves_of(cuts, cell, halves);
    search_box box = whole_box(cell, n);
    bool has = narrow_box(halves, n, &box.active, &box.cell, work);
    *cell = box.cell;
    return has && tmap_halves_agree(halves, n, cell, work);
}

tmap_least tmap_cell_least(const tmap_cut *cuts, const tmap_size_cell *cell, int64_t *work,
                           uint64_t values[TMAP_SIZES_MAX]) {
    least_search s = {.work = work};
    s.n = halves_of(cuts, cell, s.halves);
    search_box box = whole_box(cell, s.n);
    if (narrow_box(s.halves, s.n, &box.active, &box.cell, work) && tmap_halves_agree(s.halves, s.n, &box.cell, work))
        search(&s, &box);
    if (*work <= 0) return TMAP_LEAST_UNKNOWN;
    memcpy(values, s.best, sizeof s.best);
    return s.found ? TMAP_LEAST_FOUND : TMAP_LEAST_EMPTY;
}
