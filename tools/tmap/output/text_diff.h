/* The differences between two texts, as diff -u prints them. */
#pragma once

#include "tmap/base.h"

/* Writes the changes of lines from `before` to `after`, which differ, with three lines around them. Returns false if an
 * allocation fails. */
bool text_diff_write(tmap_sink *sink, const char *path, const tmap_text *before, const tmap_text *after);
