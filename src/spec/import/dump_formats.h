/* import: the formats in which programs print the parameters of a map. */
#pragma once

#include "tmap/params.h"

#define FORMAT_KEYS_MAX 19

#define ENCODE_CALL "cuTensorMapEncode" /* the beginning of the names of the driver's functions */

typedef enum result_place { RESULT_NOWHERE, RESULT_AFTER, RESULT_BEFORE, RESULT_ON_FIRST, RESULT_NEAR } result_place;

/* The form of a value. */
typedef enum value_kind {
    NUMBER,
    LIST,
    ALL_STRIDES, /* a list whose first entry is the stride of elements, which is not passed to the driver */
    STRIDES_EL,  /* a list in elements */
    SWIZZLE_B,   /* the span in bytes */
    ELEMENT_B,   /* the type's size in bytes */
    IF_PRINTED,  /* a number that a dump may omit */
} value_kind;

typedef struct format_key {
    const char *name; /* NULL after the last */
    tmap_field field;
    value_kind kind;
    bool telling;
} format_key;

typedef struct dump_format {
    const char *origin, *first;
    result_place result;
    bool named;      /* the parameters may have any of their names and any order (named_values.h) */
    char separator;  /* between a key and its value; 0: blanks */
    const char *map; /* the text before the address of the CUtensorMap that the driver gets; NULL: not printed */
    tmap_l2_promotion l2_promotion;
    const char *assumed; /* parameters that the format does not print; NULL: it prints all */
    format_key keys[FORMAT_KEYS_MAX + 1];
} dump_format;

const dump_format *dump_format_get(int i);  /* NULL after the last */
const dump_format *dump_format_named(void); /* its keys are in the order of the call's arguments */

/* The message of a library or a tool, as refusals.def describes it. */
typedef struct refusal_text {
    const char *origin, *text, *rule, *note;
    const char *fix;
    const char *after; /* words, one of which the next line contains; NULL: any line may follow */
} refusal_text;

const refusal_text *refusal_text_get(int i); /* NULL after the last; `text` of the row after it is NULL, too */
const char *refusal_fix(const refusal_text *refusal);
