/* Parts of both kinds of recordings. */
#pragma once

#include "capture/case.h"
#include "capture/key_tables.h"

/* Writes the lines after "provenance:". */
void tmap_put_provenance(tmap_sink *sink, const capture_header *header);
void tmap_read_provenance(tmap_report *report, const tmap_node *node, bool copies, capture_header *header);
/* Writes a CUresult by name, or as a number if it has no name. */
void tmap_put_result(tmap_sink *sink, int result);
