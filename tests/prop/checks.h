/* checks: what must hold of every copy, each check answering whether it does. */
#ifndef TMAP_TESTS_CHECKS_H
#define TMAP_TESTS_CHECKS_H

#include "oracle/bridge.h"
#include "prop/prop.h"
#include "tmap/emu.h"

/* A copy, and the same as the oracle sees it. */
typedef struct check_case {
    tmap_copy copy;
    oracle_map map;
    oracle_copy oracle;
    uint64_t counts[ORACLE_RANK_MAX], elements_n;
    oracle_element *elements;        /* in the order of oracle_index */
    uint64_t first_B, end_B, data_B; /* of global memory, by the oracle */
} check_case;

/* `elements` is NULL without memory. check_case_end frees it. */
check_case check_case_of(const tmap_copy *copy);
void check_case_end(check_case *c);

/* "(4, 0, 1)": an element's index or coordinates. Answers `text`. */
char *check_coordinates(char *text, size_t size, const int64_t *at, int rank);

/* The places of all elements: closed form, walk, lines and oracle agree; the walk covers each once; extent exact. */
bool check_geometry(const check_case *c, prop_failure *failure);

/* What every shared byte of the box holds is the oracle's, and what some global bytes hold. */
bool check_inverse(const check_case *c, prop_failure *failure);

/* The bytes of both memories and the counts are the oracle's, and nothing else is touched. */
bool check_load(const check_case *c, prop_failure *failure);
bool check_store(const check_case *c, prop_failure *failure);

/* The sectors that it touches are the oracle's. */
bool check_footprint(const check_case *c, prop_failure *failure);

/* What a load brought, stored by the counterpart `back`, is what was there; nothing outside the box is touched. */
bool check_round_trip(const check_case *c, const tmap_copy *back, prop_failure *failure);

#endif
