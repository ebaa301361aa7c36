/* rules: a row of the rule table: its public part, and the way it runs. */
#pragma once

#include "rule/trial.h"

/* The kinds of things that a rule judges. A rule of TMAP_ON_OP judges a copy's operation and every operation in a map's
 * `ops`. */
enum {
    TMAP_ON_MAP = 1,
    TMAP_ON_OP = 2,
    TMAP_ON_COPY = 4,
    TMAP_ON_DESCRIPTOR = 8,
    TMAP_ON_REPLACE = 16,
    TMAP_ON_ENCODE_CALL = 32, /* tmap_explain_encode_tiled itself reports the rule */
    TMAP_ON_START = 64,       /* of TMAP_ON_COPY: the rules that read coordinates, column or rows */
};

/* The modes of maps that a rule concerns. 0: all modes but linear, which has no map. */
enum {
    TMAP_IN_TILED = 1,
    TMAP_IN_IM2COL = 2,
    TMAP_IN_WIDE = 4,
    TMAP_IN_LINEAR = 8,
    TMAP_IN_PIXELS = TMAP_IN_IM2COL | TMAP_IN_WIDE,
    TMAP_IN_ANY = TMAP_IN_TILED | TMAP_IN_PIXELS | TMAP_IN_LINEAR,
};

/* Properties that most copies do not have; rules about them are skipped for other copies. An invalid operation sets
 * all. */
enum {
    TMAP_OF_STORES = 1,
    TMAP_OF_FOUR_ROWS = 2,
    TMAP_OF_REDUCES = 4,
    TMAP_OF_PADDED = 8,        /* a type of 4 or 6 bits in padded containers */
    TMAP_OF_OPERANDS = 16,     /* an operand other than op, coordinates and shared address differs from its default */
    TMAP_OF_REPLACEMENTS = 32, /* op replace */
};

typedef enum tmap_each {
    TMAP_EACH_WHOLE, /* once, with dim -1 */
    TMAP_EACH_INNER, /* for dimension 0 */
    TMAP_EACH_DIM,   /* for every dimension */
    TMAP_EACH_OUTER, /* for every dimension but the innermost */
} tmap_each;

typedef void tmap_rule_check(tmap_trial *trial); /* judges trial->dim */

struct tmap_rule {
    unsigned on;    /* everything that decides whether a rule runs is in one line of the cache */
    unsigned modes; /* TMAP_IN_… */
    unsigned only;  /* TMAP_OF_...; 0: for every copy */
    tmap_each each;
    uint64_t needs; /* bit f: the rule is skipped where field f has failed (for a field with dimensions: in the same
                       dimension) */
    tmap_rule_info info; /* its texts are NULL in the table of rules.c */
    tmap_field field;    /* for tmap_judge_bounds: the field, its bounds, and the fix */
    int64_t min, max;
    const char *remedy; /* words in place of the nearest bound as the fix */
    const char *hint;   /* words after the largest number as the fix */
};

#define NEEDS(field) ((uint64_t)1 << TMAP_FIELD_##field) /* in a row */

const tmap_rule *tmap_rule_row(int rule);

#define TEXTS(...)
#define RULE(...)
#define JUDGED(check, ...) tmap_rule_check check;
#include "rule/rules.def"
#undef TEXTS
#undef RULE
#undef JUDGED
/* As tmap_judge_bounds. Returns the finding, so that the rule can give it another fix, or NULL. */
tmap_diag *tmap_judge_bounds_finding(tmap_trial *trial);
tmap_rule_check tmap_judge_desc_small_allocation; /* the part of tmap_judge_small_allocation for descriptors */
