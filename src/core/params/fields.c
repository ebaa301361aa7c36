/* The field table, and initial parameters. */
#include "params/fields.h"
#include "base/rows.h"
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

typedef enum number_kind { CHOICE, UNSIGNED, SIGNED } number_kind;

#define KIND_OF(number)                                                                                                \
    _Generic((number), uint64_t                                                                                        \
             : UNSIGNED, uint64_t *                                                                                    \
             : UNSIGNED, int64_t                                                                                       \
             : SIGNED, int64_t *                                                                                       \
             : SIGNED, default                                                                                         \
             : CHOICE)
#define PLACE_IN(params, member, copy)                                                                                 \
    { copy, offsetof(params, member), KIND_OF(((params *)0)->member) }
#define MAP(member)  PLACE_IN(tmap_map_params, member, false)
#define COPY(member) PLACE_IN(tmap_copy_params, member, true)
static const struct {
    bool of_copy;
    size_t offset;
    number_kind kind;
} places[] = {
#define TMAP_FIELD(id, number, place, ...) [TMAP_FIELD_##id] = place,
#include "tmap/params/fields.def"
#undef TMAP_FIELD
};

TMAP_ROW_GETTER(tmap_field_info, tmap_field_get, fields)

#undef MAP
#undef COPY

#define MAP(member)  #member
#define COPY(member) #member
const char *tmap_field_name(tmap_field field, tmap_naming names) {
    static const char *const members[] = {
#define TMAP_FIELD(id, number, place, ...) [TMAP_FIELD_##id] = place,
#include "tmap/params/fields.def"
#undef TMAP_FIELD
    };
    if (names == TMAP_NAMES_C) return members[field];
    return names == TMAP_NAMES_DRIVER && fields[field].cu_name ? fields[field].cu_name : fields[field].name;
}

bool tmap_field_is_of_copy(tmap_field field) {
    return places[field].of_copy;
}

bool tmap_field_is_signed(tmap_field field) {
    return places[field].kind != UNSIGNED;
}

static size_t offset_of(tmap_field field, int i) {
    size_t size = places[field].kind == CHOICE ? sizeof(int) : sizeof(int64_t);
    return places[field].offset + (fields[field].per == TMAP_PER_ONE ? 0 : (size_t)i * size);
}

tmap_i128 tmap_field_value(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field, int i) {
    const char *at = (places[field].of_copy ? (const char *)copy : (const char *)map) + offset_of(field, i);
    union {
        int choice;
        uint64_t of_unsigned;
        int64_t of_signed;
    } number;
    memcpy(&number, at, places[field].kind == CHOICE ? sizeof number.choice : sizeof number);
    if (places[field].kind == CHOICE) return number.choice;
    return places[field].kind == SIGNED ? (tmap_i128)number.of_signed : (tmap_i128)number.of_unsigned;
}

void tmap_field_set(tmap_map_params *map, tmap_field field, int i, uint64_t value) {
    int choice = (int)value;
    char *at = (char *)map + offset_of(field, i);
    if (places[field].kind == CHOICE)
        memcpy(at, &choice, sizeof choice);
    else
        memcpy(at, &value, sizeof value);
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
