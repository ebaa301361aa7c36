/* spec: scalars as YAML text. */
#pragma once

#include "tmap/base.h"

/* Whether a plain scalar of one line may stay plain in a flow list or mapping. */
bool tmap_scalar_fits_flow(const char *text, size_t size);
/* Writes a word without quotes, any other text in quotes. */
void tmap_scalar_write(tmap_sink *sink, const char *text, size_t size);
