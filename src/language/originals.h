/* language: the words of TIRx, Tilus and CuTe that stand in front of their functions, and those that have other names
 * here. */
#pragma once

#include <stdbool.h>

/* A module or a class of the originals, with or without the parts behind it: tilus.ir.layout. */
bool tmap_is_namespace(const char *word);
/* The function of ours, with a remark, for a function of theirs that is not here by its name; NULL: none. */
const char *tmap_original_word(const char *word);
