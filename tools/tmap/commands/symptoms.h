/* Symptoms of wrong maps and copies, by the words that people have for them, for tmap explain. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct symptom {
    const char *name;
    const char *spellings; /* other words, separated by spaces */
    const char *text;
    const char *commands; /* one in each line */
    const char *related;  /* rules and facts, separated by spaces */
} symptom;

const symptom *symptom_get(size_t i); /* NULL after the last */

/* The symptom with this word, also as the name of a CUresult; NULL: none. The case, '-', '_' and blanks do not count.
 */
const symptom *symptom_find(const char *word);

/* Whether two words have the same letters and digits, in any case, without cudaError before them. */
bool same_letters(const char *a, const char *b);
