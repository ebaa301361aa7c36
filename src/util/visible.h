/* util: text from files on a terminal: what would steer the terminal is replaced, and columns are counted. */
#pragma once

#include "tmap/base.h"

/* Whether a code point would steer a terminal or turn the direction of text around. */
bool tmap_is_control(uint32_t code);

/* Writes the code point that tmap_utf8_next found in bytes[0..size); a control character becomes U+FFFD. */
void tmap_put_visible_code(tmap_sink *sink, uint32_t code, const char *bytes, size_t size);
/* The same for all of `text`. */
void tmap_put_visible(tmap_sink *sink, const char *text);

/* Columns of a terminal that a code point takes as tmap_put_visible_code writes it: 0, 1 or 2. */
int tmap_display_width(uint32_t code);
