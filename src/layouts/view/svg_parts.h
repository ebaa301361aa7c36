/*
 * view: the parts that all SVG pictures use: the head with the styles, texts and rectangles. Classes of texts: title
 * note head cell address label out gap marked; of rectangles: h0, h1 … (the hues), fill none mark.
 */
#pragma once

#include "tmap/base.h"

/* A character of a title is at most this many pixels wide. */
enum { TMAP_HUE_CLASS = 16, TMAP_TITLE_CHAR = 11 };

/* Writes the root element, the title, the styles of the first `hues_n` hues and a white background. The caller writes
 * </svg> at the end. */
void tmap_svg_begin(tmap_sink *sink, int width, int height, const char *title, int hues_n);
/* The class of a hue, or "none" for -1. Returns `class_`. */
char *tmap_svg_hue(int hue, char class_[TMAP_HUE_CLASS]);
/* Writes a text. Characters that XML 1.0 does not allow become U+FFFD. */
void tmap_svg_text(tmap_sink *sink, const char *class_, int x, int y, const char *text);
void tmap_svg_rect(tmap_sink *sink, const char *class_, int x, int y, int width, int height);
