/* text: different identifiers of C for different texts. */
#pragma once

#include "base/arena.h"

/* Writes the identifier of a text: tmap_put_identifier or tmap_put_identifier_part. */
typedef void tmap_identifier_writer(tmap_sink *sink, const char *text);

/*
 * Makes identifiers from the names of `n` records of `size` bytes, whose first member is the name. Of equal
 * identifiers, the second and later ones end with _2, _3, …. Returns NULL when an allocation fails.
 */
const char **tmap_identifiers(tmap_arena *arena, tmap_identifier_writer *put, const void *records, size_t size,
                              size_t n);
