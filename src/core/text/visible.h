/* text: control characters, and the columns of a terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a code point controls a terminal or changes the direction of text. */
bool tmap_is_control(uint32_t code);

/* The columns of a terminal that a code point needs as tmap_put_visible writes it: 0, 1 or 2. */
int tmap_display_width(uint32_t code);

int tmap_text_width(const char *text);

/* The number of code points in a text of well-formed UTF-8. */
int tmap_code_points(const char *text, size_t size);
