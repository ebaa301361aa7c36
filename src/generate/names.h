/* generate: names and texts of a spec in code. */
#ifndef GENERATE_NAMES_H
#define GENERATE_NAMES_H

#include "tmap/generate.h"

/* Room for an identifier made of a name. */
#define TMAP_IDENTIFIER_MAX 128

/*
 * Name `i` as an identifier behind `prefix`, different from those of the names before it. Names lie `stride` bytes
 * apart (the size of a pointer, or of the structs of which they are the first member).
 */
void tmap_code_name(char text[TMAP_IDENTIFIER_MAX], const char *prefix, const void *names, size_t stride, size_t i);

/* Text for a comment: control characters and what could end the comment become '?'. */
void tmap_put_comment_text(tmap_sink *sink, const char *text);

#endif
