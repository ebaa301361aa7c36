/* The names of a spec in expressions: its layouts, and its tensors and copies, which mean the layout of their box in
 * shared memory. */
#pragma once

#include "specs/document.h"
#include "tmap/unstable/language.h"

typedef struct spec_layouts {
    struct spec_layouts *self; /* non-const access for the lookup of names, whose context is const */
    const spec_document *doc;  /* NULL: only the sizes from -D */
    tmap_text *texts;          /* texts of boxes that were looked up */
    size_t n;
    char no_layout[128]; /* the last known name without a layout */
    tmap_diag why_none;
} spec_layouts;

tmap_layout_names spec_layouts_names(spec_layouts *layouts);
/* The bits of an element of a tensor or copy of the spec; 0 if its map or copy is refused. */
int spec_layouts_bits(spec_layouts *layouts, const char *name);
void spec_layouts_free(spec_layouts *layouts);
