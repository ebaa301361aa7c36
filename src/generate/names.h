/* generate: different identifiers for different texts. */
#pragma once

#include "tmap/base.h"

typedef struct tmap_names {
    tmap_text text; /* the identifiers, each terminated */
    size_t *at;     /* where number i begins in it */
    size_t at_size; /* bytes */
    size_t n;
} tmap_names;

/*
 * Parts of identifiers, to stand behind a prefix of letters, for `n` texts; of those that would be the same the second
 * and later ones end in _2, _3, …. False when there is no memory; free with tmap_names_free in any case.
 */
bool tmap_names_make(tmap_names *names, const char *const *texts, size_t n, const tmap_allocator *allocator);
const char *tmap_names_get(const tmap_names *names, size_t i);
void tmap_names_free(tmap_names *names);
