/* page: writes a box or a layout as the text of a file. */
#pragma once

#include "page/question.h"
#include "tmap/unstable/picture.h"

/* `only` of the question is "yaml", "c" or "svg". For any other value, writes nothing and returns false. */
bool tmap_export_copy(tmap_sink *sink, const tmap_question *question, const tmap_copy *copy, const tmap_view *view);
/* `only` is "yaml", "c" or "svg"; `text` is the expression. Writes nothing for a refused picture. */
bool tmap_export_layout(tmap_sink *sink, const char *only, const char *text, const tmap_layout *layout,
                        const tmap_picture *picture);

/* Writes a C function that computes the places. */
void tmap_export_layout_c(tmap_sink *sink, const tmap_layout *layout);
