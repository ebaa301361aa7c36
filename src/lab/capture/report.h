/* Reports as text which fields and rules a recording confirms and refutes. */
#pragma once

#include "capture/tally.h"

/* `rows` (may be NULL) receives lines for programs: "NUMBER WORDS" for each count, "CASES STATE NAME" for each field
 * and rule, and the lines of the text about what no field and no rule explains. */
void tmap_capture_report(tmap_sink *sink, tmap_sink *rows, const capture_header *header, const capture_tally *tally);
