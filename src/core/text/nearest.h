/* text: the candidate that is nearest to a misspelt word, for "did you mean". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the candidate that starts with `word`; otherwise the nearest by edit distance (at most a third of the letters
 * wrong); otherwise the longest candidate that is part of `word`; otherwise the only candidate of the same length and
 * first letter with at most half of its letters wrong. Ignores capitals and the characters _ - . ':' and blanks.
 * Returns NULL if no candidate is near.
 */
const char *tmap_nearest(const char *word, const char *const *candidates, size_t count);

/* Whether two words are equal except for capitals and the characters _ - . ':' and blanks. */
bool tmap_same_letters(const char *word, const char *other);

/* Whether one of `words`, which are separated by spaces, has the same letters. */
bool tmap_same_as_one(const char *word, const char *words);
