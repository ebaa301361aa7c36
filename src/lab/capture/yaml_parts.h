/* Parts of the text of both kinds of recordings. */
#pragma once

#include "capture/case.h"

/* Writes the lines after "provenance:". */
void tmap_put_provenance(tmap_sink *sink, const capture_header *header);
/* Writes a CUresult by name, or as a number if it has no name. */
void tmap_put_result(tmap_sink *sink, int result);
