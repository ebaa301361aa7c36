/* without_kernel: in place of the other rooms if TMAP_WITH_KERNEL is off: the functions of `size` that `spec` calls,
 * for files without sizes. The reader refuses the section `sizes`, so no number is an expression, and no rule has
 * conditions. */
#include "size/cells.h"

#define ABSENT(function, result)                                                                                       \
    function {                                                                                                         \
        return result;                                                                                                 \
    }

ABSENT(int tmap_slot_of(int field, int entry), -1)
ABSENT(const tmap_expr *tmap_slot_expr(const tmap_sized *sized, int slot), NULL)
ABSENT(bool tmap_slots_dense(tmap_arena *arena, const tmap_map_params *map, tmap_slots *slots), true)
ABSENT(uint32_t tmap_sized_free(const tmap_sized *sized), 0)
ABSENT(tmap_conditions tmap_conditions_begin(tmap_arena *arena), (tmap_conditions){.arena = arena})
ABSENT(bool tmap_conditions_say(tmap_conditions *list, const tmap_size *sizes, int sizes_n, tmap_diags *diags), true)
ABSENT(bool tmap_conditions_legal(const tmap_conditions *list, tmap_severity severity, const tmap_size *sizes,
                                  int sizes_n, uint64_t *values),
       true)
ABSENT(bool tmap_condition_keeps(const tmap_condition *condition, const uint64_t *values), true)
ABSENT(const char *tmap_nearest_size(const tmap_size *sizes, int sizes_n, const char *name), NULL)

/* ---- Never called --------------------------------------------------------------------------------------------- */

ABSENT(tmap_status tmap_sized_judge(const tmap_sized *sized, const tmap_judge *judge, tmap_conditions *conditions,
                                    tmap_diags *diags, bool *some),
       TMAP_INTERNAL)
ABSENT(const tmap_expr *tmap_expr_parse(tmap_arena *arena, const char *text, size_t length, const tmap_size *sizes,
                                        int sizes_n, tmap_diag *refusal),
       NULL)
ABSENT(tmap_i128 tmap_expr_value(const tmap_expr *expr, const uint64_t *values), 0)
ABSENT(bool tmap_expr_is_small(const tmap_expr *expr, const tmap_size_cell *cell), false)
ABSENT(tmap_size_cell tmap_whole_cell(const tmap_size *sizes, int sizes_n, uint32_t of), (tmap_size_cell){.assumed = 0})

void tmap_expr_print(tmap_sink *sink, const tmap_expr *expr, const tmap_size *sizes, bool c) {
}

void tmap_say_names(char *text, size_t size, const tmap_size *sizes, int sizes_n, uint32_t of, const uint64_t *values) {
    *text = '\0';
}
