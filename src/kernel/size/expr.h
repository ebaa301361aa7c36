/*
 * size: expressions over sizes: sums, differences and products; floor and ceil of a division by a positive number. All
 * operations are exact: intermediate values have 128 bits.
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
    int size;       /* index of the size, for SIZE */
    int64_t number; /* value of a NUMBER, or the divisor */
    uint32_t sizes; /* bit i: the expression contains size i */
    int nodes;      /* numbers, sizes and operations */
    int terms;      /* of its polynomial, at most */
    int64_t work;   /* operations on terms that the polynomial requires, about */
    const struct tmap_expr *left, *right;
} tmap_expr;

/* Terms of a polynomial; an expression with more terms has no polynomial. */
#define TMAP_TERMS_MAX 24

/* An expression with a larger magnitude counts as infinite. */
#define TMAP_EXPR_LIMIT ((tmap_i128)1 << 120)

/* Return NULL when an allocation fails, or if an operand is NULL. The operands must outlive the result. */
const tmap_expr *tmap_expr_number(tmap_arena *arena, int64_t number);
const tmap_expr *tmap_expr_size(tmap_arena *arena, int size);
const tmap_expr *tmap_expr_make(tmap_arena *arena, tmap_expr_kind kind, const tmap_expr *left, const tmap_expr *right);
const tmap_expr *tmap_expr_divide(tmap_arena *arena, tmap_expr_kind kind, const tmap_expr *left, int64_t divisor);

/*
 * Reads an expression over the sizes. Returns NULL for any other text: *refusal (may be NULL) has the rule name-unknown
 * or value-kind, and the bytes of the wrong text. Returns NULL with an empty message when an allocation fails.
 */
TMAP_PRIVATE_API const tmap_expr *tmap_expr_parse(tmap_arena *arena, const char *text, size_t length,
                                                  const tmap_size *sizes, int sizes_n, tmap_diag *refusal);

/* The nearest name of a size to `name`; NULL if no name is near. */
TMAP_PRIVATE_API const char *tmap_nearest_size(const tmap_size *sizes, int sizes_n, const char *name);

/* The value, clamped to TMAP_EXPR_LIMIT. */
TMAP_PRIVATE_API tmap_i128 tmap_expr_value(const tmap_expr *expr, const uint64_t *values);

/* Whether both are the same text, apart from blanks and parentheses. */
bool tmap_expr_equal(const tmap_expr *a, const tmap_expr *b);

/* Writes the expression as text; with `c` as a C expression of type tmap_wide, as in condition.keeps_c. */
void tmap_expr_print(tmap_sink *sink, const tmap_expr *expr, const tmap_size *sizes, bool c);
