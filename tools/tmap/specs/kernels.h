/* Compiled kernels as operands: PTX, or a cubin or fatbin whose PTX cuobjdump prints; and the maps for them. */
#pragma once

#include "specs/document.h"
#include "tmap/unstable/compiled.h"

/* Whether a file holds a kernel. */
bool kernel_is_one(const file_bytes *file);
/*
 * Reads the kernels of a loaded document, and the maps of the file `maps_path` (may be NULL). Findings about the text
 * go to doc->diags. For a binary, doc->text becomes the PTX. Returns an exit code; frees *kernels with
 * tmap_compiled_free in any case.
 */
int kernel_open(spec_document *doc, const char *path, const char *maps_path, tmap_compiled **kernels);

/* Prints the kernels, their maps and copies, as text and JSON. */
void kernel_write(result_sink *out, const tmap_compiled *kernels);

#define MAPS_OPTION(type, member)                                                                                      \
    { "--maps", "FILE", "of a kernel: its tensor maps, as a spec or as a log", offsetof(type, member), NULL }
