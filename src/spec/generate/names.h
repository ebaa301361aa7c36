/* generate: different identifiers for different texts. */
#pragma once

#include "tmap/base.h"

typedef struct tmap_names {
    tmap_text text; /* the identifiers, each terminated */
    size_t *at;     /* at[i]: offset of identifier i in the text */
    size_t at_size; /* bytes */
    size_t n;
} tmap_names;

/*
 * Makes parts of identifiers from `n` texts. The caller writes a prefix of letters before each part. Of equal parts,
 * the second and later ones end with _2, _3, …. Returns false when an allocation fails. Call tmap_names_free in any
 * case.
 */
bool tmap_names_make(tmap_names *names, const char *const *texts, size_t n, const tmap_allocator *allocator);
const char *tmap_names_get(const tmap_names *names, size_t i);
void tmap_names_free(tmap_names *names);
