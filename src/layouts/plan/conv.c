/* plan: the im2col map of a convolution. */
#include "plan/conv.h"

#include <inttypes.h>

#define STAGES_MAX 65536

/* ---- The request ------------------------------------------------------------------------------------------------ */

static bool within(int64_t value, int64_t least, int64_t most) {
    return value >= least && value <= most;
}

static tmap_status check_conv(const tmap_conv *conv, tmap_diag *refusal) {
    int64_t most = (int64_t)TMAP_DIM_MAX;
    if (conv->spatial_n < 1 || conv->spatial_n > TMAP_SPATIAL_MAX || !tmap_conv_op_name((int)conv->op))
        return tmap_refuse(refusal, "plan-request", "a convolution has 1 to 3 spatial dimensions, not %d",
                           conv->spatial_n);
    if (!within(conv->batch, 1, most) || !within(conv->channels, 1, most) || !within(conv->filters, 1, most))
        return tmap_refuse(refusal, "plan-request",
                           "batch %" PRId64 ", channels %" PRId64 " and filters %" PRId64 " must each be 1 to 2^32",
                           conv->batch, conv->channels, conv->filters);
    for (int i = 0; i < conv->spatial_n; i++) {
        const char *axis = tmap_conv_axis(conv, i);
        if (!within(conv->size[i], 1, most) || !within(conv->filter[i], 1, INT32_MAX) ||
            !within(conv->stride[i], 1, INT32_MAX) || !within(conv->dilation[i], 1, INT32_MAX))
            return tmap_refuse(refusal, "plan-request",
                               "along %s: size %" PRId64 " must be 1 to 2^32; filter %" PRId64 ", stride %" PRId64
                               " and dilation %" PRId64 " must each be 1 to 2^31 - 1",
                               axis, conv->size[i], conv->filter[i], conv->stride[i], conv->dilation[i]);
        if (!within(conv->pad_lower[i], -INT32_MAX, INT32_MAX) || !within(conv->pad_upper[i], -INT32_MAX, INT32_MAX))
            return tmap_refuse(refusal, "plan-request",
                               "along %s: paddings %" PRId64 " and %" PRId64 " must be below 2^31", axis,
                               conv->pad_lower[i], conv->pad_upper[i]);
    }
    return TMAP_OK;
}

static tmap_status check_request(const tmap_conv_request *request, tmap_diag *refusal) {
    const tmap_type_info *type = tmap_type_get((int)request->type);
    tmap_diag error;
    if (!type || tmap_plan_element_B(type) == 0)
        return tmap_refuse(refusal, "plan-request", "type %s has no elements of whole bytes", type ? type->name : "?");
    if (request->tile.rank != 2 || !within(request->tile.at[0], 1, INT32_MAX) ||
        !within(request->tile.at[1], 1, INT32_MAX))
        return tmap_refuse(refusal, "plan-request", "the tile has two sizes of at least 1: pixels and channels");
    if (request->stages > STAGES_MAX || request->shared_address > UINT32_MAX)
        return tmap_refuse(refusal, "plan-request",
                           "%" PRIu64 " stages from 0x%" PRIx64 " on are beyond any "
                           "shared memory",
                           request->stages, request->shared_address);
    for (int i = 0; request->has_strides && i < request->conv.spatial_n + 2; i++)
        if (request->strides_el[i] < 0)
            return tmap_refuse(refusal, "plan-request",
                               "dimension %d has stride %" PRId64 "; a copy has no negative strides", i,
                               request->strides_el[i]);
    if (tmap_layout_check(&request->shared, &error) == TMAP_OK) return TMAP_OK;
    return tmap_refuse(refusal, "plan-request", "the wanted layout: %s", error.message);
}

static tmap_status refuse_empty(const tmap_conv *conv, int i, tmap_diag *refusal) {
    int64_t padded = conv->size[i] + conv->pad_lower[i] + conv->pad_upper[i];
    (void)tmap_refuse(refusal, "corner-area",
                      "along %s the filter covers %" PRId64 " elements, but the padded image has %" PRId64,
                      tmap_conv_axis(conv, i), tmap_conv_reach(conv, i) + 1, padded);
    return tmap_say_fix(refusal, "paddings of %" PRId64 " more in total", tmap_conv_reach(conv, i) + 1 - padded);
}

/* The first pixel of a tile can be any pixel. */
static tmap_status check_reachable(const tmap_conv *conv, int i, tmap_diag *refusal) {
    tmap_conv_walk walk = tmap_conv_walk_of(conv, i);
    if (walk.positions <= INT32_MAX) return TMAP_OK;
    (void)tmap_refuse(refusal, "copy-coordinate-range",
                      "along %s there are %" PRId64 " pixels; coordinates are signed 32-bit numbers",
                      tmap_conv_axis(conv, i), walk.positions);
    return tmap_say_fix(refusal, "images cut along %s, each with a map of its own", tmap_conv_axis(conv, i));
}

/* Refuses requests that no im2col map can serve. */
static tmap_status check_possible(const tmap_conv *conv, tmap_diag *refusal) {
    tmap_status status;
    for (int i = 0; i < conv->spatial_n; i++) {
        if (conv->op == TMAP_CONV_DGRAD && conv->stride[i] != 1) {
            (void)tmap_refuse(refusal, "plan-dgrad-stride",
                              "the forward convolution has stride %" PRId64
                              " along %s; neighbouring pixels of its input then read different taps",
                              conv->stride[i], tmap_conv_axis(conv, i));
            return tmap_say_fix(refusal,
                                "for each remainder of %s + padding modulo %" PRId64
                                ", a convolution of stride 1 with the taps of that remainder",
                                tmap_conv_axis(conv, i), conv->stride[i]);
        }
        status = tmap_conv_output(conv, i) > 0 ? check_reachable(conv, i, refusal) : refuse_empty(conv, i, refusal);
        if (status != TMAP_OK) return status;
    }
    return TMAP_OK;
}

/* ---- The map ---------------------------------------------------------------------------------------------------- */

static void put_strides(const tmap_conv_request *request, tmap_map_params *map) {
    int64_t element_B = tmap_plan_element_B(tmap_type_get((int)request->type)), dense = 1;
    int rank = (int)map->rank;
    for (int d = 1; d < rank; d++) {
        dense = tmap_times(dense, (int64_t)map->dims_el[d - 1]);
        map->strides_B[d - 1] =
            (uint64_t)tmap_times(request->has_strides ? request->strides_el[rank - 1 - d] : dense, element_B);
    }
}

static tmap_map_params map_of(const tmap_conv_request *request) {
    const tmap_conv *conv = &request->conv;
    tmap_map_params map = tmap_map_params_tiled(request->type, (uint64_t)conv->spatial_n + 2);
    map.mode = TMAP_MODE_IM2COL;
    map.has_address = request->has_address;
    map.address = request->address;
    map.ops = TMAP_OP_BIT(LOAD);
    map.dims_el[0] = (uint64_t)tmap_conv_read_channels(conv);
    map.dims_el[map.rank - 1] = (uint64_t)conv->batch;
    for (int i = 0; i < conv->spatial_n; i++) {
        int corner = conv->spatial_n - 1 - i;
        tmap_conv_walk walk = tmap_conv_walk_of(conv, i);
        map.dims_el[corner + 1] = (uint64_t)walk.size;
        map.element_strides[corner + 1] = (uint64_t)walk.step;
        map.lower_corner[corner] = walk.lower;
        map.upper_corner[corner] = walk.upper;
    }
    put_strides(request, &map);
    return map;
}

/* The sizes of the product; saturated. */
static void count(const tmap_conv_request *request, tmap_conv_plan *plan) {
    const tmap_conv *conv = &request->conv;
    plan->channels_n = (uint64_t)tmap_conv_read_channels(conv);
    plan->pixels_n = (uint64_t)conv->batch;
    plan->taps_n = 1;
    for (int i = 0; i < conv->spatial_n; i++) {
        plan->pixels_n = tmap_mul_saturate(plan->pixels_n, (uint64_t)tmap_conv_walk_of(conv, i).positions);
        plan->taps_n = tmap_mul_saturate(plan->taps_n, (uint64_t)conv->filter[i]);
    }
    plan->pixel_tiles_n = tmap_ceil_div(plan->pixels_n, (uint64_t)request->tile.at[0]);
    plan->channel_tiles_n = tmap_ceil_div(plan->channels_n, (uint64_t)request->tile.at[1]);
    plan->steps_n = tmap_mul_saturate(plan->taps_n, plan->channel_tiles_n);
}

static tmap_status put_stages(const tmap_conv_request *request, tmap_conv_plan *plan, tmap_diag *refusal) {
    plan->stages = request->stages > 0 ? request->stages : 1;
    plan->stage_B = tmap_plan_stage_B(&request->shared, request->type);
    if (plan->stage_B > 0 && plan->pixels_n <= INT64_MAX / 2 && plan->steps_n <= INT64_MAX / 2) return TMAP_OK;
    return tmap_refuse(refusal, "plan-request",
                       "a tile of %" PRId64 " x %" PRId64 " elements, or %" PRIu64
                       " pixels, exceeds the numbers of a plan",
                       request->tile.at[0], request->tile.at[1], plan->pixels_n);
}

static tmap_status check_channels_dense(const tmap_conv_request *request, tmap_diag *refusal) {
    int64_t stride = request->has_strides ? request->strides_el[request->conv.spatial_n + 1] : 1;
    if (stride == 1) return TMAP_OK;
    (void)tmap_refuse(refusal, "inner-contiguous",
                      "channels are %" PRId64 " elements apart; dimension 0 of a map has no stride", stride);
    return tmap_say_fix(refusal, "a tensor with its channels last: (n, h, w, c), not (n, c, h, w)");
}

static tmap_status make(const tmap_conv_request *request, tmap_conv_plan *plan, tmap_diag *refusal) {
    *plan = (tmap_conv_plan){.conv = request->conv, .tile = request->tile, .map = map_of(request)};
    count(request, plan);
    tmap_status status = check_channels_dense(request, refusal);
    if (status == TMAP_OK) status = tmap_conv_fit_column(request, plan, refusal);
    if (status == TMAP_OK) status = put_stages(request, plan, refusal);
    if (status == TMAP_OK) status = tmap_conv_judge(request, plan, refusal);
    return status;
}

tmap_status tmap_conv_plan_make(const tmap_conv_request *request, tmap_conv_plan *plan, tmap_diag *refusal) {
    tmap_conv_plan made;
    if (check_conv(&request->conv, refusal) != TMAP_OK || check_request(request, refusal) != TMAP_OK)
        return TMAP_BAD_ARGUMENT;
    tmap_status status = check_possible(&request->conv, refusal);
    if (status != TMAP_OK) return status;
    status = make(request, &made, refusal);
    if (status == TMAP_OK) *plan = made;
    return status;
}

bool tmap_conv_plan_nearest(const tmap_conv_request *request, tmap_layout *nearest) {
    tmap_conv_request other = *request;
    tmap_conv_plan plan;
    const tmap_type_info *type = tmap_type_get((int)request->type);
    bool sound = check_conv(&request->conv, NULL) == TMAP_OK && check_request(request, NULL) == TMAP_OK &&
                 check_possible(&request->conv, NULL) == TMAP_OK;
    bool found = sound && tmap_layout_for_columns(type, &request->tile, &other.shared, NULL) == TMAP_OK &&
                 make(&other, &plan, NULL) == TMAP_OK;
    if (found) *nearest = other.shared;
    return found;
}
