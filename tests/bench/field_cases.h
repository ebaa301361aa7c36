/* The copies of field.def as maps and copies. */
#ifndef TMAP_BENCH_FIELD_CASES_H
#define TMAP_BENCH_FIELD_CASES_H

#include <string.h>
#include <tmap/tmap.h>

typedef enum field_made { FIELD_BYTES, FIELD_INDEX, FIELD_RANDOM } field_made; /* the source of the tensor's bytes */

typedef struct field_case {
    tmap_type type;
    tmap_op op;
    tmap_swizzle swizzle;
    uint64_t rank, dims[TMAP_RANK_MAX], box[TMAP_RANK_MAX];
    int64_t at[TMAP_RANK_MAX];
    uint64_t steps[TMAP_RANK_MAX]; /* 0: 1 */
    tmap_mode mode;
    uint64_t channels, pixels;
    int64_t lower[TMAP_RANK_MAX - 2], upper[TMAP_RANK_MAX - 2], offsets[TMAP_RANK_MAX - 2];
    tmap_interleave interleave;
    tmap_oob_fill fill;
    field_made made;
} field_case;

#define A(...)                                                                                                         \
    { __VA_ARGS__ }
#define CASE(type_, op_, swizzle_, rank_, dims_, box_, ...)                                                            \
    {.type = TMAP_TYPE_##type_,                                                                                        \
     .op = TMAP_OP_##op_,                                                                                              \
     .swizzle = TMAP_SWIZZLE_##swizzle_,                                                                               \
     .rank = (rank_),                                                                                                  \
     .dims = dims_,                                                                                                    \
     .box = box_,                                                                                                      \
     .at = __VA_ARGS__},
static const field_case field_cases[] = {
#include "field.def"
};
#undef A
#undef CASE

enum { FIELD_CASES_N = sizeof field_cases / sizeof *field_cases };

static inline tmap_map_params field_map(const field_case *c) {
    tmap_map_params params = tmap_map_params_tiled(c->type, c->rank);
    params.mode = c->mode, params.interleave = c->interleave;
    params.swizzle = c->swizzle, params.oob_fill = c->fill;
    params.channels_per_pixel = c->channels, params.pixels_per_column = c->pixels;
    memcpy(params.lower_corner, c->lower, sizeof c->lower), memcpy(params.upper_corner, c->upper, sizeof c->upper);
    for (uint64_t i = 0; i < c->rank; i++) {
        params.dims_el[i] = c->dims[i], params.box_el[i] = c->box[i];
        params.element_strides[i] = c->steps[i] ? c->steps[i] : 1;
    }
    (void)tmap_map_params_dense(&params); /* the strides of every row fit */
    /* Aligned, and rows in all sets of the cache. */
    if (c->rank == 2 && params.strides_B[0] >= 2048) params.strides_B[0] = (params.strides_B[0] + 31) / 32 * 32 + 128;
    return params;
}

static inline tmap_copy_params field_copy(const field_case *c) {
    tmap_copy_params copy = {.op = c->op, .at_n = (int)c->rank, .shared = 1024};
    memcpy(copy.at, c->at, sizeof c->at), memcpy(copy.offsets, c->offsets, sizeof c->offsets);
    copy.column = c->at[0];
    for (int i = 0; i < 4; i++) copy.rows[i] = c->at[i + 1];
    return copy;
}

#endif
