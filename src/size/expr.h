/*
 * size: expressions over sizes. Sums, differences and products; floor and ceil of a division by a positive number. All
 * of them are exact: intermediate values have 128 bits.
 */
#pragma once

#include "base/arena.h"
#include "base/wide.h"
#include "tmap/unstable/size.h"

typedef enum tmap_expr_kind {
    TMAP_EXPR_NUMBER,
    TMAP_EXPR_SIZE,
    TMAP_EXPR_ADD,
    TMAP_EXPR_SUBTRACT,
    TMAP_EXPR_MULTIPLY,
    TMAP_EXPR_FLOOR, /* of left / number */
    TMAP_EXPR_CEIL,
} tmap_expr_kind;

typedef struct tmap_expr {
    tmap_expr_kind kind;
    int size;       /* of SIZE: its index */
    int64_t number; /* of NUMBER, or the divisor */
    uint32_t sizes; /* bit i: size i is in it */
    const struct tmap_expr *left, *right;
} tmap_expr;

/* Beyond these values an expression counts as infinite. */
#define TMAP_EXPR_LIMIT ((tmap_i128)1 << 120)

/* NULL: no memory. The operands must outlive the result; an operand that is NULL makes NULL. */
const tmap_expr *tmap_expr_number(tmap_arena *arena, int64_t number);
const tmap_expr *tmap_expr_size(tmap_arena *arena, int size);
const tmap_expr *tmap_expr_make(tmap_arena *arena, tmap_expr_kind kind, const tmap_expr *left, const tmap_expr *right);
const tmap_expr *tmap_expr_divide(tmap_arena *arena, tmap_expr_kind kind, const tmap_expr *left, int64_t divisor);

/*
 * NULL where the text is no expression over the sizes: *refusal (may be NULL) has the rule name-unknown or value-kind,
 * and the bytes of the text. NULL with an empty message: there is no memory.
 */
TMAP_PRIVATE_API const tmap_expr *tmap_expr_parse(tmap_arena *arena, const char *text, size_t length,
                                                  const tmap_size *sizes, int sizes_n, tmap_diag *refusal);

/* The size whose name is nearest to `name`; NULL: none is near. */
TMAP_PRIVATE_API const char *tmap_nearest_size(const tmap_size *sizes, int sizes_n, const char *name);

/* The value, clamped to TMAP_EXPR_LIMIT. */
TMAP_PRIVATE_API tmap_i128 tmap_expr_value(const tmap_expr *expr, const uint64_t *values);

/* As text; `c`: as an expression of C, of type tmap_wide: condition.keeps_c has the words. */
void tmap_expr_print(tmap_sink *sink, const tmap_expr *expr, const tmap_size *sizes, bool c);
