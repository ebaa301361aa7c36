/* Converts the library's parameters to the oracle's numbers. */
#include "oracle/bridge.h"

#include "oracle/replace.h"
#include "tmap/unstable/counts.h"

typedef struct value_format {
    oracle_kind kind;
    uint32_t bits;
} value_format;

static value_format format_of(tmap_type type) {
    switch (type) {
    case TMAP_TYPE_U8: return (value_format){ORACLE_INTEGER, 8};
    case TMAP_TYPE_U16: return (value_format){ORACLE_INTEGER, 16};
    case TMAP_TYPE_U32:
    case TMAP_TYPE_S32: return (value_format){ORACLE_INTEGER, 32};
    case TMAP_TYPE_U64:
    case TMAP_TYPE_S64: return (value_format){ORACLE_INTEGER, 64};
    case TMAP_TYPE_F16:
    case TMAP_TYPE_BF16: return (value_format){ORACLE_FLOAT, 16};
    case TMAP_TYPE_F32:
    case TMAP_TYPE_F32_FTZ: return (value_format){ORACLE_FLOAT, 32};
    case TMAP_TYPE_F64: return (value_format){ORACLE_FLOAT, 64};
    case TMAP_TYPE_TF32:
    case TMAP_TYPE_TF32_FTZ: return (value_format){ORACLE_TF32, 32};
    case TMAP_TYPE_B4X16: return (value_format){ORACLE_PACKED, 4};
    case TMAP_TYPE_B4X16_P64: return (value_format){ORACLE_PADDED, 4};
    case TMAP_TYPE_B6X16_P32: return (value_format){ORACLE_PADDED, 6};
    }
    return (value_format){ORACLE_INTEGER, 0};
}

static oracle_number number_of(tmap_type type) {
    if (type == TMAP_TYPE_S32 || type == TMAP_TYPE_S64) return ORACLE_SIGNED;
    if (type == TMAP_TYPE_F16) return ORACLE_HALF;
    if (type == TMAP_TYPE_BF16) return ORACLE_BRAIN;
    if (type == TMAP_TYPE_F32 || type == TMAP_TYPE_TF32) return ORACLE_SINGLE;
    if (type == TMAP_TYPE_F32_FTZ || type == TMAP_TYPE_TF32_FTZ) return ORACLE_SINGLE_FTZ;
    return ORACLE_UNSIGNED;
}

/* Sums of f32 without a tensor map flush subnormals (PTX ISA 9.4, cp.reduce.async.bulk). */
static oracle_number linear_number_of(tmap_type type) {
    if (type == TMAP_TYPE_F64) return ORACLE_DOUBLE;
    return type == TMAP_TYPE_F32 ? ORACLE_SINGLE_FTZ : number_of(type);
}

static oracle_swizzle swizzle_of(tmap_swizzle swizzle) {
    switch (swizzle) {
    case TMAP_SWIZZLE_32B: return ORACLE_32B;
    case TMAP_SWIZZLE_64B: return ORACLE_64B;
    case TMAP_SWIZZLE_96B: return ORACLE_96B;
    case TMAP_SWIZZLE_128B: return ORACLE_128B;
    case TMAP_SWIZZLE_128B_ATOM_32B: return ORACLE_128B_ATOM_32B;
    case TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B: return ORACLE_128B_ATOM_32B_FLIP_8B;
    case TMAP_SWIZZLE_128B_ATOM_64B: return ORACLE_128B_ATOM_64B;
    case TMAP_SWIZZLE_NONE: break;
    }
    return ORACLE_NO_SWIZZLE;
}

static oracle_mode mode_of(tmap_mode mode) {
    if (mode == TMAP_MODE_IM2COL) return ORACLE_IM2COL;
    if (mode == TMAP_MODE_IM2COL_W) return ORACLE_IM2COL_W;
    return mode == TMAP_MODE_IM2COL_W128 ? ORACLE_IM2COL_W128 : ORACLE_TILED;
}

oracle_map oracle_map_of(const tmap_map_params *params) {
    value_format format = format_of(params->type);
    oracle_map map = {
        .mode = mode_of(params->mode),
        .slice_B = params->interleave == TMAP_INTERLEAVE_16B   ? 16
                   : params->interleave == TMAP_INTERLEAVE_32B ? 32
                                                               : 0,
        .channels = params->channels_per_pixel,
        .pixels = params->pixels_per_column,
        .kind = format.kind,
        .number = number_of(params->type),
        .bits = format.bits,
        .rank = (int)params->rank,
        .swizzle = swizzle_of(params->swizzle),
        .nan_fill = params->oob_fill == TMAP_OOB_FILL_NAN,
    };
    for (int i = 0; i < map.rank; i++) {
        map.size[i] = params->dims_el[i];
        map.stride[i] = i == 0 ? 0 : params->strides_B[i - 1];
        map.box[i] = params->box_el[i];
        map.step[i] = params->element_strides[i];
    }
    for (int i = 0; i < 3; i++) {
        map.lower[i] = params->lower_corner[i];
        map.upper[i] = params->upper_corner[i];
    }
    return map;
}

static oracle_op op_of(tmap_op op) {
    if (op == TMAP_OP_GATHER4) return ORACLE_GATHER4;
    if (op == TMAP_OP_SCATTER4) return ORACLE_SCATTER4;
    if (op == TMAP_OP_STORE) return ORACLE_STORE;
    if (op == TMAP_OP_PREFETCH_GATHER4) return ORACLE_PREFETCH_GATHER4;
    bool on_map =
        op == TMAP_OP_REPLACE || op == TMAP_OP_PREFETCH_MAP || op == TMAP_OP_PUBLISH_MAP || op == TMAP_OP_QUERY_MAP;
    if (op == TMAP_OP_PREFETCH || on_map) return ORACLE_PREFETCH;
    return op == TMAP_OP_LOAD ? ORACLE_LOAD : ORACLE_REDUCE;
}

static oracle_reduction reduction_of(tmap_op op) {
    if (op == TMAP_OP_REDUCE_MIN) return ORACLE_MIN;
    if (op == TMAP_OP_REDUCE_MAX) return ORACLE_MAX;
    if (op == TMAP_OP_REDUCE_INC) return ORACLE_INC;
    if (op == TMAP_OP_REDUCE_DEC) return ORACLE_DEC;
    if (op == TMAP_OP_REDUCE_AND) return ORACLE_AND;
    if (op == TMAP_OP_REDUCE_OR) return ORACLE_OR;
    return op == TMAP_OP_REDUCE_XOR ? ORACLE_XOR : ORACLE_ADD;
}

oracle_copy oracle_copy_of(const tmap_copy_params *params) {
    oracle_copy copy = {.op = op_of(params->op), .reduction = reduction_of(params->op), .shared = params->shared};
    for (int i = 0; i < params->at_n; i++) copy.start[i] = params->at[i];
    if (oracle_four_rows(&copy)) copy.start[0] = params->column;
    for (int i = 0; i < 4; i++) copy.rows[i] = params->rows[i];
    for (int i = 0; i < 3; i++) copy.offsets[i] = params->offsets[i];
    copy.w_halo = params->w_halo;
    copy.w_offset = params->w_offset;
    return copy;
}

oracle_linear oracle_linear_of(const tmap_map_params *map, const tmap_copy_params *copy) {
    oracle_op op = op_of(copy->op);
    uint32_t bits = format_of(map->type).bits;
    return (oracle_linear){
        .direction = op == ORACLE_LOAD     ? ORACLE_TO_SHARED
                     : op == ORACLE_STORE  ? ORACLE_FROM_SHARED
                     : op == ORACLE_REDUCE ? ORACLE_REDUCE_FROM_SHARED
                                           : ORACLE_NOWHERE,
        .reduction = reduction_of(copy->op),
        .number = linear_number_of(map->type),
        .bits = bits,
        .there = map->address + (uint64_t)copy->at[0] * (bits / 8),
        .shared = copy->shared,
        .size = copy->size_B,
        .ignore_left = copy->ignore_left_B,
        .ignore_right = copy->ignore_right_B,
        .byte_mask = (uint32_t)copy->byte_mask,
        .remote = copy->dst == TMAP_DST_CLUSTER && op != ORACLE_LOAD,
    };
}

/* The instruction's numbers of types, by the driver's number: f64, bf16 and f32.ftz differ. */
static const uint8_t elemtypes[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12, 13, 14, 15};
_Static_assert(sizeof elemtypes == TMAP_TYPE_COUNT, "a number for every type");

void oracle_replace_by(const tmap_copy_params *params, uint8_t descriptor[128]) {
    static const char *const fields[TMAP_REPLACEABLE_COUNT] = {
        [TMAP_REPLACEABLE_ADDRESS] = "global_address",
        [TMAP_REPLACEABLE_RANK] = "rank",
        [TMAP_REPLACEABLE_DIMS] = "global_dim",
        [TMAP_REPLACEABLE_STRIDES] = "global_stride",
        [TMAP_REPLACEABLE_BOX] = "box_dim",
        [TMAP_REPLACEABLE_ELEMENT_STRIDES] = "element_stride",
        [TMAP_REPLACEABLE_TYPE] = "elemtype",
        [TMAP_REPLACEABLE_INTERLEAVE] = "interleave_layout",
        [TMAP_REPLACEABLE_SWIZZLE] = "swizzle_mode",
        [TMAP_REPLACEABLE_ATOMICITY] = "swizzle_atomicity",
        [TMAP_REPLACEABLE_OOB_FILL] = "fill_mode",
    };
    uint64_t operand = params->value;
    if (params->field == TMAP_REPLACEABLE_RANK) operand--;
    if (params->field == TMAP_REPLACEABLE_TYPE) operand = elemtypes[operand % sizeof elemtypes];
    oracle_replace(descriptor, fields[params->field], params->ordinal, operand,
                   params->toolkit != 0 ? params->toolkit : INT32_MAX);
}
