/* import: a descriptor that a program prints itself: 16 words of 8 bytes, 32 of 4 bytes, 64 of 2 bytes or 128 bytes. */
#pragma once

#include "import/lines.h"
#include "tmap/unstable/import.h"

/* Reads the words of a descriptor in the line, which the cursor of `import` follows, and in the next lines. Moves the
 * cursor after the words. named: a line before names a map, so that a list or a literal of bytes is tried. Returns
 * false if the lines have fewer words, or words that are no descriptor. */
bool words_read(tmap_import *import, const log_line *first, bool named, tmap_imported *out);
