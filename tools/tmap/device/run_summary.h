/* The results of the parts of `tmap device run`, from the rows in its report (output/rows.h). */
#pragma once

#include "device/run_parts.h"

/* Writes "98 agree, 0 differ, 28 skipped": the result of a part that ended. `output`: of tmap_bench, without rows. */
void run_result_write(tmap_sink *sink, const run_part *part, const char *report, const char *output);
#define LINE_MAX_B 2048
/* The last line of the output. Returns `line`. */
const char *last_line_of(const char *output, char line[LINE_MAX_B]);
/* Writes the answers in the parts that ask only the driver. */
void first_contact_write(tmap_sink *sink, const char *report);
/* Writes the facts that the replay confirms and refutes, and the rules of the skipped copies. */
void replayed_facts_write(tmap_sink *sink, const char *report);
