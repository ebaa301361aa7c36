/* sized: a map, or a copy through a map, of which some numbers are expressions over sizes. */
#pragma once

#include "size/cell.h"
#include "tmap/params.h"

/* The numbers that may be expressions; each has as many slots as its field has entries. */
typedef enum tmap_slot {
    TMAP_SLOT_DIMS = 0,
    TMAP_SLOT_STRIDES = TMAP_SLOT_DIMS + TMAP_RANK_MAX,
    TMAP_SLOT_BOX = TMAP_SLOT_STRIDES + TMAP_RANK_MAX - 1,
    TMAP_SLOT_ADDRESS = TMAP_SLOT_BOX + TMAP_RANK_MAX,
    TMAP_SLOT_AT, /* this and those below it are signed, and of copies */
    TMAP_SLOT_COLUMN = TMAP_SLOT_AT + TMAP_RANK_MAX,
    TMAP_SLOT_ROWS,
    TMAP_SLOTS_N = TMAP_SLOT_ROWS + 4,
} tmap_slot;

typedef struct tmap_slots {
    const tmap_expr *at[TMAP_SLOTS_N]; /* NULL: a number of the parameters */
} tmap_slots;

typedef struct tmap_sized {
    const tmap_map_params *map;
    const tmap_copy_params *copy; /* NULL: the map itself is judged */
    const tmap_slots *of_map, *of_copy;
    const tmap_size *sizes;
    int sizes_n;
} tmap_sized;

/* The slot of a field's entry (-1: a field of one number); -1 where no expression is allowed. */
TMAP_PRIVATE_API int tmap_slot_of(int field, int entry);
/* The field and the entry of a slot. */
void tmap_slot_field(int slot, int *field, int *entry);
const tmap_expr *tmap_slot_expr(const tmap_sized *sized, int slot);

/* Sizes of more than one value that the numbers depend on: bit i is size i. */
TMAP_PRIVATE_API uint32_t tmap_sized_free(const tmap_sized *sized);

/* Parameters with the numbers for these values in their slots. Numbers that a slot cannot hold are clamped. */
void tmap_sized_apply(const tmap_sized *sized, const uint64_t *values, tmap_map_params *map, tmap_copy_params *copy);

/* The strides of a dense tensor as expressions, for the slots that have none. False: no memory. */
TMAP_PRIVATE_API bool tmap_slots_dense(tmap_arena *arena, const tmap_map_params *map, tmap_slots *slots);

/* What a verdict of a rule depends on. */
typedef struct tmap_cuts {
    tmap_arena *arena;
    tmap_cut items[64];
    int n;
    uint32_t slots; /* bit i: slot i is an expression, and in a cut */
    bool legal_box; /* the rule is judged where box-extent is kept alone */
    bool failed;    /* no memory, or no room */
} tmap_cuts;

/* The cuts of a rule on a dimension; none of a rule that no slot matters to. */
void tmap_cuts_of(const tmap_sized *sized, int rule, int dim, tmap_cuts *cuts);
/* Whether tmap_cuts_of has a row for the rule, or a row that says that no slot matters to it. */
TMAP_PRIVATE_API bool tmap_cuts_know(const char *rule);

typedef struct tmap_conditions {
    tmap_condition *items;
    size_t n, capacity;
} tmap_conditions;

/*
 * Judges by every rule for all values of the sizes. Findings that no size changes go to `diags`, and one finding for
 * each rule that some values break. Conditions that are not kept by all values are added to `conditions` (may be NULL);
 * what they point to is in the arena. *some: whether no rule alone refuses all values.
 */
TMAP_PRIVATE_API tmap_status tmap_sized_judge(const tmap_sized *sized, const tmap_judge *judge, tmap_arena *arena,
                                              tmap_diags *diags, tmap_conditions *conditions, bool *some);
