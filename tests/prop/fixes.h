/* Makes the edits of the fix of a finding in the map and the copy. */
#ifndef TMAP_TESTS_FIXES_H
#define TMAP_TESTS_FIXES_H

#include "prop/prop.h"
#include "tmap/rule.h"

/* The judged map and copy; `copy` is NULL for a map alone. */
typedef struct judged_case {
    tmap_map_params map;
    tmap_copy_params copy;
    bool has_copy;
    bool strict; /* the first alternative must not add a warning either */
    tmap_judge judge;
} judged_case;

/*
 * Requires the form of finding.h, and applies each alternative of the fix of each finding, one at a time. Each
 * alternative must remove its finding and add no error; a fix with "more changes are required" must require more
 * changes. A fix without edits must be in the table of fixes.c. Adds the number of edits to *made_n. Returns false with
 * the reason in `failure`.
 */
bool fixes_work(const judged_case *judged, uint64_t *made_n, prop_failure *failure);

#endif
