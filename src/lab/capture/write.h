/* Writes a recording; docs/capture.md has the format. */
#pragma once

#include "capture/case.h"

typedef struct capture_writer {
    tmap_sink *sink;
    tmap_text line; /* of the case being written */
    size_t size_B, left_out, cases_n;
    bool no_memory; /* an allocation for a line failed, and the line is missing */
} capture_writer;

/* The line of a case. */
void tmap_capture_put_case(tmap_sink *sink, const capture_case *c);

void tmap_capture_write_header(capture_writer *writer, const capture_header *header);
/* Writes the case, or counts it as omitted if the file would become too large. */
void tmap_capture_write_case(capture_writer *writer, const capture_case *c);
/* Writes the part after the cases. `random` may be NULL. */
void tmap_capture_write_end(capture_writer *writer, const capture_random *random);
