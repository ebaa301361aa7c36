/* Pieces of text that both kinds of recordings are written of. */
#pragma once

#include "capture/case.h"

/* As a double-quoted scalar; bytes that are not printable ASCII become question marks. */
void tmap_put_quoted(tmap_sink *sink, const char *text);
void tmap_put_hex(tmap_sink *sink, const uint8_t *bytes, uint64_t size_B);
/* The lines behind "provenance:". */
void tmap_put_provenance(tmap_sink *sink, const capture_header *header);
/* A CUresult by name, or as a number where it has none. */
void tmap_put_result(tmap_sink *sink, int result);
