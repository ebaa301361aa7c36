/* spec: scalars as YAML text. */
#pragma once

#include "tmap/base.h"

/* Whether what was a plain scalar of one line may stand as it is in a flow list or mapping. */
bool tmap_scalar_fits_flow(const char *text, size_t size);
/* The text in double quotes. */
void tmap_scalar_quote(tmap_sink *sink, const char *text, size_t size);
/* A word as it is, all else in quotes. */
void tmap_scalar_write(tmap_sink *sink, const char *text, size_t size);
