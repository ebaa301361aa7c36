/* Multi-functions: from an index to a set of numbers. */
#include "tmap/unstable/register_shared.h"

#include "register/modes.h"
#include "register/multi.h"
#include "register/print.h"
#include "register/shaped.h"

#include <inttypes.h>
#include <string.h>

/* ---- Making ---- */

/* The canonical form. A list of a register layout has one. */
static tmap_multi_function of_list(const tmap_modes *modes, const tmap_mode_list *list) {
    tmap_multi_function function = {.modes = *modes, .list = *list};
    tmap_shaped shaped = tmap_shaped_of_multi(&function);
    (void)tmap_multi_of_shaped(&shaped, &function, NULL);
    return function;
}

tmap_multi_function tmap_register_threads(const tmap_register_layout *layout) {
    return of_list(&layout->modes, &layout->spatial);
}

tmap_multi_function tmap_register_locals(const tmap_register_layout *layout) {
    return of_list(&layout->modes, &layout->local);
}

/* The list as the threads of a register layout, without registers: other modes do not change a thread's number. */
static tmap_register_layout as_threads(const tmap_multi_function *function) {
    return (tmap_register_layout){.modes = function->modes, .spatial = function->list};
}

/* ---- The map ---- */

uint64_t tmap_multi_replicas_n(const tmap_multi_function *function) {
    return tmap_list_replicas_n(&function->list);
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

/* The numbers that f gives, as a shape: the size of each entry of its list. */
static tmap_shape image_of(const tmap_multi_function *f) {
    tmap_shape shape = {.rank = f->list.n};
    for (int i = 0; i < f->list.n; i++) shape.at[i] = (int64_t)tmap_entry_size(&f->modes, f->list.at[i]);
    return shape;
}

/* Replaces each entry of f's list by the digits of g that count it. Returns false if there are too many digits. */
static bool substitute(const tmap_multi_function *f, const tmap_grouped *g, tmap_layout *made) {
    bool fits = true;
    *made = (tmap_layout){.replica = g->layout.replica};
    for (int k = 0; k < f->modes.n; k++) {
        int i = 0;
        while (i < f->list.n && f->list.at[i] != k) i++;
        fits = fits && (i < f->list.n
                            ? tmap_grouped_append(g, i, &made->shard)
                            : tmap_iters_add(&made->shard, (tmap_iter){(int64_t)f->modes.size[k], 0, TMAP_REGISTERS}));
    }
    for (int i = 0; i < f->list.n; i++)
        if (f->list.at[i] < 0) fits = fits && tmap_grouped_append(g, i, &made->replica);
    return fits;
}

static tmap_status refuse_split(const tmap_shape *image, const tmap_multi_function *g, tmap_diag *error) {
    tmap_shape modes = {.rank = g->modes.n};
    char entries[96], sizes[96];
    for (int k = 0; k < modes.rank; k++) modes.at[k] = (int64_t)g->modes.size[k];
    tmap_say_extents(image, entries, sizeof entries);
    tmap_say_extents(&modes, sizes, sizeof sizes);
    return tmap_refuse_operation(
        error, TMAP_FITTED("then"), "use modes of the right function that end where the modes of the left function end",
        "the left function counts by (%s), the modes of the right function have sizes (%s)", entries, sizes);
}

tmap_status tmap_multi_then(const tmap_multi_function *f, const tmap_multi_function *g, tmap_multi_function *function,
                            tmap_diag *error) {
    uint64_t numbers = tmap_list_size(&f->modes, &f->list), elements = tmap_modes_elements_n(&g->modes);
    tmap_shaped inner = tmap_shaped_of_multi(g), made = {.shape = tmap_modes_shape(&f->modes)};
    tmap_shape image = image_of(f);
    tmap_grouped digits;
    if (numbers != elements)
        return tmap_refuse_with(error, 1, "a right function with as many elements as the left function has numbers",
                                "the left function returns %" PRIu64 " number%s, the right has %" PRIu64 " element%s",
                                numbers, TMAP_PLURAL(numbers), elements, TMAP_PLURAL(elements));
    if (tmap_layout_split(&inner.layout, &image, 1, &digits, NULL) != TMAP_OK) return refuse_split(&image, g, error);
    if (!substitute(f, &digits, &made.layout))
        return tmap_refuse_operand(error, 1, "more than %d modes", TMAP_MODES_MAX);
    return tmap_multi_of_shaped(&made, function, error);
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
 * Both functions as layouts from their numbers to elements: the digits of a list, each with its step in the element's
 * number, 0 for a replication. Both are split at each other's boundaries. `a` has every number of `b` if its digits are
 * those of `b`, or replications. A replication that is a's slowest digit may be longer than the digits of b.
 */
static tmap_layout elements_of(const tmap_multi_function *f) {
    tmap_layout made = {.shard.n = 0};
    int64_t steps[TMAP_MODES_MAX], step = 1;
    for (int k = f->modes.n - 1; k >= 0; k--) {
        steps[k] = step;
        step *= (int64_t)f->modes.size[k];
    }
    for (int i = 0; i < f->list.n; i++) {
        int64_t entry = f->list.at[i];
        tmap_shard_add(&made, tmap_entry_size(&f->modes, entry), entry < 0 ? 0 : steps[entry]);
    }
    tmap_iters_merge(made.shard.at, made.shard.n, &made.shard);
    return made;
}

static void shorten_slowest(tmap_layout *a, int64_t size) {
    if (a->shard.n == 0 || a->shard.at[0].stride != 0) return;
    int64_t rest = tmap_layout_size(a) / a->shard.at[0].extent;
    if (size % rest == 0 && size / rest < a->shard.at[0].extent) a->shard.at[0].extent = size / rest;
}

bool tmap_multi_covers(const tmap_multi_function *outer, const tmap_multi_function *inner) {
    tmap_layout a = elements_of(outer), b = elements_of(inner);
    tmap_shape shape = tmap_modes_shape(&outer->modes), other = tmap_modes_shape(&inner->modes);
    int starts[1][TMAP_ITERS_MAX + 1];
    shorten_slowest(&a, tmap_layout_size(&b));
    if (shape.rank != other.rank || memcmp(shape.at, other.at, sizeof shape.at) != 0) return false;
    shape = tmap_iters_extents(&a.shard), other = tmap_iters_extents(&b.shard);
    if (tmap_layout_group_many(&a, &other, 1, &a, starts, NULL) != TMAP_OK ||
        tmap_layout_group_many(&b, &shape, 1, &b, starts, NULL) != TMAP_OK)
        return false;
    for (int i = 0; i < a.shard.n; i++)
        if (a.shard.at[i].extent > 1 && a.shard.at[i].stride != 0 && a.shard.at[i].stride != b.shard.at[i].stride)
            return false;
    return true;
}
