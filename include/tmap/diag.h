/*
 * diag: findings about an input: the record of one finding, and lists of records. A function that judges adds findings
 * to a list (tmap_diags). A function that refuses for one reason fills in one record (tmap_diag *refusal). No function
 * reports a reason in any other way. Nothing here prints or reads YAML: `emit` renders records, `spec` fills in their
 * positions.
 *
 * Since 0.2.0, unless a comment below states another release.
 */
#ifndef TMAP_DIAG_H
#define TMAP_DIAG_H

#include "tmap/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tmap_severity {
    TMAP_ADVICE = 0,  /* slow, or probably not intended */
    TMAP_WARNING = 1, /* accepted but surprising, or the sources disagree */
    TMAP_ERROR = 2,   /* the driver refuses, the instruction traps, or the result is undefined */
} tmap_severity;

typedef enum tmap_enforcer {
    TMAP_BY_NOBODY = 0,      /* nothing rejects it, but the result differs from the intended result */
    TMAP_BY_DOCUMENT = 1,    /* a document forbids it; the effect is not known */
    TMAP_BY_INSTRUCTION = 2, /* the copy instruction traps, or ptxas rejects it */
    TMAP_BY_DRIVER = 3,      /* cuTensorMapEncode* returns an error */
    TMAP_BY_FORMAT = 4,      /* tmap's own spec format */
} tmap_enforcer;

/* A position in a file. Lines and columns count from 1, columns in code points; 0 means no position. */
typedef struct tmap_mark {
    int line, column;
    int length; /* code points to underline; at least 1 if there is a position */
} tmap_mark;

/* The names by which a text calls the fields. Since 0.3.0. */
typedef enum tmap_naming {
    TMAP_NAMES_SPEC = 0,   /* keys of specs: "box[0]: 64" */
    TMAP_NAMES_DRIVER = 1, /* parameters of cuTensorMapEncodeTiled: "boxDim[0]: 64" */
    TMAP_NAMES_C = 2,      /* members of tmap_map_params and tmap_copy_params: "box_el[0] = 64" */
    TMAP_NAMES_PYTHON = 3, /* arguments in Python: keys of specs, with the index of the user's tuple (outer_first) */
    TMAP_NAMES_PTX = 4,    /* operands and words of PTX ISA: "tensorCoords[0]: 64"; keys of specs for fields of maps */
} tmap_naming;

/* One edit of a fix: a field of a map or a copy gets a value, or is left out. Since 0.3.0. */
typedef struct tmap_edit {
    uint8_t alternative; /* edits with the same number belong together; from 0; 0 is the preferred alternative */
    uint8_t field;       /* a tmap_field, or TMAP_EDIT_ARCHS */
    int8_t dim;          /* entry of the field as in tmap_diag; -1: the whole field */
    uint8_t names;       /* a tmap_naming */
    bool list;           /* one entry of a list for the whole field; for a set: `value` is the number of one member */
    bool leave_out;
    /* 0: `value` is a number, or has a name in the field's table. Otherwise, for TMAP_FIELD_TYPE: write the alias
     * tmap_type_alias_get(word - 1); for TMAP_FIELD_VALUE: `value` belongs to tmap_replaceable word - 1. */
    uint8_t word;
    uint64_t value; /* as in tmap_map_params or tmap_copy_params; a negative number in two's complement */
} tmap_edit;

#define TMAP_EDITS_MAX  8
#define TMAP_EDIT_ARCHS 255 /* the architectures of the judge: `value` is a tmap_archs */

/*
 * A fix: edits and words. With edits, the words are a condition of the edits, or another change that they require: a
 * program makes only edits without words. Without edits, the words are the fix; empty: no fix. Since 0.3.0.
 */
typedef struct tmap_fix {
    tmap_edit edits[TMAP_EDITS_MAX];
    int edits_n;
    char words[172];
} tmap_fix;

typedef struct tmap_note {
    char text[120];
    int field; /* the tmap_field that the note is about and points to, or -1 */
    int dim;   /* the entry of that field, or -1 */
    tmap_mark mark;
} tmap_note;

#define TMAP_NOTES_MAX 2

/*
 * One finding. A text that does not fit is cut and ends in "...". Pointers are borrowed: see tmap_diags.
 *
 * As the record of a refusal (a parameter that may be NULL): a function that does not return TMAP_OK writes the whole
 * record, with `severity` TMAP_ERROR; a function that returns TMAP_OK does not change the record, except tmap_build,
 * tmap_build_check and tmap_prepare: they write the first warning about the map, or a record without texts.
 *
 * Members since 0.3.0: source, source_line, judged, fix, and axes to name_n.
 */
typedef struct tmap_diag {
    const char *rule; /* slug of the broken rule, for `tmap explain`; NULL: no named rule */
    tmap_severity severity;
    tmap_enforcer enforced_by;
    const char *symptom;  /* the observable effect if the copy runs anyway; NULL if the rule is not about a copy */
    const char *evidence; /* name of a class of evidence, or NULL: that of the rule (tmap_diag_evidence) */
    const char *path;     /* file, or NULL */
    const char *subject;  /* name of the tensor or copy, or NULL */
    int field;            /* a tmap_field, or -1 */
    int dim;              /* entry of `field`, innermost first, as in strides[0]; -1: none */
    const char *key;      /* name of the wrong field or key, or NULL */
    tmap_mark mark;
    const char *source; /* of a compiled kernel: the file of the line from which the instruction was made, or NULL */
    int source_line;
    int operand;       /* for a call: index of the wrong operand, from 0; -1: none */
    size_t at, length; /* start and length, in bytes, of the wrong part of an expression; 0, 0: none */
    size_t more;       /* for a refusal: number of further errors */
    uint64_t archs;    /* tmap_archs to which the finding applies; 0: all */
    uint64_t judged;   /* tmap_archs whose evidence counts; 0: all */
    char message[304];
    char given[96]; /* `given` and `allowed` may be empty */
    char allowed[200];
    tmap_fix fix;
    const char *const *axes; /* `axes_n` names of the dimensions for tmap_fix_text, or NULL */
    uint8_t axes_n;
    uint8_t names;    /* a tmap_naming: those of the record's own texts */
    bool outer_first; /* tmap_fix_text writes lists outermost first */
    uint8_t name_n;   /* for a call: bytes of the operation's name and ": " in front of `message`; 0: no name */
    int notes_n;
    tmap_note notes[TMAP_NOTES_MAX];
    uint64_t reserved[1]; /* 0 */
} tmap_diag;

/*
 * A list of findings. A list whose members are all 0 grows with `allocator` (NULL: the C library's allocator); free it
 * with tmap_diags_free. A list with `fixed` true and `items` and `capacity` of the caller's own array never allocates.
 * Findings that do not fit, or for which there is no memory, are counted in `dropped`. Subjects and paths are borrowed
 * from the checked object, which must outlive the list; rules, symptoms and evidence are static.
 */
typedef struct tmap_diags {
    tmap_diag *items;
    size_t count, capacity;
    bool fixed;
    size_t dropped;
    size_t by_severity[4]; /* number of findings of each severity, including dropped findings */
    const tmap_allocator *allocator;
    uint64_t reserved[2]; /* 0 */
} tmap_diags;

/* Adds a copy of `diag`, which must not be an item of the list. Returns the copy, valid until the next finding is
 * added; NULL if the finding was dropped or `diags` is NULL. */
TMAP_API tmap_diag *tmap_diags_add(tmap_diags *diags, const tmap_diag *diag) TMAP_NONNULL(2);
TMAP_API void tmap_diags_free(tmap_diags *diags); /* the list is then empty; it is no longer fixed */

/*
 * Writes a record to `text` as one line, terminated and cut to `size` bytes: "message; given: …; allowed: …; fix: …,
 * and N more [rule]", without the parts that are empty. Returns `text`.
 */
TMAP_API char *tmap_diag_line(const tmap_diag *diag, char *text, size_t size) TMAP_NONNULL(1, 2);

/* Writes the fix to `text`, terminated and cut to `size` bytes: "box[0]: 8 or 16, or swizzle: none, with several
 * copies"; "" if the record has no fix. Returns `text`. A rule's fix fits in TMAP_FIX_TEXT_MAX bytes. Since 0.3.0. */
TMAP_API char *tmap_fix_text(const tmap_diag *diag, char *text, size_t size) TMAP_NONNULL(1, 2);
#define TMAP_FIX_TEXT_MAX 512
/* Writes the value of an edit to `text`, terminated and cut to `size` bytes: "64", "0x7f00", "128B", "[load, store]";
 * "" for an edit that leaves the field out. Returns `text`. Since 0.3.0. */
TMAP_API char *tmap_edit_value(const tmap_edit *edit, char *text, size_t size) TMAP_NONNULL(1, 2);

TMAP_API const char *tmap_severity_name(tmap_severity severity); /* "advice", "warning", "error" */
TMAP_API const char *tmap_enforcer_name(tmap_enforcer enforcer); /* "nobody", "document", "instruction", … */

#ifdef __cplusplus
}
#endif

#endif
