/* page: a box or a layout as the text of a file. */
#pragma once

#include "page/question.h"
#include "tmap/unstable/picture.h"

/* `only` of the question is "yaml", "c" or "svg"; false for anything else, with nothing written. */
bool tmap_export_copy(tmap_sink *sink, const tmap_question *question, const tmap_copy *copy, const tmap_view *view);
/* "yaml", "c" or "svg". `text` is the expression; a picture that is refused writes nothing. */
bool tmap_export_layout(tmap_sink *sink, const char *only, const char *text, const tmap_layout *layout,
                        const tmap_picture *picture);

/* A function in C that computes the places. */
void tmap_export_layout_c(tmap_sink *sink, const tmap_layout *layout);
