/* Random valid maps and copies. Every choice follows the rules by construction; the tests check the results with the
 * rules. */
#include "tmap/unstable/gen.h"
#include "base/wide.h"
#include "hash/splitmix.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/tables.h"

#define MAX_DIM    TMAP_DIM_MAX
#define MAX_STRIDE (TMAP_STRIDE_LIMIT_B - 32)
/* The most bytes that one dimension spans, so that the tensor stays in the address space. */
#define MAX_REACH ((uint64_t)1 << 60)

uint64_t tmap_random_next(tmap_random *random) {
    uint64_t x = tmap_splitmix64(random->state);
    random->state += 0x9e3779b97f4a7c15u;
    return x;
}

uint64_t tmap_random_between(tmap_random *random, uint64_t low, uint64_t high) {
    uint64_t span = high - low + 1;
    uint64_t x = tmap_random_next(random);
    return span == 0 ? x : low + (uint64_t)((tmap_u128)x * span >> 64);
}

static bool one_in(tmap_random *random, uint64_t n) {
    return tmap_random_between(random, 1, n) == 1;
}

/* The limits of the choices. */
typedef struct gen_reach {
    bool small;
    uint64_t dim_max;   /* of dimensions above 0 */
    uint64_t box_max_B; /* of the whole box */
} gen_reach;

static gen_reach reach_of(bool small) {
    return small ? (gen_reach){true, 24, 48 << 10} : (gen_reach){false, MAX_DIM, 200 << 10};
}

/* Small numbers are likely; the limit itself occurs often. */
static uint64_t some_dim(tmap_random *random, uint64_t limit) {
    if (one_in(random, 16)) return limit;
    uint64_t magnitude = tmap_random_between(random, 0, 63);
    uint64_t high = magnitude < 32 ? (uint64_t)1 << magnitude : limit;
    return tmap_random_between(random, 1, high < limit ? high : limit);
}

static tmap_type some_type(tmap_random *random) {
    return (tmap_type)tmap_random_between(random, 0, TMAP_TYPE_COUNT - 1);
}

/* Half of the maps whose rank allows im2col are im2col. */
static tmap_mode some_mode(tmap_random *random, uint64_t rank) {
    if (rank < 3 || one_in(random, 2)) return TMAP_MODE_TILED;
    return (tmap_mode)tmap_random_between(random, TMAP_MODE_IM2COL, TMAP_MODE_IM2COL_W128);
}

/* Whether the type allows the swizzle for loads and stores (rule packed-swizzle), and the mode allows the swizzle (rule
 * wide-swizzle). */
static bool accepts_swizzle(const tmap_map_params *map, tmap_swizzle swizzle) {
    bool atoms = swizzle == TMAP_SWIZZLE_128B || swizzle == TMAP_SWIZZLE_128B_ATOM_32B;
    if (tmap_mode_get((int)map->mode)->wide && !atoms && swizzle != TMAP_SWIZZLE_64B) return false;
    return tmap_type_get((int)map->type)->box0_exact == 0 || swizzle == TMAP_SWIZZLE_NONE || atoms;
}

static tmap_swizzle some_swizzle(tmap_random *random, const tmap_map_params *map) {
    for (;;) {
        /* 96B, the last swizzle, has no number of the driver. */
        tmap_swizzle swizzle = (tmap_swizzle)tmap_random_between(random, 0, TMAP_SWIZZLE_96B - 1);
        if (accepts_swizzle(map, swizzle)) return swizzle;
    }
}

static void choose_formats(tmap_random *random, tmap_map_params *map) {
    const tmap_type_info *type = tmap_type_get((int)map->type);
    bool wide = tmap_mode_get((int)map->mode)->wide;
    map->swizzle = some_swizzle(random, map);
    map->l2_promotion = (tmap_l2_promotion)tmap_random_between(random, 0, TMAP_L2_PROMOTION_COUNT - 1);
    if (type->nan && one_in(random, 2)) map->oob_fill = TMAP_OOB_FILL_NAN;
    if (map->rank < 3 || type->box0_exact || wide || !one_in(random, 5)) return;
    map->interleave = one_in(random, 2) ? TMAP_INTERLEAVE_16B : TMAP_INTERLEAVE_32B;
    if (map->interleave == TMAP_INTERLEAVE_32B) map->swizzle = TMAP_SWIZZLE_32B;
}

static void choose_dims(tmap_random *random, const gen_reach *reach, tmap_map_params *map) {
    const tmap_type_info *type = tmap_type_get((int)map->type);
    map->dims_el[0] = some_dim(random, reach->small ? 300 : MAX_DIM);
    if (type->dim0_multiple) map->dims_el[0] = tmap_round_up(map->dims_el[0], type->dim0_multiple);
    for (uint64_t i = 1; i < map->rank; i++) map->dims_el[i] = some_dim(random, reach->dim_max);
}

static uint64_t alignment(const tmap_map_params *map) {
    uint64_t of_type = tmap_type_get((int)map->type)->align_B;
    uint64_t of_interleave = tmap_interleave_get((int)map->interleave)->align_B;
    return of_type > of_interleave ? of_type : of_interleave;
}

/* Chooses dense strides, padded strides, or sometimes stride 0. The tensor always stays in a 64-bit address space. */
static void choose_strides(tmap_random *random, const gen_reach *reach, tmap_map_params *map) {
    uint64_t align = alignment(map), bits = tmap_unit_of(map, false).value_bits;
    uint64_t stride = tmap_round_up(tmap_u64_saturate((tmap_u128)map->dims_el[0] * bits / 8), align);
    for (uint64_t i = 1; i < map->rank; i++) {
        if (one_in(random, 3)) stride += align * tmap_random_between(random, 1, reach->small ? 4 : 1 << 20);
        if (stride > MAX_STRIDE) stride = MAX_STRIDE;
        map->strides_B[i - 1] = one_in(random, 40) ? 0 : stride;
        if (stride > 0 && map->dims_el[i] > MAX_REACH / stride) map->dims_el[i] = MAX_REACH / stride;
        stride = tmap_mul_saturate(stride, map->dims_el[i]);
    }
}

/* Chooses the elements of a row of the box, or the channels of a pixel. */
static uint64_t some_row(tmap_random *random, const tmap_map_params *map) {
    const tmap_type_info *type = tmap_type_get((int)map->type);
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)map->swizzle);
    uint64_t step = 128 / (uint64_t)type->bits, limit = 256;
    if (map->interleave != TMAP_INTERLEAVE_NONE) return tmap_random_between(random, 1, limit);
    if (type->box0_exact) return type->box0_exact;
    if (swizzle->span_B) limit = (uint64_t)swizzle->span_B * 8 / (uint64_t)type->bits;
    if (limit > 256) limit = 256;
    return step * tmap_random_between(random, 1, limit / step);
}

static uint64_t some_step(tmap_random *random) {
    return one_in(random, 4) ? tmap_random_between(random, 1, 8) : 1;
}

static void choose_box(tmap_random *random, const gen_reach *reach, tmap_map_params *map) {
    map->box_el[0] = some_row(random, map);
    if (map->interleave != TMAP_INTERLEAVE_NONE) map->element_strides[0] = some_step(random);
    for (uint64_t i = 1; i < map->rank; i++) {
        uint64_t room = reach->box_max_B / (tmap_derive(map, false).footprint_B | 1);
        uint64_t limit = room < 256 ? room : 256;
        map->element_strides[i] = some_step(random);
        map->box_el[i] = limit == 0 || one_in(random, 4) ? 1 : some_dim(random, limit);
    }
    if (map->rank == 2 && map->interleave == TMAP_INTERLEAVE_NONE && one_in(random, 3)) map->box_el[1] = 1;
}

/* ---- im2col --------------------------------------------------------------------------------------------------- */

static int64_t some_signed(tmap_random *random, int64_t low, int64_t high) {
    return low + (int64_t)tmap_random_between(random, 0, (uint64_t)(high - low));
}

/* Most corners are a few pixels of padding; some are at the limit. `inside`: as stores require. */
static void choose_corner(tmap_random *random, tmap_map_params *map, const tmap_image_dims *dims, int i, bool inside) {
    int64_t limit = (int64_t)1 << (TMAP_CORNER_BITS / dims->walked_n - 1), least = -limit, most = limit - 1;
    int64_t size = (int64_t)map->dims_el[dims->first_spatial + i];
    int64_t high = inside ? (size - 1 < most ? size - 1 : most) : 3;
    int64_t lower = one_in(random, 12) && !inside ? (one_in(random, 2) ? least : most)
                                                  : some_signed(random, inside ? 0 : -4, high < 3 ? high : 3);
    int64_t low = lower - size + 1 > least ? lower - size + 1 : least;
    if (!one_in(random, 8) && low < -6) low = -6;
    int64_t top = inside ? 0 : 4;
    map->lower_corner[i] = lower;
    map->upper_corner[i] = some_signed(random, low, low > top ? low : top);
}

static void choose_column(tmap_random *random, const gen_reach *reach, tmap_map_params *map) {
    tmap_image_dims dims = tmap_image_dims_of(map);
    bool inside = map->mode == TMAP_MODE_IM2COL && one_in(random, 3);
    for (int i = 0; i < dims.walked_n; i++) choose_corner(random, map, &dims, i, inside);
    for (uint64_t i = 0; i < map->rank; i++) map->element_strides[i] = some_step(random);
    map->channels_per_pixel = some_row(random, map);
    map->pixels_per_column = 1;
    uint64_t room = (reach->small ? reach->box_max_B / 4 : reach->box_max_B) / tmap_derive(map, false).pitch_B;
    map->pixels_per_column = some_dim(random, room < TMAP_PIXELS_MAX ? room : TMAP_PIXELS_MAX);
}

void tmap_random_map(tmap_random *random, bool small, tmap_map_params *params) {
    gen_reach reach = reach_of(small);
    uint64_t rank = tmap_random_between(random, 1, TMAP_RANK_MAX); /* one statement per call: arguments have no order */
    *params = tmap_map_params_tiled(some_type(random), rank);
    params->mode = some_mode(random, params->rank);
    bool im2col = tmap_mode_get((int)params->mode)->im2col;
    for (int i = 0; i < TMAP_RANK_MAX; i++) params->box_el[i] = im2col ? 0 : 1;
    choose_formats(random, params);
    choose_dims(random, &reach, params);
    choose_strides(random, &reach, params);
    if (im2col)
        choose_column(random, &reach, params);
    else
        choose_box(random, &reach, params);
    params->has_address = true;
    params->address = alignment(params) * tmap_random_between(random, 1, ((uint64_t)1 << 47) / alignment(params));
}

/* Chooses a coordinate from one box before the start of the tensor to one box after its end. */
static int64_t some_coordinate(tmap_random *random, const tmap_map_params *map, uint64_t dim, bool negative) {
    uint64_t past = map->dims_el[dim] < (1 << 30) ? map->dims_el[dim] : 1 << 30;
    int64_t low = negative && !one_in(random, 3) ? -(int64_t)map->box_el[dim] : 0;
    if (one_in(random, 4)) return 0;
    return low + (int64_t)tmap_random_between(random, 0, past + map->box_el[dim]);
}

/* The innermost coordinate is a multiple of 16 bytes, or of the elements that a packed type requires. A slice starts
 * anywhere. */
static int64_t some_first_coordinate(tmap_random *random, const tmap_map_params *map, bool negative) {
    const tmap_type_info *type = tmap_type_get((int)map->type);
    int64_t step = type->box0_exact ? (int64_t)type->box0_exact : 128 / type->bits;
    int64_t c = some_coordinate(random, map, 0, negative);
    bool im2col = tmap_mode_get((int)map->mode)->im2col;
    if (map->interleave != TMAP_INTERLEAVE_NONE || (im2col && type->bits >= 8 && one_in(random, 8))) return c;
    return c >= 0 ? c / step * step : -(-c / step * step);
}

/* Chooses a reduction that exists for the type, or a store if none exists. */
static tmap_op some_reduction(tmap_random *random, tmap_type type) {
    tmap_op found = TMAP_OP_STORE;
    uint64_t seen = 0;
    for (int op = 0; op < TMAP_OP_COUNT; op++)
        if (tmap_reduction_of((tmap_op)op, type) && one_in(random, ++seen)) found = (tmap_op)op;
    return found;
}

static bool corners_inside(const tmap_map_params *map) {
    for (int i = 0; i < tmap_image_dims_of(map).walked_n; i++)
        if (map->lower_corner[i] < 0 || map->upper_corner[i] > 0) return false;
    return true;
}

static bool can_store(const tmap_map_params *map) {
    bool direction = map->type != TMAP_TYPE_B4X16_P64 && map->swizzle != TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B;
    if (map->mode == TMAP_MODE_TILED) return direction;
    return direction && map->mode == TMAP_MODE_IM2COL && corners_inside(map);
}

static tmap_op some_op(tmap_random *random, const tmap_map_params *map) {
    bool tile = map->rank == 2 && map->box_el[1] == 1, store = one_in(random, 2) && can_store(map);
    bool rows = tile && map->interleave == TMAP_INTERLEAVE_NONE && one_in(random, 2);
    bool prefetch = !store && one_in(random, 16);
    if (rows) return store ? TMAP_OP_SCATTER4 : prefetch ? TMAP_OP_PREFETCH_GATHER4 : TMAP_OP_GATHER4;
    if (!store) return prefetch ? TMAP_OP_PREFETCH : TMAP_OP_LOAD;
    return one_in(random, 2) ? some_reduction(random, map->type) : TMAP_OP_STORE;
}

/* Chooses a start in the pixel box; in the wide modes sometimes up to 5 pixels before it. */
static int64_t some_start(tmap_random *random, const tmap_map_params *map, int dim, int corner) {
    int64_t lower = map->lower_corner[corner], end = (int64_t)map->dims_el[dim] + map->upper_corner[corner];
    if (end > 1 << 30) end = 1 << 30;
    if (tmap_mode_get((int)map->mode)->wide && one_in(random, 3)) lower -= 5;
    return some_signed(random, lower, end - 1);
}

static void choose_filter(tmap_random *random, const tmap_map_params *map, tmap_copy_params *copy) {
    tmap_image_dims dims = tmap_image_dims_of(map);
    uint64_t most = ((uint64_t)1 << TMAP_CORNER_BITS / dims.walked_n) - 1,
             halo_most = map->mode == TMAP_MODE_IM2COL_W ? 511 : 31;
    if (map->mode == TMAP_MODE_IM2COL) {
        for (int i = 0; i < dims.walked_n; i++)
            copy->offsets[i] = (int64_t)tmap_random_between(random, 0, one_in(random, 12) ? most : 4);
        return;
    }
    copy->w_halo = tmap_random_between(random, 0, one_in(random, 12) ? halo_most : 4);
    copy->w_offset = tmap_random_between(random, 0, one_in(random, 12) ? 31 : 4);
}

static void choose_pixel(tmap_random *random, const tmap_map_params *map, bool load, tmap_copy_params *copy) {
    tmap_image_dims dims = tmap_image_dims_of(map);
    for (int i = 0; i < dims.walked_n; i++) {
        int dim = dims.first_spatial + i;
        copy->at[dim] = some_start(random, map, dim, i);
    }
    if (load) choose_filter(random, map, copy);
}

static void choose_place(tmap_random *random, const tmap_map_params *map, bool load, tmap_copy_params *copy) {
    copy->at_n = (int)map->rank;
    copy->at[0] = some_first_coordinate(random, map, load);
    for (uint64_t i = 1; i < map->rank; i++) copy->at[i] = some_coordinate(random, map, i, load);
    if (map->mode != TMAP_MODE_TILED) choose_pixel(random, map, load, copy);
}

void tmap_random_copy(tmap_random *random, const tmap_map_params *map, tmap_copy_params *copy) {
    *copy = (tmap_copy_params){.op = some_op(random, map)};
    const tmap_op_info *op = tmap_op_get((int)copy->op);
    bool before = !op->to_global; /* whether the box may start before the tensor */
    if (op->four_rows) {
        copy->column = some_first_coordinate(random, map, before);
        for (int i = 0; i < 4; i++) copy->rows[i] = some_coordinate(random, map, 1, before);
        if (one_in(random, 3)) copy->rows[3] = copy->rows[1];
    } else {
        choose_place(random, map, before, copy);
    }
    if (!tmap_op_moves(op)) return;
    copy->shared = TMAP_LINE_B * tmap_random_between(random, 0, 64);
    if (one_in(random, 3)) copy->shared = copy->shared / 1024 * 1024;
}

/* ---- Copies without a tensor map ------------------------------------------------------------------------------ */

enum { BULK_UNIT_B = 16, BULK_UNITS_MAX = 1024 };

static tmap_type some_plain_type(tmap_random *random) {
    for (;;) {
        tmap_type type = some_type(random);
        const tmap_type_info *info = tmap_type_get((int)type);
        if (info->bits >= 8 && !info->tf32 && type != TMAP_TYPE_F32_FTZ) return type;
    }
}

/* Chooses a load, a store, a prefetch, or a reduction that cp.reduce.async.bulk has for the type. */
static tmap_op some_bulk_op(tmap_random *random, tmap_type type) {
    tmap_op found = one_in(random, 2) ? TMAP_OP_LOAD : one_in(random, 8) ? TMAP_OP_PREFETCH : TMAP_OP_STORE;
    uint64_t seen = 1;
    for (int op = 0; op < TMAP_OP_COUNT && found == TMAP_OP_STORE; op++)
        if (tmap_reduction_by(TMAP_REDUCES_LINEAR, (tmap_op)op, type) && one_in(random, ++seen)) return (tmap_op)op;
    return found;
}

void tmap_random_linear(tmap_random *random, tmap_map_params *map, tmap_copy_params *copy) {
    *map = (tmap_map_params){.mode = TMAP_MODE_LINEAR, .type = some_plain_type(random), .rank = 1};
    uint64_t element_B = (uint64_t)tmap_type_get((int)map->type)->bits / 8;
    uint64_t units = some_dim(random, BULK_UNITS_MAX), before = tmap_random_between(random, 0, units - 1);
    map->dims_el[0] = (units * BULK_UNIT_B + tmap_random_between(random, 0, BULK_UNIT_B - 1)) / element_B;
    map->has_address = true;
    map->address = BULK_UNIT_B * tmap_random_between(random, 1, ((uint64_t)1 << 47) / BULK_UNIT_B);
    *copy = (tmap_copy_params){.op = some_bulk_op(random, map->type), .at_n = 1};
    copy->at[0] = (int64_t)(before * BULK_UNIT_B / element_B);
    copy->size_B = BULK_UNIT_B * tmap_random_between(random, 1, units - before);
    if (!tmap_op_moves(tmap_op_get((int)copy->op))) return;
    copy->shared = BULK_UNIT_B * tmap_random_between(random, 0, 512);
    if (copy->op == TMAP_OP_STORE && one_in(random, 8)) copy->byte_mask = tmap_random_between(random, 1, UINT16_MAX);
    if (copy->op != TMAP_OP_LOAD || !one_in(random, 8)) return;
    copy->ignore_left_B = tmap_random_between(random, 0, BULK_UNIT_B - 1);
    if (copy->size_B > BULK_UNIT_B) copy->ignore_right_B = tmap_random_between(random, 0, BULK_UNIT_B - 1);
}

/* ---- Replacements --------------------------------------------------------------------------------------------- */

static uint64_t words_n(tmap_replaceable field) {
    uint64_t n = 0;
    while (tmap_replace_word(field, n)) n++;
    return n;
}

/* Chooses a multiple within the limits of the field. Fields with a small limit (ranks, boxes, steps) use equal
 * probabilities. */
static uint64_t some_number(tmap_random *random, const tmap_replaceable_info *info) {
    uint64_t limit = info->max / info->multiple;
    if (limit <= 256) return tmap_random_between(random, info->min, limit) * info->multiple;
    return info->min == 0 && one_in(random, 16) ? 0 : some_dim(random, limit) * info->multiple;
}

void tmap_random_replacement(tmap_random *random, const tmap_map_params *map, tmap_copy_params *replace) {
    tmap_replaceable field = (tmap_replaceable)tmap_random_between(random, 0, TMAP_REPLACEABLE_COUNT - 1);
    const tmap_replaceable_info *info = tmap_replaceable_get((int)field);
    *replace = (tmap_copy_params){.op = TMAP_OP_REPLACE, .field = field};
    if (info->ordinals_n > 0) {
        uint64_t last = (uint64_t)info->ordinals_n - 1, own = map->rank > 1 ? map->rank - 2 : 0;
        replace->ordinal = tmap_random_between(random, 0, one_in(random, 8) || own > last ? last : own);
    }
    replace->value = info->immediate ? tmap_random_between(random, 0, words_n(field) - 1) : some_number(random, info);
}
