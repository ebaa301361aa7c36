/* absent: in place of the other rooms if TMAP_WITH_KERNEL is off: the functions of `size` that `spec` calls, for files
 * without sizes. The reader refuses the section `sizes`, so no number is an expression, and no rule has conditions. */
#include "size/cells.h"

int tmap_slot_of(int field, int entry) {
    return -1;
}

const tmap_expr *tmap_slot_expr(const tmap_sized *sized, int slot) {
    return NULL;
}

bool tmap_slots_dense(tmap_arena *arena, const tmap_map_params *map, tmap_slots *slots) {
    return true;
}

uint32_t tmap_sized_free(const tmap_sized *sized) {
    return 0;
}

tmap_conditions tmap_conditions_begin(tmap_arena *arena) {
    return (tmap_conditions){.arena = arena};
}

bool tmap_conditions_say(tmap_conditions *conditions, const tmap_size *sizes, int sizes_n, tmap_diags *diags) {
    return true;
}

bool tmap_conditions_legal(const tmap_conditions *conditions, const tmap_size *sizes, int sizes_n, uint64_t *values) {
    return true;
}

bool tmap_condition_keeps(const tmap_condition *condition, const uint64_t *values) {
    return true;
}

const char *tmap_nearest_size(const tmap_size *sizes, int sizes_n, const char *name) {
    return NULL;
}

/* ---- Never called --------------------------------------------------------------------------------------------- */

tmap_status tmap_sized_judge(const tmap_sized *sized, const tmap_judge *judge, tmap_conditions *conditions,
                             tmap_diags *diags, bool *some) {
    return TMAP_INTERNAL;
}

const tmap_expr *tmap_expr_parse(tmap_arena *arena, const char *text, size_t length, const tmap_size *sizes,
                                 int sizes_n, tmap_diag *refusal) {
    return NULL;
}

tmap_i128 tmap_expr_value(const tmap_expr *expr, const uint64_t *values) {
    return 0;
}

void tmap_expr_print(tmap_sink *sink, const tmap_expr *expr, const tmap_size *sizes, bool c) {
}

bool tmap_expr_is_small(const tmap_expr *expr, const tmap_size_cell *cell) {
    return false;
}

tmap_size_cell tmap_whole_cell(const tmap_size *sizes, int sizes_n, uint32_t of) {
    return (tmap_size_cell){.constant = 0};
}

void tmap_say_names(char *text, size_t size, const tmap_size *sizes, int sizes_n, uint32_t of, const uint64_t *values) {
    *text = '\0';
}
