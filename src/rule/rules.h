/* rules: a row of the rule table: what the public sees of it, and how it is run. */
#pragma once

#include "rule/trial.h"

/* What a rule judges. A rule of TMAP_ON_OP holds for a copy's operation and for each that a map says it is meant for.
 */
enum {
    TMAP_ON_MAP = 1,
    TMAP_ON_OP = 2,
    TMAP_ON_COPY = 4,
    TMAP_ON_DESCRIPTOR = 8,
    TMAP_ON_REPLACE = 16,
    TMAP_ON_ENCODE_CALL = 32, /* reported by tmap_explain_encode_tiled itself */
    TMAP_ON_START = 64,       /* of TMAP_ON_COPY: the rules that read coordinates, column or rows */
};

/* The modes of maps that a rule is about; 0 is all of them but linear, which is no map. */
enum {
    TMAP_IN_TILED = 1,
    TMAP_IN_IM2COL = 2,
    TMAP_IN_WIDE = 4,
    TMAP_IN_LINEAR = 8,
    TMAP_IN_PIXELS = TMAP_IN_IM2COL | TMAP_IN_WIDE,
    TMAP_IN_ANY = TMAP_IN_TILED | TMAP_IN_PIXELS | TMAP_IN_LINEAR,
};

/* What most copies are not: rules about nothing else are skipped for them. Of an operation that is none all are set. */
enum {
    TMAP_OF_STORES = 1,
    TMAP_OF_FOUR_ROWS = 2,
    TMAP_OF_REDUCES = 4,
    TMAP_OF_PADDED = 8,    /* a type of 4 or 6 bits in padded containers */
    TMAP_OF_OPERANDS = 16, /* any operand beside op, coordinates and shared address is not at its default */
};

typedef enum tmap_each {
    TMAP_EACH_WHOLE, /* once, with dim -1 */
    TMAP_EACH_INNER, /* for dimension 0 */
    TMAP_EACH_DIM,   /* for every dimension */
    TMAP_EACH_OUTER, /* for every dimension but the innermost */
} tmap_each;

typedef void tmap_rule_check(tmap_trial *trial, int dim);

struct tmap_rule {
    unsigned on;    /* what tells whether a rule runs is in one line of the cache */
    unsigned modes; /* TMAP_IN_… */
    unsigned only;  /* TMAP_OF_…; 0: no matter what of these the copy is */
    tmap_each each;
    uint64_t needs; /* bit f: skipped where field f has failed (in the same dimension, where it has several) */
    tmap_rule_info info;
    tmap_field field; /* tmap_judge_bounds: the field, its bounds, and what else to do about it */
    int64_t min, max;
    const char *remedy; /* instead of the nearest bound: a value, or words */
    const char *hint;   /* behind it */
};

const tmap_rule *tmap_rule_row(int rule);

#define RULE(...)
#define JUDGED(check, ...) tmap_rule_check check;
#include "rule/rules.def"
#undef RULE
#undef JUDGED
/* As tmap_judge_bounds; answers the finding for the rule to give it another fix, or NULL. */
tmap_diag *tmap_judge_bounds_finding(tmap_trial *trial, int dim);
tmap_rule_check tmap_judge_desc_small_allocation; /* the half of tmap_judge_small_allocation for descriptors */
