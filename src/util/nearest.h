/* util: the candidate that a misspelt word is nearest to, for "did you mean". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The one of `count` candidates that `word` begins, or else the nearest by edit distance (at most a third of the
 * letters wrong), or else the longest that is part of `word`; NULL when no candidate is near.
 */
const char *tmap_nearest(const char *word, const char *const *candidates, size_t count);
