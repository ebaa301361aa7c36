/*
 * finding: makes the findings of a trial: their severity for the judge, their place, and their texts. Nothing here
 * runs unless a rule is broken.
 */
#ifndef TMAP_RULE_FINDING_H
#define TMAP_RULE_FINDING_H

#include "base/wide.h"
#include "diag/refuse.h"
#include "rule/trial.h"
#include "util/print.h"

/*
 * Says that the running rule is broken at a field (or -1) on `archs`. Answers the diagnostic to fill in where it lies
 * in the list, or NULL when nobody wants to read it: then there is nothing left to do.
 */
tmap_diag *tmap_finding(tmap_trial *trial, int field, int dim, tmap_archs archs);

/* " on sm_90, sm_90a", or " on all but …" where that is shorter. */
void tmap_say_archs(char *text, size_t size, tmap_archs archs);
/* The message, with " on sm_…" behind it where the finding holds only there. */
void tmap_say_message(tmap_diag *diag, const char *format, ...) TMAP_PRINTF(2, 3);
/* The fix, which is the change from the judged map to `fixed`; where the rules refuse that too, the fix says so. */
void tmap_say_tried(const tmap_trial *trial, tmap_diag *diag, const tmap_map_params *fixed, const char *fix);
/* Says that the thing needs a later CUDA release than the one that is judged. */
void tmap_say_release(const tmap_trial *trial, tmap_diag *diag, int cuda_version, const char *kind, const char *name);
/* A note that points to another field. */
void tmap_say_note(tmap_diag *diag, int field, int dim, const char *format, ...) TMAP_PRINTF(4, 5);

/* A short text by value. */
typedef struct tmap_word {
    char text[64];
} tmap_word;

/* "box[0]", or the driver's "boxDim[0]"; with the axis behind it: "box[0] (k)". */
tmap_word tmap_name(const tmap_trial *trial, tmap_field field, int dim);
tmap_word tmap_name_axis(const tmap_trial *trial, tmap_field field, int dim);
tmap_word tmap_number(tmap_i128 value);
/* "128 x f16 = 256 B". */
tmap_word tmap_row_bytes(const tmap_type_info *type, uint64_t count_el);
/* "8 or 16": the multiples of `step` on both sides of `value`, as far as they are above 0 and at most `max`. */
tmap_word tmap_multiples_around(uint64_t value, uint64_t step, uint64_t max);

#endif
