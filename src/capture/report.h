/* Saying for people what a recording confirms and refutes. */
#ifndef CAPTURE_REPORT_H
#define CAPTURE_REPORT_H

#include "capture/tally.h"

void tmap_capture_report(tmap_sink *sink, const capture_header *header, const capture_tally *tally);

#endif
