/*
 * Mistakes that no example of a rule makes: numbers that a spec cannot have, and further bounds. A row has a base, the
 * numbers that break the rule, and the nearest numbers that keep it.
 */
#ifndef TMAP_RULE_ROWS_H
#define TMAP_RULE_ROWS_H

#include "tmap/unstable/counts.h"
#include <string.h>

#include <tmap/rule.h>

/* ---- Base maps and copies ---- */

/* IMAGES: im2col with a padding of 1; INSIDE: the same without; WIDE, WIDE_128: im2col_w and im2col_w128. */
typedef enum base { TILE, ROWS, FOURS, PADDED, SIXES, SLICES, VECTOR, IMAGES, INSIDE, WIDE, WIDE_128 } base;

static const struct {
    tmap_type type;
    tmap_interleave interleave;
    uint64_t rank, dims[4], strides[3], box[3];
    tmap_mode mode;
    int64_t corner;
} bases[] = {
    [TILE] = {TMAP_TYPE_F16, TMAP_INTERLEAVE_NONE, 2, {4096, 4096}, {8192}, {64, 64}},
    [ROWS] = {TMAP_TYPE_F16, TMAP_INTERLEAVE_NONE, 2, {4096, 4096}, {8192}, {64, 1}},
    [FOURS] = {TMAP_TYPE_B4X16, TMAP_INTERLEAVE_NONE, 2, {4096, 64}, {2048}, {128, 64}},
    [PADDED] = {TMAP_TYPE_B4X16_P64, TMAP_INTERLEAVE_NONE, 2, {256, 64}, {128}, {128, 64}},
    [SIXES] = {TMAP_TYPE_B6X16_P32, TMAP_INTERLEAVE_NONE, 2, {256, 64}, {192}, {128, 64}},
    [SLICES] = {TMAP_TYPE_U8, TMAP_INTERLEAVE_16B, 3, {64, 32, 8}, {1024, 32768}, {16, 1, 1}},
    [IMAGES] = {TMAP_TYPE_F16, TMAP_INTERLEAVE_NONE, 4, {64, 14, 14, 8}, {128, 1792, 25088}, {0}, TMAP_MODE_IM2COL, -1},
    [INSIDE] = {TMAP_TYPE_F16, TMAP_INTERLEAVE_NONE, 4, {64, 14, 14, 8}, {128, 1792, 25088}, {0}, TMAP_MODE_IM2COL, 0},
    [WIDE] = {TMAP_TYPE_F16, TMAP_INTERLEAVE_NONE, 4, {64, 14, 14, 8}, {128, 1792, 25088}, {0}, TMAP_MODE_IM2COL_W, 0},
    [WIDE_128] =
        {TMAP_TYPE_F16, TMAP_INTERLEAVE_NONE, 4, {64, 14, 14, 8}, {128, 1792, 25088}, {0}, TMAP_MODE_IM2COL_W128, 0},
    [VECTOR] = {TMAP_TYPE_U8, TMAP_INTERLEAVE_NONE, 1, {4096}, {0}, {128}},
};

/* One changed number. Unused entries are all zero and are skipped. */
typedef struct patch {
    int field, dim;
    int64_t value;
} patch;

#define PATCHES_MAX 6
#define SET(field, value)                                                                                              \
    { TMAP_FIELD_##field, -1, value }
#define AT(field, i, value)                                                                                            \
    { TMAP_FIELD_##field, i, value }

/* A replacement: `n` is its ordinal. */
#define REPLACES(what, n, number)                                                                                      \
    SET(OP, TMAP_OP_REPLACE), SET(FIELD, TMAP_REPLACEABLE_##what), SET(ORDINAL, n), SET(VALUE, number)

/* ---- Rows ---- */

typedef struct row {
    const char *slug;
    base from;
    tmap_archs archs;
    tmap_severity severity;
    patch bad[PATCHES_MAX], good[PATCHES_MAX];
    int field, dim;
    int toolkit; /* CUDA release; left out: the newest */
} row;

#define NO_ARCH         0
#define SM_90A          TMAP_ARCH_BIT(SM_90A)
#define SM_100A         TMAP_ARCH_BIT(SM_100A)
#define SM_103A         TMAP_ARCH_BIT(SM_103A)
#define SM_107A         TMAP_ARCH_BIT(SM_107A)
#define SM_110F         TMAP_ARCH_BIT(SM_110F)
#define SM_120A         TMAP_ARCH_BIT(SM_120A)
#define OF(field)       TMAP_FIELD_##field, -1
#define OF_AT(field, i) TMAP_FIELD_##field, i

/* One row per line where the line is long enough. */
/* clang-format off */
static const row map_rows[] = {
    {"mode-code", TILE, 0, TMAP_ERROR, {SET(MODE, TMAP_MODE_COUNT)}, {SET(MODE, TMAP_MODE_TILED)}, OF(MODE)},
    {"corner-range", IMAGES, 0, TMAP_ERROR, {AT(UPPER_CORNER, 0, 128)}, {AT(UPPER_CORNER, 0, 127)},
     OF_AT(UPPER_CORNER, 0)},
    {"corner-area", IMAGES, 0, TMAP_ERROR, {AT(UPPER_CORNER, 0, -15)}, {AT(UPPER_CORNER, 0, -14)},
     OF_AT(UPPER_CORNER, 0)},
    {"channels-range", IMAGES, 0, TMAP_ERROR, {SET(CHANNELS_PER_PIXEL, 0)}, {SET(CHANNELS_PER_PIXEL, 8)},
     OF(CHANNELS_PER_PIXEL)},
    {"channels-range", IMAGES, 0, TMAP_ERROR, {SET(CHANNELS_PER_PIXEL, 264)}, {SET(CHANNELS_PER_PIXEL, 256)},
     OF(CHANNELS_PER_PIXEL)},
    {"pixels-range", IMAGES, 0, TMAP_ERROR, {SET(PIXELS_PER_COLUMN, 0)}, {SET(PIXELS_PER_COLUMN, 1)},
     OF(PIXELS_PER_COLUMN)},
    {"wide-swizzle", WIDE, SM_100A, TMAP_ERROR, {SET(SWIZZLE, TMAP_SWIZZLE_128B_ATOM_64B)},
     {SET(SWIZZLE, TMAP_SWIZZLE_128B_ATOM_32B)}, OF(SWIZZLE)},
    {"wide-swizzle", WIDE_128, SM_103A, TMAP_ERROR, {SET(SWIZZLE, TMAP_SWIZZLE_96B), SET(CHANNELS_PER_PIXEL, 48),
     SET(PIXELS_PER_COLUMN, 128)}, {SET(SWIZZLE, TMAP_SWIZZLE_128B)}, OF(SWIZZLE)},
    {"box-inner-align", IMAGES, 0, TMAP_ERROR, {SET(CHANNELS_PER_PIXEL, 12)}, {SET(CHANNELS_PER_PIXEL, 16)},
     OF(CHANNELS_PER_PIXEL)},
    {"box-inner-span", IMAGES, 0, TMAP_ERROR, {SET(CHANNELS_PER_PIXEL, 72), SET(SWIZZLE, TMAP_SWIZZLE_128B)},
     {SET(CHANNELS_PER_PIXEL, 64), SET(SWIZZLE, TMAP_SWIZZLE_128B)}, OF(CHANNELS_PER_PIXEL)},
    {"box-fits-shared", IMAGES, SM_90A, TMAP_WARNING, {SET(CHANNELS_PER_PIXEL, 256), SET(PIXELS_PER_COLUMN, 455)},
     {SET(CHANNELS_PER_PIXEL, 256), SET(PIXELS_PER_COLUMN, 454)}, OF(PIXELS_PER_COLUMN)},
    {"im2col-store-corners", IMAGES, 0, TMAP_ERROR, {SET(OPS, TMAP_OP_BIT(STORE)), AT(LOWER_CORNER, 0, 0),
     AT(UPPER_CORNER, 0, 1)}, {SET(OPS, TMAP_OP_BIT(LOAD)), AT(UPPER_CORNER, 0, 1)}, OF_AT(UPPER_CORNER, 0)},
    {"op-form", WIDE_128, SM_100A, TMAP_ERROR, {SET(OPS, TMAP_OP_BIT(STORE))}, {SET(OPS, TMAP_OP_BIT(LOAD))}, OF(OPS)},
    {"op-arch", WIDE, SM_100A, TMAP_ERROR, {SET(OPS, TMAP_OP_BIT(STORE))}, {SET(OPS, TMAP_OP_BIT(LOAD))}, OF(OPS)},
    {"op-form", IMAGES, SM_100A, TMAP_ERROR, {SET(OPS, TMAP_OP_BIT(GATHER4))}, {SET(OPS, TMAP_OP_BIT(LOAD))}, OF(OPS)},
    {"type-code", TILE, 0, TMAP_ERROR, {SET(TYPE, TMAP_TYPE_COUNT)}, {SET(TYPE, 9)}, OF(TYPE)},
    {"type-code", TILE, 0, TMAP_ERROR, {SET(TYPE, -1)}, {SET(TYPE, 6)}, OF(TYPE)},
    {"interleave-code", TILE, 0, TMAP_ERROR, {SET(INTERLEAVE, TMAP_INTERLEAVE_COUNT)}, {SET(INTERLEAVE, 0)}, OF(INTERLEAVE)},
    {"swizzle-code", TILE, 0, TMAP_ERROR, {SET(SWIZZLE, TMAP_SWIZZLE_COUNT)}, {SET(SWIZZLE, 3)}, OF(SWIZZLE)},
    {"l2-promotion-code", TILE, 0, TMAP_ERROR, {SET(L2_PROMOTION, TMAP_L2_PROMOTION_COUNT)}, {SET(L2_PROMOTION, 3)}, OF(L2_PROMOTION)},
    {"oob-fill-code", TILE, 0, TMAP_ERROR, {SET(OOB_FILL, TMAP_OOB_FILL_COUNT)}, {SET(OOB_FILL, 1)}, OF(OOB_FILL)},
    {"rank-range", VECTOR, 0, TMAP_ERROR, {SET(RANK, 0)}, {SET(RANK, 1)}, OF(RANK)},
    {"dim-extent", VECTOR, 0, TMAP_ERROR, {AT(DIMS, 0, 4294967297)}, {AT(DIMS, 0, 4294967296)}, OF_AT(DIMS, 0)},
    {"address-align", TILE, 0, TMAP_ERROR, {SET(ADDRESS, 0x1008)}, {SET(ADDRESS, 0x1010)}, OF(ADDRESS)},
    {"address-align", SIXES, SM_100A, TMAP_ERROR, {SET(ADDRESS, 0x1010)}, {SET(ADDRESS, 0x1020)}, OF(ADDRESS)},
    {"address-align", PADDED, SM_100A, TMAP_ERROR, {SET(ADDRESS, 0x1010)}, {SET(ADDRESS, 0x1020)}, OF(ADDRESS)},
    {"address-align", SLICES, 0, TMAP_ERROR, {SET(ADDRESS, 0x1010), SET(INTERLEAVE, TMAP_INTERLEAVE_32B),
     SET(SWIZZLE, TMAP_SWIZZLE_32B), AT(STRIDES, 0, 2048), AT(STRIDES, 1, 65536)}, {SET(ADDRESS, 0x1010)}, OF(ADDRESS)},
    {"address-canonical", TILE, 0, TMAP_WARNING, {SET(ADDRESS, 281474976710656)}, {SET(ADDRESS, 281474976710640)}, OF(ADDRESS)},
    {"dim-extent-cuda-13-5", VECTOR, 0, TMAP_WARNING, {AT(DIMS, 0, 2147483649)}, {AT(DIMS, 0, 2147483648)}, OF_AT(DIMS, 0)},
    {"allocation-class-code", TILE, 0, TMAP_ERROR, {SET(ALLOCATION_CLASS, TMAP_ALLOCATION_COUNT)}, {SET(ALLOCATION_CLASS, 0)},
     OF(ALLOCATION_CLASS)},
    {"dim-coordinate", VECTOR, 0, TMAP_ADVICE, {AT(DIMS, 0, 2147483649)}, {AT(DIMS, 0, 2147483648)}, OF_AT(DIMS, 0), 13040},
    {"stride-align", TILE, 0, TMAP_ERROR, {AT(STRIDES, 0, 8200)}, {AT(STRIDES, 0, 8208)}, OF_AT(STRIDES, 0)},
    {"stride-align", SIXES, SM_100A, TMAP_ERROR, {AT(STRIDES, 0, 208)}, {AT(STRIDES, 0, 224)}, OF_AT(STRIDES, 0)},
    {"stride-below-row", TILE, 0, TMAP_WARNING, {AT(STRIDES, 0, 8176)}, {AT(STRIDES, 0, 8192)}, OF_AT(STRIDES, 0)},
    {"stride-below-row", SLICES, 0, TMAP_WARNING, {AT(STRIDES, 0, 1008)}, {AT(STRIDES, 0, 1024)}, OF_AT(STRIDES, 0)},
    {"tensor-span", TILE, 0, TMAP_WARNING, {SET(RANK, 3), AT(DIMS, 2, 2147483648), AT(STRIDES, 1, 34359738368),
     AT(BOX, 2, 1)}, {SET(RANK, 3), AT(DIMS, 2, 2147483648), AT(STRIDES, 1, 4294967296), AT(BOX, 2, 1)},
     OF_AT(STRIDES, 1)},
    {"tensor-span", VECTOR, 0, TMAP_WARNING, {SET(ADDRESS, -16)}, {SET(ADDRESS, -8192)}, OF(ADDRESS)},
    {"allocation-span", TILE, 0, TMAP_WARNING, {SET(ALLOCATION, 33554431)}, {SET(ALLOCATION, 33554432)},
     OF(ALLOCATION)},
    {"allocation-class-unknown", TILE, 0, TMAP_WARNING, {AT(DIMS, 1, 15), AT(BOX, 1, 8), SET(ALLOCATION_CLASS, 2)},
     {AT(DIMS, 1, 16), AT(BOX, 1, 8), SET(ALLOCATION_CLASS, 2)}, OF(ALLOCATION_CLASS)},
    {"allocation-class-small", TILE, 0, TMAP_ADVICE, {AT(DIMS, 1, 16), AT(BOX, 1, 8), AT(STRIDES, 0, 12288),
     SET(ALLOCATION_CLASS, 1)}, {AT(DIMS, 1, 16), AT(BOX, 1, 8), AT(STRIDES, 0, 12304), SET(ALLOCATION_CLASS, 1)},
     OF(ALLOCATION_CLASS)},
    {"allocation-class-small", TILE, 0, TMAP_ADVICE, {AT(DIMS, 1, 16), AT(BOX, 1, 8), AT(STRIDES, 0, 12304)},
     {AT(DIMS, 1, 16), AT(BOX, 1, 8), AT(STRIDES, 0, 12288)}, OF(ALLOCATION_CLASS)},
    {"allocation-class-small", TILE, 0, TMAP_ADVICE, {AT(DIMS, 1, 3), AT(BOX, 1, 2), AT(STRIDES, 0, 61440)},
     {AT(DIMS, 1, 3), AT(BOX, 1, 2), AT(STRIDES, 0, 61424)}, OF(ALLOCATION_CLASS)},
    {"allocation-class-small", TILE, 0, TMAP_ADVICE, {AT(DIMS, 1, 8192), AT(STRIDES, 0, 34359738368)},
     {AT(DIMS, 1, 8193), AT(STRIDES, 0, 34359738368)}, OF(ALLOCATION_CLASS)},
    {"desc-small-allocation", TILE, SM_100A, TMAP_WARNING, {AT(DIMS, 1, 15), SET(ALLOCATION, 131071),
     AT(STRIDES, 0, 8208), AT(BOX, 1, 8)}, {AT(DIMS, 1, 15), SET(ALLOCATION, 131071), AT(BOX, 1, 8)}, OF(ALLOCATION)},
    {"interleave-swizzle", SLICES, 0, TMAP_ERROR, {SET(INTERLEAVE, TMAP_INTERLEAVE_32B), SET(SWIZZLE, TMAP_SWIZZLE_64B),
     AT(STRIDES, 0, 2048), AT(STRIDES, 1, 65536)}, {SET(INTERLEAVE, TMAP_INTERLEAVE_32B),
     SET(SWIZZLE, TMAP_SWIZZLE_32B), AT(STRIDES, 0, 2048), AT(STRIDES, 1, 65536)}, OF(SWIZZLE)},
    {"interleave-swizzle-unknown", SLICES, 0, TMAP_WARNING, {SET(SWIZZLE, TMAP_SWIZZLE_32B)}, {SET(SWIZZLE, 0)},
     OF(SWIZZLE)},
    {"packed-swizzle", SIXES, SM_100A, TMAP_ERROR, {SET(SWIZZLE, TMAP_SWIZZLE_32B)},
     {SET(SWIZZLE, TMAP_SWIZZLE_128B_ATOM_64B)}, OF(SWIZZLE)},
    {"packed-swizzle", PADDED, SM_100A, TMAP_ERROR, {SET(SWIZZLE, TMAP_SWIZZLE_128B_ATOM_64B)},
     {SET(SWIZZLE, TMAP_SWIZZLE_128B_ATOM_32B)}, OF(SWIZZLE)},
    {"swizzle-96b", SIXES, SM_103A, TMAP_ERROR, {SET(SWIZZLE, TMAP_SWIZZLE_96B)}, {SET(SWIZZLE, TMAP_SWIZZLE_128B)},
     OF(SWIZZLE)},
    {"nan-fill-type", FOURS, SM_100A, TMAP_ERROR, {SET(OOB_FILL, 1)}, {SET(OOB_FILL, 0)}, OF(OOB_FILL)},
    {"box-packed-exact", SIXES, SM_100A, TMAP_ERROR, {AT(BOX, 0, 64), SET(OPS, TMAP_OP_BIT(PREFETCH))},
     {AT(BOX, 0, 128), SET(OPS, TMAP_OP_BIT(PREFETCH))}, OF_AT(BOX, 0)},
    {"box-packed-exact", SIXES, SM_103A, TMAP_ERROR, {AT(BOX, 0, 64), SET(OPS, TMAP_OP_BIT(PREFETCH))},
     {AT(BOX, 0, 128), SET(OPS, TMAP_OP_BIT(PREFETCH))}, OF_AT(BOX, 0)},
    {"box-packed-exact", PADDED, SM_100A, TMAP_ERROR, {AT(BOX, 0, 256)}, {AT(BOX, 0, 128)}, OF_AT(BOX, 0)},
    {"box-inner-align", FOURS, SM_100A, TMAP_ERROR, {AT(BOX, 0, 48)}, {AT(BOX, 0, 64)}, OF_AT(BOX, 0)},
    {"box-inner-span", TILE, 0, TMAP_ERROR, {AT(BOX, 0, 72), SET(SWIZZLE, TMAP_SWIZZLE_128B)}, {AT(BOX, 0, 64),
     SET(SWIZZLE, TMAP_SWIZZLE_128B)}, OF_AT(BOX, 0)},
    {"box-inner-span", FOURS, SM_100A, TMAP_ERROR, {AT(BOX, 0, 96), SET(SWIZZLE, TMAP_SWIZZLE_32B)}, {AT(BOX, 0, 64),
     SET(SWIZZLE, TMAP_SWIZZLE_32B)}, OF_AT(BOX, 0)},
    {"box-inner-span", TILE, SM_103A, TMAP_ERROR, {AT(BOX, 0, 56), SET(SWIZZLE, TMAP_SWIZZLE_96B)}, {AT(BOX, 0, 48),
     SET(SWIZZLE, TMAP_SWIZZLE_96B)}, OF_AT(BOX, 0)},
    {"element-stride-range", SLICES, 0, TMAP_ERROR, {AT(ELEMENT_STRIDES, 0, 0)}, {AT(ELEMENT_STRIDES, 0, 2)},
     OF_AT(ELEMENT_STRIDES, 0)},
    {"element-stride-ignored", TILE, 0, TMAP_ADVICE, {AT(ELEMENT_STRIDES, 0, 9)}, {AT(ELEMENT_STRIDES, 0, 1)},
     OF_AT(ELEMENT_STRIDES, 0)},
    {"box-within-tensor", TILE, 0, TMAP_ADVICE, {AT(DIMS, 1, 63)}, {AT(DIMS, 1, 64)}, OF_AT(BOX, 1)},
    {"box-within-tensor", TILE, 0, TMAP_ADVICE, {AT(DIMS, 0, 56), SET(ALLOCATION_CLASS, 1)}, {AT(DIMS, 0, 57)}, OF_AT(BOX, 0)},
    {"box-fits-shared", TILE, SM_90A, TMAP_WARNING, {AT(BOX, 0, 256), SET(TYPE, TMAP_TYPE_F32), AT(BOX, 1, 228),
     AT(STRIDES, 0, 16384)}, {AT(BOX, 0, 256), SET(TYPE, TMAP_TYPE_F32), AT(BOX, 1, 227), AT(STRIDES, 0, 16384)},
     OF_AT(BOX, 1)},
    {"reduce-type", VECTOR, 0, TMAP_ERROR, {SET(OPS, TMAP_OP_BIT(REDUCE_XOR))}, {SET(OPS, TMAP_OP_BIT(REDUCE_XOR)),
     SET(TYPE, TMAP_TYPE_S64)}, OF(TYPE)},
    {"reduce-type", TILE, 0, TMAP_ERROR, {SET(OPS, TMAP_OP_BIT(REDUCE_INC))}, {SET(OPS, TMAP_OP_BIT(REDUCE_MIN))},
     OF(TYPE)},
};

static const row copy_rows[] = {
    {"copy-coordinate-count", TILE, 0, TMAP_ERROR, {SET(DIM, 2), SET(AT, 5)}, {SET(DIM, 2)}, OF(AT)},
    {"copy-load-mode", TILE, 0, TMAP_ERROR, {SET(LOAD_MODE, TMAP_MODE_COUNT)}, {SET(LOAD_MODE, TMAP_MODE_TILED)},
     OF(LOAD_MODE)},
    {"copy-inner-align", FOURS, SM_100A, TMAP_ERROR, {AT(AT, 0, 16)}, {AT(AT, 0, 32)}, OF_AT(AT, 0)},
    {"copy-inner-align", ROWS, SM_100A, TMAP_ERROR, {SET(OP, TMAP_OP_GATHER4), SET(COLUMN, 12)},
     {SET(OP, TMAP_OP_GATHER4), SET(COLUMN, 16)}, OF(COLUMN)},
    {"copy-inner-align", VECTOR, 0, TMAP_ERROR, {SET(OP, TMAP_OP_STORE), AT(AT, 0, 8)}, {SET(OP, TMAP_OP_STORE),
     AT(AT, 0, 16)}, OF_AT(AT, 0)},
    {"scatter-repeated-rows", ROWS, SM_100A, TMAP_WARNING, {SET(OP, TMAP_OP_SCATTER4), AT(ROWS, 3, 1)},
     {SET(OP, TMAP_OP_SCATTER4), AT(ROWS, 3, 4)}, OF_AT(ROWS, 3)},
    {"override-sizes", TILE, SM_107A, TMAP_ERROR, {SET(QUALIFIERS, TMAP_QUALIFIER_BIT(OVERRIDE_DIM_STRIDE)),
     AT(AT, 0, 8)}, {SET(QUALIFIERS, TMAP_QUALIFIER_BIT(OVERRIDE_DIM_STRIDE))}, OF_AT(AT, 0)},
    {"copy-qualifier", ROWS, SM_107A, TMAP_ERROR, {SET(OP, TMAP_OP_GATHER4),
     SET(QUALIFIERS, TMAP_QUALIFIER_BIT(OVERRIDE_DIM_STRIDE)), AT(AT, 0, 8)}, {SET(OP, TMAP_OP_GATHER4)}, OF(QUALIFIERS)},
    {"copy-offsets", WIDE, SM_100A, TMAP_ERROR, {AT(OFFSETS, 0, 1)}, {SET(W_HALO, 1), SET(W_OFFSET, 1)},
     OF_AT(OFFSETS, 0)},
    {"copy-offsets", IMAGES, 0, TMAP_ERROR, {SET(W_HALO, 1)}, {AT(OFFSETS, 0, 1)}, OF(W_HALO)},
    {"im2col-store-corners", IMAGES, 0, TMAP_ERROR, {SET(OP, TMAP_OP_STORE)}, {SET(OP, TMAP_OP_LOAD)}, OF(OP)},
    {"im2col-start", IMAGES, 0, TMAP_ERROR, {AT(AT, 1, -2)}, {AT(AT, 1, -1)}, OF_AT(AT, 1)},
    {"im2col-start-step", IMAGES, 0, TMAP_ADVICE, {AT(ELEMENT_STRIDES, 1, 2), AT(AT, 1, 2)},
     {AT(ELEMENT_STRIDES, 1, 2), AT(AT, 1, 3)}, OF_AT(AT, 1)},
    {"wide-start", WIDE, SM_100A, TMAP_ERROR, {AT(AT, 1, 14)}, {AT(AT, 1, -100), AT(AT, 2, -1)}, OF_AT(AT, 1)},
    {"offset-range", IMAGES, 0, TMAP_ERROR, {AT(OFFSETS, 0, -1)}, {AT(OFFSETS, 0, 0)}, OF_AT(OFFSETS, 0)},
    {"halo-range", WIDE_128, SM_100A, TMAP_ERROR, {SET(W_HALO, 32)}, {SET(W_HALO, 31)}, OF(W_HALO)},
    {"halo-range", WIDE_128, SM_100A, TMAP_ERROR, {SET(W_OFFSET, 32)}, {SET(W_OFFSET, 31)}, OF(W_OFFSET)},
    {"im2col-channel-align", IMAGES, 0, TMAP_WARNING, {SET(TYPE, TMAP_TYPE_U8), AT(AT, 0, 8)},
     {SET(TYPE, TMAP_TYPE_U8), AT(AT, 0, 16)}, OF_AT(AT, 0)},
    {"copy-outside", IMAGES, 0, TMAP_ADVICE, {AT(AT, 0, -64)}, {AT(AT, 0, -56)}, OF_AT(AT, 0)},
    {"op-form", WIDE_128, SM_100A, TMAP_ERROR, {SET(OP, TMAP_OP_STORE)}, {SET(OP, TMAP_OP_LOAD)}, OF(OP)},
    {"op-arch", WIDE_128, SM_120A, TMAP_ERROR, {SET(SHARED, 0)}, {SET(MODE, TMAP_MODE_IM2COL_W)}, OF(OP)},
    {"copy-shared-align", TILE, 0, TMAP_ERROR, {SET(SHARED, 1088)}, {SET(SHARED, 1152)}, OF(SHARED)},
    {"copy-shared-pattern", TILE, 0, TMAP_ADVICE, {SET(SWIZZLE, TMAP_SWIZZLE_64B), SET(SHARED, 256), AT(BOX, 0, 32)},
     {SET(SWIZZLE, TMAP_SWIZZLE_64B), SET(SHARED, 512), AT(BOX, 0, 32)}, OF(SHARED)},
    {"copy-shared-fits", TILE, SM_90A, TMAP_ERROR, {SET(SHARED, 228 * 1024 - 8192 + 128)},
     {SET(SHARED, 228 * 1024 - 8192)}, OF(SHARED)},
    {"copy-shared-fits", TILE, SM_110F, TMAP_ERROR, {SET(SHARED, 228 * 1024 - 8192 + 128)},
     {SET(SHARED, 228 * 1024 - 8192)}, OF(SHARED)},
    {"copy-shared-fits", TILE, SM_120A, TMAP_ERROR, {SET(SHARED, 100 * 1024)}, {SET(SHARED, 92 * 1024)}, OF(SHARED)},
    {"copy-multicast-mask", TILE, 0, TMAP_ERROR, {SET(CTA_MASK, 0x10000), SET(DST, TMAP_DST_CLUSTER)},
     {SET(CTA_MASK, 0xffff), SET(DST, TMAP_DST_CLUSTER)}, OF(CTA_MASK)},
    {"op-form", TILE, 0, TMAP_ERROR, {SET(OP, 99)}, {SET(OP, TMAP_OP_LOAD)}, OF(OP)},
    {"op-form", TILE, 0, TMAP_ERROR, {SET(OP, TMAP_OP_STORE), SET(DST, TMAP_DST_CLUSTER)}, {SET(OP, TMAP_OP_STORE)},
     OF(DST)},
    {"op-arch", ROWS, SM_120A, TMAP_ERROR, {SET(OP, TMAP_OP_GATHER4), SET(DST, TMAP_DST_CLUSTER)},
     {SET(OP, TMAP_OP_GATHER4)}, OF(DST)},
    {"packed-store", PADDED, SM_100A, TMAP_ERROR, {SET(OP, TMAP_OP_STORE)}, {SET(OP, TMAP_OP_LOAD)}, OF(OP)},
    {"four-rows-box", TILE, SM_100A, TMAP_ERROR, {SET(OP, TMAP_OP_GATHER4)}, {SET(OP, TMAP_OP_LOAD)}, OF(OP)},
    {"atom64b-load", TILE, SM_100A, TMAP_WARNING, {SET(SWIZZLE, TMAP_SWIZZLE_128B_ATOM_64B)},
     {SET(SWIZZLE, TMAP_SWIZZLE_128B_ATOM_64B), SET(OP, TMAP_OP_STORE)}, OF(OP)},
    {"flip8b-store", TILE, SM_100A, TMAP_ERROR, {SET(SWIZZLE, TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B),
     SET(OP, TMAP_OP_STORE)}, {SET(SWIZZLE, TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B)}, OF(OP)},
    {"reduce-type", TILE, 0, TMAP_ERROR, {SET(OP, TMAP_OP_REDUCE_AND)}, {SET(OP, TMAP_OP_REDUCE_ADD)}, OF(OP)},
    {"replace-dim-cuda-13-5", TILE, SM_90A, TMAP_WARNING, {REPLACES(DIMS, 1, 4294967296)},
     {REPLACES(STRIDES, 0, 4294967296)}, OF(VALUE)},
    {"replace-value", TILE, SM_90A, TMAP_ERROR, {REPLACES(DIMS, 1, 4294967297)}, {REPLACES(DIMS, 1, 4294967296)},
     OF(VALUE)},
    {"replace-value", TILE, SM_90A, TMAP_ERROR, {REPLACES(ADDRESS, 0, 8)}, {REPLACES(ADDRESS, 0, 16)}, OF(VALUE)},
    {"replace-value", TILE, SM_100A, TMAP_ERROR, {REPLACES(TYPE, 0, TMAP_TYPE_COUNT)}, {REPLACES(TYPE, 0, 15)}, OF(VALUE)},
    {"replace-value", TILE, SM_90A, TMAP_ERROR, {REPLACES(INTERLEAVE, 0, 3)}, {REPLACES(INTERLEAVE, 0, 2)}, OF(VALUE)},
    {"replace-value", TILE, SM_103A, TMAP_ERROR, {REPLACES(SWIZZLE, 0, 5)}, {REPLACES(SWIZZLE, 0, 4)}, OF(VALUE)},
    {"replace-value", TILE, SM_90A, TMAP_ERROR, {REPLACES(OOB_FILL, 0, 2)}, {REPLACES(OOB_FILL, 0, 1)}, OF(VALUE)},
    {"replace-value", TILE, SM_90A, TMAP_ERROR, {REPLACES(COUNT, 0, 2)}, {REPLACES(RANK, 0, 2)}, OF(FIELD)},
    {"replace-ordinal", TILE, SM_90A, TMAP_ERROR, {REPLACES(TYPE, 1, 6)}, {REPLACES(TYPE, 0, 6)}, OF(ORDINAL)},
    {"replace-arch", TILE, SM_90A, TMAP_ERROR, {REPLACES(TYPE, 0, TMAP_TYPE_B4X16)}, {REPLACES(TYPE, 0, TMAP_TYPE_BF16)},
     OF(VALUE)},
    {"replace-arch", TILE, SM_90A, TMAP_ERROR, {REPLACES(ATOMICITY, 0, 0)}, {REPLACES(SWIZZLE, 0, 3)}, OF(VALUE)},
    {"replace-arch", TILE, SM_100A, TMAP_ERROR, {REPLACES(SWIZZLE, 0, 4)}, {REPLACES(SWIZZLE, 0, 3)}, OF(VALUE)},
    {"replace-tf32", TILE, SM_90A, TMAP_WARNING, {SET(TYPE, TMAP_TYPE_TF32_FTZ), AT(BOX, 0, 32),
     REPLACES(TYPE, 0, TMAP_TYPE_F32_FTZ)}, {REPLACES(TYPE, 0, TMAP_TYPE_TF32)}, OF(VALUE)},
};
/* clang-format on */

static tmap_map_params map_of(base which) {
    tmap_map_params map = tmap_map_params_tiled(bases[which].type, bases[which].rank);
    map.interleave = bases[which].interleave;
    memcpy(map.dims_el, bases[which].dims, sizeof bases[which].dims);
    memcpy(map.strides_B, bases[which].strides, sizeof bases[which].strides);
    memcpy(map.box_el, bases[which].box, sizeof bases[which].box);
    map.mode = bases[which].mode;
    if (map.mode == TMAP_MODE_TILED) return map;
    for (int i = 0; i < 2; i++) map.lower_corner[i] = map.upper_corner[i] = bases[which].corner;
    map.channels_per_pixel = 64;
    map.pixels_per_column = map.mode == TMAP_MODE_IM2COL_W128 ? 128 : 64;
    if (map.mode != TMAP_MODE_IM2COL) map.swizzle = TMAP_SWIZZLE_128B;
    return map;
}

#endif
