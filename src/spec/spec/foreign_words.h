/* spec: words of other programs for names of tmap's tables. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tmap/params.h"

/* The name of `names` that a word of another program means as a value of a key; NULL: none. tmap_name_suggest also
 * finds misspelt names. */
const char *tmap_name_of_word(const char *key, const char *word, const char *const *names, size_t names_n);

/* Whether the word is CuTe's Swizzle<bits, base, shift>; *name is then the name of the swizzle, or NULL if the hardware
 * has no such swizzle. The numbers count bytes or elements; element_bits 0: of any size. */
bool tmap_swizzle_of_cute(const char *word, int element_bits, const char **name);
/* Whether a word is the start of one, which YAML ends at its comma: {swizzle: Swizzle<3,4,3>}. */
bool tmap_swizzle_is_cut(const char *word);

/* The number of a type, swizzle, interleave, promotion or fill that a program prints by a name of specs, of the driver,
 * or of another program; -1: none. */
int tmap_enumerator_of_word(tmap_field field, const char *word);
