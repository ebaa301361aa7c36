/* tmap show FILE shared: the window of shared memory, with its buffers, barriers and gaps by address. */
#pragma once

#include "specs/document.h"

/* Whether `name` is the section: the spec has buffers, and no tensor or copy has that name. */
bool names_shared(const spec_document *doc, const char *name);
/* Writes text or JSON on stdout, or SVG to a file. */
int show_shared(spec_document *doc, const judging_options *judging, bool as_json, const char *svg_path);
