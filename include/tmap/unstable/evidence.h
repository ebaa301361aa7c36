/*
 * hw, evidence: statements about the hardware, what supports or refutes them, and how they stand on an architecture.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_EVIDENCE_H
#define TMAP_EVIDENCE_H

#include "tmap/hw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From the weakest to the best. */
typedef enum tmap_evidence_class {
    TMAP_UNKNOWN,
    TMAP_INFERRED,   /* reasoned, not seen */
    TMAP_MODEL,      /* somebody's simulator */
    TMAP_DOCUMENTED, /* a text of the vendor */
    TMAP_REPORTED,   /* somebody else's measurement */
    TMAP_TOOL,       /* released software of the vendor writes or reads these bits, or assembles this: tests/tool/ */
    TMAP_CAPTURED,   /* our own recording, in tests/captures/ */
    TMAP_EVIDENCE_CLASS_COUNT
} tmap_evidence_class;

/* A statement about the hardware. Rules are facts too: their slug is the id. */
typedef struct tmap_fact_info {
    const char *id;
    const char *statement;
    bool counted; /* about transaction bytes: what a barrier counts confirms or refutes it, not the bytes of a copy */
} tmap_fact_info;

typedef struct tmap_evidence {
    const char *fact; /* id of a fact or slug of a rule */
    tmap_evidence_class class_;
    tmap_archs archs;
    bool refutes;
    const char *source; /* a document with its section, who measured on what, or a recording */
} tmap_evidence;

/* What is known of a fact on an architecture: computed from its evidence rows. */
typedef struct tmap_standing {
    tmap_evidence_class class_; /* of the best supporting row */
    bool refuted;               /* a refuting row is at least as good */
} tmap_standing;

TMAP_API const tmap_fact_info *tmap_fact_get(int fact);   /* NULL ends them */
TMAP_API const tmap_evidence *tmap_evidence_get(int row); /* NULL ends them */
/* A row as it counts on its architectures: that an older text, a simulator or another GPU holds for sm_107 is inferred,
 * so a row of more architectures has a second part there. Returns how many parts, 1 or 2. */
TMAP_API int tmap_evidence_split(const tmap_evidence *row, tmap_evidence parts[2]) TMAP_NONNULL(1, 2);
TMAP_API const char *tmap_evidence_class_name(tmap_evidence_class c);
TMAP_API tmap_standing tmap_standing_on(const char *fact, tmap_arch arch) TMAP_NONNULL(1);
/* The weakest standing among the given architectures. */
TMAP_API tmap_standing tmap_standing_among(const char *fact, tmap_archs archs) TMAP_NONNULL(1);

/* A fact with two readings, 0 and 1: a row of tmap/hw/alternatives.def. */
typedef enum tmap_alternative {
#define TMAP_ALTERNATIVE(id, ...) TMAP_ALTERNATIVE_##id,
#include "tmap/hw/alternatives.def"
#undef TMAP_ALTERNATIVE
    TMAP_ALTERNATIVE_COUNT
} tmap_alternative;

typedef struct tmap_alternative_info {
    const char *facts[2];    /* ids: each reading is a fact, with evidence of its own */
    const char *readings[2]; /* names of the readings */
    const char *as_if[2];    /* what a device did that follows the reading */
} tmap_alternative_info;

TMAP_API const tmap_alternative_info *tmap_alternative_get(int alternative); /* NULL past the last */
/* The reading that predictions for these architectures follow: 1 where its fact is reported, tool-made or captured on
 * every one of them and stands better than the other fact; else 0. */
TMAP_API int tmap_alternative_reading(tmap_alternative alternative, tmap_archs archs);

#ifdef __cplusplus
}
#endif

#endif
