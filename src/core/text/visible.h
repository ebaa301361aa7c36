/* text: text from files on a terminal: replaces control characters and counts columns. */
#pragma once

#include "tmap/base.h"

/* Whether a code point controls a terminal or changes the direction of text. */
bool tmap_is_control(uint32_t code);

/* Writes the code point that tmap_utf8_next found in bytes[0..size); a control character becomes U+FFFD. */
void tmap_put_visible_code(tmap_sink *sink, uint32_t code, const char *bytes, size_t size);

/* The columns of a terminal that a code point needs as tmap_put_visible_code writes it: 0, 1 or 2. */
int tmap_display_width(uint32_t code);

/* The columns of a whole text. */
int tmap_text_width(const char *text);

/* The number of code points in a text of well-formed UTF-8. */
int tmap_code_points(const char *text, size_t size);
