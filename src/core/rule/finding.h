/*
 * finding: makes the findings of a trial: their severity for the judge, their place, and their texts. These functions
 * run only when a rule is broken.
 */
#pragma once

#include "base/wide.h"
#include "diag/refuse.h"
#include "rule/trial.h"
#include "text/print.h"

/*
 * Reports that the running rule is broken at a field (or -1) on `archs`. Returns the diagnostic in the list for the
 * caller to fill in, or NULL when the list does not store it: then the caller has nothing to do.
 */
tmap_diag *tmap_finding(tmap_trial *trial, int field, int dim, tmap_archs archs);

/* As tmap_rule_diag; the rule's severity is lowered to `most` before the judge's levels change it. */
tmap_diag tmap_rule_diag_at(const char *slug, tmap_severity most, const tmap_judge *judge);

/* Returns whether the judge lets a finding of this rule be an error. */
bool tmap_rule_may_refuse(const tmap_judge *judge, int rule);

/* Adds " on sm_90, sm_90a", or " on all but ..." where that is shorter. */
void tmap_say_archs(char *text, size_t size, tmap_archs archs);
/* The message. If the finding concerns only some architectures, " on sm_..." is added. */
void tmap_say_message(tmap_diag *diag, const char *format, ...) TMAP_PRINTF(2, 3);
/* Adds " does not exist on sm_...", or " exists only on" the architectures that have it where that is shorter. */
void tmap_say_missing(tmap_diag *diag, tmap_archs having);
void tmap_say_values(tmap_diag *diag, const char *given, const char *allowed);
/* The fix is the change from the judged map to `fixed`. If the rules also refuse `fixed`, the words state this. */
void tmap_fix_tried(const tmap_trial *trial, tmap_diag *diag, const tmap_map_params *fixed);
/* As tmap_fix_tried, for a map that differs in one value. */
void tmap_fix_map(const tmap_trial *trial, tmap_diag *diag, tmap_field field, int dim, uint64_t value);
/* Reports that a feature requires a later CUDA release than the judged one. */
void tmap_say_release(const tmap_trial *trial, tmap_diag *diag, int cuda_version, const char *kind, const char *name);
/* The fix is the use of this CUDA release. */
void tmap_say_toolkit(tmap_diag *diag, int cuda_version);
/* The fix is `arch:` with variants of the chosen chips that are in `archs`. Returns false, and writes nothing, if no
 * architecture is chosen or a chip has no such variant. */
bool tmap_fix_variants(const tmap_trial *trial, tmap_diag *diag, tmap_archs archs);
/* The fix is the multiples of `step` below and above `value`, if they are above 0 and at most `max`: "8 or 16". */
void tmap_fix_around(tmap_diag *diag, tmap_field field, int dim, uint64_t value, uint64_t step, uint64_t max);
/* Adds a note that points to another field. */
void tmap_say_note(tmap_diag *diag, int field, int dim, const char *format, ...) TMAP_PRINTF(4, 5);

/* A short text by value. */
typedef struct tmap_word {
    char text[64];
} tmap_word;

/* The index of an entry in the user's list of n entries, which Python has in the order of the user's sizes. */
int tmap_index_in_order(const tmap_trial *trial, int entry, int n);
/* "box[0]", the driver's "boxDim[0]", or PTX's "tensorCoords[0]"; with the name of the axis: "box[0] (k)". */
tmap_word tmap_name(const tmap_trial *trial, tmap_field field, int dim);
tmap_word tmap_name_axis(const tmap_trial *trial, tmap_field field, int dim);
/* As tmap_name, for notes and words of fixes: with the name of the axis if the user's sizes are outermost first. */
tmap_word tmap_name_in_order(const tmap_trial *trial, tmap_field field, int dim);
tmap_word tmap_number(tmap_i128 value);
/* "1", "1 or 2", "1 to 5". */
tmap_word tmap_range(tmap_i128 least, tmap_i128 most);
/* "128 x f16 = 256 B". */
tmap_word tmap_row_bytes(const tmap_type_info *type, uint64_t count_el);
