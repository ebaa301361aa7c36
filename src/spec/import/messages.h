/* import: the messages of libraries and tools that refuse a map or a copy. */
#pragma once

#include "import/lines.h"
#include "tmap/unstable/import.h"

#define GAP_MAX 24 /* a dump ends after this many lines without a key */

/* Reads the message of the line; the cursor of `import` is after the line. Returns false if the line has no message, or
 * if a dump, or a line that repeats the message, follows. */
bool message_read(tmap_import *import, const log_line *line, tmap_imported *out);
