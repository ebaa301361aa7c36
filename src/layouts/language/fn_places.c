/* language: functions that return the places of elements. */
#include <inttypes.h>
#include <string.h>

#include "language/functions.h"

#include "layout/iter_lists.h"
#include "tmap/unstable/layout_swizzle.h"

/* The limit for rows of tables and for lists of elements. */
#define ROWS_MAX ((int64_t)1 << 16)

/* One place as a structure. */
static bool give_place(tmap_eval *eval, const tmap_layout *layout, int64_t index, int64_t copy, tmap_value *result) {
    tmap_axis_values place;
    TMAP_STRUCTURE(s);
    tmap_layout_place(layout, index, copy, &place);
    for (int i = 0; i < place.n; i++) tmap_structure_int(&s, place.at[i].axis->name, place.at[i].value);
    return tmap_structure_give(eval, &s, result);
}

/* An element by number, by coordinates, or by coordinates in a shape: argument `arg`. */
static bool find_index(tmap_call *call, const tmap_layout *layout, int arg, const tmap_value *given,
                       const tmap_shape *shape, int64_t *index) {
    tmap_shape at;
    if (!given) return tmap_call_refuse_with(call, -1, "a number, or coordinates", "the element is missing");
    const tmap_value *list = tmap_list_in(given);
    if (!tmap_value_shape(call, arg, list, &at)) return false;
    tmap_diag *error = call->eval->error;
    tmap_status status;
    if (shape && !tmap_call_count(call, arg, at.rank, "coordinate", shape->rank, "dimension")) return false;
    if (shape) {
        status = tmap_layout_index_in_shape(layout, shape->at, at.at, at.rank, index, error);
    } else if (at.rank != 1 || list != given) {
        status = tmap_layout_index_of_digits(layout, at.at, at.rank, index, error);
    } else {
        *index = at.at[0];
        status = tmap_check_range(error, 1, "element", *index, 0, tmap_layout_size(layout) - 1);
    }
    if (status == TMAP_REFUSED && error->operand > 0) error->operand += arg - 1;
    return tmap_call_succeeded(call, status);
}

bool tmap_fn_apply(tmap_call *call, const tmap_layout *layout, const tmap_value *at, const tmap_shape *shape,
                   tmap_value *result) {
    int64_t index = 0, copies = tmap_layout_copies(layout);
    if (!find_index(call, layout, 1, at, shape, &index)) return false;
    if (copies > ROWS_MAX)
        return tmap_call_refuse_with(call, 0, "use owners, or the layout without R",
                                     "%" PRId64 " copies are too many to list", copies);
    tmap_value *items = tmap_give_list(call->eval, result, (size_t)copies);
    for (int64_t copy = 0; items && copy < copies; copy++)
        if (!give_place(call->eval, layout, index, copy, &items[copy])) return false;
    return items != NULL;
}

/* The address of a copy of an element. Requires a layout that has only axis m. */
static bool take_address(tmap_call *call, int64_t index, int64_t copy, int64_t *address) {
    tmap_axis_values place;
    tmap_layout_place(call->args[0]->as.layout, index, copy, &place);
    *address = 0;
    for (int i = 0; i < place.n; i++) {
        if (!tmap_axis_same(place.at[i].axis, tmap_axis_get(TMAP_AXIS_ID_M)))
            return tmap_call_refuse_with(call, 0, "a layout only on m; storage(…) keeps the part on m",
                                         "banks require addresses on the axis m, but this layout has %s",
                                         place.at[i].axis->name);
        *address = place.at[i].value;
    }
    return *address >= 0 || tmap_call_refuse_with(call, 0, "add an offset, so that no address is below 0",
                                                  "the element is at %" PRId64, *address);
}

bool tmap_fn_bank_of(tmap_call *call, const tmap_layout *layout, int bits, const tmap_value *at,
                     const tmap_shape *shape, tmap_value *result) {
    int64_t index = 0, copies = tmap_layout_copies(layout), address = 0;
    if (!find_index(call, layout, 2, at, shape, &index)) return false;
    if (copies > ROWS_MAX)
        return tmap_call_refuse_with(call, 0, "use the layout without R", "%" PRId64 " copies are too many to list",
                                     copies);
    tmap_value *items = copies > 1 ? tmap_give_list(call->eval, result, (size_t)copies) : result;
    for (int64_t copy = 0; items && copy < copies; copy++)
        if (!take_address(call, index, copy, &address) || !tmap_fn_bank(call, address, bits, &items[copy]))
            return false;
    return items != NULL;
}

/* The coordinates of an element in a shape, as "(1, 0)". */
static bool give_coordinate(tmap_call *call, const tmap_shape *shape, int64_t index, tmap_value *result) {
    int64_t at[TMAP_ITERS_MAX];
    for (int d = shape->rank - 1; d >= 0; d--) {
        at[d] = index % shape->at[d];
        index /= shape->at[d];
    }
    return tmap_give_ints(call->eval, result, at, (size_t)shape->rank);
}

/* The coordinates of an element's copies, as fields of a structure: a number, or a list on axes along which copies
 * differ. */
static bool give_row(tmap_call *call, const tmap_layout *layout, const tmap_shape *shape, int64_t index,
                     tmap_value *result) {
    tmap_axis_values place;
    TMAP_STRUCTURE(s);
    int64_t copies = tmap_layout_copies(layout);
    tmap_layout_place(layout, index, 0, &place);
    tmap_structure_int(&s, "element", index);
    if (shape->rank > 0 && !give_coordinate(call, shape, index, tmap_structure_add(&s, "at"))) return false;
    for (int i = 0; i < place.n; i++) {
        const tmap_axis *axis = place.at[i].axis;
        bool moves = false;
        for (int k = 0; k < layout->replica.n; k++) moves = moves || tmap_axis_same(layout->replica.at[k].axis, axis);
        if (!moves) {
            tmap_structure_int(&s, axis->name, place.at[i].value);
            continue;
        }
        tmap_value *all = tmap_give_list(call->eval, tmap_structure_add(&s, axis->name), (size_t)copies);
        for (int64_t copy = 0; all && copy < copies; copy++) {
            tmap_axis_values other;
            tmap_layout_place(layout, index, copy, &other);
            tmap_give_int(&all[copy], other.at[i].value);
        }
        if (!all) return false;
    }
    return tmap_structure_give(call->eval, &s, result);
}

bool tmap_fn_places(tmap_call *call, const tmap_layout *layout, const tmap_shape *own, const tmap_shape *given,
                    tmap_value *result) {
    const tmap_shape *shape = given ? given : own;
    if (given && !tmap_check_shape(call, 1, layout, given)) return false;
    int64_t size = tmap_layout_size(layout), copies = tmap_layout_copies(layout);
    if (size > ROWS_MAX || copies > ROWS_MAX || size * copies > ROWS_MAX) {
        tmap_call_refuse(call, 0, "%" PRId64 " places are too many for a table of at most %" PRId64,
                         size > ROWS_MAX || copies > ROWS_MAX ? (size > copies ? size : copies) : size * copies,
                         ROWS_MAX);
        tmap_say_fix(call->eval->error, copies > size ? "use the layout without R"
                                        : call->args[0]->kind == TMAP_VALUE_LAYOUT
                                            ? "slice the layout first"
                                            : "slice as_layout(…) of the layout");
        return false;
    }
    if (!tmap_eval_spend(call->eval, (uint64_t)(size * copies) * 4)) return false;
    tmap_value *rows = tmap_give_list(call->eval, result, (size_t)size);
    for (int64_t i = 0; rows && i < size; i++)
        if (!give_row(call, layout, shape, i, &rows[i])) return false;
    return rows != NULL;
}

/* ---- Owners ----------------------------------------------------------------------------------------------------- */

static bool add_term(tmap_call *call, tmap_axis_value term, tmap_axis_values *place) {
    for (int i = 0; i < place->n; i++)
        if (tmap_axis_same(place->at[i].axis, term.axis))
            return tmap_call_refuse_with(call, 1, "every axis once", "axis %s appears twice", term.axis->name);
    if (place->n == TMAP_AXES_MAX) return tmap_call_refuse_with(call, 1, "fewer axes", "too many axes");
    place->at[place->n++] = term;
    return true;
}

static bool add_place(tmap_call *call, const tmap_value *value, tmap_axis_values *place) {
    tmap_axis_value term = {tmap_axis_get(TMAP_AXIS_ID_M), value->as.integer};
    if (value->kind == TMAP_VALUE_LAYOUT) {
        const tmap_layout *sum = value->as.layout;
        if (sum->shard.n > 0 || sum->replica.n > 0 || sum->has_swizzle)
            return tmap_call_refuse_with(call, 1, "a term n@axis, a sum of them, or a list", "a layout is not a place");
        for (int i = 0; i < sum->offset.n; i++)
            if (!add_term(call, sum->offset.at[i], place)) return false;
        return true;
    }
    if (value->kind == TMAP_VALUE_WORD && !tmap_axis_find(value->as.text))
        return tmap_eval_refuse_unset(call->eval, value);
    if (value->kind == TMAP_VALUE_TERM) term = value->as.term;
    if (value->kind != TMAP_VALUE_TERM && value->kind != TMAP_VALUE_INT)
        return tmap_call_refuse_with(call, 1, "terms n@axis", "a %s is not a part of a place",
                                     tmap_value_kind_name(value->kind));
    return add_term(call, term, place);
}

/* A list of terms, which may be 0, or a sum of terms. */
static bool take_place(tmap_call *call, const tmap_value *value, tmap_axis_values *place) {
    place->n = 0;
    if (value->kind != TMAP_VALUE_LIST) return add_place(call, value, place);
    for (size_t i = 0; i < value->as.list.n; i++)
        if (!add_place(call, &value->as.list.items[i], place)) return false;
    return true;
}

/* Refuses a memory place outside the layout: places are in elements, and a place outside is usually a byte address. A
 * thread that owns no element is not refused. */
static bool check_memory(tmap_call *call, const tmap_layout *layout, const tmap_axis_values *place) {
    const tmap_axis *memory = tmap_axis_get(TMAP_AXIS_ID_M);
    tmap_interval range = tmap_layout_range(layout, memory);
    for (int i = 0; i < place->n; i++) {
        int64_t value = place->at[i].value;
        if (!tmap_axis_same(place->at[i].axis, memory)) continue;
        if (layout->has_swizzle && value >= 0) value = tmap_xor_apply(&layout->swizzle, value);
        if (value >= range.low && value <= range.high) continue;
        tmap_call_refuse(call, 1,
                         "place %" PRId64 " is outside the layout, whose elements are at %" PRId64 " to %" PRId64,
                         place->at[i].value, range.low, range.high);
        const tmap_axis *axes[TMAP_AXES_MAX];
        if (tmap_layout_axes(layout, axes) == 0 || tmap_axis_same(axes[0], memory))
            tmap_say_fix(call->eval->error,
                         "a place in elements: divide an address in bytes by the size of an element");
        else
            tmap_say_fix(call->eval->error, "a place on an axis of the layout: n@%s", axes[0]->name);
        return false;
    }
    return true;
}

bool tmap_fn_owners(tmap_call *call, const tmap_layout *layout, const tmap_value *at, const tmap_shape *shape,
                    tmap_value *result) {
    const uint64_t steps = (uint64_t)1 << 22;
    tmap_diag *error = call->eval->error;
    tmap_axis_values place;
    uint64_t found;
    if (!take_place(call, at, &place) || !check_memory(call, layout, &place)) return false;
    if (!tmap_eval_spend(call->eval, steps)) return false;
    if (!tmap_call_succeeded(call, tmap_layout_owners(layout, &place, steps, NULL, 0, &found, error))) return false;
    if (found > (uint64_t)ROWS_MAX)
        return tmap_call_refuse_with(call, 1, "name more axes of the place, or use a slice",
                                     "%" PRIu64 " elements are too many to list", found);
    int64_t *indices = tmap_eval_take(call->eval, found ? found : 1, sizeof *indices);
    if (!indices) return false;
    if (!tmap_call_succeeded(call, tmap_layout_owners(layout, &place, steps, indices, found, &found, error)))
        return false;
    if (!shape) return tmap_give_ints(call->eval, result, indices, found);
    if (!tmap_check_shape(call, 2, layout, shape)) return false;
    tmap_value *items = tmap_give_list(call->eval, result, found);
    for (uint64_t i = 0; items && i < found; i++)
        if (!give_coordinate(call, shape, indices[i], &items[i])) return false;
    return items != NULL;
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

bool tmap_fn_size(tmap_call *call, const tmap_layout *layout, const tmap_value *name, tmap_value *result) {
    const tmap_axis *axes[TMAP_AXES_MAX], *axis;
    if (!name) return tmap_give_int(result, tmap_layout_size(layout));
    axis = tmap_eval_axis(call->eval, name->as.text, name->at, name->length);
    if (axis) return tmap_give_int(result, tmap_layout_size_on(layout, axis));
    char names[160] = "an axis of the layout:";
    int n = tmap_layout_axes(layout, axes);
    for (int i = 0; i < n && strlen(names) < 100; i++) tmap_append(names, sizeof names, " %.32s", axes[i]->name);
    if (n > 0) tmap_say_fix(call->eval->error, "%s", names);
    return false;
}

bool tmap_fn_span(tmap_call *call, const tmap_layout *layout, const tmap_axis *axis, tmap_value *result) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n = tmap_layout_axes(layout, axes), found = 0;
    while (found < n && !tmap_axis_same(axes[found], axis)) found++;
    if (n > 0 && found == n && !call->args[1]) {
        (void)tmap_call_refuse(call, 0, "the layout has no axis %s", axis->name);
        tmap_say_fix(call->eval->error, "use an axis of the layout: span(…, %s)", axes[0]->name);
        return false;
    }
    return tmap_give_int(result, tmap_layout_span(layout, axis));
}

bool tmap_fn_scopes(tmap_call *call, const tmap_layout *layout, tmap_value *result) {
    tmap_scope unit, scope;
    TMAP_STRUCTURE(s);
    if (!tmap_call_succeeded(call, tmap_layout_scopes(layout, &unit, &scope, call->eval->error))) return false;
    if (unit == TMAP_SCOPE_NONE) return tmap_give_none(result);
    tmap_structure_text(&s, "unit", tmap_scope_name(unit));
    tmap_structure_text(&s, "scope", tmap_scope_name(scope));
    return tmap_structure_give(call->eval, &s, result);
}

bool tmap_fn_verify(tmap_call *call, const tmap_layout *layout, tmap_value *result) {
    tmap_scope unit, scope;
    return tmap_call_succeeded(call, tmap_layout_scopes(layout, &unit, &scope, call->eval->error)) &&
           tmap_give_bool(result, true);
}

static bool cover(tmap_call *call, const tmap_layout *layout, tmap_coverage *coverage) {
    return tmap_eval_spend(call->eval, (uint64_t)1 << 20) &&
           tmap_call_succeeded(call, tmap_layout_coverage(layout, coverage, call->eval->error));
}

static bool give_cover(tmap_eval *eval, const tmap_cover *c, tmap_value *result) {
    TMAP_STRUCTURE(s);
    tmap_structure_text(&s, "axis", c->axis->name);
    tmap_structure_int(&s, "low", c->low);
    tmap_structure_int(&s, "high", c->high);
    tmap_structure_int(&s, "distinct", c->distinct);
    tmap_structure_int(&s, "holes", c->high - c->low + 1 - c->distinct);
    tmap_structure_bool(&s, "shared", c->shared);
    tmap_structure_bool(&s, "self_repeated", c->self_repeated);
    return tmap_structure_give(eval, &s, result);
}

bool tmap_fn_coverage(tmap_call *call, const tmap_layout *layout, tmap_value *result) {
    tmap_coverage coverage;
    TMAP_STRUCTURE(s);
    if (!cover(call, layout, &coverage)) return false;
    tmap_structure_bool(&s, "injective", coverage.injective);
    tmap_structure_bool(&s, "compact", coverage.compact);
    tmap_value *axes = tmap_give_list(call->eval, tmap_structure_add(&s, "axes"), (size_t)coverage.axes_n);
    for (int i = 0; axes && i < coverage.axes_n; i++)
        if (!give_cover(call->eval, &coverage.axes[i], &axes[i])) return false;
    return axes && tmap_structure_give(call->eval, &s, result);
}

bool tmap_fn_injective(tmap_call *call, const tmap_layout *layout, tmap_value *result) {
    tmap_coverage coverage;
    return cover(call, layout, &coverage) && tmap_give_bool(result, coverage.injective);
}
