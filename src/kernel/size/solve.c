/* Finds cells on which every cut is constant, and the verdict at one point of each cell. */
#include "size/solve.h"

#include <string.h>

#include "size/search.h"

static void solve(tmap_solver *s, const tmap_size_cell *cell);

static void solve_part(tmap_solver *s, const tmap_size_cell *cell, int size, tmap_size_range range) {
    tmap_size_cell part = *cell;
    part.ranges[size] = range;
    solve(s, &part);
}

static void add_cell(tmap_solver *s, const tmap_size_cell *cell) {
    uint64_t values[TMAP_SIZES_MAX];
    tmap_least least = tmap_cell_least(s->cells->cuts.items, cell, &s->left.work, values);
    if (least == TMAP_LEAST_UNKNOWN) s->cells->undecided = true;
    int verdict = least == TMAP_LEAST_FOUND ? s->verdict(s->context, values) : -1;
    if (verdict < 0) return;
    tmap_verdict_cell *added = tmap_arena_take(s->arena, sizeof *added);
    if (!added) {
        s->no_memory = true;
        return;
    }
    added->cell = *cell;
    memcpy(added->point, values, sizeof values);
    added->verdict = verdict;
    *s->tail = added;
    s->tail = &added->next;
}

/* Whether the numbers of a cell whose cut has this value fit their parameters. */
static bool fits(const tmap_cut *cut, bool reached) {
    return cut->fit == TMAP_FIT_ANY || reached == (cut->fit == TMAP_FIT_REACHED);
}

/* Divides the cell into the points on each side of a cut. */
static void assume(tmap_solver *s, const tmap_size_cell *cell, int cut) {
    for (int reached = 0; reached < 2; reached++) {
        if (!fits(&s->cells->cuts.items[cut], reached)) continue;
        tmap_size_cell part = *cell;
        part.assumed |= (uint64_t)1 << cut;
        part.reached |= (uint64_t)reached << cut;
        if (tmap_cell_narrow(s->cells->cuts.items, &part, &s->left.work)) solve(s, &part);
    }
}

/* The value of a cut, 0 or 1, if the cut is assumed, or if it is of kind AT_LEAST and its other value contradicts an
 * assumed cut; otherwise -1. */
static int assumed_value(tmap_solver *s, const tmap_size_cell *cell, int cut) {
    const tmap_cut *cuts = s->cells->cuts.items;
    if (cell->assumed >> cut & 1) return (int)(cell->reached >> cut & 1);
    for (uint64_t left = cuts[cut].kind == TMAP_CUT_AT_LEAST ? cell->assumed : 0; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        if (cuts[i].kind != TMAP_CUT_AT_LEAST) continue;
        for (int value = 0; value < 2; value++) {
            const tmap_half halves[] = {{&cuts[i], cell->reached >> i & 1}, {&cuts[cut], value == 0}};
            if (!tmap_halves_agree(halves, 2, cell, &s->left.work)) return value;
        }
    }
    return -1;
}

/* Whether the value of the earlier cut that this cut needs shows that this cut does not matter. */
static bool is_ignored(const tmap_cut *cut, const tmap_size_cell *cell) {
    int of = cut->needs - 1;
    if (of < 0 || !(cell->constant >> of & 1)) return false;
    return (cell->ignored >> of & 1) || (cell->reached >> of & 1) != cut->needs_reached;
}

tmap_decided tmap_solver_decide(tmap_solver *s, tmap_size_cell *cell, int cut, tmap_split *split) {
    const tmap_cut *of = &s->cells->cuts.items[cut];
    if (is_ignored(of, cell)) {
        cell->ignored |= (uint64_t)1 << cut;
        return TMAP_CUT_CONSTANT;
    }
    int value = assumed_value(s, cell, cut);
    tmap_decided decided = value < 0 ? tmap_cut_decide(of, cell, &s->left.work, split) : TMAP_CUT_CONSTANT;
    if (decided == TMAP_CUT_SPLITS && split->classes) {
        s->has_classes = true;
        split->assumes = s->avoids_classes;
    }
    if (decided == TMAP_CUT_CONSTANT && value < 0) {
        uint64_t values[TMAP_SIZES_MAX];
        for (int i = 0; i < TMAP_SIZES_MAX; i++) values[i] = cell->ranges[i].first;
        value = (int)tmap_cut_value(of, values);
    }
    if (value == 1) cell->reached |= (uint64_t)1 << cut;
    return decided;
}

static void solve_parts(tmap_solver *s, const tmap_size_cell *cell, const tmap_split *split) {
    tmap_size_range all = cell->ranges[split->size];
    for (uint64_t i = 0; i < split->classes && !s->cells->undecided; i++)
        solve_part(s, cell, split->size,
                   (tmap_size_range){all.first + i * all.step, all.step * split->classes,
                                     (all.n - i + split->classes - 1) / split->classes});
    if (split->classes) return;
    solve_part(s, cell, split->size, (tmap_size_range){all.first, all.step, split->head});
    solve_part(s, cell, split->size,
               (tmap_size_range){all.first + split->head * all.step, all.step, all.n - split->head});
}

/* The order of cuts: comparisons of one size narrow ranges, and numbers that do not fit need no verdict. */
typedef enum stage { ONE_SIZE, FITS, ALL_CUTS } stage;

static bool is_in_stage(const tmap_cut *cut, stage of) {
    if (of == ONE_SIZE) return cut->kind == TMAP_CUT_AT_LEAST && __builtin_popcount(cut->expr->sizes) == 1;
    return of == ALL_CUTS || cut->fit != TMAP_FIT_ANY;
}

/* Decides the cuts of a stage. Returns false if the cell was made smaller, or a number does not fit its parameter. */
static bool solve_stage(tmap_solver *s, tmap_size_cell *now, stage of) {
    tmap_split split;
    for (int i = 0; i < s->cells->cuts.n; i++) {
        const tmap_cut *cut = &s->cells->cuts.items[i];
        if ((now->constant >> i & 1) || !is_in_stage(cut, of)) continue;
        tmap_decided decided = tmap_solver_decide(s, now, i, &split);
        if (decided == TMAP_CUT_TOO_LARGE) s->cells->undecided = true;
        if (decided == TMAP_CUT_SPLITS && split.assumes) assume(s, now, i);
        if (decided == TMAP_CUT_SPLITS && !split.assumes) solve_parts(s, now, &split);
        if (decided != TMAP_CUT_CONSTANT || !fits(cut, now->reached >> i & 1)) return false;
        now->constant |= (uint64_t)1 << i;
    }
    return true;
}

static void solve(tmap_solver *s, const tmap_size_cell *cell) {
    tmap_size_cell now = *cell;
    if (s->cells->undecided || s->no_memory) return;
    if (s->left.cells-- <= 0 || s->left.work <= 0) {
        s->cells->undecided = true;
        return;
    }
    if (solve_stage(s, &now, ONE_SIZE) && solve_stage(s, &now, FITS) && solve_stage(s, &now, ALL_CUTS))
        add_cell(s, &now);
}

/* Returns false if the limits do not allow this. */
static bool find_cells(tmap_solver *s, const tmap_size_cell *all, tmap_size_budget *budget, int share) {
    const tmap_size_budget given = {budget->cells / share, budget->work / share};
    s->left = given;
    s->cells->first = NULL;
    s->cells->undecided = false;
    s->tail = &s->cells->first;
    solve(s, all);
    budget->cells -= given.cells - (s->left.cells > 0 ? s->left.cells : 0);
    budget->work -= given.work - s->left.work;
    return !s->cells->undecided;
}

/* Residue classes give short texts. If there are too many classes, cells are divided by assumed residues instead. */
void tmap_solve(tmap_solver *s, const tmap_size_cell *all, tmap_size_budget *budget, int share) {
    if (find_cells(s, all, budget, share) || !s->has_classes) return;
    s->avoids_classes = true;
    find_cells(s, all, budget, share);
}

static int64_t least_of(int64_t a, int64_t b) {
    return a < b ? a : b;
}

tmap_size_budget tmap_budget_of_subject(const tmap_size_budget *file) {
    return (tmap_size_budget){least_of(file->cells, TMAP_CELLS_MAX), least_of(file->work, TMAP_WORK_MAX)};
}
