/* Multi-functions: from an index to a set of numbers. */
#include "tmap/unstable/register_shared.h"

#include "register/modes.h"
#include "register/multi.h"
#include "register/text.h"

#include <inttypes.h>
#include <string.h>

static void make_canonical(tmap_multi_function *function) {
    tmap_mode_list *const lists[] = {&function->list};
    tmap_modes_canonical(&function->modes, lists, 1);
}

/* ---- Making ---- */

tmap_multi_function tmap_register_threads(const tmap_register_layout *layout) {
    tmap_multi_function function = {.modes = layout->modes, .list = layout->spatial};
    make_canonical(&function);
    return function;
}

tmap_multi_function tmap_register_locals(const tmap_register_layout *layout) {
    tmap_multi_function function = {.modes = layout->modes, .list = layout->local};
    make_canonical(&function);
    return function;
}

/* The list as the threads of a register layout, without registers: other modes do not change a thread's number. */
static tmap_register_layout as_threads(const tmap_multi_function *function) {
    return (tmap_register_layout){.modes = function->modes, .spatial = function->list};
}

/* ---- The map ---- */

uint64_t tmap_multi_replicas_n(const tmap_multi_function *function) {
    tmap_register_layout layout = as_threads(function);
    return tmap_register_replicas_n(&layout);
}

uint64_t tmap_multi_number(const tmap_multi_function *function, const uint64_t *index, uint64_t replica) {
    uint64_t of_mode[TMAP_MODES_MAX];
    tmap_modes_split_index(&function->modes, index, of_mode);
    return tmap_list_number(&function->modes, &function->list, of_mode, replica);
}

tmap_status tmap_multi_compose(const tmap_multi_function *outer, const tmap_multi_function *inner,
                               tmap_multi_function *function, tmap_diag *error) {
    tmap_register_layout a = as_threads(outer), b = as_threads(inner), both;
    tmap_status status = tmap_register_compose(&a, &b, &both, error);
    if (status == TMAP_OK) *function = tmap_register_threads(&both);
    return status;
}

/* ---- One after the other ---- */

/* The numbers that f gives, as a shape: the size of each entry of its list. Returns false if there are too many
 * entries. */
static bool image_of(const tmap_multi_function *f, uint64_t shape[TMAP_MODE_RANK_MAX]) {
    if (f->list.n > TMAP_MODE_RANK_MAX) return false;
    for (int i = 0; i < f->list.n; i++) shape[i] = tmap_entry_size(&f->modes, f->list.at[i]);
    return true;
}

static int place_in(const tmap_mode_list *list, int mode) {
    int i = 0;
    while (i < list->n && list->at[i] != mode) i++;
    return i;
}

/* The modes of g into which entry `i` of f's list is split: *begin to the result - 1. */
static int modes_of_entry(const tmap_multi_function *f, const tmap_multi_function *g, int i, int *begin) {
    int k = 0;
    for (int entry = 0; entry <= i; entry++) {
        uint64_t left = tmap_entry_size(&f->modes, f->list.at[entry]);
        for (*begin = k; left > 1 && k < g->modes.n; k++) left /= g->modes.size[k];
    }
    return k;
}

/* f's modes, with the modes in its list split as in g. map[k]: the mode or the replication for mode k of g. */
static bool split_by(const tmap_multi_function *f, const tmap_multi_function *g, tmap_modes *modes, int64_t *map) {
    int begin = 0;
    *modes = f->modes;
    modes->n = 0;
    for (int k = 0; k < g->modes.n; k++) map[k] = -(int64_t)g->modes.size[k];
    for (int k = 0; k < f->modes.n; k++) {
        int i = place_in(&f->list, k), end = i < f->list.n ? modes_of_entry(f, g, i, &begin) : 0;
        if (modes->n + (i < f->list.n ? end - begin : 1) > TMAP_MODES_MAX) return false;
        if (i == f->list.n) modes->size[modes->n++] = f->modes.size[k];
        for (int of = i < f->list.n ? begin : end; of < end; of++) {
            map[of] = modes->n;
            modes->size[modes->n++] = g->modes.size[of];
        }
    }
    return true;
}

tmap_status tmap_multi_then(const tmap_multi_function *f, const tmap_multi_function *g, tmap_multi_function *function,
                            tmap_diag *error) {
    tmap_multi_function refined = *g, parts;
    tmap_mode_list *const lists[] = {&refined.list};
    uint64_t shape[TMAP_MODE_RANK_MAX], elements = 1;
    int64_t map[TMAP_MODES_MAX];
    for (int k = 0; k < g->modes.n; k++) elements *= g->modes.size[k];
    uint64_t numbers = tmap_list_size(&f->modes, &f->list);
    if (numbers != elements || !image_of(f, shape))
        return tmap_refuse_with(error, 1, "a right function with as many elements as the left function has numbers",
                                "the left function returns %" PRIu64 " numbers, but the right function has %" PRIu64
                                " elements",
                                numbers, elements);
    tmap_status status = tmap_modes_refine(&refined.modes, lists, 1, shape, f->list.n, TMAP_FITTED("then"), error);
    if (status != TMAP_OK) {
        tmap_say_fix(error, "use modes of the right function that end where the modes of the left function end");
        return status;
    }
    if (!split_by(f, &refined, &parts.modes, map))
        return tmap_refuse_operand(error, 1, "more than %d modes", TMAP_MODES_MAX);
    parts.list.n = 0;
    for (int i = 0; i < refined.list.n; i++) {
        int64_t entry = refined.list.at[i];
        parts.list.at[parts.list.n++] = entry < 0 ? entry : map[entry];
    }
    return tmap_multi_make(&parts, function, error);
}

tmap_status tmap_multi_collapse(const tmap_multi_function *f, uint32_t dims, tmap_multi_function *function,
                                tmap_diag *error) {
    tmap_multi_function parts = {.modes = f->modes};
    int begin[TMAP_MODE_RANK_MAX + 1];
    uint64_t gone = 0;
    tmap_modes_ranges(&f->modes, begin);
    for (int d = 0; d < f->modes.rank; d++)
        for (int k = begin[d]; (dims >> d & 1) && k < begin[d + 1]; k++) gone |= (uint64_t)1 << k;
    for (int i = 0; i < f->list.n; i++)
        if (f->list.at[i] < 0 || !(gone >> f->list.at[i] & 1)) parts.list.at[parts.list.n++] = f->list.at[i];
    return tmap_multi_make(&parts, function, error);
}

void tmap_multi_print(tmap_sink *sink, const tmap_multi_function *function) {
    tmap_puts(sink, "MultiFunction(");
    tmap_modes_put_numbers(sink, "shape", function->modes.shape, function->modes.rank);
    tmap_modes_put_numbers(sink, ", mode_shape", function->modes.size, function->modes.n);
    tmap_modes_put_entries(sink, ", modes", &function->list);
    tmap_puts(sink, ")");
}

/*
 * ---- Cover ----
 *
 * The modes of both functions are split at each other's borders. Then the digits of the numbers are compared from the
 * fastest: a mode matches itself; a replication of `a` matches any digit of its size; a larger replication continues
 * with the next digit of `b`. A replication that is a's slowest digit matches all remaining digits of b up to its size.
 */

/* Splits modes of both functions where one ends inside the other. Returns false if they do not nest. */
static bool refine_both(tmap_multi_function *a, tmap_multi_function *b) {
    tmap_mode_list *const of_a[] = {&a->list}, *const of_b[] = {&b->list};
    for (int k = 0; k < a->modes.n && k < b->modes.n; k++) {
        uint64_t p = a->modes.size[k], q = b->modes.size[k];
        if (p > q && p % q == 0)
            tmap_modes_split(&a->modes, of_a, 1, k, p / q);
        else if (q > p && q % p == 0)
            tmap_modes_split(&b->modes, of_b, 1, k, q / p);
        else if (p != q)
            return false;
    }
    return a->modes.n == b->modes.n;
}

/* Compares one digit of `a`, a replication by n, with the fastest digit of `b`. */
static bool cover_digit(tmap_multi_function *a, tmap_multi_function *b) {
    tmap_mode_list *const of_a[] = {&a->list}, *const of_b[] = {&b->list};
    if (b->list.n == 0) return false; /* b's next digit is always 0; a's next digit, a mode, is not */
    int64_t *replicas = &a->list.at[a->list.n - 1], theirs = b->list.at[b->list.n - 1];
    uint64_t n = (uint64_t) - *replicas, q = tmap_entry_size(&b->modes, theirs);
    if (n % q == 0) {
        *replicas = -(int64_t)(n / q);
        if (n == q) a->list.n--;
        b->list.n--;
        return true;
    }
    if (q % n != 0) return false;
    a->list.n--;
    if (theirs < 0) {
        b->list.at[b->list.n - 1] = -(int64_t)(q / n);
        return true;
    }
    tmap_modes_split(&a->modes, of_a, 1, (int)theirs, n);
    tmap_modes_split(&b->modes, of_b, 1, (int)theirs, n);
    b->list.n--;
    return true;
}

static bool match_mode(tmap_mode_list *a, tmap_mode_list *b) {
    if (b->n == 0 || a->at[a->n - 1] != b->at[b->n - 1]) return false;
    a->n--;
    b->n--;
    return true;
}

bool tmap_multi_covers(const tmap_multi_function *outer, const tmap_multi_function *inner) {
    tmap_multi_function a = *outer, b = *inner;
    bool same_shape = a.modes.rank == b.modes.rank &&
                      memcmp(a.modes.shape, b.modes.shape, sizeof a.modes.shape[0] * (size_t)a.modes.rank) == 0;
    tmap_list_merge_replicas(&a.list);
    tmap_list_merge_replicas(&b.list);
    if (!same_shape || !refine_both(&a, &b)) return false;
    while (a.list.n > 0) {
        int64_t fastest = a.list.at[a.list.n - 1];
        if (fastest < 0 && a.list.n == 1) return tmap_list_size(&b.modes, &b.list) <= (uint64_t)-fastest;
        if (fastest < 0 ? !cover_digit(&a, &b) : !match_mode(&a.list, &b.list)) return false;
    }
    return b.list.n == 0;
}
