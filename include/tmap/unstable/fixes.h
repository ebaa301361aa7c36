/*
 * rule, fixes: the text of a finding's fix as edits that a program can make.
 * Unstable: these declarations may change or disappear in any release (base.h).
 *
 * A fix begins with one alternative or several, and ends in words for people:
 *
 *   fix         = [alternative *(", or " alternative)] ["," words]
 *   alternative = edit *(" and " edit)
 *   edit        = KEY ["[" DIMENSION "]" [" (" AXIS ")"]] ": " value [" or " value] | "leave " KEY " out"
 *   value       = a number, a name, or a list in square brackets
 *
 * KEY is the spec's or the driver's name of a field. DIMENSION counts from the innermost. A list is innermost first; in
 * a finding about a file, a list has the order of the tensor in the file. "8 or 16" makes two alternatives. A fix that
 * begins in another way has no edits: it changes another part of the spec ("for buffer a: ..."), requires several
 * changes, or changes more than the spec.
 */
#ifndef TMAP_FIXES_H
#define TMAP_FIXES_H

#include "tmap/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_EDITS_MAX 12

/* One edit of a spec. */
typedef struct tmap_edit {
    int alternative;   /* edits with the same number belong together; from 0; 0 is the preferred alternative */
    int field;         /* a tmap_field */
    int dim;           /* entry of the field as in tmap_diag; -1: the whole field */
    char value[100];   /* in the notation of specs; a list in brackets; "": remove the key */
    size_t begin, end; /* range of the edit's text in the fix; for a further value of "8 or 16" only the value */
} tmap_edit;

/* Reads the edits of diag->fix and returns their number, at most TMAP_EDITS_MAX. */
TMAP_API size_t tmap_fix_edits(const tmap_diag *diag, tmap_edit edits[TMAP_EDITS_MAX]) TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
