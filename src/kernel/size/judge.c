/* Judges the rules for all values: finds cells on which every cut of a rule is constant (solve.h), and judges one point
 * of each cell. */
#include <string.h>

#include "diag/refuse.h"
#include "rule/rules.h"
#include "size/solve.h"

/* The judgement of one map or copy. */
typedef struct judging {
    const tmap_sized *sized;
    const tmap_judge *judge;
    tmap_diags *diags;
    tmap_conditions *conditions;
    tmap_trial constant; /* a trial of the unchanged parameters; an error for all values blocks the rules that need its
                            field */
    tmap_size_budget left, given;
    bool no_memory, refused, refused_all;
    bool starved;              /* the file's budget is spent, which is reported */
    tmap_size_cells *no_cells; /* of all undecided conditions without cells */
} judging;

/* One rule on one dimension. */
typedef struct cells_question {
    judging *by;
    int rule, dim;
    const tmap_expr *number; /* judged instead of a rule: must fit its slot; or NULL */
    int slot;
    tmap_size_cells *cells;
    tmap_solver solver;
    tmap_arena_mark before; /* the question */
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
    if (value < 0)
        TMAP_SAY(diag.allowed, "%s", slot_is_signed(q->slot) ? "-2^63 or more" : "0 or more");
    else
        TMAP_SAY(diag.allowed, "%s", slot_is_signed(q->slot) ? "at most 2^63 - 1" : "at most 2^64 - 1");
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

/* Whether every number that the rule reads fits its parameter. */
static bool fits_slots(const cells_question *q, const uint64_t *values) {
    for (int slot = 0; slot < TMAP_SLOTS_N; slot++)
        if ((q->cells->cuts.slots >> slot & 1) && !fits_slot(q, tmap_slot_expr(q->by->sized, slot), slot, values))
            return false;
    return true;
}

/* A rule has no verdict for a number that does not fit its parameter. */
static int verdict_at(void *context, const uint64_t *values) {
    const cells_question *q = context;
    return fits_slots(q, values) ? judge_point(q, values, NULL) : -1;
}

static tmap_size_cell whole_cell(const cells_question *q) {
    return tmap_whole_cell(q->by->sized->sizes, q->by->sized->sizes_n, q->cells->sizes);
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
    tmap_size_cells *cells = tmap_arena_take(j->conditions->arena, sizeof *cells);
    j->no_memory |= !cells;
    if (!cells) return NULL;
    cells->cuts.arena = j->conditions->arena;
    cells->map = j->sized->map;
    return cells;
}

/* ---- Masks ----------------------------------------------------------------------------------------------------- */

/* Whether the rule, which a point breaks, has no finding there: another rule fails with an error on a field that this
 * rule needs, or, for a copy, a rule of its map fails. A finding's texts are made only for an unmasked point, because
 * their computation relies on the other rules. */
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
    return tmap_trial_judge(&trial, q->rule, q->dim) == 0;
}

#define MASKS_MAX 64

/* Finds the least of the first broken points that no other rule masks. Returns false if all of them are masked. */
static bool find_among_first(const cells_question *q, uint64_t least[TMAP_SIZES_MAX]) {
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

#define MASKED_WORK 4000 /* of is_masked, in operations on terms */

static int unmasked_at(void *context, const uint64_t *values) {
    cells_question *q = context;
    q->solver.left.work -= MASKED_WORK;
    for (const tmap_verdict_cell *at = q->cells->first; at; at = at->next)
        if (tmap_cells_has(q->cells, at, values)) return at->verdict && !is_masked(q, values) ? at->verdict : 0;
    return 0;
}

/* The cuts of a rule and of the rules that may mask it. */
static bool gather_masks(const cells_question *q, tmap_cuts *cuts) {
    const tmap_conditions *list = q->by->conditions;
    bool good = tmap_cuts_add(cuts, &q->cells->cuts);
    for (size_t i = 0; i < list->n && good; i++) {
        const tmap_condition *c = &list->items[i];
        if (c->severity == TMAP_ERROR && c->cells->map == q->cells->map) good = tmap_cuts_add(cuts, &c->cells->cuts);
    }
    return good;
}

/* Finds the least broken point that no other rule masks, among all values. */
static bool find_unmasked(cells_question *q, uint64_t least[TMAP_SIZES_MAX]) {
    judging *j = q->by;
    bool found = false;
    tmap_size_cells *cells = new_cells(j);
    if (!cells || !gather_masks(q, &cells->cuts)) return false;
    cells->sizes = free_sizes(j->sized, &cells->cuts);
    tmap_size_cell all = tmap_whole_cell(j->sized->sizes, j->sized->sizes_n, cells->sizes);
    q->solver = (tmap_solver){.cells = cells, .arena = j->conditions->arena, .verdict = unmasked_at, .context = q};
    tmap_solve(&q->solver, &all, &j->left, 16);
    j->no_memory |= q->solver.no_memory;
    for (const tmap_verdict_cell *at = cells->first; at; at = at->next) {
        if (!at->verdict || (found && tmap_points_compare(at->point, least) >= 0)) continue;
        memcpy(least, at->point, sizeof at->point);
        found = true;
    }
    return found;
}

/* ---- Findings ------------------------------------------------------------------------------------------------- */

/* Reports the rule's finding for the least values that break the rule; tmap_conditions_say adds the values that keep
 * it. If other rules mask all broken points, only those rules report. */
static void report(cells_question *q, tmap_condition *c) {
    tmap_first_finding first;
    tmap_diags *found = tmap_first_finding_begin(&first);
    if (!q->number && !find_among_first(q, c->broken) && !find_unmasked(q, c->broken)) return;
    judge_point(q, c->broken, found);
    if (found->count > 0 && tmap_diags_add(q->by->diags, &found->items[0])) c->finding = q->by->diags->count;
}

static bool is_advice(const cells_question *q) {
    return !q->number && tmap_rule_row(q->rule)->info.severity == TMAP_ADVICE;
}

static tmap_condition condition_of(const cells_question *q) {
    const tmap_judge *judge = q->by->judge;
    return (tmap_condition){.subject = judge ? judge->subject : NULL,
                            .rule = q->number ? "value-range" : tmap_rule_row(q->rule)->info.slug,
                            .dim = q->dim,
                            .cells = q->cells};
}

/* Whether the file's budget did not allow the whole budget of a subject, and none is left. */
static bool is_starved(const judging *j) {
    bool whole = j->given.cells >= TMAP_CELLS_MAX && j->given.work >= TMAP_WORK_MAX;
    return !whole && (j->left.cells <= 0 || j->left.work <= 0);
}

/* A subject for which the file's budget does not suffice has one finding. */
static void report_undecided(cells_question *q, const tmap_condition *c) {
    judging *j = q->by;
    tmap_diag diag = tmap_rule_diag("size-undecided", j->judge);
    char names[100];
    bool starved = is_starved(j);
    if (j->starved) return;
    j->starved = starved;
    tmap_say_names(names, sizeof names, j->sized->sizes, j->sized->sizes_n,
                   starved ? tmap_sized_free(j->sized) : c->sizes, NULL);
    if (starved)
        TMAP_SAY(diag.message, "some rules are not decided for all values of %s: the file has too many cases", names);
    else
        TMAP_SAY(diag.message, "rule %s is not decided for all values of %s: there are too many cases", c->rule, names);
    TMAP_SAY(diag.fix.words, "smaller ranges, a multiple_of, or -D for one of these sizes%s",
             starved ? "; or several files" : "");
    tmap_diags_add(j->diags, &diag);
}

/* ---- One rule ------------------------------------------------------------------------------------------------- */

/* Returns whether the condition was added, so that its cells must remain. */
static bool conclude(cells_question *q) {
    judging *j = q->by;
    tmap_condition c = condition_of(q);
    tmap_size_cell all = whole_cell(q);
    c.sizes = q->cells->sizes;
    c.values_n = tmap_cell_points(&all);
    tmap_cells_count(q->cells, &c);
    if (c.kept == TMAP_KEPT_UNDECIDED) c.severity = q->number ? TMAP_ERROR : tmap_rule_row(q->rule)->info.severity;
    if (c.kept == TMAP_KEPT_BY_ALL) return false;
    if (c.kept == TMAP_KEPT_BY_SOME && !tmap_cells_say(q->cells, j->sized->sizes, j->conditions->arena, &c))
        j->no_memory = true;
    bool some = c.kept == TMAP_KEPT_BY_SOME && tmap_cuts_for_all(c.rule);
    if (c.kept != TMAP_KEPT_UNDECIDED && !some) report(q, &c);
    if (c.kept == TMAP_KEPT_UNDECIDED && !is_advice(q)) report_undecided(q, &c);
    bool refused_all = c.kept == TMAP_KEPT_BY_NONE && c.severity == TMAP_ERROR;
    if (refused_all) block_for_all(q, c.broken);
    j->refused_all |= refused_all;
    j->refused |= c.kept != TMAP_KEPT_UNDECIDED && c.severity == TMAP_ERROR;
    if (c.kept == TMAP_KEPT_UNDECIDED && !q->cells->first) {
        c.cells = j->no_cells;
        tmap_arena_return(j->conditions->arena, q->before);
    }
    j->no_memory |= !tmap_conditions_add(j->conditions, &c);
    return true;
}

/* A part of the budget remains for later rules, most of which require little. */
static bool judge_for_values(cells_question *q) {
    tmap_size_cell all = whole_cell(q);
    q->solver =
        (tmap_solver){.cells = q->cells, .arena = q->by->conditions->arena, .verdict = verdict_at, .context = q};
    tmap_solve(&q->solver, &all, &q->by->left, is_advice(q) ? 4 : 2);
    q->by->no_memory |= q->solver.no_memory;
    return !q->by->no_memory && conclude(q);
}

static void add_fit(const cells_question *q, const tmap_size_cell *all, const tmap_expr *expr, int slot) {
    tmap_cuts *cuts = &q->cells->cuts;
    const tmap_cut fits[] = {{.expr = expr, .bound = least_of(slot), .fit = TMAP_FIT_REACHED},
                             {.expr = expr, .bound = most_judged(q, slot) + 1, .fit = TMAP_FIT_NOT_REACHED}};
    for (int i = 0; i < 2; i++) {
        tmap_split split;
        if (tmap_cut_decide(&fits[i], all, &q->by->left.work, &split) == TMAP_CUT_CONSTANT) continue;
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
        bool constant =
            tmap_solver_decide(&q->solver, &all, i, &split) == TMAP_CUT_CONSTANT && !is_never_multiple(&cut, &all);
        if (constant) all.constant |= (uint64_t)1 << i;
        if (constant) continue;
        if (cut.needs) cut.needs = places[cut.needs - 1];
        cuts->items[kept++] = cut;
        places[i] = kept;
    }
    cuts->n = kept;
    q->cells->sizes = free_sizes(q->by->sized, cuts);
}

/* An error for all values is a condition too. */
static bool judge_constant(cells_question *q) {
    tmap_condition c = condition_of(q);
    if (tmap_trial_judge(&q->by->constant, q->rule, q->dim) != TMAP_ERROR + 1) return false;
    c.severity = TMAP_ERROR;
    c.kept = TMAP_KEPT_BY_NONE;
    c.values_n = 1;
    q->by->no_memory |= !tmap_conditions_add(q->by->conditions, &c);
    return true;
}

/* Without budget, all rules of a subject that depend on sizes are one condition. Returns whether it was added. */
static bool starve(cells_question *q) {
    judging *j = q->by;
    tmap_condition c = condition_of(q);
    c.kept = TMAP_KEPT_UNDECIDED;
    c.severity = TMAP_ERROR;
    c.rule = "size-undecided";
    c.dim = -1;
    c.sizes = tmap_sized_free(j->sized);
    c.cells = j->no_cells;
    if (j->starved) return false;
    j->no_memory |= !tmap_conditions_add(j->conditions, &c);
    report_undecided(q, &c);
    return true;
}

/* Returns whether a condition was added. */
static bool judge_rule(cells_question *q) {
    judging *j = q->by;
    if (!(q->cells = new_cells(j))) return false;
    q->solver = (tmap_solver){.cells = q->cells, .left.work = INT64_MAX};
    tmap_cuts_of(j->sized, &j->constant, q->rule, q->dim, &q->cells->cuts);
    q->cells->sizes = free_sizes(j->sized, &q->cells->cuts);
    if (q->cells->sizes && is_starved(j)) return starve(q);
    add_fits(q);
    drop_constant(q);
    j->no_memory |= q->cells->cuts.failed;
    if (q->cells->sizes == 0) return judge_constant(q);
    return !tmap_trial_blocked(&j->constant, q->rule, q->dim) && judge_for_values(q);
}

static bool judge_slot(cells_question *q) {
    if (!(q->cells = new_cells(q->by))) return false;
    q->cells->cuts.items[0] = (tmap_cut){.expr = q->number, .bound = least_of(q->slot)};
    q->cells->cuts.items[1] = (tmap_cut){.expr = q->number, .bound = most_of(q->slot) + 1};
    q->cells->cuts.n = 2;
    q->cells->sizes = free_sizes(q->by->sized, &q->cells->cuts);
    return q->cells->sizes && (is_starved(q->by) ? starve(q) : judge_for_values(q));
}

/* Judges a question, and frees its cells unless a condition has them. */
static void judge(cells_question q) {
    tmap_arena *arena = q.by->conditions->arena;
    q.before = tmap_arena_here(arena);
    if (q.by->no_memory) return;
    if (!(q.number ? judge_slot : judge_rule)(&q)) tmap_arena_return(arena, q.before);
}

static void judge_slots(judging *j) {
    for (int slot = j->sized->copy ? TMAP_SLOT_AT : 0; slot < TMAP_SLOTS_N; slot++) {
        const tmap_expr *expr = tmap_slot_expr(j->sized, slot);
        if (expr) judge((cells_question){.by = j, .rule = -1, .dim = -1, .number = expr, .slot = slot});
    }
}

tmap_status tmap_sized_judge(const tmap_sized *sized, const tmap_judge *by, tmap_conditions *conditions,
                             tmap_diags *diags, bool *some) {
    tmap_size_budget *file = &conditions->left;
    judging j = {.sized = sized, .judge = by, .diags = diags, .conditions = conditions};
    j.given = j.left = tmap_budget_of_subject(file);
    tmap_trial_begin(&j.constant, sized->map, sized->copy, by, diags);
    j.no_cells = new_cells(&j);
    judge_slots(&j);
    for (int rule = 0; tmap_rule_row(rule); rule++) {
        int dim, end;
        for (tmap_trial_dims(&j.constant, rule, &dim, &end); dim < end; dim++)
            judge((cells_question){.by = &j, .rule = rule, .dim = dim});
    }
    file->cells -= j.given.cells - j.left.cells;
    file->work -= j.given.work - j.left.work;
    *some = !j.constant.refused && !j.refused_all;
    if (j.no_memory) return TMAP_NO_MEMORY;
    return j.refused || j.constant.refused ? TMAP_REFUSED : TMAP_OK;
}
