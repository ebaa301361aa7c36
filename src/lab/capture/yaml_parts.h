/* Parts of the text of both kinds of recordings. */
#pragma once

#include "capture/case.h"

/* Writes a double-quoted scalar, from which a reader gets the same text; bytes that are not UTF-8 become U+FFFD. */
void tmap_put_quoted(tmap_sink *sink, const char *text);
void tmap_put_hex(tmap_sink *sink, const uint8_t *bytes, uint64_t size_B);
/* Writes the lines after "provenance:". */
void tmap_put_provenance(tmap_sink *sink, const capture_header *header);
/* Writes a CUresult by name, or as a number if it has no name. */
void tmap_put_result(tmap_sink *sink, int result);
