/* import: the words that a line may have. Most lines have none, and are not searched for any word. */
#pragma once

#include <stddef.h>

#include "tmap/unstable/import.h"

/* Groups of words. A line without a word of a group is not searched for the words of this group. */
typedef enum word_group {
    WORDS_HEAD = 1,     /* the first texts of dumps */
    WORDS_CALL = 2,     /* ENCODE_CALL */
    WORDS_KEY = 4,      /* keys that occur in no other text */
    WORDS_DRIVER = 8,   /* the driver's names of parameters */
    WORDS_HEADER = 16,  /* names of a tensor map */
    WORDS_RESULT = 32,  /* messages with a CUresult */
    WORDS_REFUSAL = 64, /* messages of libraries: the first of REFUSAL_GROUPS groups */
} word_group;

#define REFUSAL_GROUPS 16

/* The group of a row of refusals.def. */
static inline unsigned group_of_refusal(int i) {
    return (unsigned)WORDS_REFUSAL << i % REFUSAL_GROUPS;
}

/* Adds words to the filter. '#' and '*' in a word match any text. */
void likely_add(tmap_import_filter *filter, const char *const words[], size_t n, unsigned group);
/* Adds the words of the tables: of dumps and messages of libraries, and the names of parameters. */
void likely_add_tables(tmap_import_filter *filter);

/* The groups of the words that a text may have, in any case. */
unsigned likely_groups(const tmap_import_filter *filter, const char *text, size_t size);
/* Whether the name may be one of a parameter. */
bool likely_name(const tmap_import_filter *filter, const char *name);
