/* Reports as text which fields and rules a recording confirms and refutes. */
#pragma once

#include "capture/tally.h"

void tmap_capture_report(tmap_sink *sink, const capture_header *header, const capture_tally *tally);
