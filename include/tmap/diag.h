/*
 * diag: what tmap has to say about an input: one record a finding, and a list of them. A call that judges adds findings
 * to a list (tmap_diags); a call that refuses for one reason fills in one record (tmap_diag *refusal). No call has any
 * other way to say why. No printing and no YAML here: `emit` renders records, `spec` fills in their positions.
 * Since 0.2.0: everything here that does not say otherwise.
 */
#ifndef TMAP_DIAG_H
#define TMAP_DIAG_H

#include "tmap/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tmap_severity {
    TMAP_ADVICE = 0,  /* slow, or likely not meant */
    TMAP_WARNING = 1, /* accepted but surprising, or the sources disagree */
    TMAP_ERROR = 2,   /* the driver refuses, the instruction traps, or the result is undefined */
} tmap_severity;

typedef enum tmap_enforcer {
    TMAP_BY_NOBODY = 0,      /* nothing stops it: the data are just not what was meant */
    TMAP_BY_DOCUMENT = 1,    /* a document forbids it; what happens is not known */
    TMAP_BY_INSTRUCTION = 2, /* the copy instruction traps, or ptxas refuses it */
    TMAP_BY_DRIVER = 3,      /* cuTensorMapEncode* answers an error */
    TMAP_BY_FORMAT = 4,      /* tmap's own spec format */
} tmap_enforcer;

/* A place in a file. Line and column count from 1, columns in code points; 0 means that there is none. */
typedef struct tmap_mark {
    int line, column;
    int length; /* code points to underline, at least 1 where there is a place */
} tmap_mark;

typedef struct tmap_note {
    char text[120];
    int field; /* a tmap_field or -1: what the note is about, and so where it points */
    int dim;   /* the dimension of that field, or -1 */
    tmap_mark mark;
} tmap_note;

#define TMAP_NOTES_MAX 2

/*
 * One finding. Texts that do not fit are cut and end in "...". Pointers are borrowed: see tmap_diags.
 * As the record of a refusal (a parameter that may be NULL) a call writes it whole when the call does not return
 * TMAP_OK, and leaves it alone otherwise; `severity` is then TMAP_ERROR.
 */
typedef struct tmap_diag {
    const char *rule; /* its slug, for `tmap explain`; NULL: it breaks no rule that has a name */
    tmap_severity severity;
    tmap_enforcer enforced_by;
    const char *symptom;  /* what is seen when the copy runs all the same; NULL where the rule is not about a copy */
    const char *evidence; /* name of the class of evidence behind the rule */
    const char *path;     /* file, or NULL */
    const char *subject;  /* name of the tensor or copy, or NULL */
    int field;            /* a tmap_field, or -1 */
    int dim;              /* dimension of that field, innermost 0; -1 for none */
    const char *key;      /* the name of the field or key that is wrong, or NULL */
    tmap_mark mark;
    int operand;       /* of a call: number of the operand that is wrong, from 0; -1 for none */
    size_t at, length; /* bytes of the expression that the finding is about; 0, 0 for none */
    size_t more;       /* of a refusal: errors beside this one */
    uint64_t archs;    /* tmap_archs on which it holds; 0: on all */
    char message[512];
    char given[96]; /* may be empty, like the next two */
    char allowed[200];
    char fix[200];
    tmap_note notes[TMAP_NOTES_MAX];
    int notes_n;
    uint64_t reserved[4]; /* 0 */
} tmap_diag;

/*
 * A list of findings. Zero-initialised it grows by `allocator` (NULL: the C library's) and is freed by
 * tmap_diags_free. With `items` and `capacity` set to the caller's own array and `fixed` true it never allocates;
 * findings that no longer fit are counted in `dropped`. Subjects and paths are borrowed from whatever was checked and
 * must outlive the list; rule, symptom and evidence are static.
 */
typedef struct tmap_diags {
    tmap_diag *items;
    size_t count, capacity;
    bool fixed;
    size_t dropped;
    size_t by_severity[4]; /* how many of each severity were added, dropped ones included */
    const tmap_allocator *allocator;
    uint64_t reserved[2]; /* 0 */
} tmap_diags;

/* Adds a copy of `diag` and answers it where it lies, or NULL when it was dropped. A NULL list takes nothing. */
TMAP_API tmap_diag *tmap_diags_add(tmap_diags *diags, const tmap_diag *diag) TMAP_NONNULL(2);
TMAP_API void tmap_diags_free(tmap_diags *diags);

/*
 * Writes a record to `text` on one line, terminated and cut to `size` bytes: "message; given: …; allowed: …; fix: …,
 * and N more [rule]", without the parts that it does not have. Returns `text`.
 */
TMAP_API char *tmap_diag_line(const tmap_diag *diag, char *text, size_t size) TMAP_NONNULL(1, 2);

TMAP_API const char *tmap_severity_name(tmap_severity severity); /* "advice", "warning", "error" */
TMAP_API const char *tmap_enforcer_name(tmap_enforcer enforcer); /* "nobody", "document", "instruction", … */

#ifdef __cplusplus
}
#endif

#endif
