/*
 * rule: the table of the rules of tensor maps and copies, and functions that check them. Each row has the fields that
 * the rule reads, its enforcer and its evidence. A rule is skipped if a field that it reads has already failed, so that
 * one mistake gives one finding; no finding ends a check.
 *
 * Since 0.2.0, unless a comment below states another release.
 */
#ifndef TMAP_RULE_H
#define TMAP_RULE_H

#include "tmap/diag.h"
#include "tmap/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The object that a rule constrains. */
typedef enum tmap_rule_about {
    TMAP_ABOUT_MAP = 0,
    TMAP_ABOUT_COPY = 1,
    TMAP_ABOUT_DESCRIPTOR = 2,
    TMAP_ABOUT_REPLACE_ADDRESS = 3,
    TMAP_ABOUT_CALL = 4,     /* arguments of an API: pointers and devices, which no spec contains */
    TMAP_ABOUT_FORMAT = 5,   /* tmap's own formats; the readers report findings */
    TMAP_ABOUT_SEQUENCE = 6, /* the steps of threads; tmap_sequence_check reports findings */
} tmap_rule_about;

typedef struct tmap_rule_info {
    const char *slug;
    tmap_rule_about about;
    tmap_severity severity;
    tmap_enforcer enforced_by;
    const char *title;      /* the rule in one line */
    const char *symptom;    /* the observable effect, for rules of copies; NULL for others */
    const char *reference;  /* the document that contains the rule, or who found it */
    const char *why;        /* explanation: the reason, and where sources disagree */
    const char *bad, *good; /* YAML of a tensor, or of a tensor and a copy, that breaks or keeps the rule; NULL: none */
} tmap_rule_info;

TMAP_API const tmap_rule_info *tmap_rule_get(int rule);        /* NULL after the last */
TMAP_API int tmap_rule_find(const char *slug) TMAP_NONNULL(1); /* -1: no rule has this slug */

/* Returns the name of the class of evidence for a finding; NULL for a record without a rule. Since 0.3.0. */
TMAP_API const char *tmap_diag_evidence(const tmap_diag *diag) TMAP_NONNULL(1);

#define TMAP_RULES_MAX 512 /* no version with this SONAME has more rules */

/* The severity that a judge gives to a rule. */
typedef enum tmap_level {
    TMAP_LEVEL_DEFAULT = 0,
    TMAP_LEVEL_OFF = 1,
    TMAP_LEVEL_WARN = 2,
    TMAP_LEVEL_ERROR = 3,
} tmap_level;

/* Options of a check. All members 0: every architecture, and every rule at its own severity. */
typedef struct tmap_judge {
    tmap_archs archs; /* 0: none chosen; an error on some architectures only is then a warning that names them */
    int toolkit;      /* the CUDA release of the header and of ptxas, as tmap_toolkit_info.cuda; 0: the newest */
    bool warnings_are_errors;
    uint8_t levels[TMAP_RULES_MAX]; /* tmap_level of each rule; an error cannot be turned off or become a warning */
    uint8_t assume[TMAP_ALTERNATIVES_MAX]; /* 0: tmap_alternative_reading of the architectures; else reading + 1 */
    const char *subject, *path;            /* copied to the findings */
    const char *const *axes;               /* `rank` names of the dimensions, for messages; or NULL */
    bool outer_first; /* the user's sizes were outermost first and have been reversed: notes and fixes use that order */
    uint8_t least;    /* a tmap_severity: findings of a lower severity, before `levels`, are ignored. Since 0.3.0 */
    uint8_t names;    /* a tmap_naming: the names of fields in messages and fixes. Since 0.3.0 */
    uint64_t reserved[3]; /* 0 */
} tmap_judge;

/*
 * Checks a map by the rules. Returns TMAP_REFUSED if a finding is an error, else TMAP_OK. `judge` and `diags` may be
 * NULL.
 */
TMAP_API tmap_status tmap_check_map(const tmap_map_params *map, const tmap_judge *judge, tmap_diags *diags);
/* Checks a copy through a map that tmap_check_map accepts. Returns as tmap_check_map does. */
TMAP_API tmap_status tmap_check_copy(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                                     tmap_diags *diags);
/*
 * Checks raw bits: combinations and traps that parameters cannot express. tmap_descriptor_decode includes this check.
 * Returns as tmap_check_map does.
 */
TMAP_API tmap_status tmap_check_descriptor(const tmap_descriptor *descriptor, const tmap_judge *judge,
                                           tmap_diags *diags);
/*
 * Checks a call of cuTensorMapReplaceAddress: the new address must keep the alignment that the map requires. Returns as
 * tmap_check_map does.
 */
TMAP_API tmap_status tmap_check_replace_address(const tmap_map_params *map, uint64_t address, const tmap_judge *judge,
                                                tmap_diags *diags);

/*
 * Returns a finding of rule `slug` (of TMAP_ABOUT_FORMAT or TMAP_ABOUT_SEQUENCE) for a reader's own message. Severity,
 * enforcer and evidence are those of the rule's row.
 */
TMAP_API tmap_diag tmap_rule_diag(const char *slug, const tmap_judge *judge) TMAP_NONNULL(1);

/*
 * Explains why cuTensorMapEncodeTiled returned CUDA_ERROR_INVALID_VALUE. Pass the exact arguments of that call: enums
 * as numbers, arrays innermost first, element_strides with `rank` entries; any pointer may be NULL. The findings in
 * `diags` (may be NULL) use the driver's parameter names. Returns TMAP_REFUSED if a finding is an error, TMAP_OK if
 * tmap's rules allow the map.
 */
TMAP_API tmap_status tmap_explain_encode_tiled(const void *tensor_map, int data_type, uint32_t rank,
                                               const void *global_address, const uint64_t *global_dim,
                                               const uint64_t *global_strides, const uint32_t *box_dim,
                                               const uint32_t *element_strides, int interleave, int swizzle,
                                               int l2_promotion, int oob_fill, tmap_diags *diags);
/*
 * As tmap_explain_encode_tiled, by the rules of `judge` (may be NULL): judge->toolkit is the release of the driver, as
 * cuDriverGetVersion returns it. Before 12.4 the driver accepts null global_strides for rank 1. Since 0.3.0.
 */
TMAP_API tmap_status tmap_explain_encode_by(const tmap_judge *judge, const void *tensor_map, int data_type,
                                            uint32_t rank, const void *global_address, const uint64_t *global_dim,
                                            const uint64_t *global_strides, const uint32_t *box_dim,
                                            const uint32_t *element_strides, int interleave, int swizzle,
                                            int l2_promotion, int oob_fill, tmap_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
