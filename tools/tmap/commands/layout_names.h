/* The names that expressions may use of a spec: its layouts, and its tensors and copies, which stand for the layout of
 * their box in shared memory. */
#ifndef TMAP_TOOL_LAYOUT_NAMES_H
#define TMAP_TOOL_LAYOUT_NAMES_H

#include "specs/document.h"
#include "tmap/unstable/language.h"

typedef struct spec_layouts {
    struct spec_layouts *self; /* names are looked up in what is constant: this is not */
    const spec_document *doc;  /* NULL: only the sizes that -D gives */
    tmap_text *texts;          /* of boxes that were asked for, so that they stay */
    size_t n;
    char no_layout[128]; /* the last one that is known and has none */
    tmap_diag why_none;
} spec_layouts;

tmap_layout_names spec_layouts_names(spec_layouts *layouts);
/* Bits of an element of a tensor or copy of the spec; 0 where its map or copy is refused. */
int spec_layouts_bits(spec_layouts *layouts, const char *name);
void spec_layouts_free(spec_layouts *layouts);

#endif
