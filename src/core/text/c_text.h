/* text: writes texts of specs into C and C++ sources, as identifiers and as comments. */
#pragma once

#include "tmap/base.h"

/* Writes `name` as an identifier of C and C++, not a keyword: '_' replaces each character that none can contain. */
void tmap_put_identifier(tmap_sink *sink, const char *name);
/* As tmap_put_identifier, after a prefix of letters: then a keyword or a digit at the start needs no change. */
void tmap_put_identifier_part(tmap_sink *sink, const char *name);
/* Writes `text` into a comment between slashes and stars. The text cannot end or nest the comment. */
void tmap_put_comment(tmap_sink *sink, const char *text);
