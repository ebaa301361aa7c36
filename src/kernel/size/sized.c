/* The numbers of parameters that are expressions. */
#include "size/sized.h"

#include "params/fields.h"

/* The first slot of a field. */
static const struct field_slots {
    tmap_field field;
    int first;
} fields[] = {
    {TMAP_FIELD_DIMS, TMAP_SLOT_DIMS}, {TMAP_FIELD_STRIDES, TMAP_SLOT_STRIDES},
    {TMAP_FIELD_BOX, TMAP_SLOT_BOX},   {TMAP_FIELD_ADDRESS, TMAP_SLOT_ADDRESS},
    {TMAP_FIELD_AT, TMAP_SLOT_AT},     {TMAP_FIELD_COLUMN, TMAP_SLOT_COLUMN},
    {TMAP_FIELD_ROWS, TMAP_SLOT_ROWS},
};
#define FIELDS_N ((int)(sizeof fields / sizeof *fields))

int tmap_slot_of(int field, int entry) {
    for (int i = 0; i < FIELDS_N; i++)
        if ((int)fields[i].field == field && entry < tmap_field_room(fields[i].field))
            return fields[i].first + (entry < 0 ? 0 : entry);
    return -1;
}

void tmap_slot_field(int slot, int *field, int *entry) {
    int i = FIELDS_N - 1;
    while (slot < fields[i].first) i--;
    *field = (int)fields[i].field;
    *entry = tmap_field_room(fields[i].field) == 1 ? -1 : slot - fields[i].first;
}

const tmap_expr *tmap_slot_expr(const tmap_sized *sized, int slot) {
    const tmap_slots *slots = slot < TMAP_SLOT_AT ? sized->of_map : sized->of_copy;
    return slots ? slots->at[slot] : NULL;
}

uint32_t tmap_sized_free(const tmap_sized *sized) {
    uint32_t used = 0, free = 0;
    for (int slot = 0; slot < TMAP_SLOTS_N; slot++) {
        const tmap_expr *expr = tmap_slot_expr(sized, slot);
        if (expr) used |= expr->sizes;
    }
    for (int i = 0; i < sized->sizes_n; i++)
        if (sized->sizes[i].min < sized->sizes[i].max) free |= (uint32_t)1 << i;
    return used & free;
}

static uint64_t to_unsigned(tmap_i128 value) {
    return value < 0 ? 0 : tmap_u64_saturate((tmap_u128)value);
}

/* Clamped coordinates are still refused by the rules, and can be negated and added. */
#define COORDINATE_LIMIT ((tmap_i128)1 << 62)

static int64_t to_coordinate(tmap_i128 value) {
    if (value > COORDINATE_LIMIT) return (int64_t)COORDINATE_LIMIT;
    return (int64_t)(value < -COORDINATE_LIMIT ? -COORDINATE_LIMIT : value);
}

void tmap_sized_apply(const tmap_sized *sized, const uint64_t *values, tmap_map_params *map, tmap_copy_params *copy) {
    for (int slot = 0; slot < TMAP_SLOTS_N; slot++) {
        const tmap_expr *expr = tmap_slot_expr(sized, slot);
        if (!expr || (slot >= TMAP_SLOT_AT && !copy)) continue;
        tmap_i128 value = tmap_expr_value(expr, values);
        int field, entry;
        tmap_slot_field(slot, &field, &entry);
        tmap_field_set(map, copy, (tmap_field)field, entry < 0 ? 0 : entry,
                       slot < TMAP_SLOT_AT ? to_unsigned(value) : (uint64_t)to_coordinate(value));
    }
}

static const tmap_expr *dim_expr(tmap_arena *arena, const tmap_map_params *map, const tmap_slots *slots, int dim) {
    const tmap_expr *expr = slots->at[TMAP_SLOT_DIMS + dim];
    return expr ? expr : tmap_expr_number(arena, (int64_t)map->dims_el[dim]);
}

/* As tmap_map_params_dense: floor(dims[0] x bits / 8), times the extents of the inner dimensions. */
bool tmap_slots_dense(tmap_arena *arena, const tmap_map_params *map, tmap_slots *slots) {
    uint32_t bits = tmap_unit_of(map, false).value_bits, whole = bits % 8 == 0;
    const tmap_expr *row = tmap_expr_make(arena, TMAP_EXPR_MULTIPLY, tmap_expr_number(arena, whole ? bits / 8 : bits),
                                          dim_expr(arena, map, slots, 0));
    const tmap_expr *stride = whole ? row : tmap_expr_divide(arena, TMAP_EXPR_FLOOR, row, 8);
    for (uint64_t dim = 1; dim < map->rank; dim++) {
        if (!stride) return false;
        if (stride->sizes && !slots->at[TMAP_SLOT_STRIDES + dim - 1]) slots->at[TMAP_SLOT_STRIDES + dim - 1] = stride;
        stride = tmap_expr_make(arena, TMAP_EXPR_MULTIPLY, stride, dim_expr(arena, map, slots, (int)dim));
    }
    return true;
}
