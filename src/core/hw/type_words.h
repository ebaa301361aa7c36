/* hw: words for types in other programs. */
#pragma once

/* The name of the type that a word of other programs means ("torch.float16", "__nv_bfloat16", "<f2"); NULL: none.
 * tmap_type_suggest also finds misspelt names. */
const char *tmap_type_of_word(const char *word);
