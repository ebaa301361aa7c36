/* Results for `tmap device run`: lines in the file that the variable TMAP_ROWS names. */
#pragma once

#include <stdint.h>

#include "tmap/base.h"

#define ROWS_VARIABLE "TMAP_ROWS"

/* A sink for rows; NULL if nobody reads them. */
tmap_sink *rows_sink(void);
/* Writes the row "NUMBER STATE: NAME". */
void row_write(uint64_t n, const char *state, const char *name);
