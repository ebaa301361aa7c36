/*
 * polynomial: an expression over a cell as a polynomial. Its variables are the t of the sizes (each is first + step t)
 * and the t of quotients (each is its least value + t). Equal terms cancel.
 */
#pragma once

#include "size/cell.h"

#define TMAP_QUOTIENTS_MAX 8
#define TMAP_VARIABLES_MAX (TMAP_SIZES_MAX + TMAP_QUOTIENTS_MAX)

typedef struct tmap_term {
    uint64_t powers; /* 4 bits for each size and each quotient */
    tmap_i128 factor;
} tmap_term;

typedef struct tmap_polynomial {
    int n;
    tmap_term terms[TMAP_TERMS_MAX]; /* terms with different powers */
} tmap_polynomial;

/* Division that rounds down. */
static inline tmap_i128 tmap_divide_down(tmap_i128 a, tmap_i128 b) {
    return a / b - (a % b < 0);
}

static inline bool tmap_is_small(tmap_i128 x) {
    return x <= TMAP_EXPR_LIMIT && x >= -TMAP_EXPR_LIMIT;
}

/* Return false for numbers beyond TMAP_EXPR_LIMIT, or too many terms. */
static inline bool tmap_multiply_small(tmap_i128 a, tmap_i128 b, tmap_i128 *product) {
    return !__builtin_mul_overflow(a, b, product) && tmap_is_small(*product);
}
/* The bounds of a product. */
bool tmap_bounds_multiply(const tmap_bounds *a, const tmap_bounds *b, tmap_bounds *out);
bool tmap_polynomial_add_term(tmap_polynomial *to, uint64_t powers, tmap_i128 factor);
bool tmap_polynomial_add(tmap_polynomial *to, const tmap_polynomial *from, tmap_i128 factor);
bool tmap_polynomial_multiply(const tmap_polynomial *a, const tmap_polynomial *b, tmap_polynomial *out);
/* Divides each factor, and rounds down. The divisor divides all factors except that of the constant term. */
void tmap_polynomial_divide(tmap_polynomial *p, tmap_i128 divisor);
/* The first term, but the constant one, that the divisor does not divide; NULL: none. */
const tmap_term *tmap_polynomial_undivided(const tmap_polynomial *p, tmap_i128 divisor);
bool tmap_polynomial_of_size(const tmap_size_cell *cell, int size, tmap_polynomial *out);

/* The variables of polynomials over a cell. */
typedef struct tmap_variables {
    const tmap_size_cell *cell;
    tmap_i128 n[TMAP_VARIABLES_MAX]; /* the number of values of each variable */
    const tmap_expr *quotients[TMAP_QUOTIENTS_MAX];
    tmap_i128 first[TMAP_QUOTIENTS_MAX]; /* the least value of each quotient */
    int quotients_n;
    bool exact; /* no quotient may be a variable: the first that is not a polynomial sets the next two members */
    uint64_t divisor;
    tmap_term undivided; /* the first term that the divisor does not divide */
} tmap_variables;

tmap_variables tmap_variables_of(const tmap_size_cell *cell);
/* The polynomial of an expression. A quotient that is no polynomial becomes a variable. Returns false for numbers
 * beyond TMAP_EXPR_LIMIT, or too many terms or variables. */
bool tmap_polynomial_of(const tmap_expr *expr, tmap_variables *variables, tmap_polynomial *out);
/* The term's largest value, or for a negative factor its smallest: each t has its largest value. */
bool tmap_term_reach(const tmap_term *of, const tmap_variables *variables, tmap_i128 *reach);
/* Bounds of the values over the cell, by the reach of each term. */
bool tmap_polynomial_bounds(const tmap_polynomial *p, const tmap_variables *variables, tmap_bounds *out);
/* 1: the polynomial does not fall if the variable rises; -1: it does not rise; 0: not known. */
int tmap_polynomial_direction(const tmap_polynomial *p, const tmap_variables *variables, int variable);

/* The first variable of a term's powers. */
static inline int tmap_first_variable(uint64_t powers) {
    return __builtin_ctzll(powers) / 4;
}
