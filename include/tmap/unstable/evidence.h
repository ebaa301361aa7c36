/*
 * hw, evidence: statements about the hardware, the evidence that supports or refutes them, and their standing on an
 * architecture.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_EVIDENCE_H
#define TMAP_EVIDENCE_H

#include "tmap/hw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Classes of evidence, from the weakest to the strongest. */
typedef enum tmap_evidence_class {
    TMAP_UNKNOWN,
    TMAP_INFERRED,   /* concluded, not observed */
    TMAP_MODEL,      /* a simulator of another project */
    TMAP_DOCUMENTED, /* a document of the vendor */
    TMAP_REPORTED,   /* a measurement of another project */
    TMAP_TOOL,     /* released software of the vendor writes or reads these bits, or assembles this code: tests/tool/ */
    TMAP_CAPTURED, /* this project's own recording, in tests/captures/ */
    TMAP_EVIDENCE_CLASS_COUNT
} tmap_evidence_class;

/* A statement about the hardware. A rule is a fact, too: its slug is the id. */
typedef struct tmap_fact_info {
    const char *id;
    const char *statement;
    bool counted; /* about transaction bytes: confirmed or refuted by the counts of barriers, not by copied bytes */
} tmap_fact_info;

/* A row of evidence. */
typedef struct tmap_evidence {
    const char *fact; /* id of a fact or slug of a rule */
    tmap_evidence_class class_;
    tmap_archs archs;
    bool refutes;
    const char *source; /* a document and section, a measurement (by whom, on which GPU), or a recording */
} tmap_evidence;

/* The standing of a fact on an architecture, computed from its rows of evidence. */
typedef struct tmap_standing {
    tmap_evidence_class class_; /* class of the strongest supporting row */
    bool refuted;               /* a refuting row is stronger: a document, a measurement or a tool */
    bool contested;             /* not refuted, but a refuting row that is no inference is at least as strong, or a
                                   document refutes a report */
} tmap_standing;

TMAP_API const tmap_fact_info *tmap_fact_get(int fact); /* NULL after the last */
/* Returns the fact of an id; -1 if no fact has the id. */
TMAP_API int tmap_fact_find(const char *id) TMAP_NONNULL(1);
TMAP_API const tmap_evidence *tmap_evidence_get(int row); /* NULL after the last */
/*
 * Splits a row into parts of one class each, and returns their number, 1 or 2. An older document, a simulator or
 * another GPU supports a statement about sm_107 only as inferred; a row that also covers other architectures therefore
 * has a second part for sm_107.
 */
TMAP_API int tmap_evidence_split(const tmap_evidence *row, tmap_evidence parts[2]) TMAP_NONNULL(1, 2);
TMAP_API const char *tmap_evidence_class_name(tmap_evidence_class c);
/* Returns the standing of a fact on one architecture. */
TMAP_API tmap_standing tmap_standing_on(const char *fact, tmap_arch arch) TMAP_NONNULL(1);
/* Returns the weakest standing among the given architectures. */
TMAP_API tmap_standing tmap_standing_among(const char *fact, tmap_archs archs) TMAP_NONNULL(1);

/* A fact with two readings, 0 and 1: a row of tmap/hw/alternatives.def. */
typedef enum tmap_alternative {
#define TMAP_ALTERNATIVE(id, ...) TMAP_ALTERNATIVE_##id,
#include "tmap/hw/alternatives.def"
#undef TMAP_ALTERNATIVE
    TMAP_ALTERNATIVE_COUNT
} tmap_alternative;

typedef struct tmap_alternative_info {
    const char *facts[2];    /* ids: each reading is a fact with its own evidence */
    const char *readings[2]; /* names of the readings */
    const char *as_if[2];    /* description of a device that follows the reading */
} tmap_alternative_info;

TMAP_API const tmap_alternative_info *tmap_alternative_get(int alternative); /* NULL after the last */
/*
 * Returns the reading that predictions for these architectures follow: 1 if on every architecture the fact of reading 1
 * is reported, tool-made or captured, is neither refuted nor contested, and has a stronger class than the fact of
 * reading 0; else 0.
 */
TMAP_API int tmap_alternative_reading(tmap_alternative alternative, tmap_archs archs);

#ifdef __cplusplus
}
#endif

#endif
