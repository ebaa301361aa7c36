/*
 * plan: the pixel walk of a convolution, and the column of an im2col map in a wanted layout. A tap moves all pixels by
 * the same distance, and the offsets of im2col copies do the same. The map's walk is the walk of the tap with offsets
 * 0, which is the tap nearest to the start of the tensor.
 */
#pragma once

#include "plan/layout_parts.h"
#include "tmap/unstable/plan_conv.h"

/* The walk along one spatial dimension of the tensor that is read. */
typedef struct tmap_conv_walk {
    int64_t size;         /* of the tensor */
    int64_t lower, upper; /* corners */
    int64_t step;         /* between pixels */
    int64_t positions;    /* number of pixels of the product */
} tmap_conv_walk;

tmap_conv_walk tmap_conv_walk_of(const tmap_conv *conv, int i);

/* Elements from the first to the last tap. */
static inline int64_t tmap_conv_reach(const tmap_conv *conv, int i) {
    return tmap_times(conv->filter[i] - 1, conv->dilation[i]);
}

/* Channels of the tensor that is read. */
static inline int64_t tmap_conv_read_channels(const tmap_conv *conv) {
    return conv->op == TMAP_CONV_DGRAD ? conv->filters : conv->channels;
}

/* "w", "h" or "d" */
const char *tmap_conv_axis(const tmap_conv *conv, int i);

/* Fills in channels_per_pixel, pixels_per_column and swizzle of the map, and the loops. */
tmap_status tmap_conv_fit_column(const tmap_conv_request *request, tmap_conv_plan *plan, tmap_diag *refusal);

/* Applies the rules of maps and copies, and fills in tx_B. */
tmap_status tmap_conv_judge(const tmap_conv_request *request, tmap_conv_plan *plan, tmap_diag *refusal);
