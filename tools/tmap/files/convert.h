/* SVG as PNG or PDF, by librsvg's command, which Debian has as librsvg2-bin. */
#pragma once

#include "tmap/base.h"

/*
 * Writes the picture that `svg` is to `path`, in `format`: "png" or "pdf". Frees the text. Answers an exit code:
 * EXIT_NOT_HERE where rsvg-convert is not installed.
 */
int file_write_converted(const char *path, const char *format, tmap_text *svg, const tmap_sink *sink);
