/* import: a descriptor that a program prints itself: 16 words of 8 bytes, 32 of 4 bytes, 64 of 2 bytes or 128 bytes. */
#pragma once

#include "import/lines.h"
#include "tmap/unstable/import.h"

/* Reads the words of a descriptor in the line and the next lines; the cursor of `import` is after the line, and moves
 * after the words. named: an earlier line names a map; then a list or a literal of bytes is also read. Returns false if
 * the lines have no descriptor. */
bool words_read(tmap_import *import, const log_line *first, bool named, tmap_imported *out);
