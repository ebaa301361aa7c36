/* The request of `tmap plan`, and the common output of its two kinds of plans, tiles and convolutions. */
#pragma once

#include "options/judging_options.h"
#include "output/result.h"
#include "text/json.h"
#include "tmap/unstable/emit.h"
#include "tmap/unstable/plan.h"

#define PLANNED_NAME "planned" /* of the tensor in the written spec */

typedef struct number_options {
    int n;
    int64_t at[TMAP_ITERS_MAX];
    int64_t after[TMAP_ITERS_MAX]; /* the 2 of "1:2"; else the number itself */
} number_options;

typedef struct plan_options {
    tmap_type type;
    number_options shape, strides, tile, begin;
    number_options filter, filter_stride, padding, dilation;
    optional_number address, shared, rows;
    struct stage_choice {
        bool given;
        uint64_t n;
        int dim; /* dimension of the tile along which the stages follow each other; -1: dimension K */
    } stages;
    const char *layout;
    int swizzle; /* -1: not given */
    int conv_op; /* tmap_conv_op */
    tmap_op op;
    bool conv_given;
    struct consumer_choice {
        bool given;
        tmap_matrix_consumer consumer;
        bool mn_major;
    } consumer;
    judging_options judging;
    bool json;
} plan_options;

/* A matrix descriptor, or the reason why the request has no descriptor. */
typedef struct described_matrix {
    tmap_status status; /* TMAP_UNAVAILABLE: the request has none */
    tmap_matrix_descriptor descriptor;
    tmap_diag why_none;
    char blocks[120]; /* an expression of a layout without swizzle that has a descriptor; "": none */
    bool has_outer;   /* the tile has dimensions that are neither rows nor columns of the operand */
} described_matrix;

/* The layout of --layout and --swizzle over `tile`. Returns an exit code. */
int wanted_layout(const plan_options *o, const tmap_shape *tile, tmap_layout *layout);

/* The tile as (stages, ..., rows, columns): --rows counts the dimensions that are rows, without those of 1. */
tmap_shape operand_of(const plan_options *o, const tmap_shape *tile);

/* Describes the operand; for a tile of stages, the first stage. */
void describe_matrix(const plan_options *o, const tmap_layout *layout, const tmap_shape *tile, uint64_t shared_address,
                     bool mn_major, described_matrix *out);
/* The exit code for a requested descriptor. */
int code_of_matrix(const described_matrix *matrix);
/* In JSON members of the open object. */
void matrix_write(result_sink *out, const plan_options *o, const described_matrix *matrix);

/* In text a tensor of a spec, in JSON members of the open object. */
void map_write(result_sink *out, const char *name, const tmap_map_params *map);

/* In JSON the member `key`. */
void layout_write(result_sink *out, const char *key, const tmap_layout *layout);

/* Reports why there is no plan, and which layout can be filled instead (NULL: none). Returns an exit code. */
int refuse_plan(const tmap_diag *refusal, const tmap_layout *nearest, bool as_json);

/* For requests with --filter. Returns an exit code. */
int plan_convolution(const plan_options *o);
