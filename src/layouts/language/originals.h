/* language: the namespaces that precede names of functions in TIRx, Tilus and CuTe, and their functions that have
 * another name in tmap. */
#pragma once

#include <stdbool.h>

/* Whether the word is a module or a class of the originals, with or without later parts: tilus.ir.layout. */
bool tmap_is_namespace(const char *word);
/* Whether `ours` is the name here for argument `theirs` of a function of the originals. */
bool tmap_is_original_argument(const char *theirs, const char *ours);
/* The function of tmap, with a remark, for a function of the originals that has another name in tmap; NULL: none. */
const char *tmap_original_word(const char *word);
