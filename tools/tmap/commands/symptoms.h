/* Symptoms of wrong maps and copies, by the words that people have for them, for tmap explain. */
#pragma once

#include <stddef.h>

typedef struct symptom {
    const char *name;
    const char *spellings; /* other words, separated by spaces */
    const char *text;
    const char *commands; /* one in each line */
    const char *related;  /* rules and facts, separated by spaces */
} symptom;

const symptom *symptom_get(size_t i); /* NULL after the last */

/* The symptom whose name or spelling, or name of a CUresult, is the phrase, else the first of the table that has words
 * of the phrase; NULL: none. The case, '-', '_' and blanks do not count. */
const symptom *symptom_find(const char *phrase);

/* The word after CUDA_ERROR_ or cudaError. */
const char *skip_cuda_error(const char *word);
