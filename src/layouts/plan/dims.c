/*
 * plan: the dimensions of the tensor map. The plan cuts a dimension of the tensor where a part in the box starts. If
 * the parts of a dimension of size G have steps of c0 = 1 < c1 < ... < cn elements, the map has dimensions with strides
 * c0, c1, ..., cn times the tensor's, and sizes c1/c0, c2/c1, ..., G/cn. Parts outside the box step the coordinate of
 * the dimension that contains them.
 */
#include <inttypes.h>
#include <string.h>

#include "layout/iter_lists.h"
#include "plan/layout_parts.h"

/* A dimension of the map during construction. */
typedef struct map_dim {
    int dim;      /* of the tensor */
    int64_t step; /* one step here, in elements of the tensor's dimension */
    int64_t size, box, at;
    int64_t stride; /* in elements of global memory */
    int64_t shared; /* stride of the part in its box, in elements of shared memory */
    int order;      /* number of the part in its box; parts->n: none */
    bool is_driven; /* a loop steps its coordinate */
} map_dim;

typedef struct map_dims {
    int n;
    map_dim at[2 * TMAP_ITERS_MAX + TMAP_ITERS_MAX];
} map_dims;

/* ---- Cutting ---------------------------------------------------------------------------------------------------- */

/* The next larger step of a part of `dim` in the box; 0: none. */
static int64_t next_cut(const tmap_parts *parts, int boxed_n, int dim, int64_t above) {
    int64_t next = 0;
    for (int i = 0; i < boxed_n; i++) {
        const tmap_part *part = &parts->at[i];
        if (part->dim == dim && part->inner > above && (next == 0 || part->inner < next)) next = part->inner;
    }
    return next;
}

static int boxed_at(const tmap_parts *parts, int boxed_n, int dim, int64_t step) {
    for (int i = 0; i < boxed_n; i++)
        if (parts->at[i].dim == dim && parts->at[i].inner == step) return i;
    return parts->n;
}

static tmap_status cut_dim(const tmap_plan_request *request, const tmap_parts *parts, int boxed_n, int dim,
                           map_dims *dims, tmap_diag *refusal) {
    int64_t size = request->shape.at[dim], begin = request->begin.at[dim];
    for (int64_t step = 1, next; step > 0; step = next) {
        next = next_cut(parts, boxed_n, dim, step);
        int order = boxed_at(parts, boxed_n, dim, step);
        if (next == 0 && (size % step != 0 || begin % step != 0))
            return tmap_refuse(refusal, "plan-divide",
                               "the box has dimension %d in blocks of %" PRId64
                               ", which do not divide its size %" PRId64 " and its first coordinate %" PRId64,
                               dim, step, size, begin);
        dims->at[dims->n++] = (map_dim){.dim = dim,
                                        .step = step,
                                        .size = next > 0 ? next / step : size / step,
                                        .box = order < parts->n ? parts->at[order].extent : 1,
                                        .at = next > 0 ? 0 : begin / step,
                                        .stride = tmap_times(request->strides_el[dim], step),
                                        .shared = order < parts->n ? parts->at[order].shared : 0,
                                        .order = order};
    }
    return TMAP_OK;
}

/* The order of dimensions: those in the box in the order of shared memory, then the others, smallest global stride
 * first. */
static bool is_before(const void *a, const void *b) {
    const map_dim *x = a, *y = b;
    return x->order != y->order ? x->order < y->order : x->stride < y->stride;
}

/* The dimension whose coordinate a part outside the box steps. */
static map_dim *driven_by(map_dims *dims, const tmap_part *part) {
    map_dim *best = NULL;
    for (int i = 0; i < dims->n; i++) {
        map_dim *one = &dims->at[i];
        if (one->dim == part->dim && one->step <= part->inner && (!best || one->step > best->step)) best = one;
    }
    return best;
}

/* ---- Simplifying ------------------------------------------------------------------------------------------------ */

static void remove_dim(map_dims *dims, int i) {
    memmove(&dims->at[i], &dims->at[i + 1], (size_t)(dims->n - i - 1) * sizeof dims->at[0]);
    dims->n--;
}

static bool is_unit(const map_dim *one) {
    return one->size == 1 && one->box == 1 && one->at == 0 && !one->is_driven;
}

/* Whether dimension i, copied whole, and the next dimension can be one dimension: the next continues it in both
 * memories. */
static bool continues(const map_dims *dims, int i, int64_t row_most) {
    const map_dim *inner = &dims->at[i], *outer = &dims->at[i + 1];
    int64_t box = inner->box * outer->box;
    if (outer->box > 1 && outer->shared != tmap_times(inner->shared, inner->box)) return false;
    return !inner->is_driven && !outer->is_driven && inner->box == inner->size && inner->at == 0 &&
           outer->stride == tmap_times(inner->size, inner->stride) && box <= (i == 0 ? row_most : TMAP_BOX_MAX) &&
           tmap_times(inner->size, outer->size) <= (int64_t)TMAP_DIM_MAX;
}

static void merge(map_dims *dims, int i) {
    map_dim *inner = &dims->at[i];
    const map_dim *outer = &dims->at[i + 1];
    inner->at = outer->at * inner->size;
    inner->size *= outer->size;
    inner->box *= outer->box;
    remove_dim(dims, i + 1);
}

static void simplify(map_dims *dims, int64_t row_most) {
    for (int i = dims->n - 1; i > 0; i--)
        if (is_unit(&dims->at[i])) remove_dim(dims, i);
    for (int i = 0; i + 1 < dims->n; i++)
        while (i + 1 < dims->n && continues(dims, i, row_most)) merge(dims, i);
}

/* The rows of a box must be as far apart as they are wide, or as far as the swizzle spans. */
static tmap_status check_pitch(const map_dims *dims, int64_t span, tmap_diag *refusal) {
    int64_t pitch = span > 0 ? span : dims->at[0].box;
    for (int i = 1; i < dims->n; i++) {
        if (dims->at[i].box == 1) continue;
        if (dims->at[i].shared == pitch) return TMAP_OK;
        return tmap_refuse(refusal, "plan-pitch",
                           "rows of %" PRId64 " elements are %" PRId64
                           " apart in the wanted layout; in a box they are %" PRId64 " apart",
                           dims->at[0].box, dims->at[i].shared, pitch);
    }
    return TMAP_OK;
}

/* ---- The map and its copies ------------------------------------------------------------------------------------- */

static tmap_status lay_out(const tmap_plan_request *request, const tmap_parts *parts, int boxed_n, map_dims *dims,
                           tmap_diag *refusal) {
    int64_t element_B = tmap_plan_element_B(tmap_type_get((int)request->type));
    int64_t span = tmap_swizzle_get((int)parts->swizzle)->span_B / element_B;
    bool dense = false; /* a dimension has stride 1 */
    for (int d = 0; d < request->shape.rank; d++) {
        tmap_status status = cut_dim(request, parts, boxed_n, d, dims, refusal);
        if (status != TMAP_OK) return status;
        dense |= request->strides_el[d] == 1 && request->shape.at[d] > 1;
    }
    tmap_sort(dims->at, dims->n, sizeof dims->at[0], is_before);
    for (int i = boxed_n; i < parts->n; i++) driven_by(dims, &parts->at[i])->is_driven = true;
    simplify(dims, span > 0 ? span : TMAP_BOX_MAX);
    if (dims->at[0].stride != 1 && dims->at[0].size > 1) {
        (void)tmap_refuse(refusal, "inner-contiguous",
                          "adjacent elements in shared memory are of dimension %d of the tile, and are %" PRId64
                          " apart in global memory; dimension 0 of a map has no stride",
                          dims->at[0].dim, dims->at[0].stride);
        const char *fix = "a layout in which the dimension of stride 1 is the fastest; only threads can transpose";
        if (!dense) fix = "a tensor with stride 1 in this dimension; a map cannot skip its elements";
        return tmap_say_fix(refusal, "%s", fix);
    }
    if (dims->n > TMAP_RANK_MAX)
        return tmap_refuse(refusal, "rank-range", "the plan requires %d dimensions; a tensor map has at most %d",
                           dims->n, TMAP_RANK_MAX);
    return check_pitch(dims, span, refusal);
}

static tmap_map_params map_of(const tmap_plan_request *request, const tmap_parts *parts, const map_dims *dims) {
    int64_t element_B = tmap_plan_element_B(tmap_type_get((int)request->type));
    tmap_map_params map = tmap_map_params_tiled(request->type, (uint64_t)dims->n);
    map.swizzle = parts->swizzle;
    map.has_address = request->has_address;
    map.address = request->address;
    map.ops = 1u << request->op;
    for (int i = 0; i < dims->n; i++) {
        map.dims_el[i] = (uint64_t)dims->at[i].size;
        map.box_el[i] = (uint64_t)dims->at[i].box;
        if (i > 0) map.strides_B[i - 1] = (uint64_t)tmap_times(dims->at[i].stride, element_B);
    }
    return map;
}

static tmap_copy_params copy_of(const tmap_plan_request *request, const tmap_parts *parts, const map_dims *dims) {
    int64_t element_B = tmap_plan_element_B(tmap_type_get((int)request->type));
    tmap_copy_params copy = {.op = request->op, .at_n = dims->n};
    copy.shared = request->shared_address + (uint64_t)(parts->offset * element_B);
    for (int i = 0; i < dims->n; i++) copy.at[i] = dims->at[i].at;
    return copy;
}

/* The loop with the largest stride in shared memory is the outermost. */
static void add_loops(const tmap_plan_request *request, const tmap_parts *parts, int boxed_n, map_dims *dims,
                      tmap_plan *plan) {
    int64_t element_B = tmap_plan_element_B(tmap_type_get((int)request->type));
    plan->loops_n = 0;
    plan->copies_n = 1;
    for (int i = parts->n - 1; i >= boxed_n; i--) {
        const tmap_part *part = &parts->at[i];
        const map_dim *driven = driven_by(dims, part);
        tmap_plan_loop *loop = &plan->loops[plan->loops_n++];
        *loop = (tmap_plan_loop){.extent = part->extent, .shared_step_B = part->shared * element_B};
        loop->at_step[driven - dims->at] = part->inner / driven->step;
        plan->copies_n *= (uint64_t)part->extent;
    }
}

tmap_copy_params tmap_plan_copy(const tmap_plan *plan, uint64_t i) {
    tmap_copy_params copy = plan->first;
    for (int k = plan->loops_n - 1; k >= 0; k--) {
        const tmap_plan_loop *loop = &plan->loops[k];
        int64_t digit = (int64_t)(i % (uint64_t)loop->extent);
        i /= (uint64_t)loop->extent;
        for (int d = 0; d < TMAP_RANK_MAX; d++) copy.at[d] += digit * loop->at_step[d];
        copy.shared += (uint64_t)(digit * loop->shared_step_B);
    }
    return copy;
}

/* ---- Judging ---------------------------------------------------------------------------------------------------- */

/* The user did not write the shared address of a copy: it is the request's address plus an offset of the layout. */
static tmap_status refuse_copy(const tmap_plan_request *request, const tmap_copy_params *copy, tmap_status status,
                               const tmap_diags *diags, tmap_diag *refusal) {
    const tmap_diag *first = NULL;
    for (size_t i = 0; i < diags->count && !first; i++)
        if (diags->items[i].severity == TMAP_ERROR) first = &diags->items[i];
    if (status != TMAP_OK && first && first->field == TMAP_FIELD_SHARED) {
        (void)tmap_refuse(refusal, first->rule,
                          "the box of a copy is %" PRIu64 " B after the tile's shared address, 0x%" PRIx64 ": %s",
                          copy->shared - request->shared_address, request->shared_address, first->message);
        const char *fix =
            "multiples of 128 B for the shared address, the layout's offset and the distances between boxes";
        if (tmap_diag_is(first, "copy-shared-fits"))
            fix = request->shared_address > 0 ? "a smaller tile, or a lower shared address" : "a smaller tile";
        else if (request->shared_address % TMAP_LINE_B == 0)
            fix = "a layout, or a tile, whose boxes are multiples of 128 B apart";
        return tmap_say_fix(refusal, "%s", fix);
    }
    return tmap_plan_first_error(status, diags, refusal);
}

/* Judges the first copy, one step of each loop, and the last copy. The rules of copies are bounds and multiples, so all
 * copies keep the rules if these do. */
static tmap_status judge_copies(const tmap_plan_request *request, const tmap_plan *plan, const tmap_map *map,
                                const tmap_judge *judge, tmap_diags *diags, tmap_diag *refusal) {
    uint64_t below = plan->copies_n, at[TMAP_PLAN_LOOPS_MAX + 2] = {0};
    int n = 1;
    for (int i = 0; i < plan->loops_n; i++) at[n++] = below /= (uint64_t)plan->loops[i].extent;
    at[n++] = plan->copies_n - 1;
    for (int i = 0; i < n; i++) {
        tmap_copy_params copy = tmap_plan_copy(plan, at[i]);
        tmap_status status = tmap_check_copy(&map->params, &copy, judge, diags);
        if (status != TMAP_OK) return refuse_copy(request, &copy, status, diags, refusal);
    }
    return TMAP_OK;
}

static tmap_status judge(const tmap_plan_request *request, tmap_plan *plan, tmap_diag *refusal) {
    tmap_diag found[8];
    tmap_diags diags = {.items = found, .capacity = 8, .fixed = true};
    const tmap_judge by = tmap_plan_judge(request->archs);
    tmap_map map;
    tmap_status status = tmap_map_init(&map, &plan->map, &by, &diags);
    if (status != TMAP_OK) return tmap_plan_first_error(status, &diags, refusal);
    plan->tx_B = map.derived.payload_B;
    status = judge_copies(request, plan, &map, &by, &diags, refusal);
    return status == TMAP_OK ? tmap_plan_check_phase(map.swizzle, request->shared_address, refusal) : status;
}

tmap_status tmap_plan_with_box(const tmap_plan_request *request, const tmap_parts *parts, int boxed_n, tmap_plan *plan,
                               tmap_diag *refusal) {
    map_dims dims = {.n = 0};
    tmap_status status = lay_out(request, parts, boxed_n, &dims, refusal);
    if (status != TMAP_OK) return status;
    plan->map = map_of(request, parts, &dims);
    plan->first = copy_of(request, parts, &dims);
    add_loops(request, parts, boxed_n, &dims, plan);
    return judge(request, plan, refusal);
}
