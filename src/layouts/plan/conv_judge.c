/*
 * plan: convolutions under the rules of maps and copies. Findings about corners, offsets and strides are expressed in
 * terms of the convolution, with the nearest number that the rules allow.
 */
#include <inttypes.h>

#include "base/wide.h"
#include "plan/conv.h"

/* Corners and offsets share 16 bits (PTX ISA 5.5.4.1; rules corner-range, offset-range). */
static int64_t corner_least(const tmap_conv *conv) {
    return -((int64_t)1 << (TMAP_CORNER_BITS / conv->spatial_n - 1));
}

static int64_t offset_most(const tmap_conv *conv) {
    return ((int64_t)1 << TMAP_CORNER_BITS / conv->spatial_n) - 1;
}

/* A dimension with one tap and stride 1 can be folded into the batch. */
static const char *or_fold(const tmap_conv *conv) {
    bool foldable = conv->spatial_n > 1 && conv->filter[0] == 1 && conv->stride[0] == 1 && conv->pad_lower[0] == 0 &&
                    conv->pad_upper[0] == 0;
    return !foldable              ? ""
           : conv->spatial_n == 2 ? "; or h, in which the filter has size 1, as part of the batch"
                                  : "; or d, in which the filter has size 1, as part of the batch";
}

static void say_corner(const tmap_conv_request *request, tmap_diag *refusal) {
    const tmap_conv *conv = &request->conv;
    int64_t least = corner_least(conv), most = -least - 1;
    for (int i = 0; i < conv->spatial_n; i++) {
        tmap_conv_walk walk = tmap_conv_walk_of(conv, i);
        bool lower = walk.lower < least || walk.lower > most;
        if (!lower && walk.upper >= least && walk.upper <= most) continue;
        int64_t value = lower ? walk.lower : walk.upper, excess = value < least ? least - value : value - most;
        bool of_padding = lower == (conv->op != TMAP_CONV_DGRAD); /* the corner does not depend on the filter */
        (void)tmap_refuse(refusal, "corner-range",
                          "along %s the %s corner is %" PRId64 " (%s); with %d spatial dimension%s it is %" PRId64
                          " to %" PRId64,
                          tmap_conv_axis(conv, i), lower ? "lower" : "upper", value,
                          of_padding ? "-padding" : "padding - (filter - 1) x dilation", conv->spatial_n,
                          conv->spatial_n == 1 ? "" : "s", least, most);
        if (of_padding && value < 0)
            tmap_say_fix(refusal, "a padding of %" PRId64 ", %" PRId64 " more as zeros in memory%s", -least, excess,
                         or_fold(conv));
        else if (value < 0)
            tmap_say_fix(refusal, "(filter - 1) x dilation of %" PRId64 " along %s%s",
                         tmap_conv_reach(conv, i) - excess, tmap_conv_axis(conv, i), or_fold(conv));
        else
            tmap_say_fix(refusal, "%" PRId64 " less cropped: change the tensor's address and sizes", excess);
        return;
    }
}

static void say_offset(const tmap_conv_request *request, tmap_diag *refusal) {
    const tmap_conv *conv = &request->conv;
    int64_t most = offset_most(conv);
    for (int i = 0; i < conv->spatial_n; i++) {
        if (tmap_conv_reach(conv, i) <= most) continue;
        (void)tmap_refuse(refusal, "offset-range",
                          "along %s the last tap is (filter - 1) x dilation = %" PRId64
                          " after the first; offsets with %d spatial dimension%s are 0 to %" PRId64,
                          tmap_conv_axis(conv, i), tmap_conv_reach(conv, i), conv->spatial_n,
                          conv->spatial_n == 1 ? "" : "s", most);
        tmap_say_fix(refusal, "%" PRId64 " taps, and the rest as a separate convolution with less padding before%s",
                     most / conv->dilation[i] + 1, or_fold(conv));
        return;
    }
}

/* Whether adjacent patches describe the tensor: in (n, p, r, q, s x c) the channels of a tap's row are adjacent. */
static bool are_patches(const tmap_conv *conv) {
    for (int i = 0; i < conv->spatial_n; i++)
        if (conv->stride[i] != conv->filter[i] || conv->dilation[i] != 1 || conv->pad_lower[i] != 0 ||
            conv->pad_upper[i] != 0 || conv->size[i] % conv->filter[i] != 0)
            return false;
    return conv->op != TMAP_CONV_DGRAD && conv->spatial_n == 2;
}

static void say_stride(const tmap_conv_request *request, tmap_diag *refusal) {
    const tmap_conv *c = &request->conv;
    for (int i = 0; i < c->spatial_n; i++) {
        if (c->stride[i] <= TMAP_ELEMENT_STRIDE_MAX) continue;
        (void)tmap_refuse(refusal, "element-stride-range",
                          "along %s the stride is %" PRId64 "; a map's element strides are 1 to %d",
                          tmap_conv_axis(c, i), c->stride[i], TMAP_ELEMENT_STRIDE_MAX);
        tmap_say_fix(refusal,
                     "a stride of %d along %s; or a map for each tap, over a view in which a step along %s is %" PRId64
                     " times as long",
                     TMAP_ELEMENT_STRIDE_MAX, tmap_conv_axis(c, i), tmap_conv_axis(c, i), c->stride[i]);
        if (are_patches(c) && !request->has_strides)
            tmap_say_fix(refusal,
                         "patches side by side are a tiled map: --shape %" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                         ",%" PRId64 " (n, p, r, q, s x c)",
                         c->batch, c->size[0] / c->filter[0], c->filter[0], c->size[1] / c->filter[1],
                         tmap_times(c->filter[1], c->channels));
        return;
    }
}

static void say_alignment(const tmap_conv_request *request, tmap_diag *refusal) {
    uint64_t step = 16 / (uint64_t)tmap_plan_element_B(tmap_type_get((int)request->type));
    uint64_t channels = (uint64_t)tmap_conv_read_channels(&request->conv);
    if (tmap_diag_is(refusal, "box-inner-align"))
        tmap_say_fix(refusal, "a tile of %" PRIu64 " channels", tmap_round_up((uint64_t)request->tile.at[1], step));
    else if (!request->has_strides)
        tmap_say_fix(refusal, "%" PRIu64 " channels in memory, with zeros after the first %" PRIu64,
                     tmap_round_up(channels, step), channels);
    else
        tmap_say_fix(refusal, "strides that are multiples of %" PRIu64 " elements", step);
}

static void say_as_convolution(const tmap_conv_request *request, tmap_diag *refusal) {
    if (tmap_diag_is(refusal, "corner-range")) say_corner(request, refusal);
    if (tmap_diag_is(refusal, "offset-range")) say_offset(request, refusal);
    if (tmap_diag_is(refusal, "element-stride-range")) say_stride(request, refusal);
    if (tmap_diag_is(refusal, "stride-align") || tmap_diag_is(refusal, "box-inner-align"))
        say_alignment(request, refusal);
}

/*
 * Judges the first tile of the product in the first stage, and in the last stage the last tap and channels at the very
 * last pixel, which has the largest coordinates. Of each tile it judges the first copy, one step of each loop, and the
 * last copy. The rules of copies are bounds and multiples, so all copies keep the rules if these do.
 */
static tmap_status judge_copies(const tmap_conv_plan *plan, const tmap_map *map, const tmap_judge *by,
                                tmap_diags *diags) {
    tmap_conv_tile tiles[2] = {tmap_conv_plan_tile(plan, 0, 0),
                               tmap_conv_plan_tile(plan, plan->pixel_tiles_n - 1, plan->steps_n - 1)};
    tiles[1].pixel = plan->pixels_n - 1;
    tiles[1].stage = plan->stages - 1;
    for (int t = 0; t < 2; t++) {
        uint64_t below = plan->copies_n;
        for (int i = -1; i <= plan->loops_n; i++) {
            if (i >= 0 && i < plan->loops_n) below /= (uint64_t)plan->loops[i].extent;
            uint64_t number = i < 0 ? 0 : i < plan->loops_n ? below : plan->copies_n - 1;
            tmap_copy_params copy = tmap_conv_plan_copy(plan, &tiles[t], number);
            tmap_status status = tmap_check_copy(&map->params, &copy, by, diags);
            if (status != TMAP_OK) return status;
        }
    }
    return TMAP_OK;
}

static bool fits(const tmap_conv_plan *plan, const tmap_map *map, const tmap_judge *by) {
    tmap_diags diags = {.fixed = true};
    return judge_copies(plan, map, by, &diags) == TMAP_OK;
}

/* A binary search for the most stages that fit in shared memory. `address` is the shared address of the request. */
static void say_shared(tmap_conv_plan plan, uint64_t address, const tmap_map *map, const tmap_judge *by,
                       tmap_diag *refusal) {
    uint64_t some = 0, too_many = plan.stages;
    while (too_many - some > 1) {
        plan.stages = some + (too_many - some) / 2;
        if (fits(&plan, map, by))
            some = plan.stages;
        else
            too_many = plan.stages;
    }
    plan.stages = 1, plan.shared_address -= address;
    if (some > 0)
        tmap_say_fix(refusal, "%" PRIu64 " stage%s, or a smaller tile", some, some == 1 ? "" : "s");
    else
        tmap_say_fix(refusal, "a smaller tile%s", fits(&plan, map, by) ? ", or a lower shared address" : "");
}

tmap_status tmap_conv_judge(const tmap_conv_request *request, tmap_conv_plan *plan, tmap_diag *refusal) {
    tmap_diag found[8];
    tmap_diags diags = {.items = found, .capacity = 8, .fixed = true};
    const tmap_judge by = tmap_plan_judge(request->archs);
    tmap_map map;
    tmap_status status = tmap_map_init(&map, &plan->map, &by, &diags);
    if (status == TMAP_OK) plan->tx_B = map.derived.payload_B;
    if (status == TMAP_OK) status = judge_copies(plan, &map, &by, &diags);
    status = tmap_plan_first_error(status, &diags, refusal);
    if (status != TMAP_OK) {
        say_as_convolution(request, refusal);
        if (tmap_diag_is(refusal, "copy-shared-fits")) say_shared(*plan, request->shared_address, &map, &by, refusal);
        return status;
    }
    return tmap_plan_check_phase(map.swizzle, request->shared_address, refusal);
}
