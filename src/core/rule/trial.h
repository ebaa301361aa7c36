/*
 * trial: one run of the rules over a map, a copy or a descriptor: the judged object, the judge, and the fields that
 * have failed so far. A rule is skipped if a field that it needs has failed with an error, so one mistake gives one
 * finding.
 */
#pragma once

#include "hw/archs.h"
#include "params/fields.h"
#include "tmap/rule.h"
#include "tmap/unstable/forms.h"

typedef struct tmap_rule tmap_rule;

/* Whether the rules accept another map, with the same judge: the result of a fix. */
typedef bool tmap_trial_accepts(const tmap_judge *judge, const tmap_map_params *map);

typedef struct tmap_trial {
    const tmap_map_params *map;        /* NULL for descriptors */
    const tmap_copy_params *copy;      /* NULL except for copies */
    const tmap_descriptor *descriptor; /* NULL except for descriptors */
    tmap_op op_number;                 /* the copy's operation, or one of the map's `ops` */
    const tmap_op_info *op;            /* this and the next four: NULL for an invalid number */
    const tmap_type_info *type;
    const tmap_swizzle_info *swizzle;
    const tmap_interleave_info *interleave;
    const tmap_mode_info *mode;
    unsigned in_mode;           /* TMAP_IN_... of the mode; 0 for an invalid mode */
    unsigned kinds;             /* TMAP_OF_... of the operation and of the copy */
    const tmap_form_info *form; /* the copy's instruction; NULL: no form fits */
    int dims_n;                 /* number of valid dimensions: the rank, at most 5 */
    tmap_derived derived;
    const tmap_judge *judge; /* never NULL */
    tmap_diags *diags;
    tmap_trial_accepts *accepts; /* set while rules run */
    const tmap_rule *rule;       /* the running rule */
    int dim;                     /* the dimension that it judges; -1: the whole */
    int findings_n;              /* findings so far, including those that `diags` did not store */
    int worst;                   /* the worst severity plus 1; 0: no finding */
    bool refused;
    uint64_t failed_fields;           /* bit f: field f has failed, in at least one dimension */
    uint8_t failed[TMAP_FIELD_COUNT]; /* bit d: dimension d of the field; bit 0 for a field that is one number */
} tmap_trial;

/* The instruction of the copy, by its operation and operands; NULL: no form fits. The map has a mode. */
const tmap_form_info *tmap_trial_form(const tmap_trial *trial);
/* Makes a trial ready to run the rules over `map` (may be NULL for a descriptor). */
void tmap_trial_begin_map(tmap_trial *trial, const tmap_map_params *map, const tmap_judge *judge, tmap_diags *diags);
/* As tmap_trial_begin_map, over a copy through `map`; with copy NULL over the map. */
void tmap_trial_begin(tmap_trial *trial, const tmap_map_params *map, const tmap_copy_params *copy,
                      const tmap_judge *judge, tmap_diags *diags);
/* Sets trial->derived: the numbers of the copy's box; without a copy, of the map. */
void tmap_trial_derive(tmap_trial *trial);
/* Runs the rules for `on`: TMAP_ON_MAP, TMAP_ON_DESCRIPTOR or TMAP_ON_REPLACE of rules.h. */
void tmap_trial_run(tmap_trial *trial, unsigned on);
/* The dimensions that the rule judges: *dim to *end - 1. Empty for a rule about something else. */
void tmap_trial_dims(const tmap_trial *trial, int rule, int *dim, int *end);
/* Runs one rule on one of these dimensions, unless a field that the rule needs has failed. Returns the severity of the
 * worst finding plus 1; 0: no finding. */
int tmap_trial_judge(tmap_trial *trial, int rule, int dim);
/* Whether a field that the rule needs has failed. */
bool tmap_trial_blocked(tmap_trial *trial, int rule, int dim);
/* Whether the map has no error except that of `rule`. Failed fields do not skip rules here, but rules that need a type,
 * mode, swizzle, interleave or rank are skipped if it is undefined. */
TMAP_PRIVATE_API bool tmap_map_breaks_only(const tmap_map_params *map, const tmap_judge *judge, int rule);
/* Refuses, with TMAP_BAD_ARGUMENT, structs (each may be NULL) with a reserved member that is not 0. */
tmap_status tmap_check_reserved(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                                tmap_diags *diags);
/* As tmap_check_map, and fills in *derived unless the result is TMAP_BAD_ARGUMENT. */
tmap_status tmap_judge_map(const tmap_map_params *map, const tmap_judge *judge, tmap_diags *diags,
                           tmap_derived *derived);
/* As tmap_check_copy, and fills in *box (see tmap_derive_box) unless the result is TMAP_BAD_ARGUMENT. */
tmap_status tmap_judge_copy(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                            tmap_diags *diags, tmap_derived *box);
/*
 * For copies that differ only in their start. `copy` is a copy that the rules allow; its start changes between calls of
 * tmap_trial_allows_start. After a refusal the trial cannot be used again. `rules` are the rules that concern the copy
 * and may refuse it, searched once.
 */
typedef struct tmap_start_rules {
    int n, rows[TMAP_RULES_MAX];
} tmap_start_rules;
void tmap_trial_begin_starts(tmap_trial *trial, const tmap_map_params *map, const tmap_copy_params *copy,
                             const tmap_judge *judge, tmap_start_rules *rules);
bool tmap_trial_allows_start(tmap_trial *trial, const tmap_start_rules *rules);
tmap_status tmap_trial_verdict(const tmap_trial *trial);

/* Marks a field as failed. dim -1: the whole field. */
void tmap_trial_fail(tmap_trial *trial, tmap_field field, int dim);
/* The first CUDA release whose documents limit dimensions to 2^31 elements instead of 2^32. */
enum { TMAP_DIM_LIMIT_HALVED_CUDA = 13050 };
/* Whether the chosen CUDA release is `release` (13050 for 13.5) or later. */
bool tmap_trial_since(const tmap_trial *trial, int release);
/*
 * The architectures that refuse a map for one of its numbers: all, with one exception. `narrow`: the number fits rows
 * of 64 values, which stores of b6p2x16 accept on some architectures; these do not refuse a map that is only for such
 * stores.
 */
tmap_archs tmap_trial_refusing(const tmap_trial *trial, bool narrow);
/* Whether the map has a 6-bit type and its ops are only stores. */
bool tmap_trial_stores_sixes(const tmap_trial *trial);
/* Whether every judged architecture accepts rows of 64 values of such a map, and an alignment of 16 bytes. */
bool tmap_trial_narrow(const tmap_trial *trial);
/* Whether the map has type b6x16_p32, a wide mode and swizzle 64B, and the CUDA release accepts these together. */
bool tmap_trial_wide_sixes(const tmap_trial *trial);
bool tmap_trial_narrow_archs(const tmap_trial *trial);
#define TMAP_NARROW_ALIGN_B 16
#define TMAP_NARROW_VALUES  64
/* The chosen architectures whose shared memory ends before end_B; *window_B: the smallest of their ends. With none
 * chosen, *window_B is the largest window, and the result is all architectures if end_B exceeds it, else none. */
tmap_archs tmap_windows_below(const tmap_judge *judge, uint64_t end_B, uint64_t *window_B);
/* For a map with a type and an interleave: the alignment of address and strides, and the bytes of a row of dims[0]. */
uint64_t tmap_trial_align_B(const tmap_trial *trial);
uint64_t tmap_trial_row_B(const tmap_trial *trial);
bool tmap_trial_failed(const tmap_trial *trial, tmap_field field, int dim);
