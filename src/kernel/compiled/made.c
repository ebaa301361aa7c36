/* compiled: maps by their address, and the effect of tensormap.replace and tensormap.cp_fenceproxy. */
#include "compiled/made.h"

#include <inttypes.h>
#include <string.h>

#include "diag/refuse.h"

#include "tmap/unstable/tables.h"

#define MAPS_MAX 4096 /* of all kernels; the copies of further maps have no map */

/* ---- Maps by address ---- */

/* "params+128" of a parameter or variable, "*maps+64" of a pointer. */
static const char *name_of(tmap_compiled *compiled, const ptx_value *address, int line) {
    ptx_text text = {""};
    ptx_add_base(&text, &compiled->program, address);
    if (address->base == PTX_BASE_NONE) PTX_ADD(&text, "the map of line %d", line);
    if (address->base != PTX_BASE_NONE && !ptx_value_exact(address)) PTX_ADD(&text, "+?");
    if (address->base != PTX_BASE_NONE && address->delta != 0) PTX_ADD(&text, "+%" PRIu64, address->delta);
    return tmap_arena_text(&compiled->arena, text.text, strlen(text.text));
}

/* Shared memory has no map: the operands of the copy are exchanged. */
static tmap_compiled_place place_of(const ptx_program *program, const ptx_value *address) {
    static const tmap_compiled_place places[] = {[PTX_BASE_NONE] = TMAP_MAP_UNKNOWN,
                                                 [PTX_BASE_VARIABLE] = TMAP_MAP_IN_VARIABLE,
                                                 [PTX_BASE_PARAMETER] = TMAP_MAP_IN_PARAMETER,
                                                 [PTX_BASE_CONTENT] = TMAP_MAP_AT_POINTER};
    bool shared = address->base == PTX_BASE_VARIABLE && ptx_is_shared(program->variables[address->index].space);
    return shared ? TMAP_MAP_UNKNOWN : places[address->base];
}

int32_t ptx_map_find(const tmap_compiled *compiled, int32_t kernel, const ptx_value *address) {
    for (size_t i = 0; i < compiled->maps_n; i++)
        if (compiled->maps[i].shown.kernel == (size_t)kernel && ptx_value_equal(&compiled->maps[i].address, address))
            return (int32_t)i;
    return -1;
}

int32_t ptx_map_at(tmap_compiled *compiled, int32_t kernel, const ptx_value *address, uint32_t instruction) {
    if (!address->defined) return -1;
    int line = instruction == UINT32_MAX ? 0 : compiled->program.instructions[instruction].line;
    int32_t found = ptx_map_find(compiled, kernel, address);
    if (found >= 0 && compiled->maps[found].shown.line == 0) compiled->maps[found].shown.line = line;
    if (found >= 0 || compiled->maps_n == MAPS_MAX) return found;
    const char *name = name_of(compiled, address, line);
    ptx_map *map = !name ? NULL : ptx_add(compiled->arena.allocator, &compiled->maps, &compiled->maps_n, sizeof *map);
    compiled->no_memory |= !map;
    if (!map) return -1;
    map->address = *address;
    map->first_copy = UINT32_MAX;
    map->shown = (tmap_compiled_map){.kernel = (size_t)kernel,
                                     .name = name,
                                     .place = place_of(&compiled->program, address),
                                     .offset_B = address->delta,
                                     .line = line};
    return (int32_t)compiled->maps_n - 1;
}

/* ---- Parameters ---- */

void ptx_fill_map(tmap_map_params *params, uint64_t known) {
    uint64_t stride_B = 16;
    if (!(known & TMAP_COMPILED_FIELD(RANK)) || params->rank == 0 || params->rank > TMAP_RANK_MAX)
        params->rank = params->mode == TMAP_MODE_TILED ? 2 : 4;
    if (!(known & TMAP_COMPILED_FIELD(TYPE))) params->type = TMAP_TYPE_U32;
    for (uint64_t d = 0; d < params->rank; d++) {
        if (!(known & TMAP_COMPILED_FIELD(BOX))) params->box_el[d] = d == 0 ? 4 : 1;
        if (!(known & TMAP_COMPILED_FIELD(DIMS))) params->dims_el[d] = 256;
        if (!(known & TMAP_COMPILED_FIELD(ELEMENT_STRIDES))) params->element_strides[d] = 1;
        stride_B *= 256;
        if (!(known & TMAP_COMPILED_FIELD(STRIDES)) && d + 1 < params->rank) params->strides_B[d] = stride_B;
    }
    if (params->mode == TMAP_MODE_TILED) return;
    if (!(known & TMAP_COMPILED_FIELD(CHANNELS_PER_PIXEL))) params->channels_per_pixel = 4;
    if (!(known & TMAP_COMPILED_FIELD(PIXELS_PER_COLUMN))) params->pixels_per_column = 1;
}

int ptx_type_of_code(uint64_t code, bool of_driver) {
    const tmap_type_info *type;
    for (int i = 0; (type = tmap_type_get(i)) != NULL; i++)
        if ((uint64_t)(of_driver ? type->cu : type->ptx_code) == code) return i;
    return -1;
}

/* Sets one field of the parameters. Returns the field, *has: whether tmap has the value; -1: tmap does not have the
 * field. */
static int set_field(tmap_map_params *params, int field, uint64_t ordinal, uint64_t value, bool *has) {
    int type = ptx_type_of_code(value, false), swizzle;
    const char *word;
    switch (field) {
    case TMAP_REPLACEABLE_RANK: params->rank = value + 1; return TMAP_FIELD_RANK;
    case TMAP_REPLACEABLE_DIMS: params->dims_el[ordinal] = value; return TMAP_FIELD_DIMS;
    case TMAP_REPLACEABLE_BOX: params->box_el[ordinal] = value; return TMAP_FIELD_BOX;
    case TMAP_REPLACEABLE_ELEMENT_STRIDES: params->element_strides[ordinal] = value; return TMAP_FIELD_ELEMENT_STRIDES;
    case TMAP_REPLACEABLE_STRIDES:
        if (ordinal < TMAP_RANK_MAX - 1) params->strides_B[ordinal] = value;
        return TMAP_FIELD_STRIDES;
    case TMAP_REPLACEABLE_TYPE:
        *has = type >= 0;
        if (*has) params->type = (tmap_type)type;
        return TMAP_FIELD_TYPE;
    case TMAP_REPLACEABLE_SWIZZLE:
        word = tmap_replace_word(TMAP_REPLACEABLE_SWIZZLE, value);
        swizzle = word ? tmap_swizzle_find(word) : -1;
        *has = swizzle >= 0;
        if (*has) params->swizzle = (tmap_swizzle)swizzle;
        return TMAP_FIELD_SWIZZLE;
    case TMAP_REPLACEABLE_INTERLEAVE: params->interleave = (tmap_interleave)(value & 3); return TMAP_FIELD_INTERLEAVE;
    case TMAP_REPLACEABLE_OOB_FILL: params->oob_fill = (tmap_oob_fill)(value & 1); return TMAP_FIELD_OOB_FILL;
    default: return -1;
    }
}

/* The field of tensormap.replace.tile.box_dim… */
static int field_of(const ptx_instruction *in) {
    static const char before[] = "tensormap.replace.tile.";
    char name[32];
    size_t skip = sizeof before - 1;
    if (in->mnemonic_size <= skip || memcmp(in->mnemonic, before, skip) != 0) return -1;
    const char *at = in->mnemonic + skip, *end = memchr(at, '.', in->mnemonic_size - skip);
    if (!end) return -1;
    TMAP_SAY(name, "%.*s", (int)(end - at), at);
    return tmap_replaceable_find(name);
}

/* tensormap.replace [map], ord, value */
static void replace(tmap_compiled *compiled, ptx_map *map, const ptx_instruction *in) {
    int field = field_of(in);
    const tmap_replaceable_info *info = tmap_replaceable_get(field);
    ptx_value ordinal = {0}, value;
    map->shown.replaced = true;
    if (!info) return;
    /* another map in the same place of shared memory */
    if (field == TMAP_REPLACEABLE_ADDRESS && map->shown.published) {
        map->shown.params = (tmap_map_params){0};
        map->shown.known = map->unknown = 0;
    }
    if (info->ordinals_n > 0) ordinal = ptx_value_of(&compiled->values, ptx_operand_at(&compiled->program, in, 1));
    value = ptx_value_of(&compiled->values, ptx_operand_at(&compiled->program, in, info->ordinals_n > 0 ? 2 : 1));
    bool placed = info->ordinals_n == 0 || (ptx_value_is_number(&ordinal) && ordinal.offset < TMAP_RANK_MAX);
    bool has = true;
    int found = set_field(&map->shown.params, field, placed ? ordinal.offset : 0, value.offset, &has);
    if (found < 0) return;
    if (info->ordinals_n > 0 && placed) map->set[found] |= (uint8_t)(1u << ordinal.offset);
    /* not known in one dimension, or after a copy that uses another value: the field is unknown */
    has &= placed && ptx_value_is_number(&value) && map->first_copy == UINT32_MAX;
    if (!has) map->unknown |= (uint64_t)1 << found;
    map->shown.known = (map->shown.known | (uint64_t)1 << found) & ~map->unknown;
}

/* Triton clears the place of a map, and omits replacements by 0. Who changes a copy of another map keeps its box. */
static void clear_rest(ptx_map *map) {
    uint64_t changed = map->shown.known | map->unknown;
    bool of_rank_1 = !(changed & TMAP_COMPILED_FIELD(RANK));
    if (!(changed & TMAP_COMPILED_FIELD(BOX)) || (of_rank_1 && map->shown.params.box_el[1] > 0)) return;
    for (int i = 0; tmap_replaceable_get(i) != NULL; i++) {
        tmap_map_params params = map->shown.params;
        bool has = tmap_replaceable_get(i)->ordinals_n == 0;
        int found = set_field(&params, i, 0, 0, &has);
        if (!has || found < 0 || changed >> found & 1) continue;
        map->shown.params = params;
        map->shown.known |= (uint64_t)1 << found;
    }
}

bool ptx_make_map(tmap_compiled *compiled, int32_t kernel, uint32_t instruction, const tmap_instruction *form) {
    const ptx_instruction *in = &compiled->program.instructions[instruction];
    ptx_value address = ptx_value_of(&compiled->values, ptx_operand_at(&compiled->program, in, 0));
    if (form->op != TMAP_OP_REPLACE && form->op != TMAP_OP_PUBLISH_MAP) return true;
    int32_t map = ptx_map_at(compiled, kernel, &address, instruction);
    if (map < 0) return !compiled->no_memory;
    if (form->op == TMAP_OP_REPLACE) {
        replace(compiled, &compiled->maps[map], in);
        return true;
    }
    address = ptx_value_of(&compiled->values, ptx_operand_at(&compiled->program, in, 1));
    int32_t from = ptx_map_at(compiled, kernel, &address, instruction);
    if (from < 0 || from == map) return !compiled->no_memory;
    clear_rest(&compiled->maps[from]);
    tmap_compiled_map *to = &compiled->maps[map].shown;
    to->params = compiled->maps[from].shown.params;
    uint64_t kept = compiled->maps[map].first_copy == UINT32_MAX ? UINT64_MAX : to->known;
    to->known = compiled->maps[from].shown.known & kept;
    memcpy(compiled->maps[map].set, compiled->maps[from].set, sizeof compiled->maps[map].set);
    to->replaced = true;
    compiled->maps[from].shown.published = true;
    return true;
}
