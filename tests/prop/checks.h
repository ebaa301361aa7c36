/* checks: properties of every copy. Each check returns whether the copy has the property. */
#ifndef TMAP_TESTS_CHECKS_H
#define TMAP_TESTS_CHECKS_H

#include "oracle/bridge.h"
#include "prop/prop.h"
#include "tmap/emu.h"

/* A copy, and the same copy in the oracle's numbers. */
typedef struct check_case {
    tmap_copy copy;
    oracle_map map;
    oracle_copy oracle;
    uint64_t counts[ORACLE_RANK_MAX], elements_n;
    oracle_element *elements;        /* in the order of oracle_index */
    uint64_t first_B, end_B, data_B; /* the range of global memory, by the oracle */
} check_case;

/* If memory runs out, `elements` is NULL. check_case_end frees the elements. */
check_case check_case_of(const tmap_copy *copy);
void check_case_end(check_case *c);

/* Writes an element's index or coordinates, such as "(4, 0, 1)", and returns `text`. */
char *check_coordinates(char *text, size_t size, const int64_t *at, int rank);

/*
 * The places of all elements by the closed form, the walk, the lines and the oracle agree; the walk covers each element
 * once; the extent is exact.
 */
bool check_geometry(const check_case *c, prop_failure *failure);

/* The elements of every shared byte of the box, and of some global bytes, are those of the oracle. */
bool check_inverse(const check_case *c, prop_failure *failure);

/*
 * The bytes of both memories and the counts are those of the oracle, and no other byte changes. A load from memory of
 * element numbers equals a load from the bytes of this memory.
 */
bool check_load(const check_case *c, prop_failure *failure);
bool check_store(const check_case *c, prop_failure *failure);

/* The touched sectors are those of the oracle. */
bool check_footprint(const check_case *c, prop_failure *failure);

/* Loaded bytes, stored by the counterpart `back`, are equal to the original; no byte outside the box changes. */
bool check_round_trip(const check_case *c, const tmap_copy *back, prop_failure *failure);

#endif
