/* util: formatted text into a sink. */
#ifndef TMAP_UTIL_PRINT_H
#define TMAP_UTIL_PRINT_H

#include "tmap/base.h"

void tmap_printf(tmap_sink *sink, const char *format, ...) TMAP_PRINTF(2, 3);

#endif
