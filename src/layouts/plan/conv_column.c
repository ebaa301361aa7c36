/*
 * plan: columns in a wanted layout. One column is a run of pixels, each with its channels side by side. The channels of
 * a column are the channel digit with stride 1, cut to the width of a box and of the swizzle's span. The pixels of a
 * column are the pixel digits that are one pitch apart. The other digits of the layout become loops of copies.
 *
 *    channels  0 .. width-1 | width .. 2 width-1        a tile of M pixels: two consecutive columns,
 *    pixel 0   ============ | ------------              each in pieces of at most 1024 pixels
 *    pixel 1   ============ | ------------
 */
#include <inttypes.h>

#include "plan/conv.h"

enum { PIXELS, CHANNELS }; /* dimensions of the tile */

typedef struct column {
    int64_t channels, pitch, pixels;
    bool taken[TMAP_ITERS_MAX]; /* by part */
} column;

static tmap_status take_channels(const tmap_parts *parts, column *c, tmap_diag *refusal) {
    const tmap_part *first = &parts->at[0];
    c->channels = 1;
    if (parts->n == 0) return TMAP_OK;
    if (first->shared != 1) {
        (void)tmap_refuse(refusal, "plan-dense", "the least stride of the wanted layout is %" PRId64 ", not 1",
                          first->shared);
        return tmap_say_fix(refusal, "a layout whose fastest dimension, channels, is dense");
    }
    if (first->dim == CHANNELS && first->inner == 1) {
        c->channels = first->extent;
        c->taken[0] = true;
        return TMAP_OK;
    }
    (void)tmap_refuse(refusal, "inner-contiguous",
                      "adjacent elements in shared memory are %s of the tile; in a column they are channels",
                      first->dim == PIXELS ? "pixels" : "channels that are not adjacent");
    return tmap_say_fix(refusal, "a layout with channels fastest; the matrix instructions read it as MN-major");
}

static int part_of_pixels(const tmap_parts *parts, int64_t inner) {
    for (int i = 0; i < parts->n; i++)
        if (parts->at[i].dim == PIXELS && parts->at[i].inner == inner) return i;
    return -1;
}

/* Adds all digits of pixels that are a pitch apart. */
static tmap_status take_pixels(const tmap_parts *parts, column *c, tmap_diag *refusal) {
    c->pixels = 1;
    for (int i; (i = part_of_pixels(parts, c->pixels)) >= 0;) {
        const tmap_part *part = &parts->at[i];
        if (part->shared == tmap_times(c->pixels, c->pitch)) {
            c->taken[i] = true;
            c->pixels *= part->extent;
        } else if (c->pixels > 1) {
            break;
        } else {
            return tmap_refuse(refusal, "plan-pitch",
                               "pixels are %" PRId64 " elements apart in the wanted layout; a column of %" PRId64
                               " channels has pixels %" PRId64 " apart",
                               part->shared, c->channels, c->pitch);
        }
    }
    return TMAP_OK;
}

/* The most pixels of one copy: they divide the run, and the next copy starts on a line. */
static int64_t most_pixels(const column *c, int64_t element_B) {
    for (int64_t n = c->pixels < TMAP_PIXELS_MAX ? c->pixels : TMAP_PIXELS_MAX; n > 0; n--)
        if (n == c->pixels || (c->pixels % n == 0 && n * c->pitch * element_B % TMAP_LINE_B == 0)) return n;
    return 0;
}

static void add_loop(tmap_conv_plan *plan, tmap_conv_loop loop) {
    int i = plan->loops_n++;
    for (; i > 0 && plan->loops[i - 1].shared_step_B < loop.shared_step_B; i--) plan->loops[i] = plan->loops[i - 1];
    plan->loops[i] = loop;
    plan->copies_n = tmap_mul_saturate(plan->copies_n, (uint64_t)loop.extent);
}

static void add_loops(const tmap_parts *parts, const column *c, int64_t pixels, int64_t element_B,
                      tmap_conv_plan *plan) {
    plan->loops_n = 0;
    plan->copies_n = 1;
    if (pixels < c->pixels)
        add_loop(plan, (tmap_conv_loop){.extent = c->pixels / pixels,
                                        .pixels_step = pixels,
                                        .shared_step_B = pixels * c->pitch * element_B});
    for (int i = 0; i < parts->n; i++) {
        const tmap_part *part = &parts->at[i];
        if (c->taken[i]) continue;
        add_loop(plan, (tmap_conv_loop){.extent = part->extent,
                                        .pixels_step = part->dim == PIXELS ? part->inner : 0,
                                        .channels_step = part->dim == CHANNELS ? part->inner : 0,
                                        .shared_step_B = tmap_times(part->shared, element_B)});
    }
}

tmap_status tmap_conv_fit_column(const tmap_conv_request *request, tmap_conv_plan *plan, tmap_diag *refusal) {
    tmap_plan_request over = {.type = request->type, .tile = request->tile, .shared = request->shared};
    int64_t element_B = tmap_plan_element_B(tmap_type_get((int)request->type));
    tmap_parts parts;
    column c = {.channels = 1};
    tmap_status status = tmap_parts_of(&over, &parts, refusal);
    if (status == TMAP_OK) status = take_channels(&parts, &c, refusal);
    if (status != TMAP_OK) return status;
    int64_t span = (int64_t)tmap_swizzle_get((int)parts.swizzle)->span_B / element_B;
    c.pitch = span > c.channels ? span : c.channels;
    status = take_pixels(&parts, &c, refusal);
    if (status != TMAP_OK) return status;
    int64_t pixels = most_pixels(&c, element_B);
    if (pixels == 0) {
        (void)tmap_refuse(refusal, "pixels-range",
                          "%" PRId64 " pixels cannot be divided into columns of at most %d that begin on a line",
                          c.pixels, TMAP_PIXELS_MAX);
        return tmap_say_fix(refusal, "a tile of %" PRId64 " pixels",
                            (c.pixels + TMAP_PIXELS_MAX - 1) / TMAP_PIXELS_MAX * TMAP_PIXELS_MAX);
    }
    plan->map.swizzle = parts.swizzle;
    plan->map.channels_per_pixel = (uint64_t)c.channels;
    plan->map.pixels_per_column = (uint64_t)pixels;
    plan->shared_address = request->shared_address + (uint64_t)(parts.offset * element_B);
    add_loops(&parts, &c, pixels, element_B, plan);
    return TMAP_OK;
}
