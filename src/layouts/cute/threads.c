/*
 * Converts register layouts to CuTe's layouts of threads and values, from (thread, value) to the element, and back.
 * CuTe's atoms use this form (the Layout_TV of their traits). Elements are numbered with the first dimension the
 * fastest.
 */
#include "cute/tuples.h"
#include "register/modes.h"
#include "register/shaped.h"

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
    tmap_iters leaves;
    leaves.n = 0;
    for (int i = list->n - 1; i >= 0; i--)
        tmap_cute_leaves_add(&leaves, tmap_entry_size(modes, list->at[i]),
                             list->at[i] < 0 ? 0 : (int64_t)steps[list->at[i]]);
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
 * The leaves, in the order of their steps in the elements, are the digits of an element's number, in which the last
 * dimension is the slowest. Each digit counts threads or values: together they are a layout in S/R/O.
 */
typedef struct counted_leaf {
    tmap_iter iter; /* the threads or values that the leaf counts */
    int64_t step;   /* in elements */
} counted_leaf;

typedef struct counted_leaves {
    counted_leaf at[2 * TMAP_ITERS_MAX];
    int n;
    tmap_diag *error;
} counted_leaves;

#define OPERATION TMAP_OPERATION("as_register")
static const char once[] = "threads and values together must count every element once";

static tmap_status refuse_leaf(const counted_leaves *c, int64_t extent, int64_t step, const char *what) {
    return tmap_refuse_operation(c->error, OPERATION, "use the layout of threads and values of a tile of this shape",
                                 "%" PRId64 ":%" PRId64 " %s", extent, step, what);
}

/* A leaf with stride 0 replicates the threads of its mode. */
static tmap_status count_leaves(counted_leaves *c, const tmap_cute *layout, int node, const tmap_axis *axis,
                                tmap_iters *replica) {
    tmap_iters leaves;
    int64_t weight = 1;
    tmap_cute_leaves_of(layout, node, &leaves);
    for (int i = 0; i < leaves.n; weight *= leaves.at[i++].extent) {
        const tmap_iter *leaf = &leaves.at[i], iter = {leaf->extent, weight, axis};
        if (leaf->stride < 0) return refuse_leaf(c, leaf->extent, leaf->stride, "has a negative stride");
        if (leaf->stride > 0)
            c->at[c->n++] = (counted_leaf){iter, leaf->stride};
        else if (axis == TMAP_REGISTERS || !tmap_iters_add(replica, iter))
            return refuse_leaf(c, leaf->extent, 0, "has several values of one thread at the same element");
    }
    return TMAP_OK;
}

static bool has_longer_step(const void *a, const void *b) {
    return ((const counted_leaf *)a)->step > ((const counted_leaf *)b)->step;
}

/* Requires steps from 1 on without gap and overlap. */
static tmap_status put_digits(counted_leaves *c, int64_t elements, tmap_iters *shard) {
    int64_t reached = 1;
    tmap_sort(c->at, c->n, sizeof c->at[0], has_longer_step);
    for (int i = c->n - 1; i >= 0 && c->at[i].step <= reached; i--) {
        const counted_leaf *leaf = &c->at[i];
        if (leaf->step < reached)
            return tmap_refuse_operation(c->error, OPERATION, once,
                                         "%" PRId64 ":%" PRId64 " counts elements that another leaf counts",
                                         leaf->iter.extent, leaf->step);
        if (leaf->iter.extent > elements / reached)
            return refuse_leaf(c, leaf->iter.extent, leaf->step, "exceeds the shape");
        reached *= leaf->iter.extent;
    }
    if (reached < elements)
        return tmap_refuse_operation(c->error, OPERATION, once, "no leaf has the stride %" PRId64, reached);
    for (int i = 0; i < c->n; i++) (void)tmap_iters_add(shard, c->at[i].iter);
    return TMAP_OK;
}

tmap_status tmap_register_of_cute(const tmap_cute *layout, const uint64_t *shape, int rank, tmap_register_layout *out,
                                  tmap_diag *error) {
    counted_leaves c = {.error = error};
    tmap_shaped made = {.shape.rank = rank};
    int dims[TMAP_MODE_RANK_MAX], threads = tmap_cute_first(layout, 0);
    tmap_iters *replica = &made.layout.replica;
    int64_t elements = 1;
    tmap_status status = tmap_cute_refuse_swizzle(layout, OPERATION, error);
    if (status == TMAP_OK) status = tmap_modes_shape_check(shape, rank, OPERATION, error);
    if (status == TMAP_OK && tmap_cute_rank(layout) != 2)
        status =
            tmap_refuse_operation(error, OPERATION, "a mode of threads and one of values", "the layout has %d mode%s",
                                  tmap_cute_rank(layout), TMAP_PLURAL(tmap_cute_rank(layout)));
    if (status != TMAP_OK) return status;
    for (int d = 0; d < rank; d++) {
        dims[d] = rank - 1 - d;
        made.shape.at[dims[d]] = (int64_t)shape[d];
        elements *= (int64_t)shape[d];
    }
    status = count_leaves(&c, layout, threads, TMAP_THREADS, replica);
    if (status == TMAP_OK) status = count_leaves(&c, layout, tmap_cute_next(layout, threads), TMAP_REGISTERS, replica);
    if (status == TMAP_OK) status = put_digits(&c, elements, &made.layout.shard);
    if (status != TMAP_OK) return status;
    if (tmap_shaped_permute(&made, dims, rank, &made, NULL) != TMAP_OK)
        return tmap_refuse_operation(error, OPERATION, "use the layout of threads and values of a tile of this shape",
                                     "a leaf does not end where a dimension ends");
    return tmap_register_of_shaped(&made, out, error);
}
