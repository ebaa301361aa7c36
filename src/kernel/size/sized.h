/* sized: a map, or a copy through a map, with some numbers that are expressions over sizes. */
#pragma once

#include "rule/trial.h"
#include "size/cell.h"

/* The numbers that may be expressions; each has as many slots as its field has entries. */
typedef enum tmap_slot {
    TMAP_SLOT_DIMS = 0,
    TMAP_SLOT_STRIDES = TMAP_SLOT_DIMS + TMAP_RANK_MAX,
    TMAP_SLOT_BOX = TMAP_SLOT_STRIDES + TMAP_RANK_MAX - 1,
    TMAP_SLOT_ADDRESS = TMAP_SLOT_BOX + TMAP_RANK_MAX,
    TMAP_SLOT_AT, /* this slot and the later slots are signed numbers of copies */
    TMAP_SLOT_COLUMN = TMAP_SLOT_AT + TMAP_RANK_MAX,
    TMAP_SLOT_ROWS,
    TMAP_SLOTS_N = TMAP_SLOT_ROWS + 4,
} tmap_slot;

typedef struct tmap_slots {
    const tmap_expr *at[TMAP_SLOTS_N]; /* NULL: the parameters contain the number */
} tmap_slots;

typedef struct tmap_sized {
    const tmap_map_params *map;
    const tmap_copy_params *copy; /* NULL: judges the map itself */
    const tmap_slots *of_map, *of_copy;
    const tmap_size *sizes;
    int sizes_n;
} tmap_sized;

/* The slot of a field's entry (entry -1: a field of one number). Returns -1 if the field allows no expression. */
TMAP_PRIVATE_API int tmap_slot_of(int field, int entry);
/* The field and the entry of a slot. */
void tmap_slot_field(int slot, int *field, int *entry);
const tmap_expr *tmap_slot_expr(const tmap_sized *sized, int slot);

/* The sizes with more than one value on which the numbers depend: bit i is size i. */
TMAP_PRIVATE_API uint32_t tmap_sized_free(const tmap_sized *sized);

/* Writes the numbers for these values into the parameters. A number that does not fit its slot is clamped. */
void tmap_sized_apply(const tmap_sized *sized, const uint64_t *values, tmap_map_params *map, tmap_copy_params *copy);

/* Writes the strides of a dense tensor as expressions into the empty slots. Returns false when an allocation fails. */
TMAP_PRIVATE_API bool tmap_slots_dense(tmap_arena *arena, const tmap_map_params *map, tmap_slots *slots);

/* The cuts on which a verdict of a rule depends. */
typedef struct tmap_cuts {
    tmap_arena *arena;
    tmap_cut items[64];
    int n;
    uint32_t slots; /* bit i: slot i is an expression, and in a cut */
    bool legal_box; /* the rule is judged only for values that keep box-extent */
    bool failed;    /* an allocation failed, or items[] is full */
} tmap_cuts;

/* Finds the cuts of a rule on a dimension; none if the rule depends on no slot. `of` has the numbers for some values.
 */
void tmap_cuts_of(const tmap_sized *sized, const tmap_trial *of, int rule, int dim, tmap_cuts *cuts);
/* Whether the rule depends on numbers that may be slots. */
TMAP_PRIVATE_API bool tmap_cuts_know(const tmap_rule *rule);
/* Whether the rule has a finding only if all values break it. */
bool tmap_cuts_for_all(const char *rule);

/* What is left of limits: the cells that are tried, and the operations on terms of polynomials. They bound the time. */
typedef struct tmap_size_budget {
    int64_t cells, work;
} tmap_size_budget;

/* The conditions of a file. */
typedef struct tmap_conditions {
    tmap_condition *items;
    size_t n, capacity;
    tmap_arena *arena; /* owns the contents of the conditions */
    tmap_size_budget left;
    bool contradicts; /* no value keeps all errors of some sizes, each of which some values keep */
} tmap_conditions;

/* An empty list with the budget of a file. */
tmap_conditions tmap_conditions_begin(tmap_arena *arena);
/* Returns false when an allocation fails. */
bool tmap_conditions_add(tmap_conditions *list, const tmap_condition *condition);

/*
 * Judges all rules for all values of the sizes. `diags` receives the findings that are the same for all values, and one
 * finding for each rule that some values break; tmap_conditions_say completes the latter. `conditions` receives the
 * conditions that some values break, and the errors that are the same for all values. *some is false if one rule
 * refuses all values.
 */
TMAP_PRIVATE_API tmap_status tmap_sized_judge(const tmap_sized *sized, const tmap_judge *judge,
                                              tmap_conditions *conditions, tmap_diags *diags, bool *some);

/*
 * Writes to the findings of the conditions the values that keep all conditions of the same sizes, and ranges of such
 * values as the fix. `diags` is the list that received the findings. Returns false when an allocation fails.
 */
TMAP_PRIVATE_API bool tmap_conditions_say(tmap_conditions *conditions, const tmap_size *sizes, int sizes_n,
                                          tmap_diags *diags);

/*
 * Searches for values that break no condition of at least this severity, except conditions that no value keeps; tries
 * round numbers (4096 first), the bounds, and values from the conditions. Returns false if the search finds none.
 */
bool tmap_conditions_legal(const tmap_conditions *conditions, tmap_severity severity, const tmap_size *sizes,
                           int sizes_n, uint64_t *values);
