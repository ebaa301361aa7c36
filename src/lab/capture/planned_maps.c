/*
 * The planned cases as a table. A row is one experiment: a base map, edits for all cases, and one factor that takes all
 * its values in each of its dimensions.
 */
#include "capture/planned_maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "params/fields.h"

/* Numbers that edits can change in addition to the fields of a map: properties of the driver call. */
enum {
    CALL_PREFILL = TMAP_FIELD_COUNT,
    CALL_MAP_OFFSET,
    CALL_NULL_STRIDES,
    CALL_REPLACE_ADDRESS,
    CALL_HOST_MEMORY,
    FACTORS_N
};

typedef struct edit {
    int field; /* a tmap_field or a CALL_ number; 0 ends a list */
    int dim;
    uint64_t value;
} edit;

#define EDITS_MAX 7

typedef struct experiment {
    const char *name;       /* first part of the ids */
    int factor;             /* as edit.field */
    int dims_from, dims_to; /* the factor applies in these dimensions; both 0 for one number */
    const uint64_t *values; /* NULL: the powers of two */
    size_t values_n;
    tmap_mode mode; /* of the map */
    edit with[EDITS_MAX];
    bool dense;     /* strides follow from the edited dimensions and type, with rows padded to 32 B */
    bool keep_tail; /* entries from the rank on keep their values, as garbage */
    bool sized;     /* the allocation is the tensor's size */
} experiment;

#define VALUES(...)                                                                                                    \
    .values = (const uint64_t[]){__VA_ARGS__}, .values_n = sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)
#define FACTOR(id)     .factor = TMAP_FIELD_##id
#define CALL(id)       .factor = CALL_##id
#define DIMS(from, to) .dims_from = from, .dims_to = to
#define SET(id, value)                                                                                                 \
    { TMAP_FIELD_##id, 0, value }
#define AT(id, dim, value)                                                                                             \
    { TMAP_FIELD_##id, dim, value }

#define POW(n)      (UINT64_C(1) << (n))
#define MINUS(n)    (UINT64_MAX - (n) + 1)
#define BASE_AT     UINT64_C(0x7f0000000000)
#define ALL_TYPES   VALUES(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define SWIZZLES    VALUES(0, 1, 2, 3, 4, 5, 6)
#define SIZES       VALUES(4096, 8191, 8192, 8193, 65536) /* x 16 B: 64 KiB, 128 KiB, 128 KiB +- 16 B, 1 MiB */
#define HALF_SIZES  VALUES(2048, 4095, 4096, 4097, 32768) /* x 32 B */
#define AROUND_64K  VALUES(255, 256, 257, 511, 512, 513, 1023, 1024, 1025) /* x 128 elements */
#define CLASS(type) SET(TYPE, TMAP_TYPE_##type), SET(RANK, 2), AT(DIMS, 0, 128)
#define BYTES_16xN  SET(TYPE, TMAP_TYPE_U8), SET(RANK, 2), AT(DIMS, 0, 16), AT(BOX, 0, 16)
/* Rows of 128 bytes. */
#define WIDE     AT(DIMS, 0, 64), SET(CHANNELS_PER_PIXEL, 64), SET(SWIZZLE, TMAP_SWIZZLE_128B)
#define DISTINCT AT(DIMS, 0, 16), AT(DIMS, 1, 3), AT(DIMS, 2, 5), AT(DIMS, 3, 7), AT(DIMS, 4, 11)
#define SPATIAL  VALUES(2, 3, 4, 5, 6, 7, 10, 11)
/* Containers of 16 values: a box of 128, and dimensions of a multiple of it. */
#define PACKED(type) SET(TYPE, TMAP_TYPE_##type), AT(DIMS, 0, 128), AT(BOX, 0, 128)

static const experiment experiments[] = {
    /* Does the driver write all 128 bytes, the same each time, and which addresses does it accept for them? */
    {"base", CALL(PREFILL), VALUES(0x00, 0xff, 0x00)},
    {"base", CALL(MAP_OFFSET), VALUES(16, 32, 48, 64)},

    {"one-factor", FACTOR(ADDRESS), .values_n = 57},
    {"one-factor", FACTOR(ADDRESS), VALUES(POW(57) - 16, POW(57), POW(63), UINT64_C(0x4a5) << 52, UINT64_MAX - 15)},
    {"one-factor", FACTOR(RANK), VALUES(0, 1, 2, 3, 4, 5, 6)},
    {"one-factor", FACTOR(DIMS), DIMS(0, 4), VALUES(0, 1, 2, 3, POW(31), POW(32), POW(32) + 1), .dense = true},
    {"one-factor", FACTOR(STRIDES), DIMS(0, 3),
     VALUES(0, 8, 16, 32, POW(32), POW(36) - 16, POW(36), POW(40) - 16, POW(40))},
    {"one-factor", FACTOR(BOX), DIMS(0, 4), VALUES(0, 1, 2, 8, 16, 127, 128, 248, 255, 256, 257)},
    {"one-factor", FACTOR(ELEMENT_STRIDES), DIMS(0, 4), VALUES(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)},
    {"one-factor/interleave=1", FACTOR(ELEMENT_STRIDES), VALUES(0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
     .with = {SET(INTERLEAVE, TMAP_INTERLEAVE_16B)}},
    {"one-factor", FACTOR(TYPE), ALL_TYPES, .with = {AT(DIMS, 0, 128), AT(BOX, 0, 128)}, .dense = true},
    {"one-factor", FACTOR(TYPE), VALUES(16)},
    {"one-entry", FACTOR(STRIDES), DIMS(0, 3), VALUES(0, 2, 8, 24, POW(40), POW(41)),
     .with = {AT(DIMS, 1, 1), AT(DIMS, 2, 1), AT(DIMS, 3, 1), AT(DIMS, 4, 1)}},
    {"row-8-mod-16", FACTOR(BOX), VALUES(4, 12, 20, 60)},
    {"row-8-mod-16/f32", FACTOR(BOX), VALUES(2, 6, 30), .with = {SET(TYPE, TMAP_TYPE_F32)}, .dense = true},
    {"row-8-mod-16/u8", FACTOR(BOX), VALUES(8, 24, 120, 248), .with = {SET(TYPE, TMAP_TYPE_U8)}, .dense = true},
    /* Are the bytes of a tile floor(box / element stride)? */
    {"tile-bytes", FACTOR(ELEMENT_STRIDES), DIMS(0, 2), VALUES(2, 3, 5, 8), .with = {AT(BOX, 1, 9), AT(BOX, 2, 9)}},
    {"tile-bytes/interleave=2", FACTOR(ELEMENT_STRIDES), DIMS(0, 2), VALUES(2, 3, 5, 8),
     .with = {AT(BOX, 1, 9), AT(BOX, 2, 9), SET(INTERLEAVE, TMAP_INTERLEAVE_32B), SET(SWIZZLE, TMAP_SWIZZLE_32B)}},
    {"one-factor", FACTOR(INTERLEAVE), VALUES(3)},
    {"one-factor", FACTOR(SWIZZLE), VALUES(7, 8)},
    {"one-factor", FACTOR(L2_PROMOTION), VALUES(0, 1, 2, 3, 4)},
    {"one-factor", FACTOR(OOB_FILL), VALUES(0, 1, 2)},

    {"interleave/none", FACTOR(SWIZZLE), SWIZZLES},
    {"interleave/16B", FACTOR(SWIZZLE), SWIZZLES, .with = {SET(INTERLEAVE, TMAP_INTERLEAVE_16B)}},
    {"interleave/32B", FACTOR(SWIZZLE), SWIZZLES, .with = {SET(INTERLEAVE, TMAP_INTERLEAVE_32B)}},
    {"interleave/16B", FACTOR(RANK), VALUES(1, 2, 3, 4), .with = {SET(INTERLEAVE, TMAP_INTERLEAVE_16B)}},
    {"interleave/32B", FACTOR(ADDRESS), VALUES(BASE_AT + 16, BASE_AT + 32),
     .with = {SET(INTERLEAVE, TMAP_INTERLEAVE_32B), SET(SWIZZLE, TMAP_SWIZZLE_32B)}},
    {"interleave/32B", FACTOR(STRIDES), VALUES(48, 64),
     .with = {SET(INTERLEAVE, TMAP_INTERLEAVE_32B), SET(SWIZZLE, TMAP_SWIZZLE_32B)}},

    /* Entries after the ends of the arrays: first values that could be right, then values that never are. */
    {"unused/plausible", FACTOR(RANK), VALUES(1, 2, 3, 4), .keep_tail = true},
    {"unused/absurd", FACTOR(RANK), VALUES(1, 2, 3, 4), .keep_tail = true,
     .with = {AT(DIMS, 4, 0), AT(STRIDES, 3, 8), AT(BOX, 4, UINT32_MAX), AT(ELEMENT_STRIDES, 4, 0)}},

    {"size/dense", FACTOR(DIMS), DIMS(1, 1), SIZES, .with = {BYTES_16xN, AT(STRIDES, 0, 16)}, .sized = true},
    {"size/padded", FACTOR(DIMS), DIMS(1, 1), HALF_SIZES, .with = {BYTES_16xN, AT(STRIDES, 0, 32)}, .sized = true},
    {"size/host/dense", FACTOR(DIMS), DIMS(1, 1), SIZES,
     .with = {BYTES_16xN, AT(STRIDES, 0, 16), {CALL_HOST_MEMORY, 0, 1}}, .sized = true},
    {"size/host/padded", FACTOR(DIMS), DIMS(1, 1), HALF_SIZES,
     .with = {BYTES_16xN, AT(STRIDES, 0, 32), {CALL_HOST_MEMORY, 0, 1}}, .sized = true},

    /* From which number of elements or bytes is class AUTO large? */
    {"class/u8", FACTOR(DIMS), DIMS(1, 1), AROUND_64K, .with = {CLASS(U8), AT(STRIDES, 0, 128)}},
    {"class/f16", FACTOR(DIMS), DIMS(1, 1), AROUND_64K, .with = {CLASS(F16), AT(STRIDES, 0, 256)}},
    {"class/u32", FACTOR(DIMS), DIMS(1, 1), AROUND_64K, .with = {CLASS(U32), AT(STRIDES, 0, 512)}},
    {"class/overlapping", FACTOR(DIMS), DIMS(1, 1), AROUND_64K, .with = {CLASS(F16), AT(STRIDES, 0, 16)}},
    {"class/gap", FACTOR(STRIDES), VALUES(256 + 4096, 256 + 8192, POW(20)), .with = {CLASS(F16), AT(DIMS, 1, 4096)}},

    {"replace", CALL(REPLACE_ADDRESS), VALUES(0, BASE_AT, BASE_AT + 8, BASE_AT + 16, POW(47), POW(57) - 16)},
    {"replace/interleave-32B", CALL(REPLACE_ADDRESS), VALUES(BASE_AT + 16, BASE_AT + 32),
     .with = {SET(INTERLEAVE, TMAP_INTERLEAVE_32B), SET(SWIZZLE, TMAP_SWIZZLE_32B)}},
    {"replace/b4x16_p64", CALL(REPLACE_ADDRESS), VALUES(BASE_AT + 16, BASE_AT + 32), .with = {PACKED(B4X16_P64)},
     .dense = true},

    {"acceptance/null", FACTOR(ADDRESS), VALUES(0)},
    {"acceptance/null", CALL(NULL_STRIDES), VALUES(1), .with = {SET(RANK, 1)}},
    {"acceptance/stride-below-row", FACTOR(STRIDES), VALUES(16), .with = {SET(RANK, 2)}},
    {"acceptance/strides-not-rising", FACTOR(STRIDES), DIMS(1, 1), VALUES(128), .with = {AT(STRIDES, 0, 256)}},
    {"acceptance/nan", FACTOR(TYPE), ALL_TYPES,
     .with = {AT(DIMS, 0, 128), AT(BOX, 0, 128), SET(OOB_FILL, TMAP_OOB_FILL_NAN)}, .dense = true},
    {"acceptance/b4x16", FACTOR(SWIZZLE), SWIZZLES, .with = {PACKED(B4X16)}, .dense = true},
    {"acceptance/b4x16_p64", FACTOR(SWIZZLE), SWIZZLES, .with = {PACKED(B4X16_P64)}, .dense = true},
    {"acceptance/b6x16_p32", FACTOR(SWIZZLE), SWIZZLES, .with = {PACKED(B6X16_P32)}, .dense = true},
    {"acceptance/b4x16_p64", FACTOR(INTERLEAVE), VALUES(1, 2),
     .with = {PACKED(B4X16_P64), SET(SWIZZLE, TMAP_SWIZZLE_32B)}, .dense = true},
    {"acceptance/b4x16_p64/no-swizzle", FACTOR(INTERLEAVE), VALUES(1), .with = {PACKED(B4X16_P64)}, .dense = true},
    {"acceptance/b6x16_p32", FACTOR(INTERLEAVE), VALUES(1), .with = {PACKED(B6X16_P32)}, .dense = true},
    {"acceptance/b4x16", FACTOR(DIMS), VALUES(127, 130), .with = {PACKED(B4X16)}, .dense = true},
    {"acceptance/b4x16_p64", FACTOR(DIMS), VALUES(64, 192, 256), .with = {PACKED(B4X16_P64)}, .dense = true},
    {"acceptance/b6x16_p32", FACTOR(DIMS), VALUES(64, 192, 256), .with = {PACKED(B6X16_P32)}, .dense = true},
    {"acceptance/b4x16", FACTOR(BOX), VALUES(16, 32, 64, 256), .with = {PACKED(B4X16)}, .dense = true},
    {"acceptance/b4x16_p64", FACTOR(BOX), VALUES(32, 64, 256), .with = {PACKED(B4X16_P64)}, .dense = true},
    {"acceptance/b6x16_p32", FACTOR(BOX), VALUES(32, 64, 256), .with = {PACKED(B6X16_P32)}, .dense = true},
    {"acceptance/b4x16_p64", FACTOR(ADDRESS), VALUES(BASE_AT + 16), .with = {PACKED(B4X16_P64)}, .dense = true},
    {"acceptance/b6x16_p32", FACTOR(ADDRESS), VALUES(BASE_AT + 16), .with = {PACKED(B6X16_P32)}, .dense = true},
    {"acceptance/b4x16_p64", FACTOR(STRIDES), VALUES(80), .with = {PACKED(B4X16_P64)}, .dense = true},
    {"acceptance/b6x16_p32", FACTOR(STRIDES), VALUES(112), .with = {PACKED(B6X16_P32)}, .dense = true},
    {"acceptance/wide/64B", FACTOR(SWIZZLE), SWIZZLES, .with = {AT(BOX, 0, 32)}},
    {"acceptance/wide/128B", FACTOR(SWIZZLE), SWIZZLES, .with = {AT(BOX, 0, 64)}},
    {"acceptance/wide/256B", FACTOR(SWIZZLE), SWIZZLES, .with = {AT(BOX, 0, 128)}},
    {"acceptance/box-beyond-shared-memory", FACTOR(BOX), DIMS(1, 1), VALUES(256),
     .with = {AT(BOX, 0, 128), AT(BOX, 2, 256)}},

    {"im2col", FACTOR(RANK), VALUES(2, 3, 4, 5), .mode = TMAP_MODE_IM2COL},
    {"im2col", FACTOR(LOWER_CORNER), DIMS(0, 2), VALUES(MINUS(17), MINUS(16), MINUS(1), 0, 1, 2, 15, 16),
     .mode = TMAP_MODE_IM2COL},
    {"im2col", FACTOR(UPPER_CORNER), DIMS(0, 2), VALUES(MINUS(17), MINUS(16), MINUS(2), MINUS(1), 0, 1, 15, 16),
     .mode = TMAP_MODE_IM2COL},
    {"im2col/large", FACTOR(UPPER_CORNER), DIMS(0, 2), VALUES(MINUS(17), MINUS(16)), .mode = TMAP_MODE_IM2COL,
     .with = {AT(DIMS, 1, 64), AT(DIMS, 2, 64), AT(DIMS, 3, 64)}, .dense = true},
    {"im2col/rank=4", FACTOR(LOWER_CORNER), DIMS(0, 1), VALUES(MINUS(129), MINUS(128), 127, 128),
     .mode = TMAP_MODE_IM2COL, .with = {SET(RANK, 4), AT(DIMS, 1, 256), AT(DIMS, 2, 256)}, .dense = true},
    {"im2col/rank=4", FACTOR(UPPER_CORNER), DIMS(0, 1), VALUES(MINUS(129), MINUS(128), 127, 128),
     .mode = TMAP_MODE_IM2COL, .with = {SET(RANK, 4), AT(DIMS, 1, 256), AT(DIMS, 2, 256)}, .dense = true},
    {"im2col/rank=3", FACTOR(LOWER_CORNER), VALUES(MINUS(32769), MINUS(32768), 32767, 32768), .mode = TMAP_MODE_IM2COL,
     .with = {SET(RANK, 3), AT(DIMS, 1, 65536)}, .dense = true},
    {"im2col/rank=3", FACTOR(UPPER_CORNER), VALUES(MINUS(32769), MINUS(32768), 32767, 32768), .mode = TMAP_MODE_IM2COL,
     .with = {SET(RANK, 3), AT(DIMS, 1, 65536)}, .dense = true},
    {"im2col", FACTOR(CHANNELS_PER_PIXEL), VALUES(0, 1, 2, 8, 24, 255, 256, 257), .mode = TMAP_MODE_IM2COL},
    {"im2col", FACTOR(PIXELS_PER_COLUMN), VALUES(0, 1, 2, 255, 256, 257, 1023, 1024, 1025), .mode = TMAP_MODE_IM2COL},
    {"im2col", FACTOR(ELEMENT_STRIDES), DIMS(0, 4), VALUES(0, 1, 2, 8, 9), .mode = TMAP_MODE_IM2COL},
    {"im2col", FACTOR(TYPE), ALL_TYPES, .mode = TMAP_MODE_IM2COL,
     .with = {AT(DIMS, 0, 128), SET(CHANNELS_PER_PIXEL, 128)}, .dense = true},
    {"im2col", FACTOR(SWIZZLE), SWIZZLES, .mode = TMAP_MODE_IM2COL},
    {"im2col/16B", FACTOR(CHANNELS_PER_PIXEL), VALUES(4, 8, 16), .mode = TMAP_MODE_IM2COL,
     .with = {SET(INTERLEAVE, TMAP_INTERLEAVE_16B)}},
    {"im2col/32B", FACTOR(CHANNELS_PER_PIXEL), VALUES(8, 16, 32), .mode = TMAP_MODE_IM2COL,
     .with = {SET(INTERLEAVE, TMAP_INTERLEAVE_32B), SET(SWIZZLE, TMAP_SWIZZLE_32B)}},
    {"im2col/u8", FACTOR(CHANNELS_PER_PIXEL), VALUES(240, 256, 272, 288, 512), .mode = TMAP_MODE_IM2COL,
     .with = {SET(TYPE, TMAP_TYPE_U8), AT(DIMS, 0, 1024)}, .dense = true},
    {"im2col/u8/16B", FACTOR(CHANNELS_PER_PIXEL), VALUES(256, 257, 272), .mode = TMAP_MODE_IM2COL,
     .with = {SET(TYPE, TMAP_TYPE_U8), SET(INTERLEAVE, TMAP_INTERLEAVE_16B)}, .dense = true},
    {"im2col/span-32B", FACTOR(CHANNELS_PER_PIXEL), VALUES(8, 16, 24, 32), .mode = TMAP_MODE_IM2COL,
     .with = {SET(SWIZZLE, TMAP_SWIZZLE_32B)}},
    {"im2col/span-64B", FACTOR(CHANNELS_PER_PIXEL), VALUES(16, 32, 40, 64), .mode = TMAP_MODE_IM2COL,
     .with = {SET(SWIZZLE, TMAP_SWIZZLE_64B)}},
    {"im2col/span-128B", FACTOR(CHANNELS_PER_PIXEL), VALUES(32, 64, 72, 128), .mode = TMAP_MODE_IM2COL,
     .with = {SET(SWIZZLE, TMAP_SWIZZLE_128B)}},
    /* Which dimensions are spatial? A corner at or beyond the end of its dimension leaves no pixels. */
    {"im2col/spatial", FACTOR(LOWER_CORNER), DIMS(0, 2), SPATIAL, .mode = TMAP_MODE_IM2COL, .with = {DISTINCT},
     .dense = true},
    {"im2col/16B/spatial", FACTOR(LOWER_CORNER), DIMS(0, 2), SPATIAL, .mode = TMAP_MODE_IM2COL,
     .with = {DISTINCT, SET(INTERLEAVE, TMAP_INTERLEAVE_16B)}, .dense = true},
    /* No source shows how these modes are encoded: which bits differ from im2col, and where are their corners? */
    {"im2col_w", FACTOR(MODE), VALUES(TMAP_MODE_IM2COL, TMAP_MODE_IM2COL_W, TMAP_MODE_IM2COL_W128),
     .mode = TMAP_MODE_IM2COL_W, .with = {WIDE, SET(PIXELS_PER_COLUMN, 128)}, .dense = true},
    {"im2col_w", FACTOR(RANK), VALUES(2, 3, 4, 5), .mode = TMAP_MODE_IM2COL_W, .with = {WIDE}, .dense = true},
    {"im2col_w", FACTOR(LOWER_CORNER), VALUES(MINUS(32769), MINUS(32768), MINUS(1), 1, 2, 32767, 32768),
     .mode = TMAP_MODE_IM2COL_W, .with = {WIDE}, .dense = true},
    {"im2col_w", FACTOR(UPPER_CORNER), VALUES(MINUS(32769), MINUS(32768), MINUS(1), 1, 32767, 32768),
     .mode = TMAP_MODE_IM2COL_W, .with = {WIDE}, .dense = true},
    {"im2col_w", FACTOR(PIXELS_PER_COLUMN), VALUES(0, 1, 2, 256, 512, 1024, 1025), .mode = TMAP_MODE_IM2COL_W,
     .with = {WIDE}, .dense = true},
    {"im2col_w128", FACTOR(PIXELS_PER_COLUMN), VALUES(0, 32, 96, 128, 160, 256, 2000), .mode = TMAP_MODE_IM2COL_W128,
     .with = {WIDE}, .dense = true},
    {"im2col_w", FACTOR(SWIZZLE), SWIZZLES, .mode = TMAP_MODE_IM2COL_W, .with = {WIDE}, .dense = true},
    /* PTX accepts no interleave here, but the call has the argument. */
    {"im2col_w", FACTOR(INTERLEAVE), VALUES(TMAP_INTERLEAVE_16B, TMAP_INTERLEAVE_32B), .mode = TMAP_MODE_IM2COL_W,
     .with = {WIDE}, .dense = true},
    {"im2col_w/swizzle-32B", FACTOR(INTERLEAVE), VALUES(TMAP_INTERLEAVE_16B, TMAP_INTERLEAVE_32B),
     .mode = TMAP_MODE_IM2COL_W, .with = {WIDE, SET(SWIZZLE, TMAP_SWIZZLE_32B)}, .dense = true},
};

enum { EXPERIMENTS_N = sizeof experiments / sizeof experiments[0] };

static size_t cases_of(const experiment *e) {
    return e->values_n * (size_t)(e->dims_to - e->dims_from + 1);
}

size_t tmap_capture_sweep_size(void) {
    size_t n = 0;
    for (size_t i = 0; i < EXPERIMENTS_N; i++) n += cases_of(&experiments[i]);
    return n;
}

/* Rank 5, so that every field has a meaning; rows of 32 B, which every swizzle accepts. */
static tmap_map_params base_map(void) {
    return (tmap_map_params){
        .mode = TMAP_MODE_TILED,
        .type = TMAP_TYPE_F16,
        .rank = 5,
        .has_address = true,
        .address = BASE_AT,
        .dims_el = {16, 2, 2, 2, 2},
        .strides_B = {32, 64, 128, 256},
        .box_el = {16, 2, 2, 2, 2},
        .element_strides = {1, 1, 1, 1, 1},
        .channels_per_pixel = 16,
        .pixels_per_column = 16,
    };
}

static void apply(const edit *e, capture_case *c) {
    switch (e->field) {
    case CALL_PREFILL: c->prefill = (uint8_t)e->value; break;
    case CALL_MAP_OFFSET: c->map_offset_B = (uint32_t)e->value; break;
    case CALL_NULL_STRIDES: c->null_strides = true; break;
    case CALL_HOST_MEMORY: c->host_memory = true; break;
    case CALL_REPLACE_ADDRESS:
        c->replaces = true;
        c->replace_address = e->value;
        break;
    default: tmap_field_set(&c->params, NULL, (tmap_field)e->field, e->dim, e->value);
    }
}

/* Rows padded to 32 B. A dimension of 0 counts as 1. With the table's values the strides stay below 2^41 B. */
static void make_dense(tmap_map_params *map) {
    const tmap_type_info *type = tmap_type_get((int)map->type);
    uint64_t bits = type ? (uint64_t)type->bits : 8;
    uint64_t stride_B = tmap_round_up((map->dims_el[0] ? map->dims_el[0] : 1) * bits / 8, 32);
    for (size_t i = 0; i < TMAP_RANK_MAX - 1; i++) {
        map->strides_B[i] = stride_B;
        stride_B *= map->dims_el[i + 1] ? map->dims_el[i + 1] : 1;
    }
}

void tmap_capture_clear_tails(tmap_map_params *params) {
    for (uint64_t i = params->rank; i < TMAP_RANK_MAX; i++)
        params->dims_el[i] = params->box_el[i] = params->element_strides[i] = 0;
    for (uint64_t i = params->rank > 0 ? params->rank - 1 : 0; i < TMAP_RANK_MAX - 1; i++) params->strides_B[i] = 0;
}

static const char *name_of(int factor) {
    static const char *const calls[] = {"prefill", "map_offset", "null_strides", "replace_address", "memory"};
    TMAP_ROWS(calls, FACTORS_N - TMAP_FIELD_COUNT);
    return factor < TMAP_FIELD_COUNT ? tmap_field_get(factor)->name : calls[factor - TMAP_FIELD_COUNT];
}

static void name_case(const experiment *e, const edit *factor, size_t nth, capture_case *c) {
    bool address = factor->field == TMAP_FIELD_ADDRESS || factor->field == CALL_REPLACE_ADDRESS;
    bool again = factor->field == CALL_PREFILL && nth > 1;
    char dim[8] = "", value[24];
    const tmap_field_info *field = tmap_field_get(factor->field);
    if (field && field->per != TMAP_PER_ONE) (void)snprintf(dim, sizeof dim, "[%d]", factor->dim);
    (void)snprintf(value, sizeof value, address ? "0x%" PRIx64 : "%" PRId64, (int64_t)factor->value);
    (void)snprintf(c->id, sizeof c->id, "%s/%s%s=%s%s", e->name, name_of(factor->field), dim, value,
                   again ? "/again" : "");
}

static void make_case(const experiment *e, size_t nth, capture_case *c) {
    size_t at = nth % e->values_n;
    edit factor = {e->factor, e->dims_from + (int)(nth / e->values_n), e->values ? e->values[at] : POW(at)};
    *c = (capture_case){.params = base_map()};
    c->params.mode = e->mode;
    for (size_t i = 0; i < EDITS_MAX && e->with[i].field != 0; i++) apply(&e->with[i], c);
    /* before the strides, which may depend on the factor, and again after them, because the factor may be a stride */
    apply(&factor, c);
    if (e->dense) make_dense(&c->params);
    apply(&factor, c);
    if (e->sized) c->params.allocation_B = c->params.dims_el[1] * c->params.strides_B[0];
    if (c->params.mode != TMAP_MODE_TILED) memset(c->params.box_el, 0, sizeof c->params.box_el);
    if (!e->keep_tail) tmap_capture_clear_tails(&c->params);
    name_case(e, &factor, nth, c);
}

void tmap_capture_sweep_get(size_t i, capture_case *out) {
    const experiment *e = experiments;
    while (i >= cases_of(e)) i -= cases_of(e++);
    make_case(e, i, out);
}
