/*
 * Converts register layouts to CuTe's layouts of threads and values, from (thread, value) to the element, and back.
 * CuTe's atoms use this form (the Layout_TV of their traits). Elements are numbered with the first dimension the
 * fastest.
 */
#include "cute/tuples.h"
#include "register/modes.h"

#include <inttypes.h>

/* The number of elements that one step of each mode advances. */
static void steps_of(const tmap_modes *modes, uint64_t *steps) {
    int begin[TMAP_MODE_RANK_MAX + 1];
    uint64_t step = 1;
    tmap_modes_ranges(modes, begin);
    for (int d = 0; d < modes->rank; d++) {
        for (int k = begin[d + 1] - 1; k >= begin[d]; k--) {
            steps[k] = step;
            step *= modes->size[k];
        }
    }
}

/* Appends a list, whose last entry is the fastest. Replications have stride 0. */
static void append_entries(tmap_cute_build *build, const tmap_modes *modes, const tmap_mode_list *list,
                           const uint64_t *steps) {
    tmap_cute_leaves leaves = {.n = 0};
    for (int i = list->n - 1; i >= 0; i--) {
        leaves.shape[leaves.n] = tmap_entry_size(modes, list->at[i]);
        leaves.stride[leaves.n++] = list->at[i] < 0 ? 0 : (int64_t)steps[list->at[i]];
    }
    tmap_cute_leaves_coalesce(&leaves);
    tmap_cute_append_leaves(build, &leaves);
}

tmap_status tmap_register_to_cute(const tmap_register_layout *layout, tmap_cute *out, tmap_diag *error) {
    uint64_t steps[TMAP_MODES_MAX];
    tmap_cute_build build = {.too_many = false};
    steps_of(&layout->modes, steps);
    int open = tmap_cute_open(&build);
    append_entries(&build, &layout->modes, &layout->spatial, steps);
    append_entries(&build, &layout->modes, &layout->local, steps);
    tmap_cute_close(&build, open);
    return tmap_cute_built(&build, NULL, TMAP_OPERATION("as_tv"), out, error);
}

/*
 * ---- From threads and values ----
 *
 * A leaf is cut where a dimension ends. The pieces of a dimension must have steps 1, the size of the first piece, and
 * so on.
 */
enum { NO_DIMENSION = -1 }; /* of a replication */

typedef struct mode_piece {
    int dim;
    uint64_t size, step; /* in elements of the dimension */
    bool spatial, is_mode;
    int mode; /* if is_mode */
} mode_piece;

typedef struct pieces {
    int n, rank;
    const uint64_t *shape;
    mode_piece at[TMAP_MODES_MAX]; /* the threads', then the values', from the fastest */
    tmap_diag *error;
} pieces;

#define OPERATION TMAP_OPERATION("as_register")

static tmap_status refuse_leaf(const pieces *p, uint64_t shape, int64_t stride, const char *what) {
    return tmap_refuse_operation(p->error, OPERATION, "use the layout of threads and values of a tile of this shape",
                                 "%" PRIu64 ":%" PRId64 " %s", shape, stride, what);
}

/* A layout's size is at most 2^62, so it has at most 62 pieces: each has 2 or more elements. */
static tmap_status cut_leaf(pieces *p, uint64_t shape, int64_t stride, bool spatial) {
    uint64_t left = shape, at = (uint64_t)stride, before = 1;
    if (stride < 0) return refuse_leaf(p, shape, stride, "has a negative stride");
    if (stride == 0 && !spatial)
        return refuse_leaf(p, shape, stride, "has several values of one thread at the same element");
    if (stride == 0) {
        p->at[p->n++] = (mode_piece){.dim = NO_DIMENSION, .size = shape, .spatial = true};
        return TMAP_OK;
    }
    for (int d = 0; d < p->rank && left > 1; before *= p->shape[d++]) {
        if (at >= before * p->shape[d]) continue;
        if (at % before != 0 || p->shape[d] % (at / before) != 0)
            return refuse_leaf(p, shape, stride, "does not divide a dimension into equal steps");
        uint64_t room = p->shape[d] / (at / before), size = left < room ? left : room;
        if (left % size != 0) return refuse_leaf(p, shape, stride, "does not end where a dimension ends");
        p->at[p->n++] = (mode_piece){.dim = d, .size = size, .step = at / before, .spatial = spatial};
        left /= size;
        at = before * p->shape[d];
    }
    return left == 1 ? TMAP_OK : refuse_leaf(p, shape, stride, "exceeds the shape");
}

static tmap_status cut_mode(pieces *p, const tmap_cute *layout, int node, bool spatial) {
    tmap_cute_leaves leaves;
    tmap_status status = TMAP_OK;
    tmap_cute_leaves_of(layout, node, &leaves);
    for (int i = 0; i < leaves.n && status == TMAP_OK; i++)
        if (leaves.shape[i] > 1) status = cut_leaf(p, leaves.shape[i], leaves.stride[i], spatial);
    return status;
}

/* Numbers the modes of a dimension, outermost first, and stores the mode of each piece. */
static tmap_status order_dimension(pieces *p, int dim, tmap_modes *modes) {
    uint64_t reached = p->shape[dim];
    while (reached > 1) {
        mode_piece *found = NULL;
        for (int i = 0; i < p->n; i++)
            if (p->at[i].dim == dim && p->at[i].step * p->at[i].size == reached) found = &p->at[i];
        if (!found)
            return tmap_refuse_operation(p->error, OPERATION,
                                         "threads and values together must count every element once",
                                         "no mode counts dimension %d up to %" PRIu64, dim, reached);
        found->is_mode = true;
        found->mode = modes->n;
        modes->size[modes->n++] = found->size;
        reached = found->step;
    }
    return TMAP_OK;
}

static tmap_status put_register(pieces *p, tmap_register_layout *out) {
    tmap_register_layout made = {.modes.rank = p->rank};
    tmap_status status = TMAP_OK;
    for (int d = 0; d < p->rank; d++) made.modes.shape[d] = p->shape[d];
    for (int d = 0; d < p->rank && status == TMAP_OK; d++) status = order_dimension(p, d, &made.modes);
    if (status != TMAP_OK) return status;
    for (int i = p->n - 1; i >= 0; i--) {
        const mode_piece *one = &p->at[i];
        tmap_mode_list *list = one->spatial ? &made.spatial : &made.local;
        if (one->dim != NO_DIMENSION && !one->is_mode)
            return tmap_refuse_operation(p->error, OPERATION,
                                         "threads and values together must count every element once",
                                         "dimension %d is counted twice", one->dim);
        list->at[list->n++] = one->is_mode ? one->mode : -(int64_t)one->size;
    }
    return tmap_register_make(&made, out, p->error);
}

tmap_status tmap_register_of_cute(const tmap_cute *layout, const uint64_t *shape, int rank, tmap_register_layout *out,
                                  tmap_diag *error) {
    pieces p = {.rank = rank, .shape = shape, .error = error};
    tmap_status status = tmap_cute_refuse_swizzle(layout, OPERATION, error);
    if (status == TMAP_OK) status = tmap_modes_shape_check(shape, rank, OPERATION, error);
    if (status == TMAP_OK && tmap_cute_rank(layout) != 2)
        status =
            tmap_refuse_operation(error, OPERATION, "a mode of threads and one of values", "the layout has %d mode%s",
                                  tmap_cute_rank(layout), TMAP_PLURAL(tmap_cute_rank(layout)));
    int threads = tmap_cute_first(layout, 0);
    if (status == TMAP_OK) status = cut_mode(&p, layout, threads, true);
    if (status == TMAP_OK) status = cut_mode(&p, layout, tmap_cute_next(layout, threads), false);
    return status == TMAP_OK ? put_register(&p, out) : status;
}
