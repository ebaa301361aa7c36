/* The differences of a device: elements with both values, and the case as a spec. */
#pragma once

#include "output/result.h"
#include "text/json.h"
#include "tmap/unstable/probe.h"

/* Writes the differences of a copy: as text the lines below it, with elements, strays and the cause; in JSON members of
 * the open object. Axes are innermost first, or NULL. */
void finding_write(result_sink *out, const tmap_probe *probe, const tmap_probe_report *report, const char *const *axes);

/* Prints the probe as a spec file with one tensor and one copy. */
void finding_print_spec(tmap_sink *sink, const tmap_probe *probe, const char *name);
