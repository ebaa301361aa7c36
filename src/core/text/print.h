/* text: formatted text into a sink. */
#pragma once

#include "tmap/base.h"

void tmap_printf(tmap_sink *sink, const char *format, ...) TMAP_PRINTF(2, 3);
