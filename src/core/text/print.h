/* text: formatted text into a sink, or at the end of a text. */
#pragma once

#include "tmap/base.h"

void tmap_printf(tmap_sink *sink, const char *format, ...) TMAP_PRINTF(2, 3);
/* Adds to the end of a text, cut to `size` bytes. */
void tmap_append(char *text, size_t size, const char *format, ...) TMAP_PRINTF(3, 4);
/* As tmap_append, after ", " unless the text is empty. */
void tmap_append_item(char *text, size_t size, const char *format, ...) TMAP_PRINTF(3, 4);
