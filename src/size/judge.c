/* Judges the rules for all values: finds cells on which every cut of a rule is constant, and judges one point of each
 * cell. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "diag/refuse.h"
#include "rule/rules.h"
#include "size/cells.h"
#include "size/search.h"

/* The judgement of one map or copy. */
typedef struct judging {
    const tmap_sized *sized;
    const tmap_judge *judge;
    tmap_arena *arena;
    tmap_diags *diags;
    tmap_conditions *conditions;
    tmap_trial constant; /* a trial of the unchanged parameters; an error for all values blocks the rules that need its
                            field */
    int cells_left;
    int64_t work_left;
    bool no_memory, refused, refused_all;
} judging;

/* One rule on one dimension. */
typedef struct cells_question {
    judging *by;
    int rule, dim;
    const tmap_expr *number; /* judged instead of a rule: must fit its slot; or NULL */
    int slot;
    int cells_left;
    int64_t work_left;
    bool has_classes;    /* cells were divided into residue classes */
    bool avoids_classes; /* cells are not divided into residue classes */
    tmap_size_cells *cells;
    tmap_verdict_cell **tail;
} cells_question;

/* ---- Values that a parameter cannot hold ---------------------------------------------------------------------- */

static bool slot_is_signed(int slot) {
    return slot >= TMAP_SLOT_AT;
}

static tmap_i128 least_of(int slot) {
    return slot_is_signed(slot) ? INT64_MIN : 0;
}

static tmap_i128 most_of(int slot) {
    return slot_is_signed(slot) ? INT64_MAX : (tmap_i128)UINT64_MAX;
}

/* The largest value for which a rule is judged. */
static tmap_i128 most_judged(const cells_question *q, int slot) {
    bool box = slot >= TMAP_SLOT_BOX && slot < TMAP_SLOT_ADDRESS;
    return box && q->cells->cuts.legal_box ? TMAP_BOX_MAX : most_of(slot);
}

static bool fits_slot(const cells_question *q, const tmap_expr *expr, int slot, const uint64_t *values) {
    tmap_i128 value = tmap_expr_value(expr, values);
    return value >= least_of(slot) && value <= most_judged(q, slot);
}

static int judge_number(const cells_question *q, const uint64_t *values, tmap_diags *diags) {
    tmap_i128 value = tmap_expr_value(q->number, values);
    if (fits_slot(q, q->number, q->slot, values)) return 0;
    tmap_diag diag = tmap_rule_diag("value-range", q->by->judge);
    tmap_slot_field(q->slot, &diag.field, &diag.dim);
    diag.key = tmap_field_get(diag.field)->name;
    TMAP_SAY(diag.message, "%s is out of range", diag.key);
    TMAP_SAY(diag.given, "%s", value < 0 ? "a number below 0" : "a number of more than 64 bits");
    TMAP_SAY(diag.allowed, "%s", slot_is_signed(q->slot) ? "-2^63 to 2^63 - 1" : "0 to 2^64 - 1");
    tmap_diags_add(diags, &diag);
    return TMAP_ERROR + 1;
}

/* ---- Points --------------------------------------------------------------------------------------------------- */

/* The verdict on one point. Findings and their texts are made only if `diags` is not NULL. With `for_all`, the fields
 * that fail at the point have failed for all values. */
static int judge_point_as(const cells_question *q, const uint64_t *values, tmap_diags *diags, bool for_all) {
    if (q->number) return judge_number(q, values, diags);
    tmap_map_params map = *q->by->sized->map;
    tmap_copy_params copy = q->by->sized->copy ? *q->by->sized->copy : (tmap_copy_params){0};
    tmap_sized_apply(q->by->sized, values, &map, &copy);
    tmap_trial trial = q->by->constant;
    trial.map = &map;
    trial.diags = diags;
    if (trial.copy) trial.copy = &copy;
    tmap_trial_derive(&trial);
    int verdict = tmap_trial_judge(&trial, q->rule, q->dim);
    if (!for_all) return verdict;
    q->by->constant.failed_fields = trial.failed_fields;
    memcpy(q->by->constant.failed, trial.failed, sizeof trial.failed);
    return verdict;
}

static int judge_point(const cells_question *q, const uint64_t *values, tmap_diags *diags) {
    return judge_point_as(q, values, diags, false);
}

/* Blocks the rules that need a field which has an error for all values: they may assume that the field has none. */
static void block_for_all(const cells_question *q, const uint64_t *broken) {
    int field, dim;
    judge_point_as(q, broken, NULL, true);
    if (!q->number) return;
    tmap_slot_field(q->slot, &field, &dim);
    tmap_trial_fail(&q->by->constant, (tmap_field)field, dim);
}

/* ---- Cells ---------------------------------------------------------------------------------------------------- */

/* Whether every number that the rule reads fits its parameter. */
static bool fits_slots(const cells_question *q, const uint64_t *values) {
    for (int slot = 0; slot < TMAP_SLOTS_N; slot++)
        if ((q->cells->cuts.slots >> slot & 1) && !fits_slot(q, tmap_slot_expr(q->by->sized, slot), slot, values))
            return false;
    return true;
}

static void solve(cells_question *q, const tmap_size_cell *cell);

static void solve_part(cells_question *q, const tmap_size_cell *cell, int size, tmap_size_range range) {
    tmap_size_cell part = *cell;
    part.ranges[size] = range;
    solve(q, &part);
}

/* A rule has no verdict for a number that does not fit its parameter. */
static void add_cell(cells_question *q, const tmap_size_cell *cell) {
    uint64_t values[TMAP_SIZES_MAX];
    tmap_least least = tmap_cell_least(q->cells->cuts.items, cell, &q->work_left, values);
    if (least == TMAP_LEAST_UNKNOWN) q->cells->undecided = true;
    if (least != TMAP_LEAST_FOUND || !fits_slots(q, values)) return;
    tmap_verdict_cell *added = tmap_arena_take(q->by->arena, sizeof *added);
    if (!added) {
        q->by->no_memory = true;
        return;
    }
    added->cell = *cell;
    memcpy(added->point, values, sizeof values);
    added->verdict = judge_point(q, values, NULL);
    *q->tail = added;
    q->tail = &added->next;
}

/* Whether the numbers of a cell whose cut has this value fit their parameters. */
static bool fits(const tmap_cut *cut, bool reached) {
    return cut->fit == TMAP_FIT_ANY || reached == (cut->fit == TMAP_FIT_REACHED);
}

/* Divides the cell into the points on each side of a cut. */
static void assume(cells_question *q, const tmap_size_cell *cell, int cut) {
    for (int reached = 0; reached < 2; reached++) {
        if (!fits(&q->cells->cuts.items[cut], reached)) continue;
        tmap_size_cell part = *cell;
        part.assumed |= (uint64_t)1 << cut;
        part.reached |= (uint64_t)reached << cut;
        if (tmap_cell_narrow(q->cells->cuts.items, &part, &q->work_left)) solve(q, &part);
    }
}

/* The value of a cut, 0 or 1, if the cut is assumed, or if it is of kind AT_LEAST and its other value contradicts an
 * assumed cut; otherwise -1. */
static int assumed_value(cells_question *q, const tmap_size_cell *cell, int cut) {
    const tmap_cut *cuts = q->cells->cuts.items;
    if (cell->assumed >> cut & 1) return (int)(cell->reached >> cut & 1);
    for (uint64_t left = cuts[cut].kind == TMAP_CUT_AT_LEAST ? cell->assumed : 0; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        if (cuts[i].kind != TMAP_CUT_AT_LEAST) continue;
        for (int value = 0; value < 2; value++) {
            const tmap_half halves[] = {{&cuts[i], cell->reached >> i & 1}, {&cuts[cut], value == 0}};
            if (!tmap_halves_agree(halves, 2, cell, &q->work_left)) return value;
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

/* Whether a cut is constant over the cell, or does not matter. If not, *split makes the cell smaller. */
static tmap_decided decide(cells_question *q, tmap_size_cell *cell, int cut, tmap_split *split) {
    const tmap_cut *of = &q->cells->cuts.items[cut];
    if (is_ignored(of, cell)) {
        cell->ignored |= (uint64_t)1 << cut;
        return TMAP_CUT_CONSTANT;
    }
    int value = assumed_value(q, cell, cut);
    tmap_decided decided = value < 0 ? tmap_cut_decide(of, cell, &q->work_left, split) : TMAP_CUT_CONSTANT;
    if (decided == TMAP_CUT_SPLITS && split->classes) {
        q->has_classes = true;
        split->assumes = q->avoids_classes;
    }
    if (decided == TMAP_CUT_CONSTANT && value < 0) {
        uint64_t values[TMAP_SIZES_MAX];
        for (int i = 0; i < TMAP_SIZES_MAX; i++) values[i] = cell->ranges[i].first;
        value = (int)tmap_cut_value(of, values);
    }
    if (value == 1) cell->reached |= (uint64_t)1 << cut;
    return decided;
}

static void solve_parts(cells_question *q, const tmap_size_cell *cell, const tmap_split *split) {
    tmap_size_range all = cell->ranges[split->size];
    for (uint64_t i = 0; i < split->classes && !q->cells->undecided; i++)
        solve_part(q, cell, split->size,
                   (tmap_size_range){all.first + i * all.step, all.step * split->classes,
                                     (all.n - i + split->classes - 1) / split->classes});
    if (split->classes) return;
    solve_part(q, cell, split->size, (tmap_size_range){all.first, all.step, split->head});
    solve_part(q, cell, split->size,
               (tmap_size_range){all.first + split->head * all.step, all.step, all.n - split->head});
}

/* The order of cuts: comparisons of one size narrow ranges, and numbers that do not fit need no verdict. */
typedef enum stage { ONE_SIZE, FITS, ALL_CUTS } stage;

static bool is_in_stage(const tmap_cut *cut, stage of) {
    if (of == ONE_SIZE) return cut->kind == TMAP_CUT_AT_LEAST && __builtin_popcount(cut->expr->sizes) == 1;
    return of == ALL_CUTS || cut->fit != TMAP_FIT_ANY;
}

/* Decides the cuts of a stage. Returns false if the cell was made smaller, or if a number does not fit its parameter.
 */
static bool solve_stage(cells_question *q, tmap_size_cell *now, stage of) {
    tmap_split split;
    for (int i = 0; i < q->cells->cuts.n; i++) {
        const tmap_cut *cut = &q->cells->cuts.items[i];
        if ((now->constant >> i & 1) || !is_in_stage(cut, of)) continue;
        tmap_decided decided = decide(q, now, i, &split);
        if (decided == TMAP_CUT_TOO_LARGE) q->cells->undecided = true;
        if (decided == TMAP_CUT_SPLITS && split.assumes) assume(q, now, i);
        if (decided == TMAP_CUT_SPLITS && !split.assumes) solve_parts(q, now, &split);
        if (decided != TMAP_CUT_CONSTANT || !fits(cut, now->reached >> i & 1)) return false;
        now->constant |= (uint64_t)1 << i;
    }
    return true;
}

static void solve(cells_question *q, const tmap_size_cell *cell) {
    tmap_size_cell now = *cell;
    if (q->cells->undecided || q->by->no_memory) return;
    if (q->cells_left-- <= 0 || q->work_left <= 0) {
        q->cells->undecided = true;
        return;
    }
    if (solve_stage(q, &now, ONE_SIZE) && solve_stage(q, &now, FITS) && solve_stage(q, &now, ALL_CUTS))
        add_cell(q, &now);
}

/* The cell of all values: each size that the rule depends on has its whole range, all other sizes have their least
 * value. */
static tmap_size_cell whole_cell(const cells_question *q) {
    tmap_size_cell cell = {.assumed = 0};
    for (int i = 0; i < TMAP_SIZES_MAX; i++) {
        const tmap_size *size = i < q->by->sized->sizes_n ? &q->by->sized->sizes[i] : NULL;
        cell.ranges[i] = (tmap_size_range){size ? size->min : 0, size ? size->multiple : 1, 1};
        if (size && (q->cells->sizes >> i & 1)) cell.ranges[i].n = (size->max - size->min) / size->multiple + 1;
    }
    return cell;
}

/* ---- Masks ----------------------------------------------------------------------------------------------------- */

/* Whether another rule fails at a point with an error on a field that this rule needs; for a copy, also whether a rule
 * of its map fails. A finding's texts are made only for an unmasked point, because their computation relies on the
 * other rules. */
static bool is_masked(const cells_question *q, const uint64_t *values) {
    tmap_map_params map = *q->by->sized->map;
    tmap_copy_params copy = q->by->sized->copy ? *q->by->sized->copy : (tmap_copy_params){0};
    tmap_sized_apply(q->by->sized, values, &map, &copy);
    if (q->by->sized->copy && tmap_check_map(&map, q->by->judge, NULL) != TMAP_OK) return true;
    tmap_trial trial;
    tmap_trial_begin(&trial, &map, q->by->sized->copy ? &copy : NULL, q->by->judge, NULL);
    for (int rule = 0; rule < q->rule; rule++) {
        int dim, end;
        for (tmap_trial_dims(&trial, rule, &dim, &end); dim < end; dim++) tmap_trial_judge(&trial, rule, dim);
    }
    return tmap_trial_blocked(&trial, q->rule, q->dim);
}

#define MASKS_MAX 64

/* Finds the least of the first broken points that no other rule masks. Returns false if all of them are masked. */
static bool find_unmasked(const cells_question *q, uint64_t least[TMAP_SIZES_MAX]) {
    uint64_t values[TMAP_SIZES_MAX];
    bool found = false;
    int tried = 0;
    for (const tmap_verdict_cell *at = q->cells->first; at && tried < MASKS_MAX; at = at->next) {
        memcpy(values, at->point, sizeof values);
        if (!at->verdict || (found && tmap_points_compare(values, least) >= 0)) continue;
        tried++;
        if (is_masked(q, values)) continue;
        memcpy(least, values, sizeof values);
        found = true;
    }
    return found;
}

/* ---- Conditions ----------------------------------------------------------------------------------------------- */

static bool add_condition(judging *j, const tmap_condition *condition) {
    tmap_conditions *list = j->conditions;
    if (!list) return true;
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 8;
        tmap_condition *items = tmap_arena_take(j->arena, capacity * sizeof *items);
        if (!items) return false;
        if (list->n) memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->n++] = *condition;
    return true;
}

/* ---- Findings ------------------------------------------------------------------------------------------------- */

static void say_point(char *text, size_t size, const tmap_sized *sized, uint32_t sizes, const uint64_t *values) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < sized->sizes_n; i++) {
        if (!(sizes >> i & 1)) continue;
        tmap_say(text + used, size - used, "%s%s = %" PRIu64, used ? ", " : "", sized->sizes[i].name, values[i]);
        used = strlen(text);
    }
}

static void say_legal(const judging *j, const tmap_condition *c, tmap_diag *diag) {
    char point[120], kept[160];
    size_t used = strlen(diag->message);
    say_point(point, sizeof point, j->sized, c->sizes, c->broken);
    if (c->severity == TMAP_ADVICE) {
        tmap_say(diag->message + used, sizeof diag->message - used, "; first value: %s", point);
        return;
    }
    if (c->kept == TMAP_KEPT_BY_NONE)
        TMAP_SAY(kept, "for no value");
    else if (c->keeps)
        TMAP_SAY(kept, "where %s", c->keeps);
    else if (c->kept_n == UINT64_MAX)
        TMAP_SAY(kept, "for some values");
    else
        TMAP_SAY(kept, "for %" PRIu64 " of %" PRIu64 " values", c->kept_n, c->values_n);
    tmap_say(diag->message + used, sizeof diag->message - used, "; legal %s; first illegal %s", kept, point);
}

/* Suggests the range that contains exactly the legal values, if there is one; otherwise names a legal point. */
static void say_fix(const judging *j, const tmap_condition *c, tmap_diag *diag) {
    char point[120];
    const tmap_size *range = &c->range;
    if (c->kept == TMAP_KEPT_BY_NONE || c->severity == TMAP_ADVICE) return;
    say_point(point, sizeof point, j->sized, c->sizes, c->legal);
    if (!range->name)
        TMAP_SAY(diag->fix, "sizes: only ranges of legal values, such as %s", point);
    else if (range->multiple > 1)
        TMAP_SAY(diag->fix, "sizes: {%s: {min: %" PRIu64 ", max: %" PRIu64 ", multiple_of: %" PRIu64 "}}", range->name,
                 range->min, range->max, range->multiple);
    else
        TMAP_SAY(diag->fix, "sizes: {%s: {min: %" PRIu64 ", max: %" PRIu64 "}}", range->name, range->min, range->max);
    if (c->keeps) TMAP_SAY(diag->allowed, "%s", c->keeps);
}

/* Reports the rule's finding for the least values that break the rule, and the values that keep the rule. If other
 * rules mask all broken points, only those rules report. */
static void report(cells_question *q, tmap_condition *c) {
    tmap_first_finding first;
    tmap_diags *found = tmap_first_finding_begin(&first);
    if (!q->number && !find_unmasked(q, c->broken)) return;
    judge_point(q, c->broken, found);
    if (found->count == 0) return;
    say_legal(q->by, c, &found->items[0]);
    say_fix(q->by, c, &found->items[0]);
    tmap_diags_add(q->by->diags, &found->items[0]);
}

static void report_undecided(cells_question *q, const tmap_condition *c) {
    tmap_diag diag = tmap_rule_diag("size-undecided", q->by->judge);
    char names[100] = "";
    size_t used = 0;
    for (int i = 0; i < q->by->sized->sizes_n; i++) {
        if (!(c->sizes >> i & 1)) continue;
        tmap_say(names + used, sizeof names - used, "%s%s", used ? ", " : "", q->by->sized->sizes[i].name);
        used = strlen(names);
    }
    TMAP_SAY(diag.message, "rule %s is not decided for all values of %s: there are too many cases", c->rule, names);
    TMAP_SAY(diag.fix, "smaller ranges, a multiple_of, or -D for one of these sizes");
    tmap_diags_add(q->by->diags, &diag);
}

/* ---- One rule ------------------------------------------------------------------------------------------------- */

static bool is_advice(const cells_question *q) {
    return !q->number && tmap_rule_row(q->rule)->info.severity == TMAP_ADVICE;
}

static void conclude(cells_question *q) {
    judging *j = q->by;
    const char *rule = q->number ? "value-range" : tmap_rule_row(q->rule)->info.slug;
    tmap_condition c = {.rule = rule, .dim = q->dim, .cells = q->cells};
    tmap_size_cell all = whole_cell(q);
    c.sizes = q->cells->sizes;
    c.subject = j->judge ? j->judge->subject : NULL;
    c.values_n = tmap_cell_points(&all);
    tmap_cells_count(q->cells, &c);
    if (c.kept == TMAP_KEPT_BY_ALL) return;
    if (c.kept == TMAP_KEPT_BY_SOME && !tmap_cells_say(q->cells, j->sized, j->arena, &c)) j->no_memory = true;
    bool some = c.kept == TMAP_KEPT_BY_SOME && tmap_cuts_for_all(rule);
    if (c.kept != TMAP_KEPT_UNDECIDED && !some) report(q, &c);
    if (c.kept == TMAP_KEPT_UNDECIDED && !is_advice(q)) report_undecided(q, &c);
    bool refused_all = c.kept == TMAP_KEPT_BY_NONE && c.severity == TMAP_ERROR;
    if (refused_all) block_for_all(q, c.broken);
    j->refused_all |= refused_all;
    j->refused |= c.kept != TMAP_KEPT_UNDECIDED && c.severity == TMAP_ERROR;
    if (!add_condition(j, &c)) j->no_memory = true;
}

/* Divides all values into cells. Returns false if the limits do not allow this. */
static bool find_cells(cells_question *q, const tmap_size_cell *all, int cells, int64_t work) {
    q->cells_left = cells;
    q->work_left = work;
    q->cells->first = NULL;
    q->cells->undecided = false;
    q->tail = &q->cells->first;
    solve(q, all);
    q->by->cells_left -= cells - (q->cells_left > 0 ? q->cells_left : 0);
    q->by->work_left -= work - q->work_left;
    return !q->cells->undecided;
}

/* Residue classes give short texts. If there are too many classes, cells are divided by assumed residues instead. A
 * part of the cells and of the work remains for later rules, most of which require little. */
static void judge_for_values(cells_question *q) {
    tmap_size_cell all = whole_cell(q);
    int share = is_advice(q) ? 4 : 2;
    bool found = find_cells(q, &all, q->by->cells_left / share, q->by->work_left / share);
    if (!found && q->has_classes) {
        q->avoids_classes = true;
        find_cells(q, &all, q->by->cells_left / share, q->by->work_left / share);
    }
    if (!q->by->no_memory) conclude(q);
}

/* A size with one value counts as a number, not as a free size. */
static uint32_t free_sizes(const tmap_sized *sized, const tmap_cuts *cuts) {
    uint32_t sizes = 0;
    for (int i = 0; i < cuts->n; i++) sizes |= cuts->items[i].expr->sizes;
    for (int i = 0; i < sized->sizes_n; i++)
        if (sized->sizes[i].min == sized->sizes[i].max) sizes &= ~((uint32_t)1 << i);
    return sizes;
}

static tmap_size_cells *new_cells(judging *j) {
    tmap_size_cells *cells = tmap_arena_take(j->arena, sizeof *cells);
    if (cells) cells->cuts.arena = j->arena;
    if (!cells) j->no_memory = true;
    return cells;
}

static void add_fit(const cells_question *q, const tmap_size_cell *all, const tmap_expr *expr, int slot) {
    tmap_cuts *cuts = &q->cells->cuts;
    const tmap_cut fits[] = {{.expr = expr, .bound = least_of(slot), .fit = TMAP_FIT_REACHED},
                             {.expr = expr, .bound = most_judged(q, slot) + 1, .fit = TMAP_FIT_NOT_REACHED}};
    for (int i = 0; i < 2; i++) {
        tmap_split split;
        if (tmap_cut_decide(&fits[i], all, &q->by->work_left, &split) == TMAP_CUT_CONSTANT) continue;
        if (cuts->n == (int)(sizeof cuts->items / sizeof *cuts->items))
            cuts->failed = true;
        else
            cuts->items[cuts->n++] = fits[i];
    }
}

/* A rule has no verdict for a number that does not fit its parameter, so the limits of parameters are cuts too. */
static void add_fits(cells_question *q) {
    tmap_size_cell all = whole_cell(q);
    for (int slot = 0; slot < TMAP_SLOTS_N; slot++)
        if (q->cells->cuts.slots >> slot & 1) add_fit(q, &all, tmap_slot_expr(q->by->sized, slot), slot);
}

/* Such a cut is not removed: a rule that all values break reports the least of these values. */
static bool is_never_multiple(const tmap_cut *cut, const tmap_size_cell *cell) {
    return cut->kind == TMAP_CUT_MULTIPLE && tmap_cut_constant(cut, cell) == 0;
}

/* Removes the cuts that are constant over all values, or do not matter. */
static void drop_constant(cells_question *q) {
    tmap_size_cell all = whole_cell(q);
    tmap_cuts *cuts = &q->cells->cuts;
    int kept = 0, places[sizeof cuts->items / sizeof *cuts->items]; /* 1 + the new number; 0: removed */
    for (int i = 0; i < cuts->n; i++) {
        tmap_split split;
        tmap_cut cut = cuts->items[i];
        places[i] = 0;
        bool constant = decide(q, &all, i, &split) == TMAP_CUT_CONSTANT && !is_never_multiple(&cut, &all);
        if (constant) all.constant |= (uint64_t)1 << i;
        if (constant) continue;
        if (cut.needs) cut.needs = places[cut.needs - 1];
        cuts->items[kept++] = cut;
        places[i] = kept;
    }
    cuts->n = kept;
    q->cells->sizes = free_sizes(q->by->sized, cuts);
}

static void judge_rule(judging *j, int rule, int dim) {
    cells_question q = {.by = j, .rule = rule, .dim = dim, .cells = new_cells(j), .work_left = INT64_MAX};
    if (!q.cells) return;
    tmap_cuts_of(j->sized, rule, dim, &q.cells->cuts);
    q.cells->sizes = free_sizes(j->sized, &q.cells->cuts);
    add_fits(&q);
    drop_constant(&q);
    j->no_memory |= q.cells->cuts.failed;
    if (q.cells->sizes == 0)
        tmap_trial_judge(&j->constant, rule, dim);
    else if (!tmap_trial_blocked(&j->constant, rule, dim))
        judge_for_values(&q);
}

static void judge_slot(judging *j, int slot, const tmap_expr *expr) {
    cells_question q = {.by = j, .rule = -1, .dim = -1, .number = expr, .slot = slot, .cells = new_cells(j)};
    if (!q.cells) return;
    q.cells->cuts.items[0] = (tmap_cut){.expr = expr, .bound = least_of(slot)};
    q.cells->cuts.items[1] = (tmap_cut){.expr = expr, .bound = most_of(slot) + 1};
    q.cells->cuts.n = 2;
    q.cells->sizes = free_sizes(j->sized, &q.cells->cuts);
    if (q.cells->sizes) judge_for_values(&q);
}

static void judge_slots(judging *j) {
    for (int slot = j->sized->copy ? TMAP_SLOT_AT : 0; slot < TMAP_SLOTS_N; slot++) {
        const tmap_expr *expr = tmap_slot_expr(j->sized, slot);
        if (expr && !j->no_memory) judge_slot(j, slot, expr);
    }
}

tmap_status tmap_sized_judge(const tmap_sized *sized, const tmap_judge *judge, tmap_arena *arena, tmap_diags *diags,
                             tmap_conditions *conditions, bool *some) {
    judging j = {.sized = sized,
                 .judge = judge,
                 .arena = arena,
                 .diags = diags,
                 .conditions = conditions,
                 .cells_left = TMAP_CELLS_MAX,
                 .work_left = TMAP_WORK_MAX};
    tmap_trial_begin(&j.constant, sized->map, sized->copy, judge, diags);
    judge_slots(&j);
    for (int rule = 0; tmap_rule_row(rule); rule++) {
        int dim, end;
        for (tmap_trial_dims(&j.constant, rule, &dim, &end); dim < end && !j.no_memory; dim++)
            judge_rule(&j, rule, dim);
    }
    *some = !j.constant.refused && !j.refused_all;
    if (j.no_memory) return TMAP_NO_MEMORY;
    return j.refused || j.constant.refused ? TMAP_REFUSED : TMAP_OK;
}
