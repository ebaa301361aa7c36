/* text: characters that keyboards, word processors and web pages write in place of ASCII. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The ASCII character that a code point looks like: ' ' of a no-break space, ':' of a full-width colon, '"' of a curly
 * quote; 0: of no width. Returns the code point itself if it looks like none. */
uint32_t tmap_typed_ascii(uint32_t code);

/* Writes the text with ASCII in place of such characters, without spaces and curly quotes at its ends, and returns its
 * size; a text that does not fit is cut. */
size_t tmap_typed_plain(const char *text, size_t size, char *plain, size_t room);
