/* language: finds the function for a name and its arguments. */
#pragma once

#include "language/eval.h"

typedef struct tmap_argument {
    tmap_value value;
    const char *name; /* NULL: by position */
} tmap_argument;

typedef struct tmap_arguments {
    tmap_argument *items;
    size_t n, capacity;
} tmap_arguments;

/* Returns false when the allocation fails. */
bool tmap_arguments_add(tmap_eval *eval, tmap_arguments *arguments, const tmap_value *value, const char *name);

/* Whether the language has a function with this name. Returns false after noting the refusal at `at`. */
bool tmap_call_require_known(tmap_eval *eval, const char *name, size_t at);
/* The function with this name, or with the nearest name; NULL: none. */
const char *tmap_call_nearest(const char *name);
/* Refuses, at its place, a word that has no value. Returns false. */
bool tmap_call_refuse_word(tmap_eval *eval, const tmap_value *word);
/* Calls the function. `at` and `length` are the place of the whole call in the text. */
bool tmap_call_by_name(tmap_eval *eval, const char *name, const tmap_arguments *arguments, size_t at, size_t length,
                       tmap_value *result);

/* The value of `S[...]` or `R[...]` with these items in the brackets. */
bool tmap_layout_brackets(tmap_eval *eval, char letter, const tmap_arguments *items, size_t at, size_t length,
                          tmap_value *result);
