/*
 * trial: one run of the rules over a map, a copy or a descriptor: what is judged, by whom, and which fields have failed
 * so far. A rule is skipped where a field that it needs has failed with an error, so one mistake is one finding.
 */
#ifndef TMAP_RULE_TRIAL_H
#define TMAP_RULE_TRIAL_H

#include "hw/archs.h"
#include "params/fields.h"
#include "tmap/rule.h"

typedef struct tmap_rule tmap_rule;

/* Whether the rules accept another map, by the same judge: what a fix leads to. */
typedef bool tmap_trial_accepts(const tmap_judge *judge, const tmap_map_params *map);

typedef struct tmap_trial {
    const tmap_map_params *map;        /* NULL for descriptors */
    const tmap_copy_params *copy;      /* NULL but for copies */
    const tmap_descriptor *descriptor; /* NULL but for descriptors */
    tmap_op op_number;                 /* the copy's operation, or one of the map's `ops` */
    const tmap_op_info *op;            /* this and the next four: NULL for a number that is none */
    const tmap_type_info *type;
    const tmap_swizzle_info *swizzle;
    const tmap_interleave_info *interleave;
    const tmap_mode_info *mode;
    unsigned in_mode; /* TMAP_IN_… of the mode; 0 where it is none */
    unsigned kinds;   /* TMAP_OF_… of the operation and of the copy */
    int dims_n;       /* how many dimensions can be looked at: the rank, at most 5 */
    tmap_derived derived;
    const tmap_judge *judge; /* never NULL */
    tmap_diags *diags;
    tmap_trial_accepts *accepts; /* set while rules run */
    bool driver_call;            /* judged are the arguments of cuTensorMapEncodeTiled, and messages use its names */
    const tmap_rule *rule;       /* the one that is running */
    int findings_n;              /* made so far, also those that `diags` did not take */
    int worst;                   /* of their severities and 1; 0: no finding */
    bool refused;
    uint64_t failed_fields;           /* bit f: something of field f has failed */
    uint8_t failed[TMAP_FIELD_COUNT]; /* bit d: dimension d of the field; bit 0 for a field that is one number */
} tmap_trial;

/* Ready to run the rules over `map` (may be NULL for a descriptor). */
tmap_trial tmap_trial_of_map(const tmap_map_params *map, const tmap_judge *judge, tmap_diags *diags);
/* The same over a copy through `map`; with copy NULL over the map. */
tmap_trial tmap_trial_of(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                         tmap_diags *diags);
/* Runs the rules that judge `on`, one of the TMAP_ON_… of rules.h. */
void tmap_trial_run(tmap_trial *trial, unsigned on);
/* Rule by rule: the dimensions from *dim to before *end that the rule judges; none of a rule about something else. */
void tmap_trial_dims(const tmap_trial *trial, int rule, int *dim, int *end);
/* Runs one rule on one of these, unless a field that it needs has failed. Returns the severity of the worst finding and
 * 1; 0 where there is none. */
int tmap_trial_judge(tmap_trial *trial, int rule, int dim);
/* Whether a field that it needs has failed. */
bool tmap_trial_blocked(tmap_trial *trial, int rule, int dim);
/* The same for TMAP_ON_OP and TMAP_ON_COPY: looks at the rows of copies only. */
void tmap_trial_run_copy(tmap_trial *trial, unsigned on);
/* tmap_check_copy, and in any case *box, see tmap_derive_box; but for reserved members that are not 0. */
tmap_status tmap_judge_copy(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                            tmap_diags *diags, tmap_derived *box);
/*
 * For copies that differ in their start only: `copy` is one that the rules allow, and its start changes between calls
 * of tmap_trial_allows_start. After a refusal the trial is spent. `rules` are those that concern the copy, found once.
 */
enum { TMAP_START_RULES = 64 }; /* at least the rules of copies */
typedef struct tmap_start_rules {
    int n, rows[TMAP_START_RULES];
} tmap_start_rules;
tmap_trial tmap_trial_of_starts(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                                tmap_start_rules *rules);
bool tmap_trial_allows_start(tmap_trial *trial, const tmap_start_rules *rules);
tmap_status tmap_trial_verdict(const tmap_trial *trial);

/* dim -1: the field as a whole. */
void tmap_trial_fail(tmap_trial *trial, tmap_field field, int dim);
/* Whether the chosen CUDA release is this one (13050 for 13.5) or a later one. */
bool tmap_trial_since(const tmap_trial *trial, int release);
/*
 * The architectures that refuse a map for one of its numbers: all. `narrow`: the number suits rows of 64 values, which
 * stores of b6p2x16 take on some; these do not refuse a map for such stores alone.
 */
tmap_archs tmap_trial_refusing(const tmap_trial *trial, bool narrow);
/* Whether the map is of a 6-bit type and, by its ops, for stores alone. */
bool tmap_trial_stores_sixes(const tmap_trial *trial);
/* Rows of 64 values of such a map, and 16 bytes of alignment, suit every architecture that is judged. */
bool tmap_trial_narrow(const tmap_trial *trial);
bool tmap_trial_narrow_archs(const tmap_trial *trial);
#define TMAP_NARROW_ALIGN_B 16
#define TMAP_NARROW_VALUES  64
/* The architectures that are judged whose shared memory ends before end_B; *window_B: the least end of theirs. */
tmap_archs tmap_trial_windows_below(const tmap_trial *trial, uint64_t end_B, uint64_t *window_B);
/* Of a map with a type and an interleave: what address and strides are multiples of, and a row of dims[0]. */
uint64_t tmap_trial_align_B(const tmap_trial *trial);
uint64_t tmap_trial_row_B(const tmap_trial *trial);
bool tmap_trial_failed(const tmap_trial *trial, tmap_field field, int dim);

#endif
