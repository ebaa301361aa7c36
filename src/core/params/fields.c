/* The field table, and initial parameters. */
#include "params/fields.h"
#include "text/print.h"

#include <inttypes.h>
#include <string.h>

#include "base/rows.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

static const tmap_field_info fields[] = {
#define TMAP_FIELD(id, number, place, ...) [TMAP_FIELD_##id] = {__VA_ARGS__},
#include "tmap/params/fields.def"
#undef TMAP_FIELD
};

TMAP_ROWS(fields, TMAP_FIELD_COUNT);

/* The width of a number, or of a number in an array. */
#define WIDTH_OF(number)                                                                                               \
    _Generic((number), uint64_t : 8, uint64_t * : 8, int64_t : 8, int64_t * : 8, default : sizeof(int))
#define PLACE_IN(params, member, copy, kind)                                                                           \
    { copy, kind, offsetof(params, member), WIDTH_OF(((params *)0)->member) }
#define MAP(member, kind)  PLACE_IN(tmap_map_params, member, false, kind)
#define COPY(member, kind) PLACE_IN(tmap_copy_params, member, true, kind)
#define WORD(table)        TMAP_KIND_WORD
#define SET(table)         TMAP_KIND_SET
#define NUMBER             TMAP_KIND_NUMBER
#define BITS               TMAP_KIND_BITS
#define SIGNED             TMAP_KIND_SIGNED
static const struct {
    bool of_copy;
    tmap_number_kind kind;
    size_t offset, width;
} places[] = {
#define TMAP_FIELD(id, number, place, ...) [TMAP_FIELD_##id] = place,
#include "tmap/params/fields.def"
#undef TMAP_FIELD
};

TMAP_ROW_GETTER(tmap_field_info, tmap_field_get, fields)

#undef MAP
#undef COPY

#define MAP(member, kind)  #member
#define COPY(member, kind) #member
const char *tmap_field_name(tmap_field field, tmap_naming names) {
    static const char *const members[] = {
#define TMAP_FIELD(id, number, place, ...) [TMAP_FIELD_##id] = place,
#include "tmap/params/fields.def"
#undef TMAP_FIELD
    };
    /* PTX ISA 9.1, cp.async.bulk.tensor; in section 5.5 wHalo and wOffset */
    static const char *const operands[TMAP_FIELD_COUNT] = {
        [TMAP_FIELD_LOAD_MODE] = ".load_mode", [TMAP_FIELD_DIM] = ".dim",
        [TMAP_FIELD_AT] = "tensorCoords",      [TMAP_FIELD_COLUMN] = "tensorCoords[0]",
        [TMAP_FIELD_ROWS] = "tensorCoords",    [TMAP_FIELD_OFFSETS] = "im2colInfo",
        [TMAP_FIELD_W_HALO] = "wHalo",         [TMAP_FIELD_W_OFFSET] = "wOffset",
        [TMAP_FIELD_SHARED] = "dstMem",        [TMAP_FIELD_DST] = ".dst",
        [TMAP_FIELD_CTA_GROUP] = ".cta_group", [TMAP_FIELD_CTA_MASK] = "ctaMask"};
    if (names == TMAP_NAMES_PTX && operands[field]) return operands[field];
    if (names == TMAP_NAMES_C) return members[field];
    return names == TMAP_NAMES_DRIVER && fields[field].cu_name ? fields[field].cu_name : fields[field].name;
}

bool tmap_field_is_of_copy(tmap_field field) {
    return places[field].of_copy;
}

tmap_number_kind tmap_field_kind(tmap_field field) {
    return places[field].kind;
}

int tmap_field_room(tmap_field field) {
    static const int rooms[] = {[TMAP_PER_ONE] = 1,
                                [TMAP_PER_DIM] = TMAP_RANK_MAX,
                                [TMAP_PER_OUTER_DIM] = TMAP_RANK_MAX - 1,
                                [TMAP_PER_SPATIAL] = TMAP_RANK_MAX - 2,
                                [TMAP_PER_ROWS] = 4};
    return rooms[fields[field].per];
}

static bool is_array(tmap_replaceable field) {
    return tmap_replaceable_get((int)field) && tmap_replaceable_get((int)field)->ordinals_n > 0;
}

bool tmap_field_applies(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field) {
    const tmap_mode_info *mode = map ? tmap_mode_get((int)map->mode) : NULL;
    const tmap_op_info *op = copy ? tmap_op_get((int)copy->op) : NULL;
    switch ((int)field) {
    case TMAP_FIELD_BOX: return !mode || (!mode->im2col && map->mode != TMAP_MODE_LINEAR);
    case TMAP_FIELD_LOWER_CORNER:
    case TMAP_FIELD_UPPER_CORNER:
    case TMAP_FIELD_CHANNELS_PER_PIXEL:
    case TMAP_FIELD_PIXELS_PER_COLUMN: return !mode || mode->im2col;
    case TMAP_FIELD_OFFSETS:
        return (!mode || (mode->im2col && !mode->wide)) && (!op || (!op->on_map && !op->four_rows));
    case TMAP_FIELD_W_HALO:
    case TMAP_FIELD_W_OFFSET: return (!mode || mode->wide) && (!op || (!op->on_map && !op->four_rows));
    case TMAP_FIELD_AT: return !op || (!op->on_map && !op->four_rows);
    case TMAP_FIELD_COLUMN:
    case TMAP_FIELD_ROWS: return !op || op->four_rows;
    case TMAP_FIELD_SHARED: return !op || tmap_op_moves(op);
    case TMAP_FIELD_FIELD:
    case TMAP_FIELD_VALUE: return !op || copy->op == TMAP_OP_REPLACE;
    case TMAP_FIELD_ORDINAL: return !op || (copy->op == TMAP_OP_REPLACE && is_array(copy->field));
    default: return true;
    }
}

int tmap_field_count(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field) {
    const tmap_mode_info *mode = map ? tmap_mode_get((int)map->mode) : NULL;
    uint64_t given = map ? map->rank : (uint64_t)copy->at_n;
    int rank = given > TMAP_RANK_MAX ? TMAP_RANK_MAX : (int)given;
    switch (fields[field].per) {
    case TMAP_PER_DIM: return rank;
    case TMAP_PER_OUTER_DIM: return rank - 1;
    case TMAP_PER_SPATIAL: return mode && mode->wide && rank > 2 ? 1 : rank - 2;
    case TMAP_PER_ONE:
    case TMAP_PER_ROWS: break;
    }
    return tmap_field_room(field);
}

static size_t offset_of(tmap_field field, int i) {
    return places[field].offset + (fields[field].per == TMAP_PER_ONE ? 0 : (size_t)i * places[field].width);
}

tmap_i128 tmap_field_value(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field, int i) {
    const char *at = (places[field].of_copy ? (const char *)copy : (const char *)map) + offset_of(field, i);
    int choice;
    uint64_t number;
    memcpy(&choice, at, sizeof choice);
    if (places[field].width == sizeof choice) return choice;
    memcpy(&number, at, sizeof number);
    return places[field].kind == TMAP_KIND_SIGNED ? (tmap_i128)(int64_t)number : (tmap_i128)number;
}

bool tmap_field_is_zero(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field) {
    int i = 0;
    while (i < tmap_field_room(field) && tmap_field_value(map, copy, field, i) == 0) i++;
    return i == tmap_field_room(field);
}

void tmap_field_set(tmap_map_params *map, tmap_copy_params *copy, tmap_field field, int i, uint64_t value) {
    char *at = (places[field].of_copy ? (char *)copy : (char *)map) + offset_of(field, i);
    memcpy(at, &value, places[field].width); /* little-endian (base/rows.h) */
}

tmap_map_params tmap_map_params_tiled(tmap_type type, uint64_t rank) {
    tmap_map_params params = {.type = type, .rank = rank};
    for (int i = 0; i < TMAP_RANK_MAX; i++) params.element_strides[i] = 1;
    return params;
}

bool tmap_map_params_dense(tmap_map_params *params) {
    const tmap_type_info *type = tmap_type_get((int)params->type);
    uint64_t strides[TMAP_RANK_MAX - 1];
    if (!type || !tmap_interleave_get((int)params->interleave) || params->rank == 0 || params->rank > TMAP_RANK_MAX)
        return false;
    tmap_u128 stride = (tmap_u128)params->dims_el[0] * tmap_unit_of(params, false).value_bits / 8;
    for (uint64_t i = 1; i < params->rank; i++) {
        if (stride > UINT64_MAX) return false;
        strides[i - 1] = (uint64_t)stride;
        stride *= params->dims_el[i];
    }
    for (uint64_t i = 1; i < params->rank; i++) params->strides_B[i - 1] = strides[i - 1];
    return true;
}

bool tmap_map_params_are_dense(const tmap_map_params *params) {
    tmap_map_params dense = *params;
    return tmap_map_params_dense(&dense) &&
           memcmp(dense.strides_B, params->strides_B, (params->rank - 1) * sizeof *params->strides_B) == 0;
}

tmap_mode tmap_load_mode_of(const tmap_map_params *map, const tmap_copy_params *copy) {
    return copy->has_load_mode ? copy->load_mode : map->mode;
}

uint64_t tmap_dim_of(const tmap_map_params *map, const tmap_copy_params *copy) {
    return copy->dim ? copy->dim : map->rank;
}

static const char *ptx_space(tmap_space space) {
    static const char *const names[] = {
        [TMAP_SPACE_DEFAULT] = NULL,     [TMAP_SPACE_PARAM] = ".param",        [TMAP_SPACE_CONST] = ".const",
        [TMAP_SPACE_GLOBAL] = ".global", [TMAP_SPACE_SHARED] = ".shared::cta", [TMAP_SPACE_GENERIC] = "",
    };
    TMAP_ROWS(names, TMAP_SPACE_COUNT);
    return (unsigned)space < TMAP_SPACE_COUNT ? names[space] : NULL;
}

/* prefetch reads a map in global memory through a generic address */
static const char *prefetch_space(tmap_space space) {
    return space == TMAP_SPACE_PARAM || space == TMAP_SPACE_CONST ? ptx_space(space) : "";
}

void tmap_replace_print(tmap_sink *sink, const tmap_copy_params *replace, const char *map, const char *value) {
    const tmap_replaceable_info *info = tmap_replaceable_get((int)replace->field);
    const char *space = ptx_space(replace->map_space);
    if (replace->op == TMAP_OP_PREFETCH_MAP) {
        tmap_printf(sink, "prefetch%s.tensormap [%s];", prefetch_space(replace->map_space), map);
        return;
    }
    if (replace->op == TMAP_OP_QUERY_MAP) {
        tmap_printf(sink, "tensormap.query.alloc_class_large%s.b1024 %s, [%s];", space ? space : ".global",
                    value ? value : "p", map);
        return;
    }
    if (replace->op == TMAP_OP_PUBLISH_MAP) {
        tmap_printf(
            sink,
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%s], [s], 128;",
            map);
        return;
    }
    if (!info) return;
    tmap_printf(sink, "tensormap.replace.tile.%s%s.b1024.%s [%s], ", info->ptx, space ? space : ".global",
                info->wide ? "b64" : "b32", map);
    if (info->ordinals_n > 0) tmap_printf(sink, "%" PRIu64 ", ", replace->ordinal);
    if (value && !info->immediate)
        tmap_printf(sink, "%s;", value);
    else
        tmap_printf(sink, "%" PRIu64 ";", tmap_replace_operand(replace->field, replace->value));
}
