/* language: choosing the function that a name and its arguments mean. */
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

/* False when there is no memory. */
bool tmap_arguments_add(tmap_eval *eval, tmap_arguments *arguments, const tmap_value *value, const char *name);

/* False after the refusal, at `at`, was noted. */
bool tmap_call_is_known(tmap_eval *eval, const char *name, size_t at);
/* Refuses a word that is no value, where it stands. False. */
bool tmap_call_refuse_word(tmap_eval *eval, const tmap_value *word);
/* Calls it; `at` and `length` are the place of the whole call in the text. */
bool tmap_call_by_name(tmap_eval *eval, const char *name, const tmap_arguments *arguments, size_t at, size_t length,
                       tmap_value *result);

/* The value of `S[…]` or `R[…]` from what stands in the brackets. */
bool tmap_layout_brackets(tmap_eval *eval, char letter, const tmap_arguments *items, size_t at, size_t length,
                          tmap_value *result);
