/* The printed fix of a finding, made as a person would make it: the map and the copy after it. */
#ifndef TMAP_TESTS_FIXES_H
#define TMAP_TESTS_FIXES_H

#include "prop/prop.h"
#include "tmap/unstable/fixes.h"

/* What is judged; `copy` is NULL for a map alone. */
typedef struct judged_case {
    tmap_map_params map;
    tmap_copy_params copy;
    bool has_copy;
    bool strict; /* the first alternative brings no new warning either */
    tmap_judge judge;
} judged_case;

/*
 * Makes every alternative of the fix of every finding, of the copy where there is one, one by one. Each must end its
 * finding and bring no new error; a fix that says "more changes are required" must require more. A fix without edits is one of those
 * that the table of fixes.c names. Adds the edits made to *made_n. False with the reason in `failure`.
 */
bool fixes_work(const judged_case *judged, uint64_t *made_n, prop_failure *failure);

#endif
