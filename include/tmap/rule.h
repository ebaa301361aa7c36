/*
 * rule: the rules of tensor maps and copies, as a table, and running them. Each names what it needs, who enforces it,
 * and the evidence behind it. A rule is skipped when a field that it needs has already failed, so one mistake is one
 * finding; no finding ends the run.
 * Since 0.2.0: everything here that does not say otherwise.
 */
#ifndef TMAP_RULE_H
#define TMAP_RULE_H

#include "tmap/diag.h"
#include "tmap/params.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tmap_rule_about {
    TMAP_ABOUT_MAP = 0,
    TMAP_ABOUT_COPY = 1,
    TMAP_ABOUT_DESCRIPTOR = 2,
    TMAP_ABOUT_REPLACE_ADDRESS = 3,
    TMAP_ABOUT_CALL = 4,     /* of an API: pointers and devices, which no spec expresses */
    TMAP_ABOUT_FORMAT = 5,   /* of tmap's own formats: reported by the readers */
    TMAP_ABOUT_SEQUENCE = 6, /* of what threads do, step by step: reported by tmap_sequence_check */
} tmap_rule_about;

typedef struct tmap_rule_info {
    const char *slug;
    const char *number; /* of the list that the project started from: "T15"; NULL where it has none */
    tmap_rule_about about;
    tmap_severity severity;
    tmap_enforcer enforced_by;
    const char *title;      /* the rule in one line */
    const char *symptom;    /* of copies; NULL elsewhere */
    const char *reference;  /* where the rule is written, or who found it */
    const char *why;        /* explanation: what it is about, and where sources disagree */
    const char *bad, *good; /* YAML of a tensor (or of a tensor and a copy), failing and passing; NULL for none */
} tmap_rule_info;

TMAP_API const tmap_rule_info *tmap_rule_get(int rule);        /* NULL past the last */
TMAP_API int tmap_rule_find(const char *slug) TMAP_NONNULL(1); /* -1: no rule has this slug */

#define TMAP_RULES_MAX 256 /* no version with this SONAME has more rules */

typedef enum tmap_level {
    TMAP_LEVEL_DEFAULT = 0,
    TMAP_LEVEL_OFF = 1,
    TMAP_LEVEL_WARN = 2,
    TMAP_LEVEL_ERROR = 3,
} tmap_level;

/* How to judge. Zero-initialised: every architecture, every rule at its own severity. */
typedef struct tmap_judge {
    tmap_archs archs; /* 0: none chosen; what only some architectures refuse is then a warning that names them */
    int toolkit;      /* the CUDA release whose header and ptxas are meant, as tmap_toolkit_info.cuda; 0: the newest */
    bool warnings_are_errors;
    uint8_t levels[TMAP_RULES_MAX];        /* tmap_level by rule; errors cannot be turned off or down */
    uint8_t assume[TMAP_ALTERNATIVES_MAX]; /* 0: tmap_alternative_reading of the architectures; else reading + 1 */
    const char *subject, *path;            /* copied into the findings */
    const char *const *axes;               /* names of the dimensions for messages, `rank` of them; or NULL */
    bool outer_first;     /* the sizes were outermost first and have been turned round: notes name this order */
    uint64_t reserved[3]; /* 0 */
} tmap_judge;

/* TMAP_OK, or TMAP_REFUSED when a finding of severity error was added. `judge` may be NULL, `diags` too. */
TMAP_API tmap_status tmap_check_map(const tmap_map_params *map, const tmap_judge *judge, tmap_diags *diags);
/* A copy through a map that was itself accepted. */
TMAP_API tmap_status tmap_check_copy(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                                     tmap_diags *diags);
/* The raw bits: combinations and traps that parameters cannot express. tmap_descriptor_decode runs it too. */
TMAP_API tmap_status tmap_check_descriptor(const tmap_descriptor *descriptor, const tmap_judge *judge,
                                           tmap_diags *diags);
/* cuTensorMapReplaceAddress: the new address must keep the alignment that the map was made for. */
TMAP_API tmap_status tmap_check_replace_address(const tmap_map_params *map, uint64_t address, const tmap_judge *judge,
                                                tmap_diags *diags);

/*
 * For a reader's own findings: a diagnostic of rule `slug` (of TMAP_ABOUT_FORMAT or TMAP_ABOUT_SEQUENCE) with its row's
 * severity, enforcer and evidence filled in.
 */
TMAP_API tmap_diag tmap_rule_diag(const char *slug, const tmap_judge *judge) TMAP_NONNULL(1);

/*
 * What to call after cuTensorMapEncodeTiled answered CUDA_ERROR_INVALID_VALUE: its exact arguments (enums as numbers,
 * arrays innermost first, element_strides of `rank`; any pointer may be NULL), in its names. Findings in `diags` (may
 * be NULL). TMAP_REFUSED: an error is among them. TMAP_OK: tmap's rules allow the map.
 */
TMAP_API tmap_status tmap_explain_encode_tiled(const void *tensor_map, int data_type, uint32_t rank,
                                               const void *global_address, const uint64_t *global_dim,
                                               const uint64_t *global_strides, const uint32_t *box_dim,
                                               const uint32_t *element_strides, int interleave, int swizzle,
                                               int l2_promotion, int oob_fill, tmap_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
