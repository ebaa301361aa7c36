/* plan: the coordinates of the pixels and taps of a convolution, and the copies of its plan. */
#include "base/rows.h"
#include "map/coordinate.h"
#include "plan/conv.h"

const char *tmap_conv_op_name(int op) {
    static const char *const names[] = {"fprop", "dgrad", "wgrad"};
    TMAP_ROWS(names, TMAP_CONV_OP_COUNT);
    return op >= 0 && op < TMAP_CONV_OP_COUNT ? names[op] : NULL;
}

tmap_conv tmap_conv_plain(int spatial_n) {
    tmap_conv conv = {.spatial_n = spatial_n, .batch = 1, .channels = 1, .filters = 1};
    for (int i = 0; i < TMAP_SPATIAL_MAX; i++) conv.size[i] = conv.filter[i] = conv.stride[i] = conv.dilation[i] = 1;
    return conv;
}

/* ---- The walk --------------------------------------------------------------------------------------------------- */

const char *tmap_conv_axis(const tmap_conv *conv, int i) {
    static const char *const names[] = {"w", "h", "d"};
    TMAP_ROWS(names, TMAP_SPATIAL_MAX);
    return names[conv->spatial_n - 1 - i];
}

int64_t tmap_conv_output(const tmap_conv *conv, int i) {
    int64_t room = conv->size[i] + conv->pad_lower[i] + conv->pad_upper[i] - tmap_conv_reach(conv, i);
    return room < 1 ? 0 : (room - 1) / conv->stride[i] + 1;
}

/*
 * fprop: pixel p of tap r reads p x stride - padding + r x dilation. The first tap starts at -padding, and the last
 * pixel is the last for which the last tap is still in the padded image. dgrad, stride 1: pixel h of tap r reads h +
 * padding - r x dilation. The taps run backwards, the last one starts at padding - (filter - 1) x dilation, and there
 * are as many pixels as the input has.
 */
tmap_conv_walk tmap_conv_walk_of(const tmap_conv *conv, int i) {
    int64_t reach = tmap_conv_reach(conv, i), output = tmap_conv_output(conv, i);
    if (conv->op == TMAP_CONV_DGRAD)
        return (tmap_conv_walk){.size = output,
                                .lower = conv->pad_lower[i] - reach,
                                .upper = -conv->pad_upper[i],
                                .step = 1,
                                .positions = conv->size[i]};
    return (tmap_conv_walk){.size = conv->size[i],
                            .lower = -conv->pad_lower[i],
                            .upper = conv->pad_upper[i] - reach,
                            .step = conv->stride[i],
                            .positions = output};
}

/* ---- Its copies ------------------------------------------------------------------------------------------------- */

tmap_conv_tile tmap_conv_plan_tile(const tmap_conv_plan *plan, uint64_t pixel_tile, uint64_t step) {
    tmap_conv_tile tile = {.pixel = pixel_tile * (uint64_t)plan->tile.at[0], .stage = step % plan->stages};
    uint64_t tap = step / plan->channel_tiles_n;
    tile.channel = step % plan->channel_tiles_n * (uint64_t)plan->tile.at[1];
    for (int i = plan->conv.spatial_n - 1; i >= 0; i--) {
        tile.tap[i] = (int64_t)(tap % (uint64_t)plan->conv.filter[i]);
        tap /= (uint64_t)plan->conv.filter[i];
    }
    return tile;
}

tmap_copy_params tmap_conv_plan_copy(const tmap_conv_plan *plan, const tmap_conv_tile *tile, uint64_t i) {
    const tmap_conv *conv = &plan->conv;
    tmap_copy_params copy = {.op = TMAP_OP_LOAD, .at_n = conv->spatial_n + 2};
    tmap_pixel_walk walk = tmap_pixel_walk_whole(&plan->map);
    uint64_t pixel = tile->pixel, channel = tile->channel;
    copy.shared = plan->shared_address + tile->stage * plan->stage_B;
    for (int k = plan->loops_n - 1; k >= 0; k--) {
        const tmap_conv_loop *loop = &plan->loops[k];
        uint64_t digit = i % (uint64_t)loop->extent;
        i /= (uint64_t)loop->extent;
        pixel += digit * (uint64_t)loop->pixels_step;
        channel += digit * (uint64_t)loop->channels_step;
        copy.shared += digit * (uint64_t)loop->shared_step_B;
    }
    tmap_pixel_of_images(&walk, pixel, copy.at);
    copy.at[0] = (int64_t)channel;
    for (int d = 0; d < conv->spatial_n; d++) {
        int64_t tap = conv->op == TMAP_CONV_DGRAD ? conv->filter[d] - 1 - tile->tap[d] : tile->tap[d];
        copy.offsets[conv->spatial_n - 1 - d] = tap * conv->dilation[d];
    }
    return copy;
}
