/*
 * size: a size is a name in a spec for a number that is known only at run time; expressions contain such names. The
 * rules check a map or a copy for all values of its sizes at once: a condition states the values that keep a rule.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_SIZE_H
#define TMAP_SIZE_H

#include "tmap/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_SIZES_MAX 8 /* sizes of one spec */

/* The values of a size: the multiples of `multiple` from min to max, both included. */
typedef struct tmap_size {
    const char *name;
    uint64_t min, max;
    uint64_t multiple; /* at least 1 */
} tmap_size;

/* A value for a size, by name: -D N=4096. */
typedef struct tmap_size_value {
    const char *name;
    uint64_t value;
} tmap_size_value;

/* The values that keep a rule. */
typedef enum tmap_kept {
    TMAP_KEPT_BY_ALL,
    TMAP_KEPT_BY_SOME,
    TMAP_KEPT_BY_NONE,
    TMAP_KEPT_UNDECIDED, /* some values were not checked within the bound */
} tmap_kept;

/* One rule on one subject, checked for all values of the sizes on which it depends. */
typedef struct tmap_condition {
    const char *subject; /* the tensor or copy */
    const char *rule;    /* slug */
    int dim;             /* the dimension that the rule checks; -1: the whole subject */
    tmap_severity severity;
    tmap_kept kept;
    uint32_t sizes;    /* bit i: the rule depends on size i */
    const char *keeps; /* the values that keep the rule, in words: "K is a multiple of 8"; NULL: no short form */
    /* These values as a C expression of variables of type uint64_t with the names of the sizes; NULL: no short form.
     * The expression uses tmap_wide, a signed integer of 128 bits, and the quotients tmap_floor(a, n) and tmap_ceil(a,
     * n). */
    const char *keeps_c;
    tmap_size range; /* if the rule depends on one size: the values that keep it; name NULL: they are not one range */
    uint64_t broken[TMAP_SIZES_MAX]; /* the least values that break the rule; the first size counts most */
    uint64_t legal[TMAP_SIZES_MAX];  /* the least values that keep it */
    uint64_t values_n,
        kept_n; /* number of all combinations of values, and of those that keep it; UINT64_MAX: more, or not counted */
    /* `keeps`, `legal`, `values_n` and `kept_n` for a group of rules: this rule and all rules that share a size with
     * it, directly or through other rules. NULL: the group is this rule. */
    const struct tmap_condition *all;
    const struct tmap_size_cells *cells; /* private */
    size_t finding;                      /* private: index of the condition's finding plus 1; 0: none */
} tmap_condition;

/*
 * Returns whether these values, one for each size of the spec, keep the rule. Returns false also if this is undecided.
 */
TMAP_API bool tmap_condition_keeps(const tmap_condition *condition, const uint64_t *values) TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
