/* text: characters that keyboards, word processors and web pages write in place of ASCII. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The ASCII character that a code point looks like: ' ' for a no-break space, ':' for a full-width colon, '"' for a
 * curly quote. Returns 0 for a character of no width, and the code point itself for all others. */
uint32_t tmap_typed_ascii(uint32_t code);

/* Writes the text with ASCII in place of such characters, without spaces and curly quotes at its ends, and returns its
 * size; a text that does not fit is cut. */
size_t tmap_typed_plain(const char *text, size_t size, char *plain, size_t room);
