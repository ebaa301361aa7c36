/* SVG as PNG or PDF, by librsvg's command, which Debian has as librsvg2-bin. */
#pragma once

#include "tmap/base.h"

/*
 * Converts the SVG text `svg` to `format` ("png" or "pdf") and writes it to `path`. Frees the text. Returns an exit
 * code: EXIT_NOT_HERE if rsvg-convert is not installed.
 */
int file_write_converted(const char *path, const char *format, tmap_text *svg, const tmap_sink *sink);
