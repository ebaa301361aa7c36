/*
 * plan: convolutions as matrix products. From the parameters of a convolution these functions compute the im2col map of
 * the operand that is the unfolded image, and the copy of every tile: pixels of the result by channels, for one tap of
 * the filter at a time. Filters are already a matrix (filters by taps by channels): plan their tiles with
 * tmap/unstable/plan.h.
 *
 * Tensors have channels last: (n, w, c), (n, h, w, c) or (n, d, h, w, c). Sizes, taps and paddings are outermost first
 * here: d, h, w.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_PLAN_CONV_H
#define TMAP_PLAN_CONV_H

#include "tmap/unstable/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_SPATIAL_MAX (TMAP_RANK_MAX - 2)

typedef enum tmap_conv_op {
    TMAP_CONV_FPROP, /* result (n, p, q, k): the map is of the input; its channels are in the product's K */
    TMAP_CONV_DGRAD, /* gradient of the input (n, h, w, c): the map is of the gradient of the result, (n, p, q, k) */
    TMAP_CONV_WGRAD, /* gradient of the filters: the map is fprop's; pixels are the product's K, channels its N */
    TMAP_CONV_OP_COUNT
} tmap_conv_op;

TMAP_API const char *tmap_conv_op_name(int op); /* "fprop", "dgrad", "wgrad"; NULL after the last */

/* A forward convolution and the operation on it. The tensors that the operation reads and writes follow from both. */
typedef struct tmap_conv {
    tmap_conv_op op;
    int spatial_n;                    /* 1 to 3 */
    int64_t batch, channels, filters; /* channels: of the input; filters: channels of the result */
    int64_t size[TMAP_SPATIAL_MAX], filter[TMAP_SPATIAL_MAX]; /* size: of the input; filter: taps */
    int64_t pad_lower[TMAP_SPATIAL_MAX],
        pad_upper[TMAP_SPATIAL_MAX]; /* zeros before and after the image; negative: cropped */
    int64_t stride[TMAP_SPATIAL_MAX], dilation[TMAP_SPATIAL_MAX];
} tmap_conv;

/*
 * Returns a convolution with `spatial_n` dimensions; batch, channels, filters, sizes, taps, strides and dilations are
 * 1, paddings 0.
 */
TMAP_API tmap_conv tmap_conv_plain(int spatial_n);

/*
 * Returns the result's size along dimension `i`: floor((size + paddings - (filter - 1) x dilation - 1) / stride) + 1; 0
 * if there is no such pixel.
 */
TMAP_API int64_t tmap_conv_output(const tmap_conv *conv, int i) TMAP_NONNULL(1);

/* A convolution to plan. */
typedef struct tmap_conv_request {
    tmap_conv conv;
    tmap_type type;
    bool has_strides;
    int64_t strides_el[TMAP_RANK_MAX]; /* strides of the tensor that is read, n first, in elements; used if has_strides,
                                          else dense */
    tmap_shape tile;                   /* pixels, channels */
    tmap_layout shared;                /* layout over the tile, on the axis m, in elements */
    uint64_t shared_address;           /* shared address of position 0 of the first stage */
    uint64_t stages;                   /* tiles in shared memory at the same time; 0 means 1 */
    uint64_t address;                  /* of the tensor; used if has_address */
    bool has_address;
    tmap_archs archs;
} tmap_conv_request;

/* A loop around the copies of one tile; loops are ordered from the slowest to the fastest. */
typedef struct tmap_conv_loop {
    int64_t extent, pixels_step, channels_step, shared_step_B;
} tmap_conv_loop;

/* A plan. */
typedef struct tmap_conv_plan {
    tmap_conv conv;
    tmap_map_params map;
    tmap_shape tile;
    uint64_t pixels_n, channels_n, taps_n; /* of the product: pixels are rows; columns are taps x channels */
    uint64_t pixel_tiles_n, channel_tiles_n;
    uint64_t steps_n; /* tiles along the product's columns: taps x channel tiles; the channel tiles of a tap are
                         consecutive */
    int loops_n;
    tmap_conv_loop loops[TMAP_PLAN_LOOPS_MAX];
    uint64_t copies_n; /* copies of a tile: the product of the loops' extents */
    uint64_t tx_B;     /* transaction bytes of each copy; the expect_tx of a stage is copies_n x tx_B */
    uint64_t shared_address, stage_B, stages;
} tmap_conv_plan;

/* A tile: its first pixel and channel, the tap, and its stage in shared memory. */
typedef struct tmap_conv_tile {
    uint64_t pixel, channel;
    int64_t tap[TMAP_SPATIAL_MAX];
    uint64_t stage;
} tmap_conv_tile;

/*
 * Plans a convolution. Returns TMAP_REFUSED if a rule forbids the plan: *refusal (may be NULL) names the rule;
 * TMAP_BAD_ARGUMENT if the request itself is not valid: *refusal has the reason, too. The lower and the upper corner of
 * the map are those of CUTLASS: for fprop and wgrad -padding and padding - (filter - 1) x dilation; for dgrad padding -
 * (filter - 1) x dilation and -padding.
 */
TMAP_API tmap_status tmap_conv_plan_make(const tmap_conv_request *request, tmap_conv_plan *plan, tmap_diag *refusal)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* As tmap_plan_nearest. */
TMAP_API bool tmap_conv_plan_nearest(const tmap_conv_request *request, tmap_layout *nearest) TMAP_NONNULL(1, 2);

/* Returns tile number `step` (less than steps_n) of the columns, in row `pixel_tile`; stages are used in turn. */
TMAP_API tmap_conv_tile tmap_conv_plan_tile(const tmap_conv_plan *plan, uint64_t pixel_tile, uint64_t step)
    TMAP_NONNULL(1);

/* Returns copy `i` (less than copies_n) of a tile; the tile's first pixel may be any pixel less than pixels_n. */
TMAP_API tmap_copy_params tmap_conv_plan_copy(const tmap_conv_plan *plan, const tmap_conv_tile *tile, uint64_t i)
    TMAP_NONNULL(1, 2);

/* The scope of a proof. */
typedef struct tmap_conv_proof {
    uint64_t tiles_n;  /* tiles of the problem: pixel tiles x steps */
    uint64_t proved_n; /* tiles compared: all, or for large problems those at the borders and some others */
} tmap_conv_proof;

/*
 * Emulates the copies of a plan and compares every element of every tile with the definition of the convolution. For
 * fprop and wgrad pixel (n, p, q), channel c of tap (r, s) is input[n, p x stride - padding + r x dilation, …, c]; for
 * dgrad pixel (n, h, w), channel k is result[n, h + padding - r x dilation, …, k]; outside, and after the last image,
 * zero. Returns TMAP_REFUSED if an element differs: *refusal has the position. `proof` may be NULL. Allocates as much
 * memory as a tile needs.
 */
TMAP_API tmap_status tmap_conv_plan_prove(const tmap_conv_plan *plan, const tmap_conv_request *request,
                                          const tmap_allocator *allocator, tmap_conv_proof *proof, tmap_diag *refusal)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
