/*
 * spec, names: the name in a table of hw that a word means: a misspelt name, or a word of another program.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_NAMES_H
#define TMAP_NAMES_H

#include <stddef.h>

#include "tmap/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns the one of the `names_n` names that `word` means, as a value of the spec key `key` ("arch", "swizzle", …; any
 * other text: only misspelt names). Returns NULL if the word means none of these names.
 */
TMAP_API const char *tmap_name_suggest(const char *key, const char *word, const char *const *names, size_t names_n)
    TMAP_NONNULL(1, 2, 3);

/*
 * Returns the key of a section of specs ("tensor", "copy", …) that `word` means, as a key or as an argument of another
 * library: "dims" for shape and globalShape. '_', '-' and the case of letters do not count. Returns NULL if the word
 * means no key.
 */
TMAP_API const char *tmap_key_suggest(const char *section, const char *word) TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
