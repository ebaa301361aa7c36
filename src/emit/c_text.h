/* emit: texts from specs inside C and C++ sources: in identifiers and in comments. */
#pragma once

#include "tmap/base.h"

/* Writes `name` as an identifier of C and C++: '_' for whatever one cannot have, and never a keyword. */
void tmap_put_identifier(tmap_sink *sink, const char *name);
/* The same behind a prefix of letters, which no keyword and no digit can spoil. */
void tmap_put_identifier_part(tmap_sink *sink, const char *name);
/* Writes `text` into a comment between slashes and stars, which it cannot end, nest or break. */
void tmap_put_comment(tmap_sink *sink, const char *text);
