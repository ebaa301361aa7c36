/* generate: refuses parameters that source code cannot express: no call or instruction exists for them, or a number
 * does not fit its type. */
#include <inttypes.h>

#include "base/wide.h"
#include "generate/instruction.h"
#include "params/derive.h"
#include "rule/field_words.h"
#include "rule/finding.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

/* A number with its name, and the limits of its type. */
static tmap_status bounded(tmap_diag *to, const char *name, tmap_i128 value, int64_t least, int64_t most) {
    if (value >= least && value <= most) return TMAP_OK;
    return tmap_refuse(to, NULL, "%s is %s; the code can hold %" PRId64 " to %" PRId64, name, tmap_number(value).text,
                       least, most);
}

#define KEEP_BOUND(...)                                                                                                \
    do {                                                                                                               \
        tmap_status status_of_bound = bounded(__VA_ARGS__);                                                            \
        if (status_of_bound != TMAP_OK) return status_of_bound;                                                        \
    } while (0)

/* ---- Maps ------------------------------------------------------------------------------------------------------- */

static tmap_status allow_choices(const tmap_map_params *map, tmap_diag *to) {
    if (!tmap_map_has_words(map)) return tmap_refuse(to, NULL, "the driver does not have one of its enumerators");
    return bounded(to, "rank", map->rank, tmap_mode_get((int)map->mode)->im2col ? 3 : 1, TMAP_RANK_MAX);
}

static tmap_status allow_box(const tmap_map_params *map, tmap_diag *to) {
    for (uint64_t i = 0; i < map->rank; i++) KEEP_BOUND(to, "an entry of box", map->box_el[i], 0, UINT32_MAX);
    return TMAP_OK;
}

static tmap_status allow_pixels(const tmap_map_params *map, tmap_diag *to) {
    for (uint64_t i = 0; i < map->rank - 2; i++) {
        KEEP_BOUND(to, "an entry of lower_corner", map->lower_corner[i], INT32_MIN, INT32_MAX);
        KEEP_BOUND(to, "an entry of upper_corner", map->upper_corner[i], INT32_MIN, INT32_MAX);
    }
    KEEP_BOUND(to, "channels_per_pixel", map->channels_per_pixel, 0, UINT32_MAX);
    return bounded(to, "pixels_per_column", map->pixels_per_column, 0, UINT32_MAX);
}

tmap_status tmap_generate_allows_map(const tmap_map_params *map, tmap_diag *to) {
    tmap_status status = allow_choices(map, to);
    if (status != TMAP_OK) return status;
    if (map->mode == TMAP_MODE_LINEAR) return tmap_refuse(to, NULL, "memory of mode linear has no tensor map");
    if (!tmap_swizzle_get((int)map->swizzle)->cu_name)
        return tmap_refuse(to, NULL, "the driver has no enumerator for swizzle %s: only tensormap.replace sets it",
                           tmap_swizzle_get((int)map->swizzle)->name);
    for (uint64_t i = 0; i < map->rank; i++)
        KEEP_BOUND(to, "an entry of element_strides", map->element_strides[i], 0, UINT32_MAX);
    return map->mode == TMAP_MODE_TILED ? allow_box(map, to) : allow_pixels(map, to);
}

/* ---- Copies ----------------------------------------------------------------------------------------------------- */

/* Refuses a map space from which a kernel cannot use the map. */
static tmap_status allow_space(const tmap_copy_params *copy, tmap_diag *to) {
    const tmap_op_info *op = tmap_op_get((int)copy->op);
    bool shared = copy->map_space == TMAP_SPACE_SHARED, generic = copy->map_space == TMAP_SPACE_GENERIC;
    bool constant = copy->map_space == TMAP_SPACE_PARAM || copy->map_space == TMAP_SPACE_CONST;
    bool replaces = copy->op == TMAP_OP_REPLACE, publishes = copy->op == TMAP_OP_PUBLISH_MAP;
    bool reached = replaces ? !constant : publishes ? !constant && !generic : !shared && !generic;
    if (copy->op == TMAP_OP_QUERY_MAP) reached = !shared && !generic;
    if ((unsigned)copy->map_space < TMAP_SPACE_COUNT && reached) return TMAP_OK;
    return tmap_refuse(to, NULL, "op %s has no map in this map_space", op->name);
}

static tmap_status allow_qualifiers(const tmap_copy_params *copy, tmap_diag *to) {
    const tmap_qualifier_info *q;
    for (int i = 0; (q = tmap_qualifier_get(i)) != NULL; i++)
        if ((copy->qualifiers >> i & 1) && !q->predicted)
            return tmap_refuse(to, NULL, "this version does not write kernels with qualifier %s", q->name);
    return allow_space(copy, to);
}

static tmap_status allow_instruction(const tmap_map_params *map, const tmap_copy_params *copy, tmap_diag *to) {
    const tmap_op_info *op = tmap_op_get((int)copy->op);
    if (!op) return tmap_refuse(to, NULL, "its op does not exist");
    if (tmap_load_mode_of(map, copy) != map->mode || tmap_dim_of(map, copy) != map->rank)
        return tmap_refuse(to, NULL, "load_mode or dim differ from those of the map");
    tmap_instruction instruction = tmap_instruction_of(map, copy, 0);
    if (!instruction.form)
        return tmap_refuse(to, NULL, "no instruction executes op %s in mode %s with these operands", op->name,
                           tmap_mode_get((int)map->mode)->name);
    if (copy->op == TMAP_OP_REPLACE && !tmap_replaceable_get((int)copy->field))
        return tmap_refuse(to, NULL, "its field does not exist");
    if (op->on_map) return allow_space(copy, to);
    tmap_status status = allow_qualifiers(copy, to);
    if (status != TMAP_OK) return status;
    tmap_operand_list operands;
    bool wide_store = op->to_global && tmap_mode_get((int)map->mode)->wide;
    if (!op->emulated || wide_store || !tmap_instruction_operands(&instruction, &operands))
        return tmap_refuse(to, NULL, "this version does not write kernels for op %s%s", op->name,
                           wide_store ? " in a wide mode" : "");
    int misfit = tmap_qualifier_misfit(&instruction);
    if (misfit >= 0)
        return tmap_refuse(to, NULL, "%s has no qualifier %s", instruction.form->name,
                           tmap_qualifier_get(misfit)->name);
    if (!op->four_rows && (uint64_t)copy->at_n != map->rank)
        return tmap_refuse(to, NULL, "at has %d coordinates; the map has rank %" PRIu64, copy->at_n, map->rank);
    return TMAP_OK;
}

static tmap_status allow_coordinates(const tmap_copy_params *copy, tmap_diag *to) {
    KEEP_BOUND(to, "column", copy->column, INT32_MIN, INT32_MAX);
    for (int i = 0; i < 4; i++) KEEP_BOUND(to, "an entry of rows", copy->rows[i], INT32_MIN, INT32_MAX);
    for (int i = 0; i < TMAP_RANK_MAX && !copy->size_B; i++)
        KEEP_BOUND(to, "an entry of at", copy->at[i], INT32_MIN, INT32_MAX);
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++) KEEP_BOUND(to, "an entry of offsets", copy->offsets[i], 0, UINT16_MAX);
    KEEP_BOUND(to, "w_halo", copy->w_halo, 0, UINT16_MAX);
    KEEP_BOUND(to, "w_offset", copy->w_offset, 0, UINT16_MAX);
    KEEP_BOUND(to, "size", copy->size_B, 0, UINT32_MAX);
    KEEP_BOUND(to, "byte_mask", copy->byte_mask, 0, UINT16_MAX);
    KEEP_BOUND(to, "ignore_left", copy->ignore_left_B, 0, UINT32_MAX);
    KEEP_BOUND(to, "ignore_right", copy->ignore_right_B, 0, UINT32_MAX);
    KEEP_BOUND(to, "cta_mask", copy->cta_mask, 0, UINT16_MAX);
    return bounded(to, "cta_group", copy->cta_group, 0, 2);
}

/* The box starts at a multiple of the swizzle's period, so the barrier before the box needs at most one period. */
#define BARRIER_ROOM_B 1024u

/* The shared memory for a box; UINT64_MAX if no architecture of the set has a known limit. */
static uint64_t box_room_B(tmap_archs archs) {
    uint64_t room = 0;
    for (int i = 0; i < TMAP_ARCH_COUNT; i++) {
        if (tmap_arch_get(i)->shared_window_B == 0) continue;
        uint64_t window = tmap_arch_get(i)->shared_window_B - TMAP_SHARED_RESERVED_B - BARRIER_ROOM_B;
        if (archs ? (archs >> i & 1) && (room == 0 || window < room) : window > room) room = window;
    }
    return room != 0 ? room : UINT64_MAX;
}

static tmap_status allow_shared(const tmap_map_params *map, const tmap_copy_params *copy, tmap_archs archs,
                                tmap_diag *to) {
    const tmap_op_info *op = tmap_op_get((int)copy->op);
    if (!tmap_op_moves(op)) return TMAP_OK;
    tmap_derived box = tmap_derive_copy(map, copy);
    uint64_t end = tmap_add_saturate(copy->shared, box.footprint_B), room = box_room_B(archs);
    uint64_t align = map->mode == TMAP_MODE_LINEAR ? TMAP_LINEAR_ALIGN_B : TMAP_LINE_B;
    if (copy->shared % align)
        return tmap_refuse(to, NULL, "shared is 0x%" PRIx64 ", not a multiple of %" PRIu64 " B", copy->shared, align);
    if (end <= room) return TMAP_OK;
    return tmap_refuse(to, NULL,
                       "the box ends %" PRIu64 " B into shared memory; with its barrier a kernel has %" PRIu64
                       " B: use a lower shared",
                       end, room);
}

tmap_status tmap_generate_allows_copy(const tmap_map_params *map, const tmap_copy_params *copy, tmap_archs archs,
                                      tmap_diag *to) {
    tmap_status status = allow_choices(map, to);
    if (status == TMAP_OK) status = allow_instruction(map, copy, to);
    if (status == TMAP_OK) status = allow_coordinates(copy, to);
    if (status == TMAP_OK) status = allow_shared(map, copy, archs, to);
    return status;
}
