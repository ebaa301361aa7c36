/* The form of every finding of a rule: it has texts, and its fields and entries exist, also those of its notes. */
#ifndef TMAP_TESTS_FINDING_H
#define TMAP_TESTS_FINDING_H

#include "tmap/unstable/params_count.h"
#include <string.h>

#include <tmap/rule.h>

/* Whether `dim` is an entry of the field, or -1 for the whole field; a finding at no field has field and dim -1. */
static inline bool is_place(int field, int dim) {
    static const int entries[] = {[TMAP_PER_ONE] = 0,
                                  [TMAP_PER_DIM] = TMAP_RANK_MAX,
                                  [TMAP_PER_OUTER_DIM] = TMAP_RANK_MAX - 1,
                                  [TMAP_PER_SPATIAL] = TMAP_RANK_MAX - 2,
                                  [TMAP_PER_ROWS] = 4};
    const tmap_field_info *info = tmap_field_get(field);
    return dim == -1 ? field == -1 || info != NULL : info != NULL && dim >= 0 && dim < entries[info->per];
}

/* The error in the form of a finding, as text; NULL: none. */
static inline const char *finding_fault(const tmap_diag *d) {
    if (!d->rule || tmap_rule_find(d->rule) < 0) return "there is no such rule";
    if (!d->message[0] || !tmap_diag_evidence(d)) return "the message or the evidence is missing";
    if (!is_place(d->field, d->dim)) return "there is no such field or entry";
    if (d->field >= 0 && !d->key) return "the name of the field is missing";
    if (strstr(d->message, "  ") || strstr(d->fix.words, "  ")) return "a text has two spaces";
    for (int i = 0; i < d->fix.edits_n; i++)
        if (d->fix.edits[i].field != TMAP_EDIT_ARCHS && !is_place(d->fix.edits[i].field, d->fix.edits[i].dim))
            return "an edit has no field or entry that exists";
    for (int i = 0; i < d->notes_n; i++)
        if (!d->notes[i].text[0] || d->notes[i].field < 0 || !is_place(d->notes[i].field, d->notes[i].dim))
            return "a note has no text, or no field or entry that exists";
    return NULL;
}

#endif
