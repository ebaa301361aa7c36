/* Tilus's layouts as S/R/O with a shape, and back; the operations of all kinds. */
#include "register/shaped.h"

#include "register/modes.h"

#include <inttypes.h>
#include <string.h>

/* ---- To S/R/O ---- */

void tmap_shard_add(tmap_layout *made, uint64_t extent, int64_t stride) {
    made->shard.at[made->shard.n++] = (tmap_iter){(int64_t)extent, stride, TMAP_REGISTERS};
}

tmap_shape tmap_modes_shape(const tmap_modes *modes) {
    tmap_shape shape = {.rank = modes->rank};
    for (int d = 0; d < modes->rank; d++) shape.at[d] = (int64_t)modes->shape[d];
    return shape;
}

/* The numbers of a list are dense: an entry steps by the product of the later sizes. */
static void put_list(const tmap_modes *modes, const tmap_mode_list *list, const tmap_axis *axis, tmap_layout *made) {
    int64_t step = 1;
    for (int i = list->n - 1; i >= 0; i--) {
        int64_t entry = list->at[i], size = (int64_t)tmap_entry_size(modes, entry);
        *(entry < 0 ? &made->replica.at[made->replica.n++] : &made->shard.at[entry]) = (tmap_iter){size, step, axis};
        step *= size;
    }
}

static tmap_shaped of_lists(const tmap_modes *modes, const tmap_mode_list *spatial, const tmap_mode_list *local) {
    tmap_shaped made = {.shape = tmap_modes_shape(modes)};
    for (int k = 0; k < modes->n; k++) tmap_shard_add(&made.layout, modes->size[k], 0);
    put_list(modes, spatial, TMAP_THREADS, &made.layout);
    put_list(modes, local, TMAP_REGISTERS, &made.layout);
    return made;
}

tmap_shaped tmap_shaped_of_register(const tmap_register_layout *layout) {
    return of_lists(&layout->modes, &layout->spatial, &layout->local);
}

tmap_shaped tmap_shaped_of_multi(const tmap_multi_function *function) {
    const tmap_mode_list none = {.n = 0};
    return of_lists(&function->modes, &function->list, &none);
}

tmap_shaped tmap_shaped_of_shared(const tmap_shared_layout *layout) {
    tmap_shaped made = {.shape = tmap_modes_shape(&layout->modes), .layout.has_swizzle = layout->swizzle.b > 0};
    for (int k = 0; k < layout->modes.n; k++)
        tmap_shard_add(&made.layout, layout->modes.size[k], (int64_t)layout->strides[k]);
    if (made.layout.has_swizzle) made.layout.swizzle = layout->swizzle;
    return made;
}

/* ---- From S/R/O ---- */

tmap_status tmap_shaped_make(const tmap_layout *layout, const uint64_t *shape, int rank, tmap_shaped *shaped,
                             tmap_diag *error) {
    tmap_status status = tmap_modes_shape_check(shape, rank, TMAP_OPERATION("shape"), error);
    if (status != TMAP_OK) return status;
    *shaped = (tmap_shaped){.layout = *layout, .shape.rank = rank};
    for (int d = 0; d < rank; d++) shaped->shape.at[d] = (int64_t)shape[d];
    return TMAP_OK;
}

static void put_modes(const tmap_grouped *g, const tmap_shape *shape, tmap_modes *modes) {
    *modes = (tmap_modes){.rank = shape->rank, .n = g->layout.shard.n};
    for (int d = 0; d < shape->rank; d++) modes->shape[d] = (uint64_t)shape->at[d];
    for (int k = 0; k < modes->n; k++) modes->size[k] = (uint64_t)g->layout.shard.at[k].extent;
}

/* Entries of a list with their steps, the longest first. */
typedef struct stepped {
    const char *name;
    tmap_mode_list *list;
    int64_t step[TMAP_MODES_MAX];
} stepped;

static bool insert(stepped *s, int64_t entry, int64_t step) {
    tmap_mode_list *list = s->list;
    if (list->n == TMAP_MODES_MAX) return false;
    int at = list->n++;
    for (; at > 0 && s->step[at - 1] < step; at--) list->at[at] = list->at[at - 1], s->step[at] = s->step[at - 1];
    list->at[at] = entry, s->step[at] = step;
    return true;
}

static tmap_status check_dense(const stepped *s, const tmap_modes *modes, tmap_diag *error) {
    uint64_t covered = 1;
    for (int i = s->list->n - 1; i >= 0; i--) {
        uint64_t size = tmap_entry_size(modes, s->list->at[i]);
        if ((uint64_t)s->step[i] != covered || size > TMAP_MODE_SIZE_MAX / covered)
            return tmap_refuse_operation(error, TMAP_OPERATION("as_register"),
                                         "use strides that reach every number once",
                                         "no iter steps through the %s by %" PRIu64, s->name, covered);
        covered *= size;
    }
    return TMAP_OK;
}

static tmap_status lists_of_shaped(const tmap_shaped *shaped, tmap_modes *modes, tmap_mode_list *spatial,
                                   tmap_mode_list *local, tmap_diag *error) {
    tmap_grouped g;
    stepped threads = {.name = "threads", .list = spatial}, registers = {.name = "registers", .list = local};
    tmap_status status = tmap_layout_split(&shaped->layout, &shaped->shape, 1, &g, error);
    if (status != TMAP_OK) return status;
    const tmap_iters *shard = &g.layout.shard, *replica = &g.layout.replica;
    bool fits = true;
    put_modes(&g, &shaped->shape, modes);
    spatial->n = local->n = 0;
    for (int k = 0; k < shard->n; k++)
        if (shard->at[k].stride != 0)
            fits = fits &&
                   insert(shard->at[k].axis->kind == TMAP_AXIS_THREAD ? &threads : &registers, k, shard->at[k].stride);
    for (int k = 0; k < replica->n; k++)
        if (replica->at[k].stride != 0) fits = fits && insert(&threads, -replica->at[k].extent, replica->at[k].stride);
    if (!fits) return tmap_refuse_operation(error, TMAP_OPERATION("as_register"), "use fewer iters", "too many iters");
    status = check_dense(&threads, modes, error);
    return status == TMAP_OK ? check_dense(&registers, modes, error) : status;
}

tmap_status tmap_register_of_shaped(const tmap_shaped *shaped, tmap_register_layout *layout, tmap_diag *error) {
    tmap_register_layout made;
    tmap_status status = lists_of_shaped(shaped, &made.modes, &made.spatial, &made.local, error);
    if (status == TMAP_OK) *layout = made;
    return status;
}

tmap_status tmap_multi_of_shaped(const tmap_shaped *shaped, tmap_multi_function *function, tmap_diag *error) {
    tmap_multi_function made;
    tmap_mode_list none;
    tmap_status status = lists_of_shaped(shaped, &made.modes, &made.list, &none, error);
    if (status == TMAP_OK) *function = made;
    return status;
}

tmap_status tmap_shared_of_shaped(const tmap_shaped *shaped, tmap_shared_layout *layout, tmap_diag *error) {
    tmap_grouped g;
    tmap_shared_layout made = {0};
    tmap_status status = tmap_layout_split(&shaped->layout, &shaped->shape, 1, &g, error);
    if (status != TMAP_OK) return status;
    put_modes(&g, &shaped->shape, &made.modes);
    for (int k = 0; k < made.modes.n; k++) made.strides[k] = (uint64_t)g.layout.shard.at[k].stride;
    if (g.layout.has_swizzle) made.swizzle = g.layout.swizzle;
    *layout = made;
    return TMAP_OK;
}

/* ---- Operations of all kinds ---- */

void tmap_shape_pad(tmap_shape *shape, int rank) {
    int more = rank - shape->rank;
    if (more <= 0) return;
    memmove(&shape->at[more], shape->at, (size_t)shape->rank * sizeof shape->at[0]);
    for (int d = 0; d < more; d++) shape->at[d] = 1;
    shape->rank = rank;
}

tmap_status tmap_shaped_compose(const tmap_shaped *outer, const tmap_shaped *inner, tmap_shaped *both,
                                tmap_diag *error) {
    tmap_shape a = outer->shape, b = inner->shape;
    tmap_shape_pad(&a, b.rank);
    tmap_shape_pad(&b, a.rank);
    both->shape = a;
    for (int d = 0; d < b.rank; d++) both->shape.at[d] *= b.at[d];
    return tmap_layout_tile(&inner->layout, &outer->layout, &a, &b, &both->layout, error);
}

tmap_status tmap_shaped_permute(const tmap_shaped *shaped, const int *dims, int dims_n, tmap_shaped *permuted,
                                tmap_diag *error) {
    tmap_grouped g;
    int rank = shaped->shape.rank;
    tmap_status status = tmap_dims_check(dims, dims_n, rank, TMAP_FITTED("permute"), error);
    if (status != TMAP_OK) return status;
    if (dims_n != rank)
        return tmap_refuse_operation(error, TMAP_FITTED("permute"), "name every dimension once",
                                     "%d of %d dimensions %s named", dims_n, rank, dims_n == 1 ? "is" : "are");
    status = tmap_layout_split(&shaped->layout, &shaped->shape, 0, &g, error);
    if (status != TMAP_OK) return status;
    const tmap_shape shape = shaped->shape;
    *permuted = (tmap_shaped){.layout = g.layout, .shape.rank = rank};
    permuted->layout.shard.n = 0;
    for (int i = 0; i < rank; i++) {
        permuted->shape.at[i] = shape.at[dims[i]];
        (void)tmap_grouped_append(&g, dims[i], &permuted->layout.shard);
    }
    return TMAP_OK;
}

tmap_status tmap_shaped_reshape(tmap_shaped *shaped, const uint64_t *shape, int rank, tmap_diag *error) {
    tmap_shaped made;
    tmap_status status = tmap_modes_shape_check(shape, rank, TMAP_FITTED("reshape"), error);
    if (status == TMAP_OK) status = tmap_shaped_make(&shaped->layout, shape, rank, &made, error);
    if (status != TMAP_OK) return status;
    int64_t size = 1;
    for (int d = 0; d < rank; d++) size *= made.shape.at[d];
    if (size != tmap_layout_size(&shaped->layout)) return tmap_refuse_size(&shaped->layout, size, 1, error);
    *shaped = made;
    return TMAP_OK;
}
