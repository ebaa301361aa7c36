/* view: the colours of text pictures on a terminal. */
#ifndef TMAP_VIEW_HUES_H
#define TMAP_VIEW_HUES_H

#include <stdint.h>

enum { TMAP_HUES_N = 8 };

/* Eight light hues of the 256-colour palette that colour-blind people can tell apart, after Paul Tol's "light". */
static const uint8_t tmap_hues[TMAP_HUES_N] = {110, 216, 222, 218, 153, 115, 149, 179};

#define TMAP_DARK_TEXT "\033[38;5;16m"
#define TMAP_PLAIN     "\033[0m"

#endif
