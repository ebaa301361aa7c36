/* The conditions of a file, and the values that keep several conditions at once. */
#include <inttypes.h>
#include <string.h>

#include "diag/refuse.h"
#include "size/solve.h"

tmap_conditions tmap_conditions_begin(tmap_arena *arena) {
    return (tmap_conditions){
        .arena = arena, .left = {(int64_t)TMAP_FILE_TIMES * TMAP_CELLS_MAX, (int64_t)TMAP_FILE_TIMES * TMAP_WORK_MAX}};
}

bool tmap_conditions_add(tmap_conditions *list, const tmap_condition *condition) {
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 8;
        tmap_condition *items = tmap_arena_array(list->arena, capacity, sizeof *items);
        if (!items) return false;
        if (list->n) memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->n++] = *condition;
    return true;
}

/* ---- Legal values ------------------------------------------------------------------------------------------------ */

static bool keeps_all(const tmap_conditions *list, tmap_severity severity, const uint64_t *values) {
    for (size_t i = 0; i < list->n; i++) {
        const tmap_condition *c = &list->items[i];
        bool matters = c->severity >= severity && c->kept != TMAP_KEPT_BY_NONE;
        if (matters && !tmap_condition_keeps(c, values)) return false;
    }
    return true;
}

#define CANDIDATES_MAX 12
#define TRIES_MAX      20000

/* Values of one size that are probably legal: round numbers, the bounds, and numbers in conditions. */
static int candidates_of(const tmap_conditions *list, const tmap_size *range, int size, uint64_t *found) {
    static const uint64_t rounds[] = {4096, 1024, 128, 64, 16};
    int n = 0;
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
        if (rounds[i] > range->min && rounds[i] < range->max && rounds[i] % range->multiple == 0)
            found[n++] = rounds[i];
    found[n++] = range->min;
    if (range->max > range->min) found[n++] = range->max;
    for (size_t i = 0; i < list->n && n < CANDIDATES_MAX; i++)
        if (list->items[i].sizes >> size & 1) found[n++] = list->items[i].legal[size];
    return n;
}

/* The sizes from `size` on, and the least severity of the conditions to keep. */
typedef struct sizes_left {
    const tmap_size *sizes;
    int size, n;
    tmap_severity severity;
} sizes_left;

static bool try_from(const tmap_conditions *list, sizes_left left, int *tries, uint64_t *values) {
    uint64_t found[CANDIDATES_MAX];
    int size = left.size++;
    if (size == left.n) {
        --*tries;
        return keeps_all(list, left.severity, values);
    }
    int n = candidates_of(list, &left.sizes[size], size, found);
    for (int i = 0; *tries > 0 && i < n; i++) {
        values[size] = found[i];
        if (try_from(list, left, tries, values)) return true;
    }
    return false;
}

bool tmap_conditions_legal(const tmap_conditions *list, tmap_severity severity, const tmap_size *sizes, int sizes_n,
                           uint64_t *values) {
    int tries = TRIES_MAX / (int)(1 + list->n / 64);
    return try_from(list, (sizes_left){sizes, 0, sizes_n, severity}, &tries, values);
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

/* The conditions of at least one severity whose sizes are connected: of two of them that share no size, others share
 * sizes with both. Conditions that no value keeps require another change. `all` has the values that keep the group. */
typedef struct group {
    tmap_condition all; /* first: tmap_condition.all refers to it */
    const tmap_conditions *list;
    const tmap_map_params *map; /* only conditions of this map and its copies; NULL: of the file */
    tmap_severity severity;
    uint32_t sizes;
    bool known; /* all.legal keep them */
    int64_t *work;
} group;

static bool is_in(const group *g, const tmap_condition *c) {
    return c->severity >= g->severity && c->kept != TMAP_KEPT_BY_NONE && (c->sizes & g->sizes) != 0 &&
           (!g->map || g->map == c->cells->map);
}

static bool keeps_group(const group *g, const uint64_t *values) {
    for (size_t i = 0; i < g->list->n; i++) {
        const tmap_condition *c = &g->list->items[i];
        if (!is_in(g, c)) continue;
        for (const tmap_verdict_cell *at = c->cells->first; at; at = at->next) --*g->work;
        if (!tmap_condition_keeps(c, values)) return false;
    }
    return true;
}

static int verdict_of_group(void *context, const uint64_t *values) {
    const group *g = context;
    return keeps_group(g, values) ? 0 : 1 + (int)g->severity;
}

static void connect(group *g) {
    for (uint32_t before = 0; before != g->sizes;) {
        before = g->sizes;
        for (size_t i = 0; i < g->list->n; i++)
            if (is_in(g, &g->list->items[i])) g->sizes |= g->list->items[i].sizes;
    }
}

/* Whether the cuts of all conditions are known and fit. */
static bool gather(const group *g, tmap_size_cells *cells) {
    for (size_t i = 0; i < g->list->n; i++) {
        const tmap_condition *c = &g->list->items[i];
        if (!is_in(g, c)) continue;
        if (c->kept == TMAP_KEPT_UNDECIDED || !tmap_cuts_add(&cells->cuts, &c->cells->cuts)) return false;
    }
    return true;
}

static bool find_values(group *g, tmap_conditions *list, const tmap_size *sizes, int sizes_n) {
    tmap_size_cells *cells = tmap_arena_take(list->arena, sizeof *cells);
    if (!cells) return false;
    g->all = (tmap_condition){.kept = TMAP_KEPT_UNDECIDED, .kept_n = UINT64_MAX, .sizes = g->sizes, .cells = cells};
    if (!gather(g, cells)) return true;
    cells->sizes = g->sizes;
    tmap_solver solver = {.cells = cells, .arena = list->arena, .verdict = verdict_of_group, .context = g};
    g->work = &solver.left.work;
    tmap_size_cell all = tmap_whole_cell(sizes, sizes_n, g->sizes);
    tmap_size_budget given = tmap_budget_of_subject(&list->left), left = given;
    tmap_solve(&solver, &all, &left, 16);
    list->left.cells -= given.cells - left.cells;
    list->left.work -= given.work - left.work;
    g->all.values_n = tmap_cell_points(&all);
    g->all.kept_n = 0;
    tmap_cells_count(cells, &g->all);
    return !solver.no_memory &&
           (g->all.kept != TMAP_KEPT_BY_SOME || tmap_cells_say(cells, sizes, list->arena, &g->all));
}

/* ---- Texts ------------------------------------------------------------------------------------------------------- */

void tmap_say_names(char *text, size_t size, const tmap_size *sizes, int sizes_n, uint32_t of, const uint64_t *values) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < sizes_n; i++) {
        if (!(of >> i & 1)) continue;
        tmap_say(text + used, size - used, "%s%s", used ? ", " : "", sizes[i].name);
        used = strlen(text);
        if (values) tmap_say(text + used, size - used, " = %" PRIu64, values[i]);
        used = strlen(text);
    }
}

/* Whether the values of a condition also break a rule of the same tensor that all values break. */
static bool has_other_errors(const tmap_conditions *list, const tmap_condition *c) {
    for (size_t i = 0; i < list->n; i++) {
        const tmap_condition *other = &list->items[i];
        if (other->kept == TMAP_KEPT_BY_NONE && other->severity == TMAP_ERROR && other->cells->map == c->cells->map)
            return true;
    }
    return false;
}

/* The rules apart from which values are legal; NULL: none. */
static const char *exception_of(const tmap_conditions *list, const tmap_condition *c) {
    if (list->contradicts) return ", apart from rules that no values keep together,";
    return has_other_errors(list, c) ? ", apart from rules that all values break," : NULL;
}

/* Writes the legal values: all that keep the group. */
static void say_legal(const group *g, const tmap_condition *c, tmap_diag *diag) {
    const tmap_condition *all = &g->all;
    bool fits = all->keeps && strlen(all->keeps) < sizeof diag->allowed;
    const char *exception = exception_of(g->list, c);
    const char *but = g->map ? " by the rules of this tensor" : exception ? exception : "";
    if (all->kept == TMAP_KEPT_BY_NONE)
        TMAP_SAY_MORE(diag->message, "; other rules refuse the values that this rule allows");
    else if (fits)
        TMAP_SAY_MORE(diag->message, "; legal%s where %s", but, all->keeps);
    else if (all->kept == TMAP_KEPT_BY_SOME && all->kept_n == UINT64_MAX)
        TMAP_SAY_MORE(diag->message, "; legal%s for some values", but);
    else if (all->kept == TMAP_KEPT_BY_SOME)
        TMAP_SAY_MORE(diag->message, "; legal%s for %" PRIu64 " of %" PRIu64 " values", but, all->kept_n,
                      all->values_n);
    if (fits) TMAP_SAY(diag->allowed, "%s", all->keeps);
}

/* A condition with the legal values as far as they are known: values that a rule outside the group may refuse are not.
 * Returns NULL when an allocation fails. */
static const tmap_condition *legal_of(const group *g, const tmap_condition *c) {
    bool none = exception_of(g->list, c) != NULL;
    if (!none && !g->map && g->all.kept != TMAP_KEPT_UNDECIDED) return &g->all;
    tmap_condition *legal = tmap_arena_take(g->list->arena, sizeof *legal);
    if (!legal) return NULL;
    *legal = (tmap_condition){.values_n = g->all.values_n, .kept_n = none ? 0 : UINT64_MAX};
    if (!none && !g->map && g->known) {
        legal->sizes = g->sizes;
        memcpy(legal->legal, g->all.legal, sizeof legal->legal);
    }
    return legal;
}

/* The cell with the most legal values, without those that ranges with a multiple cannot state. */
static bool find_ranges(const group *g, tmap_size_cell *ranges) {
    uint64_t most = 0;
    for (const tmap_verdict_cell *at = g->all.cells->first; at; at = at->next) {
        tmap_size_cell cell = at->cell;
        for (int i = 0; i < TMAP_SIZES_MAX; i++)
            if (cell.ranges[i].first % cell.ranges[i].step != 0) cell.ranges[i].n = 1;
        uint64_t n = at->verdict || cell.assumed ? 0 : tmap_cell_points(&cell);
        if (n <= most) continue;
        most = n;
        *ranges = cell;
    }
    return most > 0;
}

static void put_range(char *text, size_t size, const char *name, const tmap_size_range *range) {
    uint64_t last = tmap_range_last(range);
    if (range->n == 1)
        tmap_say(text, size, "%s: %" PRIu64, name, range->first);
    else if (range->step == 1)
        tmap_say(text, size, "%s: {min: %" PRIu64 ", max: %" PRIu64 "}", name, range->first, last);
    else
        tmap_say(text, size, "%s: {min: %" PRIu64 ", max: %" PRIu64 ", multiple_of: %" PRIu64 "}", name, range->first,
                 last, range->step);
}

/* Suggests one legal value of each size, a round one if possible. */
static void say_point(const group *g, const tmap_size *sizes, int sizes_n, tmap_diag *diag) {
    uint64_t values[TMAP_SIZES_MAX];
    bool round = tmap_conditions_legal(g->list, g->severity, sizes, sizes_n, values);
    const char *between = "";
    tmap_say_fix(diag, "sizes: {");
    for (int i = 0; i < sizes_n; i++) {
        if (!(g->sizes >> i & 1)) continue;
        TMAP_SAY_MORE(diag->fix.words, "%s%s: %" PRIu64, between, sizes[i].name, round ? values[i] : g->all.legal[i]);
        between = ", ";
    }
    TMAP_SAY_MORE(diag->fix.words, "}");
}

/* Suggests ranges of legal values, if there are some; otherwise legal values. */
static void say_fix(const group *g, const tmap_size *sizes, int sizes_n, tmap_diag *diag) {
    char fix[400] = "", point[120];
    const tmap_size *one = &g->all.range;
    tmap_size_cell ranges, whole = tmap_whole_cell(sizes, sizes_n, g->sizes);
    bool found = find_ranges(g, &ranges);
    if (g->all.kept == TMAP_KEPT_BY_NONE) {
        tmap_say_names(point, sizeof point, sizes, sizes_n, g->sizes, NULL);
        tmap_say_fix(diag, "other ranges of %s: no values in these ranges keep all rules", point);
    }
    if (!g->known) return;
    for (int i = 0; i < sizes_n && found; i++) {
        if (one->name && (g->sizes >> i & 1))
            ranges.ranges[i] = (tmap_size_range){one->min, one->multiple, (one->max - one->min) / one->multiple + 1};
        if (!(g->sizes >> i & 1) || ranges.ranges[i].n == whole.ranges[i].n) continue;
        TMAP_SAY_MORE(fix, "%s", *fix ? ", " : "");
        put_range(fix + strlen(fix), sizeof fix - strlen(fix), sizes[i].name, &ranges.ranges[i]);
    }
    if (found && strlen(fix) + sizeof "sizes: {}" <= sizeof diag->fix.words)
        tmap_say_fix(diag, "sizes: {%s}", fix);
    else
        say_point(g, sizes, sizes_n, diag);
}

/* Groups of a file share no sizes, so there are at most as many as sizes, of each severity. */
typedef struct groups {
    group *items[3 * TMAP_SIZES_MAX], *of_map;
    int n;
} groups;

static bool has(const group *g, const tmap_condition *c) {
    return g && g->severity == c->severity && is_in(g, c);
}

static group *make_group(tmap_conditions *list, const tmap_condition *c, const tmap_map_params *map,
                         const tmap_size *sizes, int sizes_n) {
    group *g = tmap_arena_take(list->arena, sizeof *g);
    if (!g) return NULL;
    *g = (group){.list = list, .map = map, .severity = c->severity, .sizes = c->sizes};
    connect(g);
    if (!find_values(g, list, sizes, sizes_n)) return NULL;
    g->work = &list->left.work;
    g->known =
        g->all.kept == TMAP_KEPT_BY_SOME ||
        (g->all.kept == TMAP_KEPT_UNDECIDED && tmap_conditions_legal(list, g->severity, sizes, sizes_n, g->all.legal));
    return g;
}

/* The group of a condition; makes it at first. If the file has too many cases, the group of the map. NULL when an
 * allocation fails. */
static const group *group_of(groups *all, tmap_conditions *list, const tmap_condition *c, const tmap_size *sizes,
                             int sizes_n) {
    int i = 0;
    while (i < all->n && !has(all->items[i], c)) i++;
    if (i == all->n) {
        all->items[i] = make_group(list, c, NULL, sizes, sizes_n);
        if (!all->items[i]) return NULL;
        all->n++;
    }
    if (all->items[i]->all.kept != TMAP_KEPT_UNDECIDED) return all->items[i];
    if (!has(all->of_map, c)) all->of_map = make_group(list, c, c->cells->map, sizes, sizes_n);
    return all->of_map;
}

static void say_first(const tmap_condition *c, const tmap_size *sizes, int sizes_n, tmap_diag *diag) {
    char point[120];
    const char *which = c->severity == TMAP_ADVICE     ? "first value:"
                        : c->kept == TMAP_KEPT_BY_NONE ? "legal for no value; first illegal"
                                                       : "first illegal";
    tmap_say_names(point, sizeof point, sizes, sizes_n, c->sizes, c->broken);
    TMAP_SAY_MORE(diag->message, "; %s %s", which, point);
}

static void say_condition(const tmap_condition *c, const tmap_size *sizes, int sizes_n, tmap_diag *diag) {
    const group *g = (const group *)c->all;
    if (g && c->severity > TMAP_ADVICE) {
        say_legal(g, c, diag);
        say_fix(g, sizes, sizes_n, diag);
    }
    say_first(c, sizes, sizes_n, diag);
}

bool tmap_conditions_say(tmap_conditions *list, const tmap_size *sizes, int sizes_n, tmap_diags *diags) {
    groups all = {.n = 0};
    for (size_t i = 0; i < list->n; i++) {
        tmap_condition *c = &list->items[i];
        if (c->kept != TMAP_KEPT_BY_SOME) continue;
        const group *g = group_of(&all, list, c, sizes, sizes_n);
        if (!g) return false;
        c->all = &g->all;
        list->contradicts |= c->severity == TMAP_ERROR && g->all.kept == TMAP_KEPT_BY_NONE;
    }
    for (size_t i = 0; i < list->n; i++) {
        tmap_condition *c = &list->items[i];
        if (c->finding) say_condition(c, sizes, sizes_n, &diags->items[c->finding - 1]);
        if (c->all && !(c->all = legal_of((const group *)c->all, c))) return false;
    }
    return true;
}
