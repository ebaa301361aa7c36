/*
 * Writes the values that keep a rule, in words and in C. For one size, the text has bounds and residues of the legal
 * values. For several sizes, it names the numbers that the rule reads: "2*K*M is a multiple of 16". A text is written
 * only if it is exact.
 */
#include <inttypes.h>
#include <string.h>

#include "size/cells.h"
#include "text/print.h"

#define MODULUS_MAX  65536
#define RESIDUES_MAX 4 /* the largest number of residues in a text */

/* The two texts of a condition, while they are written. */
typedef struct phrases {
    tmap_text words, c;
    tmap_sink to_words, to_c;
    int n;
    bool no_memory;
} phrases;

/* A set of residues. */
typedef struct residues {
    uint8_t *has; /* has[r]: whether the set contains residue r */
    uint64_t modulus;
} residues;

static void begin(phrases *p, const tmap_allocator *allocator) {
    *p = (phrases){.words = {.allocator = allocator}, .c = {.allocator = allocator}};
    p->to_words = tmap_text_sink(&p->words);
    p->to_c = tmap_text_sink(&p->c);
}

static void end(phrases *p) {
    tmap_text_free(&p->words);
    tmap_text_free(&p->c);
}

static void keep(phrases *p, tmap_arena *arena, tmap_condition *condition) {
    if (p->n == 0 || p->to_words.failed || p->to_c.failed) return;
    condition->keeps = tmap_arena_text(arena, p->words.data, p->words.size);
    condition->keeps_c = tmap_arena_text(arena, p->c.data, p->c.size);
    p->no_memory |= !condition->keeps || !condition->keeps_c;
}

/* Writes the subject of a phrase: an expression, or a size. */
static void put_subject(phrases *p, const tmap_expr *expr, const tmap_size *sizes) {
    tmap_puts(&p->to_words, p->n > 0 ? " and " : "");
    tmap_puts(&p->to_c, p->n > 0 ? " && " : "");
    tmap_expr_print(&p->to_words, expr, sizes, false);
    p->n++;
}

static void put_bound(phrases *p, const tmap_expr *expr, const tmap_size *sizes, bool least, int64_t bound) {
    put_subject(p, expr, sizes);
    tmap_printf(&p->to_words, " is at %s %" PRId64, least ? "least" : "most", bound);
    tmap_puts(&p->to_c, "(");
    tmap_expr_print(&p->to_c, expr, sizes, true);
    tmap_printf(&p->to_c, ") %s %" PRId64, least ? ">=" : "<=", bound);
}

/* ---- Residues ------------------------------------------------------------------------------------------------- */

static bool repeats(const residues *set, uint64_t period) {
    for (uint64_t r = 0; r + period < set->modulus; r++)
        if (set->has[r] != set->has[r + period]) return false;
    return true;
}

/* Reduces the set to the least equivalent modulus that is a multiple of `unit`. */
static void reduce(residues *set, uint64_t unit) {
    for (uint64_t prime = 2; prime <= set->modulus; prime++)
        while (set->modulus % prime == 0 && set->modulus / prime % unit == 0 && repeats(set, set->modulus / prime))
            set->modulus /= prime;
}

static uint64_t count(const residues *set, uint64_t unit, bool has) {
    uint64_t n = 0;
    for (uint64_t r = 0; r < set->modulus; r += unit) n += (set->has[r] != 0) == has;
    return n;
}

static void put_list(phrases *p, const residues *set, uint64_t unit, bool has) {
    uint64_t n = count(set, unit, has), left = n;
    tmap_printf(&p->to_words, " modulo %" PRIu64 " is %s", set->modulus, has ? "" : "not ");
    for (uint64_t r = 0; r < set->modulus; r += unit) {
        if ((set->has[r] != 0) != has) continue;
        tmap_printf(&p->to_words, "%s%" PRIu64, left == n ? "" : left == 1 ? " or " : ", ", r);
        left--;
    }
}

/* Writes a group of comparisons in C. Each comparison contains the subject. */
static void put_list_c(phrases *p, const tmap_expr *expr, const tmap_size *sizes, const residues *set, uint64_t unit,
                       bool has) {
    int n = 0;
    for (uint64_t r = 0; r < set->modulus; r += unit) {
        if ((set->has[r] != 0) != has) continue;
        tmap_puts(&p->to_c, n++ == 0 ? "((" : has ? " || (" : " && (");
        tmap_expr_print(&p->to_c, expr, sizes, true);
        tmap_printf(&p->to_c, ") %% %" PRIu64 " %s %" PRIu64, set->modulus, has ? "==" : "!=", r);
    }
    tmap_puts(&p->to_c, ")");
}

/* Returns false if the residues have no short form. Every value of the expression is a multiple of `unit`. */
static bool put_residues(phrases *p, const tmap_expr *expr, const tmap_size *sizes, residues *set, uint64_t unit) {
    reduce(set, unit);
    uint64_t in = count(set, unit, true), out = count(set, unit, false);
    if (out == 0) return true;
    if (in > RESIDUES_MAX && out > RESIDUES_MAX) return false;
    bool has = in <= RESIDUES_MAX;
    put_subject(p, expr, sizes);
    if (in == 1 && set->has[0])
        tmap_printf(&p->to_words, " is a multiple of %" PRIu64, set->modulus);
    else
        put_list(p, set, unit, has);
    put_list_c(p, expr, sizes, set, unit, has);
    return true;
}

/* ---- One size ------------------------------------------------------------------------------------------------- */

static bool legal_residues(const tmap_size_cells *cells, int size, residues *set, tmap_arena *arena) {
    for (const tmap_verdict_cell *at = cells->first; at; at = at->next) {
        const tmap_size_range *range = &at->cell.ranges[size];
        if (at->verdict || range->n == 1) continue;
        set->modulus = set->modulus / tmap_gcd(set->modulus, range->step) * range->step;
        if (set->modulus > MODULUS_MAX) return false;
    }
    if (set->modulus > MODULUS_MAX) return false;
    set->has = tmap_arena_take(arena, set->modulus);
    for (const tmap_verdict_cell *at = cells->first; at && set->has; at = at->next) {
        const tmap_size_range *range = &at->cell.ranges[size];
        for (uint64_t i = 0; !at->verdict && i < range->n && i < set->modulus; i++)
            set->has[(range->first + i * range->step) % set->modulus] = 1;
    }
    return set->has != NULL;
}

static uint64_t first_from(uint64_t least, uint64_t residue, uint64_t modulus) {
    return least + (residue + modulus - least % modulus) % modulus;
}

/* The number of values from `least` to `most` that have one of the residues. */
static uint64_t count_between(const residues *set, uint64_t least, uint64_t most) {
    uint64_t n = 0;
    for (uint64_t r = 0; r < set->modulus; r++) {
        uint64_t first = first_from(least, r, set->modulus);
        if (set->has[r] && first <= most) n += (most - first) / set->modulus + 1;
    }
    return n;
}

/* The least and the largest legal value. */
static tmap_bounds legal_bounds(const tmap_size_cells *cells, int size) {
    tmap_bounds bounds = {UINT64_MAX, 0};
    for (const tmap_verdict_cell *at = cells->first; at; at = at->next) {
        const tmap_size_range *range = &at->cell.ranges[size];
        if (at->verdict) continue;
        if (range->first < bounds.least) bounds.least = range->first;
        if (tmap_range_last(range) > bounds.most) bounds.most = tmap_range_last(range);
    }
    return bounds;
}

static bool say_one_size(phrases *p, const tmap_size_cells *cells, const tmap_size *sizes, tmap_arena *arena,
                         tmap_condition *condition) {
    int index = __builtin_ctz(cells->sizes);
    const tmap_size *size = &sizes[index];
    residues set = {.modulus = size->multiple};
    const tmap_bounds legal = legal_bounds(cells, index);
    uint64_t least = (uint64_t)legal.least, most = (uint64_t)legal.most;
    const tmap_expr *subject = tmap_expr_size(arena, index);
    bool small = subject && legal_residues(cells, index, &set, arena);
    p->no_memory |= !subject || (!small && set.modulus <= MODULUS_MAX);
    if (!small) return false;
    if (count_between(&set, least, most) != condition->kept_n) return false;
    uint64_t before = least > size->min ? count_between(&set, size->min, least - 1) : 0;
    uint64_t after = most < size->max ? count_between(&set, most + 1, size->max) : 0;
    if (least < most && !put_residues(p, subject, sizes, &set, size->multiple)) return false;
    if (set.has[0] && count(&set, size->multiple, true) == 1)
        condition->range = (tmap_size){size->name, least, most, set.modulus};
    if (least == most && before + after > 0) {
        put_subject(p, subject, sizes);
        tmap_printf(&p->to_words, " is %" PRIu64, least);
        tmap_printf(&p->to_c, "%s == %" PRIu64, size->name, least);
        return true;
    }
    if (before > 0) put_bound(p, subject, sizes, true, (int64_t)least);
    if (after > 0) put_bound(p, subject, sizes, false, (int64_t)most);
    return true;
}

/* ---- Several sizes -------------------------------------------------------------------------------------------- */

/* The values of a cut over the legal cells, as residues modulo 2. */
static bool legal_values(const tmap_size_cells *cells, const tmap_cut *cut, residues *set, tmap_arena *arena) {
    set->modulus = 2;
    set->has = cut->kind == TMAP_CUT_VALUES ? NULL : tmap_arena_take(arena, set->modulus);
    for (const tmap_verdict_cell *at = cells->first; at && set->has; at = at->next) {
        if (at->verdict) continue;
        if (at->cell.ignored >> (cut - cells->cuts.items) & 1)
            memset(set->has, 1, set->modulus);
        else
            set->has[tmap_cut_value(cut, at->point)] = 1;
    }
    return set->has != NULL;
}

/* Whether each cut that matters has a legal value at a point. */
static bool looks_legal(const tmap_size_cells *cells, const residues *sets, const tmap_verdict_cell *at) {
    for (int i = 0; i < cells->cuts.n; i++)
        if (!(at->cell.ignored >> i & 1) && !sets[i].has[tmap_cut_value(&cells->cuts.items[i], at->point)])
            return false;
    return true;
}

/* Writes that an expression is, or is not, a multiple of the bound. */
static bool put_multiple(phrases *p, const tmap_cut *cut, const tmap_size *sizes, bool is, tmap_arena *arena) {
    residues set = {.modulus = (uint64_t)cut->bound};
    set.has = cut->bound > MODULUS_MAX ? NULL : tmap_arena_take(arena, set.modulus);
    if (!set.has) return false;
    memset(set.has, !is, set.modulus);
    set.has[0] = is;
    return put_residues(p, cut->expr, sizes, &set, 1);
}

static bool put_cut(phrases *p, const tmap_cut *cut, const tmap_size *sizes, residues *set, tmap_arena *arena) {
    bool always = cut->kind == TMAP_CUT_MULTIPLE && set->has[0] && set->has[1];
    if (cut->kind == TMAP_CUT_MULTIPLE) return always || put_multiple(p, cut, sizes, set->has[1] != 0, arena);
    if (set->has[0] && set->has[1]) return true;
    if (cut->bound > INT64_MAX || cut->bound <= INT64_MIN) return false;
    put_bound(p, cut->expr, sizes, set->has[1], (int64_t)cut->bound - !set->has[1]);
    return true;
}

static bool excludes_broken(const tmap_size_cells *cells, const residues *sets) {
    for (const tmap_verdict_cell *at = cells->first; at; at = at->next)
        if (at->verdict && looks_legal(cells, sets, at)) return false;
    return true;
}

#define CELLS_MOST 128 /* for which phrases are dropped, which takes long */

/* Allows each value of cuts that the other cuts imply, the longest first. */
static void drop_implied(const tmap_size_cells *cells, residues *sets) {
    int n = 0, longest = 0;
    for (const tmap_verdict_cell *at = cells->first; at; at = at->next) n++;
    for (int i = 0; i < cells->cuts.n; i++)
        if (cells->cuts.items[i].expr->nodes > longest) longest = cells->cuts.items[i].expr->nodes;
    for (int nodes = longest; nodes > 0 && n <= CELLS_MOST; nodes--)
        for (int i = 0; i < cells->cuts.n; i++) {
            uint8_t given[2] = {sets[i].has[0], sets[i].has[1]};
            if (cells->cuts.items[i].expr->nodes != nodes || (given[0] && given[1])) continue;
            memset(sets[i].has, 1, 2);
            if (!excludes_broken(cells, sets)) memcpy(sets[i].has, given, 2);
        }
}

static bool say_cuts(phrases *p, const tmap_size_cells *cells, const tmap_size *sizes, tmap_arena *arena) {
    residues sets[sizeof cells->cuts.items / sizeof *cells->cuts.items];
    for (int i = 0; i < cells->cuts.n; i++)
        if (!legal_values(cells, &cells->cuts.items[i], &sets[i], arena)) {
            p->no_memory |= cells->cuts.items[i].kind != TMAP_CUT_VALUES;
            return false;
        }
    if (!excludes_broken(cells, sets)) return false;
    drop_implied(cells, sets);
    for (int i = 0; i < cells->cuts.n; i++)
        if (!put_cut(p, &cells->cuts.items[i], sizes, &sets[i], arena)) return false;
    return true;
}

bool tmap_cells_say(const tmap_size_cells *cells, const tmap_size *sizes, tmap_arena *arena,
                    tmap_condition *condition) {
    bool one = __builtin_popcount(cells->sizes) == 1;
    phrases p;
    begin(&p, arena->allocator);
    bool said = one && say_one_size(&p, cells, sizes, arena, condition);
    bool no_memory = p.no_memory || p.to_words.failed || p.to_c.failed;
    if (!said && !no_memory) {
        end(&p);
        begin(&p, arena->allocator);
        said = say_cuts(&p, cells, sizes, arena);
    }
    if (said) keep(&p, arena, condition);
    no_memory |= p.no_memory || p.to_words.failed || p.to_c.failed;
    end(&p);
    return !no_memory;
}
