/* language: the accesses of a warp in a call: a pattern, a list, or a layout of threads. */
#include "language/accesses.h"

#include <inttypes.h>
#include <string.h>

#include "language/functions.h"
#include "layout/iter_lists.h"
#include "tmap/unstable/banks.h"

#define ACCESSES_MAX ((uint64_t)1 << 16)

bool tmap_get_access(const void *context, uint64_t number, tmap_access *access) {
    const tmap_given_accesses *given = context;
    access->bits = given->bits;
    access->width = given->width;
    if (number > ACCESSES_MAX) return false;
    if (given->by_pattern)
        return tmap_pattern_access(given->pattern, given->rows, given->columns, given->width, number, access->lanes);
    if (number >= given->n) return false;
    memcpy(access->lanes, given->lanes[number], sizeof access->lanes);
    return true;
}

/* ---- Patterns and lists ----------------------------------------------------------------------------------------- */

/* "(64,256)", "(256,64)", ...: the shapes at whose borders the iters can be cut, the nearest to a square first. */
static void propose_shapes(const tmap_layout *layout, tmap_diag *error) {
    int64_t size = tmap_layout_size(layout), columns = 1, best = layout->shard.n == 1 ? size : 1;
    for (int i = layout->shard.n - 1; i > 0; i--) {
        columns *= layout->shard.at[i].extent;
        int64_t longer = columns > size / columns ? columns : size / columns,
                now = best > size / best ? best : size / best;
        if (longer < now || (longer == now && columns > best)) best = columns;
    }
    tmap_say_fix(error, "shape=(%" PRId64 ",%" PRId64 "), or the intended rows and columns", size / best, best);
}

/* The matrix of a pattern: the argument shape=, the layout's own shape, or two iters as written. With more or fewer
 * iters the matrix is not known: a layout of one matrix can be written with the iters of another matrix. */
static bool take_matrix(tmap_call *call, tmap_shape shape, tmap_given_accesses *given) {
    const tmap_layout *layout = given->layout;
    if (shape.rank == 0 && layout->shard.n == 2) shape = (tmap_shape){.rank = 1, .at = {layout->shard.at[1].extent}};
    if (shape.rank == 0) {
        (void)tmap_call_refuse(call, 0, "a layout of %d iter%s does not define rows and columns", layout->shard.n,
                               TMAP_PLURAL(layout->shard.n));
        propose_shapes(layout, call->eval->error);
        return false;
    }
    given->columns = shape.at[shape.rank - 1];
    given->rows = tmap_layout_size(layout) / given->columns;
    return true;
}

static bool take_pattern(tmap_call *call, const tmap_shape *shape, tmap_given_accesses *given) {
    const char *name = call->args[2]->as.text;
    int pattern = tmap_pattern_find(name);
    if (pattern < 0) {
        tmap_call_refuse(call, 2, "access %s does not exist", name);
        tmap_say_fix(call->eval->error, "row, column, ldmatrix, fragment, square, a list, or a layout of threads");
        return false;
    }
    given->by_pattern = true;
    given->pattern = (tmap_pattern)pattern;
    if (!call->args[3] && pattern == TMAP_PATTERN_LDMATRIX) given->width = 128 / given->bits;
    tmap_access access;
    if (!take_matrix(call, *shape, given)) return false;
    while (tmap_get_access(given, given->n, &access)) given->n++;
    return given->n <= ACCESSES_MAX ||
           tmap_call_refuse_with(call, 0, "a part of the matrix", "more than %" PRIu64 " accesses", ACCESSES_MAX);
}

/* An element by number, or by coordinates in the shape; `none` for a lane without an access. */
static bool take_element(tmap_call *call, const tmap_given_accesses *given, const tmap_value *value,
                         const tmap_shape *shape, int64_t *element) {
    tmap_shape at;
    *element = -1;
    if (value->kind == TMAP_VALUE_NONE) return true;
    if (value->kind == TMAP_VALUE_INT) {
        *element = value->as.integer;
        return *element >= 0 ||
               tmap_call_refuse_with(call, 2, "a number from 0 on, or none for a lane without an access",
                                     "element %" PRId64 " does not exist", *element);
    }
    if (value->kind == TMAP_VALUE_WORD) return tmap_eval_refuse_unset(call->eval, value);
    if (value->kind != TMAP_VALUE_LIST)
        return tmap_call_refuse_with(call, 2, "a number, coordinates, or none", "a %s is not an element",
                                     tmap_value_kind_name(value->kind));
    return tmap_value_shape(call, 2, value, &at) &&
           tmap_call_count(call, 2, at.rank, "coordinate", shape->rank, "dimension") &&
           tmap_call_succeeded(
               call, tmap_layout_index_in_shape(given->layout, shape->at, at.at, at.rank, element, call->eval->error));
}

/* A list of accesses. Each access is a list of the elements that its lanes touch. */
static bool take_list(tmap_call *call, const tmap_shape *shape, tmap_given_accesses *given) {
    const tmap_value *list = call->args[2];
    int64_t(*lanes)[TMAP_LANES] = tmap_eval_take(call->eval, list->as.list.n + 1, sizeof *lanes);
    if (!lanes) return false;
    for (size_t i = 0; i < list->as.list.n; i++) {
        const tmap_value *one = &list->as.list.items[i];
        if (one->kind != TMAP_VALUE_LIST || one->as.list.n > TMAP_LANES) {
            tmap_call_refuse(call, 2, "access %zu is not a list of at most %d elements", i, TMAP_LANES);
            tmap_say_fix(call->eval->error, "a list of accesses, each a list of elements, one for each lane");
            return false;
        }
        for (size_t lane = 0; lane < TMAP_LANES; lane++) {
            lanes[i][lane] = -1;
            if (lane < one->as.list.n && !take_element(call, given, &one->as.list.items[lane], shape, &lanes[i][lane]))
                return false;
        }
    }
    given->lanes = (const int64_t(*)[TMAP_LANES])lanes;
    given->n = list->as.list.n;
    return true;
}

/*
 * ---- Layouts of threads -----------------------------------------------------------------------------------------
 *
 * A layout with threads gives the owner of each element: lane t % 32 of warp t / 32. The first instruction of a warp
 * accesses the first element of each of its lanes, the next instruction the next elements. Of the `width`
 * neighbours that one access moves, only the first is counted.
 */
#define WARPS_MAX   64
#define THREADS_MAX ((int64_t)TMAP_LANES * WARPS_MAX)

typedef struct tmap_thread_owners {
    tmap_layout layout; /* with one thread axis */
    const tmap_axis *threads;
    int64_t size, copies;
    uint32_t filled[WARPS_MAX][TMAP_LANES]; /* number of elements of a lane so far */
    uint64_t first[WARPS_MAX + 1];          /* the first instruction of each warp */
} owners;

static const tmap_axis *axis_of_threads(const tmap_layout *layout) {
    const tmap_axis *axes[TMAP_AXES_MAX], *found = NULL;
    int n = tmap_layout_axes(layout, axes);
    for (int i = 0; i < n; i++)
        if (axes[i]->kind == TMAP_AXIS_THREAD && axes[i]->unit == TMAP_SCOPE_THREAD) found = axes[i];
    return found;
}

static bool take_owners(tmap_call *call, const tmap_given_accesses *given, owners *o) {
    const tmap_value *value = call->args[2];
    tmap_diag *error = call->eval->error;
    tmap_status status = TMAP_OK;
    if (value->kind == TMAP_VALUE_REGISTER)
        status = tmap_register_to_layout(value->as.data, tmap_axis_get(TMAP_AXIS_ID_TX), &o->layout, error);
    else
        status = tmap_layout_fused(value->as.layout, &o->layout, error);
    if (status == TMAP_REFUSED) error->operand = 2;
    if (!tmap_call_succeeded(call, status)) return false;
    o->threads = axis_of_threads(&o->layout);
    o->size = tmap_layout_size(&o->layout);
    o->copies = tmap_layout_copies(&o->layout);
    if (!o->threads && value->kind != TMAP_VALUE_REGISTER)
        return tmap_call_refuse_with(call, 2, "a layout with laneid, tid_in_wg or tx", "the layout has no threads");
    if (o->size != tmap_layout_size(given->layout))
        return tmap_call_refuse_with(call, 2,
                                     "a layout of threads with as many elements, or a slice of the other layout",
                                     "the layout of threads has %" PRId64 " element%s, the other layout %" PRId64,
                                     o->size, TMAP_PLURAL(o->size), tmap_layout_size(given->layout));
    if (o->size > (int64_t)ACCESSES_MAX || o->copies > THREADS_MAX)
        return tmap_call_refuse_with(call, 2, "a slice of both",
                                     "%" PRId64 " elements, each in %" PRId64 " threads, are too many", o->size,
                                     o->copies);
    return tmap_eval_spend(call->eval, 2 * (uint64_t)o->size * (uint64_t)o->copies);
}

static int64_t thread_of(const owners *o, int64_t element, int64_t copy) {
    tmap_axis_values place;
    tmap_layout_place(&o->layout, element, copy, &place);
    for (int i = 0; i < place.n; i++)
        if (o->threads && tmap_axis_same(place.at[i].axis, o->threads)) return place.at[i].value;
    return 0;
}

/* The neighbours in one access must belong to one thread. */
static bool check_thread(tmap_call *call, const owners *o, int64_t element, int64_t copy, int width) {
    int64_t thread = thread_of(o, element, copy);
    if (thread < 0 || thread >= THREADS_MAX)
        return tmap_call_refuse_with(call, 2, "threads from 0 to 2047",
                                     "element %" PRId64 " belongs to thread %" PRId64, element, thread);
    for (int i = 1; i < width && element + i < o->size; i++)
        if (thread_of(o, element + i, copy) != thread)
            return tmap_call_refuse_with(call, 2, "a smaller width",
                                         "thread %" PRId64 " has element %" PRId64 ", but not element %" PRId64
                                         " of the same access",
                                         thread, element, element + i);
    return true;
}

/* Counts the instructions of every warp, and sets the counts of elements back to 0. */
static void count_instructions(owners *o) {
    for (int warp = 0; warp < WARPS_MAX; warp++) {
        uint32_t most = 0;
        for (int lane = 0; lane < TMAP_LANES; lane++)
            if (o->filled[warp][lane] > most) most = o->filled[warp][lane];
        o->first[warp + 1] = o->first[warp] + most;
    }
    memset(o->filled, 0, sizeof o->filled);
}

static bool take_threads(tmap_call *call, tmap_given_accesses *given) {
    owners *o = tmap_eval_take(call->eval, 1, sizeof *o);
    if (!o || !take_owners(call, given, o)) return false;
    for (int64_t x = 0; x < o->size; x += given->width) {
        for (int64_t copy = 0; copy < o->copies; copy++) {
            if (!check_thread(call, o, x, copy, given->width)) return false;
            int64_t thread = thread_of(o, x, copy);
            o->filled[thread / TMAP_LANES][thread % TMAP_LANES]++;
        }
    }
    count_instructions(o);
    given->n = o->first[WARPS_MAX];
    int64_t(*lanes)[TMAP_LANES] = tmap_eval_take(call->eval, (size_t)given->n + 1, sizeof *lanes);
    if (!lanes) return false;
    memset(lanes, -1, ((size_t)given->n + 1) * sizeof *lanes);
    for (int64_t x = 0; x < o->size; x += given->width) {
        for (int64_t copy = 0; copy < o->copies; copy++) {
            int64_t thread = thread_of(o, x, copy), warp = thread / TMAP_LANES, lane = thread % TMAP_LANES;
            lanes[o->first[warp] + o->filled[warp][lane]++][lane] = x;
        }
    }
    given->lanes = (const int64_t(*)[TMAP_LANES])lanes;
    given->owners = o;
    return true;
}

bool tmap_one_thread(const tmap_given_accesses *given, int64_t x, int width) {
    const owners *o = given->owners;
    for (int64_t copy = 0; o && copy < o->copies; copy++)
        for (int i = 1; i < width; i++)
            if (x + i >= o->size || thread_of(o, x + i, copy) != thread_of(o, x, copy)) return false;
    return o != NULL;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

enum { LAYOUT, TYPE, ACCESS, WIDTH, SHAPE }; /* the arguments */

static bool take(tmap_call *call, tmap_given_accesses *given) {
    const tmap_shape *own = &call->read[LAYOUT].as.shape;
    tmap_shape shape = call->args[SHAPE] ? call->read[SHAPE].as.shape : *own;
    *given = (tmap_given_accesses){.layout = call->read[LAYOUT].data,
                                   .bits = (int)call->read[TYPE].integer,
                                   .width = (int)call->read[WIDTH].integer};
    for (; !call->args[SHAPE] && shape.rank < given->layout->shard.n && own->rank == 0; shape.rank++)
        shape.at[shape.rank] = given->layout->shard.at[shape.rank].extent;
    if (!tmap_check_shape(call, SHAPE, given->layout, &shape)) return false;
    uint32_t kind = (uint32_t)1 << call->args[ACCESS]->kind;
    if (kind & TMAP_TAKES_NAME) return take_pattern(call, call->args[SHAPE] ? &shape : own, given);
    return kind & TMAP_KIND(LIST) ? take_list(call, &shape, given) : take_threads(call, given);
}

bool tmap_take_accesses(tmap_call *call, uint64_t rounds, tmap_given_accesses *given) {
    return take(call, given) && tmap_eval_spend(call->eval, given->n * TMAP_LANES * rounds * (uint64_t)given->width);
}

bool tmap_structure_add_access(tmap_call *call, tmap_structure *s, const tmap_given_accesses *given) {
    if (given->by_pattern) {
        const tmap_pattern_info *info = tmap_pattern_get((int)given->pattern);
        const int64_t matrix[] = {given->rows, given->columns}, lanes[] = {info->rows, info->columns};
        if (!tmap_give_ints(call->eval, tmap_structure_add(s, "matrix"), matrix, 2)) return false;
        if (!tmap_give_ints(call->eval, tmap_structure_add(s, "lanes"), lanes, 2)) return false;
    }
    tmap_structure_int(s, "width", given->width);
    return true;
}
