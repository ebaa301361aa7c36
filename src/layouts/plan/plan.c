/* plan: the search for the fewest copies. */
#include <inttypes.h>
#include <string.h>

#include "plan/layout_parts.h"
#include "tmap/unstable/counts.h"

/* ---- The request ------------------------------------------------------------------------------------------------ */

static tmap_status check_dim(const tmap_plan_request *request, int d, tmap_diag *refusal) {
    int64_t size = request->shape.at[d], begin = request->begin.at[d], tile = request->tile.at[d];
    if (size < 1 || size > (int64_t)TMAP_DIM_MAX || tile < 1)
        return tmap_refuse(refusal, "plan-request",
                           "dimension %d has size %" PRId64 " and the tile %" PRId64 "; both must be 1 to 2^32", d,
                           size, tile);
    if (begin < INT32_MIN || begin > INT32_MAX || tile > (int64_t)TMAP_DIM_MAX)
        return tmap_refuse(refusal, "plan-request",
                           "the tile begins at %" PRId64 " of dimension %d and has %" PRId64
                           "; coordinates are signed 32-bit numbers",
                           begin, d, tile);
    if (request->strides_el[d] >= 0) return TMAP_OK;
    return tmap_refuse(refusal, "plan-request", "dimension %d has stride %" PRId64 "; a copy has no negative strides",
                       d, request->strides_el[d]);
}

static tmap_status check_request(const tmap_plan_request *request, tmap_diag *refusal) {
    const tmap_type_info *type = tmap_type_get((int)request->type);
    int rank = request->shape.rank;
    if (!type || tmap_plan_element_B(type) == 0) {
        (void)tmap_refuse(refusal, "plan-request", "type %s has no elements of whole bytes", type ? type->name : "?");
        return tmap_say_fix(refusal, "u8, with the sizes in bytes");
    }
    if (request->op != TMAP_OP_LOAD && request->op != TMAP_OP_STORE)
        return tmap_refuse(refusal, "plan-request", "op is neither load nor store");
    if (rank < 1 || rank > TMAP_ITERS_MAX || request->begin.rank != rank || request->tile.rank != rank)
        return tmap_refuse(refusal, "plan-request", "shape, begin and tile have %d, %d and %d dimensions", rank,
                           request->begin.rank, request->tile.rank);
    for (int d = 0; d < rank; d++) {
        tmap_status status = check_dim(request, d, refusal);
        if (status != TMAP_OK) return status;
    }
    tmap_diag error;
    if (tmap_layout_check(&request->shared, &error) == TMAP_OK) return TMAP_OK;
    return tmap_refuse(refusal, "plan-request", "the wanted layout: %s", error.message);
}

/* ---- The search ------------------------------------------------------------------------------------------------- */

/* Requires strides above 0: elements with stride 0 share one place. */
static tmap_status refuse_apart(const tmap_parts *parts, tmap_diag *refusal) {
    if (parts->at[0].shared == 0) {
        (void)tmap_refuse(refusal, "plan-memory", "the wanted layout has %" PRId64 " elements at one place",
                          parts->at[0].extent);
        return tmap_say_fix(refusal, "a stride for every extent, as S[(64,64):(64,1)]");
    }
    (void)tmap_refuse(refusal, "plan-dense",
                      "the least stride of the wanted layout is %" PRId64 ", so no two elements are adjacent",
                      parts->at[0].shared);
    return tmap_say_fix(refusal, "a layout whose fastest dimension is dense");
}

/* The smallest window of the chosen architectures; with none chosen, the largest of all. */
static uint64_t window_of(tmap_archs archs) {
    uint64_t most = 0, least = UINT64_MAX;
    for (int arch = 0; arch < TMAP_ARCH_COUNT; arch++) {
        uint64_t window = tmap_arch_get(arch)->shared_window_B;
        if (window == 0) continue;
        if (window > most) most = window;
        if ((archs >> arch & 1) && window < least) least = window;
    }
    return least < most ? least : most;
}

/* The whole tile is in shared memory at once, whatever the number of copies. */
static tmap_status check_fits(const tmap_plan_request *request, tmap_diag *refusal) {
    int64_t element_B = tmap_plan_element_B(tmap_type_get((int)request->type));
    int64_t span_B = tmap_times(tmap_layout_span(&request->shared, tmap_axis_get(TMAP_AXIS_ID_M)), element_B);
    uint64_t window = window_of(request->archs);
    if (tmap_add_saturate(request->shared_address, (uint64_t)span_B) <= window) return TMAP_OK;
    (void)tmap_refuse(refusal, "copy-shared-fits",
                      "the tile occupies %" PRId64 " B of shared memory from 0x%" PRIx64
                      " on; shared memory ends at 0x%" PRIx64,
                      span_B, request->shared_address, window);
    return tmap_say_fix(refusal, "a smaller tile%s", (uint64_t)span_B <= window ? ", or a lower shared address" : "");
}

/* Larger boxes need fewer copies, so the first box that the rules allow is the best. */
static tmap_status search(const tmap_plan_request *request, tmap_plan *plan, tmap_diag *refusal) {
    tmap_parts parts;
    *plan = (tmap_plan){.loops_n = 0};
    tmap_status status = tmap_parts_of(request, &parts, refusal);
    if (status != TMAP_OK) return status;
    if (parts.chain_n == 0 && parts.n > 0) return refuse_apart(&parts, refusal);
    if (check_fits(request, refusal) != TMAP_OK) return TMAP_REFUSED;
    tmap_diag last;
    for (int boxed_n = parts.chain_n; boxed_n >= 0; boxed_n--) {
        *plan = (tmap_plan){.loops_n = 0};
        status = tmap_plan_with_box(request, &parts, boxed_n, plan, boxed_n == parts.chain_n ? refusal : &last);
        if (status == TMAP_OK) return status;
        if (boxed_n == 1 && refusal && parts.chain_n > 1) *refusal = last;
    }
    return TMAP_REFUSED;
}

/* Searches with the dimensions of the request and with joined dimensions, and keeps the plan with fewer copies. */
static tmap_status search_both(const tmap_plan_request *request, tmap_plan *plan, tmap_diag *refusal) {
    tmap_plan_request flat;
    tmap_plan other;
    tmap_status status = search(request, plan, refusal);
    if ((status == TMAP_OK && plan->copies_n == 1) || !tmap_plan_flatten(request, &flat)) return status;
    if (search(&flat, &other, NULL) != TMAP_OK) return status;
    if (status != TMAP_OK || other.copies_n < plan->copies_n) *plan = other;
    return TMAP_OK;
}

bool tmap_plan_nearest(const tmap_plan_request *request, tmap_layout *nearest) {
    tmap_plan_request other = *request;
    tmap_plan plan;
    const tmap_type_info *type = tmap_type_get((int)request->type);
    if (check_request(request, NULL) != TMAP_OK) return false;
    if (tmap_layout_for_columns(type, &request->tile, &other.shared, NULL) != TMAP_OK) return false;
    bool found = search_both(&other, &plan, NULL) == TMAP_OK ||
                 (tmap_layout_row_major(request->tile.at, request->tile.rank, &other.shared, NULL) == TMAP_OK &&
                  search_both(&other, &plan, NULL) == TMAP_OK);
    if (found) *nearest = other.shared;
    return found;
}

tmap_status tmap_plan_make(const tmap_plan_request *request, tmap_plan *plan, tmap_diag *refusal) {
    tmap_plan made;
    tmap_status status = check_request(request, refusal);
    if (status != TMAP_OK) return status == TMAP_REFUSED ? TMAP_BAD_ARGUMENT : status;
    status = search_both(request, &made, refusal);
    if (status == TMAP_OK) *plan = made;
    return status;
}

/* ---- The layout for columns ------------------------------------------------------------------------------------- */

/* Without a swizzle: a row, or its largest part that a box accepts. */
static int64_t widest_box(int64_t row, int64_t element_B) {
    for (int64_t width = row < TMAP_BOX_MAX ? row : TMAP_BOX_MAX; width > 0; width--)
        if (row % width == 0 && width * element_B % TMAP_ROW_STEP_B == 0) return width;
    return row;
}

/* Removes dimensions of 1 between a row and the dimensions outside it. */
static tmap_shape without_units(const tmap_shape *tile) {
    tmap_shape shape = *tile;
    for (; shape.rank > 2 && shape.at[shape.rank - 2] == 1; shape.rank--)
        shape.at[shape.rank - 2] = shape.at[shape.rank - 1];
    return shape;
}

tmap_status tmap_layout_in_blocks(const tmap_type_info *type, const tmap_shape *tile, tmap_swizzle swizzle,
                                  tmap_layout *out, tmap_diag *error) {
    const tmap_swizzle_info *info = tmap_swizzle_get((int)swizzle);
    if (!info) return tmap_fail(TMAP_BAD_ARGUMENT, error, "swizzle %d does not exist", (int)swizzle);
    if (tmap_plan_element_B(type) == 0) {
        (void)tmap_refuse_operand(error, 1, "type %s has no elements of whole bytes", type->name);
        return tmap_say_fix(error, "u8, with the sizes in bytes");
    }
    if (tile->rank < 2 || tile->rank > TMAP_ITERS_MAX - 2)
        return tmap_refuse_operand(error, 1, "a tile of rank %d, not of 2 to %d", tile->rank, TMAP_ITERS_MAX - 2);
    const tmap_shape without = without_units(tile);
    tile = &without;
    int rank = tile->rank;
    if (tile->at[rank - 1] < 1) return tmap_refuse_operand(error, 1, "a row of the tile has no elements");
    int64_t rows = tile->at[rank - 2], row = tile->at[rank - 1], span = info->span_B / tmap_plan_element_B(type);
    int64_t width = span > 0 ? (row > span ? span : row) : widest_box(row, tmap_plan_element_B(type));
    int64_t pitch = span > 0 ? span : width;
    if (row % width != 0) {
        (void)tmap_refuse_operand(error, 1,
                                  "rows of %" PRId64 " elements are not whole blocks of %" PRId64 ", the span of %s",
                                  row, width, info->name);
        return tmap_say_fix(error, "rows of %" PRId64 " or %" PRId64, row / width * width,
                            tmap_times(row / width + 1, width));
    }
    tmap_shape blocked = {.rank = rank + 1};
    tmap_layout made;
    memcpy(blocked.at, tile->at, (size_t)(rank - 2) * sizeof blocked.at[0]);
    blocked.at[rank - 2] = row / width, blocked.at[rank - 1] = rows, blocked.at[rank] = pitch;
    tmap_status status = tmap_layout_row_major(blocked.at, blocked.rank, &made, error);
    if (status != TMAP_OK) return status;
    /* from (..., blocks, rows, width) to the tile's order (..., rows, blocks, width) */
    int order[TMAP_ITERS_MAX];
    for (int i = 0; i < rank + 1; i++) order[i] = i;
    order[rank - 2] = rank - 1, order[rank - 1] = rank - 2;
    status = tmap_layout_permute(&made, order, rank + 1, &made, error);
    if (status != TMAP_OK) return status;
    made.shard.at[rank].extent = width;
    if (span > 0) status = tmap_xor_of_mode(type->bits, swizzle, &made.swizzle, error);
    made.has_swizzle = span > 0;
    if (status == TMAP_OK) *out = made;
    return status;
}

tmap_status tmap_layout_for_columns(const tmap_type_info *type, const tmap_shape *tile, tmap_layout *out,
                                    tmap_diag *error) {
    int64_t row = tile->rank > 0 && tile->rank <= TMAP_ITERS_MAX ? tile->at[tile->rank - 1] : 0;
    return tmap_layout_in_blocks(type, tile, tmap_swizzle_fitting(type->bits, row), out, error);
}
